//! An attention head with a memory behind it: random jobs, good ones and damaged ones, and a check of what they leave in memory and of how they end.

mod jobs;
mod of_hardware;
mod recorded;

pub use jobs::HeadMemory;
pub use of_hardware::head_register;

use crate::axi_unit::{AxiUnit, Expected, known_fault};
use crate::golden::vq::attention_head::{HeadEnd, HeadJob, HeadUnit};
use fastrand::Rng;

/// A head with everything around it.
pub struct HeadBench<'e> {
    /// What is around it.
    pub axi: AxiUnit<'e>,
    /// The head.
    pub unit: HeadUnit,
    register: fn(&str) -> u64,
}

/// What a job cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadTimes {
    /// Cycles, as the head counts them.
    pub cycles: u64,
    /// Words that were read.
    pub words: usize,
}

/// What a job did.
#[derive(Clone, Copy, Debug)]
pub struct HeadPlayed {
    /// The status when it was started.
    begins: u64,
    /// How it ended.
    pub end: HeadEnd,
    /// What it cost.
    pub times: HeadTimes,
}

impl<'e> HeadBench<'e> {
    /// A head behind its ports, with the byte address of each of its registers.
    pub fn new(axi: AxiUnit<'e>, unit: HeadUnit, register: fn(&str) -> u64) -> HeadBench<'e> {
        HeadBench { axi, unit, register }
    }

    fn write(&mut self, name: &str, value: u64) -> Result<(), String> {
        self.axi.write((self.register)(name), value).map_err(|e| format!("{name}: {e}"))
    }

    /// The value of a register.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn read(&mut self, name: &str) -> Result<u64, String> {
        self.axi.read((self.register)(name)).map_err(|e| format!("{name}: {e}"))
    }

    fn set_address(&mut self, name: &str, address: u64) -> Result<(), String> {
        self.axi.write_address((self.register)(&format!("{name}_low")), address)
    }

    /// Tells the head all of a job but for its start.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn prepare(&mut self, job: &HeadJob) -> Result<(), String> {
        self.write("tokens", job.tokens as u64)?;
        for (which, name) in ["key", "value"].into_iter().enumerate() {
            self.write(&format!("first_{name}_book"), job.first[which].into())?;
            self.write(&format!("{name}_books_bytes"), job.book_bytes[which] as u64)?;
            self.set_address(name, job.vectors[which])?;
            self.set_address(&format!("{name}_books"), job.books[which])?;
            self.set_address(&format!("{name}_rows"), job.rows[which])?;
        }
        self.set_address("query", job.query)?;
        self.set_address("result", job.result)
    }

    /// Starts the job that was told.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn start(&mut self, job: &HeadJob) -> Result<(), String> {
        let what = u64::from(job.append) << 1 | u64::from(job.attend) << 2;
        self.write("job", what)?;
        self.write("status", 2)?; // clears `done`
        self.write("job", what | 1)
    }

    /// Starts another job, which does nothing, while one is under way: that is none.
    fn start_again(&mut self, job: &HeadJob) -> Result<(), String> {
        self.write("job", 0)?;
        match (job.append || job.attend, self.read("status")? & 3) {
            (true, 1) => self.write("job", 1),
            (true, status) => Err(format!("`done` and `busy` are {status:#b} while a job runs: {job:?}")),
            (false, _) => Ok(()), // nothing to do is done at once
        }
    }

    /// Does a job, and compares how it ended, and all of the memory, with the model.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(&mut self, job: &HeadJob) -> Result<HeadTimes, String> {
        self.run_started(job, |_| Ok(()))
    }

    /// The same; when the job was started, something else is done.
    ///
    /// # Errors
    /// As [`HeadBench::run`].
    pub fn run_started(
        &mut self,
        job: &HeadJob,
        also: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<HeadTimes, String> {
        let expected = self.expected(job);
        let also = |this: &mut Self| match expected.end.outcome {
            0 => this.start_again(job).and_then(|()| also(this)),
            _ => also(this), // it may be over at once
        };
        let HeadPlayed { begins, mut end, times } = self.play(job, also)?;
        if begins & 3 != 1 && expected.end.stage != 0 {
            return Err(format!("a job that was started has status {begins:x}: {job:?}"));
        }
        end.fault = known_fault(end.fault, expected.end.fault);
        if end != expected.end {
            return Err(format!("it ended with {end:?}, not {:?}: {job:?}", expected.end));
        }
        let how = format!(", which ended with {:?}: {job:?}", expected.end);
        self.axi.compare(expected).map_err(|e| e + &how)?;
        Ok(times)
    }

    /// What a job should leave, and how it should end, as the model has it.
    pub fn expected(&self, job: &HeadJob) -> Expected<HeadEnd> {
        self.axi.expected(|memory| self.unit.run(memory, job))
    }

    /// Does a job without a check; when it was started, something else is done.
    ///
    /// # Errors
    /// What the bus did wrong; or it hangs.
    pub fn play(
        &mut self,
        job: &HeadJob,
        also: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<HeadPlayed, String> {
        self.prepare(job)?;
        let before = self.axi.memory.read_at(&self.axi.bench, 0).len();
        self.start(job)?;
        let begins = self.read("status")?;
        also(self)?;
        let end = self.end(job)?;
        let cycles = self.read("cycles")?;
        let times = HeadTimes { cycles, words: self.axi.memory.read_at(&self.axi.bench, 0).len() - before };
        Ok(HeadPlayed { begins, end, times })
    }

    /// How the job that was started ends.
    ///
    /// # Errors
    /// What the bus did wrong; or it hangs.
    pub fn end(&mut self, job: &HeadJob) -> Result<HeadEnd, String> {
        let status = self.wait(job)?;
        let position = self.read("position")? as u32;
        let fault = match status >> 10 & 1 {
            0 => None,
            _ => Some(self.axi.read_address((self.register)("fault_low"))?),
        };
        Ok(HeadEnd {
            outcome: (status >> 2 & 15) as u32,
            stage: (status >> 6 & 7) as u32,
            in_rows: status >> 9 & 1 == 1,
            position,
            fault,
        })
    }

    /// Random jobs on a few keys and values, up to half of them with something wrong.
    ///
    /// # Errors
    /// As [`HeadBench::run`].
    pub fn random_jobs(&mut self, rng: &mut Rng, jobs: usize) -> Result<(), String> {
        let unit = self.unit;
        let tokens = rng.usize(0..unit.table.max_tokens.min(200));
        let base = rng.u64(..) >> (64 - unit.address_bits) & !0xff_ffff;
        let mut memory = HeadMemory::random(&unit, rng, &mut self.axi.memory.bytes, (base, tokens));
        for _ in 0..jobs {
            memory.new_vectors(&unit, rng, &mut self.axi.memory.bytes);
            let before = self.axi.memory.bytes.clone();
            let (mut job, errors) = match rng.bool() {
                true => memory.damage(&unit, rng, &mut self.axi.memory.bytes),
                false => (memory.job, vec![]),
            };
            (job.append, job.attend) = [(true, true), (false, true), (true, false), (false, false)][rng.usize(0..4)];
            self.axi.set_errors(errors);
            self.run(&job)?;
            self.axi.set_errors(vec![]);
            let appended = job.append && job.tokens == memory.job.tokens && job.tokens < unit.table.max_tokens;
            memory.job.tokens += usize::from(appended && rng.bool());
            memory.mend(&unit, &mut self.axi.memory.bytes, &before);
        }
        Ok(())
    }

    /// Starts a job, writes what another one needs in the midst of it, and waits until it ends, however it does.
    ///
    /// # Errors
    /// What the bus did wrong; or it hangs.
    pub fn disturb(&mut self, job: &HeadJob, other: &HeadJob, cycles: u64) -> Result<(), String> {
        self.prepare(job)?;
        self.start(job)?;
        self.axi.steps(cycles)?;
        self.prepare(other)?;
        self.wait(job).map(drop)
    }

    fn wait(&mut self, job: &HeadJob) -> Result<u64, String> {
        self.axi.wait((self.register)("status")).map_err(|e| format!("{e}: {job:?}"))
    }
}
