//! What resets at once changes once at a clock edge. Logic may be 1 for a moment while its inputs change: in hardware, and in simulators
//! that work with events.

use super::reset_sources::{behind, resets};
use crate::ir::*;
use std::collections::HashSet;

pub(super) fn check(b: &mut Draft) {
    let mut seen = HashSet::new();
    for reset in resets(&b.def) {
        let logic = behind(&b.def, reset, &mut vec![]);
        let Some(logic) = logic.filter(|_| seen.insert(reset.id)) else { continue };
        let message = format!("{} is a reset, and comes out of logic", b.describe(reset.id));
        let notes = vec![(b.node(logic).loc, "it may be 1 for a moment while its inputs change")];
        let help = "a reset is a port or a register, the complement or a bit of one, or an OR of these: give the logic a register, with \
                    `reg_reset`";
        b.error(assigned(b, reset.id), message, notes, Some(help.into()));
    }
}

/// Where the user gave the reset: a pin has the place of its assignment.
fn assigned(b: &Draft, reset: Id) -> Loc {
    let set = b.set_at.iter().filter(|((target, _), _)| *target == reset).map(|(_, loc)| *loc).min();
    set.unwrap_or(b.node(reset).loc)
}
