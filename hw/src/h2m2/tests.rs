//! The MMU against the golden model, and its rates.

use super::mmu_axi::{MmuAxiPorts, mmu_axi, registers};
use super::types::{MmuParams, Replacement};
use fastrand::Rng;
use hdl::Design;
use hdl::sim::Simulator;
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::mmu::Geometry;
use sim::mmu_bench::{MmuBench, MmuPorts};

const SMALL: MmuParams = MmuParams {
    virtual_bits: 32,
    physical_bits: 40,
    page_bits: 16,
    entries: 64,
    ways: 4,
    requesters: 3,
    walks: 4,
    tag_bits: 1,
    data_bytes: 8,
    replacement: Replacement::Fifo,
};

fn geometry(p: MmuParams) -> Geometry {
    Geometry { virtual_bits: p.virtual_bits, physical_bits: p.physical_bits, page_bits: p.page_bits }
}

fn register(name: &str) -> u64 {
    let map = registers("mmu", SMALL);
    let found = map.registers.iter().find(|register| register.name == name);
    found.expect("there is such a register").offset.into()
}

fn rig<'e>(
    sim: &'e mut Simulator,
    design: &Design<MmuAxiPorts>,
    p: MmuParams,
    settings: (MemoryModel, [Stalls; 2], u64),
) -> MmuBench<'e> {
    let io = &design.ports;
    let ports = MmuPorts {
        requests: &io.request,
        responses: &io.response,
        invalidate: &io.invalidate,
        axil: &io.s_axil,
        axi: &io.m_axi,
        register,
    };
    MmuBench::new(sim, design, ports, geometry(p), settings).unwrap()
}

#[test]
fn is_built() {
    if let Err(errors) = mmu_axi("mmu", SMALL) {
        panic!("{errors}");
    }
}

/// A table that changes, stalls, errors and invalidations, with parameters at their ends.
#[test]
fn answers_what_is_possible() {
    let many = MmuParams { requesters: 8, walks: 16, ways: 8, data_bytes: 64, ..SMALL };
    let one = MmuParams { requesters: 1, walks: 1, ways: 1, page_bits: 12, tag_bits: 32, ..SMALL };
    let narrow = MmuParams { virtual_bits: 48, physical_bits: 32, page_bits: 30, ways: 2, walks: 5, ..SMALL };
    let wide = MmuParams { physical_bits: 48, entries: 128, requesters: 5, walks: 3, data_bytes: 16, ..SMALL };
    let all = [SMALL, many, one, narrow, wide];
    let policies = [Replacement::Fifo, Replacement::Random, Replacement::TreePlru];
    for (i, p) in all.into_iter().enumerate() {
        let p = MmuParams { replacement: policies[i % 3], ..p };
        let design = mmu_axi("mmu", p).unwrap();
        for seed in 0..4 {
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)][seed as usize % 3];
            let (latency, jitter) = (rng.u64(1..40), rng.u64(0..20));
            let outstanding = p.walks as usize;
            let model =
                MemoryModel { latency, jitter, taking: stalls, giving: stalls, outstanding, ..MemoryModel::default() };
            let mut sim = Simulator::new(&design);
            let mut rig = rig(&mut sim, &design, p, (model, [stalls; 2], seed));
            let result = rig.random(4000, &mut rng);
            assert!(result.is_ok(), "{p:?}, seed {seed}: {result:?}");
        }
    }
}
