//! What goes in and out of scores, and how long it takes.

use super::aligned_product;
use hdl::*;

/// Bits of a score, two's complement, with 16 places behind the point.
pub const SCORE_BITS: u32 = 28;
/// Bits of an exact dot product, two's complement, with 24 places behind the point.
pub const DOT_BITS: u32 = 64;
/// Bits of the number of an element.
pub const ELEMENT_BITS: u32 = 7;
/// The most elements of a head.
pub const MAX_HEAD: u32 = 128;

/// The parameters of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoresParams {
    /// Elements of a query or key, 16 to [`MAX_HEAD`].
    pub head: u32,
    /// Elements in a cycle: 4 to `head`, a divisor of it.
    pub lanes: u32,
    /// Queries that are held: 2, 4, 8 or 16.
    pub queries: u32,
    /// The exact dot product comes beside the score.
    pub exact: bool,
}

impl ScoresParams {
    /// Beats of a vector.
    pub fn beats(self) -> u32 {
        self.head / self.lanes
    }
    /// Cycles from the last beat of a key to its score.
    pub fn latency(self) -> u32 {
        // the levels of the tree, the sum of all beats, rounding
        aligned_product::LATENCY + clog2(self.lanes as usize) + 2
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let ScoresParams { head, lanes, queries, .. } = self;
        let (what, help) = match () {
            _ if !(16..=MAX_HEAD).contains(&head) => (
                format!("head = {head} is out of range"),
                "from 16 to 128: sums of more products need more than 64 bits",
            ),
            _ if lanes < 4 || !head.is_multiple_of(lanes) => (
                format!("lanes = {lanes} with heads of {head} elements"),
                "from 4 on, a divisor of them: vectors are whole beats",
            ),
            _ if ![2, 4, 8, 16].contains(&queries) => (
                format!("queries = {queries}"),
                "2, 4, 8 or 16: one is loaded while others are used, and the memory of a lane has 16 words",
            ),
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// Elements of a query.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct QueryBeat {
    /// In binary16, lane 0 in the low bits.
    pub data: Signal,
    /// The number under which it is held; looked at with the first beat.
    pub number: Signal,
}

/// Elements of a key.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct KeyBeat {
    /// In binary16, lane 0 in the low bits.
    pub data: Signal,
    /// The number of the query that it is multiplied with; looked at with the first beat.
    pub query: Signal,
}

/// What may not be multiplied.
#[derive(Clone, Copy, Debug, State)]
pub enum ScoreFault {
    /// All is well.
    None,
    /// An element of the query is infinite or NaN.
    Query,
    /// An element of the key is, and none of the query.
    Key,
}

/// A score.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Score {
    /// Two's complement, 16 places behind the point; without meaning if there is a fault.
    pub score: Signal,
    /// It had to be limited.
    pub saturated: Signal,
    /// What is wrong.
    pub fault: StateSignal<ScoreFault>,
    /// The first element that is; else without meaning.
    pub element: Signal,
    /// The exact sum, 24 places behind the point.
    pub dot: Option<Signal>,
}

/// The shape of a score.
pub fn score_shape(p: ScoresParams) -> Score {
    Score {
        score: bits(SCORE_BITS),
        saturated: bits(1),
        fault: state(),
        element: bits(ELEMENT_BITS),
        dot: p.exact.then(|| bits(DOT_BITS)),
    }
}

ports! {
    /// Ports of scores.
    pub struct ScoresPorts(p: ScoresParams) {
        /// Queries, with their factor `1/sqrt(head)`.
        input query: Stream<QueryBeat> = stream(QueryBeat { data: bits(16 * p.lanes), number: bits(p.queries.ilog2()) }),
        /// Keys.
        input key: Stream<KeyBeat> = stream(KeyBeat { data: bits(16 * p.lanes), query: bits(p.queries.ilog2()) }),
        /// Scores.
        output m: Stream<Score> = stream(score_shape(p)),
    }
}
