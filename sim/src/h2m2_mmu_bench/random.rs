//! Random traffic: changes of the table, errors and invalidations beside the requests.

use super::{Checked, MmuBench};
use crate::bus::Stalls;
use crate::bus::axi4::Response;
use crate::golden::h2m2_mmu::PAGE_MOVES;
use fastrand::Rng;

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
        self.surplus = false;
        self.finish(20_000)
    }

    /// An entry for a page that is not on its way, where writes would wait for its end.
    fn next_entry(&self, rng: &mut Rng) -> u64 {
        let word = self.random_entry(rng);
        if self.writes_wait { word & !PAGE_MOVES } else { word }
    }

    /// Where writes wait: pages begin to move, mostly some that are used often, and arrive.
    fn move_pages(&mut self, rng: &mut Rng) {
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
    fn arrive(&mut self, cycle: u64) {
        let (over, on_the_way): (Vec<_>, Vec<_>) = self.moving.iter().partition(|(_, until)| *until <= cycle);
        self.moving = on_the_way;
        for (page, _) in over {
            self.end_move(page);
        }
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
            27..29 => self.surplus = rng.bool(),
            _ => {}
        }
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
            4..6 => word | PAGE_MOVES,
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
