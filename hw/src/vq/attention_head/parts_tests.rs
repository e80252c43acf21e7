//! Several heads attend to parts of the tokens, and their results are merged: beside one head, and beside float64.

use super::tests::{LATENCY, SMALL, bench};
use super::*;
use crate::attention::merge::{self, MergeParams, merge};
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::golden::attention::merge::{Partial, merge as model};
use ::sim::golden::reference::decibels;
use ::sim::golden::vq::attention_head::HeadJob;
use ::sim::golden::vq::{Algorithm, VqFile};
use ::sim::merge_bench::MergeBench;
use ::sim::vq_benches::head::{HeadBench, HeadMemory};
use ::sim::vq_benches::table::{real_head, real_queries};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed};

/// What the heads of so many tokens each make of a job, each a part of its rows, and the cycles of the slowest; the result of the job is overwritten.
fn attend(bench: &mut HeadBench, job: &HeadJob, parts: &[usize]) -> (Vec<Partial>, u64) {
    let row_bytes = bench.unit.row_bytes() as u64;
    let numbers = bench.unit.table.query_numbers();
    let (mut all, mut before, mut slowest) = (vec![], 0, 0);
    for tokens in parts {
        let rows = job.rows.map(|rows| rows + before as u64 * row_bytes);
        let times = bench.run(&HeadJob { rows, tokens: *tokens, append: false, attend: true, ..*job }).unwrap();
        let bytes = bench.axi.memory.bytes.read(job.result, 2 * numbers + 8);
        let mut words: Vec<u16> = bytes.chunks(2).map(|x| u16::from_le_bytes([x[0], x[1]])).collect();
        let statistics = words.split_off(numbers);
        assert_eq!(statistics[2..], [0, 0]);
        all.push(Partial { largest: statistics[0], sum: statistics[1], vector: words });
        before += tokens;
        slowest = slowest.max(times.cycles);
    }
    assert_eq!(before, job.tokens, "each token is in one part");
    (all, slowest)
}

/// What the unit makes of them, which is what the model makes, and its cycles.
fn merged(parts: Vec<Partial>) -> (Vec<u16>, u64) {
    let numbers = parts[0].vector.len();
    let p = MergeParams { parts: parts.len().max(2) as u32, numbers: numbers as u32, lanes: 4 };
    let design = merge(p).unwrap();
    let io = &design.ports;
    let bench = MergeBench {
        parts: p.parts as usize,
        numbers,
        lanes: 4,
        sources: [StreamPorts::of(&design, &io.parts), StreamPorts::of(&design, &io.words)],
        sinks: [StreamPorts::of(&design, &io.merged), StreamPorts::of(&design, &io.report)],
    };
    let job = bench.whole(parts);
    let times = bench.run(&mut jit::simulator(&design), std::slice::from_ref(&job), [Stalls::Never; 4], 1).unwrap();
    (model(&job.parts).0, times.reports[0] + 1 - times.parts[0])
}

/// Each head and the merging are compared with their models; of the rounding of large scores nothing is said.
#[test]
fn parts_of_any_length() {
    let p = HeadParams { partial: true, ..SMALL };
    let design = attention_head("head", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, p, (MemoryModel::default(), 1));
    let unit = bench.unit;
    let mut rng = Rng::with_seed(run_seed(8));
    for parts in [vec![20], vec![1, 30], vec![10, 10], vec![1, 1, 1], vec![5, 9, 2, 15]] {
        let place = (0, parts.iter().sum());
        let memory = HeadMemory::full(&unit, &mut rng, &mut bench.axi.memory.bytes, place);
        let (partial, _) = attend(&mut bench, &memory.job, &parts);
        merged(partial);
    }
}

/// Queries to the head of a real model, eight in the long form and two in the short one, 2 and 4 heads beside one: small random queries, and
/// recorded ones, whose scores are larger.
#[test]
fn parts_of_a_real_model() {
    let queries = if ::sim::bus::long() { 8 } else { 2 };
    let mut rng = Rng::with_seed(run_seed(9));
    for (algorithm, vector, positions) in [(Algorithm::Cq4, 2, 32), (Algorithm::Cq2, 4, 16)] {
        let p = HeadParams { entries: 256, vector, positions, tokens: TOKENS as u32, address_bits: 32, partial: true };
        let mut number = |_| half::f16::from_f32((rng.f32() - 0.5) / 4.0).to_bits();
        let small: Vec<Vec<u16>> = (0..queries).map(|_| (0..64).map(&mut number).collect()).collect();
        let file = real_head(algorithm, TOKENS);
        beside_one_head(p, &file, &small, &format!("{algorithm}, small random queries"), 55.0);
        beside_one_head(p, &file, &real_queries(queries), &format!("{algorithm}, recorded queries"), 45.0);
    }
}

const TOKENS: usize = 512;

/// Queries to 1, 2 and 4 heads beside float64: so many dB at least, and the cycles that are stated.
fn beside_one_head(p: HeadParams, file: &VqFile, queries: &[Vec<u16>], what: &str, least: f64) {
    let design = attention_head("head", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, p, (MemoryModel { latency: LATENCY, ..MemoryModel::default() }, 1));
    let mut memory = HeadMemory::of_file(file, &mut bench.axi.memory.bytes);
    memory.job.tokens = TOKENS;
    let mut exact = vec![];
    let mut found = [1, 2, 4].map(|parts| (parts, vec![], 0, 0));
    for query in queries {
        memory.new_query(&mut bench.axi.memory.bytes, query.iter().copied());
        exact.extend(memory.attention64(&bench.unit, &bench.axi.memory.bytes, TOKENS));
        for (parts, numbers, cycles, merging) in &mut found {
            let (partial, slowest) = attend(&mut bench, &memory.job, &vec![TOKENS / *parts; *parts]);
            let (result, of_merging) = match &partial[..] {
                [one] => (one.vector.clone(), 0),
                _ => merged(partial),
            };
            numbers.extend(result);
            (*cycles, *merging) = (slowest, of_merging);
        }
    }
    for (parts, numbers, cycles, merging) in found {
        let noise = decibels(&exact, &numbers);
        println!("{what}, {parts} heads: {noise:.1} dB, {cycles} cycles and {merging} for merging");
        assert!(noise > least, "{what}, {parts} heads: {noise:.1} dB");
        let tokens = (TOKENS / parts) as u32;
        let books = 2 * p.positions * (1 + p.entries * p.vector / 4);
        let words = p.vector_words() + books + 2 * tokens * p.table().beats();
        let most = words + tokens + 2 * p.positions + overhead(p) + 3 * LATENCY as u32;
        assert!(cycles <= most.into(), "{cycles} cycles, not {most} at most");
        let cost = merge::latency(MergeParams { parts: parts.max(2) as u32, numbers: 64, lanes: 4 });
        let all = u64::from(cost + merge::result_latency()) + 3 * parts as u64 + 16 * (parts as u64 + 1) - 1;
        assert!(parts == 1 || merging == all, "{merging} cycles of merging, not {all}");
    }
}
