//! What goes in and out of a codebook cache with a memory tier, and between its parts.

use super::cache_types::*;
use crate::memory::axi::AxiParams;
use hdl::*;

/// The most entries in LUT RAM.
pub const MAX_REGISTERS: u32 = 32;
/// The most lookups in memory at once.
pub const MAX_LOOKUPS: u32 = 64;
/// The most words that are on their way from memory at once.
pub const MAX_READS: u32 = 64;
/// Beats that wait behind the oldest one, as indices: enough to go on taking a beat a cycle while one entry comes from a memory of 50 cycles.
pub(super) const BEATS: usize = 64;
/// Bytes of a word, as a power of two.
const WORD_BYTES: u32 = 3;

/// The parameters of a codebook cache with a memory tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TieredParams {
    /// Entries, lanes and numbers. Vectors of 1, 2, 4, 8 or 16 numbers: a word of memory has whole entries, or an entry whole words.
    pub cache: CacheParams,
    /// Entries that are in LUT RAM, 0 to [`MAX_REGISTERS`], the first ones.
    pub registers: u32,
    /// Entries that are on the chip, those in LUT RAM among them: the first ones, 0 to all but one. The others are read from memory.
    pub shared: u32,
    /// Lookups that may be in memory at once, 1 to [`MAX_LOOKUPS`].
    pub outstanding: u32,
    /// Bits of a byte address.
    pub address_bits: u32,
}

impl TieredParams {
    /// Words of an entry; 1 where a word has one or more.
    pub fn entry_words(self) -> u32 {
        (self.cache.vector / WORD_NUMBERS).max(1)
    }
    /// Bits of an entry that are in a word.
    pub(super) fn piece_bits(self) -> u32 {
        16 * self.cache.vector.min(WORD_NUMBERS)
    }
    /// Bits that say which entry of its word it is.
    pub(super) fn within_bits(self) -> u32 {
        (WORD_NUMBERS / self.cache.vector.min(WORD_NUMBERS)).ilog2()
    }
    /// Bits of the number of a word of an entry.
    pub(super) fn part_bits(self) -> u32 {
        self.entry_words().ilog2()
    }
    /// Bits of an index on the chip.
    pub(super) fn near_bits(self) -> u32 {
        clog2(self.shared.max(2) as usize)
    }
    /// Bits of the address of a word.
    pub(super) fn word_bits(self) -> u32 {
        self.address_bits - WORD_BYTES
    }
    /// Words that may be on their way from memory.
    pub fn reads(self) -> u32 {
        self.outstanding * self.entry_words()
    }
    /// The fewest address bits with which no two words of a book have the same address.
    pub fn least_address_bits(self) -> u32 {
        clog2(8 + 2 * (self.cache.entries * self.cache.vector) as usize)
    }
    /// Do the words of a book of the most entries have addresses of their own?
    pub fn book_has_addresses(self) -> bool {
        self.address_bits >= self.least_address_bits()
    }
    /// The bus.
    pub fn axi(self) -> AxiParams {
        AxiParams { data_bytes: 1 << WORD_BYTES, address_bits: self.address_bits, id_bits: 0 }
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let TieredParams { cache: CacheParams { entries, vector, .. }, registers, shared, outstanding, .. } = self;
        if ![1, 2, 4, 8, 16].contains(&vector) {
            let help = "1, 2, 4, 8 or 16: a word of memory has whole entries, or an entry whole words";
            return Err(Errors::parameter(module, format!("vector = {vector}"), help));
        }
        self.cache.check(module)?;
        self.axi().check_widths(module)?;
        let (what, help) = match () {
            _ if shared >= entries => {
                let help = format!("up to {}: with all entries on the chip it is a codebook cache", entries - 1);
                (format!("shared = {shared} with {entries} entries"), help)
            }
            _ if registers > shared.min(MAX_REGISTERS) => {
                let (most, why) = match shared < MAX_REGISTERS {
                    true => (shared, "those in LUT RAM are the first of those on the chip"),
                    false => (MAX_REGISTERS, "more are cheaper in block RAM"),
                };
                (format!("registers = {registers} with shared = {shared}"), format!("up to {most}: {why}"))
            }
            _ if !(1..=MAX_LOOKUPS).contains(&outstanding) || self.reads() > MAX_READS => {
                let help = format!("from 1 to {}: {MAX_READS} words have room", MAX_READS / self.entry_words());
                (format!("outstanding = {outstanding} with vectors of {vector}"), help)
            }
            _ if !self.book_has_addresses() => {
                let what = format!("address_bits = {} with {entries} entries of {vector} numbers", self.address_bits);
                (what, format!("{} and more: a whole book lies in memory", self.least_address_bits()))
            }
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// A load is announced.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct TieredLoad {
    /// The number that the book must have.
    pub id: Signal,
    /// Where it is in memory, in bytes: a multiple of 8.
    pub address: Signal,
}

/// The shape of an announcement.
pub fn tiered_load(p: TieredParams) -> TieredLoad {
    TieredLoad { id: bits(ID_BITS), address: bits(p.address_bits) }
}

/// Why a lane has no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum TieredCause {
    /// There is no book: none was loaded before the switch, or its load failed.
    Book = 0,
    /// The book has no such entry.
    Index = 1,
    /// Memory answered with an error.
    Bus = 2,
    /// A number that came from memory is infinite or NaN.
    Number = 3,
}

/// A beat with an index without an entry.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct TieredFault {
    /// Why.
    pub cause: StateSignal<TieredCause>,
    /// The number of the beat since the reset, from 0, modulo 2^32.
    pub beat: Signal,
    /// The lane.
    pub lane: Signal,
}

/// The shape of a fault.
pub fn tiered_fault(p: TieredParams) -> TieredFault {
    TieredFault { cause: state(), beat: bits(BEAT_BITS), lane: bits(p.cache.lane_bits()) }
}

/// A beat whose indices are sorted by tiers, without what is asked of memory.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Beat {
    /// The low bits of each index.
    pub(super) index: Vector<Signal>,
    /// The place of its book.
    pub(super) place: Signal,
    /// A bit for each lane: the entry is on the chip.
    pub(super) near: Signal,
    /// A bit for each lane: there is an index, and no entry for it.
    pub(super) wrong: Signal,
    /// Of some lane the entry is in memory.
    pub(super) cold: Signal,
    /// There is no book.
    pub(super) no_book: Signal,
    pub(super) count: Signal,
    pub(super) row_end: Signal,
    pub(super) last: Signal,
}

/// What a beat asks of memory.
#[derive(Clone, Copy, Bundle)]
pub(super) struct ColdBeat {
    pub(super) index: Vector<Signal>,
    /// A bit for each lane: it is asked for.
    pub(super) cold: Signal,
    /// The address of the first entry, in words.
    pub(super) base: Signal,
}

pub(super) fn cold_beat(p: TieredParams) -> ColdBeat {
    let index = vector(bits(p.cache.index_bits()), p.cache.lanes as usize);
    ColdBeat { index, cold: bits(p.cache.lanes), base: bits(p.word_bits()) }
}

/// A beat with the entries that are on the chip; those of other lanes are zero.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Near {
    pub(super) entries: Entries,
    /// There is an index without an entry, in this lane first, and that is because there is no book.
    pub(super) faulty: Signal,
    pub(super) lane: Signal,
    pub(super) no_book: Signal,
    /// Entries of other lanes come from memory.
    pub(super) cold: Signal,
}

pub(super) fn near(p: TieredParams) -> Near {
    let flag = bits(1);
    Near { entries: entries(p.cache), faulty: flag, lane: bits(p.cache.lane_bits()), no_book: flag, cold: flag }
}

/// A word of an entry that came from memory.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Answer {
    /// What of it is of the entry.
    pub(super) piece: Signal,
    /// Which word of the entry it is, if that has several.
    pub(super) part: Option<Signal>,
    pub(super) lane: Signal,
    /// It is the last entry of its beat.
    pub(super) last: Signal,
    /// It came with an error, or a number is infinite or NaN.
    pub(super) bad: Signal,
    /// It came with an error.
    pub(super) failed: Signal,
}

pub(super) fn answer(p: TieredParams) -> Answer {
    let part = (p.part_bits() > 0).then(|| bits(p.part_bits()));
    let flag = bits(1);
    Answer { piece: bits(p.piece_bits()), part, lane: bits(p.cache.lane_bits()), last: flag, bad: flag, failed: flag }
}

impl Answer {
    /// It is the last word of its entry.
    pub(super) fn ends(self) -> Signal {
        self.part.map_or(!self.last.zeros(1), |part| part.all())
    }
}
