//! The free-space manager (section 4.2.2): which pages of a memory are free.

use crate::entry::Side;
use crate::page::PageSize;
use std::collections::VecDeque;
use thiserror::Error;

/// The pages of one memory. A page is free or taken, never both; those that are free longest are taken first, so that a page which
/// is given back rests as long as it can. It takes room on the host for the pages that were taken once, not for all of the memory.
#[derive(Clone, Debug)]
pub struct FreeSpace {
    side: Side,
    page: PageSize,
    base: u64,
    pages: u32,
    /// Pages that were taken and given back, in that order. Pages from number `is_free.len()` on were never taken; they are taken first.
    returned: VecDeque<u32>,
    /// Whether a page is free, of those that were taken once: the first ones of the memory.
    is_free: Vec<bool>,
}

/// Why a memory or an address of it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SpaceError {
    /// No page starts at the base.
    #[error("a memory at address {base:#x} does not start with a page of {page} bytes")]
    Base {
        /// Address of the memory's first byte.
        base: u64,
        /// The page's bytes.
        page: u64,
    },
    /// It reaches beyond all addresses.
    #[error("a memory of {bytes} bytes at address {base:#x} ends beyond address 2^48; legal are addresses below 2^48")]
    End {
        /// Address of the memory's first byte.
        base: u64,
        /// Bytes of the memory.
        bytes: u64,
    },
    /// More pages than are managed.
    #[error("a memory of {0} pages; legal are at most 4294967295")]
    Pages(u64),
    /// The address is not that of one of the pages.
    #[error("address {0:#x} is not the start of a page of this memory")]
    Foreign(u64),
    /// The page was not taken.
    #[error("the page at address {0:#x} is free already")]
    Free(u64),
}

impl FreeSpace {
    /// A memory of whole pages, all of them free; what is left at its end is not used.
    pub fn new(side: Side, page: PageSize, base: u64, bytes: u64) -> Result<FreeSpace, SpaceError> {
        let pages = bytes / page.bytes();
        if !page.is_start(base) {
            return Err(SpaceError::Base { base, page: page.bytes() });
        }
        base.checked_add(bytes).filter(|&end| end <= 1 << 48).ok_or(SpaceError::End { base, bytes })?;
        let pages = u32::try_from(pages).map_err(|_| SpaceError::Pages(pages))?;
        Ok(FreeSpace { side, page, base, pages, returned: VecDeque::new(), is_free: vec![] })
    }
    /// Where the memory is.
    pub fn side(&self) -> Side {
        self.side
    }
    /// Pages of the memory, free or not.
    pub fn pages(&self) -> u64 {
        self.pages.into()
    }
    /// Free pages.
    pub fn free_pages(&self) -> u64 {
        self.untouched() + self.returned.len() as u64
    }
    /// Takes a page and returns its address; `None` if none is free.
    pub fn take(&mut self) -> Option<u64> {
        let number = if self.untouched() > 0 {
            self.is_free.push(false);
            self.is_free.len() as u64 - 1
        } else {
            let number = self.returned.pop_front()?;
            self.is_free[number as usize] = false;
            number.into()
        };
        Some(self.base + number * self.page.bytes())
    }
    /// Gives a page back.
    pub fn give_back(&mut self, address: u64) -> Result<(), SpaceError> {
        let number = address.checked_sub(self.base).filter(|&offset| self.page.is_start(offset));
        let number = number.map(|offset| offset / self.page.bytes()).filter(|&number| number < self.pages());
        let number = number.ok_or(SpaceError::Foreign(address))? as usize;
        match self.is_free.get_mut(number) {
            Some(is_free @ false) => *is_free = true,
            _ => return Err(SpaceError::Free(address)),
        }
        self.returned.push_back(number as u32);
        Ok(())
    }

    /// Pages that were never taken.
    fn untouched(&self) -> u64 {
        self.pages() - self.is_free.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const PAGE: u64 = 4096;

    fn space(base: u64, pages: u64) -> FreeSpace {
        FreeSpace::new(Side::Fast, PageSize::new(PAGE).unwrap(), base, pages * PAGE + PAGE / 2).unwrap()
    }

    #[test]
    fn addresses_that_are_no_pages_are_refused() {
        let mut space = space(8 * PAGE, 2);
        assert_eq!(space.pages(), 2);
        for address in [0, 7 * PAGE, 8 * PAGE + 64, 10 * PAGE, u64::MAX] {
            assert_eq!(space.give_back(address), Err(SpaceError::Foreign(address)));
        }
        assert_eq!(space.give_back(9 * PAGE), Err(SpaceError::Free(9 * PAGE)));
        let page = PageSize::HUGE;
        let base = SpaceError::Base { base: PAGE, page: page.bytes() };
        assert_eq!(FreeSpace::new(Side::Large, page, PAGE, 1 << 30).unwrap_err(), base);
    }

    #[test]
    fn what_is_beyond_all_addresses_is_told_with_its_base() {
        let message = |page, base, bytes| FreeSpace::new(Side::Large, page, base, bytes).unwrap_err().to_string();
        let small = PageSize::new(PAGE).unwrap();
        let end = "ends beyond address 2^48; legal are addresses below 2^48";
        assert_eq!(
            message(small, 1 << 48, 64 * PAGE),
            format!("a memory of 262144 bytes at address 0x1000000000000 {end}")
        );
        let huge = message(PageSize::HUGE, 2 << 20, 1 << 48);
        assert_eq!(huge, format!("a memory of 281474976710656 bytes at address 0x200000 {end}"));
        let top = message(small, u64::MAX - 4095, 2 * PAGE);
        assert_eq!(top, format!("a memory of 8192 bytes at address 0xfffffffffffff000 {end}"));
        let pages = message(small, 0, 1 << 45);
        assert_eq!(pages, "a memory of 8589934592 pages; legal are at most 4294967295");
    }

    #[test]
    fn the_largest_memory_takes_room_for_what_was_taken_alone() {
        let small = PageSize::new(PAGE).unwrap();
        let pages = u64::from(u32::MAX);
        let mut space = FreeSpace::new(Side::Large, small, 0, pages * PAGE).unwrap();
        assert_eq!((space.take(), space.take()), (Some(0), Some(PAGE)));
        assert_eq!((space.pages(), space.free_pages()), (pages, pages - 2));
        assert_eq!(space.give_back(0), Ok(()));
        for address in [0, 2 * PAGE, (pages - 1) * PAGE] {
            assert_eq!(space.give_back(address), Err(SpaceError::Free(address)));
        }
        assert_eq!(space.give_back(pages * PAGE), Err(SpaceError::Foreign(pages * PAGE)));
        assert_eq!(space.take(), Some(2 * PAGE), "what is given back rests");
    }

    proptest! {
        #[test]
        fn a_page_is_taken_once_until_it_comes_back(pages in 0_u64..20, takes in prop::collection::vec(any::<Option<u8>>(), 0..80)) {
            let mut space = space(16 * PAGE, pages);
            let mut taken = BTreeSet::new();
            for take in takes {
                match take {
                    None => match space.take() {
                        Some(address) => prop_assert!(taken.insert(address), "{address:#x} was taken"),
                        None => prop_assert_eq!(taken.len() as u64, pages),
                    },
                    Some(which) if !taken.is_empty() => {
                        let address = *taken.iter().nth(usize::from(which) % taken.len()).unwrap();
                        taken.remove(&address);
                        prop_assert_eq!(space.give_back(address), Ok(()));
                        prop_assert_eq!(space.give_back(address), Err(SpaceError::Free(address)));
                    }
                    Some(_) => {}
                }
                prop_assert_eq!(space.free_pages() + taken.len() as u64, pages);
            }
        }
    }
}
