//! The merging of partial results of attention with everything around it: parts and their vectors, good and bad ones, and a check of each result and report.

use crate::bus::{Beat, Bench, Stalls, StreamPorts};
use crate::golden::attention::merge::{Partial, merge};
use crate::vq_benches::table::finite;
use fastrand::Rng;
use half::f16;
use hdl::BigUint;
use hdl::engine::Engine;

/// A unit that merges: its parameters and its streams.
#[derive(Clone, Debug)]
pub struct MergeBench {
    /// The most parts.
    pub parts: usize,
    /// Numbers of a vector.
    pub numbers: usize,
    /// Numbers of a word.
    pub lanes: usize,
    /// `parts` and `words`.
    pub sources: [StreamPorts; 2],
    /// `merged` and `report`.
    pub sinks: [StreamPorts; 2],
}

/// The partial results of a query, and what comes of their vectors.
#[derive(Clone, Debug)]
pub struct MergeJob {
    /// The parts; there may be too many.
    pub parts: Vec<Partial>,
    /// Words of their vectors that come, too few or too many; there is one at least.
    pub words: usize,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct MergeTimes {
    /// The cycle in which each part was taken.
    pub parts: Vec<u64>,
    /// The cycle in which each word was taken.
    pub words: Vec<u64>,
    /// The cycle in which each word of a result was taken.
    pub merged: Vec<u64>,
    /// The cycle in which each report was taken.
    pub reports: Vec<u64>,
}

/// Parts as of a model, far apart or close together; of extreme sums; or one that is none.
pub fn random_parts(rng: &mut Rng, count: usize, numbers: usize) -> Vec<Partial> {
    let (centre, width) = (8.0 * (rng.f64() - 0.5), [0.01, 1.0, 6.0, 30.0][rng.usize(0..4)]);
    let part = |rng: &mut Rng| Partial {
        largest: f16::from_f64(centre + width * (rng.f64() - 0.5)).to_bits(),
        sum: f16::from_f64(2f64.powf(rng.f64() * 13.0)).to_bits(),
        vector: (0..numbers).map(|_| finite(rng)).collect(),
    };
    let mut parts: Vec<Partial> = (0..count).map(|_| part(rng)).collect();
    let any = rng.usize(0..count);
    match rng.u8(0..12) {
        0 => parts.iter_mut().for_each(|part| part.sum = [0x3c00, 0x3c01, 0x7000, 0x73ff][rng.usize(0..4)]),
        1 => parts.iter_mut().for_each(|part| part.largest = [0, 0x8000, 1, 0x3c00][rng.usize(0..4)]),
        2 => parts.iter_mut().for_each(|part| part.largest = rng.u16(0..0x7c00) | rng.u16(..) & 0x8000),
        3 => parts[any].largest = [0x7c00, 0xfc00, 0x7e00, 0xffff, 0x7c01][rng.usize(0..5)],
        4 => parts[any].sum = [0, 0x8000, 0x3bff, 0x7400, 0xbc00, 0x7c00, 0x7e00][rng.usize(0..7)],
        5 => parts[any].vector.iter_mut().for_each(|x| *x = rng.u16(..)),
        7 => parts.iter_mut().for_each(|part| part.vector.iter_mut().for_each(|x| *x &= 0x8000)),
        6 => parts.iter_mut().for_each(|part| (part.largest, part.sum) = (0x3555, 0x73ff)),
        _ => (),
    }
    parts
}

impl MergeBench {
    fn vector_words(&self) -> usize {
        self.numbers / self.lanes
    }

    /// Queries with parts of any number; some have too many, or too few or too many words.
    pub fn random(&self, rng: &mut Rng, count: usize) -> Vec<MergeJob> {
        let job = |rng: &mut Rng| {
            let count = match rng.u8(0..8) {
                0 => self.parts + rng.usize(1..4),
                1..=3 => self.parts,
                _ => rng.usize(1..=self.parts),
            };
            let job = self.whole(random_parts(rng, count, self.numbers));
            let words = match rng.u8(0..8) {
                0 => rng.usize(1..job.words),
                1 => job.words - 1,
                2 => job.words + rng.usize(1..2 * self.vector_words()),
                _ => job.words,
            };
            MergeJob { words, ..job }
        };
        (0..count).map(|_| job(rng)).collect()
    }

    /// All words of parts.
    pub fn whole(&self, parts: Vec<Partial>) -> MergeJob {
        let words = parts.len() * self.vector_words();
        MergeJob { parts, words }
    }

    /// The result, if there is one, and outcome, part and word of the report.
    fn expected(&self, job: &MergeJob) -> (Option<Vec<u16>>, [u64; 3]) {
        let (parts, of_vector) = (job.parts.len(), self.vector_words());
        let whole = parts * of_vector;
        if parts > self.parts {
            return (None, [2, self.parts as u64, 0]);
        }
        if job.words < whole {
            let last = job.words - 1;
            return (None, [3, (last / of_vector) as u64, (last % of_vector) as u64]);
        }
        if job.words > whole {
            return (None, [4, parts as u64, 0]);
        }
        let (result, wrong) = merge(&job.parts);
        (Some(result), wrong.map_or([0; 3], |part| [1, part as u64, 0]))
    }

    fn beats(&self, job: &MergeJob) -> Vec<Beat> {
        let numbers: Vec<u16> = job.parts.iter().flat_map(|part| part.vector.iter().copied()).collect();
        let beat = |i: usize| {
            let word = (0..self.lanes).map(|lane| numbers[(i * self.lanes + lane) % numbers.len()].into());
            Beat(word.chain([BigUint::from(u8::from(i + 1 == job.words))]).collect())
        };
        (0..job.words).map(beat).collect()
    }

    /// Sends queries after a reset. Stalls of `parts`, `words`, `merged` and `report`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        jobs: &[MergeJob],
        stalls: [Stalls; 4],
        seed: u64,
    ) -> Result<MergeTimes, String> {
        let mut bench = Bench::new(engine, seed);
        let [parts, words] = [0, 1].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let [merged, reports] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[2 + i]));
        bench.reset().map_err(|e| e.to_string())?;
        let mut beats = 0;
        for job in jobs {
            let part =
                |(i, x): (usize, &Partial)| [x.largest.into(), x.sum.into(), u64::from(i + 1 == job.parts.len())];
            bench.send(parts, job.parts.iter().enumerate().map(part));
            bench.send(words, self.beats(job));
            beats += job.words + self.vector_words();
        }
        let limit = 1000 + 1000 * jobs.len() as u64 + 60 * beats as u64;
        bench.run_until_received(reports, jobs.len(), limit).map_err(|e| e.to_string())?;
        bench.run(40).map_err(|e| e.to_string())?;
        self.check(jobs, bench.beats(merged), bench.beats(reports))?;
        if bench.unsent(parts) + bench.unsent(words) > 0 {
            return Err("parts or words were not taken".into());
        }
        let [parts, words] = [parts, words].map(|source| bench.sent_at(source).to_vec());
        let [merged, reports] = [merged, reports].map(|sink| bench.received_at(sink).to_vec());
        // a report comes behind its result
        let mut at = 0;
        for (i, job) in jobs.iter().enumerate() {
            at += self.expected(job).0.map_or(0, |_| self.vector_words());
            if (at > 0 && merged[at - 1] >= reports[i]) || merged.get(at).is_some_and(|next| *next <= reports[i]) {
                return Err(format!("query {i}: the report of cycle {} is not behind its result", reports[i]));
            }
        }
        Ok(MergeTimes { parts, words, merged, reports })
    }

    fn check(&self, jobs: &[MergeJob], merged: &[Beat], reports: &[Beat]) -> Result<(), String> {
        let mut results = merged.chunks(self.vector_words());
        for (i, job) in jobs.iter().enumerate() {
            let (result, report) = self.expected(job);
            let Some(came) = reports.get(i).map(|beat| [0, 1, 2].map(|field| beat.field(field))) else {
                return Err(format!("query {i}: no report"));
            };
            if came != report {
                return Err(format!("query {i}: a report of {came:?}, not {report:?}: {job:x?}"));
            }
            let Some(result) = result else { continue };
            let came = results.next().ok_or(format!("query {i}: no result"))?;
            let numbers = came.iter().flat_map(|beat| (0..self.lanes).map(|lane| beat.field(lane) as u16));
            let numbers: Vec<u16> = numbers.collect();
            if numbers != result {
                return Err(format!("query {i}: {numbers:x?}, not {result:x?}: {job:x?}"));
            }
            let last: Vec<bool> = came.iter().map(|beat| beat.field(self.lanes) == 1).collect();
            if last.iter().enumerate().any(|(word, last)| *last != (word + 1 == self.vector_words())) {
                return Err(format!("query {i}: `last` at {last:?}"));
            }
        }
        match results.next() {
            None => Ok(()),
            Some(more) => Err(format!("{} words more than results have", more.len())),
        }
    }
}
