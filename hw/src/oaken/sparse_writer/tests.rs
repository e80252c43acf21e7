//! Beats of any number of bytes, against a list of bytes.

use super::*;
use ::sim::bus::{Beat, Bench, Stalls, packet_bytes, seed};
use fastrand::Rng;

/// The beats of a vector, and its bytes behind the header.
fn vector(rng: &mut Rng, lanes: usize) -> (Vec<Beat>, Vec<u8>) {
    let most = [0, 1, lanes / 2, lanes][rng.usize(0..4)];
    let number = rng.usize(1..12);
    let mut bytes = vec![];
    let beats = (0..number).map(|i| {
        let starts = i == 0 || lanes == 64 || rng.bool();
        let count = rng.u8(0..=64);
        let found: Vec<u8> = (0..rng.usize(0..=most)).map(|_| rng.u8(..)).collect();
        bytes.extend(starts.then_some(count));
        bytes.extend(&found);
        // what does not count is anything
        let mut all = found.clone();
        all.resize_with(lanes, || rng.u8(..));
        let flag = |x: bool| BigUint::from(u32::from(x));
        let last = flag(i + 1 == number);
        let entries = BigUint::from_bytes_le(&all);
        Beat(vec![entries, found.len().into(), flag(starts), count.into(), last])
    });
    (beats.collect(), bytes)
}

#[test]
fn packs_every_vector_from_a_fresh_word_behind_its_header() {
    for lanes in [1, 2, 8, 16, 32, 64] {
        for stalls in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(25)] {
            let p = EngineParams { lanes, max_length: 256, dense_bits: 4, settings: 1 };
            let design = sparse_writer(p, 4).unwrap_or_else(|e| panic!("{e}"));
            let port = |signal| design.port_index(signal).expect("a port");
            let io = &design.ports;
            let (stop, number, header) = (port(io.stop), port(io.vector), port(io.header));
            let mut engine = jit::simulator(&design);
            let mut bench = Bench::new(&mut engine, seed(3));
            let mut rng = Rng::with_seed(seed(u64::from(lanes)));
            let s = bench.source(&design, &io.s, stalls);
            let m = bench.sink(&design, &io.m, stalls);
            bench.reset().unwrap_or_else(|e| panic!("{e}"));
            // as many headers as numbers: the same after 16 vectors
            let headers: Vec<u64> = (0..16).map(|_| rng.u64(..)).collect();
            let mut expected = vec![];
            for i in 0..200 {
                let (beats, bytes) = vector(&mut rng, lanes as usize);
                bench.send(s, beats);
                expected.push([&headers[i % 16].to_le_bytes()[..], &bytes].concat());
            }
            let words: usize = expected.iter().map(|b| b.len().div_ceil(p.sparse_bytes() as usize)).sum();
            while bench.beats(m).len() < words {
                assert!(bench.cycle() < 100_000, "{lanes} lanes: {} of {words} words", bench.beats(m).len());
                let vector = bench.engine.peek(number);
                bench.engine.poke(header, headers[vector as usize]);
                bench.engine.poke(stop, u64::from(rng.u8(0..8) == 0));
                bench.step().unwrap_or_else(|e| panic!("{e}"));
            }
            assert_eq!(packet_bytes(bench.beats(m)), expected, "{lanes} lanes");
        }
    }
}
