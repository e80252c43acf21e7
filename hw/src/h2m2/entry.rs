//! Entries of H2M2's page table, as they lie in memory: `docs/blocks/h2m2_mmu.md`. Combinational.

use super::types::{MmuParams, TABLE_BITS, cause};
use hdl::{Bundle, Module, Signal, bits, module};

/// Bits of an entry in memory.
pub const ENTRY_BITS: u32 = 64;
/// Bytes of an entry in memory, as a power of two.
pub const ENTRY_SIZE: u32 = 3;
/// The entry has bits of physical addresses up to here.
pub const ADDRESS_BITS: u32 = 48;
const VALID: u32 = 0;
const READ: u32 = 1;
const WRITE: u32 = 2;
const SIDE: (u32, u32) = (4, 3);
const NO_SIDE: u32 = 3;

/// What an entry permits, and where its page is.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Permitted {
    /// Reads.
    pub read: Signal,
    /// Writes.
    pub write: Signal,
    /// 0 fast, 1 large, 2 remote.
    pub side: Signal,
    /// Number of the physical page.
    pub frame: Signal,
}

/// Its shape.
pub fn permitted(p: MmuParams) -> Permitted {
    Permitted { read: bits(1), write: bits(1), side: bits(2), frame: bits(p.frame_bits()) }
}

impl Permitted {
    /// May this be done?
    pub fn allows(self, write: Signal) -> Signal {
        write.mux(self.write, self.read)
    }
}

/// An entry as it was read, and the cause of a fault: not mapped, malformed, bus error, or none.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Walked {
    /// What it permits; without meaning with a fault.
    pub permitted: Permitted,
    /// 0, or the cause.
    pub cause: Signal,
}

/// Its shape.
pub fn walked(p: MmuParams) -> Walked {
    Walked { permitted: permitted(p), cause: bits(3) }
}

/// Takes a word of memory apart that may have come with an error.
#[module]
pub fn take_apart(m: Module, word: Signal, error: Signal, p: MmuParams) -> Walked {
    let side = word.bits(SIDE.0, SIDE.1);
    let frame = word.bits(p.physical_bits - 1, p.page_bits);
    let permitted = Permitted { read: word.bit(READ), write: word.bit(WRITE), side, frame };
    // reserved, below the size of a page, above the physical address
    let above = word.drop_low(p.physical_bits);
    let below = word.bits(p.page_bits - 1, SIDE.0 + 1);
    let malformed = above.any() | below.any() | side.eq(NO_SIDE);
    let number = |cause: u32| m.lit(cause, 3);
    let of_entry = malformed.mux(number(cause::MALFORMED), number(cause::NONE));
    let of_word = word.bit(VALID).mux(of_entry, number(cause::NOT_MAPPED));
    Walked { permitted, cause: error.mux(number(cause::BUS), of_word) }
}

const _: () = assert!(TABLE_BITS > SIDE.0 && ADDRESS_BITS < ENTRY_BITS);
