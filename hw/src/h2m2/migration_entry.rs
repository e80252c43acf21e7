//! Entries of the flat page table: 8 bytes each, that of virtual page i at base + 8 i.
//!
//! | bits | |
//! | --- | --- |
//! | 0 | valid |
//! | 1 | may be read |
//! | 2 | may be written |
//! | 4:3 | side: 0 fast, 1 large, 2 remote |
//! | 11:5 | 0 |
//! | 47:12 | those of the physical address at which the page begins |
//! | 63:48 | 0 |

use hdl::{Signal, cat};

/// What an entry says of a page.
pub(super) struct Entry {
    pub read: Signal,
    pub write: Signal,
    /// Fast or large.
    pub side: Signal,
    /// The physical page.
    pub page: Signal,
}

/// What was read.
pub(super) struct Fetched {
    pub read: Signal,
    pub write: Signal,
    /// 2 bits.
    pub side: Signal,
    pub page: Signal,
    /// It is valid, reserved bits and those within a page are 0.
    pub is_legal: Signal,
}

/// The 64 bits of a valid entry.
pub(super) fn entry(x: Entry, page_bits: u32) -> Signal {
    let one = x.read.lit(1u32, 1);
    let side = x.side.zext(2);
    let low = cat(&[side, x.write, x.read, one]);
    x.page.cat(low.zext(page_bits)).zext(64)
}

/// What 64 bits say, with pages of `2^page_bits` bytes.
pub(super) fn unpacked(x: Signal, page_bits: u32, physical_bits: u32) -> Fetched {
    let reserved = x.bits(page_bits - 1, 5).any() | x.drop_low(physical_bits).any();
    Fetched {
        read: x.bit(1),
        write: x.bit(2),
        side: x.bits(4, 3),
        page: x.bits(physical_bits - 1, page_bits),
        is_legal: x.bit(0) & !reserved,
    }
}
