use super::*;
use ::sim::golden::attention::merge::Partial;
use ::sim::merge_bench::{MergeBench, random_parts};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};
use hdl::engine::Engine;

fn bench(design: &Design<MergePorts>, p: MergeParams) -> MergeBench {
    let io = &design.ports;
    let [parts, numbers, lanes] = [p.parts, p.numbers, p.lanes].map(|x| x as usize);
    let sources = [StreamPorts::of(design, &io.parts), StreamPorts::of(design, &io.words)];
    let sinks = [StreamPorts::of(design, &io.merged), StreamPorts::of(design, &io.report)];
    MergeBench { parts, numbers, lanes, sources, sinks }
}

const SHAPES: [MergeParams; 4] = [
    MergeParams { parts: 2, numbers: 64, lanes: 4 },
    MergeParams { parts: 8, numbers: 32, lanes: 4 },
    MergeParams { parts: 3, numbers: 48, lanes: 2 },
    MergeParams { parts: 5, numbers: 16, lanes: 1 },
];

#[test]
fn results_and_reports_are_those_of_the_model() {
    for (number, p) in SHAPES.into_iter().enumerate() {
        let design = merge(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..5 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 4],
                1 => [Stalls::Percent(60), Stalls::Percent(30), Stalls::Percent(40), Stalls::Percent(50)],
                2 => [Stalls::Never, Stalls::Never, Stalls::Percent(80), Stalls::Never],
                3 => [Stalls::Never, Stalls::Percent(70), Stalls::Never, Stalls::Percent(90)],
                _ => [10, 30, 20, 10].map(Stalls::Runs),
            };
            let jobs = bench.random(&mut Rng::with_seed(seed), 120);
            bench.run(&mut sim, &jobs, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// The largest sum of all parts, and those whose rounding carries.
#[test]
fn the_largest_sums() {
    let p = MergeParams { parts: 8, numbers: 32, lanes: 4 };
    let design = merge(p).unwrap();
    let bench = bench(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    // the last one: 2046 + 1.75 becomes 2048
    let jobs = [[0x73ff; 8], [0x7000; 8], [0x73fe; 8], [0x3c00; 8], [0x67fe, 0x3f00, 0, 0, 0, 0, 0, 0]].map(|sums| {
        let vectors = random_parts(&mut rng, 8, 32).into_iter().map(|part| part.vector);
        let parts = sums.into_iter().zip(vectors).take_while(|(sum, _)| *sum != 0);
        bench.whole(parts.map(|(sum, vector)| Partial { largest: 0x3555, sum, vector }).collect())
    });
    bench.run(&mut jit::simulator(&design), &jobs, [Stalls::Never; 4], 1).unwrap();
}

#[test]
fn a_word_a_cycle_and_the_stated_latencies() {
    let mut rng = Rng::with_seed(seed(1));
    for p in SHAPES {
        let design = merge(p).unwrap();
        let bench = bench(&design, p);
        let words = p.words() as usize;
        for n in 1..=p.parts as usize {
            let jobs = [(); 2].map(|()| bench.whole(random_parts(&mut rng, n, p.numbers as usize)));
            let times = bench.run(&mut jit::simulator(&design), &jobs, [Stalls::Never; 4], 1).unwrap();
            for i in 0..2 {
                let [parts, taken] = [&times.parts[i * n..][..n], &times.words[i * n * words..][..n * words]];
                let merged = &times.merged[i * words..][..words];
                assert_eq!([span(parts), span(taken)], [n as u64, (n * words) as u64], "{p:?}, {n} parts");
                assert_eq!(span(merged), words as u64);
                assert_eq!(taken[0] - parts[n - 1], 2 * n as u64 + u64::from(latency(p)), "{p:?}, {n} parts");
                assert_eq!(merged[0] - taken[n * words - 1], u64::from(result_latency()));
                assert_eq!(times.reports[i] - merged[words - 1], 1);
            }
            assert_eq!(times.parts[n] - times.reports[0], 1);
        }
    }
}

/// Whatever was under way, after a reset the next query is right.
#[test]
fn a_reset_in_any_cycle_forgets_everything() {
    let p = MergeParams { parts: 3, numbers: 32, lanes: 4 };
    let design = merge(p).unwrap();
    let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
    let mut rng = Rng::with_seed(seed(1));
    let [parts, words] = &bench.sources;
    let io = design.ports;
    let last = [io.parts.payload.last, io.words.payload.last].map(|last| design.port_index(last).expect("a port"));
    for cycles in 0..u64::from(latency(p)) + 80 {
        // any parts and words, each of which may be the last one
        for cycle in 0..cycles {
            for (ports, last) in [(parts, last[0]), (words, last[1])] {
                sim.poke(ports.valid, 1);
                ports.payload.iter().for_each(|field| sim.poke(field.port, rng.u64(..) & ((1 << field.width) - 1)));
                sim.poke(last, u64::from(cycle == 2 || rng.u8(0..40) == 0));
            }
            bench.sinks.iter().for_each(|ports| sim.poke(ports.ready, rng.u64(0..2)));
            sim.step();
        }
        let jobs = [bench.whole(random_parts(&mut rng, 3, 32))];
        bench.run(&mut sim, &jobs, [Stalls::Never; 4], cycles).unwrap_or_else(|e| panic!("{cycles} cycles: {e}"));
    }
}

#[test]
fn illegal_parameters_are_refused() {
    let p = MergeParams { parts: 2, numbers: 64, lanes: 4 };
    let cases = [
        (MergeParams { parts: 1, ..p }, "parts = 1"),
        (MergeParams { parts: 9, ..p }, "parts = 9"),
        (MergeParams { numbers: 24, ..p }, "numbers = 24"),
        (MergeParams { numbers: 528, ..p }, "numbers = 528"),
        (MergeParams { lanes: 8, ..p }, "lanes = 8"),
        (MergeParams { numbers: 16, ..p }, "a vector of 4 words"),
    ];
    for (p, text) in cases {
        let message = merge(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
