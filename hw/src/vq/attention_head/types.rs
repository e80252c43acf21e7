//! Parameters of the attention head, the stages of a job, and how one ends.

use super::super::scores::{self, ScoresParams};
use super::super::table_types::*;
use super::super::values::{self, ValuesParams};
use crate::attention::softmax::{self, SoftmaxParams};
use crate::memory::axi::AxiParams;
use crate::memory::mover::MoverParams;
use hdl::*;

/// log2 of the bytes of a word of the bus.
pub(super) const WORD_SHIFT: u32 = 3;
/// Bits of a number of bytes that are read or written together: those of all rows are the most.
pub(super) const LENGTH_BITS: u32 = 21;

/// The parameters of an attention head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadParams {
    /// The most entries of a book: a power of two, 8 to 256.
    pub entries: u32,
    /// Numbers of an entry: 2 or 4.
    pub vector: u32,
    /// Indices of a row, each with a book of its own: a multiple of 8 up to 128.
    pub positions: u32,
    /// The most tokens, a power of two from 8 to [`MAX_TOKENS`].
    pub tokens: u32,
    /// Bits of a byte address, 22 to 64.
    pub address_bits: u32,
    /// Whether a word with the largest score and the sum of the softmax is written behind the result.
    pub partial: bool,
}

impl HeadParams {
    /// The units that work by table.
    pub(super) fn table(self) -> TableParams {
        let HeadParams { entries, vector, positions, .. } = self;
        TableParams { entries, vector, positions, residuals: 1, queries: 1 }
    }
    pub(super) fn scores(self) -> ScoresParams {
        ScoresParams { table: self.table(), scaled: false }
    }
    pub(super) fn values(self) -> ValuesParams {
        ValuesParams { table: self.table(), scaled: false }
    }
    pub(super) fn softmax(self) -> SoftmaxParams {
        SoftmaxParams { tokens: self.tokens, statistics: self.partial }
    }
    /// Copies of the sums of weights, on which the order of the weighted sum depends (docs/vq-format.md, section 7).
    pub fn copies(self) -> u32 {
        self.values().copies()
    }
    /// The ports to memory.
    pub fn axi(self) -> AxiParams {
        AxiParams { data_bytes: 1 << WORD_SHIFT, address_bits: self.address_bits, id_bits: 0 }
    }
    pub(super) fn mover(self) -> MoverParams {
        MoverParams::words(self.axi(), LENGTH_BITS)
    }
    /// Words of a query, key or value, and of the weighted sum.
    pub fn vector_words(self) -> u32 {
        self.table().query_numbers() / 4
    }
    /// Words that are written as the result.
    pub fn result_words(self) -> u32 {
        self.vector_words() + u32::from(self.partial)
    }
    /// Bits of the number of a word of the memory.
    pub(super) fn word_bits(self) -> u32 {
        self.address_bits - WORD_SHIFT
    }
    /// An error if a parameter is not legal; `module` is the unit.
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let HeadParams { vector, tokens, address_bits, .. } = self;
        let (what, help) = match () {
            _ if ![2, 4].contains(&vector) => {
                (format!("vector = {vector}"), "2 or 4: what both scores and values by table can be made of")
            }
            _ if !tokens.is_power_of_two() || !(8..=MAX_TOKENS).contains(&tokens) => {
                (format!("tokens = {tokens}"), "a power of two from 8 to 8192: the softmax's memory")
            }
            _ if !(LENGTH_BITS + 1..=64).contains(&address_bits) => {
                (format!("address_bits = {address_bits}"), "from 22 to 64: the rows of all tokens have room")
            }
            _ => return self.table().check(module),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// Cycles of an attending job, at most, besides its words, one for each book and each token, and three accesses of the memory: for the first words
/// of scores and of values, and for the response to the result.
pub fn overhead(p: HeadParams) -> u32 {
    // from a command to the first word of the reader, from the last word of the result to its request
    const MOVERS: u32 = 60;
    // the register slice between softmax and values
    const SLICE: u32 = 1;
    let units = scores::overhead(p.scores()) + softmax::latency(p.softmax()) + SLICE + values::overhead(p.values());
    units + p.vector_words() + p.result_words() + MOVERS
}

/// What the head does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum Stage {
    /// Nothing.
    Idle = 0,
    /// The new key is encoded, and its row is written.
    Key = 1,
    /// The new value is.
    Value = 2,
    /// Scores of all tokens.
    Scores = 3,
    /// The weighted sum of the values.
    Values = 4,
    /// It is written.
    Result = 5,
    /// Scores of a job that failed leave the softmax.
    Flush = 6,
}

/// How a job ended, beside the outcomes of [`TableOutcome`].
pub(super) mod outcome {
    /// The memory refused what was to be written.
    pub const WRITE: u32 = 13;
    /// A score is NaN or +infinity, or all are -infinity; the result was written.
    pub const NONFINITE: u32 = 14;
    /// The query, key or value could not be read.
    pub const VECTOR: u32 = 15;
}
/// Bits of an outcome.
pub(super) const OUTCOME_BITS: u32 = 4;

/// How a stage ended.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Verdict {
    pub(super) outcome: Signal,
    pub(super) in_rows: Signal,
    pub(super) position: Signal,
}

pub(super) fn verdict(p: HeadParams) -> Verdict {
    Verdict { outcome: bits(OUTCOME_BITS), in_rows: bits(1), position: bits(p.table().place_bits()) }
}

impl Verdict {
    /// The verdict of a unit's report.
    pub(super) fn of(report: TableReport) -> Verdict {
        let TableReport { outcome, in_rows, position } = report;
        Verdict { outcome: outcome.code(), in_rows, position }
    }
    /// The verdict with another outcome, about nothing that has a position.
    pub(super) fn without_place(self, m: Module, outcome: u32) -> Verdict {
        let (in_rows, position) = (self.in_rows.zeros(1), self.position.zeros(self.position.width()));
        Verdict { outcome: m.lit(outcome, OUTCOME_BITS), in_rows, position }
    }
    pub(super) fn is_okay(self) -> Signal {
        !self.outcome.any()
    }
}
