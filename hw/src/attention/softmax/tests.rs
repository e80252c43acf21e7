use super::*;
use ::sim::golden::attention::softmax::softmax as model;
use ::sim::softmax_bench::{Query, SoftmaxBench, random_scores};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};
use hdl::engine::Engine;

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

fn whole(scores: Vec<u16>) -> Query {
    Query { scores, forgotten: false }
}

#[test]
fn weights_are_those_of_the_model() {
    for (number, (tokens, longest, count)) in [(8, 12, 400), (64, 70, 120), (1024, 1100, 24)].into_iter().enumerate() {
        let p = SoftmaxParams { tokens, statistics: false };
        let design = softmax(p).unwrap_or_else(|e| panic!("{e}"));
        assert!(design.loops_without_reset().is_empty(), "{:?}", design.loops_without_reset());
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

#[test]
fn every_length_and_the_longest_query() {
    let mut rng = Rng::with_seed(seed(1));
    let p = SoftmaxParams { tokens: 32, statistics: false };
    let design = softmax(p).unwrap();
    let queries: Vec<_> = (1..=40).chain((1..=40).rev()).map(|n| whole(random_scores(&mut rng, n))).collect();
    bench(&design, p).run(&mut jit::simulator(&design), &queries, [Stalls::Percent(20); 2], 1).unwrap();

    // the largest sum, sums whose rounding carries, one that is 1, one that is above the middle of two numbers by what is shifted out
    let p = SoftmaxParams { tokens: MAX_TOKENS, statistics: false };
    let design = softmax(p).unwrap();
    let mut lone = vec![0xfc00; 8192];
    lone[8191] = 0x4900;
    let above = [vec![0; 2049], vec![0xc980]].concat();
    let queries = [vec![0x3555; 8192], vec![0x3555; 4095], lone, above, random_scores(&mut rng, 8192)].map(whole);
    bench(&design, p).run(&mut jit::simulator(&design), &queries, [Stalls::Never; 2], 1).unwrap();
}

#[test]
fn a_score_and_a_weight_a_cycle_and_the_stated_latency() {
    let mut rng = Rng::with_seed(seed(1));
    for tokens in [8, 64, 8192] {
        let p = SoftmaxParams { tokens, statistics: false };
        let design = softmax(p).unwrap();
        let bench = bench(&design, p);
        for n in [1, 2, 7, 8, 40, 1000].into_iter().filter(|n| *n <= tokens as usize) {
            let queries = [(); 2].map(|()| whole(random_scores(&mut rng, n)));
            let times = bench.run(&mut jit::simulator(&design), &queries, [Stalls::Never; 2], 1).unwrap();
            for (scores, weights) in times.scores.chunks(n).zip(times.weights.chunks(n)) {
                assert_eq!([span(scores), span(weights)], [n as u64; 2], "{p:?}, {n} scores");
                let cycles = weights[0] - scores[n - 1];
                assert_eq!(cycles, n as u64 + u64::from(latency(p)), "{p:?}, {n} scores");
            }
            assert_eq!(times.scores[n] - times.weights[n - 1], 1, "{p:?}, {n} scores");
        }
    }
}

/// Pokes a query's scores, and gives its weights, in so many cycles at most; the last ones of both may be missing.
fn cycles(sim: &mut dyn Engine, design: &Design<SoftmaxPorts>, scores: &[u16], most: u64) -> Vec<u16> {
    let io = design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    let [valid, ready, score, last] =
        [io.scores.valid, io.scores.ready, io.scores.payload.score, io.scores.payload.last].map(port);
    let [comes, taken, weight] = [io.weights.valid, io.weights.ready, io.weights.payload.weight].map(port);
    let (mut sent, mut came) = (0, vec![]);
    sim.poke(port(io.forget), 0);
    sim.poke(taken, 1);
    for _ in 0..most {
        sim.poke(valid, (sent < scores.len()).into());
        sim.poke(score, scores.get(sent).copied().unwrap_or(0x7e00).into());
        sim.poke(last, (sent + 1 == scores.len()).into());
        came.extend((sim.peek(comes) == 1).then(|| sim.peek(weight) as u16));
        sent += usize::from(sent < scores.len() && sim.peek(ready) == 1);
        sim.step();
    }
    came
}

#[test]
fn a_reset_in_any_cycle_forgets_everything() {
    let p = SoftmaxParams { tokens: 16, statistics: false };
    let design = softmax(p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rng = Rng::with_seed(seed(1));
    let length = 9;
    let whole = u64::from(latency(p)) + 3 * length as u64 + 2;
    sim.reset(2);
    for most in 0..whole {
        let before = random_scores(&mut rng, length);
        cycles(&mut sim, &design, &before, most);
        sim.reset(1);
        let scores = random_scores(&mut rng, length);
        assert_eq!(cycles(&mut sim, &design, &scores, whole), model(&scores).0, "a reset after {most} cycles");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for tokens in [0, 4, 9, 16384] {
        let message = softmax(SoftmaxParams { tokens, statistics: false }).unwrap_err().to_string();
        assert!(message.contains(&format!("tokens = {tokens}")), "{message}");
    }
}
