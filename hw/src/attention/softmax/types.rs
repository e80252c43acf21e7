//! What goes in and out of the softmax, and how long it takes.

use crate::attention::exact_sum::SumShape;
use crate::float::{add, exponential, multiply};
use hdl::*;

/// The most scores of a query that any softmax holds: the most tokens of the units by table. Their exponentials' sum is an integer of 38 bits.
pub const MAX_TOKENS: u32 = 8192;
/// Segments of the exponential (docs/vq-format.md, section 7).
pub const SEGMENTS: u32 = 32;

/// Cycles from the number of a word to the word in a register behind the memory.
pub(super) const READ: u32 = 2;
/// Weights that are on their way or wait.
pub(super) const QUEUE: u32 = 16;

/// The parameters of a softmax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftmaxParams {
    /// The most scores of a query: a power of two from 8 to 8192.
    pub tokens: u32,
    /// Whether largest score and sum come with the weights.
    pub statistics: bool,
}

impl SoftmaxParams {
    /// Bits of a token's number.
    pub(super) fn token_bits(self) -> u32 {
        clog2(self.tokens as usize)
    }
    /// The sum of all exponentials, each at most 1, one of them 1.
    pub(super) fn sum(self) -> SumShape {
        SumShape { term: 1, sum: 1 + self.token_bits(), below: 0 }
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        if self.tokens.is_power_of_two() && (8..=MAX_TOKENS).contains(&self.tokens) {
            return Ok(());
        }
        let help = format!(
            "a power of two from 8 to {MAX_TOKENS}: words of a memory are addressed by bits, and units by table have no more tokens"
        );
        Err(Errors::parameter(module, format!("tokens = {}", self.tokens), help))
    }
}

/// Cycles from the number of a score to its exponential.
pub(super) const EXPONENTIAL: u32 = READ + add::NATURAL + exponential::NATURAL;

/// Cycles from the cycle in which a query's last score is taken to that of its first weight, besides one for each of its scores.
pub fn latency(p: SoftmaxParams) -> u32 {
    // the score is written, the exponential of the last one, shifted, added, the reciprocal, the first weight, the FIFO
    1 + EXPONENTIAL + 2 + p.sum().inverse_latency() + READ + multiply::NATURAL + 1
}

/// A score of a query.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SoftmaxScore {
    /// The score.
    pub score: Signal,
    /// It is the query's last one.
    pub last: Signal,
}

/// The weight of a token.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SoftmaxWeight {
    /// The weight.
    pub weight: Signal,
    /// It is the query's last one.
    pub last: Signal,
}

/// What the merging of partial results must know of a query; NaN where no softmax is.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SoftmaxStatistics {
    /// The largest score.
    pub largest: Signal,
    /// The sum of the exponentials.
    pub sum: Signal,
}

/// The shape of statistics.
pub fn softmax_statistics() -> SoftmaxStatistics {
    SoftmaxStatistics { largest: bits(16), sum: bits(16) }
}

/// The shape of a weight.
pub fn weight_shape() -> SoftmaxWeight {
    SoftmaxWeight { weight: bits(16), last: bits(1) }
}

ports! {
    /// Ports of a softmax.
    pub struct SoftmaxPorts(p: SoftmaxParams) {
        /// Scores of a query's tokens, in their order.
        input scores: Stream<SoftmaxScore> = stream(SoftmaxScore { score: bits(16), last: bits(1) }),
        /// The scores that came are forgotten.
        input forget: Signal = bits(1),
        /// Weights of the tokens, in their order.
        output weights: Stream<SoftmaxWeight> = stream(weight_shape()),
        /// A score was NaN or +infinity, or all were -infinity.
        output nonfinite: Signal = bits(1),
        /// Largest score and sum.
        output statistics: Option<SoftmaxStatistics> = p.statistics.then(softmax_statistics),
    }
}

/// Where a query is.
#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
pub(super) enum Phase {
    /// Scores come.
    Take,
    /// The last one is written.
    Settle,
    /// Exponentials are made.
    Exponentials,
    /// The last ones are on their way.
    Fill,
    /// Their sum becomes its reciprocal.
    Invert,
    /// Weights are made.
    Weigh,
    /// The last ones are taken.
    Finish,
}
