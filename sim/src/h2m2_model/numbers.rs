//! The numbers that the paper prints, and what the model gives for each.

use super::choices::{Choices, PAGE};
use super::dynamic::{self, Iteration};
use super::figures::{MODELS, Model, Point, mean};
use driver::hardware::Hardware;
use driver::shape::Shape;
use driver::solver::{Mapping, solve};
use serde::Serialize;

/// Within which a number counts as the paper's.
pub const TOLERANCE: f64 = 0.10;

/// A number of the paper beside the model's.
#[derive(Clone, Debug, Serialize)]
pub struct Number {
    /// What it is.
    pub name: String,
    /// Where the paper has it.
    pub source: &'static str,
    /// The paper's.
    pub paper: f64,
    /// The model's.
    pub model: f64,
    /// Whether it is an open choice itself: put in, not found.
    pub put_in: bool,
}

impl Number {
    /// The model's over the paper's.
    pub fn ratio(&self) -> f64 {
        self.model / self.paper
    }
    /// Whether the model finds it within 10 % of the paper's.
    pub fn agrees(&self) -> bool {
        !self.put_in && (self.ratio() - 1.0).abs() <= TOLERANCE
    }
    /// Its name in lists, such as `GPT3 H2M2` or `Llama2 greedy mapping`.
    pub fn short(&self) -> String {
        let words = ["-175B", "-70B", " over LPDDR only", "cost of ", ", %", ", MiB", ":", ","];
        words.iter().fold(self.name.clone(), |name, word| name.replace(word, ""))
    }
}

/// Everything that the model computes with one set of choices.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// The numbers that the paper prints.
    pub numbers: Vec<Number>,
    /// All systems of Figures 6 to 8, 12 to 15 and 18, for each model and length.
    pub models: Vec<ModelResults>,
    /// Table 4: H2M2's mean speedup over the baseline for GPT3-175B.
    pub variants: Vec<Variant>,
    /// Figure 16.
    pub dynamic: Vec<Iteration>,
    /// Bytes that HBM has room for.
    pub fast_capacity: u64,
}

/// The points of a model.
#[derive(Clone, Debug, Serialize)]
pub struct ModelResults {
    /// The model.
    pub name: &'static str,
    /// Requests of the batch.
    pub requests: u64,
    /// For each length; lengths without room are left out.
    pub points: Vec<Point>,
}

/// A memory configuration of Table 4.
#[derive(Clone, Debug, Serialize)]
pub struct Variant {
    /// Its name in the table.
    pub name: &'static str,
    /// H2M2's speedup over the baseline for each length.
    pub speedups: Vec<f64>,
    /// Their mean.
    pub mean: f64,
}

/// Runs everything; `None` if nothing of a figure has room.
pub fn results(choices: &Choices) -> Option<Results> {
    let of = |model: &Model| {
        let points = model.points(choices);
        (!points.is_empty()).then_some(ModelResults { name: model.name, requests: model.requests, points })
    };
    let models = MODELS.iter().map(of).collect::<Option<Vec<_>>>()?;
    let dynamic = dynamic::run(choices)?;
    let variants = variants(choices);
    let numbers = numbers(choices, &models, &dynamic);
    Some(Results { numbers, models, variants, dynamic, fast_capacity: choices.hardware.fast.capacity })
}

fn numbers(choices: &Choices, models: &[ModelResults], dynamic: &[Iteration]) -> Vec<Number> {
    let mut numbers = vec![];
    let mut add =
        |name: String, source, paper, model| numbers.push(Number { name, source, paper, model, put_in: false });
    let figures = ["Figure 12", "Figure 13", "Figure 15"];
    let papers = [
        [1.46, 1.07, 0.97, 0.80, 2.56, 3.36],
        [1.55, 1.33, 0.95, 1.01, 3.76, 4.78],
        [2.94, 2.75, 0.98, 1.36, 0.60, 1.96],
    ];
    for ((model, figure), paper) in models.iter().zip(figures).zip(papers) {
        let (points, name) = (&model.points[..], model.name);
        let over = |base: fn(&Point) -> u64, time: fn(&Point) -> u64| mean(points, choices, base, time);
        let loss = |base: fn(&Point) -> u64, time: fn(&Point) -> u64| 100.0 * (1.0 / over(base, time) - 1.0);
        add(format!("{name}: H2M2 over LPDDR only"), figure, paper[0], over(|p| p.baseline, |p| p.h2m2));
        add(
            format!("{name}: hierarchical over LPDDR only"),
            figure,
            paper[1],
            over(|p| p.baseline, |p| p.hierarchical),
        );
        add(format!("{name}: H2M2 over the oracle"), figure, paper[2], over(|p| p.oracle, |p| p.h2m2));
        let (abstraction, mapping) =
            (loss(|p| p.h2m2_untranslated, |p| p.h2m2), loss(|p| p.oracle, |p| p.h2m2_untranslated));
        add(format!("{name}: cost of abstraction, %"), "Table 3", paper[3], abstraction);
        add(format!("{name}: cost of greedy mapping, %"), "Table 3", paper[4], mapping);
        // the paper's total is the sum of both
        add(format!("{name}: total cost, %"), "Table 3", paper[5], abstraction + mapping);
    }
    let points = &models[0].points[..];
    let over = |time: fn(&Point) -> u64| mean(points, choices, |p| p.baseline, time);
    // over the lengths at which there is one
    let major = |i: usize| {
        let there: Vec<Point> = points.iter().filter(|p| p.majors[i].is_some()).cloned().collect();
        mean(&there, choices, |p| p.baseline, |p| p.majors[i].unwrap_or(p.baseline))
    };
    add("GPT3-175B: sublayer-granular over LPDDR only".into(), "Figure 6", 1.27, over(|p| p.sublayer));
    add("GPT3-175B: head-aware (best) over LPDDR only".into(), "Figure 6", 1.50, over(|p| p.oracle));
    add("GPT3-175B: FlexGen over LPDDR only".into(), "Figure 7", 1.30, over(|p| p.flexgen));
    add("GPT3-175B: Q-major over LPDDR only".into(), "Figure 8", 1.22, major(1));
    add("GPT3-175B: A-major over LPDDR only".into(), "Figure 8", 1.40, major(0));
    add("GPT3-175B: F-major over LPDDR only".into(), "Figure 8", 1.12, major(2));
    add("GPT3-175B: 8-HBM over LPDDR only".into(), "Figure 18", 2.29, over(|p| p.eight_hbm));
    let moving = |base: fn(&Iteration) -> u64, time: fn(&Iteration) -> u64| {
        dynamic.iter().map(|i| base(i) as f64 / time(i) as f64).sum::<f64>() / dynamic.len() as f64
    };
    add("GPT3-175B, dynamic: H2M2 over LPDDR only".into(), "Figure 16", 1.48, moving(|i| i.baseline, |i| i.h2m2));
    add("GPT3-175B, dynamic: FlexGen over LPDDR only".into(), "Figure 16", 1.25, moving(|i| i.baseline, |i| i.flexgen));
    add("GPT3-175B, dynamic: H2M2 over the oracle".into(), "Figure 16", 0.96, moving(|i| i.oracle, |i| i.h2m2));
    add("GPT3-175B: energy of H2M2 over LPDDR only".into(), "Figure 19", 0.76, energy(points, choices));
    // the paper's MB are 2^20 bytes: its table of 2^40 / 2 MB entries of 8 bytes has 4 MB
    add("GPT3-175B: fragmentation, MiB".into(), "Equation 2", 156.0, fragmentation(choices));
    let name = "GPT3-175B: energy of 8-HBM over LPDDR only".into();
    numbers.push(Number { name, source: "Figure 19", paper: 1.31, model: choices.energy, put_in: true });
    numbers
}

/// Memory energy a token, over that of LPDDR only: every byte read costs the same on its side (section 5.5).
fn energy(points: &[Point], choices: &Choices) -> f64 {
    let relative = |p: &Point| {
        let fast = p.fast_bytes.iter().sum::<u64>() as f64;
        (fast * choices.energy + p.large_bytes as f64) / (fast + p.large_bytes as f64)
    };
    points.iter().map(relative).sum::<f64>() / points.len() as f64
}

/// The greatest fragmentation by Equation 2 of any length up to 2048: for each tensor the bytes behind its last whole page. A tensor is
/// what a side has of a matrix, of the keys or of the values of a layer.
fn fragmentation(choices: &Choices) -> f64 {
    let model = &MODELS[0];
    let of = |length: u64| -> Option<u64> {
        let mapping = solve(&model.problem(length, choices)).ok()?;
        Some(tensors(&model.shape, mapping, model.requests * length, choices).map(|bytes| bytes % PAGE.bytes()).sum())
    };
    // multiples of the length at which keys of a head fill a page repeat
    let most = (1..=2048).filter_map(of).max().unwrap_or(0);
    most as f64 / f64::from(1 << 20)
}

/// Bytes of each tensor of both sides.
fn tensors(shape: &Shape, mapping: Mapping, tokens: u64, choices: &Choices) -> impl Iterator<Item = u64> {
    let Mapping([attention, qkv, fc]) = mapping;
    let s = *shape;
    let side = move |a: u64, q: u64, f: u64| {
        let (columns, inner) = (s.hidden / s.heads * f, s.feed_forward / s.heads * f);
        let cache = s.head * a * tokens;
        let [query, key] = [s.group() * s.head * s.hidden * q, s.head * s.hidden * q];
        [query, key, key, s.heads * s.head * columns, s.hidden * inner, s.feed_forward * columns, cache, cache]
    };
    let (layers, together) = (s.layers, choices.tensors_of_all_layers);
    let both = [side(attention, qkv, fc), side(s.kv_heads - attention, s.kv_heads - qkv, s.heads - fc)];
    let bytes = both.into_iter().flatten().map(move |bytes| if together { bytes * layers } else { bytes });
    bytes.flat_map(move |bytes| std::iter::repeat_n(bytes, if together { 1 } else { layers as usize }))
}

/// A change of the hardware.
type Change = fn(&mut Hardware);

/// Table 4. Bandwidths and capacities are those of its configurations.
const VARIANTS: [(&str, Change); 9] = [
    ("Original", |_| {}),
    ("HBMcap-Less", |h| h.fast.capacity /= 2),
    ("HBMcap-More", |h| h.fast.capacity *= 2),
    ("HBMbw-Less", |h| h.fast.bandwidth = 2_250_000_000_000),
    ("HBMbw-More", |h| h.fast.bandwidth = 4_000_000_000_000),
    ("LPDDRbw-Less", |h| h.large.bandwidth = 408_000_000_000),
    ("LPDDRbw-More", |h| h.large.bandwidth = 680_000_000_000),
    ("HBMChip-More", |h| h.fast.cores *= 2),
    ("LPDDRChip-More", |h| h.large.cores *= 2),
];

fn variants(choices: &Choices) -> Vec<Variant> {
    let of = |(name, change): &(&'static str, Change)| {
        let mut choices = choices.clone();
        change(&mut choices.hardware);
        let points = MODELS[0].points(&choices);
        let speedups: Vec<f64> = points.iter().map(|p| p.baseline as f64 / p.h2m2 as f64).collect();
        Variant { name, speedups, mean: mean(&points, &choices, |p| p.baseline, |p| p.h2m2) }
    };
    VARIANTS.iter().map(of).collect()
}
