//! Keeps the first index without an entry until it is told. Built into the module that calls.

use super::cache_types::{AccessCause, AccessFault};
use hdl::logic::first_one;
use hdl::*;

/// A beat with an index without an entry.
#[derive(Clone, Copy)]
pub struct Faulty {
    /// There is one in this cycle.
    pub comes: Signal,
    /// A bit for each lane.
    pub wrong: Signal,
    /// There is no book.
    pub no_book: Signal,
    /// The number of the beat.
    pub beat: Signal,
}

/// Tells of a fault; those that come while it waits are dropped.
#[module]
pub fn tell_fault(m: Module, faulty: Faulty, to: Stream<AccessFault>) {
    let Faulty { comes, wrong, no_book, beat } = faulty;
    let lane = first_one(wrong).index;
    let valid = m.reg_reset(bits(1), 0);
    let kept_beat = m.reg(bits(beat.width()));
    let kept_lane = m.reg(bits(lane.width()));
    let cause = m.reg(state::<AccessCause>());
    let free = !valid | to.ready;
    m.when(free, || valid.set(comes));
    m.when(free & comes, || {
        cause.set(no_book.mux(m.lit_state(AccessCause::Book), m.lit_state(AccessCause::Index)));
        kept_beat.set(beat);
        kept_lane.set(lane);
    });
    to.valid.set(valid);
    to.payload.set(AccessFault { cause, beat: kept_beat, lane: kept_lane });
}
