//! What goes in and out of MD.

use super::apid_types::{ActiveBeat, ApidParams, BoundWrite, MAX_POSITIONS, MODE_BITS, ScoreWrite, active_beat};
use super::interval_search::{INTERVALS, X_BITS};
use super::row_count::COUNTER_BITS;
use super::score_types::SCORE_BITS;
use hdl::*;
use std::ops::RangeInclusive;

/// How many positions may change their mode in a step.
pub const CHANGES: RangeInclusive<u32> = 1..=64;
/// How many scores, and how many rows, may be asked for and not there yet.
pub const OUTSTANDING: RangeInclusive<u32> = 2..=64;
/// Bits of a number of changes.
pub const CHANGE_BITS: u32 = 7;
/// Bits of a period.
pub const PERIOD_BITS: u32 = 5;

/// The parameters of MD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MdParams {
    /// Intervals with interval 0, 4 to 16.
    pub intervals: u32,
    /// The most positions, 16 to [`MAX_POSITIONS`].
    pub max_positions: u32,
    /// The most positions that change their mode in a step, 1 to 64.
    pub max_changes: u32,
    /// Scores, and rows, that are asked for before the first one is there: 2 to 64.
    pub outstanding: u32,
}

impl MdParams {
    /// What comes from APID: a position in a cycle.
    pub(super) fn list(self) -> ApidParams {
        ApidParams { lanes: 1, max_positions: self.max_positions }
    }
    /// Bits of a position.
    pub fn position_bits(self) -> u32 {
        self.list().position_bits()
    }
    /// Bits of a number of positions.
    pub fn count_bits(self) -> u32 {
        self.list().count_bits()
    }
    /// Bits of a row.
    pub fn row_bits(self) -> u32 {
        COUNTER_BITS * self.intervals
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let MdParams { intervals, max_positions, max_changes, outstanding } = self;
        let (what, help) = match () {
            _ if !INTERVALS.contains(&intervals) => (
                format!("intervals = {intervals} is out of range"),
                "from 4 to 16: a mode has 4 bits, and fewer lines are too coarse",
            ),
            _ if !(16..=MAX_POSITIONS).contains(&max_positions) => (
                format!("max_positions = {max_positions} is out of range"),
                "from 16 to 65535: the latest 16 are no matter of MD, and a counter has 16 bits",
            ),
            _ if !CHANGES.contains(&max_changes) => (
                format!("max_changes = {max_changes} is out of range"),
                "from 1 to 64: each is an update of the caches, and without any no mode would change",
            ),
            _ if !OUTSTANDING.contains(&outstanding) => {
                (format!("outstanding = {outstanding} is out of range"), "from 2 to 64: they wait in LUT RAM")
            }
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// A pass.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct MdCommand {
    /// Positions with the new one: the age of a position is this less its number.
    pub positions: Signal,
    /// The maximum of the accurate scores so far.
    pub maximum: Signal,
    /// Modes change if `positions` is a multiple of it: 1, 2, 4, 8 or 16.
    pub period: Signal,
}

/// The score of a key that was asked for.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct KeyScore {
    /// Two's complement, 16 places behind the point.
    pub score: Signal,
    /// It had to be limited.
    pub saturated: Signal,
    /// There is none: an element of the key or the query is infinite or NaN.
    pub faulty: Signal,
}

/// A row of counters that changed.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct RowWrite {
    /// Of which position.
    pub position: Signal,
    /// The counters, 16 bits each, that of interval 0 in the low bits.
    pub row: Signal,
    /// The mode of the position from now on.
    pub mode: Signal,
    /// It is another one than before.
    pub changed: Signal,
}

/// An active position, and the interval that it is in.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Discrepancy {
    /// Which.
    pub position: Signal,
    /// Its mode before the step.
    pub mode: Signal,
    /// The interval of its accurate score; the mode, if its estimate was wrong.
    pub interval: Signal,
    /// The accurate score less the maximum: two's complement, 16 places behind the point, never positive.
    pub x: Signal,
    /// The interval is its mode from now on.
    pub changed: Signal,
    /// There is such a position; else the list is empty.
    pub keep: Signal,
    /// It is the last one.
    pub last: Signal,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, State)]
pub enum MdCause {
    /// It was the last one: the list came, and intervals were counted.
    Done,
    /// A score is above the maximum: APID has to begin again with that of the report. Nothing was counted.
    Repeat,
    /// The positions of the list did not rise. Nothing was counted.
    Order,
    /// A score was none. Nothing was counted.
    NotFinite,
    /// A row does not fit its position: its counters are more than the position's age, or there is no such mode. It was not counted, others were.
    Inconsistent,
}

/// What happened in a pass.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct MdReport {
    /// How it ended.
    pub cause: StateSignal<MdCause>,
    /// The maximum: that of the command, or a higher score.
    pub maximum: Signal,
    /// A score that was asked for had to be limited.
    pub saturated: Signal,
    /// Active positions.
    pub active: Signal,
    /// Those of them whose keys were asked for.
    pub asked: Signal,
    /// Those outside of their mode, whose interval was counted.
    pub outside: Signal,
    /// Those whose mode changed.
    pub changed: Signal,
    /// Those whose mode would have changed, had there been room or been a step for changes.
    pub postponed: Signal,
}

fn score_write(p: MdParams) -> ScoreWrite {
    ScoreWrite { position: bits(p.position_bits()), score: bits(SCORE_BITS) }
}

pub(super) fn discrepancy(p: MdParams) -> Discrepancy {
    Discrepancy {
        position: bits(p.position_bits()),
        mode: bits(MODE_BITS),
        interval: bits(MODE_BITS),
        x: bits(X_BITS),
        changed: bits(1),
        keep: bits(1),
        last: bits(1),
    }
}

pub(super) fn key_score() -> KeyScore {
    KeyScore { score: bits(SCORE_BITS), saturated: bits(1), faulty: bits(1) }
}

pub(super) fn report(p: MdParams) -> MdReport {
    let count = || bits(p.count_bits());
    MdReport {
        cause: state(),
        maximum: bits(SCORE_BITS),
        saturated: bits(1),
        active: count(),
        asked: count(),
        outside: count(),
        changed: bits(CHANGE_BITS),
        postponed: count(),
    }
}

ports! {
    /// Ports of MD.
    pub struct MdPorts(p: MdParams) {
        /// Lower bounds of the intervals from 1 on; those of others are not looked at.
        input bound: Stream<BoundWrite> = stream(BoundWrite { interval: bits(MODE_BITS + 1), bound: bits(SCORE_BITS) }),
        /// Passes.
        input command: Stream<MdCommand> = stream(MdCommand {
            positions: bits(p.count_bits()),
            maximum: bits(SCORE_BITS),
            period: bits(PERIOD_BITS),
        }),
        /// The list of active positions, as APID gives it.
        input s: Stream<ActiveBeat> = stream(active_beat(p.list())),
        /// Positions whose accurate score is asked for: it is there already.
        output look_up: Stream = stream(bits(p.position_bits())),
        /// Their scores, in order.
        input known: Stream = stream(bits(SCORE_BITS)),
        /// Positions whose key is asked for.
        output fetch: Stream = stream(bits(p.position_bits())),
        /// The scores of these keys, in order.
        input score: Stream<KeyScore> = stream(key_score()),
        /// Scores that became accurate, for a pass to come.
        output found: Stream<ScoreWrite> = stream(score_write(p)),
        /// Positions whose row of counters is asked for.
        output row_read: Stream = stream(bits(p.position_bits())),
        /// Their rows, in order.
        input row: Stream = stream(bits(p.row_bits())),
        /// Rows that changed.
        output row_write: Stream<RowWrite> = stream(RowWrite {
            position: bits(p.position_bits()),
            row: bits(p.row_bits()),
            mode: bits(MODE_BITS),
            changed: bits(1),
        }),
        /// The active positions with their intervals.
        output m: Stream<Discrepancy> = stream(discrepancy(p)),
        /// How a pass ended, behind all else.
        output report: Stream<MdReport> = stream(report(p)),
    }
}
