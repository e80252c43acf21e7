//! The attention head of vector-quantized keys and values; several of them, and the merging over AXI of their results.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::attention::merge_axi::{self, MergeAxiParams, merge_axi};
use hw::vq::attention_head::{HeadParams, attention_head};
use hw::vq::attention_tiles::{TilesParams, WINDOW, attention_tiles};
use sim::axi_unit::{AxiUnit, UnitPorts};
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::attention::merge_axi::MergeAxiUnit;
use sim::golden::vq::attention_head::HeadUnit;
use sim::merge_axi_bench::MergeAxiBench;
use sim::vq_benches::head::{HeadBench, head_register};
use sim::vq_benches::tiles::{TilesBench, TilesUnit};

/// A memory of any latency, and a bus that stalls.
fn any_memory(rng: &mut Rng) -> MemoryModel {
    let stalls = [Stalls::Never, Stalls::Percent(20), Stalls::Runs(15)][rng.usize(0..3)];
    MemoryModel { latency: rng.u64(1..60), taking: stalls, giving: stalls, ..MemoryModel::default() }
}

/// An attention head: jobs on random keys and values, up to half of them with something wrong.
pub fn head_driver(name: impl Into<String>, p: HeadParams) -> Driver {
    let name = name.into();
    let design = build(attention_head(&name, p));
    let of_test = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        for round in 0..if effort.long { 30 } else { 2 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let memory = any_memory(&mut rng);
            let mut bench = HeadBench::of(engine, &of_test, p, (memory, seed));
            bench.random_jobs(&mut rng, 6).map_err(|e| format!("seed {seed}: {e}"))?;
        }
        Ok(())
    })
}

/// All that merge have the same registers.
fn merge_register(name: &str) -> u64 {
    let p = MergeAxiParams { parts: 2, numbers: 32, address_bits: 32 };
    merge_axi::registers("merge", p).offset(name)
}

/// The model of what merges.
fn merge_model(p: MergeAxiParams) -> MergeAxiUnit {
    MergeAxiUnit { parts: p.parts as usize, numbers: p.numbers as usize, address_bits: p.address_bits }
}

/// The merging over AXI: jobs on random parts, up to half of them with something wrong.
pub fn merge_axi_driver(name: impl Into<String>, p: MergeAxiParams) -> Driver {
    let name = name.into();
    let design = build(merge_axi(&name, p));
    let of_test = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        for round in 0..if effort.long { 30 } else { 3 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let io = &of_test.ports;
            let (reads, writes) = (&[io.m_axi_read], &[io.m_axi_write]);
            let ports = UnitPorts { axil: &io.s_axil, reads, writes, address_bits: p.address_bits };
            let axi = AxiUnit::new(engine, &of_test, ports, (any_memory(&mut rng), seed));
            let mut bench = MergeAxiBench::new(axi, merge_model(p), merge_register);
            bench.random_jobs(&mut rng, 40).map_err(|e| format!("seed {seed}: {e}"))?;
        }
        Ok(())
    })
}

/// Several heads and the merging: random keys and values dealt out to them, some with something wrong.
pub fn tiles_driver(name: impl Into<String>, p: TilesParams) -> Driver {
    let name = name.into();
    let design = build(attention_tiles(&name, p));
    let of_test = design.clone();
    let (head, merge) = (HeadUnit::of(p.head()), merge_model(p.merge()));
    let unit = TilesUnit { head, merge, window: WINDOW.into(), head_register, merge_register };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        for round in 0..if effort.long { 30 } else { 2 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let io = &of_test.ports;
            let reads: Vec<_> = io.m_axi_read.into_iter().collect();
            let writes: Vec<_> = io.m_axi_write.into_iter().collect();
            let address_bits = p.head.address_bits;
            let ports = UnitPorts { axil: &io.s_axil, reads: &reads, writes: &writes, address_bits };
            let axi = AxiUnit::new(engine, &of_test, ports, (any_memory(&mut rng), seed));
            TilesBench::new(axi, unit).random_jobs(&mut rng, 4).map_err(|e| format!("seed {seed}: {e}"))?;
        }
        Ok(())
    })
}
