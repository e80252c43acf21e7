//! What is asked for: a burst in a page, and random ones.

use super::MmuBench;
use crate::golden::h2m2_mmu::Burst;
use fastrand::Rng;

/// Pages so far apart are of one set: in a TLB of 2,048 entries and 4 ways, and in every smaller one.
const SAME_SET: u64 = 512;

impl MmuBench<'_> {
    /// A read of 64 bytes of a page, at a place that tells of its number.
    pub fn read_of(&self, page: u64) -> Burst {
        let size = self.geometry.page_bytes();
        Burst { address: page * size + 8 * page % (size - 64), bytes: 64, write: false }
    }

    /// A write, likewise.
    pub fn write_of(&self, page: u64) -> Burst {
        Burst { write: true, ..self.read_of(page) }
    }

    /// Mostly near each other, or of the same sets of the TLB; some beyond the table, some that leave their page.
    pub fn random_burst(&self, rng: &mut Rng) -> Burst {
        let (size, pages) = (self.geometry.page_bytes(), self.geometry.pages());
        let in_use = self.pages - self.first;
        let page = match rng.u32(0..40) {
            0 => rng.u64(0..pages),
            1 => self.pages - 1,
            2 => self.pages.min(pages - 1),
            3..24 => self.first + rng.u64(0..in_use.min(8)),
            24..34 if in_use > SAME_SET => {
                self.first + rng.u64(0..in_use.div_ceil(SAME_SET)) * SAME_SET + rng.u64(0..2)
            }
            _ => rng.u64(self.first..self.pages),
        };
        let bytes = if rng.bool() { rng.u64(1..=4096) } else { 64 };
        let offset = match rng.u32(0..8) {
            0 => size - rng.u64(1..=size.min(2 * bytes)),
            1 => size - bytes,
            _ => rng.u64(0..=size - bytes),
        };
        Burst { address: page * size + offset, bytes, write: rng.bool() }
    }
}
