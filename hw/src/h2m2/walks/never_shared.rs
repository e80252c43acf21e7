//! Walks for nobody, until a miss shares them: how long those that no miss comes to share are kept.

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
