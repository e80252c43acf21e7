//! Translations in use: how long they are, and that none of them is an old one when the MMU says so.

use super::{Checked, MmuBench};
use crate::golden::h2m2_mmu::Stored;

impl MmuBench<'_> {
    /// The epochs of all translations in use.
    pub fn epochs_in_use(&self) -> Vec<u64> {
        self.requesters.iter().flat_map(|r| &r.in_use).map(|used| used.epoch).collect()
    }

    /// Every translation in use is one that an answer in this cycle could be.
    pub(super) fn nobody_uses_old_entries(&self, cycle: u64) -> Checked {
        for used in self.requesters.iter().flat_map(|r| &r.in_use) {
            let page = self.geometry.page(used.burst.address);
            let possible = self.history.possible(page, cycle + 1);
            let right = |entry: &Stored| self.geometry.translate(used.burst, *entry, self.pages) == used.translated;
            if !possible.iter().any(right) {
                return Err(format!("cycle {cycle}: drained, and {used:x?} is in use; possible: {possible:x?}"));
            }
        }
        Ok(())
    }

    /// Hands one of those back that are due, in any order; with `surplus` also what was never given, where none is in use.
    pub(super) fn hand_back(&mut self, i: usize, cycle: u64) {
        let r = &mut self.requesters[i];
        let due: Vec<usize> = (0..r.in_use.len()).filter(|at| r.in_use[*at].until <= cycle && !self.keeps).collect();
        let chosen = (!due.is_empty()).then(|| due[self.rng.usize(0..due.len())]);
        let epoch = chosen.map_or(self.rng.u64(0..2), |at| r.in_use.swap_remove(at).epoch);
        let surplus = self.surplus && chosen.is_none() && r.in_use.iter().all(|used| used.epoch != epoch);
        self.bench.engine.poke(r.release[0], (chosen.is_some() || surplus).into());
        self.bench.engine.poke(r.release[1], epoch);
    }
}
