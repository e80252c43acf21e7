//! Entries of H2M2's page table, as they lie in memory: `docs/blocks/h2m2_mmu.md`. Combinational.

use super::params::{ENTRY_SIZE, MmuParams, TABLE_BITS, cause};
use hdl::{Bundle, Module, Signal, bits, cat, module};

/// Bits of an entry in memory.
pub const ENTRY_BITS: u32 = 64;
/// The entry has bits of physical addresses up to here.
pub const ADDRESS_BITS: u32 = 48;
const VALID: u32 = 0;
const READ: u32 = 1;
const WRITE: u32 = 2;
const SIDE: (u32, u32) = (4, 3);
const MOVING: u32 = 5;
const NO_SIDE: u32 = 3;

/// What an entry permits, and where its page is.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Permitted {
    /// Reads.
    pub read: Signal,
    /// Writes.
    pub write: Signal,
    /// Writes, but for its being on the move.
    pub moving: Signal,
    /// 0 fast, 1 large, 2 remote.
    pub side: Signal,
    /// Number of the physical page.
    pub frame: Signal,
}

/// Its shape.
pub fn permitted(p: MmuParams) -> Permitted {
    let flag = bits(1);
    Permitted { read: flag, write: flag, moving: flag, side: bits(2), frame: bits(p.frame_bits()) }
}

impl Permitted {
    /// May this be done?
    pub fn allows(self, write: Signal) -> Signal {
        write.mux(self.write, self.read)
    }
    /// Would it be allowed, were the page not on the move?
    pub fn waits(self, write: Signal) -> Signal {
        write & self.moving
    }
}

/// The cause of a fault of what is not allowed.
pub fn refusal(waits: Signal) -> Signal {
    waits.mux(waits.lit(cause::MOVING, 3), waits.lit(cause::PERMISSION, 3))
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

/// What a word of the table says.
pub(super) struct Fields {
    /// The page is mapped.
    pub valid: Signal,
    pub read: Signal,
    pub write: Signal,
    /// The page is on the move.
    pub moving: Signal,
    /// 2 bits.
    pub side: Signal,
    /// Number of the physical page.
    pub frame: Signal,
    /// A reserved bit is 1, or the side is reserved.
    pub malformed: Signal,
}

/// The fields of a word, with pages of `2^page_bits` bytes.
#[module]
pub(super) fn fields(word: Signal, page_bits: u32, physical_bits: u32) -> Fields {
    let side = word.bits(SIDE.0, SIDE.1);
    // reserved, below the size of a page, above the physical address
    let above = word.drop_low(physical_bits);
    let below = word.bits(page_bits - 1, MOVING + 1);
    Fields {
        valid: word.bit(VALID),
        read: word.bit(READ),
        write: word.bit(WRITE),
        moving: word.bit(MOVING),
        side,
        frame: word.bits(physical_bits - 1, page_bits),
        malformed: above.any() | below.any() | side.eq(NO_SIDE),
    }
}

/// The word of a page that is mapped: `[read, write, moving]`, its side and its physical page.
pub(super) fn word([read, write, moving]: [Signal; 3], side: Signal, frame: Signal, page_bits: u32) -> Signal {
    let low = cat(&[moving, side.zext(2), write, read, read.lit(1u32, 1)]);
    frame.cat(low.zext(page_bits)).zext(ENTRY_BITS)
}

/// Address of the entry of a page, in units of entries, in a table that begins at `base`, in units of 4 KiB. Beyond the last address it goes
/// round.
pub(super) fn entry_address(base: Signal, page: Signal) -> Signal {
    let low = TABLE_BITS - ENTRY_SIZE;
    if page.width() <= low {
        return base.cat(page.zext(low));
    }
    let high = page.drop_low(low);
    let width = base.width();
    let high = if high.width() > width { high.trunc(width) } else { high.zext(width) };
    (base + high).cat(page.trunc(low))
}

/// Takes a word of memory apart that may have come with an error.
#[module]
pub fn take_apart(m: Module, word: Signal, error: Signal, p: MmuParams) -> Walked {
    let x = fields(word, p.page_bits, p.physical_bits);
    let (write, moving) = (x.write & !x.moving, x.write & x.moving);
    let permitted = Permitted { read: x.read, write, moving, side: x.side, frame: x.frame };
    let number = |cause: u32| m.lit(cause, 3);
    let of_entry = x.malformed.mux(number(cause::MALFORMED), number(cause::NONE));
    let of_word = x.valid.mux(of_entry, number(cause::NOT_MAPPED));
    Walked { permitted, cause: error.mux(number(cause::BUS), of_word) }
}

const _: () = assert!(TABLE_BITS > MOVING + 1 && ADDRESS_BITS < ENTRY_BITS);
