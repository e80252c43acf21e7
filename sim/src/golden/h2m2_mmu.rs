//! The MMU of H2M2 (sections 3.4 and 4.2), from `docs/blocks/h2m2_mmu.md`: entries of the page table, and which answers a request may have
//! while the table changes.

use std::collections::{HashMap, HashSet};

/// Causes of faults, in the codes of the page.
pub mod cause {
    /// No fault.
    pub const NONE: u64 = 0;
    /// The entry is not valid.
    pub const NOT_MAPPED: u64 = 1;
    /// The entry does not permit it.
    pub const PERMISSION: u64 = 2;
    /// The page is not in the table.
    pub const BEYOND: u64 = 3;
    /// The entry is malformed.
    pub const MALFORMED: u64 = 4;
    /// The table could not be read.
    pub const BUS: u64 = 5;
    /// The burst ends in another page.
    pub const LEAVES: u64 = 6;
    /// A write to a page that is on the move.
    pub const MOVING: u64 = 7;
}

/// The bit of an entry that says that its page is on the move.
pub const PAGE_MOVES: u64 = 1 << 5;

/// Bits of addresses, and of the address inside a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Of a virtual address.
    pub virtual_bits: u32,
    /// Of a physical address.
    pub physical_bits: u32,
    /// Inside a page.
    pub page_bits: u32,
    /// Of a request's tag.
    pub tag_bits: u32,
}

/// What lies where an entry is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A word.
    Word(u64),
    /// The bus answers with an error.
    Unreadable,
}

/// A burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Virtual address of its first byte.
    pub address: u64,
    /// Its bytes, 1 to 4096.
    pub bytes: u64,
    /// It writes.
    pub write: bool,
}

/// An answer: address and side, or a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translated {
    /// Physical address, 0 with a fault.
    pub address: u64,
    /// Side, 0 with a fault.
    pub side: u64,
    /// Cause, or 0.
    pub cause: u64,
}

impl Translated {
    fn fault(cause: u64) -> Translated {
        Translated { address: 0, side: 0, cause }
    }
}

impl Geometry {
    /// Number of the page of an address.
    pub fn page(self, address: u64) -> u64 {
        address / self.page_bytes()
    }
    /// Bytes of a page.
    pub fn page_bytes(self) -> u64 {
        1 << self.page_bits
    }
    /// Number of virtual pages.
    pub fn pages(self) -> u64 {
        1 << (self.virtual_bits - self.page_bits)
    }
    /// The answer to a burst whose page's entry is this; the table has so many.
    pub fn translate(self, burst: Burst, entry: Stored, pages: u64) -> Translated {
        let Burst { address, bytes, write } = burst;
        let offset = address % self.page_bytes();
        if offset + bytes > self.page_bytes() {
            return Translated::fault(cause::LEAVES);
        }
        if self.page(address) >= pages {
            return Translated::fault(cause::BEYOND);
        }
        let Stored::Word(word) = entry else { return Translated::fault(cause::BUS) };
        if word % 2 == 0 {
            return Translated::fault(cause::NOT_MAPPED);
        }
        let (permitted, side) = (word >> if write { 2 } else { 1 } & 1 == 1, word >> 3 & 3);
        let start = word & 0xffff_ffff_f000;
        let reserved = word >> 6 & 0x3f != 0 || word >> 48 != 0;
        if side == 3 || reserved || start % self.page_bytes() != 0 || start >> self.physical_bits != 0 {
            return Translated::fault(cause::MALFORMED);
        }
        if !permitted {
            return Translated::fault(cause::PERMISSION);
        }
        if write && word & PAGE_MOVES != 0 {
            return Translated::fault(cause::MOVING);
        }
        Translated { address: start + offset, side, cause: cause::NONE }
    }
    /// Does this burst want the entry of its page, of a table with so many?
    pub fn wants_entry(self, burst: Burst, pages: u64) -> bool {
        let offset = burst.address % self.page_bytes();
        offset + burst.bytes <= self.page_bytes() && self.page(burst.address) < pages
    }
    /// The first of these reads of the table, in their order, that is not right. `wanted` are pages of which bursts want the entry, the
    /// table has so many. With prefetch, the page behind one that was read for a burst may be read after it.
    pub fn wrong_read(self, reads: &[u64], wanted: &HashSet<u64>, pages: u64, prefetch: bool) -> Option<u64> {
        let mut behind = HashSet::new();
        let mut is_wrong = |page: &u64| {
            if wanted.contains(page) {
                behind.insert(page + 1);
                return false;
            }
            !prefetch || *page >= pages || !behind.contains(page)
        };
        reads.iter().copied().find(|page| is_wrong(page))
    }
    /// A well-formed entry.
    pub fn entry(self, frame: u64, side: u64, read: bool, write: bool) -> u64 {
        frame << self.page_bits | side << 3 | u64::from(write) << 2 | u64::from(read) << 1 | 1
    }
}

/// The table as it was in each cycle, and the invalidations.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Of each page what was stored, and since which cycle.
    stored: HashMap<u64, Vec<(u64, Stored)>>,
    /// Of each invalidation that is done: pages, when it was asked for, when it was done.
    done: Vec<(u64, u64, u64, u64)>,
}

impl History {
    /// From this cycle on.
    pub fn store(&mut self, page: u64, cycle: u64, stored: Stored) {
        self.stored.entry(page).or_default().push((cycle, stored));
    }
    /// Pages `first` to `last` were invalidated: asked for in one cycle, done in another.
    pub fn invalidated(&mut self, first: u64, last: u64, asked: u64, done: u64) {
        self.done.push((first, last, asked, done));
    }
    /// What is stored now.
    pub fn now(&self, page: u64) -> Stored {
        self.stored.get(&page).and_then(|list| list.last()).map_or(Stored::Word(0), |(_, stored)| *stored)
    }
    /// All entries that an answer in this cycle may come from.
    pub fn possible(&self, page: u64, cycle: u64) -> Vec<Stored> {
        let covers = |(first, last, ..): &&(u64, u64, u64, u64)| (*first..=*last).contains(&page);
        let since = self.done.iter().filter(covers).filter(|x| x.3 < cycle).map(|x| x.2).max().unwrap_or(0);
        let empty = vec![];
        let list = self.stored.get(&page).unwrap_or(&empty);
        let mut all = vec![(0, Stored::Word(0))];
        all.extend(list);
        let ends = all.iter().skip(1).map(|(from, _)| *from).chain([u64::MAX]);
        // an entry that was replaced in the cycle in which the invalidation was asked for was replaced before that
        let alive = all.iter().zip(ends).filter(|((from, _), end)| *from <= cycle && *end > since);
        alive.map(|((_, stored), _)| *stored).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: Geometry = Geometry { virtual_bits: 40, physical_bits: 40, page_bits: 21, tag_bits: 8 };

    /// Bit by bit, from the table of the page.
    #[test]
    fn entries() {
        let read =
            |word| BITS.translate(Burst { address: 5 << 21 | 100, bytes: 8, write: false }, Stored::Word(word), 6);
        let good = 7 << 21 | 1 << 3 | 0b011;
        assert_eq!(read(good), Translated { address: 7 << 21 | 100, side: 1, cause: cause::NONE });
        assert_eq!(read(good & !1), Translated::fault(cause::NOT_MAPPED));
        assert_eq!(read(good & !2), Translated::fault(cause::PERMISSION));
        let write =
            |word| BITS.translate(Burst { address: 5 << 21, bytes: 8, write: true }, Stored::Word(word), 6).cause;
        let causes = [cause::PERMISSION, cause::NONE, cause::PERMISSION, cause::MOVING];
        assert_eq!([0, 4, 32, 36].map(|bits| write(good & !6 | bits)), causes, "write permitted, on the move");
        assert_eq!(read(good | 32), read(good), "a page on the move is read");
        let malformed = |bit: u32| read(good | 1 << bit) == Translated::fault(cause::MALFORMED);
        let wrong: Vec<u32> = (5..64).filter(|bit| malformed(*bit)).collect();
        assert_eq!(wrong, (6..=20).chain(40..64).collect::<Vec<_>>());
        assert_eq!(read(good | 3 << 3), Translated::fault(cause::MALFORMED));
        assert_eq!(read(u64::MAX << 1), Translated::fault(cause::NOT_MAPPED), "what is not mapped is not looked at");
    }

    #[test]
    fn bursts() {
        let all = Stored::Word(BITS.entry(1, 2, true, true));
        let go = |address, bytes, pages| BITS.translate(Burst { address, bytes, write: true }, all, pages).cause;
        let found = [go((1 << 21) - 8, 8, 1), go((1 << 21) - 8, 9, 1), go(1 << 21, 1, 1)];
        assert_eq!(found, [cause::NONE, cause::LEAVES, cause::BEYOND]);
        let unreadable = BITS.translate(Burst { address: 0, bytes: 1, write: true }, Stored::Unreadable, 1);
        assert_eq!(unreadable, Translated::fault(cause::BUS));
    }

    #[test]
    fn reads_of_the_table() {
        let wanted = HashSet::from([3, 7, 9]);
        let wrong = |reads: &[u64], prefetch| BITS.wrong_read(reads, &wanted, 10, prefetch);
        assert_eq!(wrong(&[7, 3, 7], false), None);
        assert_eq!(wrong(&[3, 4, 7, 8], true), None);
        assert_eq!(wrong(&[3, 4], false), Some(4), "no prefetch");
        assert_eq!(wrong(&[4, 3], true), Some(4), "before the page in front of it");
        assert_eq!(wrong(&[3, 4, 5], true), Some(5), "behind a page that nobody wants");
        assert_eq!(wrong(&[9, 10], true), Some(10), "beyond the table");
        let wants = |address, bytes| BITS.wants_entry(Burst { address, bytes, write: false }, 2);
        assert_eq!([wants((2 << 21) - 8, 8), wants((1 << 21) - 8, 9), wants(2 << 21, 1)], [true, false, false]);
    }

    #[test]
    fn what_is_possible() {
        let mut history = History::default();
        let word = Stored::Word;
        history.store(3, 10, word(1));
        history.store(3, 20, word(2));
        assert_eq!(history.possible(3, 15), [word(0), word(1)]);
        assert_eq!(history.possible(3, 25), [word(0), word(1), word(2)]);
        history.invalidated(2, 4, 22, 30);
        assert_eq!(history.possible(3, 30).len(), 3, "not done before this cycle");
        assert_eq!(history.possible(3, 31), [word(2)]);
        assert_eq!(history.possible(5, 31), [word(0)]);
        history.store(3, 40, word(3));
        history.invalidated(3, 3, 40, 50);
        assert_eq!(history.possible(3, 51), [word(3)], "stored just before the invalidation");
    }
}
