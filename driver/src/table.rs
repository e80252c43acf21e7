//! A flat page table (section 4.2.1): one entry for each virtual page, at the page's number, so that a walk is one read.
//!
//! The paper keeps a table for each side (section 4.2.1). Here no page has two copies, so one table serves both MMUs
//! ([`Manager::table`](crate::manager::Manager::table)).

use crate::entry::{ENTRY_BYTES, Entry, EntryError};
use crate::page::PageSize;
use std::collections::BTreeMap;
use thiserror::Error;

/// A page table. It takes memory on the host for the pages that are mapped, not for those that could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageTable {
    page: PageSize,
    pages: u64,
    /// The entries that are not 0, by the number of their page.
    entries: BTreeMap<u64, u64>,
}

/// Why a table is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// The table is too short.
    #[error("virtual page {page} is beyond the table, which has {pages} pages")]
    Beyond {
        /// The virtual page's number.
        page: u64,
        /// Entries of the table.
        pages: u64,
    },
    /// The page is taken.
    #[error("virtual page {0} is mapped already")]
    Mapped(u64),
    /// There is nothing to change.
    #[error("virtual page {0} is not mapped")]
    NotMapped(u64),
    /// The entry is not legal.
    #[error(transparent)]
    Entry(#[from] EntryError),
}

/// Most pages of a table: an MMU counts 2^31, and virtual addresses are below 2^48. In the memory of the
/// hardware the table then takes 16 GiB at most.
pub fn most_pages(page: PageSize) -> u64 {
    ((1 << 48) / page.bytes()).min(1 << 31)
}

impl PageTable {
    /// A table of so many virtual pages, none of them mapped.
    ///
    /// # Panics
    /// If there are more than [`most_pages`].
    pub fn new(page: PageSize, pages: u64) -> PageTable {
        let most = most_pages(page);
        assert!(pages <= most, "a table of {pages} pages of {} bytes; legal are at most {most}", page.bytes());
        PageTable { page, pages, entries: BTreeMap::new() }
    }
    /// Virtual pages of the table.
    pub fn pages(&self) -> u64 {
        self.pages
    }
    /// Bytes of the table in the memory of the hardware.
    pub fn bytes(&self) -> u64 {
        self.pages() * ENTRY_BYTES
    }
    /// What is mapped at a virtual page.
    pub fn get(&self, page: u64) -> Result<Option<Entry>, TableError> {
        self.check(page)?;
        let word = self.entries.get(&page).copied().unwrap_or(0);
        Ok(Entry::decode(word, self.page)?)
    }
    /// Maps a page that is not mapped.
    pub fn map(&mut self, page: u64, entry: Entry) -> Result<(), TableError> {
        match self.get(page)? {
            Some(_) => Err(TableError::Mapped(page)),
            None => self.write(page, entry),
        }
    }
    /// Maps a page elsewhere, and returns where it was.
    pub fn remap(&mut self, page: u64, entry: Entry) -> Result<Entry, TableError> {
        let old = self.get(page)?.ok_or(TableError::NotMapped(page))?;
        self.write(page, entry)?;
        Ok(old)
    }
    /// Ends a mapping, and returns where the page was.
    pub fn unmap(&mut self, page: u64) -> Result<Entry, TableError> {
        let old = self.get(page)?.ok_or(TableError::NotMapped(page))?;
        self.entries.remove(&page);
        Ok(old)
    }

    fn write(&mut self, page: u64, entry: Entry) -> Result<(), TableError> {
        self.check(page)?;
        self.entries.insert(page, entry.encode(self.page)?);
        Ok(())
    }
    fn check(&self, page: u64) -> Result<(), TableError> {
        if page < self.pages { Ok(()) } else { Err(TableError::Beyond { page, pages: self.pages }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Side;

    fn entry(address: u64) -> Entry {
        Entry { read: true, write: true, moving: false, side: Side::Fast, address }
    }

    #[test]
    fn a_terabyte_in_pages_of_2_mib_takes_4_mib() {
        let table = PageTable::new(PageSize::HUGE, (1 << 40) / PageSize::HUGE.bytes());
        assert_eq!(table.bytes(), 4 << 20);
    }

    #[test]
    fn the_largest_table_takes_memory_for_what_is_mapped_alone() {
        let small = PageSize::new(4096).unwrap();
        let mut table = PageTable::new(small, most_pages(small));
        assert_eq!(table.bytes(), 16 << 30);
        let last = table.pages() - 1;
        table.map(last, entry(4096)).unwrap();
        let copy = table.clone();
        assert_eq!(table.unmap(last), Ok(entry(4096)));
        assert_ne!(table, copy);
        assert_eq!(table, PageTable::new(small, most_pages(small)), "what was mapped leaves no trace");
    }

    #[test]
    #[should_panic(expected = "a table of 134217729 pages of 2097152 bytes; legal are at most 134217728")]
    fn a_table_ends_where_addresses_end() {
        let _ = PageTable::new(PageSize::HUGE, (1 << 27) + 1);
    }

    #[test]
    fn a_page_is_mapped_once_and_unmapped_once() {
        let mut table = PageTable::new(PageSize::HUGE, 4);
        assert_eq!(table.unmap(1), Err(TableError::NotMapped(1)));
        assert_eq!(table.remap(1, entry(0)), Err(TableError::NotMapped(1)));
        table.map(1, entry(0x20_0000)).unwrap();
        assert_eq!(table.map(1, entry(0)), Err(TableError::Mapped(1)));
        assert_eq!(table.remap(1, entry(0x40_0000)), Ok(entry(0x20_0000)));
        assert_eq!(table.unmap(1), Ok(entry(0x40_0000)));
        assert_eq!(table.get(1), Ok(None));
        assert_eq!(table.get(4), Err(TableError::Beyond { page: 4, pages: 4 }));
        let unaligned = EntryError::Unaligned { address: 4096, page: 2 << 20 };
        assert_eq!(table.map(3, entry(4096)), Err(TableError::Entry(unaligned)));
        assert_eq!(table.get(3), Ok(None), "what is refused leaves the table as it was");
    }
}
