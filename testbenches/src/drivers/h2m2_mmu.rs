//! The MMU of H2M2: random requests, tables, errors and invalidations against what the golden model says is possible, then the counters
//! and the log of faults against the answers; how long hits and misses take, what is idle, and the registers.

mod pages;
mod waits;

use super::built::build;
use super::{Driver, Effort, registers as registers_test};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hw::h2m2::mmu_axi::{MmuAxiPorts, mmu_axi, registers};
use hw::h2m2::params::{MmuParams, Replacement, USES};
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
        writes_wait: false,
    };
    registers("mmu", p).offset(name)
}

/// An MMU after a reset, with everything around it.
fn rig<'e>(
    engine: &'e mut dyn Engine,
    design: &Design<MmuAxiPorts>,
    p: MmuParams,
    (model, stalls, seed): (MemoryModel, Stalls, u64),
) -> Result<MmuBench<'e>, String> {
    let MmuParams { virtual_bits, physical_bits, page_bits, tag_bits, .. } = p;
    let geometry = Geometry { virtual_bits, physical_bits, page_bits, tag_bits };
    let io = &design.ports;
    let ports = MmuPorts {
        requests: &io.request,
        responses: &io.response,
        invalidate: &io.invalidate,
        axil: &io.s_axil,
        axi: &io.m_axi,
        register,
    };
    let model = MemoryModel { taking: stalls, giving: stalls, outstanding: p.walks as usize, ..model };
    let mut rig = MmuBench::new(engine, design, ports, geometry, (model, [stalls; 2], seed))?;
    (rig.prefetch, rig.writes_wait) = (p.prefetch, p.writes_wait);
    Ok(rig)
}

/// An MMU.
pub fn mmu_driver(name: &str, p: MmuParams) -> Driver {
    let design = build(mmu_axi(name, p));
    let held = design.clone();
    let map = registers(name, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        for round in 0..if effort.long { 20 } else { 3 } {
            let seed = effort.seed * 1000 + round;
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)][round as usize % 3];
            let (latency, jitter) = (rng.u64(1..40), rng.u64(0..20));
            let model = MemoryModel { latency, jitter, ..MemoryModel::default() };
            let mut rig = rig(&mut *engine, &held, p, (model, stalls, seed))?;
            // where none moves, nothing is thrown away, and counters and log are exact
            rig.pages_move = round % 3 != 1;
            rig.random(3000, &mut rng).map_err(|e| format!("seed {seed}: {e}"))?;
            rig.counters_agree().map_err(|e| format!("seed {seed}: {e}"))?;
        }
        let model = MemoryModel { latency: 20, ..MemoryModel::default() };
        let mut rig = rig(&mut *engine, &held, p, (model, Stalls::Never, effort.seed))?;
        rig.pages_move = false;
        in_time(&mut rig, p)?;
        is_idle(&mut rig)?;
        rig.counters_agree()?;
        drains(&mut rig, p)?;
        as_many_as_may_be(&mut rig, p)?;
        one_start_is_one_invalidation(&mut rig)?;
        pages::test(&mut rig, p)?;
        if p.writes_wait {
            waits::test(&mut rig, p)?;
        }
        registers_test::test(engine, &held, &held.ports.s_axil, &map, effort.seed)
    })
}

/// As many pages of a set as it has ways are missed in their time, and are hits from then on.
fn in_time(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    let (sets, ways) = (u64::from(p.sets()), u64::from(p.ways));
    let pages = sets * ways + 1;
    rig.use_for = 0;
    rig.start(0x10_0000, pages)?;
    for page in 0..pages {
        let word = rig.geometry.entry(page + 9, page % 3, true, true);
        rig.store(page, word);
    }
    rig.invalidate(0, pages - 1);
    rig.finish(5000)?;
    for (round, set) in [0, 5, 5].into_iter().enumerate() {
        for way in 0..ways {
            let took = pages::takes(rig, way as usize % p.requesters as usize, way * sets + set)?;
            let right = pages::hit(p) + if round < 2 { 12 + 20 } else { 0 };
            if took != right {
                return Err(format!("round {round}, way {way}: it took {took} cycles, not {right}"));
            }
        }
    }
    Ok(())
}

/// It is idle when all is answered.
fn is_idle(rig: &mut MmuBench) -> Result<(), String> {
    let is = |rig: &mut MmuBench, value: u64| match rig.read("enable")? {
        read if read == value => Ok(()),
        read => Err(format!("`enable` reads {read}, not {value}")),
    };
    is(rig, 3)?;
    rig.stall(0, Stalls::Always);
    rig.ask(0, rig.read_of(7));
    for _ in 0..100 {
        rig.step()?;
    }
    is(rig, 1)?;
    rig.write("enable", 0)?;
    is(rig, 0)?;
    rig.stall(0, Stalls::Never);
    rig.finish(100)?;
    is(rig, 2)?;
    rig.ask(0, rig.read_of(7));
    for _ in 0..100 {
        rig.step()?;
    }
    if rig.unanswered() != 1 {
        return Err("a request was taken while that was not enabled".into());
    }
    rig.write("enable", 1)?;
    rig.finish(100)
}

/// While a requester has a translation in use, the invalidation behind it is not drained, and one behind that is not done: in either epoch.
fn drains(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    for (requester, round) in (0..p.requesters as usize).flat_map(|requester| [(requester, 0), (requester, 1)]) {
        rig.keeps = true;
        rig.ask(requester, rig.read_of(7));
        for _ in 0..200 {
            rig.step()?;
        }
        if rig.unanswered() > 0 {
            return Err(format!("requester {requester}, round {round}: no answer in 200 cycles"));
        }
        (0..2).for_each(|_| rig.invalidate(7, 7));
        for cycle in 0..100 {
            rig.step()?;
            if rig.not_done() == 0 || (rig.not_done() == 1 && rig.drained()) {
                return Err(format!(
                    "requester {requester}, round {round}, cycle {cycle}: drained, or done, too early"
                ));
            }
        }
        if rig.not_done() != 1 {
            return Err(format!("requester {requester}, round {round}: the first invalidation is not done"));
        }
        rig.keeps = false;
        rig.finish(100)?;
        // a third one, so that the next round begins in the other epoch
        rig.invalidate(7, 7);
        rig.finish(100)?;
    }
    Ok(())
}

/// Of either epoch a requester has 31 translations in use, and no more; the last of them keeps the invalidation behind it from being drained.
fn as_many_as_may_be(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    for (requester, round) in (0..p.requesters as usize).flat_map(|requester| [(requester, 0), (requester, 1)]) {
        rig.keeps = true;
        (0..USES + 4).for_each(|_| rig.ask(requester, rig.read_of(7)));
        (0..300).try_for_each(|_| rig.step())?;
        if rig.unanswered() != 4 {
            return Err(format!(
                "requester {requester}, round {round}: {} of {} have no answer",
                rig.unanswered(),
                USES + 4
            ));
        }
        // one by one, and `step` sees whether one is in use when the MMU says that none is
        rig.keeps = false;
        rig.invalidate(7, 7);
        rig.finish(500)?;
    }
    Ok(())
}

/// A start is one invalidation, however long `invalidate` stays 1.
fn one_start_is_one_invalidation(rig: &mut MmuBench) -> Result<(), String> {
    for (name, value) in [("first", 7), ("last", 7), ("invalidate", 1)] {
        rig.write(name, value)?;
    }
    (0..100).try_for_each(|_| rig.step())?;
    // in a dozen cycles: between two invalidations there would be a gap
    for _ in 0..12 {
        match rig.read("invalidate")? {
            read if read & 2 == 0 => rig.step()?,
            read => return Err(format!("`invalidate` reads {read}, under way, 100 cycles after its start")),
        }
    }
    rig.write("invalidate", 0)
}
