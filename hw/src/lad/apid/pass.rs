//! A pass: which positions are taken, what was found, and when it ends.

use super::super::apid_types::*;
use super::super::score_types::SCORE_BITS;
use hdl::logic::popcount;
use hdl::*;

/// Where a pass is.
#[derive(Clone, Copy, State)]
enum Phase {
    /// There is none.
    Idle,
    /// Positions are taken.
    Positions,
    /// The list is on its way.
    List,
    /// The report waits.
    Report,
}

/// A pass.
pub(super) struct Pass {
    phase: StateSignal<Phase>,
    positions: Signal,
    pub(super) maximum: Signal,
    pub(super) large_from: Signal,
    /// Positions that are not taken yet.
    left: Signal,
    /// The next one.
    next: Signal,
    /// What was found.
    count: Signal,
    saturated: Signal,
}

/// Positions that were taken.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Taken {
    /// Of the first lane; the others follow. Without its low bits, which count lanes, where their number is a power of two.
    first: Signal,
    /// One bit for each lane: there is such a position.
    pub(super) there: Signal,
    pub(super) records: Records,
    /// They are the last ones.
    pub(super) last: Signal,
}

impl Taken {
    /// The position of a lane.
    pub(super) fn position(&self, lane: usize) -> Signal {
        let lanes = self.there.width();
        match lanes.ilog2() {
            0 => self.first,
            low if lanes.is_power_of_two() => self.first.cat(self.first.lit(lane as u32, low)),
            _ if lane == 0 => self.first,
            _ => self.first + lane,
        }
    }
}

/// Bits of the number of a lane that are those of its position.
fn low_bits(p: ApidParams) -> u32 {
    if p.lanes.is_power_of_two() { p.lanes.ilog2() } else { 0 }
}

impl Pass {
    #[module]
    pub(super) fn new(m: Module, command: Stream<ApidCommand>, p: ApidParams) -> Pass {
        m.section("a pass");
        let phase = m.state(Phase::Idle);
        let positions = m.reg(bits(p.count_bits()));
        let maximum = m.reg(bits(SCORE_BITS));
        let large_from = m.reg(bits(MODE_BITS + 1));
        let left = m.reg(bits(p.count_bits())).comment("positions that are not taken yet");
        let next = m.reg(bits(p.position_bits() - low_bits(p))).comment("the next one");
        let count = m.reg(bits(p.count_bits())).comment("active positions so far");
        let saturated = m.reg(bits(1)).comment("an estimate had to be limited");
        command.ready.set(phase.is(Phase::Idle));
        m.when(command.transfer(), || {
            phase.set(Phase::Positions);
            positions.set(command.payload.positions);
            maximum.set(command.payload.maximum);
            large_from.set(command.payload.large_from);
            left.set(command.payload.positions);
            next.set(0);
            count.set(0);
            saturated.set(0);
        });
        Pass { phase, positions, maximum, large_from, left, next, count, saturated }
    }

    /// There is no pass.
    pub(super) fn idle(&self) -> Signal {
        self.phase.is(Phase::Idle)
    }

    /// Positions with their numbers. A pass without any has a beat all the same, which ends its list.
    #[module]
    pub(super) fn take(&self, m: Module, records: Stream<Records>, p: ApidParams) -> Stream<Taken> {
        let taken = m.wire(stream(taken(p)));
        let takes = self.phase.is(Phase::Positions);
        let none = !self.left.any();
        let last = self.left.le(p.lanes);
        let there = Vector::of((0..p.lanes).map(|lane| self.left.gt(lane))).pack();
        taken.valid.set(takes & (records.valid | none));
        taken.payload.set(Taken { first: self.next, there, records: records.payload, last });
        records.ready.set(takes & !none & taken.ready);
        m.when(taken.transfer(), || {
            self.left.set(self.left - p.lanes);
            self.next.set(self.next + (p.lanes >> low_bits(p)));
            m.when(last, || self.phase.set(Phase::List));
        });
        taken
    }

    /// Counts what is listed, and notes that an estimate was limited.
    #[module]
    pub(super) fn count(&self, m: Module, (saturated, list): (Signal, Stream<ActiveBeat>)) {
        let more = popcount(list.payload.keep).zext(self.count.width());
        m.when(list.transfer(), || self.count.set(self.count + more));
        m.when(saturated, || self.saturated.set(1));
    }

    /// The list has ended: reports.
    #[module]
    pub(super) fn end(&self, m: Module, list_ends: Signal, report: Stream<ApidReport>) {
        m.section("the report");
        m.when(list_ends, || self.phase.set(Phase::Report));
        m.when(report.transfer(), || self.phase.set(Phase::Idle));
        report.valid.set(self.phase.is(Phase::Report));
        let (none, all) = (!self.count.any(), self.count.eq(self.positions));
        report.payload.set(ApidReport { count: self.count, none, all, saturated: self.saturated });
    }
}

fn taken(p: ApidParams) -> Taken {
    Taken { first: bits(p.position_bits() - low_bits(p)), there: bits(p.lanes), records: records(p), last: bits(1) }
}
