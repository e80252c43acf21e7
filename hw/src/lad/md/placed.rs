//! What goes from the intervals to the rows of counters.

use super::super::apid_types::MODE_BITS;
use super::super::interval_search::X_BITS;
use super::super::md_types::MdParams;
use hdl::*;

/// A position, and the interval that it is in.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Placed {
    pub(super) position: Signal,
    pub(super) mode: Signal,
    pub(super) interval: Signal,
    pub(super) x: Signal,
    /// The interval is not the mode.
    pub(super) outside: Signal,
    /// There is such a position.
    pub(super) there: Signal,
    pub(super) last: Signal,
}

pub(super) fn placed(p: MdParams) -> Placed {
    Placed {
        position: bits(p.position_bits()),
        mode: bits(MODE_BITS),
        interval: bits(MODE_BITS),
        x: bits(X_BITS),
        outside: bits(1),
        there: bits(1),
        last: bits(1),
    }
}
