//! The page-table entry: 64 bits, little-endian in memory, one for each virtual page.
//!
//! | bits | field | |
//! | --- | --- | --- |
//! | 0 | valid | 0: the page is not mapped, and the other bits mean nothing |
//! | 1 | read | 1: may be read |
//! | 2 | write | 1: may be written |
//! | 4:3 | side | 0 fast, 1 large, 2 remote; 3 is reserved |
//! | 5 | moving | 1: a migration engine moves the page: it may be read; a write is answered with cause 7 (moving), and asked again |
//! | 11:6 | reserved | 0 |
//! | 47:12 | page | bits 47:12 of the physical address of the page's first byte; bits below the page size are 0 |
//! | 63:48 | reserved | 0 |
//!
//! The hardware takes the same bits (hw/src/h2m2); a set bit in a reserved place is a fault there and an error here.

use crate::page::PageSize;
use thiserror::Error;

const VALID: u64 = 1;
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const SIDE_SHIFT: u32 = 3;
const SIDE_MASK: u64 = 0b11;
const ADDRESS_MASK: u64 = 0x0000_ffff_ffff_f000;
const MOVING: u64 = 1 << 5;
const RESERVED_MASK: u64 = 0xffff_0000_0000_0fc0;

/// Bytes of an entry.
pub const ENTRY_BYTES: u64 = 8;

/// Where a physical address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The bandwidth-centric memory (HBM).
    Fast = 0,
    /// The capacity-centric memory (LPDDR).
    Large = 1,
    /// Behind a link, outside both.
    Remote = 2,
}

/// What is mapped at a virtual page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// May be read.
    pub read: bool,
    /// May be written.
    pub write: bool,
    /// A migration engine moves it: a write is answered with cause 7 (moving), and asked again.
    pub moving: bool,
    /// Where the page is.
    pub side: Side,
    /// Physical address of the page's first byte.
    pub address: u64,
}

/// Why 64 bits are no entry, or an entry has no bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EntryError {
    /// A reserved bit is set.
    #[error("entry {bits:#018x} has reserved bits set ({reserved:#018x}); bits 11:6 and 63:48 must be 0")]
    Reserved {
        /// The entry.
        bits: u64,
        /// Those of its bits that should be 0.
        reserved: u64,
    },
    /// The side is the reserved one.
    #[error("entry {0:#018x} has side 3, which is reserved; legal are 0 (fast), 1 (large) and 2 (remote)")]
    ReservedSide(u64),
    /// No page of this size starts there.
    #[error("address {address:#x} is not the start of a page of {page} bytes")]
    Unaligned {
        /// The address.
        address: u64,
        /// The page's bytes.
        page: u64,
    },
    /// More bits than an entry holds.
    #[error("address {0:#x} has more than 48 bits")]
    TooHigh(u64),
}

impl Entry {
    /// The entry's 64 bits.
    pub fn encode(self, page: PageSize) -> Result<u64, EntryError> {
        if self.address >> 48 != 0 {
            return Err(EntryError::TooHigh(self.address));
        }
        check_start(self.address, page)?;
        let permissions = if self.read { READ } else { 0 } | if self.write { WRITE } else { 0 };
        let moving = if self.moving { MOVING } else { 0 };
        Ok(VALID | permissions | moving | (self.side as u64) << SIDE_SHIFT | self.address)
    }

    /// What 64 bits mean; `None` if nothing is mapped.
    pub fn decode(bits: u64, page: PageSize) -> Result<Option<Entry>, EntryError> {
        if bits & VALID == 0 {
            return Ok(None);
        }
        let reserved = bits & RESERVED_MASK;
        if reserved != 0 {
            return Err(EntryError::Reserved { bits, reserved });
        }
        let side = match bits >> SIDE_SHIFT & SIDE_MASK {
            0 => Side::Fast,
            1 => Side::Large,
            2 => Side::Remote,
            _ => return Err(EntryError::ReservedSide(bits)),
        };
        let address = bits & ADDRESS_MASK;
        check_start(address, page)?;
        Ok(Some(Entry { read: bits & READ != 0, write: bits & WRITE != 0, moving: bits & MOVING != 0, side, address }))
    }
}

fn check_start(address: u64, page: PageSize) -> Result<(), EntryError> {
    if page.is_start(address) { Ok(()) } else { Err(EntryError::Unaligned { address, page: page.bytes() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bits_are_where_the_table_says() {
        let entry = Entry { read: true, write: false, moving: false, side: Side::Remote, address: 0x7654_3200_0000 };
        let bits = entry.encode(PageSize::HUGE).unwrap();
        assert_eq!(bits, 0x7654_3200_0013);
        let entry = Entry { read: false, write: true, moving: true, side: Side::Large, address: 0x1000 };
        assert_eq!(entry.encode(PageSize::new(4096).unwrap()).unwrap(), 0x102d);
    }

    #[test]
    fn what_is_not_legal_is_told() {
        let page = PageSize::HUGE;
        assert_eq!(Entry::decode(!1, page), Ok(None));
        for bit in (6..12).chain(48..64) {
            let bits = 1 | 1 << bit;
            assert_eq!(Entry::decode(bits, page), Err(EntryError::Reserved { bits, reserved: 1 << bit }));
        }
        assert_eq!(Entry::decode(0b11001, page), Err(EntryError::ReservedSide(0b11001)));
        let unaligned = EntryError::Unaligned { address: 1 << 20, page: 2 << 20 };
        assert_eq!(Entry::decode(1 | 1 << 20, page), Err(unaligned));
        let entry = |address| Entry { read: true, write: true, moving: false, side: Side::Fast, address };
        assert_eq!(entry(1 << 20).encode(page), Err(unaligned));
        assert_eq!(entry(1 << 48).encode(page), Err(EntryError::TooHigh(1 << 48)));
    }

    proptest! {
        #[test]
        fn an_entry_comes_back(read: bool, write: bool, moving: bool, side in 0..3, number in 0_u64..1 << 27) {
            let side = [Side::Fast, Side::Large, Side::Remote][side as usize];
            let entry = Entry { read, write, moving, side, address: number << 21 };
            let bits = entry.encode(PageSize::HUGE).unwrap();
            prop_assert_eq!(Entry::decode(bits, PageSize::HUGE), Ok(Some(entry)));
        }

        #[test]
        fn bits_are_an_entry_of_these_bits_or_an_error(bits: u64) {
            let page = PageSize::new(4096).unwrap();
            if let Ok(Some(entry)) = Entry::decode(bits, page) {
                prop_assert_eq!(entry.encode(page), Ok(bits));
            }
        }
    }
}
