//! `kvforge demo`: real keys and values through the Verilog's own description, on the built-in simulator.

mod engines;
mod input;
mod regenerate;
mod results;

use crate::args::DemoOptions;
use crate::json::json;
use crate::report::Failure;
use engines::Engines;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use input::Input;
use rayon::prelude::*;
use regenerate::regenerate;
use results::{Results, Row};
use sim::data::KvTensor;
use sim::golden::quality;
use std::io::Write;
use std::time::Instant;

pub fn run(options: &DemoOptions) -> Result<(), Failure> {
    let start = Instant::now();
    // the input first: what is wrong with it should not be told after minutes of work
    let input = Input::read(options)?;
    let verilog = regenerate()?;
    let engines = Engines::new(&input)?;
    let bar = progress_bar(&input, options.json);
    let rows = measure(&input, &engines, &bar)?;
    bar.finish_and_clear();
    let results = Results { rows, verilog, seconds: start.elapsed().as_secs_f64(), ..Results::of(&input, &engines) };

    let mut out = std::io::stdout().lock();
    match options.json {
        true => writeln!(out, "{}", json(&results)?)?,
        false => results.print(&mut out)?,
    }
    match results.mismatches() {
        0 => Ok(()),
        count => Err(Failure::Internal(format!("{count} mismatches between the engines and the bit-exact model"))),
    }
}

/// Counts the vectors, twice: once for each engine. It is seen only on a terminal.
fn progress_bar(input: &Input, hidden: bool) -> ProgressBar {
    let vectors: usize = input.run.tensors.iter().map(|t| t.rows).sum();
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(2 * vectors as u64), target);
    let style = ProgressStyle::with_template("  simulating {wide_bar} {pos}/{len} vectors, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

/// Runs all tensors, several at a time.
fn measure(input: &Input, engines: &Engines, bar: &ProgressBar) -> Result<Vec<Row>, Failure> {
    let row = |tensor: &KvTensor| {
        let (thresholds, dense_bits) = (input.thresholds(tensor)?, input.dense_bits(tensor)?);
        let quality = quality::measure(tensor.vectors(), dense_bits, &thresholds);
        let of_the_paper = input.thresholds_of_the_paper(tensor);
        let paper_db = of_the_paper.map(|t| quality::measure_paper(tensor.vectors(), dense_bits, &t));
        let simulated = engines.run(tensor, dense_bits, &thresholds, bar)?;
        Ok(Row::new(tensor, dense_bits, &quality, paper_db, simulated))
    };
    let mut rows = input.run.tensors.par_iter().map(row).collect::<Result<Vec<Row>, Failure>>()?;
    rows.sort_by_key(|row| (row.layer, row.kind));
    Ok(rows)
}
