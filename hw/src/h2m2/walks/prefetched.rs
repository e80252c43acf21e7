//! Walks that a prefetch began: how long one is kept after its end for a miss that may still share it.

use hdl::*;

/// Cycles that a walk for nobody is kept after it is over. Its entry is written one or two cycles after its end, and a lookup that did not see it
/// is compared with walks up to five cycles after that.
const LINGERS: u32 = 7;

/// Flags of walks that nobody asked for, and which of them are over for so long that they are free.
#[module]
pub fn never_shared(m: Module, ended: Signal) -> (Signal, Signal) {
    let alone = m.reg_reset(ended, 0).comment("nobody asked for this walk");
    // a walk that a miss came to share is not alone for a cycle at least, and forgotten here
    let free = (0..LINGERS).fold(alone & ended, |before, _| {
        let lingers = m.reg_reset(ended, 0);
        lingers.set(before);
        lingers & alone
    });
    (alone, free)
}
