use super::*;
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::golden::vq::cache::book_words;
use ::sim::vq_benches::cache::{CacheBench, Episode, Times};
use ::sim::vq_benches::tiered::{Around, TieredBench, TieredEpisode};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed, seed, span};
use hdl::engine::Engine;

fn params(cache: (u32, u32, u32), registers: u32, shared: u32, outstanding: u32) -> TieredParams {
    let (entries, vector, lanes) = cache;
    TieredParams { cache: CacheParams { entries, lanes, vector }, registers, shared, outstanding, address_bits: 32 }
}

/// A cache with its bench.
struct Rig {
    design: Design<TieredCachePorts>,
    bench: TieredBench,
    engine: hdl::sim::Simulator,
}

impl Rig {
    fn new(p: TieredParams) -> Rig {
        let design = tiered_cache(p).unwrap();
        let io = &design.ports;
        let sources =
            [StreamPorts::of(&design, &io.load), StreamPorts::of(&design, &io.words), StreamPorts::of(&design, &io.s)];
        let sinks = [
            StreamPorts::of(&design, &io.loaded),
            StreamPorts::of(&design, &io.m),
            StreamPorts::of(&design, &io.fault),
        ];
        let [entries, lanes, vector] = [p.cache.entries, p.cache.lanes, p.cache.vector].map(|n| n as usize);
        let cache = CacheBench { entries, lanes, vector, places: 2, sources, sinks };
        let bench = TieredBench { cache, shared: p.shared as usize, address_bits: p.address_bits };
        let engine = jit::simulator(&design);
        Rig { design, bench, engine }
    }

    fn run(&mut self, episodes: &[TieredEpisode], around: &Around) -> Result<Option<(Times, Vec<u64>)>, String> {
        let engine: &mut dyn Engine = &mut self.engine;
        self.bench.run(engine, (&self.design, &self.design.ports.m_axi), episodes, around)
    }
}

/// A memory of 40 cycles, for which more requests than the cache may make are a mistake.
fn memory(p: TieredParams) -> MemoryModel {
    MemoryModel { latency: 40, outstanding: p.reads() as usize, ..MemoryModel::default() }
}

/// Random stalls and a random memory; the first two rounds have no stalls.
fn around(rng: &mut Rng, p: TieredParams, round: u64, seed: u64) -> Around {
    let kinds = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
    let any = |rng: &mut Rng| if round < 2 { Stalls::Never } else { kinds[rng.usize(0..4)] };
    let stalls = [(); 6].map(|()| any(rng));
    let (taking, giving) = (any(rng), any(rng));
    let (latency, jitter) = ([1, 1, 5, 40][rng.usize(0..4)], [0, 0, 9][rng.usize(0..3)]);
    let bandwidth = [256, 256, 100][rng.usize(0..3)];
    Around { stalls, memory: MemoryModel { latency, jitter, bandwidth, taking, giving, ..memory(p) }, seed, stop: None }
}

/// Every mix of tiers: nothing on the chip, LUT RAM only, block RAM only, both, all but one entry; entries of a quarter of a word to four words.
fn shapes() -> Vec<TieredParams> {
    vec![
        params((16, 4, 2), 0, 5, 16),
        params((5, 1, 1), 0, 0, 1),
        params((64, 2, 3), 4, 32, 7),
        params((33, 2, 4), 32, 32, 16),
        params((40, 4, 4), 0, 39, 3),
        params((20, 8, 1), 1, 1, 16),
        params((32, 8, 4), 2, 16, 16),
        TieredParams { address_bits: 14, ..params((9, 16, 2), 0, 3, 5) },
        params((2, 2, 2), 1, 1, 2),
        TieredParams { address_bits: 64, ..params((100, 1, 8), 0, 64, 64) },
    ]
}

#[test]
fn random_books_indices_and_memories() {
    for (number, p) in shapes().into_iter().enumerate() {
        let mut rig = Rig::new(p);
        for round in 0..8 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let episodes = rig.bench.random_episodes(&mut rng, 20);
            let mut around = around(&mut rng, p, round, seed);
            if round % 2 == 1 {
                around.memory.errors = rig.bench.errors(&mut rng, &episodes);
            }
            rig.run(&episodes, &around).unwrap_or_else(|e| panic!("{p:?}, seed {seed}, {around:?}: {e}"));
        }
    }
}

#[test]
fn a_reset_at_any_time_leaves_nothing() {
    for (number, p) in shapes().into_iter().enumerate() {
        let mut rig = Rig::new(p);
        for round in 0..20 {
            let seed = run_seed(1000 + 20 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let episodes = rig.bench.random_episodes(&mut rng, 6);
            let mut around = around(&mut rng, p, round, seed);
            around.stop = Some(rng.u64(1..400));
            let failed = |e: String| panic!("{p:?}, seed {seed}, {around:?}: {e}");
            rig.run(&episodes, &around).unwrap_or_else(failed);
            let whole = Around { stop: None, ..around.clone() };
            rig.run(&episodes[..2], &whole).unwrap_or_else(failed);
        }
    }
}

/// Books of the most entries, each looked up in these beats; no stalls, a memory of 40 cycles.
fn books(p: TieredParams, beats: &[Vec<Vec<u16>>]) -> (Times, Vec<u64>) {
    let mut rng = Rng::with_seed(seed(1));
    let [entries, vector] = [p.cache.entries, p.cache.vector].map(|n| n as usize);
    let episode = |(id, beats): (u32, &Vec<Vec<u16>>)| {
        let mut numbers = || (0..entries * vector).map(|_| rng.u16(0..0x7c00)).collect::<Vec<u16>>();
        let loads = vec![(id, book_words(id, &numbers(), vector))];
        let cache = Episode { loads, beats: beats.clone() };
        TieredEpisode { cache, addresses: vec![0x10_0000 * u64::from(id) + 0x3ff8], values: numbers() }
    };
    let episodes: Vec<_> = (0..).zip(beats).map(episode).collect();
    let around = Around { stalls: [Stalls::Never; 6], memory: memory(p), seed: 1, stop: None };
    Rig::new(p).run(&episodes, &around).unwrap().unwrap()
}

/// Lookups in a cycle.
fn rate(p: TieredParams, beats: Vec<Vec<u16>>) -> f64 {
    let lookups: usize = beats.iter().map(Vec::len).sum();
    lookups as f64 / span(&books(p, &[beats]).0.answered) as f64
}

#[test]
fn on_the_chip_a_beat_in_every_cycle_from_book_to_book() {
    let mut rng = Rng::with_seed(seed(2));
    for p in [params((64, 4, 8), 0, 48, 16), params((64, 2, 3), 8, 48, 16), params((64, 8, 2), 8, 8, 1)] {
        let beat = |rng: &mut Rng| (0..p.cache.lanes).map(|_| rng.u16(0..p.shared as u16)).collect();
        let beats: Vec<Vec<Vec<u16>>> = (0..6).map(|_| (0..300).map(|_| beat(&mut rng)).collect()).collect();
        let (times, words) = books(p, &beats);
        let latency = times.taken.iter().zip(&times.answered).map(|(from, to)| to - from);
        assert!(latency.into_iter().all(|cycles| cycles == u64::from(LATENCY)), "{p:?}");
        assert!(times.taken.windows(2).all(|pair| pair[1] == pair[0] + 1), "{p:?}: no pause, also none at a switch");
        assert_eq!(words, [] as [u64; 0]);
    }
}

#[test]
fn lookups_in_memory() {
    let mut rng = Rng::with_seed(seed(3));
    let mut beats = |lanes: usize, from: u16, number: usize| -> Vec<Vec<u16>> {
        (0..number).map(|_| (0..lanes).map(|_| rng.u16(from..64)).collect()).collect()
    };
    // a lookup's place is taken for 44 cycles; the answers of the last ones follow
    for (p, least, most) in [
        (params((64, 4, 1), 0, 8, 16), 0.36, 16.0 / 44.0),
        (params((64, 2, 1), 0, 8, 16), 0.36, 16.0 / 44.0),
        (params((64, 8, 1), 0, 8, 16), 0.35, 16.0 / 45.0),
        (params((64, 4, 4), 0, 8, 16), 0.36, 16.0 / 44.0),
        (params((64, 4, 1), 0, 8, 1), 0.0227, 1.0 / 44.0),
        (params((64, 4, 1), 0, 8, 44), 0.98, 1.0),
        (params((64, 4, 4), 0, 8, 44), 0.98, 1.0),
        (params((64, 8, 4), 0, 8, 32), 0.49, 0.5),
    ] {
        let rate = rate(p, beats(p.cache.lanes as usize, 8, 2000 / p.cache.lanes as usize));
        println!("{p:?}: {rate:.4} lookups a cycle");
        assert!(rate >= least && rate <= most + 0.01, "{p:?}: {rate}");
    }
}

#[test]
fn a_beat_takes_as_many_cycles_as_it_has_entries_in_memory() {
    // 44 places hide the memory, and with 16 of them so does a beat in four, or in fifty, with an entry in memory: each pattern shows what it costs
    let seldom = |every: usize| (0..every).map(|i| vec![1, 2, if i == 0 { 9 } else { 3 }]).collect::<Vec<_>>();
    for (outstanding, beats, cycles) in [
        (44, vec![vec![1, 2, 3, 4], vec![1, 2, 3, 9]], 1.0),
        (44, vec![vec![1, 2, 3, 4], vec![1, 9, 3, 9]], 1.5),
        (44, vec![vec![1, 9, 9, 9]], 3.0),
        (44, vec![vec![9], vec![1, 2], vec![8, 9, 10, 11], vec![3, 4]], 7.0 / 4.0),
        (16, seldom(4), 1.0),
        (16, seldom(20), 1.0),
        (2, seldom(50), 1.0),
    ] {
        let p = params((64, 4, 4), 0, 8, outstanding);
        let beats: Vec<Vec<u16>> = beats.into_iter().cycle().take(1200).collect();
        let answered = &books(p, std::slice::from_ref(&beats)).0.answered[200..]; // the first ones wait for memory
        let measured = span(answered) as f64 / answered.len() as f64;
        assert!((measured - cycles).abs() < 0.02, "{:?}: {measured} cycles a beat, not {cycles}", &beats[..4]);
    }
}

#[test]
fn how_late_an_entry_from_memory_is() {
    for (p, beat, cycles) in [
        (params((64, 4, 4), 0, 8, 16), vec![9], 46),
        (params((64, 4, 4), 0, 8, 16), vec![9, 1, 10], 47),
        (params((64, 8, 2), 4, 8, 16), vec![9, 10], 49),
        (params((64, 16, 2), 4, 8, 16), vec![1, 10], 49),
        (params((64, 1, 2), 4, 8, 1), vec![1, 10], 46),
    ] {
        let (times, words) = books(p, &vec![vec![beat]; 3]);
        let late: Vec<u64> = times.taken.iter().zip(&times.answered).map(|(from, to)| to - from).collect();
        assert_eq!(late, [cycles; 3], "{p:?}");
        assert_eq!(words.len() as u64, 3 * (cycles - 45), "{p:?}");
    }
}

#[test]
fn illegal_parameters_are_refused() {
    let vectors = "1, 2, 4, 8 or 16: a word of memory has whole entries, or an entry whole words";
    for (p, what, help) in [
        (params((256, 0, 8), 0, 8, 16), "vector = 0", vectors),
        (params((256, 3, 8), 0, 8, 16), "vector = 3", vectors),
        (params((256, 32, 8), 0, 8, 16), "vector = 32", vectors),
        (params((256, 4, 8), 33, 64, 16), "registers = 33 with shared = 64", "up to 32: more are cheaper in block RAM"),
        (params((256, 4, 8), 33, 8, 16), "registers = 33 with shared = 8", "up to 8: those in LUT RAM"),
        (params((256, 4, 8), 9, 8, 16), "registers = 9 with shared = 8", "up to 8: those in LUT RAM"),
    ] {
        let message = tiered_cache(p).unwrap_err().to_string();
        assert!(message.contains(what) && message.contains(help), "{message}");
    }
    for (p, text) in [
        (params((1, 4, 8), 0, 0, 16), "entries = 1 is out of range"),
        (params((256, 4, 8), 0, 256, 16), "shared = 256 with 256 entries"),
        (params((256, 4, 8), 0, 8, 0), "outstanding = 0"),
        (params((256, 16, 8), 0, 8, 17), "outstanding = 17 with vectors of 16"),
        (TieredParams { address_bits: 12, ..params((256, 4, 8), 0, 8, 16) }, "address_bits = 12 is out of range"),
        (
            TieredParams { address_bits: 13, ..params((512, 8, 8), 0, 8, 16) },
            "address_bits = 13 with 512 entries of 8 numbers",
        ),
    ] {
        let message = tiered_cache(p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
