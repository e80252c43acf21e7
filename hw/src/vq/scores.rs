//! Scores of a key head by table (docs/vq-format.md, section 7): the products of the queries with all entries are made once, while the books stream by;
//! then a token's score is a lookup and an addition for each index.
//!
//! | port | |
//! | --- | --- |
//! | `command` | books and rows of tokens come: taken when the queries are there, and the command before has ended and its report was taken; from registers |
//! | `query` | the queries of a command, which bring the factor `1/sqrt(d)`; those of the next one are taken while rows stream by |
//! | `words` | the books, then the rows, a word of eight indices in a cycle, with `last`; `words_ready` is made of registers, at rows with scales also of `scale_valid` |
//! | `scale` | where tokens have scales: one for each token, with `last`; `scale_ready` follows `words` within the cycle |
//! | `m` | the scores of each token; from registers over the memory of a FIFO |
//! | `report` | how a command ended, when its last score was taken; registers |
//!
//! - Parameters: those of [`TableParams`], and whether tokens have scales. An index is a byte; a row is `positions` bytes.
//! - Throughput: a word of the bus in every cycle, but for a cycle a book, and [`overhead`] cycles a command; books with fewer entries than a table has
//!   room for take as long as full ones.
//! - Latency: [`latency`] cycles from the last word of a row to its scores. Combinational paths: with scales, between `words` and `scale`.
//! - A command that fails is read to the `last` of words and scales: each command brings both, one that is refused too. The scores of the rows that were whole before come, then the report.

mod look_up;
mod phases;
mod rows;
mod types;

pub use self::types::*;

use self::look_up::{Found, look_up};
use self::phases::{Queued, report};
use self::rows::Rows;
use super::products::products;
use super::table_types::*;
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// Scores by table.
#[module]
pub fn scores(p: ScoresParams) -> Result<Design<ScoresPorts>, Errors> {
    let TableParams { entries, vector, positions, residuals, queries } = p.table;
    let scaled = if p.scaled { "_scaled" } else { "" };
    let name = format!("scores_{entries}x{vector}_{positions}_{residuals}_{queries}{scaled}");
    p.table.check(&name)?;
    if vector == 1 {
        let help = "2, 4, 8 or 16: block RAM takes two products in a cycle";
        return Err(Errors::parameter(&name, "vector = 1", help));
    }
    let m = Module::new(name);
    m.doc("Scores of a key head by table: products while the books stream by, then lookups and sums.");
    let io = ScoresPorts::new(m, p);

    m.section("a command");
    let phase = m.state(Phase::Idle);
    let tables = m.instance(&products(p.table, true)?);
    let idle = phase.is(Phase::Idle);
    let TokensCommand { first, tokens } = io.command.payload;
    let refused = m.wire(state::<TableOutcome>());
    refused.set(m.lit_state(TableOutcome::Okay));
    m.when(tokens.gt(MAX_TOKENS), || refused.set(m.lit_state(TableOutcome::ManyTokens)));
    m.when(!tokens.any(), || refused.set(m.lit_state(TableOutcome::NoTokens)));
    tables.command.valid.set(io.command.valid & idle);
    tables.command.payload.set(BooksAhead { first, refused });
    io.command.ready.set(tables.command.ready & idle);
    tables.query.set(io.query);

    m.section("words go to the tables, then to the rows");
    let rows = Rows::new(m, &io, phase, p);
    let in_books = phase.is(Phase::Books);
    tables.words.valid.set(io.words.valid & in_books);
    tables.words.payload.set(io.words.payload);
    io.words.ready.set((tables.words.ready & in_books) | rows.ready | phase.is(Phase::Drain));
    tables.done.ready.set(in_books);

    let found = look_up(m, &tables.write, rows.beat, p)?;
    let queued = queue(m, &io, found, p)?;
    let leaves = io.m.transfer();
    rows.under_way.count(rows.ends, leaves);
    m.assert(!queued.valid | queued.ready, "the FIFO has room for the rows that are under way");
    report(m, &io, phase, &tables.done, rows, queued, p);
    m.finish(io)
}

/// Scores wait until they are taken.
#[module]
fn queue(m: Module, io: &ScoresPorts, found: Found, p: ScoresParams) -> Result<Queued, Errors> {
    m.section("scores wait");
    let into = m.wire(stream(scores_shape(p)));
    into.valid.set(found.comes);
    into.payload.set(found.scores);
    io.m.set(fifo_after(m, into, p.depth() as usize, Style::Distributed)?);
    Ok(Queued { valid: into.valid, ready: into.ready, wrong: found.scores.wrong })
}

#[cfg(test)]
mod tests;
