use super::*;
use super::{positive_sum::positive_sum, square::square};
use ::sim::golden::vq::decode::{add, multiply};
use ::sim::golden::vq::tables::{TableCommand, TableUnit};
use ::sim::vq_benches::table::{EncoderBench, random_encoding};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};
use hdl::engine::Engine;

fn params(entries: u32, vector: u32, positions: u32) -> TableParams {
    TableParams { entries, vector, positions, residuals: 1, queries: 1 }
}

fn bench(design: &Design<EncoderPorts>, p: TableParams) -> EncoderBench {
    let io = &design.ports;
    let sources =
        [StreamPorts::of(design, &io.command), StreamPorts::of(design, &io.query), StreamPorts::of(design, &io.words)];
    let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.done)];
    let [entries, vector, positions] = [p.entries, p.vector, p.positions].map(|n| n as usize);
    let unit = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens: 1 };
    EncoderBench { unit, sources, sinks }
}

#[test]
fn random_books_and_vectors() {
    let shapes = [(16, 2, 16), (8, 4, 8), (16, 1, 32), (8, 8, 8), (8, 16, 8), (32, 4, 24), (256, 2, 8)];
    for (number, (entries, vector, positions)) in shapes.into_iter().enumerate() {
        let p = params(entries, vector, positions);
        let design = encoder(p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let bench = bench(&design, p);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 5],
                1 => [70, 40, 30, 50, 60].map(Stalls::Percent),
                _ => [9, 20, 7, 11, 5].map(Stalls::Runs),
            };
            let mut rng = Rng::with_seed(seed);
            let commands: Vec<TableCommand> =
                (0..30).map(|i| random_encoding(&bench.unit, &mut rng, i % 4 == 0, i % 2 == 0)).collect();
            bench.run(&mut sim, &commands, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

#[test]
fn a_word_in_every_cycle_but_one_a_book() {
    for (entries, vector) in [(64, 2), (32, 4), (16, 8), (64, 1)] {
        let p = params(entries, vector, 16);
        let design = encoder(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(1));
        let commands = [(); 3].map(|()| random_encoding(&bench.unit, &mut rng, true, false));
        let times = bench.run(&mut jit::simulator(&design), &commands, [Stalls::Never; 5], 1).unwrap();
        let book = u64::from(1 + entries * vector / 4);
        let words: Vec<&[u64]> = times.words.chunks(16 * book as usize).collect();
        for ((words, report), rows) in words.iter().zip(&times.reports).zip(times.scores.chunks(2)) {
            assert_eq!(span(words), 16 * (book + 1) - 1, "{p:?}");
            let last = words[words.len() - 1];
            assert_eq!(rows, [last + u64::from(latency(p)) + 3, last + u64::from(latency(p)) + 4], "{p:?}");
            assert_eq!(*report, rows[1] + 1, "{p:?}");
        }
        for two in words.windows(2) {
            assert_eq!(two[1][0] - two[0][two[0].len() - 1], u64::from(overhead(p)) + 2, "{p:?}");
        }
    }
}

/// The outputs of a unit for some inputs, one after the other in each cycle.
fn outputs<P>(design: &Design<P>, inputs: &[Signal], output: Signal, values: &[[u16; 2]]) -> Vec<u16> {
    let mut sim = jit::simulator(design);
    sim.reset(1);
    let latency = design.latency().expect("a latency") as usize;
    let mut found = vec![];
    for i in 0..values.len() + latency {
        for (input, value) in inputs.iter().zip(values.get(i).unwrap_or(&[0; 2])) {
            sim.poke(*input, u64::from(*value));
        }
        found.push(sim.peek(output) as u16);
        sim.step();
    }
    found.split_off(latency)
}

/// A number of the largest exponents is infinite.
fn of_infinity(x: u16, from: u16) -> u16 {
    if x >> 10 >= from { 0x7c00 } else { x }
}

#[test]
fn every_square() {
    let design = square().unwrap();
    let values: Vec<[u16; 2]> = (0..0x7c00).map(|c| [c, 0]).collect();
    let found = outputs(&design, &[design.ports.c], design.ports.q, &values);
    for ([c, _], q) in values.iter().zip(found) {
        assert_eq!(of_infinity(q, 31), multiply(*c, *c), "{c:x}");
    }
}

/// Pairs of numbers without sign: any, and those of exponents that are near to each other.
fn pairs(count: usize) -> Vec<[u16; 2]> {
    let mut rng = Rng::with_seed(seed(1));
    let pair = |i: usize| {
        let (a, near) = (rng.u16(0..=0x7c00), rng.u16(0..15) << 10 | rng.u16(0..0x400));
        let b = match i % 4 {
            0 => rng.u16(0..=0x7c00),
            1 => a.saturating_sub(near),
            2 => a.saturating_sub(near & 0x7f),
            _ => a & 0x7c00 | rng.u16(0..0x400),
        };
        let (a, b) = if i % 8 == 5 { (a & 0x7ff, b & 0x7ff) } else { (a, b.min(0x7c00)) };
        if rng.bool() { [a, b] } else { [b, a] }
    };
    (0..count).map(pair).collect()
}

#[test]
fn sums_without_sign() {
    let values = pairs(300_000);
    for halves in [false, true] {
        let design = positive_sum(halves).unwrap();
        let found = outputs(&design, &[design.ports.a, design.ports.b], design.ports.y, &values);
        for ([a, b], y) in values.iter().zip(found) {
            let (sum, from) = (add(*a, *b), if halves { 30 } else { 31 });
            let expected = if halves { multiply(0x3800, sum) } else { sum };
            assert_eq!(of_infinity(y, from), expected, "{a:x} {b:x}, half: {halves}");
        }
    }
}

#[test]
fn differences_as_integers() {
    let design = difference().unwrap();
    let mut rng = Rng::with_seed(seed(1));
    let values: Vec<[u16; 2]> = pairs(600_000)
        .into_iter()
        .map(|[a, h]| match rng.u8(0..50) {
            0 => [rng.u16(..) | 0x7c00, h],
            1 => [0x7c00 | a & 0x8000, rng.u16(0x7800..0x8000)],
            _ => [a | rng.u16(..) & 0x8000, h],
        })
        .collect();
    let found = outputs(&design, &[design.ports.a, design.ports.h], design.ports.key, &values);
    for ([a, h], key) in values.iter().zip(found) {
        let exact = add(*a, 0x8000 | of_infinity(*h, 30));
        // every NaN is the first integer below that of minus infinity
        let magnitude = i32::from(exact & 0x7fff).min(0x7c01);
        let expected = if magnitude > 0x7c00 || exact & 0x8000 != 0 { -magnitude } else { magnitude };
        assert_eq!(i32::from(key as i16), expected, "{a:x} - {h:x}");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(12, 2, 8), "entries = 12"),
        (params(16, 3, 8), "vector = 3"),
        (params(16, 2, 12), "positions = 12"),
        (TableParams { residuals: 2, ..params(16, 2, 8) }, "residuals = 2"),
        (TableParams { queries: 2, ..params(16, 2, 8) }, "queries = 2"),
    ] {
        let message = encoder(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
