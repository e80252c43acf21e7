//! How long Algorithm 1 takes for GPT3-175B with 32 requests (the paper: 50 us): from the footprint, alone, and where memory is so full that
//! it has to look ahead.

use criterion::Criterion;
use driver::footprint::Tracker;
use driver::hardware::H2M2;
use driver::page::PageSize;
use driver::shape::GPT3_175B;
use driver::solver::{Problem, solve};
use std::hint::black_box;
use std::time::Instant;

/// 32 requests of as many tokens as are given, on average, each of its own length.
fn batch(mean: u64) -> Tracker {
    let mut tracker = Tracker::new(GPT3_175B).expect("the shape is legal").with_page_layers(8);
    for id in 0..32 {
        tracker.start(id, mean - 16 * 16 + 16 * u64::from(id)).expect("the requests differ");
    }
    tracker
}

/// Least nanoseconds of some runs.
fn nanoseconds(problem: &Problem) -> u128 {
    let run = |_| {
        let start = Instant::now();
        for _ in 0..32 {
            let _ = black_box(solve(black_box(problem)));
        }
        start.elapsed().as_nanos() / 32
    };
    (0..5).map(run).min().unwrap_or(0)
}

/// Of problems whose memory is full but for less than five parts of fc, the one that takes longest, and how many there were. In some of
/// them whole parts do not fit.
fn slowest(problem: &Problem) -> (Problem, u32) {
    let needed: u64 = problem.loads.iter().map(|load| load.parts * load.bytes).sum();
    let room =
        |slack: u64| Problem { large_capacity: (needed + slack).saturating_sub(problem.fast_capacity), ..*problem };
    let step = problem.loads[2].bytes / 200;
    let problems: Vec<Problem> = (0..1000).map(|i| room(i * step)).collect();
    let slowest = problems.iter().max_by_key(|problem| nanoseconds(problem)).expect("there are some");
    (*slowest, problems.len() as u32)
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let tracker = batch(700);
    criterion.bench_function("footprint and Algorithm 1, GPT3-175B, 32 requests", |b| {
        b.iter(|| solve(&black_box(&tracker).problem(black_box(&H2M2))));
    });
    let problem = tracker.problem(&H2M2);
    criterion.bench_function("Algorithm 1, GPT3-175B, 32 requests", |b| b.iter(|| solve(black_box(&problem))));
    for mean in [700, 1500, 2900] {
        let tracker = batch(mean);
        let in_pages = tracker.problem_in_pages(&H2M2, PageSize::HUGE, 1);
        for (unit, problem) in [("bytes", tracker.problem(&H2M2)), ("pages", in_pages)] {
            let (problem, tried) = slowest(&problem);
            let name = format!("the slowest of {tried} full memories, {mean} tokens, room in {unit}");
            criterion.bench_function(&name, |b| b.iter(|| solve(black_box(&problem))));
        }
    }
    criterion.final_summary();
}
