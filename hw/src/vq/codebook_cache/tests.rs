use super::*;
use ::sim::golden::vq::cache::book_words;
use ::sim::vq_benches::cache::{CacheBench, Episode, Times};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed};

fn params(entries: u32, vector: u32, lanes: u32) -> CacheParams {
    CacheParams { entries, lanes, vector }
}

fn bench(design: &Design<CodebookCachePorts>, p: CacheParams) -> CacheBench {
    let io = &design.ports;
    let sources =
        [StreamPorts::of(design, &io.load), StreamPorts::of(design, &io.words), StreamPorts::of(design, &io.s)];
    let sinks =
        [StreamPorts::of(design, &io.loaded), StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.fault)];
    let [entries, lanes, vector] = [p.entries, p.lanes, p.vector].map(|n| n as usize);
    CacheBench { entries, lanes, vector, places: 2, sources, sinks }
}

#[test]
fn random_books_and_indices() {
    let shapes = [(16, 4, 2), (5, 1, 1), (2, 16, 3), (33, 2, 4), (12, 3, 2), (20, 8, 1), (7, 6, 5), (9, 12, 2)];
    for (number, (entries, vector, lanes)) in shapes.into_iter().enumerate() {
        let p = params(entries, vector, lanes);
        let design = codebook_cache(p).unwrap();
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

/// Books of so many entries, each looked up in so many beats, without stalls.
fn books(p: CacheParams, entries: u16, beats: usize) -> Times {
    let design = codebook_cache(p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rng = Rng::with_seed(seed(1));
    let episode = |id| {
        let values: Vec<u16> = (0..u32::from(entries) * p.vector).map(|_| rng.u16(0..0x7c00)).collect();
        // all lanes want one entry, or any
        let beat = |i: usize| (0..p.lanes).map(|_| if i.is_multiple_of(4) { 1 } else { rng.u16(0..entries) }).collect();
        let loads = vec![(id, book_words(id, &values, p.vector as usize))];
        Episode { loads, beats: (0..beats).map(beat).collect() }
    };
    let episodes: Vec<Episode> = (0..6).map(episode).collect();
    bench(&design, p).run(&mut sim, &episodes, [Stalls::Never; 6], 1).unwrap()
}

#[test]
fn a_beat_in_every_cycle_from_book_to_book() {
    for (entries, vector, lanes) in [(16, 4, 8), (16, 2, 3), (12, 8, 2)] {
        let p = params(entries, vector, lanes);
        let words = (u64::from(entries * vector)).div_ceil(4);
        let times = books(p, entries as u16, 4 * words as usize + 20);
        let latency: Vec<u64> = times.taken.iter().zip(&times.answered).map(|(from, to)| to - from).collect();
        assert!(latency.iter().all(|cycles| *cycles == u64::from(LATENCY)), "{p:?}");
        assert!(times.taken.windows(2).all(|pair| pair[1] == pair[0] + 1), "{p:?}: no pause, also none at a switch");
    }
}

#[test]
fn a_load_takes_a_cycle_for_each_piece_of_a_word_and_two_more() {
    // cycles of a load of n numbers: n / pieces + more, as docs/blocks/vq_codebook_cache.md says
    for (vector, numbers, more) in [(4, 4, 3), (8, 4, 3), (2, 2, 4), (6, 2, 4), (1, 1, 6), (3, 1, 6)] {
        let p = params(32, vector, 1);
        let times = books(p, 32, 1);
        // the announcement, the pieces of the header and of the other words, the check, the report
        for (announced, reported) in times.announced.iter().zip(&times.reported) {
            assert_eq!(reported - announced, u64::from(32 * vector / numbers + more), "{p:?}");
        }
        // the first beat is taken right behind the check
        assert_eq!(times.taken[0], times.reported[0]);
    }
}

#[test]
fn illegal_parameters_are_refused() {
    for (p, text) in [
        (params(1, 4, 8), "entries = 1 is out of range"),
        (params(4097, 4, 8), "entries = 4097 is out of range"),
        (params(256, 0, 8), "vector = 0 is out of range"),
        (params(256, 17, 8), "vector = 17 is out of range"),
        (params(256, 4, 0), "lanes = 0 is out of range"),
        (params(256, 4, 33), "lanes = 33 is out of range"),
    ] {
        let message = codebook_cache(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
