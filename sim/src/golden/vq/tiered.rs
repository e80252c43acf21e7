//! What a codebook cache with a memory tier answers (vq-llm.txt, section V): the first entries of a book are on the chip, as they were loaded; each of
//! the others is read from memory when it is asked for.

use super::cache::{self, CodebookCache, LoadFault, LoadWord};

/// Why an access has no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieredCause {
    /// There is no book: none was loaded, or its load failed.
    Book = 0,
    /// The book has no such entry.
    Index = 1,
    /// Memory answered with an error.
    Bus = 2,
    /// A number that came from memory is infinite or NaN.
    Number = 3,
}

/// What comes of the indices of a beat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TieredAnswer {
    /// An entry for each index; zeros where there is none.
    pub entries: Vec<Vec<u16>>,
    /// Whether there is none.
    pub wrong: Vec<bool>,
    /// Why, and in which lane: an index without an entry before an entry that memory did not give, of each the first.
    pub fault: Option<(TieredCause, usize)>,
    /// The addresses of the words that memory is asked for, in their order.
    pub asked: Vec<u64>,
}

/// A codebook cache with a memory tier.
#[derive(Clone, Debug)]
pub struct TieredCache {
    /// It knows which books are good, and which indices they have.
    cache: CodebookCache,
    vector: usize,
    shared: usize,
    /// Where the book that was loaded last stands in memory, and the one that is read.
    loaded: u64,
    read: u64,
}

impl TieredCache {
    /// With two places for the first `shared` of so many entries of so many numbers.
    pub fn new(entries: usize, vector: usize, shared: usize) -> TieredCache {
        TieredCache { cache: CodebookCache::new(entries, vector), vector, shared, loaded: 0, read: 0 }
    }

    /// Loads a book into the place that is not read; it stands in memory at an address, too.
    ///
    /// # Errors
    /// Cause and position; the place has no book then.
    pub fn load(&mut self, id: u32, address: u64, words: &[LoadWord]) -> Result<(), LoadFault> {
        self.loaded = address;
        self.cache.load(id, words)
    }

    /// Reads from the other place from now on. What was read until now is free.
    pub fn switch(&mut self) {
        self.cache.switch();
        self.read = self.loaded;
    }

    /// The entries of some indices, with a memory that gives the word of 8 bytes at an address, or an error.
    pub fn access(&self, indices: &[u16], memory: impl Fn(u64) -> Option<u64>) -> TieredAnswer {
        let cache::Answer { mut entries, mut wrong, fault } = self.cache.access(indices);
        let mut fault = fault.map(|(cause, lane)| match cause {
            cache::AccessCause::Book => (TieredCause::Book, lane),
            cache::AccessCause::Index => (TieredCause::Index, lane),
        });
        let mut asked = vec![];
        for (lane, index) in indices.iter().map(|index| usize::from(*index)).enumerate() {
            if wrong[lane] || index < self.shared {
                continue;
            }
            asked.extend(self.words(index));
            match self.cold(index, &memory) {
                Ok(entry) => entries[lane] = entry,
                Err(cause) => {
                    entries[lane] = vec![0; self.vector];
                    wrong[lane] = true;
                    fault.get_or_insert((cause, lane));
                }
            }
        }
        TieredAnswer { entries, wrong, fault, asked }
    }

    /// Where an entry begins in memory.
    fn start(&self, index: usize) -> u64 {
        self.read.wrapping_add(8 + 2 * (self.vector * index) as u64)
    }

    /// The addresses of the words that an entry is in.
    fn words(&self, index: usize) -> impl Iterator<Item = u64> {
        let first = self.start(index) & !7;
        (0..self.vector.div_ceil(4) as u64).map(move |number| first.wrapping_add(8 * number))
    }

    /// An entry in memory. Its words are looked at in their order.
    fn cold(&self, index: usize, memory: &impl Fn(u64) -> Option<u64>) -> Result<Vec<u16>, TieredCause> {
        let mut entry = vec![];
        for address in self.words(index) {
            let word = memory(address).ok_or(TieredCause::Bus)?;
            let first = (self.start(index) & 7) / 2; // only of an entry of less than a word
            let numbers = (first..4).take(self.vector).map(|at| (word >> (16 * at)) as u16);
            if numbers.clone().any(|x| x & 0x7c00 == 0x7c00) {
                return Err(TieredCause::Number);
            }
            entry.extend(numbers);
        }
        Ok(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cache::book_words;
    use super::*;

    #[test]
    fn the_first_entries_are_those_that_were_loaded() {
        let values: Vec<u16> = (0..10).collect();
        let mut cache = TieredCache::new(8, 2, 2);
        assert_eq!(cache.load(3, 0x1000, &book_words(3, &values, 2)), Ok(()));
        assert_eq!(cache.access(&[0], |_| None).fault, Some((TieredCause::Book, 0)));
        cache.switch();
        // entry 2 has the first two numbers of the second word behind the head
        let memory = |address| match address {
            0x1010 => Some(0x0004_0003_0002_0001),
            0x1018 => Some(0x7c00_0000_0000_0009),
            _ => None,
        };
        let answer = cache.access(&[1, 2, 3], memory);
        assert_eq!(answer.entries, [[2, 3], [1, 2], [3, 4]]);
        assert_eq!((answer.wrong, answer.fault), (vec![false; 3], None));
        assert_eq!(answer.asked, [0x1010, 0x1010]);
        // what else is in the word of an entry is not looked at
        let answer = cache.access(&[4, 0], memory);
        assert_eq!((answer.entries, answer.fault), (vec![vec![9, 0], vec![0, 1]], None));
    }

    #[test]
    fn entries_that_memory_does_not_give() {
        let mut cache = TieredCache::new(4, 8, 0);
        assert_eq!(cache.load(0, 0, &book_words(0, &[1; 24], 8)), Ok(()));
        cache.switch();
        let memory = |address| match address {
            8 | 24 => Some(1),
            32 => Some(0xfc00_0000_0000),
            40 | 48 => Some(7),
            _ => None,
        };
        // 0 fails in its second word, 1 has an infinite number in its second word
        let answer = cache.access(&[2, 1, 0, 2], memory);
        assert_eq!(answer.wrong, [false, true, true, false]);
        assert_eq!(answer.fault, Some((TieredCause::Number, 1)));
        assert_eq!(answer.entries[0], [7, 0, 0, 0, 7, 0, 0, 0]);
        assert_eq!(answer.entries[1..3], [[0; 8], [0; 8]]);
        assert_eq!(cache.access(&[0, 1], memory).fault, Some((TieredCause::Bus, 0)));
        // an index without an entry comes first
        assert_eq!(cache.access(&[0, 3], memory).fault, Some((TieredCause::Index, 1)));
    }
}
