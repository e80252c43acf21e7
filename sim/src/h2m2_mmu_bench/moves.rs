//! Pages on the move.

use super::MmuBench;
use crate::golden::h2m2_mmu::PAGE_MOVES;
use fastrand::Rng;

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

    /// Where writes wait: pages begin to move, mostly some that are used often, and arrive.
    pub(super) fn move_pages(&mut self, rng: &mut Rng) {
        let now = self.bench.cycle();
        self.arrive(now);
        if self.moving.len() < 3 && self.keeps_up() && rng.u32(0..50) == 0 {
            let page = self.random_page(rng);
            self.moving.push((page, now + rng.u64(1..1000)));
            // or nobody is told: then some see it, and some do not
            match rng.u32(0..4) {
                0 => self.store(page, self.word(page) | PAGE_MOVES),
                _ => self.begin_move(page),
            }
        }
    }

    /// Pages that were to arrive up to this cycle have arrived.
    pub(super) fn arrive(&mut self, cycle: u64) {
        let (over, on_the_way): (Vec<_>, Vec<_>) = self.moving.iter().partition(|(_, until)| *until <= cycle);
        self.moving = on_the_way;
        for (page, _) in over {
            self.end_move(page);
        }
    }

    fn word(&self, page: u64) -> u64 {
        let bytes = self.memory.bytes.read(self.base + 8 * page, 8);
        u64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }
}
