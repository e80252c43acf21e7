//! How long Algorithm 1 takes for GPT3-175B with 32 requests (the paper: 50 us): from the footprint, and alone.

use criterion::Criterion;
use driver::footprint::Tracker;
use driver::hardware::H2M2;
use driver::shape::GPT3_175B;
use driver::solver::solve;
use std::hint::black_box;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut tracker = Tracker::new(GPT3_175B).expect("the shape is legal");
    for id in 0..32 {
        tracker.start(id, 100 + 37 * u64::from(id)).expect("the requests differ");
    }
    criterion.bench_function("footprint and Algorithm 1, GPT3-175B, 32 requests", |b| {
        b.iter(|| solve(&black_box(&tracker).problem(black_box(&H2M2))));
    });
    let problem = tracker.problem(&H2M2);
    criterion.bench_function("Algorithm 1, GPT3-175B, 32 requests", |b| b.iter(|| solve(black_box(&problem))));
    criterion.final_summary();
}
