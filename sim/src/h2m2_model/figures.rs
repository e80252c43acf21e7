//! The paper's experiments: every system on every batch of a figure, and the dynamic scenario.

use super::choices::{Choices, Lengths, Mean, PAGE, Static};
use super::layer::{Asymmetric, Batch};
use super::search::{Costs, flexgen, sublayer_granular};
use super::uniform;
use driver::footprint::Tracker;
use driver::shape::{CHINCHILLA_70B, GPT3_175B, LLAMA2_70B, Shape, Sublayer};
use driver::solver::{Mapping, Problem, solve};
use serde::Serialize;

/// A model of section 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Its decoder.
    pub shape: Shape,
    /// Requests of a batch.
    pub requests: u64,
    /// The longest sequence of its figure, in tokens.
    longest: u64,
}

/// The three of them. The lengths double from one figure to the next.
pub const MODELS: [Model; 3] = [
    Model { name: "GPT3-175B", shape: GPT3_175B, requests: 32, longest: 2048 },
    Model { name: "Chinchilla-70B", shape: CHINCHILLA_70B, requests: 64, longest: 4096 },
    Model { name: "Llama2-70B", shape: LLAMA2_70B, requests: 128, longest: 8192 },
];

/// Times of one iteration in picoseconds, and what H2M2 and the oracle map.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Tokens of each request.
    pub length: u64,
    /// LPDDR only.
    pub baseline: u64,
    /// Strict hierarchy.
    pub hierarchical: u64,
    /// Algorithm 1, with address translation.
    pub h2m2: u64,
    /// Algorithm 1, without the cost of translation.
    pub h2m2_untranslated: u64,
    /// The best mapping, without the cost of translation.
    pub oracle: u64,
    /// The best mapping of whole sublayers.
    pub sublayer: u64,
    /// FlexGen's mapping.
    pub flexgen: u64,
    /// The best with as much attention, qkv-linear and fc on the fast side as it has room for; `None` where the rest has no room then.
    pub majors: [Option<u64>; 3],
    /// Eight HBM devices.
    pub eight_hbm: u64,
    /// Parts of attention, qkv-linear and fc on the fast side by Algorithm 1.
    pub mapping: [u64; 3],
    /// The same of the oracle.
    pub oracle_mapping: [u64; 3],
    /// Bytes of attention, qkv-linear and fc on the fast side by Algorithm 1.
    pub fast_bytes: [u64; 3],
    /// Bytes on the large side.
    pub large_bytes: u64,
}

impl Model {
    /// A batch of requests of one length.
    pub fn batch(&self, length: u64) -> Batch {
        Batch { shape: self.shape, requests: self.requests, tokens: self.requests * length }
    }
    /// The lengths of its figure.
    pub fn lengths(&self, choices: &Choices) -> Vec<u64> {
        let doubling = |longest: u64| (8..).map(|i| 1 << i).take_while(|&length| length <= longest).collect();
        match choices.lengths {
            Lengths::Doubling => doubling(self.longest),
            Lengths::Even => (256..=self.longest).step_by(256).collect(),
            Lengths::Same => doubling(2048),
            Lengths::UpToFull => {
                let fits = |length: u64| uniform::footprint(&self.batch(length)) <= choices.hardware.large.capacity;
                (8..).map(|i| 1 << i).take_while(|&length| fits(length)).collect()
            }
        }
    }
    /// What Algorithm 1 has to solve.
    pub fn problem(&self, length: u64, choices: &Choices) -> Problem {
        let lengths: Vec<u64> = (0..self.requests).map(|_| length).collect();
        problem(&tracker(self.shape, &lengths), choices)
    }
    /// FlexGen's mapping for the figure.
    fn flexgen(&self, choices: &Choices) -> Option<Mapping> {
        let lengths = self.lengths(choices);
        let (last, middle) = (*lengths.last()?, lengths[lengths.len() / 2]);
        let at = |length: u64| flexgen(&self.batch(length), choices, &self.problem(length, choices));
        let longest = self.problem(last, choices);
        match choices.flexgen {
            Static::Longest => at(last),
            Static::Middle => at(middle).filter(|&mapping| longest.fits(mapping)).or_else(|| at(last)),
            Static::Shortest => lengths.iter().find_map(|&length| at(length).filter(|&mapping| longest.fits(mapping))),
        }
    }
    /// All systems on all lengths; lengths that do not fit are left out.
    pub fn points(&self, choices: &Choices) -> Vec<Point> {
        let flexgen = self.flexgen(choices);
        self.lengths(choices).iter().filter_map(|&length| self.point(length, choices, flexgen)).collect()
    }
    fn point(&self, length: u64, choices: &Choices, flexgen: Option<Mapping>) -> Option<Point> {
        let (batch, problem) = (self.batch(length), self.problem(length, choices));
        let (free, paged) = (Asymmetric::new(choices, false), Asymmetric::new(choices, true));
        let costs = Costs::new(&free, &batch);
        let mapping = solve(&problem).ok()?;
        let oracle = costs.oracle(&problem)?;
        let [attention, qkv, fc] = Sublayer::ALL.map(|s| problem.loads[s as usize].bytes * mapping.0[s as usize]);
        Some(Point {
            length,
            baseline: uniform::baseline(&batch, choices),
            hierarchical: uniform::hierarchical(&batch, choices),
            h2m2: paged.time(&batch, mapping),
            h2m2_untranslated: free.time(&batch, mapping),
            oracle: free.time(&batch, oracle),
            sublayer: sublayer_granular(&free, &batch, &problem)?,
            flexgen: free.time(&batch, flexgen?),
            majors: Sublayer::ALL.map(|sublayer| costs.major(&problem, sublayer).map(|major| free.time(&batch, major))),
            eight_hbm: uniform::eight_hbm(&batch, choices),
            mapping: mapping.0,
            oracle_mapping: oracle.0,
            fast_bytes: [attention, qkv, fc],
            large_bytes: problem.bytes(mapping).1,
        })
    }
}

/// The requests of a batch with these lengths.
pub fn tracker(shape: Shape, lengths: &[u64]) -> Tracker {
    let mut tracker = Tracker::new(shape).expect("the models' shapes are legal");
    for (id, &length) in (0..).zip(lengths) {
        tracker.start(id, length).expect("the requests differ");
    }
    tracker
}

/// What Algorithm 1 has to solve for these requests.
pub fn problem(tracker: &Tracker, choices: &Choices) -> Problem {
    match choices.room_in_pages {
        true => tracker.problem_in_pages(&choices.hardware, PAGE, 1),
        false => tracker.problem(&choices.hardware),
    }
}

/// The mean speedup over some points.
pub fn mean(points: &[Point], choices: &Choices, base: impl Fn(&Point) -> u64, time: impl Fn(&Point) -> u64) -> f64 {
    let (bases, times) = (points.iter().map(&base), points.iter().map(&time));
    match choices.mean {
        Mean::Arithmetic => bases.zip(times).map(|(b, t)| b as f64 / t as f64).sum::<f64>() / points.len() as f64,
        Mean::OfTimes => bases.sum::<u64>() as f64 / times.sum::<u64>() as f64,
    }
}
