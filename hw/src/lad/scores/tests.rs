use super::*;
use ::sim::golden::lad::number::scaled_query;
use ::sim::lad::Recorded;
use ::sim::lad_score_bench::{ScoreBench, random_vector};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

fn params(head: u32, lanes: u32, queries: u32, exact: bool) -> ScoresParams {
    ScoresParams { head, lanes, queries, exact }
}

fn bench(design: &Design<ScoresPorts>, p: ScoresParams) -> ScoreBench {
    let io = &design.ports;
    let sources = [StreamPorts::of(design, &io.query), StreamPorts::of(design, &io.key)];
    let [head, lanes, queries] = [p.head, p.lanes, p.queries].map(|n| n as usize);
    ScoreBench { head, lanes, queries, exact: p.exact, sources, sink: StreamPorts::of(design, &io.m) }
}

#[test]
fn scores_are_those_of_the_model() {
    let shapes = [(64, 8, 2, true), (16, 16, 4, false), (20, 5, 2, true), (18, 6, 16, false), (128, 4, 2, true)];
    for (number, (head, lanes, queries, exact)) in shapes.into_iter().enumerate() {
        let p = params(head, lanes, queries, exact);
        let design = scores(p).unwrap_or_else(|e| panic!("{e}"));
        let (mut sim, bench) = (jit::simulator(&design), bench(&design, p));
        for round in 0..4 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 3],
                1 => [70, 40, 50].map(Stalls::Percent),
                2 => [Stalls::Percent(90), Stalls::Never, Stalls::Runs(9)],
                _ => [9, 20, 7].map(Stalls::Runs),
            };
            let vectors = bench.random(&mut Rng::with_seed(seed), 300);
            bench.run(&mut sim, &vectors, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// Queries and keys of a model, each query with its own key and those before it.
#[test]
fn scores_of_recorded_keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/smollm2_long.safetensors");
    let recorded = Recorded::read(path.as_ref(), 64, &[], None).expect("a recording with queries");
    let p = params(64, 8, 2, true);
    let design = scores(p).unwrap();
    let bench = bench(&design, p);
    for layer in &recorded.layers {
        let queries = [64, 255].map(|token| scaled_query(layer.query(token, 0)));
        let queries: Vec<_> = queries.into_iter().enumerate().collect();
        let keys: Vec<_> = (0..256).map(|token| (token % 2, layer.key(token, 0).to_vec())).collect();
        bench.run(&mut jit::simulator(&design), &(queries, keys), [Stalls::Never; 3], 1).unwrap();
    }
}

#[test]
fn a_beat_in_every_cycle_and_the_stated_latency() {
    for (head, lanes) in [(64, 8), (16, 16), (32, 4), (128, 64)] {
        let p = params(head, lanes, 2, false);
        let design = scores(p).unwrap();
        let bench = bench(&design, p);
        let mut rng = Rng::with_seed(seed(1));
        let queries = (0..2).map(|i| (i, random_vector(&mut rng, head as usize))).collect();
        let keys: Vec<_> = (0..100).map(|i| (i % 2, random_vector(&mut rng, head as usize))).collect();
        let times = bench.run(&mut jit::simulator(&design), &(queries, keys), [Stalls::Never; 3], 1).unwrap();
        let beats = p.beats() as usize;
        // the first two keys wait for their queries
        let later = &times.keys[2 * beats..];
        assert_eq!(span(later), later.len() as u64, "{p:?}");
        for (key, score) in times.keys.chunks(beats).zip(&times.scores) {
            assert_eq!(score - key[beats - 1], u64::from(p.latency()), "{p:?}");
        }
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(8, 8, 2, false), "head = 8 is out of range"),
        (params(144, 8, 2, false), "head = 144 is out of range"),
        (params(64, 2, 2, false), "lanes = 2 with heads of 64 elements"),
        (params(64, 12, 2, false), "lanes = 12 with"),
        (params(64, 8, 1, false), "queries = 1"),
        (params(64, 8, 3, false), "queries = 3"),
    ] {
        let message = scores(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
