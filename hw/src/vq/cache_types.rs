//! What goes in and out of a codebook cache.

use hdl::*;

/// Numbers of a word of a load: it has 64 bits.
pub const WORD_NUMBERS: u32 = 4;
/// Bits of the number of a book (docs/vq-format.md, section 4).
pub const ID_BITS: u32 = 20;
/// Bits of the number of entries in the first word of a book.
pub(super) const COUNT_BITS: u32 = 12;
/// Bits of the number of a beat.
pub const BEAT_BITS: u32 = 32;
/// The most entries of a book.
pub const MAX_ENTRIES: u32 = 4096;
/// The most lanes.
pub const MAX_CACHE_LANES: u32 = 32;
/// The most numbers of an entry.
pub const MAX_VECTOR: u32 = 16;

/// The parameters of a codebook cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheParams {
    /// The most entries of a book, 2 to [`MAX_ENTRIES`].
    pub entries: u32,
    /// Indices of a beat, 1 to [`MAX_CACHE_LANES`].
    pub lanes: u32,
    /// Numbers of an entry, in binary16, 1 to [`MAX_VECTOR`].
    pub vector: u32,
}

impl CacheParams {
    /// Bits of an index.
    pub fn index_bits(self) -> u32 {
        clog2(self.entries as usize)
    }
    /// Bits of an entry.
    pub fn entry_bits(self) -> u32 {
        16 * self.vector
    }
    /// Numbers that are loaded in a cycle: what divides a word and an entry.
    pub fn piece_numbers(self) -> u32 {
        1 << self.vector.trailing_zeros().min(WORD_NUMBERS.ilog2())
    }
    /// Bits of the number of a word of a book.
    pub(super) fn place_bits(self) -> u32 {
        clog2(1 + (self.entries as usize * self.vector as usize).div_ceil(WORD_NUMBERS as usize))
    }
    /// Bits of a position in a book, in bytes.
    pub fn position_bits(self) -> u32 {
        self.place_bits() + 3
    }
    /// Bits of the number of a lane.
    pub fn lane_bits(self) -> u32 {
        count_bits(self.lanes)
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let CacheParams { entries, lanes, vector } = self;
        let legal = [
            ("entries", entries, 2, MAX_ENTRIES, "an index has 12 bits at most"),
            ("lanes", lanes, 1, MAX_CACHE_LANES, "more are several caches"),
            ("vector", vector, 1, MAX_VECTOR, "the format has no longer vectors"),
        ];
        match legal.into_iter().find(|(_, value, least, most, _)| !(least..=most).contains(&value)) {
            None => Ok(()),
            Some((name, value, least, most, why)) => {
                let help = format!("from {least} to {most}: {why}");
                Err(Errors::parameter(module, format!("{name} = {value} is out of range"), help))
            }
        }
    }
}

/// How a load ended. Of several causes the first one of this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum LoadOutcome {
    /// The book can be switched to.
    Okay = 0,
    /// A word came with an error of the bus.
    Bus = 1,
    /// The book has more entries than a place.
    Large = 2,
    /// The words end before the entries.
    Short = 3,
    /// There are words behind the entries; they were dropped.
    Long = 4,
    /// The CRC-32 is not that of the book.
    Crc = 5,
    /// It is not the book that was asked for.
    Id = 6,
    /// A number is infinite or NaN.
    Number = 7,
    /// What fills the last word is not zero.
    Padding = 8,
}

/// Why a lane has no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
pub enum AccessCause {
    /// There is no book: none was loaded before the switch, or its load failed.
    Book = 0,
    /// The book has no such entry.
    Index = 1,
}

/// A word of a book.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct BookWord {
    /// 8 bytes, the first one low.
    pub data: Signal,
    /// It is the last one of the load.
    pub last: Signal,
    /// The bus made an error; what came is not believed.
    pub failed: Signal,
}

/// The shape of a word of a book.
pub fn book_word() -> BookWord {
    BookWord { data: bits(16 * WORD_NUMBERS), last: bits(1), failed: bits(1) }
}

/// A load has ended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Loaded {
    /// The number that was asked for.
    pub id: Signal,
    /// How it ended.
    pub outcome: StateSignal<LoadOutcome>,
    /// Where it failed, in bytes from the start of the book: the number (`Number`), 0 (`Large`, `Crc`, `Id`), or else the word in which it was
    /// found.
    pub position: Signal,
}

/// The shape of the end of a load.
pub fn loaded(p: CacheParams) -> Loaded {
    Loaded { id: bits(ID_BITS), outcome: state(), position: bits(p.position_bits()) }
}

/// Indices to be looked up.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Access {
    /// One for each lane.
    pub index: Vector<Signal>,
    /// Those that are there, less 1: the first lanes.
    pub count: Signal,
    /// They are the last ones of their row.
    pub row_end: Signal,
    /// And that is the last one of its command.
    pub last: Signal,
    /// From this beat on, the book that was loaded last is read.
    pub switch: Signal,
}

/// The shape of indices to be looked up.
pub fn access(p: CacheParams) -> Access {
    let index = vector(bits(p.index_bits()), p.lanes as usize);
    Access { index, count: bits(p.lane_bits()), row_end: bits(1), last: bits(1), switch: bits(1) }
}

impl Access {
    /// The lane has an index.
    pub(super) fn used(self, m: Module, lane: u32) -> Signal {
        if lane == 0 { m.lit(1u32, 1) } else { self.count.ge(lane) }
    }
    /// A bit for each lane: it has an index.
    pub(super) fn lanes_used(self, m: Module) -> Signal {
        Vector::of((0u32..).zip(self.index).map(|(lane, _)| self.used(m, lane))).pack()
    }
}

/// The entries of a beat.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Entries {
    /// One for each lane, its first number low; zeros where there is none.
    pub entry: Vector<Signal>,
    /// A bit for each lane: there is an index, but no entry for it.
    pub wrong: Signal,
    /// Indices that were there, less 1.
    pub count: Signal,
    /// They were the last ones of their row.
    pub row_end: Signal,
    /// And that was the last one of its command.
    pub last: Signal,
}

/// The shape of the entries of a beat.
pub fn entries(p: CacheParams) -> Entries {
    let entry = vector(bits(p.entry_bits()), p.lanes as usize);
    Entries { entry, wrong: bits(p.lanes), count: bits(p.lane_bits()), row_end: bits(1), last: bits(1) }
}

/// An index without an entry.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct AccessFault {
    /// Why.
    pub cause: StateSignal<AccessCause>,
    /// The number of its beat since the reset, from 0, modulo 2^32.
    pub beat: Signal,
    /// The first lane without an entry.
    pub lane: Signal,
}

/// The shape of an index without an entry.
pub fn access_fault(p: CacheParams) -> AccessFault {
    AccessFault { cause: state(), beat: bits(BEAT_BITS), lane: bits(p.lane_bits()) }
}

/// Bits of the number of a lane.
pub(super) fn count_bits(lanes: u32) -> u32 {
    clog2(lanes as usize).max(1)
}

/// For each number of a word or an entry: it is infinite or NaN.
pub(super) fn not_finite(numbers: Signal) -> Vec<Signal> {
    numbers.lanes(16).into_iter().map(|x| x.bits(14, 10).all()).collect()
}
