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
//! - Latency: [`latency`] cycles at most from the last word of a book to its sums. Combinational paths: between `words` and `weight`.
//! - A command that fails is read to the `last` of words and weights: each command brings both, one that is refused too. If the report says so, the numbers that came are worth nothing.
//! - After a reset, and after a command that failed, the sums are set to zero: a cycle a row of a lane's memory.

mod entries;
mod lanes;
mod phases;
mod rows;

use self::entries::multiply_rows;
use self::lanes::{add_weights, clear};
use self::phases::{Ended, follow};
use self::rows::Rows;
use super::accumulator_lane::{self, LaneParams};
use super::cache_types::{BookWord, ID_BITS, book_word};
use super::passing_books::{Around, passing_books};
use super::running_sums::{self, SumsParams, running_sums};
use super::scores::{ScoresCommand, TOKEN_BITS};
use super::table_types::*;
use crate::float::{add, multiply};
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

/// The parameters of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuesParams {
    /// Books: with vectors of 1, 2 or 4 numbers, one index a group, and one query.
    pub table: TableParams,
    /// Tokens have scales.
    pub scaled: bool,
}

impl ValuesParams {
    /// Copies of the sums, of which each token takes the next one: so many that a sum is on its way no more when it comes again, or is there
    /// exactly when the next weight is added.
    pub fn copies(self) -> u32 {
        let beats = self.table.beats();
        let fits = |copies: &u32| {
            let again = copies * beats;
            again == accumulator_lane::AGAIN || again >= accumulator_lane::BUSY
        };
        [1, 2, 4, 8].into_iter().find(fits).unwrap_or(8)
    }
    /// A sum comes again while it is on its way.
    fn comes_again(self) -> bool {
        self.copies() * self.table.beats() < accumulator_lane::BUSY
    }
    /// Numbers of a row of a lane's memory: those of the entries of a word of a book, in all copies.
    fn lane(self) -> LaneParams {
        let numbers = self.table.entries_of_word() * self.copies();
        LaneParams { numbers, rows: self.table.beats() * self.table.entries / self.table.entries_of_word() }
    }
    fn sums(self) -> SumsParams {
        SumsParams { levels: self.table.word_bits(), sums: self.table.vector }
    }
    #[track_caller]
    fn check(self, module: &str) -> Result<(), Errors> {
        self.table.check(module)?;
        let TableParams { vector, residuals, queries, .. } = self.table;
        let (what, help) = match () {
            _ if ![1, 2, 4].contains(&vector) => {
                (format!("vector = {vector}"), "1, 2 or 4: an entry is no longer than a word")
            }
            _ if residuals != 1 => (format!("residuals = {residuals}"), "1: sums of several books are not joined"),
            _ if queries != 1 => (format!("queries = {queries}"), "1: a token has one weight"),
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// Cycles from a word of entries to its products' sum.
fn product_latency(p: ValuesParams) -> u32 {
    // the row, the lanes' rows together, copies, products, neighbours
    let copies = p.copies().ilog2() * add::NATURAL;
    accumulator_lane::READ + 1 + copies + multiply::NATURAL + p.table.entries_of_word().ilog2() * add::NATURAL
}

/// Cycles from the last word of a book to its sums, at most.
pub fn latency(p: ValuesParams) -> u32 {
    1 + product_latency(p) + running_sums::latency(p.table.word_bits()) + 2
}

/// Cycles of a command in which no word is taken, besides one for each book: the last additions, and the last sums.
pub fn overhead(p: ValuesParams) -> u32 {
    let scale = if p.scaled { multiply::NATURAL } else { 0 };
    scale + accumulator_lane::BUSY + latency(p) + 8
}

/// A token's weight.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Weight {
    /// What its values are multiplied with.
    pub weight: Signal,
    /// What the weight is multiplied with before.
    pub scale: Option<Signal>,
    /// It is the last one of a command.
    pub last: Signal,
}

/// Numbers of the weighted sum.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Values {
    /// Those of a group.
    pub value: Vector<Signal>,
    /// They are the last ones.
    pub last: Signal,
}

ports! {
    /// Ports of values by table.
    pub struct ValuesPorts(p: ValuesParams) {
        /// Rows and books come.
        input command: Stream<ScoresCommand> = stream(ScoresCommand { first: bits(ID_BITS), tokens: bits(TOKEN_BITS) }),
        /// Weights of the tokens.
        input weight: Stream<Weight> = stream(Weight { weight: bits(16), scale: p.scaled.then(|| bits(16)), last: bits(1) }),
        /// Rows and books.
        input words: Stream<BookWord> = stream(book_word()),
        /// The weighted sum.
        output m: Stream<Values> = stream(values_shape(p)),
        /// How a command ended.
        output report: Stream<TableReport> = stream(table_report(p.table)),
    }
}

fn values_shape(p: ValuesParams) -> Values {
    Values { value: vector(bits(16), p.table.vector as usize), last: bits(1) }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// The sums are set to zero.
    Clear,
    /// No command.
    Idle,
    /// Rows come.
    Rows,
    /// The last weights are added.
    Wait,
    /// Books pass.
    Books,
    /// It has failed, and words are dropped.
    Drain,
    /// Numbers wait to be taken.
    Finish,
    /// The report waits.
    Report,
}

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

/// A signal so many cycles later.
#[module]
fn delayed<B: Bundle>(m: Module, x: B, cycles: u32) -> B {
    (0..cycles).fold(x, |x, _| {
        let later = m.reg(x.shape());
        later.set(x);
        later
    })
}

/// A valid bit so many cycles later, 0 from a reset on.
#[module]
fn delayed_valid(m: Module, valid: Signal, cycles: u32) -> Signal {
    (0..cycles).fold(valid, |valid, _| {
        let later = m.reg_reset(bits(1), 0);
        later.set(valid);
        later
    })
}

#[cfg(test)]
mod tests;
