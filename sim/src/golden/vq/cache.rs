//! What a codebook cache answers (vq-llm.txt, section V.C): Load, Access and Switch on two places for books.
//!
//! One place is read while the other is loaded. Loads and accesses are given in the order in which they take effect; the hardware may do them at
//! the same time, but never so that it shows.

use super::crc::crc32_of_two;

/// Why a load failed. Of several causes the first one of this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadCause {
    /// A word came with an error of the bus.
    Bus = 1,
    /// The book has more entries than a place.
    Large = 2,
    /// The words end before the entries.
    Short = 3,
    /// There are words behind the entries.
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

/// A load that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadFault {
    /// Why.
    pub cause: LoadCause,
    /// In bytes from the start of the book: 0 of `Large`, `Crc` and `Id`, the number of `Number`; else the word at which it was found.
    pub position: u32,
}

/// A word of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWord {
    /// 8 bytes, the first one low.
    pub data: u64,
    /// The bus made an error.
    pub failed: bool,
}

/// Why an access has no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessCause {
    /// There is no book: none was loaded, or its load failed.
    Book = 0,
    /// The book has no such entry.
    Index = 1,
}

/// What comes of the indices of a beat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// An entry for each index; zeros where there is none.
    pub entries: Vec<Vec<u16>>,
    /// Whether there is none.
    pub wrong: Vec<bool>,
    /// The first lane without an entry, and why.
    pub fault: Option<(AccessCause, usize)>,
}

/// A codebook cache.
#[derive(Clone, Debug)]
pub struct CodebookCache {
    entries: usize,
    vector: usize,
    places: usize,
    read: Option<Vec<u16>>,
    loaded: Option<Vec<u16>>,
}

impl CodebookCache {
    /// With two places for so many entries of so many numbers.
    pub fn new(entries: usize, vector: usize) -> CodebookCache {
        CodebookCache { entries, vector, places: 2, read: None, loaded: None }
    }

    /// With so many places, one or two.
    pub fn with_places(self, places: usize) -> CodebookCache {
        CodebookCache { places, ..self }
    }

    /// Loads a book into the place that is not read. If there is one place only, nothing is read from then on.
    ///
    /// # Errors
    /// Cause and position; the place has no book then.
    pub fn load(&mut self, id: u32, words: &[LoadWord]) -> Result<(), LoadFault> {
        self.loaded = None;
        if self.places == 1 {
            self.read = None;
        }
        self.loaded = Some(book(self.entries, self.vector, id, words)?);
        Ok(())
    }

    /// Reads from the other place from now on. What was read until now is free.
    pub fn switch(&mut self) {
        self.read = self.loaded.take();
    }

    /// The entries of some indices.
    pub fn access(&self, indices: &[u16]) -> Answer {
        let entry = |index: &u16| {
            let start = usize::from(*index) * self.vector;
            self.read.as_ref()?.get(start..start + self.vector).map(<[u16]>::to_vec)
        };
        let found: Vec<_> = indices.iter().map(entry).collect();
        let wrong: Vec<bool> = found.iter().map(Option::is_none).collect();
        let cause = if self.read.is_none() { AccessCause::Book } else { AccessCause::Index };
        let fault = wrong.iter().position(|wrong| *wrong).map(|lane| (cause, lane));
        Answer { entries: found.into_iter().map(|e| e.unwrap_or(vec![0; self.vector])).collect(), wrong, fault }
    }
}

/// The words of a book (docs/vq-format.md, section 4).
pub fn book_words(id: u32, values: &[u16], vector: usize) -> Vec<LoadWord> {
    let head = (values.len() / vector - 1) as u32 | id << 12;
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let crc = crc32_of_two(&head.to_le_bytes(), &bytes);
    let body = bytes.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    let first = u64::from(crc) << 32 | u64::from(head);
    std::iter::once(first).chain(body).map(|data| LoadWord { data, failed: false }).collect()
}

/// The values of a book, if all is well with it.
fn book(entries: usize, vector: usize, id: u32, words: &[LoadWord]) -> Result<Vec<u16>, LoadFault> {
    let fault = |cause, position: usize| Err(LoadFault { cause, position: position as u32 });
    let head = words[0].data as u32;
    let count = (head & 0xfff) as usize + 1;
    let needed = 1 + (count * vector).div_ceil(4);
    let failed = words.iter().position(|word| word.failed);
    if failed == Some(0) {
        return fault(LoadCause::Bus, 0);
    }
    if count > entries {
        return fault(LoadCause::Large, 0);
    }
    // what comes behind the word that should have been the last one is not looked at
    if let Some(at) = failed.filter(|at| *at < needed) {
        return fault(LoadCause::Bus, 8 * at);
    }
    if words.len() < needed {
        return fault(LoadCause::Short, 8 * (words.len() - 1));
    }
    if words.len() > needed {
        return fault(LoadCause::Long, 8 * (needed - 1));
    }
    let mut values: Vec<u16> =
        words[1..].iter().flat_map(|w| [0, 16, 32, 48].map(|at| (w.data >> at) as u16)).collect();
    let padding = values.split_off(count * vector);
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    if crc32_of_two(&head.to_le_bytes(), &bytes) != (words[0].data >> 32) as u32 {
        return fault(LoadCause::Crc, 0);
    }
    if head >> 12 != id {
        return fault(LoadCause::Id, 0);
    }
    if let Some(at) = values.iter().position(|x| x & 0x7c00 == 0x7c00) {
        return fault(LoadCause::Number, 8 + 2 * at);
    }
    match padding.iter().any(|x| *x != 0) {
        true => fault(LoadCause::Padding, 8 * (needed - 1)),
        false => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_of_the_formats_page() {
        // section 10, book 0: three entries of two numbers
        let words = book_words(0, &[0x3c00, 0x4000, 0xbc00, 0x3800, 0, 0], 2);
        assert_eq!(words[1].data, 0x3800_bc00_4000_3c00);
        assert_eq!((words.len(), words[0].data as u32), (3, 2));
        let mut cache = CodebookCache::new(4, 2);
        assert_eq!(cache.load(0, &words), Ok(()));
        assert_eq!(cache.access(&[0]).fault, Some((AccessCause::Book, 0)), "it is not read before the switch");
        cache.switch();
        let answer = cache.access(&[1, 3, 0]);
        assert_eq!(answer.entries, [[0xbc00, 0x3800], [0, 0], [0x3c00, 0x4000]]);
        assert_eq!((answer.wrong, answer.fault), (vec![false, true, false], Some((AccessCause::Index, 1))));
        cache.switch();
        assert_eq!(cache.access(&[0, 1]).fault, Some((AccessCause::Book, 0)), "a book is switched to once");
    }

    #[test]
    fn damaged_books() {
        let values = [0x3c00, 0x4000, 0xbc00, 0x3800, 0, 0];
        let good = book_words(5, &values, 2);
        let load = |id, words: &[LoadWord]| {
            CodebookCache::new(3, 2).load(id, words).map_err(|fault| (fault.cause, fault.position))
        };
        let damaged = |at: usize, mask: u64| {
            let mut words = good.clone();
            words[at].data ^= mask;
            words
        };
        let failed = |at: usize| {
            let mut words = good.clone();
            words[at].failed = true;
            words
        };
        assert_eq!(load(5, &good), Ok(()));
        assert_eq!(load(5, &failed(2)), Err((LoadCause::Bus, 16)));
        assert_eq!(load(5, &damaged(0, 1)), Err((LoadCause::Large, 0)));
        assert_eq!(load(5, &good[..2]), Err((LoadCause::Short, 8)));
        assert_eq!(load(5, &[&good[..], &good[..]].concat()), Err((LoadCause::Long, 16)));
        assert_eq!(load(5, &damaged(1, 1 << 40)), Err((LoadCause::Crc, 0)));
        assert_eq!(load(4, &good), Err((LoadCause::Id, 0)));
        assert_eq!(load(5, &damaged(2, 1 << 32)), Err((LoadCause::Padding, 16)));
        let mut infinite = values;
        infinite[4] = 0xfc00;
        assert_eq!(load(5, &book_words(5, &infinite, 2)), Err((LoadCause::Number, 16)));
    }
}
