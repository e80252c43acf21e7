//! The last pass of a step: its positions are read from the ring, in which intervals their scores are, and what the report says of it.

use super::super::interval_search::interval_search;
use super::super::md_types::*;
use super::super::score_types::SCORE_BITS;
use super::collect::{Collected, collected};
use super::placed::{Placed, placed};
use super::ring::{Ring, Scored};
use super::rows::Counted;
use hdl::*;

/// Where a pass is.
#[derive(Clone, Copy, State)]
enum Phase {
    /// There is none.
    Idle,
    /// Positions are read.
    Positions,
    /// Their rows are on their way.
    Rows,
    /// The report waits.
    Report,
}

/// A place of the ring that is read.
#[derive(Clone, Copy, Bundle)]
struct Place {
    place: Signal,
    there: Signal,
    last: Signal,
}

/// The bounds of the intervals from 1 on.
#[module]
pub(super) fn bounds(
    m: Module,
    bound: Stream<super::super::apid_types::BoundWrite>,
    idle: Signal,
    p: MdParams,
) -> Vector<Signal> {
    m.section("bounds of the intervals");
    bound.ready.set(idle);
    let bounds = m.reg(vector(bits(SCORE_BITS), p.intervals as usize - 1));
    for (interval, lowest) in (1..p.intervals).zip(bounds.iter()) {
        let written = bound.transfer() & bound.payload.interval.eq(interval);
        m.when(written, || lowest.set(bound.payload.bound));
    }
    bounds
}

/// The pass that is listed.
pub(super) struct List {
    phase: StateSignal<Phase>,
    pub(super) pass: Collected,
    outside: Signal,
    changed: Signal,
    postponed: Signal,
    inconsistent: Signal,
}

impl List {
    #[module]
    pub(super) fn new(m: Module, collected_pass: Stream<Collected>, p: MdParams) -> List {
        m.section("the pass whose intervals are counted");
        let phase = m.state(Phase::Idle);
        let pass = m.reg(collected(p));
        let outside = m.reg(bits(p.count_bits())).comment("positions that were counted");
        let changed = m.reg(bits(CHANGE_BITS)).comment("modes that changed");
        let postponed = m.reg(bits(p.count_bits())).comment("modes that would have");
        let inconsistent = m.reg(bits(1)).comment("a row did not fit its position");
        collected_pass.ready.set(phase.is(Phase::Idle));
        m.when(collected_pass.transfer(), || {
            pass.set(collected_pass.payload);
            [outside, changed, postponed, inconsistent].into_iter().for_each(|of_pass| of_pass.set(0));
            phase.set(Phase::Report);
            m.when(collected_pass.payload.cause.is(MdCause::Done), || phase.set(Phase::Positions));
        });
        List { phase, pass, outside, changed, postponed, inconsistent }
    }

    /// There is no pass.
    pub(super) fn idle(&self) -> Signal {
        self.phase.is(Phase::Idle)
    }

    /// Positions with their intervals. A pass without any has one that is not there, which ends its list.
    #[module]
    pub(super) fn place(
        &self,
        m: Module,
        ring: &Ring,
        bounds: Vector<Signal>,
        p: MdParams,
    ) -> Result<Stream<Placed>, Errors> {
        m.section("positions of the pass, and their intervals");
        let places = m.wire(stream(Place { place: bits(p.position_bits() + 1), there: bits(1), last: bits(1) }));
        let oldest = ring.oldest();
        let none = oldest.eq(self.pass.end);
        let last = none | (oldest + 1).eq(self.pass.end);
        places.valid.set(self.phase.is(Phase::Positions));
        places.payload.set(Place { place: oldest, there: !none, last });
        ring.free(m, places.transfer() & !none);
        m.when(places.transfer() & last, || self.phase.set(Phase::Rows));
        let (pipeline, read) = m.pipeline_stream("places", places, Elastic { collapse: false, flush: None });
        let word = ring.read(read.place);
        let (there, last) = (read.there, read.last).meet(word);
        // where there is none, nothing might have been written yet
        let Scored { position, mode, x } = word.map(&mut |_, _, field| field & there.repeat(field.width())).next();
        let unit = m.instance(&interval_search(p.intervals)?);
        unit.x.set(x);
        unit.bounds.set(pipeline.constant(bounds));
        let interval = unit.interval;
        let (position, mode, x, there, last) = (position, mode, x, there, last).meet(interval);
        let outside = there & interval.ne(mode);
        let to = m.wire(stream(placed(p)));
        pipeline.leave_stream(Placed { position, mode, interval, x, outside, there, last }.next(), to);
        Ok(to)
    }

    /// Notes what was counted.
    #[module]
    pub(super) fn note(&self, m: Module, counted: Stream<Counted>) {
        let Counted { placed, writes, changed, postponed, bad, .. } = counted.payload;
        m.when(counted.transfer(), || {
            self.outside.set(self.outside + writes.zext(self.outside.width()));
            self.changed.set(self.changed + changed.zext(CHANGE_BITS));
            self.postponed.set(self.postponed + postponed.zext(self.postponed.width()));
            m.when(bad, || self.inconsistent.set(1));
            m.when(placed.last, || self.phase.set(Phase::Report));
        });
    }

    /// Reports.
    #[module]
    pub(super) fn end(&self, m: Module, report: Stream<MdReport>) {
        m.section("the report");
        m.when(report.transfer(), || self.phase.set(Phase::Idle));
        report.valid.set(self.phase.is(Phase::Report));
        let Collected { cause, maximum, saturated, active, asked, .. } = self.pass;
        report.payload.set(MdReport {
            cause: self.inconsistent.mux(m.lit_state(MdCause::Inconsistent), cause),
            maximum,
            saturated,
            active,
            asked,
            outside: self.outside,
            changed: self.changed,
            postponed: self.postponed,
        });
    }
}
