//! The dynamic scenario (section 5.3): requests of different lengths, which grow, end, and are followed by others.

use super::choices::Choices;
use super::figures::{problem, tracker};
use super::kernel::reached;
use super::layer::{Asymmetric, Batch};
use super::search::{Costs, flexgen};
use super::uniform;
use driver::hardware::duration;
use driver::shape::GPT3_175B;
use driver::solver::{Mapping, Problem, solve};
use serde::Serialize;

const ITERATIONS: usize = 128;
const REQUESTS: u64 = 32;
const SEED: u64 = 0x4832_4d32;

/// One iteration of GPT3-175B; times in picoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Iteration {
    /// Tokens of all requests.
    pub tokens: u64,
    /// LPDDR only.
    pub baseline: u64,
    /// Algorithm 1 with translation, and with what moving pages from the last iteration's mapping takes.
    pub h2m2: u64,
    /// The best mapping of each iteration, all costs of changing it aside.
    pub oracle: u64,
    /// FlexGen's mapping, made once for requests of the greatest length.
    pub flexgen: u64,
    /// Bytes that moved before this iteration.
    pub moved: u64,
}

/// The scenario. The same random lengths every time.
pub fn run(choices: &Choices) -> Option<Vec<Iteration>> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let new_length = |random: &mut fastrand::Rng| random.u64(1..=choices.request_tokens);
    let mut lengths: Vec<u64> = (0..REQUESTS).map(|_| new_length(&mut random)).collect();
    let full = vec![choices.request_tokens; REQUESTS as usize];
    let full_batch = batch(&full);
    let fixed = flexgen(&full_batch, choices, &problem(&tracker(GPT3_175B, &full), choices))?;
    let mut last: Option<Mapping> = None;
    let mut iterations = vec![];
    for _ in 0..ITERATIONS {
        let (iteration, mapping) = iteration(&lengths, choices, fixed, last)?;
        iterations.push(iteration);
        last = Some(mapping);
        for length in &mut lengths {
            let ends = *length >= choices.request_tokens || random.u32(0..choices.request_life) == 0;
            *length = if ends { new_length(&mut random) } else { *length + 1 };
        }
    }
    Some(iterations)
}

fn batch(lengths: &[u64]) -> Batch {
    Batch { shape: GPT3_175B, requests: lengths.len() as u64, tokens: lengths.iter().sum() }
}

fn iteration(
    lengths: &[u64],
    choices: &Choices,
    fixed: Mapping,
    last: Option<Mapping>,
) -> Option<(Iteration, Mapping)> {
    let (batch, problem) = (batch(lengths), problem(&tracker(GPT3_175B, lengths), choices));
    let (free, paged) = (Asymmetric::new(choices, false), Asymmetric::new(choices, true));
    let mapping = solve(&problem).ok()?;
    let moved = last.map_or(0, |last| moved(&problem, last, mapping));
    let oracle = Costs::new(&free, &batch).oracle(&problem)?;
    let migration = if choices.migration_costs { duration(moved.into(), migration_rate(choices).into()) } else { 0 };
    let iteration = Iteration {
        tokens: batch.tokens,
        baseline: uniform::baseline(&batch, choices),
        h2m2: paged.time(&batch, mapping) + migration,
        oracle: free.time(&batch, oracle),
        flexgen: free.time(&batch, fixed),
        moved,
    };
    Some((iteration, mapping))
}

/// Bytes a second from one memory into the other: as fast as the slower of them and of the link, as far as that is reached.
pub fn migration_rate(choices: &Choices) -> u64 {
    let hardware = &choices.hardware;
    let fast = reached(hardware.fast.bandwidth, choices.reached.0);
    let large = reached(hardware.large.bandwidth, choices.reached.1);
    fast.min(large).min(hardware.link_bandwidth)
}

/// Bytes that move from one mapping to the next.
fn moved(problem: &Problem, last: Mapping, next: Mapping) -> u64 {
    let parts = last.0.iter().zip(next.0).map(|(last, next)| last.abs_diff(next));
    parts.zip(problem.loads).map(|(parts, load)| parts * load.bytes).sum()
}
