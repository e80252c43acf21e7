//! A softmax with everything around it: queries whose scores come, some of which are forgotten, and a check of each weight.

use crate::bus::{Bench, BusError, Sink, Source, Stalls, StreamPorts};
use crate::golden::attention::softmax::{exp, softmax};
use fastrand::Rng;
use half::f16;
use hdl::engine::Engine;

/// A softmax: its parameter and its ports.
#[derive(Clone, Debug)]
pub struct SoftmaxBench {
    /// The most scores of a query.
    pub tokens: usize,
    /// `scores`.
    pub source: StreamPorts,
    /// `weights`.
    pub sink: StreamPorts,
    /// `forget`.
    pub forget: usize,
    /// `nonfinite`.
    pub nonfinite: usize,
}

/// The scores of a query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its scores.
    pub scores: Vec<u16>,
    /// They are forgotten; the last one comes in that cycle, if it does.
    pub forgotten: bool,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct SoftmaxTimes {
    /// The cycle in which each score was taken.
    pub scores: Vec<u64>,
    /// The cycle in which each weight was taken.
    pub weights: Vec<u64>,
}

/// A score from a normal distribution.
fn normal(rng: &mut Rng, centre: f64, width: f64) -> u16 {
    let sum: f64 = (0..12).map(|_| rng.f64()).sum();
    f16::from_f64(centre + width * (sum - 6.0)).to_bits()
}

/// A score whose exponential is 0.
const MASKED: u16 = 0xfc00;

/// Scores whose exponentials add up to 1 and half of its last place in binary16, or to a number that differs from that in its last places: they decide how
/// the sum is rounded. Where there is room for them.
fn near_a_tie(rng: &mut Rng, scores: &mut [u16]) {
    let in_units = |score: u16| (f16::from_bits(exp(score)).to_f64() * f64::from(1 << 24)) as u32;
    scores.fill(MASKED);
    let mut rest = (1 << 13) - 2 + rng.u32(0..5);
    scores[0] = 0;
    for score in &mut scores[1..] {
        // the largest exponential that is not above what is left; those of negative numbers fall with their bits
        let (mut low, mut high) = (0x8000, MASKED);
        while low < high {
            let middle = low + (high - low) / 2;
            if in_units(middle) > rest { low = middle + 1 } else { high = middle }
        }
        *score = low;
        rest -= in_units(low);
    }
    rng.shuffle(scores);
}

/// Scores as of a model, wide or narrow; equal ones; one that is far above the others; masked ones; such of any bits, and some that are NaN; and
/// such whose sum is hard to round.
pub fn random_scores(rng: &mut Rng, count: usize) -> Vec<u16> {
    let (centre, width) = (8.0 * (rng.f64() - 0.5), [0.01, 0.5, 2.0, 6.0][rng.usize(0..4)]);
    let mut scores: Vec<u16> = (0..count).map(|_| normal(rng, centre, width)).collect();
    let any = rng.usize(0..count);
    match rng.u8(0..12) {
        0 => scores.fill(normal(rng, centre, width)),
        1 => scores[any] = f16::from_f64(centre + 20.0).to_bits(),
        2 => scores.iter_mut().for_each(|x| *x = if rng.bool() { MASKED } else { *x }),
        3 => scores.iter_mut().enumerate().for_each(|(i, x)| *x = if i == any { *x } else { MASKED }),
        4 => scores.fill(MASKED),
        5 => scores[any] = [0x7c00, 0x7e00, 0xfe01, 0xffff, 0x7fff, 0x7c01, 0xfc01][rng.usize(0..7)],
        6 => scores.iter_mut().for_each(|x| *x = rng.u16(0..0x7c00) | rng.u16(..) & 0x8000),
        7 => scores.iter_mut().for_each(|x| *x = [0, 0x8000, 1, 0x8001, 0x3c00][rng.usize(0..5)]),
        8 => scores.iter_mut().for_each(|x| *x |= 0x8000),
        9 => scores.sort_unstable(),
        10 | 11 => near_a_tie(rng, &mut scores),
        _ => (),
    }
    scores
}

impl SoftmaxBench {
    /// Queries of up to so many scores, some forgotten, some longer than there is room for.
    pub fn random(&self, rng: &mut Rng, count: usize, longest: usize) -> Vec<Query> {
        let query = |i: usize| {
            let length = match rng.u8(0..10) {
                0 => 1,
                1 => self.tokens.min(longest),
                2 => longest,
                _ => rng.usize(1..=longest),
            };
            Query { scores: random_scores(rng, length), forgotten: i % 3 == 1 }
        };
        (0..count).map(query).collect()
    }

    /// Sends queries after a reset. Stalls of `scores` and `weights`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        queries: &[Query],
        stalls: [Stalls; 2],
        seed: u64,
    ) -> Result<SoftmaxTimes, String> {
        let mut bench = Bench::new(engine, seed);
        bench.engine.poke(self.forget, 0);
        let scores = bench.source_at(self.source.clone(), stalls[0]);
        let weights = bench.sink_at(self.sink.clone(), stalls[1]);
        bench.reset().map_err(|e| e.to_string())?;
        let mut run =
            Run { of: self, bench, scores, weights, rng: Rng::with_seed(seed), wanted: vec![], nonfinite: vec![] };
        for query in queries {
            run.send(query)?;
        }
        run.until(|run| run.came() >= run.wanted.len())?;
        for _ in 0..40 {
            run.step()?;
        }
        let bench = &run.bench;
        for (i, (beat, wanted)) in bench.beats(weights).iter().zip(&run.wanted).enumerate() {
            let came = [beat.field(0), beat.field(1)];
            if came != *wanted {
                return Err(format!("weight {i}: {came:x?}, not {wanted:x?}"));
            }
        }
        if run.came() != run.wanted.len() {
            return Err(format!("{} weights came, not {}", run.came(), run.wanted.len()));
        }
        Ok(SoftmaxTimes { scores: bench.sent_at(scores).to_vec(), weights: bench.received_at(weights).to_vec() })
    }
}

/// A run of a bench.
struct Run<'b, 'e> {
    of: &'b SoftmaxBench,
    bench: Bench<'e>,
    scores: Source,
    weights: Sink,
    rng: Rng,
    /// Weights, each with whether it is the last one.
    wanted: Vec<[u64; 2]>,
    /// For each weight whether it is of a query of NaN.
    nonfinite: Vec<bool>,
}

impl Run<'_, '_> {
    fn came(&self) -> usize {
        self.bench.beats(self.weights).len()
    }

    /// A cycle. Where no scores are taken, forgets do nothing.
    fn step(&mut self) -> Result<(), String> {
        let takes = self.bench.engine.peek(self.of.source.ready) == 1;
        let forgets = !takes && self.rng.u8(0..4) == 0;
        self.clock(forgets)
    }

    fn clock(&mut self, forgets: bool) -> Result<(), String> {
        let at = self.came();
        let engine = &mut self.bench.engine;
        engine.poke(self.of.forget, forgets.into());
        if engine.peek(self.of.sink.valid) == 1 {
            let is = engine.peek(self.of.nonfinite) == 1;
            if self.nonfinite.get(at) != Some(&is) {
                return Err(format!("weight {at}: `nonfinite` is {is}"));
            }
        }
        self.bench.step().map_err(|e: BusError| e.to_string())
    }

    fn until(&mut self, mut done: impl FnMut(&mut Self) -> bool) -> Result<(), String> {
        let limit = self.bench.cycle() + 10_000 + 200 * (self.wanted.len() + self.bench.unsent(self.scores)) as u64;
        while !done(self) {
            if self.bench.cycle() > limit {
                return Err(format!("{} weights of {} came in {limit} cycles", self.came(), self.wanted.len()));
            }
            self.step()?;
        }
        Ok(())
    }

    fn send(&mut self, query: &Query) -> Result<(), String> {
        let Query { scores, forgotten } = query;
        let last = scores.len() - 1;
        let beats: Vec<[u64; 2]> =
            scores.iter().enumerate().map(|(i, x)| [(*x).into(), u64::from(i == last)]).collect();
        if !forgotten {
            self.bench.send(self.scores, beats);
            self.expect(scores);
            return Ok(());
        }
        // all but the last one; that one may be taken with that
        self.bench.send(self.scores, beats[..last].iter().copied());
        let ready = self.of.source.ready;
        self.until(|run| run.bench.unsent(run.scores) == 0 && run.bench.engine.peek(ready) == 1)?;
        if self.rng.bool() {
            self.bench.send(self.scores, [beats[last]]);
        }
        self.clock(true)?;
        if self.bench.unsent(self.scores) > 0 {
            self.expect(&scores[last..]);
        }
        Ok(())
    }

    /// The weights of a query will come.
    fn expect(&mut self, scores: &[u16]) {
        let (weights, nonfinite) = softmax(&scores[..scores.len().min(self.of.tokens)]);
        let last = weights.len() - 1;
        self.wanted.extend(weights.iter().enumerate().map(|(i, w)| [u64::from(*w), u64::from(i == last)]));
        self.nonfinite.resize(self.wanted.len(), nonfinite);
    }
}
