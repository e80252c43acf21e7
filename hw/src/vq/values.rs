//! Values of a value head by table (docs/vq-format.md, section 7): each token's weight is added to the entries of its indices; then the books stream by,
//! with one product for each number of an entry.
//!
//! | port | |
//! | --- | --- |
//! | `command` | rows of tokens and books come: taken when the command before has ended and its report was taken; registers |
//! | `weight` | a weight for each token, and its scale if tokens have scales, with `last`; `weight_ready` follows `words_valid` within the cycle |
//! | `words` | the rows, a word of eight indices in a cycle, then the books, with `last`; `words_ready` follows `weight_valid` within the cycle |
//! | `m` | the weighted sum of the values, group by group; from registers over the memory of a FIFO |
//! | `report` | how a command ended, when its last numbers were taken; registers |
//!
//! - Parameters: those of [`ValuesParams`]. An index is a byte; a row is `positions` bytes.
//! - Throughput: a word of the bus in every cycle, but for a cycle a book, and [`overhead`] cycles a command. A pause of the bus in the midst of rows of
//!   four words or less, all copies counted, is a cycle or two longer than the bus makes it.
//! - Latency: [`latency`] cycles at most from the last word of the last book to its sums. Combinational paths: between `words` and `weight`.
//! - A command that fails is read to the `last` of words and weights: each command brings both, one that is refused too. If the report says so, the numbers that came are worth nothing.
//! - After a reset, and after a command that failed, the sums are set to zero: a cycle a row of a lane's memory.

mod entries;
mod lanes;
mod phases;
mod rows;
mod types;

pub use self::types::*;

use self::entries::multiply_rows;
use self::lanes::{add_weights, clear};
use self::phases::{Ended, follow};
use self::rows::Rows;
use super::passing_books::{Around, passing_books};
use super::running_sums::{self, running_sums};
use super::table_types::*;
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// Values by table.
#[module]
pub fn values(p: ValuesParams) -> Result<Design<ValuesPorts>, Errors> {
    let TableParams { entries, vector, positions, .. } = p.table;
    let scaled = if p.scaled { "_scaled" } else { "" };
    let name = format!("values_{entries}x{vector}_{positions}{scaled}");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc(
        "Values of a value head by table: weights are added to entries, then one product for each number of an entry.",
    );
    let io = ValuesPorts::new(m, p);

    m.section("words go to the rows, then to the books");
    let phase = m.state(Phase::Clear);
    let settle = product_latency(p) + running_sums::latency(p.table.word_bits());
    let books = m.instance(&passing_books(p.table, Around { rows_follow: false, settle })?);
    let rows = Rows::new(m, &io, phase, p);
    let in_books = phase.is(Phase::Books);
    books.words.valid.set(io.words.valid & in_books);
    books.words.payload.set(io.words.payload);
    io.words.ready.set((books.words.ready & in_books) | rows.ready | (phase.is(Phase::Drain) & !rows.over));

    let (clears, cleared) = clear(m, phase, p.lane().rows);
    let begins = io.command.transfer();
    let lanes = add_weights(m, rows.item, books.passing, clears, p)?;
    let found = multiply_rows(m, books.passing, &lanes, begins, p)?;

    m.section("sums over the entries");
    let sums = m.instance(&running_sums(p.sums())?);
    sums.clear.set(begins);
    sums.comes.set(found.comes);
    sums.x.set(found.products);
    let group = m.reg_reset(bits(p.table.position_bits()), 0).comment("the group whose sums come");
    m.when(sums.done, || group.set(group + 1));
    m.when(begins, || group.set(0));
    let into = m.wire(stream(values_shape(p)));
    into.valid.set(sums.done);
    into.payload.set(Values { value: sums.y, last: group.eq(p.table.positions - 1) });
    m.assert(!into.valid | into.ready, "the FIFO has room for all groups");
    io.m.set(fifo_after(m, into, p.table.positions.next_power_of_two() as usize, Style::Distributed)?);

    books.command.valid.set(phase.is(Phase::Wait) & rows.settled);
    books.command.payload.set(BooksAhead { first: rows.first, refused: m.lit_state(TableOutcome::Okay) });
    books.done.ready.set(in_books);
    let ended = Ended { books: books.done, began: books.command.transfer(), cleared, found };
    follow(m, &io, phase, rows, ended, p);
    m.finish(io)
}

#[cfg(test)]
mod tests;
