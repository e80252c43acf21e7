//! How far Algorithm 1 is from the best of all mappings, by ideal times, over a grid of batches and lengths, beside Table 3's means.

use driver::footprint::Tracker;
use driver::hardware::H2M2;
use driver::shape::{CHINCHILLA_70B, GPT3_175B, LLAMA2_70B, Shape};
use driver::solver::{exhaustive, solve};

/// Percent that the mapping of Algorithm 1 takes longer than the best; `None` if the batch does not fit.
fn gap(shape: Shape, batch: u32, tokens: u64) -> Option<f64> {
    let mut tracker = Tracker::new(shape).ok()?;
    (0..batch).try_for_each(|id| tracker.start(id, tokens)).ok()?;
    let problem = tracker.problem(&H2M2);
    let time = problem.time(solve(&problem).ok()?);
    let (_, least) = exhaustive::best(&problem, |mapping| problem.time(mapping))?;
    Some(100.0 * (time as f64 / least as f64 - 1.0))
}

fn main() {
    println!("| model | points | mean % | largest % | at batch, tokens | paper's mean % |");
    println!("| --- | ---: | ---: | ---: | --- | ---: |");
    let models =
        [("GPT3-175B", GPT3_175B, 2.56), ("Chinchilla-70B", CHINCHILLA_70B, 3.76), ("Llama2-70B", LLAMA2_70B, 0.60)];
    for (name, shape, paper) in models {
        let grid = [16, 32, 64, 128].into_iter().flat_map(|batch| (1..=16).map(move |i| (batch, 256 * i)));
        let gaps: Vec<(f64, (u32, u64))> =
            grid.filter_map(|(batch, tokens)| Some((gap(shape, batch, tokens)?, (batch, tokens)))).collect();
        let mean = gaps.iter().map(|(gap, _)| gap).sum::<f64>() / gaps.len() as f64;
        let largest = gaps.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (largest, (batch, tokens)) = *largest.expect("some of the grid fits");
        println!("| {name} | {} | {mean:.2} | {largest:.2} | {batch}, {tokens} | {paper:.2} |", gaps.len());
    }
}
