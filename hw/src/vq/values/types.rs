//! What goes in and out of values by table, and how long it takes.

use super::super::accumulator_lane::{self, LaneParams};
use super::super::cache_types::{BookWord, book_word};
use super::super::running_sums::{self, SumsParams};
use super::super::table_types::*;
use crate::float::{add, multiply};
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
        [1, 2, 4].into_iter().find(fits).expect("four copies of a row of one beat come again when they may")
    }
    /// A sum comes again while it is on its way.
    pub(super) fn comes_again(self) -> bool {
        self.copies() * self.table.beats() < accumulator_lane::BUSY
    }
    /// Numbers of a row of a lane's memory: those of the entries of a word of a book, in all copies.
    pub(super) fn lane(self) -> LaneParams {
        let numbers = self.table.entries_of_word() * self.copies();
        LaneParams { numbers, rows: self.table.beats() * self.table.entries / self.table.entries_of_word() }
    }
    pub(super) fn sums(self) -> SumsParams {
        SumsParams { levels: self.table.word_bits(), sums: self.table.vector }
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
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
pub(super) fn product_latency(p: ValuesParams) -> u32 {
    // the row, the lanes' rows together, copies, products, neighbours
    let copies = p.copies().ilog2() * add::NATURAL;
    accumulator_lane::READ + 1 + copies + multiply::NATURAL + p.table.entries_of_word().ilog2() * add::NATURAL
}

/// Cycles from the last word of the last book to its sums, at most.
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
        input command: Stream<TokensCommand> = stream(tokens_command()),
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

/// The shape of the weighted sums of a group.
pub fn values_shape(p: ValuesParams) -> Values {
    Values { value: vector(bits(16), p.table.vector as usize), last: bits(1) }
}

/// Where a command is.
#[derive(Clone, Copy, State)]
pub(super) enum Phase {
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
