//! Parameters of H2M2's MMU, with what is legal, and the numbers that all its parts know.

use crate::memory::axi::AxiParams;
use hdl::{Errors, clog2};
use std::panic::Location;

/// Bytes of an entry of the table in memory, as a power of two.
pub const ENTRY_SIZE: u32 = 3;

/// Low bits of a physical address that neither an entry of the page table nor the table's base has.
pub const TABLE_BITS: u32 = 12;
/// Requests of one requester between being taken and being answered.
pub const SLOTS: u32 = 16;
/// Misses of one requester at which it is held.
pub const MISSES: u32 = 4;
/// Misses of one requester with those that were in the pipeline when it was held: a miss is counted 5 cycles after it was taken.
pub const MOST_MISSES: u32 = MISSES - 1 + 5;
/// Translations of an epoch that one requester may have in use.
pub const USES: u32 = 31;

/// Causes of faults, in the codes of the answers.
pub mod cause {
    /// No fault.
    pub const NONE: u32 = 0;
    /// The entry is not valid.
    pub const NOT_MAPPED: u32 = 1;
    /// The entry does not permit it.
    pub const PERMISSION: u32 = 2;
    /// The page is beyond the table.
    pub const BEYOND: u32 = 3;
    /// The entry is malformed.
    pub const MALFORMED: u32 = 4;
    /// The table could not be read.
    pub const BUS: u32 = 5;
    /// The burst ends in another page.
    pub const LEAVES: u32 = 6;
    /// A write to a page that is on the move, which permits writes else: it is to be asked for again.
    pub const MOVING: u32 = 7;
}

/// Numbers of counters, but for those of walks, which are their causes.
pub mod counter {
    /// Hits.
    pub const HITS: u32 = 7;
    /// Of a walk that another miss began: the cause, and this.
    pub const SHARED: u32 = 8;
    /// Pages that were looked up ahead and not found.
    pub const AHEAD: u32 = 11;
    /// Hits of entries that do not permit what was asked.
    pub const REFUSED_HITS: u32 = 15;
}

/// Which way of a set a new entry takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replacement {
    /// The one that was filled first.
    Fifo,
    /// Any.
    Random,
    /// The least recently used one, by a tree of bits.
    TreePlru,
}

/// Most bits of the number of a virtual page: registers count pages in 32 bits.
pub const MOST_NUMBER_BITS: u32 = 31;

/// The parameters of an MMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmuParams {
    /// Bits of a virtual address.
    pub virtual_bits: u32,
    /// Bits of a physical address.
    pub physical_bits: u32,
    /// Bits of an address inside a page.
    pub page_bits: u32,
    /// Entries of the TLB.
    pub entries: u32,
    /// Entries of a set.
    pub ways: u32,
    /// Streams of requests.
    pub requesters: u32,
    /// Reads of the table that may be under way.
    pub walks: u32,
    /// Bits of a request's tag.
    pub tag_bits: u32,
    /// Bytes of a beat of the bus.
    pub data_bytes: u32,
    /// Which way a new entry takes.
    pub replacement: Replacement,
    /// The page behind one that is walked is walked, too, if nothing else is to be done.
    pub prefetch: bool,
    /// Writes to a page on the move wait.
    pub writes_wait: bool,
}

impl MmuParams {
    /// Are all parameters legal?
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let place = Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        let ranges = [
            ("virtual_bits", self.virtual_bits, 32, 48, "4 GiB to 256 TiB"),
            ("physical_bits", self.physical_bits, 32, 48, "an entry of the table has 48 bits of an address"),
            ("page_bits", self.page_bits, 12, 30, "pages of 4 KiB to 1 GiB"),
            ("requesters", self.requesters, 1, 8, "more are quicker in a tree of arbiters"),
            ("walks", self.walks, 1, 16, "one is needed; 16 hide the latency of every memory that was tried"),
            ("tag_bits", self.tag_bits, 1, 32, "a tag has a bit, and more than 32 nobody needs"),
        ];
        if let Some((name, value, least, most, why)) =
            ranges.iter().find(|(_, x, least, most, _)| x < least || x > most)
        {
            return wrong(format!("{name} = {value} is out of range"), &format!("from {least} to {most}: {why}"));
        }
        if !self.entries.is_power_of_two() || !(64..=4096).contains(&self.entries) {
            return wrong(format!("entries = {}", self.entries), "a power of two from 64 to 4096");
        }
        if ![1, 2, 4, 8].contains(&self.ways) {
            return wrong(format!("ways = {}", self.ways), "1, 2, 4 or 8");
        }
        if ![8, 16, 32, 64].contains(&self.data_bytes) {
            return wrong(format!("data_bytes = {}", self.data_bytes), "8, 16, 32 or 64: an entry has 8 bytes");
        }
        if self.number_bits() > MOST_NUMBER_BITS {
            let help = "at most 2^31: registers count pages in 32 bits, and the table of 2^31 pages has 16 GiB already";
            return wrong(self.pages_and_table(), help);
        }
        if self.set_bits() >= self.number_bits() {
            let help = "at most half as many sets as there are pages: a smaller TLB, smaller pages, or more bits of an address";
            return wrong(format!("{} sets for 2^{} pages", self.sets(), self.number_bits()), help);
        }
        Ok(())
    }
    /// Bits of the number of a virtual page; 1 at least, so that ports have a shape before [`MmuParams::check`] is asked.
    pub fn number_bits(self) -> u32 {
        self.virtual_bits.saturating_sub(self.page_bits).max(1)
    }
    /// So many pages, and the bytes of their table, in words; of 2^31 pages and more.
    pub fn pages_and_table(self) -> String {
        let bits = self.number_bits();
        format!("2^{bits} pages, with a table of {} GiB", 1_u64 << (bits + ENTRY_SIZE - 30))
    }
    /// Bits of the number of a physical page, 1 at least.
    pub fn frame_bits(self) -> u32 {
        self.physical_bits.saturating_sub(self.page_bits).max(1)
    }
    /// Sets of the TLB.
    pub fn sets(self) -> u32 {
        self.entries / self.ways.max(1)
    }
    /// Bits of the number of a set.
    pub fn set_bits(self) -> u32 {
        self.sets().ilog2()
    }
    /// Bits of the number of a requester.
    pub fn requester_bits(self) -> u32 {
        clog2(self.requesters as usize)
    }
    /// Bits of the number of a walk.
    pub fn walk_bits(self) -> u32 {
        clog2(self.walks as usize)
    }
    /// The bus.
    pub fn axi(self) -> AxiParams {
        AxiParams { data_bytes: self.data_bytes, address_bits: self.physical_bits, id_bits: 0 }
    }
    /// A name that tells all parameters that count in a part of the MMU.
    pub fn name(self, what: &str) -> String {
        let replacement = match self.replacement {
            Replacement::Fifo => "fifo",
            Replacement::Random => "random",
            Replacement::TreePlru => "plru",
        };
        let MmuParams { virtual_bits, physical_bits, page_bits, entries, ways, requesters, walks, tag_bits, .. } = self;
        let bus = 8 * self.data_bytes;
        let ahead = if self.prefetch { "_prefetch" } else { "" };
        let waits = if self.writes_wait { "_waits" } else { "" };
        format!(
            "{what}_v{virtual_bits}_p{physical_bits}_g{page_bits}_e{entries}_{ways}_{replacement}_r{requesters}_w{walks}_t{tag_bits}_{bus}{ahead}{waits}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_parameters_out_of_range() {
        let p = MmuParams {
            virtual_bits: 32,
            physical_bits: 40,
            page_bits: 16,
            entries: 64,
            ways: 4,
            requesters: 3,
            walks: 4,
            tag_bits: 1,
            data_bytes: 8,
            replacement: Replacement::Fifo,
            prefetch: false,
            writes_wait: false,
        };
        let message = |p: MmuParams| p.check("mmu").expect_err("parameters out of range").0[0].message.clone();
        let out = |name: &str, value: u32| format!("{name} = {value} is out of range");
        for bits in [31, 49] {
            assert_eq!(message(MmuParams { virtual_bits: bits, ..p }), out("virtual_bits", bits));
            assert_eq!(message(MmuParams { physical_bits: bits, ..p }), out("physical_bits", bits));
        }
        for bits in [11, 31] {
            assert_eq!(message(MmuParams { page_bits: bits, ..p }), out("page_bits", bits));
        }
        for requesters in [0, 9] {
            assert_eq!(message(MmuParams { requesters, ..p }), out("requesters", requesters));
        }
        for walks in [0, 17] {
            assert_eq!(message(MmuParams { walks, ..p }), out("walks", walks));
        }
        for bits in [0, 33] {
            assert_eq!(message(MmuParams { tag_bits: bits, ..p }), out("tag_bits", bits));
        }
        for entries in [32, 96, 8192] {
            assert_eq!(message(MmuParams { entries, ..p }), format!("entries = {entries}"));
        }
        for ways in [0, 3, 16] {
            assert_eq!(message(MmuParams { ways, ..p }), format!("ways = {ways}"));
        }
        for data_bytes in [4, 128] {
            assert_eq!(message(MmuParams { data_bytes, ..p }), format!("data_bytes = {data_bytes}"));
        }
        assert_eq!(message(MmuParams { virtual_bits: 48, ..p }), "2^32 pages, with a table of 32 GiB");
        let most = MmuParams { virtual_bits: 48, page_bits: 12, ..p };
        assert_eq!(message(most), "2^36 pages, with a table of 512 GiB");
        assert!(MmuParams { virtual_bits: 48, page_bits: 17, ..p }.check("mmu").is_ok());
        let few = MmuParams { page_bits: 28, ..p };
        assert_eq!(message(few), "16 sets for 2^4 pages");
        assert!(MmuParams { ways: 8, ..few }.check("mmu").is_ok());
        let (errors, line) = (MmuParams { ways: 3, ..p }.check("mmu").expect_err("no such TLB"), line!());
        assert_eq!(errors.0[0].span.line, line, "the place of who asked");
        // ports of what is not legal have shapes all the same: the error comes from the block that they are for
        let never = MmuParams { virtual_bits: 32, page_bits: 40, ways: 0, ..p };
        assert_eq!((never.number_bits(), never.sets()), (1, 64));
    }
}
