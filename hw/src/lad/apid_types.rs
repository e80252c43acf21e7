//! What goes in and out of APID.

use super::score_types::SCORE_BITS;
use super::{active_list, estimate};
use hdl::*;

/// Bits of a mode, and of the number of an interval.
pub const MODE_BITS: u32 = 4;
/// The most positions of a sequence.
pub const MAX_POSITIONS: u32 = 65_535;

/// The parameters of APID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApidParams {
    /// Positions in a cycle, 1 to 12.
    pub lanes: u32,
    /// The most positions, 16 to [`MAX_POSITIONS`].
    pub max_positions: u32,
}

impl ApidParams {
    /// Bits of a position.
    pub fn position_bits(self) -> u32 {
        clog2(self.max_positions as usize)
    }
    /// Bits of a number of positions.
    pub fn count_bits(self) -> u32 {
        clog2(self.max_positions as usize + 1)
    }
    /// Bits of an active position.
    pub(super) fn entry_bits(self) -> u32 {
        self.position_bits() + MODE_BITS + 1
    }
    /// Cycles of a pass besides those in which positions are taken: from the command, if the list and the report are taken at once, to the next one.
    pub fn overhead(self) -> u32 {
        // the command; a look at the position, its score and two registers, the estimate, x, the comparison; the list; the report
        1 + 3 + estimate::LATENCY + 2 + active_list::latency(self.lanes) + 1
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let ApidParams { lanes, max_positions } = self;
        let (what, help) = match () {
            _ if !(1..=12).contains(&lanes) => (
                format!("lanes = {lanes} is out of range"),
                "from 1 to 12: each has a copy of the scores; the paper has 12",
            ),
            _ if !(16..=MAX_POSITIONS).contains(&max_positions) => (
                format!("max_positions = {max_positions} is out of range"),
                "from 16 to 65535: the latest 16 are no matter of APID, and a record has 16 bits for a position",
            ),
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// A bound of the intervals.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct BoundWrite {
    /// The interval of which it is the lower bound, from 1 on; behind the highest one there is one that begins at 0.
    pub interval: Signal,
    /// Two's complement, 16 places behind the point.
    pub bound: Signal,
}

/// An accurate score.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ScoreWrite {
    /// Of which position.
    pub position: Signal,
    /// Two's complement, 16 places behind the point.
    pub score: Signal,
}

/// A pass.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ApidCommand {
    /// How many positions are in the caches; also none.
    pub positions: Signal,
    /// The maximum of the accurate scores.
    pub maximum: Signal,
    /// Positions whose mode is this interval or a higher one have accurate scores; 16: none has for that.
    pub large_from: Signal,
}

/// What is known of positions that follow each other. Behind the last one of a pass it means nothing.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Records {
    /// The position of the centre.
    pub centre: Vector<Signal>,
    /// The factor that makes an estimate of the centre's score.
    pub factor: Vector<Signal>,
    /// The mode.
    pub mode: Vector<Signal>,
    /// Its score was made accurate in a pass before.
    pub accurate: Vector<Signal>,
}

/// An active position.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ActivePosition {
    /// Which.
    pub position: Signal,
    /// Its mode.
    pub mode: Signal,
    /// Its score is no estimate.
    pub accurate: Signal,
}

/// Active positions that follow each other, the first one in lane 0.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ActiveBeat {
    /// Those that are there; the others mean nothing.
    pub active: Vector<ActivePosition>,
    /// One bit for each: it is there.
    pub keep: Signal,
    /// They are the last ones of the pass; none may be there, then.
    pub last: Signal,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ApidReport {
    /// How many positions are active.
    pub count: Signal,
    /// None is.
    pub none: Signal,
    /// All are.
    pub all: Signal,
    /// An estimate had to be limited.
    pub saturated: Signal,
}

pub(super) fn records(p: ApidParams) -> Records {
    let lanes = p.lanes as usize;
    Records {
        centre: vector(bits(p.position_bits()), lanes),
        factor: vector(bits(16), lanes),
        mode: vector(bits(MODE_BITS), lanes),
        accurate: vector(bits(1), lanes),
    }
}

pub(super) fn active_position(p: ApidParams) -> ActivePosition {
    ActivePosition { position: bits(p.position_bits()), mode: bits(MODE_BITS), accurate: bits(1) }
}

pub(super) fn active_beat(p: ApidParams) -> ActiveBeat {
    ActiveBeat { active: vector(active_position(p), p.lanes as usize), keep: bits(p.lanes), last: bits(1) }
}

ports! {
    /// Ports of APID.
    pub struct ApidPorts(p: ApidParams) {
        /// Lower bounds of the intervals from 1 on, and 0 behind the highest one.
        input bound: Stream<BoundWrite> = stream(BoundWrite { interval: bits(MODE_BITS + 1), bound: bits(SCORE_BITS) }),
        /// Accurate scores.
        input score: Stream<ScoreWrite> = stream(ScoreWrite { position: bits(p.position_bits()), score: bits(SCORE_BITS) }),
        /// Passes.
        input command: Stream<ApidCommand> = stream(ApidCommand {
            positions: bits(p.count_bits()),
            maximum: bits(SCORE_BITS),
            large_from: bits(MODE_BITS + 1),
        }),
        /// Positions from 0 on.
        input s: Stream<Records> = stream(records(p)),
        /// The list.
        output m: Stream<ActiveBeat> = stream(active_beat(p)),
        /// How a pass ended, behind its list.
        output report: Stream<ApidReport> = stream(ApidReport {
            count: bits(p.count_bits()),
            none: bits(1),
            all: bits(1),
            saturated: bits(1),
        }),
    }
}
