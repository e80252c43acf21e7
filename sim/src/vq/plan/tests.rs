use super::*;
use crate::bus::{Stalls, StreamPorts, seed};
use crate::golden::vq::Algorithm;
use crate::golden::vq::cache::book_words;
use crate::golden::vq::tables::TableUnit;
use crate::vq_cache_bench::{CacheBench, Episode};
use crate::vq_table_bench::{ScoresBench, ValuesBench, good_job, good_values_job};
use fastrand::Rng;
use hdl::Design;
use hdl::sim::Simulator;
use hw::vq::banked_cache::banked_cache;
use hw::vq::banked_types::BankedParams;
use hw::vq::cache_types::CacheParams;
use hw::vq::codebook_cache::{CodebookCachePorts, codebook_cache};
use hw::vq::scores::{ScoresParams, scores};
use hw::vq::table_types::TableParams;
use hw::vq::values::{ValuesParams, values};

fn table(algorithm: Algorithm, positions: u32) -> TableParams {
    let vector = algorithm.scheme().vector as u32;
    TableParams { entries: 256, vector, positions, residuals: 1, queries: 1 }
}

fn attention(algorithm: Algorithm, tokens: usize, heads: usize, queries: usize, batch: usize) -> Attention {
    Attention { algorithm, tokens, head: 64, heads, queries, batch }
}

/// What `cargo xtask qor` measured.
fn measured(name: &str) -> Area {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/qor.json");
    let text = std::fs::read_to_string(path).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let count = |cell: &str| all["configurations"][name]["ecp5"][cell].as_u64().unwrap() as u32;
    let lut4 = count("LUT4") + 2 * count("CCU2C") + 6 * count("TRELLIS_DPR16X4");
    Area { lut4, dp16kd: count("DP16KD"), dsp: count("MULT18X18D") }
}

#[test]
fn areas_are_those_that_were_measured() {
    let (cq4, cq2) = (table(Algorithm::Cq4, 32), table(Algorithm::Cq2, 16));
    let scores = |table| area::scores(ScoresParams { table, scaled: false });
    let values = |table| area::values(ValuesParams { table, scaled: false });
    let models = [
        ("f16_add", area::arithmetic(1, 0)),
        ("f16_mul", area::arithmetic(0, 1)),
        ("f16_dot16", area::arithmetic(15, 16)),
        ("vq_products_cq4", area::products(cq4)),
        ("vq_scores_cq4", scores(cq4)),
        ("vq_scores_cq2", scores(cq2)),
        ("vq_values_cq4", values(cq4)),
        ("vq_values_cq2", values(cq2)),
        ("vq_index_unpacker_8x8", area::unpacker(8, 8)),
        ("vq_index_unpacker_4x12", area::unpacker(4, 12)),
        ("vq_index_unpacker_4x16", area::unpacker(4, 16)),
        ("vq_codebook_cache_cq4_8", area::copies(256, 2, 8)),
        ("vq_codebook_cache_cq2_8", area::copies(256, 4, 8)),
        ("vq_codebook_cache_cq2_16", area::copies(256, 4, 16)),
        ("vq_banked_cache_aqlm3", area::banked(4096, 8, 4, 4)),
        ("vq_e8p_decoder_4", area::e8p(4)),
    ];
    for (name, model) in models {
        let measured = measured(name);
        let error = f64::from(model.lut4) / f64::from(measured.lut4) - 1.0;
        println!("{name}: {} LUT4, measured {} ({:+.1} %)", model.lut4, measured.lut4, 100.0 * error);
        assert!(error.abs() <= 0.1, "{name}: {model}, measured {measured}");
        assert_eq!((model.dp16kd, model.dsp), (measured.dp16kd, measured.dsp), "{name}");
    }
}

fn unit(p: TableParams) -> TableUnit {
    let [entries, vector, positions] = [p.entries, p.vector, p.positions].map(|n| n as usize);
    TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens: 8192 }
}

/// Cycles from one command to the next, in the built-in simulator.
fn simulated_scores(p: ScoresParams, tokens: usize) -> u64 {
    let design = scores(p).unwrap_or_else(|e| panic!("{e}"));
    let io = &design.ports;
    let sources = vec![
        StreamPorts::of(&design, &io.command),
        StreamPorts::of(&design, &io.query),
        StreamPorts::of(&design, &io.words),
    ];
    let sinks = [StreamPorts::of(&design, &io.m), StreamPorts::of(&design, &io.report)];
    let bench = ScoresBench { unit: unit(p.table), sources, sinks };
    let mut rng = Rng::with_seed(seed(1));
    let jobs: Vec<_> = (0..2).map(|_| good_job(&bench.unit, &mut rng, tokens, true)).collect();
    let times = bench.run(&mut Simulator::new(&design), &jobs, &[Stalls::Never; 5], 1).unwrap();
    times.commands[1] - times.commands[0]
}

fn simulated_values(p: ValuesParams, tokens: usize) -> u64 {
    let design = values(p).unwrap_or_else(|e| panic!("{e}"));
    let io = &design.ports;
    let sources = [
        StreamPorts::of(&design, &io.command),
        StreamPorts::of(&design, &io.weight),
        StreamPorts::of(&design, &io.words),
    ];
    let sinks = [StreamPorts::of(&design, &io.m), StreamPorts::of(&design, &io.report)];
    let copies = p.copies() as usize;
    let bench = ValuesBench { unit: unit(p.table), copies, scaled: false, sources, sinks };
    let mut rng = Rng::with_seed(seed(1));
    let jobs: Vec<_> = (0..2).map(|_| good_values_job(&bench.unit, &mut rng, tokens, true)).collect();
    let times = bench.run(&mut Simulator::new(&design), &jobs, [Stalls::Never; 5], 1).unwrap();
    times.commands[1] - times.commands[0]
}

/// The model's cycles are those of the hardware, but for so many percent: what the page says, so that a forgotten cycle a book is seen.
fn within(percent: f64, what: &str, model: u64, simulated: u64) {
    let error = 100.0 * (model as f64 / simulated as f64 - 1.0);
    println!("{what}: {model} cycles, simulated {simulated} ({error:+.2} %)");
    assert!(error.abs() <= percent, "{what}: {model} cycles, simulated {simulated}");
}

#[test]
fn attention_takes_as_long_as_the_hardware() {
    // a head, whole and as a unit of four has it
    for (algorithm, positions, tokens) in
        [(Algorithm::Cq4, 32, 64), (Algorithm::Cq2, 16, 100), (Algorithm::Cq4, 8, 300)]
    {
        let table = table(algorithm, positions);
        let (s, v) = (ScoresParams { table, scaled: false }, ValuesParams { table, scaled: false });
        let name = format!("{algorithm}, {positions} positions, {tokens} tokens");
        within(0.0, &format!("scores, {name}"), scores_command(s, tokens as u64), simulated_scores(s, tokens));
        within(0.3, &format!("values, {name}"), values_command(v, tokens as u64), simulated_values(v, tokens));
    }
    // a plan is these, for each head and sequence
    let task = attention(Algorithm::Cq4, 64, 2, 1, 3);
    let machine = plan(&Task::Attention(task), &all_of("ecp5-25k", 64)).unwrap();
    let parts = scores_command(machine.scores(task), 64) + values_command(machine.values(task), 64);
    assert_eq!(cost(&Task::Attention(task), &machine).cycles, 6 * parts);
}

fn cache_bench(design: &Design<CodebookCachePorts>, p: CacheParams, places: usize) -> CacheBench {
    let io = &design.ports;
    let sources =
        [StreamPorts::of(design, &io.load), StreamPorts::of(design, &io.words), StreamPorts::of(design, &io.s)];
    let sinks =
        [StreamPorts::of(design, &io.loaded), StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.fault)];
    let [entries, lanes, vector] = [p.entries, p.lanes, p.vector].map(|n| n as usize);
    CacheBench { entries, lanes, vector, places, sources, sinks }
}

/// Cycles of a load and of random lookups.
fn simulated_tile(bench: &CacheBench, design: &Design<CodebookCachePorts>, beats: usize) -> u64 {
    let mut rng = Rng::with_seed(seed(2));
    let values: Vec<u16> = (0..bench.entries * bench.vector).map(|_| rng.u16(0..0x7c00)).collect();
    let entries = bench.entries as u16;
    let beats = (0..beats).map(|_| (0..bench.lanes).map(|_| rng.u16(0..entries)).collect()).collect();
    let episode = Episode { loads: vec![(0, book_words(0, &values, bench.vector))], beats };
    let times = bench.run(&mut Simulator::new(design), &[episode], [Stalls::Never; 6], 1).unwrap();
    let looked_up = times.answered[times.answered.len() - 1] - times.taken[0];
    times.reported[0] - times.announced[0] + looked_up
}

#[test]
fn loads_and_lookups_take_as_long_as_the_hardware() {
    // a tile of GPTVQ-2
    let gptvq = Matrix { algorithm: Algorithm::Gptvq2, rows: 64, cols: 256, batch: 1 };
    let (p, lanes) = (CacheParams { entries: 256, lanes: 8, vector: 4 }, 8);
    let machine = Machine { store: Store::Copies, lanes, ..multiplying(&gptvq) };
    let design = codebook_cache(p).unwrap();
    let found = simulated_tile(&cache_bench(&design, p, 2), &design, 64 * 64 / lanes);
    within(0.2, "a tile of gptvq-2", cycles::tile(gptvq, &machine, 64, 256), found);

    // a book of AQLM-3, in one of its two caches
    let p = BankedParams { cache: CacheParams { entries: 4096, lanes: 4, vector: 8 }, banks: 4 };
    let design = banked_cache(p).unwrap();
    let found = simulated_tile(&cache_bench(&design, p.cache, 1), &design, 1024);
    let model = 1 + 4096 * 8 / 4 + cycles::LOAD + cycles::banked_lookups(1024);
    within(0.2, "a book of aqlm-3", model, found);
}

fn multiplying(m: &Matrix) -> Machine {
    let free = all_of("ecp5-85k", 64);
    machines(&Task::Matrix(*m), &free).into_iter().find(|machine| machine.way == Way::Multiply).unwrap()
}

fn all_of(device: &str, bus_bits: usize) -> Free {
    Free { area: DEVICES.iter().find(|(name, _)| *name == device).unwrap().1, bus_bits }
}

#[test]
fn the_split_factor_by_hand() {
    // 4 tiles, 32 KB of books, 2 KB of output: 1, 2, 4 move 133,120, 69,632 and 40,960 bytes
    assert_eq!([1, 2, 4].map(|s| split_bytes(4, 2048, 32768, s)), [133_120, 69_632, 40_960]);
    let split = best_split(4, 2048, 32768, machine::divisors(4));
    assert_eq!(split, Split { factor: 4, bytes: 40_960, paper: 8.0 });
    // a long output
    assert_eq!(best_split(4, 65536, 32768, machine::divisors(4)).factor, 1);
}

/// The plan from the slack beside the best of everything.
#[test]
fn the_plan_is_nearly_the_best_of_all() {
    let (mut plans, mut same, mut worst) = (0, 0, 1.0f64);
    for task in tasks() {
        for (name, _) in DEVICES {
            for bus in [64, 128, 256, 512] {
                let free = all_of(name, bus);
                let (planned, best) = (plan(&task, &free), best(&task, &free));
                assert_eq!(planned.is_ok(), best.is_some(), "{task:?} on {name}");
                let (Ok(planned), Some(best)) = (planned, best) else { continue };
                assert!(machines(&task, &free).contains(&planned), "{planned:?} is no machine for {task:?}");
                let [planned, best] = [planned, best].map(|machine| cost(&task, &machine));
                assert!(planned.area.fits(free.area));
                let ratio = planned.cycles as f64 / best.cycles as f64;
                if ratio > 1.05 {
                    println!("{task:?} on {name} with {bus} bits: {ratio:.3} of the best");
                }
                (plans, same, worst) = (plans + 1, same + usize::from(ratio <= 1.0), worst.max(ratio));
            }
        }
    }
    println!("{plans} plans, {same} as fast as the best, the slowest takes {worst:.3} times as long");
    assert!(worst <= 1.05, "{worst}");
}

fn tasks() -> Vec<Task> {
    let mut all = vec![];
    for algorithm in [Algorithm::Cq4, Algorithm::Cq2] {
        for tokens in [128, 1024, 8192, 20_000] {
            for (heads, queries, batch) in [(1, 1, 1), (3, 3, 1), (3, 1, 16), (8, 4, 1), (1, 2, 3), (5, 9, 1)] {
                all.push(Task::Attention(attention(algorithm, tokens, heads, queries, batch)));
            }
        }
    }
    for algorithm in [Algorithm::Gptvq2, Algorithm::Aqlm3, Algorithm::QuipSharp4] {
        for (rows, cols) in [(576, 576), (576, 1536), (4096, 4096)] {
            all.extend([1, 4, 16].map(|batch| Task::Matrix(Matrix { algorithm, rows, cols, batch })));
        }
    }
    all
}
