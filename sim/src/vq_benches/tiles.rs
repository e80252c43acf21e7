//! Attention tiles with a memory behind all of their buses: the tokens of a job are dealt out to the heads, which work at the same time, and their
//! results are merged; a check of what that leaves in memory and of how each part ends.

use crate::axi_unit::{AxiUnit, Expected};
use crate::golden::attention::merge_axi::{MergeAxiEnd, MergeAxiJob, MergeAxiUnit};
use crate::golden::vq::attention_head::{HeadEnd, HeadJob, HeadUnit};
use crate::merge_axi_bench::MergeAxiBench;
use crate::vq_benches::head::{HeadBench, HeadMemory};
use fastrand::Rng;

/// The unit: its parts, and the byte addresses of their registers.
#[derive(Clone, Copy)]
pub struct TilesUnit {
    /// A head.
    pub head: HeadUnit,
    /// What merges; its parts are the heads.
    pub merge: MergeAxiUnit,
    /// Bytes of addresses of the registers of each.
    pub window: u64,
    /// Where a register of a head is, by its name.
    pub head_register: fn(&str) -> u64,
    /// Where one of the merging is.
    pub merge_register: fn(&str) -> u64,
}

/// The unit with everything around it.
pub struct TilesBench<'e> {
    /// There but while a job runs.
    axi: Option<AxiUnit<'e>>,
    unit: TilesUnit,
}

/// Cycles, as the parts count them.
#[derive(Clone, Debug)]
pub struct TilesTimes {
    /// Those of each head.
    pub heads: Vec<u64>,
    /// Of the bench: from the first start of a head until all have been seen to be done.
    pub attending: u64,
    /// Those of the merging.
    pub merging: u64,
}

/// How all parts end.
type Ends = (Vec<HeadEnd>, MergeAxiEnd);

/// What is left when all heads have ended.
struct Attended<'e> {
    axi: AxiUnit<'e>,
    /// How each head ended, and its cycles.
    ends: Vec<HeadEnd>,
    cycles: Vec<u64>,
    /// Cycles from the first start to the last end.
    attending: u64,
}

/// Where partial results lie, from the result on.
const PARTIAL: u64 = 0x1000;

impl<'e> TilesBench<'e> {
    /// The unit behind its ports.
    pub fn new(axi: AxiUnit<'e>, unit: TilesUnit) -> TilesBench<'e> {
        TilesBench { axi: Some(axi), unit }
    }

    /// What is around the unit.
    pub fn axi_mut(&mut self) -> &mut AxiUnit<'e> {
        self.axi.as_mut().expect("between jobs")
    }

    /// The jobs of the heads, each with a part of the rows, and that of the merging.
    fn deal(&self, job: &HeadJob, parts: &[usize]) -> (Vec<HeadJob>, MergeAxiJob) {
        let partial = job.result + PARTIAL;
        let mut before = 0;
        let of_head = |(i, tokens): (u64, &usize)| {
            let rows = job.rows.map(|rows| rows + (before * self.unit.head.row_bytes()) as u64);
            before += tokens;
            let result = partial + i * self.unit.merge.stride();
            HeadJob { rows, result, tokens: *tokens, append: false, attend: true, ..*job }
        };
        let jobs = (0..).zip(parts).map(of_head).collect();
        (jobs, MergeAxiJob { parts: parts.len(), partial, result: job.result })
    }

    fn expected(&mut self, (jobs, merging): (&[HeadJob], &MergeAxiJob)) -> Expected<Ends> {
        let TilesUnit { head, merge, .. } = self.unit;
        self.axi_mut().expected(|memory| {
            let of_head = |job: &HeadJob| {
                memory.fault = None;
                head.run(memory, job)
            };
            let heads = jobs.iter().map(of_head).collect();
            memory.fault = None;
            (heads, merge.run(memory, merging))
        })
    }

    /// A query attends to so many tokens with each head; compares how all ended, and all of the memory, with the model.
    ///
    /// # Errors
    /// What came out wrong, or did not come. The bench cannot be used any more then.
    pub fn run(&mut self, job: &HeadJob, parts: &[usize]) -> Result<TilesTimes, String> {
        let (jobs, merging) = self.deal(job, parts);
        let expected = self.expected((&jobs, &merging));
        let Attended { axi, ends, cycles: heads, attending } = self.attend(&jobs)?;
        let (axi, merged) = self.merge(axi, &merging)?;
        if (&ends, merged.0) != (&expected.end.0, expected.end.1) {
            return Err(format!("it ended with {ends:x?} and {:x?}, not {:x?}: {job:x?}", merged.0, expected.end));
        }
        axi.compare(expected).map_err(|e| format!("{e}: {job:x?}"))?;
        self.axi = Some(axi);
        Ok(TilesTimes { heads, attending, merging: merged.1 })
    }

    /// Starts all heads, and waits for them.
    fn attend(&mut self, jobs: &[HeadJob]) -> Result<Attended<'e>, String> {
        let axi = self.axi.take().ok_or("a job before failed")?;
        let mut heads = HeadBench::new(axi, self.unit.head, self.unit.head_register);
        let mut base = 0;
        for job in jobs {
            heads.axi.base = base;
            heads.prepare(job)?;
            base += self.unit.window;
        }
        let begin = heads.axi.bench.cycle();
        for (i, job) in (0..).zip(jobs) {
            heads.axi.base = i * self.unit.window;
            heads.start(job)?;
        }
        let (mut ends, mut cycles) = (vec![], vec![]);
        for (i, job) in (0..).zip(jobs) {
            heads.axi.base = i * self.unit.window;
            ends.push(heads.end(job)?);
            cycles.push(heads.read("cycles")?);
        }
        let attending = heads.axi.bench.cycle() - begin;
        Ok(Attended { axi: heads.axi, ends, cycles, attending })
    }

    /// Merges, and gives how that ended, and its cycles.
    fn merge(&self, axi: AxiUnit<'e>, job: &MergeAxiJob) -> Result<(AxiUnit<'e>, (MergeAxiEnd, u64)), String> {
        let mut merge = MergeAxiBench::new(axi, self.unit.merge, self.unit.merge_register);
        merge.axi.base = self.unit.merge.parts as u64 * self.unit.window;
        merge.start(job)?;
        let end = merge.end()?;
        let cycles = merge.axi.read((self.unit.merge_register)("cycles"))?;
        Ok((merge.axi, (end, cycles)))
    }

    /// Random jobs on a few keys and values, some with damaged books, rows that name no entry, or errors of the bus.
    ///
    /// # Errors
    /// As [`TilesBench::run`].
    pub fn random_jobs(&mut self, rng: &mut Rng, jobs: usize) -> Result<(), String> {
        let (unit, tiles) = (self.unit.head, self.unit.merge.parts);
        let tokens = rng.usize(tiles..=unit.table.max_tokens.min(200));
        let base = rng.u64(..) >> (64 - unit.address_bits) & !0xff_ffff;
        let memory = HeadMemory::random(&unit, rng, &mut self.axi_mut().memory.bytes, (base, tokens));
        for _ in 0..jobs {
            let bytes = &mut self.axi_mut().memory.bytes;
            memory.new_vectors(&unit, rng, bytes);
            let before = bytes.clone();
            // what is told to the heads is right: wrong commands are those of a head alone
            let errors = if rng.bool() { memory.damage(&unit, rng, bytes).1 } else { vec![] };
            self.axi_mut().set_errors(errors);
            let parts = deal_tokens(rng, tokens, tiles);
            self.run(&memory.job, &parts)?;
            self.axi_mut().set_errors(vec![]);
            memory.mend(&unit, &mut self.axi_mut().memory.bytes, &before);
        }
        Ok(())
    }
}

/// So many tokens in up to so many parts, each of at least one.
fn deal_tokens(rng: &mut Rng, tokens: usize, tiles: usize) -> Vec<usize> {
    let count = rng.usize(1..=tiles);
    let mut parts = vec![1; count];
    for _ in count..tokens {
        parts[rng.usize(0..count)] += 1;
    }
    parts
}
