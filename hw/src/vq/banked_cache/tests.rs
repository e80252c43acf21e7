use super::*;
use ::sim::golden::vq::cache::book_words;
use ::sim::vq_benches::cache::{CacheBench, Episode, Times};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};

fn params(entries: u32, vector: u32, lanes: u32, banks: u32) -> BankedParams {
    BankedParams { cache: CacheParams { entries, lanes, vector }, banks }
}

fn bench(design: &Design<CodebookCachePorts>, p: BankedParams) -> CacheBench {
    let io = &design.ports;
    let sources =
        [StreamPorts::of(design, &io.load), StreamPorts::of(design, &io.words), StreamPorts::of(design, &io.s)];
    let sinks =
        [StreamPorts::of(design, &io.loaded), StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.fault)];
    let [entries, lanes, vector] = [p.cache.entries, p.cache.lanes, p.cache.vector].map(|n| n as usize);
    CacheBench { entries, lanes, vector, places: 1, sources, sinks }
}

#[test]
fn random_books_and_indices() {
    let shapes = [(16, 8, 4, 4), (30, 4, 2, 2), (40, 2, 4, 8), (64, 3, 4, 16), (4, 1, 4, 2)];
    for (number, (entries, vector, lanes, banks)) in shapes.into_iter().enumerate() {
        let p = params(entries, vector, lanes, banks);
        let design = banked_cache(p).unwrap();
        let mut sim = jit::simulator(&design);
        let bench = bench(&design, p);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let stalls = match round {
                0 => [Stalls::Never; 6],
                1 => [70, 30, 30, 50, 50, 80].map(Stalls::Percent),
                _ => [9, 20, 7, 5, 11, 30].map(Stalls::Runs),
            };
            let episodes = bench.random_episodes(&mut Rng::with_seed(seed), 25);
            bench.run(&mut sim, &episodes, stalls, seed).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// What becomes of the beats of one book.
fn times(p: BankedParams, beats: Vec<Vec<u16>>) -> Times {
    let design = banked_cache(p).unwrap();
    let mut sim = jit::simulator(&design);
    let values: Vec<u16> = (0..p.cache.entries * p.cache.vector).map(|i| (i % 0x7c00) as u16).collect();
    let loads = vec![(7, book_words(7, &values, p.cache.vector as usize))];
    bench(&design, p).run(&mut sim, &[Episode { loads, beats }], [Stalls::Never; 6], 1).unwrap()
}

/// Beats a cycle.
fn rate(p: BankedParams, beats: Vec<Vec<u16>>) -> f64 {
    let answered = times(p, beats).answered;
    answered.len() as f64 / span(&answered) as f64
}

#[test]
fn lanes_that_want_different_banks_do_not_wait() {
    let times = times(params(256, 8, 4, 4), vec![vec![0, 1, 2, 3]; 100]);
    assert!(times.taken.iter().zip(&times.answered).all(|(from, to)| to - from == u64::from(LATENCY)));
}

#[test]
fn lookups_a_cycle_and_lane_with_random_indices() {
    let mut rng = Rng::with_seed(seed(1));
    for (p, least) in [(params(256, 8, 4, 4), 0.98), (params(256, 8, 2, 4), 0.98), (params(256, 8, 4, 8), 0.995)] {
        let beat = |rng: &mut Rng| (0..p.cache.lanes).map(|_| rng.u16(0..256)).collect();
        let rate = rate(p, (0..4000).map(|_| beat(&mut rng)).collect());
        println!("{p:?}: {rate:.4}");
        assert!(rate >= least && rate <= 1.0, "{p:?}: {rate}");
    }
}

#[test]
fn a_bank_gives_each_pair_of_lanes_an_entry_a_cycle() {
    let rate = rate(params(256, 8, 4, 4), vec![vec![4, 8, 12, 16]; 1000]);
    assert!((0.49..=0.51).contains(&rate), "{rate}");
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(256, 4, 3, 4), "lanes = 3"),
        (params(256, 4, 4, 3), "banks = 3 with 256 entries"),
        (params(6, 4, 4, 4), "banks = 4 with 6 entries"),
        (params(5000, 4, 4, 4), "entries = 5000 is out of range"),
    ] {
        let message = banked_cache(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
