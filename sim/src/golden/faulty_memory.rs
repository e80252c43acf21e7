//! A memory as units see it through the burst reader and the burst writer: where it answers with errors, and what then comes of it.

use super::vq::cache::LoadWord;
use crate::bus::axi4_memory::{MemoryModel, SparseBytes};
use std::ops::Range;

/// A fault whose address is not told.
pub const BEYOND: u64 = u64::MAX;

/// A memory, and where it answers with errors.
pub struct FaultyMemory<'m> {
    /// What it holds.
    pub bytes: &'m mut SparseBytes,
    /// Its errors.
    pub model: &'m MemoryModel,
    /// Bits of a byte address.
    pub address_bits: u32,
    /// What it refused to take: any of the words without an error may have been written.
    pub undefined: Vec<Range<u128>>,
    /// Where the first error was; [`BEYOND`] if that was behind the last address.
    pub fault: Option<u64>,
}

impl FaultyMemory<'_> {
    /// The error at an address, as `fault` has it; it is told as that of `told`.
    fn error_at(&self, address: u128, told: u128) -> Option<u64> {
        let beyond = address >> self.address_bits != 0;
        if beyond { Some(BEYOND) } else { self.model.error_at(address as u64).map(|_| told as u64) }
    }
    /// Words as they come from the reader: at an error the words end; the one before it is not told of any more. No words are one of zeros.
    pub(super) fn words(&mut self, address: u64, count: usize) -> Vec<LoadWord> {
        let at = |word: usize| u128::from(address) + 8 * word as u128;
        let failing = (0..count).find_map(|word| Some((word, self.error_at(at(word), at(word))?)));
        self.fault = self.fault.or(failing.map(|(_, told)| told));
        let whole = failing.map_or(count, |(word, _)| word.saturating_sub(1));
        let bytes = self.bytes.read(address, 8 * whole);
        let word =
            |bytes: &[u8]| LoadWord { data: u64::from_le_bytes(bytes.try_into().expect("8 bytes")), failed: false };
        let last = (failing.is_some() || count == 0).then_some(LoadWord { data: 0, failed: count != 0 });
        bytes.chunks(8).map(word).chain(last).collect()
    }
    /// Numbers of binary16, four in a word; none if not all could be read.
    pub(super) fn vector(&mut self, address: u64, numbers: usize) -> Option<Vec<u16>> {
        let words = self.words(address, numbers / 4);
        let numbers = words.iter().flat_map(|word| (0..4).map(|i| (word.data >> (16 * i)) as u16));
        words.iter().all(|word| !word.failed).then(|| numbers.collect())
    }
    /// Whether all of it was written.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let first = u128::from(address);
        let burst = |at: u128| first.max(at / 4096 * 4096);
        let all = first..first + bytes.len() as u128;
        let Some(fault) = all.clone().find_map(|at| self.error_at(at, burst(at))) else {
            self.bytes.write(address, bytes);
            return true;
        };
        self.fault = self.fault.or(Some(fault));
        self.undefined.push(all);
        false
    }
}
