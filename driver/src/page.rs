//! Page sizes.

use thiserror::Error;

/// A page size: a power of two from 4 KiB to 1 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageSize(u64);

/// The size of a page is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a page of {0} bytes is not legal; legal is a power of two from 4096 (4 KiB) to 1073741824 (1 GiB)")]
pub struct PageSizeError(pub u64);

impl PageSize {
    /// 2 MiB, H2M2's size (section 4.2.1).
    pub const HUGE: PageSize = PageSize(2 << 20);

    /// A page of so many bytes.
    pub fn new(bytes: u64) -> Result<PageSize, PageSizeError> {
        let legal = bytes.is_power_of_two() && (4096..=1 << 30).contains(&bytes);
        if legal { Ok(PageSize(bytes)) } else { Err(PageSizeError(bytes)) }
    }
    /// Its bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
    /// Pages that so many bytes take.
    pub fn pages(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.0)
    }
    /// Whether a page may start at this address.
    pub fn is_start(self, address: u64) -> bool {
        address & (self.0 - 1) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{PageSize, PageSizeError};

    #[test]
    fn the_smallest_and_the_largest_are_legal_and_nothing_beyond() {
        for bytes in [4096, 1 << 21, 1 << 30] {
            assert_eq!(PageSize::new(bytes).map(PageSize::bytes), Ok(bytes));
        }
        for bytes in [0, 1, 2048, 4095, 4097, 3 << 12, 1 << 31, u64::MAX] {
            assert_eq!(PageSize::new(bytes), Err(PageSizeError(bytes)));
        }
    }

    #[test]
    fn a_begun_page_counts() {
        let page = PageSize::HUGE;
        assert_eq!([0, 1, 2 << 20, (2 << 20) + 1].map(|bytes| page.pages(bytes)), [0, 1, 1, 2]);
        assert!(page.is_start(6 << 20) && !page.is_start(3 << 20));
    }
}
