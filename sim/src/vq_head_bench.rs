//! An attention head with a memory behind it: random jobs, good ones and damaged ones, and a check of what they leave in memory and of how they end.

mod jobs;
mod recorded;

pub use jobs::HeadMemory;

use crate::bus::axi4::Response as Answer;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel, SparseBytes};
use crate::bus::{AxiLiteMaster, Bench, Response, Stalls};
use crate::golden::vq::attention_head::{FaultyMemory, HeadEnd, HeadJob, HeadUnit};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use std::ops::Range;

/// The ports of a head, and the byte address of each of its registers.
pub struct HeadPorts<'p, A, R, W> {
    /// Registers.
    pub axil: &'p A,
    /// The bus that reads.
    pub reads: &'p R,
    /// The bus that writes.
    pub writes: &'p W,
    /// Where a register is, by its name.
    pub register: fn(&str) -> u64,
}

/// A head with everything around it.
pub struct HeadBench<'e> {
    /// Everything that moves.
    pub bench: Bench<'e>,
    /// What is behind both buses.
    pub memory: Axi4Memory,
    /// The head.
    pub unit: HeadUnit,
    model: MemoryModel,
    master: AxiLiteMaster,
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

/// What a job should do.
pub struct HeadExpected {
    /// What is in memory behind it.
    pub bytes: SparseBytes,
    /// How it ends.
    pub end: HeadEnd,
    /// Where any byte may have been written.
    undefined: Vec<Range<u64>>,
}

impl<'e> HeadBench<'e> {
    /// A head after a reset of one cycle, the shortest.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn new<P, A: Bundle, R: Bundle, W: Bundle>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        ports: HeadPorts<A, R, W>,
        unit: HeadUnit,
        (model, seed): (MemoryModel, u64),
    ) -> Result<HeadBench<'e>, String> {
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(model.clone(), seed);
        memory.read_port(&mut bench, design, ports.reads);
        memory.write_port(&mut bench, design, ports.writes);
        let master = AxiLiteMaster::new(&mut bench, design, ports.axil, Stalls::Never);
        bench.engine.set_reset(0, true);
        bench.engine.step();
        bench.engine.set_reset(0, false);
        Ok(HeadBench { bench, memory, unit, model, master, register: ports.register })
    }

    /// The memory answers with errors at these addresses from now on.
    pub fn set_errors(&mut self, errors: Vec<(std::ops::Range<u64>, Answer)>) {
        self.model.errors = errors;
        self.memory.set_model(self.model.clone());
    }

    fn write(&mut self, name: &str, value: u64) -> Result<(), String> {
        let before = self.master.answered(&self.bench).0;
        self.master.queue_write(&mut self.bench, (self.register)(name), value, 15);
        self.step_until(|this| this.master.answered(&this.bench).0 > before, name)
    }

    /// The value of a register.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn read(&mut self, name: &str) -> Result<u64, String> {
        let before = self.master.answered(&self.bench).1;
        self.master.queue_read(&mut self.bench, (self.register)(name));
        self.step_until(|this| this.master.answered(&this.bench).1 > before, name)?;
        match self.master.last_read(&self.bench).map_err(|e| e.to_string())? {
            Some((Response::Okay, value)) => Ok(value),
            other => Err(format!("{name} gives {other:?}")),
        }
    }

    fn step(&mut self) -> Result<(), String> {
        self.memory.step(&mut self.bench).map_err(|e| format!("{e:?}"))?;
        self.bench.step().map_err(|e| e.to_string())
    }

    fn step_until(&mut self, over: impl Fn(&Self) -> bool, name: &str) -> Result<(), String> {
        for _ in 0..1000 {
            if over(self) {
                return Ok(());
            }
            self.step()?;
        }
        Err(format!("no answer of {name}"))
    }

    fn set_address(&mut self, name: &str, address: u64) -> Result<(), String> {
        self.write(&format!("{name}_low"), address & 0xffff_ffff)?;
        match self.unit.address_bits {
            ..=32 => Ok(()), // the other register cannot be written
            _ => self.write(&format!("{name}_high"), address >> 32),
        }
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
        let HeadPlayed { begins, mut end, times } = self.play(job, also)?;
        if begins & 3 != 1 && expected.end.stage != 0 {
            return Err(format!("a job that was started has status {begins:x}: {job:?}"));
        }
        if expected.end.fault == Some(HeadEnd::BEYOND) {
            end.fault = end.fault.and(expected.end.fault);
        }
        if end != expected.end {
            return Err(format!("it ended with {end:?}, not {:?}: {job:?}", expected.end));
        }
        let mut bytes = expected.bytes;
        for at in expected.undefined.into_iter().flatten() {
            let found = self.memory.bytes.read(at, 1);
            bytes.write(at, &found);
        }
        if self.memory.bytes.pages() != bytes.pages() {
            return Err(format!(
                "other bytes in memory than those of the model, which ended with {:?}: {job:?}",
                expected.end
            ));
        }
        Ok(times)
    }

    /// What a job should leave, and how it should end, as the model has it.
    pub fn expected(&self, job: &HeadJob) -> HeadExpected {
        let mut bytes = self.memory.bytes.clone();
        let (model, address_bits) = (&self.model, self.unit.address_bits);
        let mut memory = FaultyMemory { bytes: &mut bytes, model, address_bits, undefined: vec![], fault: None };
        let end = self.unit.run(&mut memory, job);
        let undefined = memory.undefined;
        HeadExpected { bytes, end, undefined }
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
        let before = self.memory.read_at(&self.bench, 0).len();
        self.start(job)?;
        let begins = self.read("status")?;
        also(self)?;
        let status = self.wait(job)?;
        let position = self.read("position")? as u32;
        let fault = match status >> 10 & 1 {
            0 => None,
            _ => Some(self.read("fault_high")? << 32 | self.read("fault_low")?),
        };
        let end = HeadEnd {
            outcome: (status >> 2 & 15) as u32,
            stage: (status >> 6 & 7) as u32,
            in_rows: status >> 9 & 1 == 1,
            position,
            fault,
        };
        let cycles = self.read("cycles")?;
        let times = HeadTimes { cycles, words: self.memory.read_at(&self.bench, 0).len() - before };
        Ok(HeadPlayed { begins, end, times })
    }

    /// Random jobs on a few keys and values, up to half of them with something wrong.
    ///
    /// # Errors
    /// As [`HeadBench::run`].
    pub fn random_jobs(&mut self, rng: &mut Rng, jobs: usize) -> Result<(), String> {
        let unit = self.unit;
        let tokens = rng.usize(0..unit.table.max_tokens.min(200));
        let base = rng.u64(..) >> (64 - unit.address_bits) & !0xff_ffff;
        let mut memory = HeadMemory::random(&unit, rng, &mut self.memory.bytes, (base, tokens));
        for _ in 0..jobs {
            memory.new_vectors(&unit, rng, &mut self.memory.bytes);
            let before = self.memory.bytes.clone();
            let (mut job, errors) = match rng.bool() {
                true => memory.damage(&unit, rng, &mut self.memory.bytes),
                false => (memory.job, vec![]),
            };
            (job.append, job.attend) = [(true, true), (false, true), (true, false), (false, false)][rng.usize(0..4)];
            self.set_errors(errors);
            self.run(&job)?;
            self.set_errors(vec![]);
            let appended = job.append && job.tokens == memory.job.tokens && job.tokens < unit.table.max_tokens;
            memory.job.tokens += usize::from(appended && rng.bool());
            memory.mend(&unit, &mut self.memory.bytes, &before);
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
        self.steps(cycles)?;
        self.prepare(other)?;
        self.wait(job).map(drop)
    }

    /// So many cycles.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn steps(&mut self, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step())
    }

    fn wait(&mut self, job: &HeadJob) -> Result<u64, String> {
        for _ in 0..20_000 {
            let status = self.read("status")?;
            if status & 2 == 2 {
                return if status & 1 == 0 { Ok(status) } else { Err("done, and busy".into()) };
            }
            self.steps(50)?;
        }
        Err(format!("it hangs: {job:?}"))
    }
}
