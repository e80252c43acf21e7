//! The merging over AXI with a memory behind it: jobs, good ones and damaged ones, and a check of what they leave in memory and of how they end.

use crate::axi_unit::{AxiUnit, Expected, known_fault};
use crate::bus::axi4::Response as Answer;
use crate::golden::attention::merge::Partial;
use crate::golden::attention::merge_axi::{MergeAxiEnd, MergeAxiJob, MergeAxiUnit};
use crate::merge_bench::random_parts;
use fastrand::Rng;
use std::ops::Range;

/// The unit with everything around it.
pub struct MergeAxiBench<'e> {
    /// What is around it.
    pub axi: AxiUnit<'e>,
    /// The unit.
    pub unit: MergeAxiUnit,
    register: fn(&str) -> u64,
}

impl<'e> MergeAxiBench<'e> {
    /// The unit behind its ports, with the byte address of each of its registers.
    pub fn new(axi: AxiUnit<'e>, unit: MergeAxiUnit, register: fn(&str) -> u64) -> MergeAxiBench<'e> {
        MergeAxiBench { axi, unit, register }
    }

    /// Writes partial results as heads do.
    pub fn place(&mut self, at: u64, parts: &[Partial]) {
        for (i, part) in (0u64..).zip(parts) {
            let words = part.vector.iter().chain([&part.largest, &part.sum, &0, &0]);
            let bytes: Vec<u8> = words.flat_map(|x| x.to_le_bytes()).collect();
            self.axi.memory.bytes.write(at + i * self.unit.stride(), &bytes);
        }
    }

    fn write(&mut self, name: &str, value: u64) -> Result<(), String> {
        self.axi.write((self.register)(name), value).map_err(|e| format!("{name}: {e}"))
    }

    /// Starts a job.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn start(&mut self, job: &MergeAxiJob) -> Result<(), String> {
        for (name, at) in [("partial_low", job.partial), ("result_low", job.result)] {
            self.axi.write_address((self.register)(name), at)?;
        }
        let parts = (job.parts as u64) << 1;
        self.write("job", parts)?;
        self.write("status", 2)?; // clears `done`
        self.write("job", parts | 1)
    }

    /// Starts another job, of no parts, while one is under way: that is none, and the one under way is still there.
    fn start_again(&mut self, job: &MergeAxiJob) -> Result<(), String> {
        self.write("job", 0)?;
        self.write("job", 1)?;
        let status = self.axi.read((self.register)("status"))? & 3;
        self.write("job", (job.parts as u64) << 1 | 1)?;
        if status == 1 { Ok(()) } else { Err(format!("`done` and `busy` are {status:#b} while a job runs")) }
    }

    /// How the job that was started ends.
    ///
    /// # Errors
    /// What the bus did wrong; or it hangs.
    pub fn end(&mut self) -> Result<MergeAxiEnd, String> {
        let status = self.axi.wait((self.register)("status"))?;
        let fault = match status >> 9 & 1 {
            0 => None,
            _ => Some(self.axi.read_address((self.register)("fault_low"))?),
        };
        Ok(MergeAxiEnd { outcome: (status >> 2 & 7) as u32, part: (status >> 5 & 15) as u32, fault })
    }

    /// What a job should leave, and how it should end, as the model has it.
    pub fn expected(&self, job: &MergeAxiJob) -> Expected<MergeAxiEnd> {
        self.axi.expected(|memory| self.unit.run(memory, job))
    }

    /// Does a job, and compares how it ended, and all of the memory, with the model; gives its cycles.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(&mut self, job: &MergeAxiJob) -> Result<u64, String> {
        let expected = self.expected(job);
        self.start(job)?;
        if matches!(expected.end.outcome, 0 | 1) {
            self.start_again(job).map_err(|e| format!("{e}: {job:x?}"))?; // others may be over before
        }
        let mut end = self.end().map_err(|e| format!("{e}: {job:x?}"))?;
        end.fault = known_fault(end.fault, expected.end.fault);
        if end != expected.end {
            return Err(format!("it ended with {end:x?}, not {:x?}: {job:x?}", expected.end));
        }
        let how = format!(", which ended with {:x?}: {job:x?}", expected.end);
        self.axi.compare(expected).map_err(|e| e + &how)?;
        self.axi.read((self.register)("cycles"))
    }

    /// Random jobs, up to half of them with something wrong.
    ///
    /// # Errors
    /// As [`MergeAxiBench::run`].
    pub fn random_jobs(&mut self, rng: &mut Rng, jobs: usize) -> Result<(), String> {
        for _ in 0..jobs {
            let (job, errors) = self.random_job(rng);
            self.axi.set_errors(errors);
            self.run(&job)?;
        }
        Ok(())
    }

    /// A job whose parts are in memory, and where the memory answers with errors.
    fn random_job(&mut self, rng: &mut Rng) -> (MergeAxiJob, Vec<(Range<u64>, Answer)>) {
        let MergeAxiUnit { parts: most, numbers, address_bits } = self.unit;
        let base = rng.u64(..) >> (64 - address_bits) & !0xf_ffff;
        let [partial, result] = [base, base + 0x8_0000].map(|at| at + 8 * rng.u64(0..512));
        let count = rng.usize(1..=most);
        let parts = random_parts(rng, count, numbers);
        self.place(partial, &parts);
        let mut job = MergeAxiJob { parts: count, partial, result };
        let mut errors = vec![];
        let mut error = |rng: &mut Rng, at: u64, words: u64| {
            let at = at + 8 * rng.u64(0..words);
            errors.push((at..at + 8, if rng.bool() { Answer::Slave } else { Answer::Decode }));
        };
        let words = self.unit.stride() / 8;
        let end = u64::MAX >> (64 - address_bits) & !7;
        match rng.u8(0..14) {
            0 => job.parts = [0, most + 1, 15][rng.usize(0..3)],
            1 => error(rng, partial, count as u64 * words),
            2 => error(rng, partial + 8 * (words - 1), 1),
            3 => error(rng, result, words - 1),
            4 => {
                error(rng, partial, count as u64 * words);
                error(rng, result, words - 1);
            }
            // before and behind the last place where all of it has room
            5 => {
                let last = end - 8 * (count as u64 * words - 1);
                job.partial = last.wrapping_add(8 * rng.u64(0..3)) & end;
                if job.partial == last {
                    self.place(last, &parts);
                }
            }
            6 => job.result = end - 8 * rng.u64(0..words),
            7 => job.result = partial + 8 * rng.u64(0..words),
            _ => (),
        }
        (job, errors)
    }
}
