//! Random traffic: requests, changes of the table, errors and invalidations.

use super::{Checked, MmuBench};
use crate::bus::Stalls;
use crate::bus::axi4::Response;
use crate::golden::h2m2_mmu::Burst;
use fastrand::Rng;

/// Pages so far apart are of one set: in a TLB of 2,048 entries and 4 ways, and in every smaller one.
const SAME_SET: u64 = 512;
/// The bit of an entry whose page is on the move.
const MOVING: u64 = 1 << 5;

impl MmuBench<'_> {
    /// Requests, changes of the table, errors and invalidations at random for so many cycles; then until all is over.
    pub fn random(&mut self, cycles: u64, rng: &mut Rng) -> Checked {
        // a short table, or one whose pages share the sets of a TLB of 2,048 entries
        let pages = if rng.bool() { rng.u64(100..400) } else { rng.u64(3000..5000) };
        let pages = pages.min(self.geometry.pages() - 1);
        // and at times behind many pages that nobody uses, so that all bits of a page's number count
        let most = self.geometry.pages().min(1 << (self.geometry.physical_bits - 4));
        self.first = if rng.bool() { rng.u64(0..most - pages) } else { 0 };
        let pages = self.first + pages;
        let most = (1u64 << self.geometry.physical_bits) - 8 * pages - 4096;
        self.start(rng.u64(0..most) / 4096 * 4096, pages)?;
        (self.first..pages).for_each(|page| {
            let word = self.next_entry(rng);
            self.store(page, word);
        });
        self.invalidate(0, self.geometry.pages() - 1);
        for cycle in 0..cycles {
            // quiet at times, so that invalidations find nothing under way
            if cycle % 1000 < 900 && self.unanswered() < 40 * self.requesters.len() {
                for requester in 0..self.requesters.len() {
                    let burst = self.random_burst(rng);
                    self.ask(requester, burst);
                }
            }
            self.disturb(rng);
            self.step()?;
        }
        self.arrive(u64::MAX);
        self.finish(20_000)
    }

    /// An entry for a page that is not on its way, where writes would wait for its end.
    fn next_entry(&self, rng: &mut Rng) -> u64 {
        let word = self.random_entry(rng);
        if self.writes_wait { word & !MOVING } else { word }
    }

    /// Where writes wait: pages begin to move, mostly some that are used often, and arrive.
    fn move_pages(&mut self, rng: &mut Rng) {
        let now = self.bench.cycle();
        self.arrive(now);
        if self.moving.len() < 3 && self.keeps_up() && rng.u32(0..50) == 0 {
            let page = self.random_page(rng);
            let word = self.word(page) | MOVING;
            self.store(page, word);
            self.moving.push((page, now + rng.u64(1..1000)));
            if rng.u32(0..4) > 0 {
                self.invalidate(page, page);
            }
        }
    }

    /// Pages that were to arrive up to this cycle have arrived.
    fn arrive(&mut self, cycle: u64) {
        let (over, on_the_way): (Vec<_>, Vec<_>) = self.moving.iter().partition(|(_, until)| *until <= cycle);
        self.moving = on_the_way;
        for (page, _) in over {
            let word = self.word(page) & !MOVING;
            self.store(page, word);
            self.invalidate(page, page);
        }
    }

    fn word(&self, page: u64) -> u64 {
        let bytes = self.memory.bytes.read(self.base + 8 * page, 8);
        u64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }

    /// A page of the table; three of four are among those that are used often.
    fn random_page(&self, rng: &mut Rng) -> u64 {
        let pages = self.pages - self.first;
        self.first + if rng.u32(0..4) > 0 { rng.u64(0..pages.min(8)) } else { rng.u64(0..pages) }
    }

    /// Few invalidations wait at the port: the next one has its turn soon.
    fn keeps_up(&self) -> bool {
        self.not_done() < 3
    }

    fn disturb(&mut self, rng: &mut Rng) {
        let pages = self.pages;
        if self.writes_wait && self.pages_move {
            self.move_pages(rng);
        }
        if rng.u32(0..20) == 0 {
            let (page, word) = (self.random_page(rng), self.next_entry(rng));
            self.store(page, word);
            if rng.bool() && self.keeps_up() {
                self.invalidate(page, page);
            }
        }
        match rng.u32(0..1000) {
            0..3 => self.set_error(self.random_page(rng), Some([Response::Slave, Response::Decode][rng.usize(0..2)])),
            3..10 => self.clear_error(),
            10..15 if self.keeps_up() => {
                let first = rng.u64(self.first..pages);
                self.invalidate(first, first + rng.u64(0..50).min(self.geometry.pages() - 1 - first));
            }
            15..20 => {
                let first = rng.u64(self.first..pages);
                self.invalidate_by_software(first, rng.u64(first..pages));
            }
            20..22 if self.keeps_up() => self.invalidate(0, self.geometry.pages() - 1),
            22..25 => {
                let stalls = [Stalls::Never, Stalls::Percent(90), Stalls::Runs(200)][rng.usize(0..3)];
                self.stall(rng.usize(0..self.requesters.len()), stalls);
            }
            25..27 => self.use_for = [0, 30, 300][rng.usize(0..3)],
            _ => {}
        }
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

    /// Mostly good ones, all kinds of bad ones among them.
    pub fn random_entry(&self, rng: &mut Rng) -> u64 {
        let frames = 1 << (self.geometry.physical_bits - self.geometry.page_bits);
        let word = self.geometry.entry(rng.u64(0..frames), rng.u64(0..3), rng.u32(0..8) > 0, rng.u32(0..4) > 0);
        match rng.u32(0..12) {
            0 => word & !1,
            1 => rng.u64(..),
            2 => word | 1 << rng.u32(6..64),
            3 => word | 3 << 3,
            4..6 => word | MOVING,
            _ => word,
        }
    }

    pub(super) fn clear_error(&mut self) {
        if let Some((range, _)) = self.model.errors.first() {
            let page = (range.start - self.base) / 8;
            self.set_error(page, None);
        }
    }
}
