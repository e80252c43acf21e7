use super::*;
use crate::bus::{Stalls, seed};
use crate::golden::vq::Algorithm;
use crate::golden::vq::cache::book_words;
use crate::vq_benches::cache::{CacheBench, Episode};
use crate::vq_benches::matrix::{MatrixBench, good_matrix};
use crate::vq_benches::table::{EncoderBench, ScoresBench, ValuesBench, good_job, good_values_job, random_encoding};
use fastrand::Rng;
use hdl::Design;
use hdl::sim::Simulator;
use hw::vq::cache_types::CacheParams;
use hw::vq::codebook_cache::{CodebookCachePorts, LATENCY, codebook_cache};
use hw::vq::encoder::encoder;
use hw::vq::matrix_vector::{MAX_TILE_ROWS, MatrixParams, MatrixScales, MatrixSource, matrix_vector, overhead};
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
        ("vq_encoder_cq4", area::encoder()),
        ("vq_encoder_cq2", area::encoder()),
        ("softmax_8192", area::SOFTMAX),
        ("burst_reader_64", area::READER),
        ("burst_writer_64", area::WRITER),
        ("vq_attention_head_cq4", head::head(cq4)),
        ("vq_attention_head_cq2", head::head(cq2)),
        ("vq_codebook_cache_cq4_8", area::copies(256, 2, 8)),
        ("vq_codebook_cache_cq2_8", area::copies(256, 4, 8)),
        ("vq_codebook_cache_cq2_16", area::copies(256, 4, 16)),
        ("vq_banked_cache_aqlm3", caches::banks(4096, 8)),
        ("vq_tiered_cache_cq4", area::tiered(128, 2, 8)),
        ("vq_tiered_cache_aqlm3", area::tiered(512, 8, 4)),
        ("vq_e8p_decoder_4", area::e8p(4)),
        ("vq_matrix_vector_gptvq2", area::matrix_vector(gptvq2(8, 1))),
        ("vq_matrix_vector_gptvq2_4", area::matrix_vector(gptvq2(2, 4))),
        ("vq_matrix_vector_aqlm3", area::matrix_vector(aqlm3(4, 4096))),
        ("vq_matrix_vector_quip4", area::matrix_vector(quip4(4096))),
        ("vq_matrix_vector_cq4", area::matrix_vector(cq4_keys())),
    ];
    for (name, model) in models {
        let measured = measured(name);
        let error = f64::from(model.lut4) / f64::from(measured.lut4) - 1.0;
        println!("{name}: {} LUT4, measured {} ({:+.1} %)", model.lut4, measured.lut4, 100.0 * error);
        // what docs/vq-plan.md says; the limit is a tenth
        assert!(error.abs() <= 0.032, "{name}: {model}, measured {measured}");
        assert_eq!((model.dp16kd, model.dsp), (measured.dp16kd, measured.dsp), "{name}");
    }
}

/// Cycles from one command to the next, in the built-in simulator.
fn simulated_scores(p: ScoresParams, tokens: usize) -> u64 {
    let design = scores(p).unwrap_or_else(|e| panic!("{e}"));
    let bench = ScoresBench::of(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let jobs: Vec<_> = (0..2).map(|_| good_job(&bench.unit, &mut rng, tokens, true)).collect();
    let times = bench.run(&mut Simulator::new(&design), &jobs, &[Stalls::Never; 5], 1).unwrap();
    times.commands[1] - times.commands[0]
}

/// The named encoders: cycles from one command to the next, besides the words and one for each book (docs/blocks/vq_encoder.md).
#[test]
fn encoder_takes_as_long_as_the_hardware() {
    for (algorithm, positions, besides) in [(Algorithm::Cq4, 32, 42), (Algorithm::Cq2, 16, 44)] {
        let p = table(algorithm, positions);
        let design = encoder(p).unwrap();
        let bench = EncoderBench::of(&design, p);
        let mut rng = Rng::with_seed(seed(1));
        let commands: Vec<_> = (0..3).map(|_| random_encoding(&bench.unit, &mut rng, true, false)).collect();
        let times = bench.run(&mut Simulator::new(&design), &commands, [Stalls::Never; 5], 1).unwrap();
        let [first, second] = [0, 1].map(|i| times.commands[i + 1] - times.commands[i]);
        assert_eq!(first, second, "{algorithm}");
        let words = commands[0].words.len() as u64;
        println!("{algorithm}: {words} words + {positions} + {} cycles", first - words - u64::from(positions));
        assert_eq!(first, words + u64::from(positions) + besides, "{algorithm}");
        within(0.0, &format!("encoder, {algorithm}"), encoder_command(p), first);
    }
}

fn simulated_values(p: ValuesParams, tokens: usize) -> u64 {
    let design = values(p).unwrap_or_else(|e| panic!("{e}"));
    let bench = ValuesBench::of(&design, p);
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
    // queries side by side cost no cycle
    let four = ScoresParams { table: TableParams { queries: 4, ..table(Algorithm::Cq4, 8) }, scaled: false };
    within(0.0, "scores of four queries", scores_command(four, 40), simulated_scores(four, 40));
    // a plan is these, for each head and sequence
    let task = attention(Algorithm::Cq4, 64, 2, 1, 3);
    let machine = plan(&Task::Attention(task), &all_of("ecp5-25k", 64)).unwrap();
    let parts = scores_command(machine.scores(task), 64) + values_command(machine.values(task), 64);
    assert_eq!(cost(&Task::Attention(task), &machine).cycles, 6 * parts);
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
    // books of GPTVQ-2 and of CQ-4, whose words take two cycles
    for vector in [4, 2] {
        let p = CacheParams { entries: 256, lanes: 8, vector };
        let design = codebook_cache(p).unwrap();
        let found = simulated_tile(&CacheBench::of(&design, p, 2), &design, 512);
        let words = 1 + 64 * u64::from(vector);
        // docs/blocks/vq_codebook_cache.md: two cycles besides the pieces of the words; the last answer comes so much later than the last beat
        let model = load(words, vector as usize, 2) + 511 + u64::from(LATENCY);
        within(0.0, &format!("a load and lookups with vectors of {vector}"), model, found);
    }
}

/// Cycles from one command to the next of a matrix-vector unit.
fn simulated_matrix(p: MatrixParams, rows: usize, columns: usize) -> u64 {
    let design = matrix_vector(p).unwrap_or_else(|e| panic!("{e}"));
    let bench = MatrixBench::of(&design, p);
    let mut rng = Rng::with_seed(seed(1));
    let commands: Vec<_> = (0..2).map(|_| good_matrix(&bench.unit, &mut rng, rows, columns, true)).collect();
    let times = bench.run(&mut Simulator::new(&design), &commands, [Stalls::Never; 7], 1).unwrap();
    times.commands[1] - times.commands[0]
}

/// A matrix-vector unit as configured: GPTVQ-2, QuiP#-4 or keys.
fn unit_of(source: MatrixSource, lanes: u32, vectors: u32, tile: (u32, u32), scales: MatrixScales) -> MatrixParams {
    let max_columns = if tile.1 == 256 { 4096 } else { tile.1 };
    MatrixParams { source, lanes, vectors, tile_rows: tile.0, tile_columns: tile.1, max_columns, scales }
}

fn gptvq2(lanes: u32, vectors: u32) -> MatrixParams {
    let source = MatrixSource::Books { entries: 256, vector: 4 };
    unit_of(source, lanes, vectors, (256, 256), MatrixScales::None)
}

fn quip4(columns: u32) -> MatrixParams {
    unit_of(MatrixSource::Lattice, 4, 1, (65536, columns), MatrixScales::Tensor)
}

/// The books of a matrix of any number of rows.
fn aqlm3(lanes: u32, columns: u32) -> MatrixParams {
    let source = MatrixSource::Residual { entries: 4096, vector: 8 };
    unit_of(source, lanes, 1, (MAX_TILE_ROWS, columns), MatrixScales::Row)
}

fn cq4_keys() -> MatrixParams {
    unit_of(MatrixSource::Groups { entries: 256, vector: 2 }, 8, 1, (65536, 64), MatrixScales::None)
}

#[test]
fn matrices_take_as_long_as_the_hardware() {
    let with_rows = |tile_rows| MatrixParams { tile_rows, max_columns: 512, ..gptvq2(8, 1) };
    // tiles that take longer than the next book, and tiles that do not: two cycles of each of these are not counted
    let cases = [
        (with_rows(48), 96usize, 512usize, 0.0),
        (with_rows(20), 40, 512, 0.5),
        (quip4(512), 40, 512, 0.0),
        (cq4_keys(), 100, 64, 0.0),
        (aqlm3(4, 192), 40, 192, 0.0),
        (aqlm3(2, 64), 30, 64, 0.0),
    ];
    for (p, rows, columns, percent) in cases {
        let [tile_rows, tile_columns] = [p.tile_rows, p.tile_columns].map(|n| n as usize);
        let count = rows.div_ceil(tile_rows) * columns / tile_columns;
        let tiles = [(rows.min(tile_rows), tile_columns, count)];
        let found = simulated_matrix(p, rows, columns);
        within(percent, &format!("{rows} x {columns} of {p:?}"), matrix_command(p, &tiles, false), found);
    }
}

#[test]
fn whole_tiles_are_dealt_out() {
    // four on three units: one has two
    assert_eq!(cycles::fullest(vec![10; 4], 3), 20);
    // the longest first: 7 + 2, 5 + 4
    assert_eq!(cycles::fullest(vec![2, 4, 5, 7], 2), 9);
    let m = Matrix { algorithm: Algorithm::Gptvq2, rows: 512, cols: 512, batch: 1 };
    let one =
        Machine { way: Way::Multiply, store: Store::Copies, units: 1, lanes: 8, queries: 1, together: 1, split: 1 };
    let three = Machine { units: 3, together: 3, split: 3, ..one };
    // each tile a command: a book of 260 cycles, 2,048 beats, and what the sums take
    let p = three.matrix_vector(m).unwrap();
    assert_eq!(cost(&Task::Matrix(m), &three).cycles, 2 * (260 + 2048 + u64::from(overhead(p))));
    // of three units only two have tiles of a row
    assert_eq!(cost(&Task::Matrix(m), &three).bytes.sums, 2 * 2 * 512);
}

/// Books and rows of a head, by hand: 32 positions with books of 129 words, two cycles each and three more.
#[test]
fn a_head_by_multiplication() {
    let a = attention(Algorithm::Cq4, 128, 1, 1, 2);
    let machine = plan(&Task::Attention(a), &all_of("ecp5-25k", 64)).unwrap();
    let command = u64::from(overhead(machine.multiplied_scores(a))) + 128 * 4;
    assert_eq!(attention_by_multiplication(a, &machine, false), 2 * 2 * (8352 + command));
    assert_eq!(attention_by_multiplication(a, &machine, true), 2 * (8352 + 2 * command));
}

/// By hand: both books of 8,193 words, three cycles more for each, and four indices a cycle of 576 x 1536.
#[test]
fn aqlm3_is_the_unit_that_is_built() {
    let m = Matrix { algorithm: Algorithm::Aqlm3, rows: 576, cols: 1536, batch: 1 };
    let machine = plan(&Task::Matrix(m), &all_of("ecp5-85k", 64)).unwrap();
    let p = machine.matrix_vector(m).unwrap();
    matrix_vector(p).unwrap_or_else(|e| panic!("{e}"));
    let cost = cost(&Task::Matrix(m), &machine);
    assert_eq!((machine.lanes, cost.cycles), (4, 2 * (8193 + 3) + 576 * 96 + u64::from(overhead(p))));
    assert_eq!((cost.estimate, cost.area.dsp, cost.bytes.books), (false, 17, 2 * 8 * 8193));
    // units that share it have rows each, and the same books
    let four = Machine { units: 4, together: 4, ..machine };
    matrix_vector(four.matrix_vector(m).unwrap()).unwrap_or_else(|e| panic!("{e}"));
}

/// Three heads of three queries are nine jobs: on one bus one after the other, on four buses in as many heads as there is room for.
#[test]
fn heads_that_can_be_generated() {
    let a = attention(Algorithm::Cq4, 1000, 3, 3, 1);
    // docs/blocks/vq_attention_head.md: 17,636 cycles a job of 1,000 tokens
    let job = head_job(table(Algorithm::Cq4, 32), 1000);
    within(0.1, "a job of a head", job, 17_636);
    let with = |device, bus| {
        let free = all_of(device, bus);
        let (heads, cost) = head::with_heads(a, &free);
        (heads, cost.cycles / job, cost.area.fits(free.area), cost.estimate)
    };
    assert_eq!(with("ecp5-85k", 64), (1, 9, true, false));
    // nine jobs: a fourth head would have nothing to do in the last of three turns
    assert_eq!(with("ecp5-85k", 256), (3, 3, true, false));
    assert_eq!(with("ecp5-25k", 256), (1, 9, true, false));
    let small = Free { area: Area { lut4: 12_000, dp16kd: 56, dsp: 28 }, bus_bits: 64 };
    assert!(!head::with_heads(a, &small).1.area.fits(small.area));
    // the plan counts these without what is around them
    assert!(cost(&Task::Attention(a), &plan(&Task::Attention(a), &all_of("ecp5-25k", 64)).unwrap()).cycles < 9 * job);
}

#[test]
fn bytes_of_several_commands() {
    // 20,000 tokens are three commands, each with the books; five queries are four and one
    let a = attention(Algorithm::Cq4, 20_000, 1, 5, 1);
    let machine = machines(&Task::Attention(a), &all_of("ecp5-85k", 128))
        .into_iter()
        .find(|m| (m.queries, m.together, m.split) == (4, 2, 2))
        .unwrap();
    let bytes = cost(&Task::Attention(a), &machine).bytes;
    assert_eq!(bytes.books, 2 * 2 * 3 * 33_024);
    assert_eq!(bytes.sums, 2 * 2 * 20_000 * 5);
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

/// By hand: what the bus feeds and the device has room for.
#[test]
fn plans_by_hand() {
    let planned = |task, device, bus| plan(&task, &all_of(device, bus)).unwrap();
    let of = |m: Machine| (m.units, m.lanes, m.queries, m.together, m.split);
    // a head on four ports: room for seven units, each takes a quarter of the positions
    let long = Task::Attention(attention(Algorithm::Cq4, 8192, 1, 1, 1));
    assert_eq!(of(planned(long, "ecp5-85k", 256)), (4, 8, 1, 4, 4));
    // 11,000 LUT4 and 8 DSP a unit: two on the middle device
    let heads = Task::Attention(attention(Algorithm::Cq4, 1024, 8, 1, 1));
    assert_eq!(of(planned(heads, "ecp5-25k", 256)), (2, 8, 1, 1, 1));
    // 32 products do not fit into 28 DSP, 16 do
    let weights = Task::Matrix(Matrix { algorithm: Algorithm::Gptvq2, rows: 576, cols: 1536, batch: 1 });
    assert_eq!(of(planned(weights, "ecp5-85k", 64)), (1, 8, 1, 1, 1));
    assert_eq!(planned(weights, "ecp5-25k", 64).lanes, 4);
    let none = Free { area: Area { lut4: 5000, dp16kd: 56, dsp: 28 }, bus_bits: 64 };
    assert!(matches!(plan(&long, &none), Err(PlanError::Full { .. })));
}

#[test]
fn what_the_unit_refuses_has_no_plan() {
    let free = all_of("ecp5-85k", 64);
    let planned = |algorithm, rows, cols| plan(&Task::Matrix(Matrix { algorithm, rows, cols, batch: 1 }), &free);
    for (algorithm, rows, cols) in [
        (Algorithm::Aqlm3, 64, 72),
        (Algorithm::Gptvq2, 64, 48),
        (Algorithm::QuipSharp4, 64, 24),
        (Algorithm::QuipSharp4, 64, 16_400),
        (Algorithm::Gptvq2, 65_536, 64),
    ] {
        let error = planned(algorithm, rows, cols).unwrap_err();
        assert!(matches!(error, PlanError::Range { .. }), "{algorithm}, {rows} x {cols}: {error}");
    }
}
