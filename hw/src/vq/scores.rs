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

use self::look_up::{Found, look_up};
use self::phases::report;
use self::rows::Rows;
use super::cache_types::{BookWord, ID_BITS, book_word};
use super::products::{self, products};
use super::table_types::*;
use crate::float::{add, multiply, tree};
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// Bits of a number of tokens.
pub const TOKEN_BITS: u32 = 14;

/// The parameters of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoresParams {
    /// Books and queries.
    pub table: TableParams,
    /// Tokens have scales.
    pub scaled: bool,
}

impl ScoresParams {
    /// Levels of sums behind those of a word.
    fn levels(self) -> u32 {
        if self.table.beats() == 1 { 0 } else { clog2(self.table.beats() as usize) }
    }
    /// Rows that are on their way, or whose scores wait.
    fn depth(self) -> u32 {
        (latency(self) / self.table.beats() + 4).next_power_of_two()
    }
}

/// Cycles from the last word of a row to its scores.
pub fn latency(p: ScoresParams) -> u32 {
    // into registers, out of the table, registers behind it, sums, scale, FIFO
    let scale = if p.scaled { multiply::NATURAL } else { 0 };
    3 + tree::natural(LANES) + add::NATURAL * p.levels() + scale + 1
}

/// Cycles of a command in which no word is taken, besides one for each book: the products of the last entries, and the scores of the last rows.
pub fn overhead(p: ScoresParams) -> u32 {
    products::latency(p.table) + latency(p) + 5
}

/// A command.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ScoresCommand {
    /// The number of the first book; those of the other positions have the numbers behind it.
    pub first: Signal,
    /// Tokens, 1 to [`MAX_TOKENS`].
    pub tokens: Signal,
}

/// What the score of a token is multiplied with.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct TokenScale {
    /// The number.
    pub data: Signal,
    /// It is the last one of a command.
    pub last: Signal,
}

/// The scores of a token.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Scores {
    /// One for each query; without meaning if an index has no entry.
    pub score: Vector<Signal>,
    /// An index has no entry.
    pub wrong: Signal,
    /// It is the last token.
    pub last: Signal,
}

ports! {
    /// Ports of scores by table.
    pub struct ScoresPorts(p: ScoresParams) {
        /// Books and rows come.
        input command: Stream<ScoresCommand> = stream(ScoresCommand { first: bits(ID_BITS), tokens: bits(TOKEN_BITS) }),
        /// Queries.
        input query: Stream<QueryWord> = stream(query_word()),
        /// Books and rows.
        input words: Stream<BookWord> = stream(book_word()),
        /// Scales of the tokens.
        input scale: Option<Stream<TokenScale>> = p.scaled.then(|| stream(TokenScale { data: bits(16), last: bits(1) })),
        /// Scores.
        output m: Stream<Scores> = stream(scores_shape(p)),
        /// How a command ended.
        output report: Stream<TableReport> = stream(table_report(p.table)),
    }
}

fn scores_shape(p: ScoresParams) -> Scores {
    Scores { score: vector(bits(16), p.table.queries as usize), wrong: bits(1), last: bits(1) }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// No command.
    Idle,
    /// Books pass.
    Books,
    /// Rows come.
    Rows,
    /// It has failed, and words are dropped.
    Drain,
    /// Scores are on their way.
    Finish,
    /// The report waits.
    Report,
}

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
    let ScoresCommand { first, tokens } = io.command.payload;
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

/// What the FIFO gets.
#[derive(Clone, Copy)]
struct Queued {
    valid: Signal,
    ready: Signal,
    wrong: Signal,
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
