use super::*;
use ::sim::lad::Recorded;
use ::sim::lad_apid_bench::{ApidBench, Share, recorded_passes};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed};

fn params(lanes: u32, max_positions: u32) -> ApidParams {
    ApidParams { lanes, max_positions }
}

fn bench(design: &Design<ApidPorts>, p: ApidParams) -> ApidBench {
    let io = &design.ports;
    let sources = [
        StreamPorts::of(design, &io.bound),
        StreamPorts::of(design, &io.score),
        StreamPorts::of(design, &io.command),
        StreamPorts::of(design, &io.s),
    ];
    let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)];
    ApidBench { lanes: p.lanes as usize, max_positions: p.max_positions as usize, sources, sinks }
}

const SHARES: [Share; 4] = [Share::Some, Share::None, Share::Some, Share::All];

#[test]
fn lists_are_those_of_the_model() {
    for (number, (lanes, max)) in [(1, 64), (4, 200), (2, 16), (3, 77), (12, 1000)].into_iter().enumerate() {
        let p = params(lanes, max);
        let design = apid(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..4 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = match round {
                0 => [Stalls::Never; 6],
                1 => [10, 20, 50, 40, 60, 30].map(Stalls::Percent),
                2 => [0, 0, 0, 0, 90, 0].map(Stalls::Percent),
                _ => [2, 3, 9, 20, 7, 11].map(Stalls::Runs),
            };
            let count = |rng: &mut Rng, i: usize| match i {
                0..40 => i.min(max as usize),
                40 => max as usize,
                _ => rng.usize(0..=max as usize),
            };
            let passes: Vec<_> = (0..60).map(|i| (count(&mut rng, i), SHARES[rng.usize(0..4)])).collect();
            let passes = bench.random(&mut rng, &passes);
            bench.run(&mut sim, &passes, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// Queries and keys of a model, with centres: lists as the model of steps has them, repeats among them.
#[test]
fn lists_of_recorded_keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/smollm2_long.safetensors");
    let recorded = Recorded::read(path.as_ref(), 64, &[], None).expect("a recording with queries");
    let p = params(4, 256);
    let design = apid(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let mut active = 0;
    for layer in 0..2 {
        let passes = recorded_passes(&recorded, layer, 0.8, 16);
        active += passes.len();
        bench.run(&mut sim, &passes, [Stalls::Never; 6], 1).unwrap_or_else(|e| panic!("layer {layer}: {e}"));
    }
    assert!(active >= 32, "{active} passes");
}

#[test]
fn positions_in_every_cycle_and_the_stated_overhead() {
    for lanes in [1, 2, 4, 12] {
        let p = params(lanes, 480);
        let design = apid(p).unwrap();
        let bench = bench(&design, p);
        let passes = bench.random(&mut Rng::with_seed(seed(1)), &SHARES.map(|share| (480, share)));
        let times = bench.run(&mut jit::simulator(&design), &passes, [Stalls::Never; 6], 1).unwrap();
        let beats = (480 / lanes) as usize;
        for (pass, taken) in times.positions.chunks(beats).enumerate() {
            assert_eq!(taken[beats - 1] - taken[0] + 1, beats as u64, "{p:?}, {:?}", SHARES[pass]);
            let cycles = times.reports[pass] + 1 - times.commands[pass];
            assert!(cycles <= beats as u64 + u64::from(p.overhead()), "{p:?}, {:?}: {cycles} cycles", SHARES[pass]);
            assert!(cycles + 3 >= beats as u64 + u64::from(p.overhead()), "{p:?}: {cycles} cycles, more was stated");
        }
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(0, 64), "lanes = 0 is out of range"),
        (params(13, 64), "lanes = 13 is out of range"),
        (params(4, 15), "max_positions = 15 is out of range"),
        (params(4, 65_536), "max_positions = 65536 is out of range"),
    ] {
        let message = apid(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
