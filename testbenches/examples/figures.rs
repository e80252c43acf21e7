//! How long a 128-lane binary16 dot product takes to elaborate and print, and how much Verilog it is.
//! `cargo run --release -p kvforge-testbenches --example figures`

use hdl::{Options, verilog};
use hw::float::dot;
use hw::float::format::{BINARY16, Subnormals};
use std::time::{Duration, Instant};

const LANES: u32 = 128;

/// The median of 21 runs, after a first one.
fn main() {
    let (first, ..) = run();
    let mut runs: Vec<_> = (0..21).map(|_| run()).collect();
    runs.sort();
    let (total, elaborated, modules, bytes) = runs[10];
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    println!(
        "{LANES} lanes: {modules} modules, {bytes} bytes, {:.1} ms (elaboration {:.1} ms; the first time {:.1} ms)",
        ms(total),
        ms(elaborated),
        ms(first)
    );
}

/// The time of all, the time of the elaboration, the modules and the bytes of Verilog.
fn run() -> (Duration, Duration, usize, usize) {
    let start = Instant::now();
    // subnormals as zero, a register at every place
    let design = dot::dot(BINARY16, Subnormals::Flush, LANES, dot::natural(LANES));
    let design = design.unwrap_or_else(|errors| panic!("{errors}"));
    let elaborated = start.elapsed();
    let source = verilog(&design, &Options::default());
    let bytes = source.single().len();
    (start.elapsed(), elaborated, source.len(), bytes)
}
