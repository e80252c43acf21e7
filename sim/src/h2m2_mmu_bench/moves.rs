//! Pages on the move.

use super::MmuBench;
use crate::golden::h2m2_mmu::PAGE_MOVES;

impl MmuBench<'_> {
    /// A page begins to move: its entry says so, and what the MMU has of it is invalidated.
    pub fn begin_move(&mut self, page: u64) {
        self.store(page, self.word(page) | PAGE_MOVES);
        self.invalidate(page, page);
    }

    /// It has arrived, likewise.
    pub fn end_move(&mut self, page: u64) {
        self.store(page, self.word(page) & !PAGE_MOVES);
        self.invalidate(page, page);
    }

    /// The entry of a page, as it lies in memory.
    pub(super) fn word(&self, page: u64) -> u64 {
        let bytes = self.memory.bytes.read(self.base + 8 * page, 8);
        u64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }
}
