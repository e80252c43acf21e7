//! LAD's scores with everything around them: queries that are loaded while keys of others stream by, and a check of each score.

use crate::bus::{Beat, Bench, Stalls, StreamPorts};
use crate::golden::lad::number::{dot, is_finite, score};
use crate::golden::lad::to_f64;
use fastrand::Rng;
use hdl::BigUint;
use hdl::engine::Engine;

/// Bits of a score, and of an exact dot product, as they stand in a beat.
const SCORE_MASK: u64 = (1 << 28) - 1;

/// Scores: their parameters and their streams.
#[derive(Clone, Debug)]
pub struct ScoreBench {
    /// Elements of a vector.
    pub head: usize,
    /// Elements of a beat.
    pub lanes: usize,
    /// Queries that are held.
    pub queries: usize,
    /// The exact dot product comes, too.
    pub exact: bool,
    /// `query` and `key`.
    pub sources: [StreamPorts; 2],
    /// `m`.
    pub sink: StreamPorts,
}

/// A vector, and the number of the query that it is, or that it is multiplied with.
pub type Numbered = (usize, Vec<u16>);

/// When things happened.
#[derive(Clone, Debug)]
pub struct ScoreTimes {
    /// The cycle in which each beat of a key was taken.
    pub keys: Vec<u64>,
    /// The cycle in which each score came.
    pub scores: Vec<u64>,
}

/// Numbers of a vector: of any exponents, of those of a model, the largest, small ones, or some that are infinite or NaN.
pub fn random_vector(rng: &mut Rng, head: usize) -> Vec<u16> {
    let kind = rng.u8(0..8);
    let mut vector: Vec<u16> = (0..head).map(|_| random_number(rng, kind)).collect();
    if kind == 7 {
        for _ in 0..rng.usize(1..3) {
            vector[rng.usize(0..head)] = rng.u16(..) | 0x7c00;
        }
    }
    vector
}

fn random_number(rng: &mut Rng, kind: u8) -> u16 {
    let (sign, fraction) = (rng.u16(..) & 0x8000, rng.u16(..) & 0x3ff);
    let exponent = match kind {
        0 => rng.u16(0..31),
        1 => [0, 30][rng.usize(0..2)],
        2 => rng.u16(0..3),
        3 => 30,
        4 => rng.u16(18..24),
        _ => rng.u16(9..19),
    };
    sign | exponent << 10 | if rng.u8(0..16) == 0 { [0, 0x3ff][rng.usize(0..2)] } else { fraction }
}

impl ScoreBench {
    /// Queries and keys with numbers: all numbers are loaded before any is loaded again, and keys have random ones. Some keys are a query with another sign of some
    /// elements, so that large products cancel.
    pub fn random(&self, rng: &mut Rng, count: usize) -> (Vec<Numbered>, Vec<Numbered>) {
        let queries: Vec<Numbered> =
            (0..self.queries + count / 4).map(|i| (i % self.queries, random_vector(rng, self.head))).collect();
        let key = |rng: &mut Rng| {
            let mut key = random_vector(rng, self.head);
            if rng.u8(0..4) == 0 {
                key = queries[rng.usize(0..queries.len())].1.clone();
                key.iter_mut().for_each(|x| *x ^= rng.u16(..) & 0x8000);
                key.iter_mut().filter(|x| !is_finite(**x)).for_each(|x| *x = 0);
            }
            (rng.usize(0..self.queries), key)
        };
        let keys = (0..count).map(|_| key(rng)).collect();
        (queries, keys)
    }

    /// Sends queries and keys, each at its own pace after a reset: which query a key met is read off the cycles in which beats were taken. Stalls of `query`, `key`, `m`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        (queries, keys): &(Vec<Numbered>, Vec<Numbered>),
        stalls: [Stalls; 3],
        seed: u64,
    ) -> Result<ScoreTimes, String> {
        let mut bench = Bench::new(engine, seed);
        let [query, key] = [0, 1].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let m = bench.sink_at(self.sink.clone(), stalls[2]);
        bench.reset().map_err(|e| e.to_string())?;
        bench.send(query, self.beats(queries, seed));
        bench.send(key, self.beats(keys, seed.wrapping_add(1)));
        let limit = 1000 + 60 * ((queries.len() + keys.len()) * self.head / self.lanes) as u64;
        bench.run_until_received(m, keys.len(), limit).map_err(|e| e.to_string())?;
        while bench.unsent(query) > 0 && bench.cycle() < 2 * limit {
            bench.step().map_err(|e| e.to_string())?;
        }
        bench.run(40).map_err(|e| e.to_string())?;
        if bench.beats(m).len() != keys.len() || bench.unsent(query) > 0 {
            let (came, left) = (bench.beats(m).len(), bench.unsent(query));
            return Err(format!("{came} scores came, not {}; {left} beats of queries were not taken", keys.len()));
        }
        let times = ScoreTimes { keys: bench.sent_at(key).to_vec(), scores: bench.received_at(m).to_vec() };
        let loads = bench.sent_at(query).to_vec();
        for (i, (number, key)) in keys.iter().enumerate() {
            let begins = times.keys[i * self.head / self.lanes];
            let query = self.query_at(queries, &loads, *number, begins)?;
            self.check(&queries[query].1, key, &bench.beats(m)[i])
                .map_err(|e| format!("key {i}, query {query}: {e}"))?;
        }
        Ok(times)
    }

    /// Vectors as beats; numbers stand at first beats, and at the others anything.
    fn beats(&self, vectors: &[Numbered], seed: u64) -> Vec<Beat> {
        let mut rng = Rng::with_seed(seed);
        let mut beats = vec![];
        for (number, vector) in vectors {
            for (i, beat) in vector.chunks(self.lanes).enumerate() {
                let bytes: Vec<u8> = beat.iter().flat_map(|x| x.to_le_bytes()).collect();
                let number = if i == 0 { *number } else { rng.usize(0..self.queries) };
                beats.push(Beat(vec![BigUint::from_bytes_le(&bytes), number.into()]));
            }
        }
        beats
    }

    /// The query of a number that was whole when a key's first beat was taken.
    fn query_at(&self, queries: &[Numbered], loads: &[u64], number: usize, cycle: u64) -> Result<usize, String> {
        let beats = self.head / self.lanes;
        let first = |i: usize| loads[i * beats];
        let begun = (0..queries.len()).rev().find(|i| queries[*i].0 == number && first(*i) < cycle);
        match begun {
            Some(i) if loads[(i + 1) * beats - 1] < cycle => Ok(i),
            _ => Err(format!(
                "the first beat of a key of query {number} was taken in cycle {cycle}, when it was not whole"
            )),
        }
    }

    /// One score: its value, whether it was limited, and what is wrong.
    fn check(&self, query: &[u16], key: &[u16], got: &Beat) -> Result<(), String> {
        let first_bad = |vector: &[u16]| vector.iter().position(|x| !is_finite(*x));
        let fault = first_bad(query).map(|i| [1, i as u64]).or(first_bad(key).map(|i| [2, i as u64]));
        let is = [got.field(2), got.field(3)];
        match fault {
            Some(fault) if is != fault => Err(format!("fault and element {is:?}, not {fault:?}")),
            Some(_) => Ok(()),
            None => {
                let sum = dot(&to_f64(query), &to_f64(key));
                let (score, limited) = score(sum);
                let mut expected = vec![score as u64 & SCORE_MASK, limited.into(), 0];
                let mut got: Vec<u64> = (0..got.0.len()).map(|i| got.field(i)).collect();
                got.remove(3);
                if self.exact {
                    expected.push(sum as u64);
                }
                if got == expected { Ok(()) } else { Err(format!("{got:x?} came, not {expected:x?}")) }
            }
        }
    }
}
