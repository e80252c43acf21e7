//! Counters and the log of faults say what the answers said.

use super::{Checked, Given, MmuBench};
use crate::golden::h2m2_mmu::cause;

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
            let numbers: &[usize] = match cause {
                cause::NONE => &[0, 8, 7],
                cause::PERMISSION => &[2, 10, 15],
                cause::BEYOND | cause::LEAVES => &[cause as usize],
                _ => &[cause as usize, cause as usize + 8],
            };
            let counted: u64 = numbers.iter().map(|i| counters[*i]).sum();
            if counted != answers {
                return Err(format!("cause {cause}: {answers} answers, but {counters:?} were counted"));
            }
        }
        let walks: u64 = [0, 1, 2, 4, 5].iter().map(|i| counters[*i]).sum();
        if walks != self.memory.requests.len() as u64 {
            return Err(format!("{walks} walks were counted, and {} reads came", self.memory.requests.len()));
        }
        self.log_agrees()
    }

    /// The faults of the log, at most 16 and one that is shown, are faults of answers; and that some were lost is told.
    fn log_agrees(&mut self) -> Checked {
        let faults: Vec<Given> = self.given.iter().filter(|x| x.translated.cause != 0).copied().collect();
        let mut logged = 0;
        loop {
            let (word, page) = (self.read("fault")?, self.read("fault_page")?);
            if (word >> 1 & 1 == 1) != (faults.len() > 17) {
                return Err(format!("{} faults, and the log says {word:#x}", faults.len()));
            }
            if word & 1 == 0 {
                break;
            }
            let (cause, write, requester) = (word >> 4 & 7, word >> 7 & 1 == 1, word >> 8);
            let is_it = |x: &Given| {
                (x.translated.cause, x.burst.write, x.requester as u64) == (cause, write, requester)
                    && self.geometry.page(x.burst.address) == page
            };
            if !faults.iter().any(is_it) {
                return Err(format!("the log has {word:#x} of page {page:#x}, and no answer was that"));
            }
            logged += 1;
            self.clear(1)?;
        }
        let right = logged == faults.len().min(17);
        if right { Ok(()) } else { Err(format!("{logged} of {} faults were logged", faults.len())) }
    }
}
