//! What goes in and out of the sums of a query head, and how many bits they need.

use super::apid_types::MAX_POSITIONS;
use super::score_types::{ELEMENT_BITS, MAX_HEAD};
use hdl::*;

/// Bits of a coefficient, two's complement, with 22 places behind the point.
pub const COEFFICIENT_BITS: u32 = 36;
/// Bits of an element of the numerator, and of the denominator, two's complement, with 24 places behind the point: as they begin, and as they have to be at the end.
pub const SUM_BITS: u32 = 48;
/// The largest magnitude of a coefficient, with the places of a sum.
const COEFFICIENT: u128 = 1 << (COEFFICIENT_BITS + 1);
/// The largest binary16 number.
const LARGEST: u128 = 65_504;

/// The parameters of sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumsParams {
    /// Elements of a value, 16 to [`MAX_HEAD`].
    pub head: u32,
    /// Elements in a cycle: 4 to `head`, a divisor of it.
    pub lanes: u32,
    /// The most positions of a job, 16 to [`MAX_POSITIONS`].
    pub max_positions: u32,
}

impl SumsParams {
    /// Beats of a value.
    pub fn beats(self) -> u32 {
        self.head / self.lanes
    }
    /// Bits of the number of a beat; none if there is one only.
    pub(super) fn beat_bits(self) -> Option<u32> {
        (self.beats() > 1).then(|| clog2(self.beats() as usize))
    }
    /// Bits of a number of positions.
    pub fn count_bits(self) -> u32 {
        clog2(self.max_positions as usize + 1)
    }
    /// Bits of an element of the numerator under way: whatever the start and the terms are, what does not fit at the end is known.
    pub fn numerator_bits(self) -> u32 {
        telling(LARGEST * COEFFICIENT * u128::from(self.max_positions))
    }
    /// Bits of the denominator under way.
    pub fn denominator_bits(self) -> u32 {
        telling(COEFFICIENT * u128::from(self.max_positions))
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let SumsParams { head, lanes, max_positions } = self;
        let (what, help) = match () {
            _ if !(16..=MAX_HEAD).contains(&head) => {
                (format!("head = {head} is out of range"), "from 16 to 128: the number of an element has 7 bits")
            }
            _ if lanes < 4 || !head.is_multiple_of(lanes) => (
                format!("lanes = {lanes} with heads of {head} elements"),
                "from 4 on, a divisor of them: values are whole beats",
            ),
            _ if !(16..=MAX_POSITIONS).contains(&max_positions) => (
                format!("max_positions = {max_positions} is out of range"),
                "from 16 to 65535: the latest 16 are added in each step, and positions have 16 bits",
            ),
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// Bits of a sum of a start and of terms that are no more than this together, of which is known whether it fits [`SUM_BITS`]: it may wrap, but not to what fits.
fn telling(terms: u128) -> u32 {
    (terms + (2 << (SUM_BITS - 1))).next_power_of_two().ilog2()
}

/// A job: the sums of a query head in a step.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SumCommand {
    /// It begins with the values that come at `start`; else with zeros.
    pub start: Signal,
}

/// Where sums begin.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct StartBeat {
    /// Elements of the numerator, 48 bits each, lane 0 in the low bits.
    pub numerator: Signal,
    /// The denominator; looked at with the last beat.
    pub denominator: Signal,
}

/// What a value is multiplied with.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Coefficient {
    /// Two's complement, 22 places behind the point.
    pub coefficient: Signal,
    /// There is such a position, and a value of it; else nothing is added.
    pub keep: Signal,
    /// The job ends with it.
    pub last: Signal,
}

/// Elements of the output.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct OutputBeat {
    /// In binary16, lane 0 in the low bits.
    pub data: Signal,
    /// They are the last ones.
    pub last: Signal,
}

/// How a job ended; of several causes the first one.
#[derive(Clone, Copy, Debug, State)]
pub enum SumCause {
    /// The output came.
    Done,
    /// There were more positions than there may be.
    Positions,
    /// An element of a value is infinite or NaN.
    NotFinite,
    /// An element of the numerator, or the denominator, does not fit its bits.
    Sum,
    /// The denominator is not positive.
    Denominator,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SumReport {
    /// With an output, or why without.
    pub cause: StateSignal<SumCause>,
    /// The number of the first position with an element that is infinite or NaN, from 0 in each job; else without meaning.
    pub position: Signal,
    /// The first such element of it; else without meaning.
    pub element: Signal,
}

ports! {
    /// Ports of sums.
    pub struct SumsPorts(p: SumsParams) {
        /// Jobs.
        input command: Stream<SumCommand> = stream(SumCommand { start: bits(1) }),
        /// Where those sums begin that do not begin with zeros.
        input start: Stream<StartBeat> = stream(StartBeat {
            numerator: bits(SUM_BITS * p.lanes),
            denominator: bits(SUM_BITS),
        }),
        /// Coefficients, one for each position.
        input s: Stream<Coefficient> = stream(Coefficient {
            coefficient: bits(COEFFICIENT_BITS),
            keep: bits(1),
            last: bits(1),
        }),
        /// The values of these positions, in binary16, lane 0 in the low bits.
        input value: Stream = stream(bits(16 * p.lanes)),
        /// Outputs.
        output m: Stream<OutputBeat> = stream(OutputBeat { data: bits(16 * p.lanes), last: bits(1) }),
        /// How a job ended, behind its output.
        output report: Stream<SumReport> = stream(SumReport {
            cause: state(),
            position: bits(p.count_bits()),
            element: bits(ELEMENT_BITS),
        }),
    }
}
