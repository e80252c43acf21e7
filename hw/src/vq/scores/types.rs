//! What goes in and out of scores by table, and how long it takes.

use super::super::cache_types::{BookWord, book_word};
use super::super::products;
use super::super::scales::{Scale, scale};
use super::super::table_types::*;
use crate::float::{add, multiply, tree};
use hdl::*;

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
    pub(super) fn levels(self) -> u32 {
        if self.table.beats() == 1 { 0 } else { clog2(self.table.beats() as usize) }
    }
    /// Rows that are on their way, or whose scores wait.
    pub(super) fn depth(self) -> u32 {
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
        input command: Stream<TokensCommand> = stream(tokens_command()),
        /// Queries.
        input query: Stream<QueryWord> = stream(query_word()),
        /// Books and rows.
        input words: Stream<BookWord> = stream(book_word()),
        /// Scales of the tokens.
        input scale: Option<Stream<Scale>> = p.scaled.then(|| stream(scale())),
        /// Scores.
        output m: Stream<Scores> = stream(scores_shape(p)),
        /// How a command ended.
        output report: Stream<TableReport> = stream(table_report(p.table)),
    }
}

/// The shape of the scores of a token.
pub fn scores_shape(p: ScoresParams) -> Scores {
    Scores { score: vector(bits(16), p.table.queries as usize), wrong: bits(1), last: bits(1) }
}

/// Where a command is.
#[derive(Clone, Copy, State)]
pub(super) enum Phase {
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
