//! An asynchronous reset has no glitches. Logic may be 1 for a moment while its inputs change: in hardware, and in simulators that work
//! with events. There, so may a register of an instance that is assigned more than once, or is reset asynchronously itself.

use super::reset_sources::{behind, resets};
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;

pub(super) fn check(b: &mut Draft) {
    let mut seen = HashSet::default();
    for reset in resets(&b.def) {
        let logic = behind(&b.def, reset, &mut vec![]);
        let Some(logic) = logic.filter(|_| seen.insert(reset.id)) else { continue };
        let message = format!("{} is an asynchronous reset, and may glitch", b.describe(reset.id));
        let of_instance = matches!(b.node(logic).op, Op::Net(Net::PinOut(_)));
        let (why, help) = if of_instance { OF_INSTANCE } else { LOGIC };
        let notes = vec![(b.node(logic).loc, why)];
        b.error(b.first_assigned_at(reset.id), message, notes, Some(help.into()));
    }
}

const LOGIC: (&str, &str) = (
    "it comes out of this logic",
    "a reset is a port or a register, the complement or a bit of one, or an OR of these: give it a register of its own; one that resets \
     its own clock has no reset (`reg`)",
);

const OF_INSTANCE: (&str, &str) = (
    "in the instance it comes out of logic, or of a register that is assigned more than once, or reset to a value with which it does not \
     reset",
    "in the instance, assign the register once, from a `let` or a wire with its next value (`let next = c.mux(x, r); r.set(next);`), and \
     reset it to a value with which it resets; or take its output into a register here",
);
