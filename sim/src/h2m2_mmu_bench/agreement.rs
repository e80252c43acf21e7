//! Counters and the log of faults say what the answers said.

use super::{Checked, Given, MmuBench};
use crate::golden::h2m2_mmu::{Burst, cause};
use std::collections::HashSet;

/// Counters by their numbers on the page; those of walks have the number of their cause.
mod counter {
    /// Hits.
    pub const HITS: usize = 7;
    /// Beside the cause: of a walk that another miss began.
    pub const SHARED: usize = 8;
    /// Prefetches that the TLB did not have.
    pub const AHEAD: usize = 11;
    /// Hits of entries that do not permit what was asked.
    pub const REFUSED_HITS: usize = 15;
}

impl MmuBench<'_> {
    /// Counters and log say what the answers said; nothing is under way.
    pub fn counters_agree(&mut self) -> Checked {
        let counters = (0..16).map(|i| self.counter(i)).collect::<Result<Vec<u64>, String>>()?;
        let is = |x: &Given, cause| match x.translated.cause {
            cause::MOVING => cause == cause::PERMISSION,
            other => cause == other,
        };
        for cause in 0..7 {
            let answers = self.given.iter().filter(|x| is(x, cause)).count() as u64;
            let walked = cause as usize;
            let numbers: &[usize] = match cause {
                cause::NONE => &[walked, walked + counter::SHARED, counter::HITS],
                cause::PERMISSION => &[walked, walked + counter::SHARED, counter::REFUSED_HITS],
                cause::BEYOND | cause::LEAVES => &[walked],
                _ => &[walked, walked + counter::SHARED],
            };
            let counted: u64 = numbers.iter().map(|i| counters[*i]).sum();
            let more = self.throws_away() && counted > answers; // what was thrown away was counted, too
            if counted != answers && !more {
                return Err(format!("cause {cause}: {answers} answers, but {counters:?} were counted"));
            }
        }
        let walks: u64 = [0, 1, 2, 4, 5].iter().map(|i| counters[*i]).sum();
        let reads = self.memory.requests.len() as u64;
        // a prefetch may be left out, if no walk is free
        if !(walks..=walks + counters[counter::AHEAD]).contains(&reads)
            || (counters[counter::AHEAD] > 0 && !self.prefetch)
        {
            return Err(format!(
                "{walks} walks and {} prefetches were counted, and {reads} reads came",
                counters[counter::AHEAD]
            ));
        }
        self.reads_are_wanted()?;
        self.log_agrees()
    }

    /// Are there lookups of which no answer tells?
    fn throws_away(&self) -> bool {
        self.writes_wait && self.pages_move
    }

    /// The table was read where bursts wanted an entry, or a prefetch may have.
    fn reads_are_wanted(&self) -> Checked {
        let page = |burst: Burst| self.geometry.page(burst.address);
        let bursts = self.given.iter().map(|x| x.burst).filter(|x| self.geometry.wants_entry(*x, self.pages));
        let wanted: HashSet<u64> = bursts.map(page).collect();
        match self.geometry.wrong_read(&self.table_reads(), &wanted, self.pages, self.prefetch) {
            Some(page) => Err(format!("the table was read at page {page:#x}, and nobody wanted that")),
            None => Ok(()),
        }
    }

    /// Pages at which the table was read, in that order; all since the MMU was started at this base.
    pub fn table_reads(&self) -> Vec<u64> {
        self.memory.requests.iter().map(|(_, request)| request.address.wrapping_sub(self.base) / 8).collect()
    }

    /// The faults of the log, at most 16 and one that is shown, are faults of answers; and that some were lost is told.
    fn log_agrees(&mut self) -> Checked {
        let faults: Vec<Given> = self.given.iter().filter(|x| x.translated.cause != cause::NONE).copied().collect();
        let geometry = self.geometry;
        let page_of = |x: &Given| geometry.page(x.burst.address);
        let mut logged = 0;
        loop {
            let (word, page) = (self.read("fault")?, self.read("fault_page")?);
            let lost = word >> 1 & 1 == 1;
            if lost != (faults.len() > 17) && !(self.throws_away() && lost) {
                return Err(format!("{} faults, and the log says {word:#x}", faults.len()));
            }
            if word & 1 == 0 {
                break;
            }
            let (cause, write, requester) = (word >> 4 & 7, word >> 7 & 1 == 1, word >> 8);
            let is_it = |x: &Given| {
                (x.translated.cause, x.burst.write, x.requester as u64) == (cause, write, requester)
                    && page_of(x) == page
            };
            let asked = |x: &Given| (x.burst.write, x.requester as u64) == (write, requester) && page_of(x) == page;
            // what was thrown away may have had another end
            let thrown = self.throws_away() && cause != cause::MOVING && self.given.iter().any(asked);
            if !faults.iter().any(is_it) && !thrown {
                return Err(format!("the log has {word:#x} of page {page:#x}, and no answer was that"));
            }
            logged += 1;
            self.clear(1)?;
        }
        let right = logged == faults.len().min(17) || (self.throws_away() && logged > faults.len());
        if right { Ok(()) } else { Err(format!("{logged} of {} faults were logged", faults.len())) }
    }
}
