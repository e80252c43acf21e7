use super::*;
use ::sim::axi_unit::{AxiUnit, UnitPorts};
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::golden::reference::decibels;
use ::sim::golden::vq::Algorithm;
use ::sim::golden::vq::attention_head::{HeadJob, HeadUnit};
use ::sim::golden::vq::tables::TableUnit;
use ::sim::vq_benches::head::{HeadBench, HeadMemory, HeadTimes};
use ::sim::vq_benches::table::real_head;
use fastrand::Rng;
use hdl::bus::{Stalls, run_seed};
use hdl::engine::Engine;

pub(super) const SMALL: HeadParams =
    HeadParams { entries: 16, vector: 2, positions: 16, tokens: 32, address_bits: 32, partial: false };

fn register(name: &str) -> u64 {
    registers("head", SMALL).offset(name)
}

fn unit(p: HeadParams) -> HeadUnit {
    let [entries, vector, positions, max_tokens] = [p.entries, p.vector, p.positions, p.tokens].map(|x| x as usize);
    let table = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens };
    HeadUnit { table, copies: p.copies() as usize, address_bits: p.address_bits, partial: p.partial }
}

pub(super) fn bench<'e>(
    sim: &'e mut dyn Engine,
    design: &Design<AttentionHeadPorts>,
    p: HeadParams,
    memory: (MemoryModel, u64),
) -> HeadBench<'e> {
    let io = &design.ports;
    let (reads, writes) = (&[io.m_axi_read], &[io.m_axi_write]);
    let ports = UnitPorts { axil: &io.s_axil, reads, writes, address_bits: p.address_bits };
    HeadBench::new(AxiUnit::new(sim, design, ports, memory), unit(p), register)
}

#[test]
fn random_jobs() {
    let shapes = [
        SMALL,
        HeadParams { entries: 8, vector: 4, positions: 8, tokens: 8, address_bits: 40, partial: true },
        HeadParams { entries: 32, vector: 2, positions: 24, tokens: 16, address_bits: 64, partial: false },
        HeadParams { partial: true, ..SMALL },
    ];
    for (number, p) in shapes.into_iter().enumerate() {
        let design = attention_head("head", p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(20)][round as usize];
            let latency = rng.u64(1..60);
            let model = MemoryModel { latency, taking: stalls, giving: stalls, ..MemoryModel::default() };
            let mut bench = bench(&mut sim, &design, p, (model, seed));
            bench.random_jobs(&mut rng, 40).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// Full books, rows of so many tokens, on a memory that answers at once: what a job costs.
fn timed(p: HeadParams, tokens: usize, (append, attend): (bool, bool)) -> (HeadTimes, HeadJob) {
    let design = attention_head("head", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, p, (MemoryModel { latency: LATENCY, ..MemoryModel::default() }, 1));
    let unit = bench.unit;
    let memory = HeadMemory::full(&unit, &mut Rng::with_seed(run_seed(1)), &mut bench.axi.memory.bytes, (0, tokens));
    let job = HeadJob { append, attend, ..memory.job };
    (bench.run(&job).unwrap(), job)
}

/// Cycles of the memory in the tests of time.
pub(super) const LATENCY: u64 = 40;

#[test]
fn a_job_takes_as_long_as_its_words_and_the_softmax() {
    let cq4 = HeadParams { entries: 256, tokens: 1024, positions: 32, ..SMALL };
    for (p, tokens, cycles) in [(SMALL, 20, (679, 585)), (SMALL, 31, (734, 585)), (cq4, 1000, (17_636, 8609))] {
        let (attends, _) = timed(p, tokens, (false, true));
        let (appends, _) = timed(p, tokens, (true, false));
        let row_words = p.table().beats() as usize;
        let books = 2 * (p.positions * (1 + p.entries * p.vector / 4)) as usize;
        let vector = p.vector_words() as usize;
        assert_eq!(attends.words, vector + books + 2 * tokens * row_words);
        assert_eq!(appends.words, 2 * vector + books);
        let per_book = 2 * u64::from(p.positions);
        let besides = attends.cycles - attends.words as u64 - tokens as u64 - per_book;
        println!("{p:?}, {tokens} tokens: {attends:?}, {besides} besides; {appends:?}");
        assert!(besides <= u64::from(overhead(p)) + 3 * LATENCY, "{besides} cycles besides");
        assert_eq!((attends.cycles, appends.cycles), cycles, "{p:?}, {tokens} tokens");
    }
}

/// A result that reaches beyond the last address is refused before all of it went out: the rest does not get into the next job.
#[test]
fn what_lies_behind_the_last_address_is_refused() {
    let p = HeadParams { entries: 8, vector: 4, positions: 128, tokens: 8, address_bits: 32, partial: true };
    let design = attention_head("head", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, p, (MemoryModel::default(), 1));
    let unit = bench.unit;
    let memory = HeadMemory::full(&unit, &mut Rng::with_seed(run_seed(3)), &mut bench.axi.memory.bytes, (0, 4));
    let both = HeadJob { append: true, attend: true, ..memory.job };
    for words in [1, 2, 60] {
        bench.run(&HeadJob { result: (1 << 32) - 8 * words, ..both }).unwrap();
        bench.run(&both).unwrap();
    }
    // rows whose next one lies at address 0
    let rows = (1u64 << 32) - (both.tokens * unit.row_bytes()) as u64;
    for rows in [[rows, both.rows[1]], [both.rows[0], rows], [rows + 8, rows + 8]] {
        bench.run(&HeadJob { rows, ..both }).unwrap();
        bench.run(&HeadJob { rows, attend: false, ..both }).unwrap();
        bench.run(&both).unwrap();
    }
}

#[test]
fn a_start_under_way_is_no_start() {
    let design = attention_head("head", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, SMALL, (MemoryModel::default(), 1));
    let unit = bench.unit;
    let memory = HeadMemory::random(&unit, &mut Rng::with_seed(run_seed(2)), &mut bench.axi.memory.bytes, (0, 9));
    let job = HeadJob { attend: true, ..memory.job };
    bench
        .run_started(&job, |bench| {
            // another job is asked for in the midst of this one: it changes nothing
            let other = HeadJob { append: true, attend: false, ..job };
            bench.start(&other)
        })
        .unwrap();
    bench.run(&HeadJob { append: true, ..job }).unwrap();
}

#[test]
fn whatever_is_written_under_way_the_next_job_is_right() {
    let design = attention_head("head", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, SMALL, (MemoryModel::default(), 1));
    let unit = bench.unit;
    let mut rng = Rng::with_seed(run_seed(5));
    let memory = HeadMemory::random(&unit, &mut rng, &mut bench.axi.memory.bytes, (0, 20));
    for _ in 0..40 {
        let job = HeadJob { append: rng.bool(), attend: true, ..memory.job };
        let before = bench.axi.memory.bytes.clone();
        let other = memory.anywhere(&mut rng, SMALL.address_bits);
        bench.disturb(&job, &other, rng.u64(0..1500)).unwrap();
        bench.axi.memory.bytes = before;
        bench.run(&job).unwrap();
    }
}

#[test]
fn a_reset_at_any_time_ends_a_job() {
    let design = attention_head("head", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rng = Rng::with_seed(run_seed(6));
    for round in 0..200 {
        let mut bench = bench(&mut sim, &design, SMALL, (MemoryModel::default(), rng.u64(..)));
        let unit = bench.unit;
        let memory = HeadMemory::random(&unit, &mut rng, &mut bench.axi.memory.bytes, (0, 20));
        let append = round % 4 == 0;
        let job = HeadJob { append, attend: true, ..memory.job };
        bench.run(&job).unwrap();
        bench.prepare(&job).unwrap();
        bench.start(&job).unwrap();
        bench.axi.steps(rng.u64(0..if append { 950 } else { 450 })).unwrap();
        assert_eq!(bench.read("status").unwrap() & 3, 1, "the job is under way");
        // the next round begins with a reset, of head and memory
    }
}

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (HeadParams { vector: 8, ..SMALL }, "vector = 8"),
        (HeadParams { tokens: 4, ..SMALL }, "tokens = 4"),
        (HeadParams { tokens: 24, ..SMALL }, "tokens = 24"),
        (HeadParams { address_bits: 21, ..SMALL }, "address_bits = 21"),
        (HeadParams { entries: 9, ..SMALL }, "entries = 9"),
        (HeadParams { positions: 12, ..SMALL }, "positions = 12"),
    ];
    for (p, text) in cases {
        let message = attention_head("head", p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}

/// Decoding with the books of a real model: what its last tokens decode to is appended one by one, and each attends to all before it.
/// With `KVFORGE_LONG=1` ten million lookups more.
#[test]
fn keys_and_values_of_a_real_model() {
    for (algorithm, vector, positions) in [(Algorithm::Cq4, 2, 32), (Algorithm::Cq2, 4, 16)] {
        let p = HeadParams { entries: 256, vector, positions, tokens: 512, address_bits: 32, partial: false };
        let design = attention_head("head", p).unwrap();
        let mut sim = jit::simulator(&design);
        let mut bench = bench(&mut sim, &design, p, (MemoryModel { latency: LATENCY, ..MemoryModel::default() }, 1));
        let file = real_head(algorithm, 512);
        let mut memory = HeadMemory::of_file(&file, &mut bench.axi.memory.bytes);
        let mut rng = Rng::with_seed(run_seed(7));
        let (mut exact, mut found) = (vec![], vec![]);
        for token in 500..512 {
            memory.job.tokens = token;
            memory.new_query(
                &mut bench.axi.memory.bytes,
                (0..64).map(|_| half::f16::from_f32((rng.f32() - 0.5) / 4.0).to_bits()),
            );
            memory.append_from(&file, token, &mut bench.axi.memory.bytes);
            let job = HeadJob { append: true, attend: true, ..memory.job };
            bench.run(&job).unwrap();
            exact.extend(memory.attention64(&bench.unit, &bench.axi.memory.bytes, token + 1));
            found.extend(memory.result(&bench.axi.memory.bytes, 64));
        }
        let noise = decibels(&exact, &found);
        println!("{algorithm}: {noise:.1} dB beside float64");
        assert!(noise > 55.0, "{algorithm}: {noise:.1} dB");

        let lookups = 2 * 512 * positions as usize;
        let jobs = if ::sim::bus::long() { 10_000_000_usize.div_ceil(lookups) } else { 0 };
        for _ in 0..jobs {
            let query = (0..64).map(|_| half::f16::from_f32(rng.f32() - 0.5).to_bits());
            memory.new_query(&mut bench.axi.memory.bytes, query);
            bench.run(&HeadJob { append: false, attend: true, tokens: 512, ..memory.job }).unwrap();
        }
        println!("{algorithm}: {} lookups in jobs that attend only", jobs * lookups);
    }
}
