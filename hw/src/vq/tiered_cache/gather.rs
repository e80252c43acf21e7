//! Beats as they leave: what was looked up on the chip, and what came from memory.

use super::super::cache_types::*;
use super::super::tiered_types::*;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// How far the beat that leaves next is.
#[derive(Clone, Copy)]
struct Steps {
    /// It comes, with what is on the chip.
    begins: Signal,
    /// An answer of memory comes for it, maybe in the same cycle.
    comes: Signal,
    /// With this cycle all is there.
    completes: Signal,
}

/// Fills each beat with what comes from memory, and sends it when all is there.
#[module]
pub(super) fn gather(
    m: Module,
    s: Stream<Near>,
    answers: Stream<Answer>,
    to: Stream<Entries>,
    fault: Stream<TieredFault>,
    p: TieredParams,
) -> Result<(), Errors> {
    m.section("beats leave");
    let open = m.reg_reset(bits(1), 0).comment("a beat waits for memory");
    let valid = m.reg_reset(bits(1), 0).comment("a beat is complete");
    let free = !open & (!valid | to.ready);
    let (near, answer) = (s.payload, answers.payload);
    let begins = s.valid & free;
    let takes = open | (begins & near.cold);
    let comes = answers.valid & takes;
    let closes = comes & answer.last & answer.ends();
    let completes = closes | (begins & !near.cold);
    s.ready.set(free);
    answers.ready.set(takes);
    open.set(takes & !closes);
    valid.set(completes | (valid & !to.ready));
    to.valid.set(valid);
    let steps = Steps { begins, comes, completes };
    to.payload.set(fill(m, near, answer, steps, p));
    fault.set(tell(m, near, answer, steps, p)?);
    Ok(())
}

/// The beat, in registers.
#[module]
fn fill(m: Module, near: Near, answer: Answer, steps: Steps, p: TieredParams) -> Entries {
    let filled = m.reg(entries(p.cache));
    m.when(steps.begins, || filled.set(near.entries));
    let spoils = match answer.part {
        None => answer.bad,
        Some(_) => {
            let spoilt = m.reg_reset(bits(1), 0).comment("an earlier word of the entry was bad");
            m.when(steps.comes, || spoilt.set((spoilt | answer.bad) & !answer.ends()));
            spoilt | answer.bad
        }
    };
    for lane in 0..p.cache.lanes {
        let here = steps.comes & answer.lane.eq(lane);
        let entry = filled.entry[lane as usize];
        let width = p.piece_bits();
        for part in 0..p.entry_words() {
            let mine = answer.part.map_or(here, |x| here & x.eq(part));
            m.when(mine, || entry.bits(width * (part + 1) - 1, width * part).set(answer.piece));
        }
        m.when(here & spoils, || {
            entry.set(0); // that is a reset of its flip-flops
            filled.wrong.bit(lane).set(1);
        });
    }
    filled
}

/// Tells of a beat when it is complete: of an index without an entry, or else of the first entry that memory did not give.
#[module]
fn tell(m: Module, near: Near, answer: Answer, steps: Steps, p: TieredParams) -> Result<Stream<TieredFault>, Errors> {
    let faulty = m.reg_reset(bits(1), 0).comment("the beat has an index without an entry");
    let cause = m.reg(state::<TieredCause>());
    let lane = m.reg(bits(p.cache.lane_bits()));
    let known = steps.begins.mux(near.faulty, faulty);
    m.when(steps.begins, || {
        faulty.set(near.faulty);
        cause.set(near.no_book.mux(m.lit_state(TieredCause::Book), m.lit_state(TieredCause::Index)));
        lane.set(near.lane);
    });
    m.when(steps.comes & answer.bad & !known, || {
        faulty.set(true);
        cause.set(answer.failed.mux(m.lit_state(TieredCause::Bus), m.lit_state(TieredCause::Number)));
        lane.set(answer.lane);
    });
    let complete = m.reg_reset(bits(1), 0).comment("in the cycle before, a beat was complete");
    complete.set(steps.completes);
    let beat = m.reg_reset(bits(BEAT_BITS), 0).comment("the number of the beat");
    m.when(complete, || beat.set(beat + 1));
    let told = m.wire(stream(tiered_fault(p)));
    told.valid.set(complete & faulty);
    told.payload.set(TieredFault { cause, beat, lane });
    register_slice_forward_after(m, told) // it takes nothing while a fault waits
}
