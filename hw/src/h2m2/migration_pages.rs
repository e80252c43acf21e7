//! Pages that the [control](super::migration_control) of the migration engine has under way: a ring of those that are copied, and one that was made
//! ready in vain.

use super::migration_params::{Migration, MigrationOutcome, MigrationParams, migration_shape};
use hdl::*;

/// Pages under way, at most.
pub(super) const RING: u32 = 4;
pub(super) const INDEX: u32 = RING.ilog2();

/// A page under way, and what its entries permit.
#[derive(Clone, Copy, Debug, Bundle)]
pub(super) struct Page {
    pub command: Migration,
    /// Each table.
    pub reads: Signal,
    pub writes: Signal,
}

pub(super) fn page(p: MigrationParams) -> Page {
    Page { command: migration_shape(p), reads: bits(2), writes: bits(2) }
}

/// Where the pages under way are in the ring.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub oldest: Signal,
    pub begun: Signal,
    pub tail: Signal,
}

impl Ring {
    #[module]
    pub fn new(m: Module) -> Ring {
        let oldest = m.reg_reset(bits(INDEX + 1), 0);
        let begun = m.reg_reset(bits(INDEX + 1), 0);
        let tail = m.reg_reset(bits(INDEX + 1), 0);
        Ring { oldest, begun, tail }
    }
    pub fn is_empty(self) -> Signal {
        self.oldest.eq(self.tail)
    }
    pub fn is_full(self) -> Signal {
        (self.tail - self.oldest).msb()
    }
}

pub(super) fn index(place: Signal) -> Signal {
    place.trunc(INDEX)
}

/// A page that was made ready in vain: it waits at `tail` until it is the oldest, and no further one is begun.
#[derive(Clone, Copy)]
pub(super) struct Refused {
    pub any: Signal,
    pub outcome: StateSignal<MigrationOutcome>,
    /// Its entries may have been written.
    pub written: Signal,
    /// Its old place and its new one are two.
    pub moves: Signal,
}

impl Refused {
    #[module]
    pub fn new(m: Module) -> Refused {
        let any = m.reg_reset(bits(1), 0);
        let outcome = m.reg(state::<MigrationOutcome>());
        let written = m.reg(bits(1));
        let moves = m.reg(bits(1));
        Refused { any, outcome, written, moves }
    }
}
