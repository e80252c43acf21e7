//! What goes in and out of the merging of partial results, and how long it takes.

use super::super::exact_sum::SumShape;
use crate::float::{add, exponential, multiply};
use hdl::*;

/// The most parts of a query.
pub const MAX_PARTS: u32 = 8;
/// The most numbers of a vector.
pub const MAX_NUMBERS: u32 = 512;

/// The parameters of the merging of partial results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeParams {
    /// The most parts, 2 to 8.
    pub parts: u32,
    /// Numbers of a vector: a multiple of 16 up to 512.
    pub numbers: u32,
    /// Numbers of a word: 1, 2 or 4, and at most an eighth of a vector.
    pub lanes: u32,
}

impl MergeParams {
    /// Words of a vector.
    pub fn words(self) -> u32 {
        self.numbers / self.lanes
    }
    /// Bits of the number of a part that there is.
    pub(super) fn part_bits(self) -> u32 {
        clog2(self.parts as usize)
    }
    /// Bits of the number of a part, or of the first one that there is not.
    pub(super) fn place_bits(self) -> u32 {
        clog2(self.parts as usize + 1)
    }
    /// Bits of the number of a word.
    pub(super) fn word_bits(self) -> u32 {
        clog2(self.words() as usize)
    }
    /// The sum of an eighth of all sums, each below 2^14, with their exponentials, one of which is 1.
    pub(super) fn sum(self) -> SumShape {
        SumShape { term: 11, sum: 11 + self.part_bits(), below: 3 }
    }
    #[track_caller]
    pub(in crate::attention) fn check(self, module: &str) -> Result<(), Errors> {
        let MergeParams { parts, numbers, lanes } = self;
        let (what, help) = match () {
            _ if !(2..=MAX_PARTS).contains(&parts) => {
                (format!("parts = {parts}"), format!("from 2 to {MAX_PARTS}: the sums of all parts have so many bits"))
            }
            _ if !numbers.is_multiple_of(16) || !(16..=MAX_NUMBERS).contains(&numbers) => {
                (format!("numbers = {numbers}"), format!("a multiple of 16 up to {MAX_NUMBERS}"))
            }
            _ if ![1, 2, 4].contains(&lanes) => {
                (format!("lanes = {lanes}"), "1, 2 or 4: words divide a vector".to_string())
            }
            _ if self.words() < MIN_WORDS => {
                let help = format!("at least {MIN_WORDS} words: a sum is written before the next part reads it");
                (format!("a vector of {} words", self.words()), help)
            }
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// Cycles from the number of a part to its exponential.
pub(super) const POWER: u32 = 1 + add::NATURAL + exponential::NATURAL;
/// Cycles from a word to its product, with which the sum before is read.
const PRODUCT: u32 = 1 + multiply::NATURAL;
/// Cycles from a word until it is among the sums.
pub(super) const SUMMED: u32 = PRODUCT + 1 + add::NATURAL;
/// Words of a vector at least: when a product reads a sum, the word of the part before is in it.
pub const MIN_WORDS: u32 = 8;
const _: () = assert!(MIN_WORDS + PRODUCT > SUMMED);

/// Cycles from the one in which the last part is taken to the first one in which `words_ready` is 1, besides two for each part.
pub fn latency(p: MergeParams) -> u32 {
    // the largest score and exponentials times sums; their sum; its reciprocal; weights
    (1 + POWER + multiply::NATURAL) + 2 + p.sum().inverse_latency() + (1 + multiply::NATURAL)
}

/// Cycles from the one in which the last word is taken to that in which the result's first one comes.
pub fn result_latency() -> u32 {
    SUMMED + 1
}

/// What is known of a part.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Part {
    /// Its largest score.
    pub largest: Signal,
    /// The sum of its exponentials.
    pub sum: Signal,
    /// It is the last one.
    pub last: Signal,
}

/// The shape of a part.
pub fn part_shape() -> Part {
    Part { largest: bits(16), sum: bits(16), last: bits(1) }
}

/// Numbers of a vector.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct MergeWord {
    /// The numbers, the first one in the low bits.
    pub numbers: Vector<Signal>,
    /// It is the last one: of the vectors of all parts, or of the result.
    pub last: Signal,
}

/// The shape of a word.
pub fn word_shape(p: MergeParams) -> MergeWord {
    MergeWord { numbers: vector(bits(16), p.lanes as usize), last: bits(1) }
}

/// How a merging ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum MergeOutcome {
    /// All is well.
    Okay = 0,
    /// A part's largest score or sum is not legal; the result is NaN.
    Part = 1,
    /// There are more parts than there is room for.
    ManyParts = 2,
    /// The vectors end too early.
    Short = 3,
    /// There are words behind the last vector; they were dropped.
    Long = 4,
}

/// A merging has ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct MergeReport {
    /// How.
    pub outcome: StateSignal<MergeOutcome>,
    /// The part: the first that is wrong or too many, or that of the word.
    pub part: Signal,
    /// The last word that came (`Short`), else 0.
    pub word: Signal,
}

/// The shape of a report.
pub fn report_shape(p: MergeParams) -> MergeReport {
    MergeReport { outcome: state(), part: bits(p.place_bits()), word: bits(p.word_bits()) }
}

ports! {
    /// Ports of the merging of partial results.
    pub struct MergePorts(p: MergeParams) {
        /// Largest scores and sums of the parts.
        input parts: Stream<Part> = stream(part_shape()),
        /// The vectors of all parts, one behind the other.
        input words: Stream<MergeWord> = stream(word_shape(p)),
        /// The result.
        output merged: Stream<MergeWord> = stream(word_shape(p)),
        /// How it ended, behind the result.
        output report: Stream<MergeReport> = stream(report_shape(p)),
    }
}

/// Where a merging is.
#[derive(Clone, Copy, PartialEq, Eq, State)]
#[state(encoding = "one_hot")]
pub(super) enum Phase {
    /// Parts come.
    Take,
    /// The largest score is found.
    Settle,
    /// Sums times exponentials are made.
    Terms,
    /// The last ones are on their way.
    Fill,
    /// Their sum becomes its reciprocal.
    Invert,
    /// Weights are made.
    Weigh,
    /// The last ones are on their way.
    Finish,
    /// Words come.
    Words,
    /// Words that are too many, or whose parts are, come.
    Drop,
    /// The last words are on their way.
    Drain,
    /// The result goes.
    Give,
    /// The report goes.
    Report,
}
