use super::*;
use ::sim::softmax_bench::SoftmaxBench;
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed};

fn bench(design: &Design<SoftmaxPorts>, p: SoftmaxParams) -> SoftmaxBench {
    let io = &design.ports;
    SoftmaxBench {
        tokens: p.tokens as usize,
        source: StreamPorts::of(design, &io.scores),
        sink: StreamPorts::of(design, &io.weights),
        forget: design.port_index(io.forget).expect("a port"),
        nonfinite: design.port_index(io.nonfinite).expect("a port"),
    }
}

#[test]
fn weights_are_those_of_the_model() {
    for (number, (tokens, longest, count)) in [(8, 12, 400), (64, 70, 120), (1024, 1100, 24)].into_iter().enumerate() {
        let p = SoftmaxParams { tokens };
        let design = softmax(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..4 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 2],
                1 => [70, 40].map(Stalls::Percent),
                2 => [Stalls::Never, Stalls::Percent(80)],
                _ => [20, 30].map(Stalls::Runs),
            };
            let queries = bench.random(&mut Rng::with_seed(seed), count, longest);
            bench.run(&mut sim, &queries, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}
