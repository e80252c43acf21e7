//! Figures of the language: how long a 128-lane binary16 dot product takes to elaborate and print, and how fast a 16-lane one
//! runs on the built-in simulator and under Verilator. `cargo run --release -p kvforge-testbenches --example figures`

use half::f16;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{Design, Errors, Options, Reset, verilog};
use hw::float::dot::{self, DotPorts};
use hw::float::format::{BINARY16, Subnormals};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use testbenches::{have, verilated};

/// The dot product of so many lanes: subnormals as zero, a register at every place.
fn dot(lanes: u32) -> Result<Design<DotPorts>, Errors> {
    dot::dot(BINARY16, Subnormals::Flush, lanes, dot::natural(lanes))
}

fn main() {
    elaboration();
    let design = dot(16).unwrap_or_else(|errors| panic!("{errors}"));
    let mut simulator = Simulator::new(&design);
    check(&design, &mut simulator);
    let instructions = simulator.instructions();
    println!(
        "16 lanes, built-in simulator: {:.0} cycles/s ({instructions} instructions)",
        speed(&design, &mut simulator)
    );
    let mut compiled = jit::compiled(&design);
    check(&design, &mut compiled);
    println!("16 lanes, machine code: {:.0} cycles/s", speed(&design, &mut compiled));
    if have(&["verilator"]) {
        let mut model = verilated(&design, Reset::default()).unwrap_or_else(|error| panic!("{error}"));
        check(&design, &mut model);
        println!("16 lanes, Verilator, one thread: {:.0} cycles/s", speed(&design, &mut model));
    }
}

/// The median of 21 runs, after a first one.
fn elaboration() {
    let run = || {
        let start = Instant::now();
        let design = dot(128).unwrap_or_else(|errors| panic!("{errors}"));
        let elaborated = start.elapsed();
        let source = verilog(&design, &Options::default());
        let bytes = source.single().len();
        (start.elapsed(), elaborated, source.len(), bytes)
    };
    let (first, ..) = run();
    let mut runs: Vec<_> = (0..21).map(|_| run()).collect();
    runs.sort();
    let (total, elaborated, modules, bytes) = runs[10];
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    println!(
        "128 lanes: {modules} modules, {bytes} bytes, {:.1} ms (elaboration {:.1} ms; the first time {:.1} ms)",
        ms(total),
        ms(elaborated),
        ms(first)
    );
}

/// Rounds to binary16, subnormals to zero.
fn round(x: f64) -> f16 {
    let y = f16::from_f64(x);
    // with the numbers below, what is smaller than the normal numbers is exact: it does not matter that the units round first
    if y.is_normal() || !y.is_finite() { y } else { f16::from_bits(y.to_bits() & 0x8000) }
}

/// The exact binary16 operations, in the order of the adder tree. A float64 holds products and sums of two exactly.
fn model(a: &[f16], b: &[f16]) -> f16 {
    let mut level: Vec<f16> = a.iter().zip(b).map(|(a, b)| round(a.to_f64() * b.to_f64())).collect();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| round(pair[0].to_f64() + pair[1].to_f64())).collect();
    }
    level[0]
}

/// A normal number of moderate size, and now and then infinity or 0.
fn number(rng: &mut fastrand::Rng) -> f16 {
    match rng.u32(0..200) {
        0 => f16::ZERO,
        1 => f16::INFINITY,
        _ => f16::from_bits(rng.u16(..) & 0x83ff | rng.u16(8..22) << 10),
    }
}

fn packed(vector: &[f16]) -> Vec<u64> {
    vector.chunks(4).map(|four| four.iter().rev().fold(0, |word, x| word << 16 | u64::from(x.to_bits()))).collect()
}

/// Compares 2000 results with the model.
fn check(design: &Design<DotPorts>, engine: &mut dyn Engine) {
    let port = |signal| design.port_index(signal).expect("it is a port");
    let io = design.ports;
    let [valid, a, b, sum_valid, sum] = [io.in_valid, io.a, io.b, io.out_valid, io.y].map(port);
    let (mut rng, mut wanted) = (fastrand::Rng::with_seed(3), VecDeque::new());
    engine.reset(2);
    let mut compared = 0;
    while compared < 2000 {
        let mut vector = || -> Vec<f16> { (0..16).map(|_| number(&mut rng)).collect() };
        let (x, y) = (vector(), vector());
        let send = rng.u32(0..4) > 0;
        engine.poke(valid, u64::from(send));
        engine.poke_wide(a, &packed(&x));
        engine.poke_wide(b, &packed(&y));
        if send {
            wanted.push_back(model(&x, &y));
        }
        if engine.peek(sum_valid) == 1 {
            let (got, want) =
                (f16::from_bits(engine.peek(sum) as u16), wanted.pop_front().expect("something was sent"));
            assert!(
                got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
                "result {compared}: {got}, not {want}"
            );
            compared += 1;
        }
        engine.step();
    }
}

/// Cycles per second with new random inputs in every cycle.
fn speed(design: &Design<DotPorts>, engine: &mut dyn Engine) -> f64 {
    let port = |signal| design.port_index(signal).expect("it is a port");
    let (a, b, sum) = (port(design.ports.a), port(design.ports.b), port(design.ports.y));
    let mut rng = fastrand::Rng::with_seed(9);
    let vectors: Vec<Vec<u64>> =
        (0..64).map(|_| packed(&(0..16).map(|_| number(&mut rng)).collect::<Vec<_>>())).collect();
    let mut best = 0f64;
    for _ in 0..5 {
        let (start, mut cycles, mut seen) = (Instant::now(), 0u32, 0);
        while start.elapsed() < Duration::from_millis(400) {
            for i in 0..256 {
                engine.poke_wide(a, &vectors[i % 64]);
                engine.poke_wide(b, &vectors[(i * 7 + 3) % 64]);
                engine.step();
                seen ^= engine.peek(sum);
            }
            cycles += 256;
        }
        std::hint::black_box(seen);
        best = best.max(f64::from(cycles) / start.elapsed().as_secs_f64());
    }
    best
}
