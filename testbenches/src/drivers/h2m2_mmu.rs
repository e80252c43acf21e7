//! The MMU of H2M2: random requests, tables, errors and invalidations against what the golden model says is possible; then the counters
//! and the log of faults against the answers.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::h2m2::mmu_axi::{mmu_axi, registers};
use hw::h2m2::params::{MmuParams, Replacement};
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::h2m2_mmu::Geometry;
use sim::h2m2_mmu_bench::{MmuBench, MmuPorts};

/// Byte address of a register: the same in all MMUs.
fn register(name: &str) -> u64 {
    let p = MmuParams {
        virtual_bits: 40,
        physical_bits: 40,
        page_bits: 21,
        entries: 2048,
        ways: 4,
        requesters: 4,
        walks: 8,
        tag_bits: 8,
        data_bytes: 8,
        replacement: Replacement::Fifo,
        prefetch: false,
    };
    registers("mmu", p).offset(name)
}

/// An MMU.
pub fn mmu_driver(name: &str, p: MmuParams) -> Driver {
    let design = build(mmu_axi(name, p));
    let held = design.clone();
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let geometry =
            Geometry { virtual_bits: p.virtual_bits, physical_bits: p.physical_bits, page_bits: p.page_bits };
        for round in 0..if effort.long { 20 } else { 3 } {
            let seed = effort.seed * 1000 + round;
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)][round as usize % 3];
            let (latency, jitter) = (rng.u64(1..40), rng.u64(0..20));
            let outstanding = p.walks as usize;
            let model =
                MemoryModel { latency, jitter, taking: stalls, giving: stalls, outstanding, ..MemoryModel::default() };
            let io = &held.ports;
            let ports = MmuPorts {
                requests: &io.request,
                responses: &io.response,
                invalidate: &io.invalidate,
                axil: &io.s_axil,
                axi: &io.m_axi,
                register,
            };
            let mut rig = MmuBench::new(&mut *engine, &held, ports, geometry, (model, [stalls; 2], seed))?;
            rig.prefetch = p.prefetch;
            rig.random(3000, &mut rng).map_err(|e| format!("seed {seed}: {e}"))?;
            rig.counters_agree().map_err(|e| format!("seed {seed}: {e}"))?;
        }
        Ok(())
    })
}
