//! The best of all mappings by simulated time, and the mappings that other policies choose.

use super::choices::Choices;
use super::layer::{Asymmetric, Batch, Stage};
use driver::hardware::SideHardware;
use driver::shape::Sublayer;
use driver::solver::{Load, Mapping, Problem};
use std::ops::RangeInclusive;

/// The time of every mapping of a batch, in three tables: between two barriers time depends on one sublayer's mapping, and on two where
/// queries, keys and values are copied to the other side.
pub struct Costs {
    layers: u64,
    /// By parts of qkv-linear and of attention on the fast side.
    qkv: Vec<Vec<u64>>,
    attention: Vec<u64>,
    fc: Vec<u64>,
    /// For each range of parts of fc, the one of least time.
    best_fc: Vec<Vec<u64>>,
}

impl Costs {
    /// Of a batch on an asymmetric system.
    pub fn new(system: &Asymmetric, batch: &Batch) -> Costs {
        let [attentions, qkvs, fcs] = Sublayer::ALL.map(|sublayer| batch.shape.parts(sublayer));
        let time = |stage, mapping| system.stage_time(batch, stage, Mapping(mapping));
        let fc_stages = [Stage::Projection, Stage::NormBefore, Stage::Up, Stage::Down, Stage::NormAfter];
        let fc: Vec<u64> = (0..=fcs).map(|f| fc_stages.iter().map(|&stage| time(stage, [0, 0, f])).sum()).collect();
        Costs {
            layers: batch.shape.layers,
            qkv: (0..=qkvs).map(|q| (0..=attentions).map(|a| time(Stage::Qkv, [a, q, 0])).collect()).collect(),
            attention: (0..=attentions).map(|a| time(Stage::Attention, [a, 0, 0])).collect(),
            best_fc: least_of_ranges(&fc),
            fc,
        }
    }
    /// Time of an iteration.
    pub fn time(&self, Mapping([a, q, f]): Mapping) -> u64 {
        (self.qkv[q as usize][a as usize] + self.attention[a as usize] + self.fc[f as usize]) * self.layers
    }
    /// The mapping of least time that has room, with numbers of parts of attention and qkv-linear from these ranges: the same as trying
    /// all of them.
    pub fn best(&self, problem: &Problem, attention: RangeInclusive<u64>, qkv: RangeInclusive<u64>) -> Option<Mapping> {
        let pairs = attention.flat_map(|a| qkv.clone().map(move |q| (a, q)));
        let mappings = pairs.filter_map(|(a, q)| {
            let (fewest, most) = room_for_fc(problem, a, q)?;
            Some(Mapping([a, q, self.best_fc[fewest as usize][(most - fewest) as usize]]))
        });
        mappings.min_by_key(|&mapping| (self.time(mapping), mapping))
    }
    /// The best of all.
    pub fn oracle(&self, problem: &Problem) -> Option<Mapping> {
        self.best(problem, 0..=problem.loads[0].parts, 0..=problem.loads[1].parts)
    }
    /// The best among those with as much of one sublayer on the fast side as it has room for (section 3.3).
    pub fn major(&self, problem: &Problem, sublayer: Sublayer) -> Option<Mapping> {
        let load = problem.loads[sublayer as usize];
        let most = problem.fast_capacity.checked_div(load.bytes).map_or(load.parts, |room| load.parts.min(room));
        let all = |i: usize| 0..=problem.loads[i].parts;
        match sublayer {
            Sublayer::Attention => self.best(problem, most..=most, all(1)),
            Sublayer::QkvLinear => self.best(problem, all(0), most..=most),
            Sublayer::Fc => {
                let pairs = all(0).flat_map(|a| all(1).map(move |q| Mapping([a, q, most])));
                pairs.filter(|&mapping| problem.fits(mapping)).min_by_key(|&mapping| (self.time(mapping), mapping))
            }
        }
    }
}

/// For each start and length of a range of a table, the index of its least value.
fn least_of_ranges(values: &[u64]) -> Vec<Vec<u64>> {
    let from = |start: usize| {
        let mut least = start;
        let indices = (start..values.len()).map(|i| {
            if values[i] < values[least] {
                least = i;
            }
            least as u64
        });
        indices.collect()
    };
    (0..values.len()).map(from).collect()
}

/// Fewest and most parts of fc that have room on the fast side beside the others.
fn room_for_fc(problem: &Problem, a: u64, q: u64) -> Option<(u64, u64)> {
    let (fast, large) = problem.bytes(Mapping([a, q, problem.loads[2].parts]));
    let Load { parts, bytes, .. } = problem.loads[2];
    let fast_left = problem.fast_capacity.checked_sub(fast - parts * bytes)?;
    let large_left = problem.large_capacity.checked_sub(large)?;
    let fewest = parts - parts.min(large_left / bytes);
    let most = parts.min(fast_left / bytes);
    (fewest <= most).then_some((fewest, most))
}

/// Time of the best sublayer-granular mapping (section 3.1, Figure 5 a): a sublayer of a layer is on one side, whole.
pub fn sublayer_granular(system: &Asymmetric, batch: &Batch, problem: &Problem) -> Option<u64> {
    let layers = batch.shape.layers;
    let each = if system.choices.layers_differ { layers } else { 1 };
    let loads = problem.loads.map(|load| Load { parts: each, bytes: load.bytes * load.parts / each, ..load });
    let whole = |sublayer: Sublayer, fast: bool| -> u64 {
        let n = if fast { batch.shape.parts(sublayer) } else { 0 };
        let mapping = Mapping([n; 3]);
        let stages = Stage::ALL.iter().filter(|stage| stage.sublayer().unwrap_or(Sublayer::Fc) == sublayer);
        stages.map(|&stage| system.stage_time(batch, stage, mapping)).sum::<u64>() * (layers / each)
    };
    let times = Sublayer::ALL.map(|sublayer| [whole(sublayer, true), whole(sublayer, false)]);
    // queries, keys and values cross the link in layers whose attention is not where their qkv-linear is: at least the difference
    let one_way = |a, q| system.stage_time(batch, Stage::Qkv, Mapping([a, q, 0]));
    let parts = batch.shape.kv_heads;
    let crossing = (one_way(0, parts).saturating_sub(one_way(parts, parts))) * (layers / each);
    let time = |Mapping(on_fast): Mapping| {
        let sublayers: u64 = times.iter().zip(on_fast).map(|([fast, large], n)| fast * n + large * (each - n)).sum();
        sublayers + crossing * on_fast[0].abs_diff(on_fast[1])
    };
    let problem = Problem { loads, ..*problem };
    // time is linear in the layers of fc, so the fewest or the most of them are best
    let pairs = (0..=each).flat_map(|a| (0..=each).map(move |q| (a, q)));
    let rooms =
        pairs.filter_map(|(a, q)| room_for_fc(&problem, a, q).map(|(fewest, most)| [(a, q, fewest), (a, q, most)]));
    rooms.flatten().map(|(a, q, f)| time(Mapping([a, q, f]))).min()
}

/// FlexGen's mapping (Equation 1, modified as in section 3.2): one share of all weights and one of the KV cache on the fast side, so that
/// both sides have equally much arithmetic for their rate, within the capacities; of the solutions the one with the most KV cache there.
/// It is made once, for `problem`, and stays.
pub fn flexgen(batch: &Batch, choices: &Choices, problem: &Problem) -> Option<Mapping> {
    let shape = &batch.shape;
    let weights = shape.weight_bytes() as f64 * batch.requests as f64 / shape.heads as f64;
    let cache = problem.loads[0].bytes as f64 * shape.group() as f64;
    let rate = |side: &SideHardware| side.cores as f64;
    let share = rate(&choices.hardware.fast) / (rate(&choices.hardware.fast) + rate(&choices.hardware.large));
    let target = share * (weights * shape.heads as f64 + cache * shape.kv_heads as f64);
    let mapping = |a: u64, w: u64| Mapping([a, w * shape.kv_heads / shape.heads, w]);
    let balanced = (0..=shape.kv_heads).rev().map(|a| {
        let w = ((target - cache * a as f64) / weights).clamp(0.0, shape.heads as f64);
        mapping(a, w.floor() as u64)
    });
    // where there is no room for an equal share, as much arithmetic as there is room for: that of weights
    let fullest = (0..=shape.heads).rev().flat_map(|w| (0..=shape.kv_heads).rev().map(move |a| mapping(a, w)));
    balanced.chain(fullest).find(|&mapping| problem.fits(mapping))
}
