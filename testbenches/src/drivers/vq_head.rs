//! The attention head of vector-quantized keys and values.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::vq::attention_head::{HeadParams, attention_head, registers};
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::vq::attention_head::HeadUnit;
use sim::golden::vq::tables::TableUnit;
use sim::vq_head_bench::{HeadBench, HeadPorts};

/// All heads have the same registers.
fn register(name: &str) -> u64 {
    let p = HeadParams { entries: 8, vector: 2, positions: 8, tokens: 8, address_bits: 32, partial: false };
    registers("head", p).offset(name)
}

/// An attention head: jobs on random keys and values, up to half of them with something wrong.
pub fn head_driver(name: impl Into<String>, p: HeadParams) -> Driver {
    let name = name.into();
    let design = build(attention_head(&name, p));
    let [entries, vector, positions, max_tokens] = [p.entries, p.vector, p.positions, p.tokens].map(|x| x as usize);
    let table = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens };
    let unit = HeadUnit { table, copies: p.copies() as usize, address_bits: p.address_bits, partial: p.partial };
    let of_test = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        for round in 0..if effort.long { 30 } else { 2 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(20), Stalls::Runs(15)][rng.usize(0..3)];
            let model =
                MemoryModel { latency: rng.u64(1..60), taking: stalls, giving: stalls, ..MemoryModel::default() };
            let io = &of_test.ports;
            let ports = HeadPorts { axil: &io.s_axil, reads: &io.m_axi_read, writes: &io.m_axi_write, register };
            let mut bench = HeadBench::new(engine, &of_test, ports, unit, (model, seed))?;
            let failing = |e| format!("{stalls:?}, seed {seed}: {e}");
            bench.random_jobs(&mut rng, 6).map_err(failing)?;
        }
        Ok(())
    })
}
