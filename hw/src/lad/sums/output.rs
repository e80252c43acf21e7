//! The output of a job and its report.

use super::super::sum_types::*;
use super::quotient::{Dividend, Reciprocal, dividend, quotient, quotients};
use super::total::Job;
use hdl::*;

/// Where an output is.
#[derive(Clone, Copy, State)]
enum Phase {
    /// There is none.
    Idle,
    /// The denominator is on its way to its leading bits.
    Denominator,
    /// Its reciprocal is made.
    Reciprocal,
    /// Elements are read.
    Elements,
    /// They are on their way.
    Rest,
    /// The report waits.
    Report,
}

/// Makes outputs.
pub(super) struct Output {
    phase: StateSignal<Phase>,
    /// The beat of the element that is read; none if there is one only.
    pub(super) beat: Option<Signal>,
    lane: Signal,
}

impl Output {
    #[module]
    pub(super) fn new(m: Module, p: SumsParams) -> Output {
        m.section("outputs");
        let phase = m.state(Phase::Idle);
        let beat = p.beat_bits().map(|width| m.reg_reset(bits(width), 0).comment("of the element that is read"));
        let lane = m.reg_reset(bits(clog2(p.lanes as usize)), 0);
        Output { phase, beat, lane }
    }

    /// `sums` are the last ones of the beat that is read; `over`, that one of the job does not fit; `ended`, that its sums are all there.
    #[module]
    pub(super) fn make(
        &self,
        m: Module,
        job: Job,
        sums: Vector<Signal>,
        (over, ended): (Signal, Signal),
        io: &SumsPorts,
        p: SumsParams,
    ) {
        m.section("is there an output?");
        let phase = self.phase;
        let signs = job.denominator.drop_low(SUM_BITS - 1);
        let over = over | (signs.any() & !signs.all());
        let positive = !job.denominator.msb() & job.denominator.any();
        let cause = |cause| m.lit_state(cause);
        let of_denominator = positive.mux(cause(SumCause::Done), cause(SumCause::Denominator));
        let of_sums = over.mux(cause(SumCause::Sum), of_denominator);
        let of_values = job.fault.there.mux(cause(SumCause::NotFinite), of_sums);
        let cause = m.reg(state::<SumCause>());
        m.when(phase.is(Phase::Idle), || cause.set(job.many.mux(m.lit_state(SumCause::Positions), of_values)));
        let decided = m.reg_reset(bits(1), 0).comment("the cause is there");
        decided.set(ended);

        let reciprocal = Reciprocal::new(m);
        let sent = m.reg_reset(bits(1), 0).comment("the denominator is on its way");
        reciprocal.step(m, phase.is(Phase::Reciprocal));
        let asks = phase.is(Phase::Denominator) & !sent;
        let dividends = m.wire(stream(dividend()));
        dividends.valid.set(asks | phase.is(Phase::Elements));
        let element = sums.at(self.lane);
        dividends
            .payload
            .set(Dividend { sum: asks.mux(job.denominator.trunc(SUM_BITS), element), is_denominator: asks });
        let results = m.wire(stream(quotient()));
        let (leading, known) = quotients(m, dividends, &reciprocal, results);
        m.when(known, || reciprocal.begin(leading));

        m.section("elements, one a cycle");
        let of_lane = self.lane.eq(p.lanes - 1);
        let reads = dividends.transfer() & phase.is(Phase::Elements);
        let next = reads & of_lane;
        m.when(reads, || self.lane.set(of_lane.mux(self.lane.zeros(self.lane.width()), self.lane + 1)));
        let of_beat = self.beat.map_or(m.lit(1u32, 1), |beat| beat.eq(p.beats() - 1));
        if let Some(beat) = self.beat {
            m.when(next, || beat.set(of_beat.mux(beat.zeros(beat.width()), beat + 1)));
        }
        let ends = give(m, results, io.m, p);

        m.section("from phase to phase");
        m.switch(phase, |s| {
            s.case(Phase::Idle, || {
                m.when(decided, || {
                    phase.set(Phase::Report);
                    m.when(cause.is(SumCause::Done), || phase.set(Phase::Denominator));
                });
            });
            s.case(Phase::Denominator, || {
                m.when(dividends.transfer(), || sent.set(1));
                m.when(known, || {
                    sent.set(0);
                    phase.set(Phase::Reciprocal);
                });
            });
            s.case(Phase::Reciprocal, || m.when(reciprocal.is_last(), || phase.set(Phase::Elements)));
            s.case(Phase::Elements, || m.when(next & of_beat, || phase.set(Phase::Rest)));
            s.case(Phase::Rest, || m.when(ends, || phase.set(Phase::Report)));
            s.case(Phase::Report, || m.when(io.report.ready, || phase.set(Phase::Idle)));
        });

        m.section("the report");
        io.report.valid.set(phase.is(Phase::Report));
        let (position, element) = (job.fault.position, job.fault.element);
        io.report.payload.set(SumReport { cause, position, element });
    }
}

/// Gathers elements to beats. Says when the last one is taken.
#[module]
fn give(m: Module, results: Stream<super::quotient::Quotient>, to: Stream<OutputBeat>, p: SumsParams) -> Signal {
    m.section("beats of the output");
    let beat = m.reg(bits(16 * p.lanes)).comment("elements, the latest one in the high bits");
    let whole = m.reg_reset(bits(1), 0).comment("it is full");
    let count = m.reg_reset(bits(clog2(p.lanes as usize)), 0).comment("elements of it");
    results.ready.set(!whole | to.ready);
    let comes = results.transfer() & !results.payload.is_denominator;
    let full = count.eq(p.lanes - 1);
    m.when(to.transfer(), || whole.set(0));
    m.when(comes, || {
        beat.set(results.payload.half.cat(beat.drop_low(16)));
        count.set(full.mux(count.zeros(count.width()), count + 1));
        m.when(full, || whole.set(1));
    });
    let last = match p.beat_bits() {
        None => m.lit(1u32, 1),
        Some(width) => {
            let number = m.reg_reset(bits(width), 0).comment("beats that were taken");
            let last = number.eq(p.beats() - 1);
            m.when(to.transfer(), || number.set(last.mux(number.zeros(width), number + 1)));
            last
        }
    };
    to.valid.set(whole);
    to.payload.set(OutputBeat { data: beat, last });
    to.transfer() & last
}
