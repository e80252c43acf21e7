//! Attention of a key-value head, from memory to memory.

use super::attention::HeadSetup;
use super::error::RunError;
use super::results::{Hardware, Results, Tally, Words};
use super::scores::{named, table_parameters};
use crate::bus::axi4_memory::MemoryModel;
use crate::golden::reference::to_f64;
use crate::golden::vq::attention::attention64;
use crate::golden::vq::attention_head::HeadJob;
use crate::vq::plan::{MEMORY, head_job, head_params};
use crate::vq_benches::head::{HeadBench, HeadMemory, HeadPlayed};
use hdl::sim::Simulator;
use hw::vq::attention_head::attention_head;

pub(super) fn run(setup: &HeadSetup, progress: &dyn Fn()) -> Result<Results, RunError> {
    let table = setup.keys().table();
    let p = head_params(table);
    let design = attention_head("head", p).map_err(RunError::Hardware)?;
    let mut simulator = Simulator::new(&design);
    let memory = MemoryModel { latency: MEMORY, ..MemoryModel::default() };
    let bench = HeadBench::of(&mut simulator, &design, p, (memory, 1));
    let (tally, cycles) = attend(setup, bench, progress)?;

    let of_parts = |words: fn(&super::part::HeadPart) -> usize| setup.parts.iter().map(words).sum::<usize>();
    let [books, indices] =
        [of_parts(|part| part.books().len()), of_parts(|part| part.rows().len())].map(|words| words * setup.count);
    let words = Words { books, indices, queries: setup.queries.numbers.iter().map(|query| query.len() / 4).sum() };
    let plan = setup.count as u64 * head_job(table, setup.tokens() as u64);
    let row = tally.row("attention", cycles, words, Some(plan));
    let mut parameters = table_parameters(table);
    parameters.extend([("tokens", p.tokens.to_string()), ("address_bits", p.address_bits.to_string())]);
    let configuration = named(table, ["vq_attention_head_cq4", "vq_attention_head_cq2"]);
    let around = Some(format!("a memory of {MEMORY} cycles behind AXI4"));
    Ok(setup.results(Hardware { block: "vq_attention_head", configuration, parameters, around }, vec![row]))
}

/// A job for each query: what came out, and its cycles.
fn attend(setup: &HeadSetup, mut bench: HeadBench, progress: &dyn Fn()) -> Result<(Tally, u64), RunError> {
    let words = [setup.keys(), setup.values()].map(|part| (part.books(), part.rows()));
    let read: usize = words.iter().map(|(books, rows)| books.len() + rows.len()).sum();
    let memory = HeadMemory::of_words(words, &mut bench.axi.memory.bytes);
    let job = HeadJob { attend: true, tokens: setup.tokens(), ..memory.job };
    let decoded = [setup.keys().decoded(), setup.values().decoded()];
    let original = setup.keys().original64().zip(setup.values().original64());
    let (mut tally, mut cycles) = (Tally::default(), 0);
    for (i, query) in setup.queries.numbers.iter().enumerate() {
        memory.new_query(&mut bench.axi.memory.bytes, query.iter().copied());
        let expected = bench.expected(&job);
        let HeadPlayed { end, times, .. } = bench.play(&job, |_| Ok(())).map_err(RunError::Simulation)?;
        cycles += times.cycles;
        let [found, result] = [&bench.axi.memory.bytes, &expected.bytes].map(|bytes| memory.result(bytes, query.len()));
        tally.compare(&format!("query {i}, attention"), &found, &result);
        if end != expected.end {
            tally.mismatch(|| format!("query {i} ended with {end:?}, not {:?}", expected.end));
        }
        let to_read = read + query.len() / 4;
        if expected.end.outcome == 0 && times.words != to_read {
            tally.mismatch(|| format!("query {i}: {} words read, not {to_read}", times.words));
        }
        if expected.end.outcome != 0 {
            tally.fault(|| format!("query {i} ended with outcome {}", expected.end.outcome));
        }
        if found == result && bench.axi.memory.bytes.pages() != expected.bytes.pages() {
            tally.mismatch(|| format!("query {i}: other bytes in memory beside the result"));
        }
        let (query, found) = (to_f64(query), to_f64(&found));
        tally.beside_exact(&attention64(&query, &decoded[0], &decoded[1]), &found);
        if let Some((keys, values)) = &original {
            tally.beside_original(&attention64(&query, keys, values), &found);
        }
        progress();
    }
    Ok((tally, cycles))
}
