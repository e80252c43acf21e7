//! How far Algorithm 1 is from the best of all mappings, by ideal times, over a grid of batches and lengths, beside Table 3's means.

use super::{exhaustive, solve};
use crate::footprint::Tracker;
use crate::hardware::H2M2;
use crate::shape::{CHINCHILLA_70B, GPT3_175B, LLAMA2_70B, Shape};

/// Models, and the paper's mean for each in percent (Table 3).
const MODELS: [(&str, Shape, f64); 3] =
    [("GPT3-175B", GPT3_175B, 2.56), ("Chinchilla-70B", CHINCHILLA_70B, 3.76), ("Llama2-70B", LLAMA2_70B, 0.60)];

/// Percent that the mapping of Algorithm 1 takes longer than the best; `None` if the batch does not fit.
pub fn gap(shape: Shape, batch: u32, tokens: u64) -> Option<f64> {
    let mut tracker = Tracker::new(shape).ok()?;
    (0..batch).try_for_each(|id| tracker.start(id, tokens)).ok()?;
    let problem = tracker.problem(&H2M2);
    let time = problem.time(solve(&problem).ok()?);
    let (_, least) = exhaustive::best(&problem, |mapping| problem.time(mapping))?;
    Some(100.0 * (time as f64 / least as f64 - 1.0))
}

/// Mean and largest gap of each model, for batches of 16 to 128 and lengths of 256 to 4096 in steps of 256, as a Markdown table.
pub fn table() -> String {
    let mut text = "| model | points | mean % | largest % | at batch, tokens | paper's mean % |\n".to_string();
    text += "| --- | ---: | ---: | ---: | --- | ---: |\n";
    for (name, shape, paper) in MODELS {
        let grid = [16, 32, 64, 128].into_iter().flat_map(|batch| (1..=16).map(move |i| (batch, 256 * i)));
        let gaps: Vec<(f64, (u32, u64))> =
            grid.filter_map(|(batch, tokens)| Some((gap(shape, batch, tokens)?, (batch, tokens)))).collect();
        let mean = gaps.iter().map(|(gap, _)| gap).sum::<f64>() / gaps.len() as f64;
        let largest = gaps.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (largest, (batch, tokens)) = *largest.expect("some of the grid fits");
        text += &format!("| {name} | {} | {mean:.2} | {largest:.2} | {batch}, {tokens} | {paper:.2} |\n", gaps.len());
    }
    text
}
