//! What is taken in front of the lanes: jobs, starts, positions with their values; and what is known of a job beside its numerator.

use super::super::score_types::ELEMENT_BITS;
use super::super::sum_types::*;
use super::lane::{LaneRead, LaneWrite};
use hdl::logic::first_one;
use hdl::*;

/// Where a job is.
#[derive(Clone, Copy, State)]
enum Phase {
    /// There is none.
    Idle,
    /// Its start is taken.
    Start,
    /// Its positions are taken.
    Positions,
}

/// A job whose positions all came, without its numerator.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Job {
    pub(super) denominator: Signal,
    /// There were too many positions.
    pub(super) many: Signal,
    pub(super) fault: BadElement,
}

/// The first element that is infinite or NaN.
#[derive(Clone, Copy, Bundle)]
pub(super) struct BadElement {
    pub(super) there: Signal,
    pub(super) position: Signal,
    pub(super) element: Signal,
}

fn bad_element(p: SumsParams) -> BadElement {
    BadElement { there: bits(1), position: bits(p.count_bits()), element: bits(ELEMENT_BITS) }
}

/// A beat on its way to the lanes.
#[derive(Clone, Copy)]
struct Item {
    beat: Option<Signal>,
    /// It is of the first terms.
    first: Signal,
    there: Signal,
    /// It is of the last terms.
    gives: Signal,
    /// It is the last one of its job.
    ends: Signal,
}

impl Item {
    /// A cycle later.
    #[module]
    fn next(self, m: Module) -> Item {
        let valid = |x: Signal| {
            let later = m.reg_reset(bits(1), 0);
            later.set(x);
            later
        };
        let (there, gives, ends) = (valid(self.there), valid(self.gives), valid(self.ends));
        let beat = self.beat.map(|beat| delayed(m, beat));
        Item { beat, first: delayed(m, self.first), there, gives, ends }
    }
}

/// A cycle later.
#[module]
fn delayed(m: Module, x: Signal) -> Signal {
    let later = m.reg(bits(x.width()));
    later.set(x);
    later
}

/// The front of the lanes.
pub(super) struct Total {
    /// The coefficient, a cycle after its beat was taken.
    pub(super) magnitude: Signal,
    pub(super) negative: Signal,
    /// A beat of a start is taken.
    pub(super) starts: Signal,
    /// Three and four cycles after a beat was taken.
    pub(super) read: LaneRead,
    pub(super) write: LaneWrite,
    /// Five cycles after a beat was taken: it was of the last terms, it was the last one.
    pub(super) gave: Signal,
    pub(super) ended: Signal,
    /// The job whose output is made.
    pub(super) job: Job,
}

impl Total {
    /// Takes what comes. `done`: the report of the job whose output is made is taken.
    #[module]
    pub(super) fn take(m: Module, io: &SumsPorts, done: Signal, p: SumsParams) -> Total {
        m.section("jobs, and the beats of starts and values");
        let phase = m.state(Phase::Idle);
        let fresh = m.reg_reset(bits(1), 0).comment("no term of the job was taken");
        let claimed = m.reg_reset(bits(1), 0).comment("the room for the last sums is taken");
        let beat = p.beat_bits().map(|width| m.reg_reset(bits(width), 0).comment("of a start or a value"));
        let one = m.lit(1u32, 1);
        let (begins, completes) = beat.map_or((one, one), |beat| (!beat.any(), beat.eq(p.beats() - 1)));
        let Coefficient { coefficient, keep, last } = io.s.payload;
        let waits = begins & last & claimed;
        let may = phase.is(Phase::Positions) & io.s.valid & !waits;
        let takes = may & (io.value.valid | !keep);
        io.value.ready.set(may & keep);
        io.s.ready.set(takes & completes);
        let ends = takes & completes & last;
        let item = Item { beat, first: fresh, there: takes, gives: takes & last, ends };
        let one_on = item.next(m);
        let two_on = one_on.next(m);
        // a start goes past the multipliers, so nothing may be in them
        io.start.ready.set(phase.is(Phase::Start) & !one_on.there & !two_on.there);
        let starts = io.start.transfer();
        let started = starts & completes;
        io.command.ready.set(phase.is(Phase::Idle));

        if let Some(beat) = beat {
            m.when(takes | starts, || beat.set(completes.mux(beat.zeros(beat.width()), beat + 1)));
        }
        m.when(io.command.transfer(), || {
            phase.set(io.command.payload.start.mux(m.lit_state(Phase::Start), m.lit_state(Phase::Positions)));
            fresh.set(1);
        });
        m.when(started, || phase.set(Phase::Positions));
        m.when(started | (takes & completes), || fresh.set(0));
        m.when(ends, || phase.set(Phase::Idle));
        m.when(takes & last, || claimed.set(1));
        m.when(done, || claimed.set(0));

        m.section("sign and magnitude of the coefficient");
        let sign = coefficient.msb();
        let magnitude = m.reg(bits(COEFFICIENT_BITS));
        let negative = m.reg(bits(1));
        let zeros = coefficient.zeros(COEFFICIENT_BITS);
        magnitude.set(sign.mux(zeros - coefficient, coefficient));
        negative.set(sign);
        m.when(!keep, || magnitude.set(0));

        let (count, many) = positions(m, (takes & keep, completes, ends, two_on.ends), p);
        let addend = m.reg_reset(bits(COEFFICIENT_BITS), 0).comment("what the denominator grows by");
        addend.set(coefficient);
        m.when(!(takes & begins & keep), || addend.set(0));
        let denominator = denominator(m, addend, (io.start.payload.denominator, started), two_on.ends, p);
        let fault = fault(m, (io.value.payload, takes & keep), (count, one_on.beat), two_on.ends, p);

        m.section("the job whose output is made");
        let job = m.reg(Job { denominator: bits(p.denominator_bits()), many: bits(1), fault: bad_element(p) });
        m.when(two_on.ends, || job.set(Job { denominator, many, fault }));

        m.section("beats on their way");
        let beat_then = two_on.beat.zip(beat).map(|(of_value, of_start)| starts.mux(of_start, of_value));
        let joined = Item { beat: beat_then, first: two_on.first | starts, there: two_on.there | starts, ..two_on };
        let three_on = joined.next(m);
        let four_on = three_on.next(m);
        let five_on = four_on.next(m);
        Total {
            magnitude,
            negative,
            starts,
            read: LaneRead { beat: three_on.beat, first: three_on.first },
            write: LaneWrite { beat: four_on.beat, there: four_on.there, gives: four_on.gives },
            gave: five_on.gives,
            ended: five_on.ends,
            job,
        }
    }
}

/// The number of a position, and whether there were more than there may be.
#[module]
fn positions(
    m: Module,
    (takes, completes, ends, clears): (Signal, Signal, Signal, Signal),
    p: SumsParams,
) -> (Signal, Signal) {
    m.section("the number of a position");
    let count = m.reg_reset(bits(p.count_bits()), 0).comment("positions before it");
    let many = m.reg_reset(bits(1), 0).comment("they are too many");
    let full = count.eq(p.max_positions);
    m.when(takes & completes & !full, || count.set(count + 1));
    m.when(ends, || count.set(0));
    m.when(clears, || many.set(0));
    m.when(takes & full, || many.set(1));
    (count, many)
}

/// The denominator. It is given, and is 0 again, two cycles after the last beat of a job: the next job has none before.
#[module]
fn denominator(m: Module, addend: Signal, (start, starts): (Signal, Signal), ends: Signal, p: SumsParams) -> Signal {
    m.section("the denominator");
    let width = p.denominator_bits();
    let denominator = m.reg_reset(bits(width), 0);
    denominator.set(denominator + addend.cat(addend.zeros(2)).sext(width));
    m.when(starts, || denominator.set(start.sext(width)));
    m.when(ends, || denominator.set(0));
    denominator
}

/// The first element of a job that is infinite or NaN. It is forgotten two cycles after the last beat of a job.
#[module]
fn fault(
    m: Module,
    (value, taken): (Signal, Signal),
    (count, beat): (Signal, Option<Signal>),
    ends: Signal,
    p: SumsParams,
) -> BadElement {
    m.section("elements that are infinite or NaN");
    let bad = m.reg_reset(bits(p.lanes), 0).comment("those of a beat");
    bad.set(Vector::of(value.lanes(16).into_iter().map(|x| x.bits(14, 10).all() & taken)).pack());
    let position = delayed(m, count);
    let first = first_one(bad);
    let base = |beat| Vector::of((0..p.beats()).map(|beat| m.lit(beat * p.lanes, ELEMENT_BITS))).at(beat);
    let within = first.index.zext(ELEMENT_BITS);
    let element = beat.map_or(within, |beat| base(beat) + within);
    let fault = m.reg_reset(bad_element(p), 0);
    m.when(first.any & !fault.there, || fault.set(BadElement { there: first.any, position, element }));
    m.when(ends, || fault.there.set(0));
    fault
}
