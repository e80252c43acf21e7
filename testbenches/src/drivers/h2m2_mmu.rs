//! The MMU of H2M2: random requests, tables, errors and invalidations against what the golden model says is possible, then the counters
//! and the log of faults against the answers; how long hits and misses take, what is idle, and the registers.

use super::built::build;
use super::{Driver, Effort, registers as registers_test};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hw::h2m2::mmu_axi::{MmuAxiPorts, mmu_axi, registers};
use hw::h2m2::params::{MmuParams, Replacement};
use sim::bus::Stalls;
use sim::bus::axi4_memory::MemoryModel;
use sim::golden::h2m2_mmu::{Burst, Geometry};
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
        anywhere(&mut rig)?;
        every_page(&mut rig, p)?;
        if p.writes_wait {
            waits(&mut rig, p)?;
        }
        registers_test::test(engine, &held, &held.ports.s_axil, &map, effort.seed)
    })
}

fn read(rig: &MmuBench, page: u64) -> Burst {
    let size = rig.geometry.page_bytes();
    Burst { address: page * size + 8 * page % (size - 64), bytes: 64, write: false }
}

/// As many pages of a set as it has ways are missed in their time, and are hits from then on.
fn in_time(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    let (sets, ways, more) = (u64::from(p.sets()), u64::from(p.ways), u64::from(p.writes_wait));
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
            rig.ask(way as usize % p.requesters as usize, read(rig, way * sets + set));
            rig.finish(200)?;
            let took = rig.given.last().map_or(0, |x| x.cycles.1 - x.cycles.0);
            let right = more + if round < 2 { 17 + 20 } else { 5 };
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
    rig.ask(0, read(rig, 7));
    for _ in 0..100 {
        rig.step()?;
    }
    is(rig, 1)?;
    rig.write("enable", 0)?;
    is(rig, 0)?;
    rig.stall(0, Stalls::Never);
    rig.finish(100)?;
    is(rig, 2)?;
    rig.ask(0, read(rig, 7));
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
    for (requester, turn) in (0..p.requesters as usize).flat_map(|requester| [(requester, 0), (requester, 1)]) {
        rig.keeps = true;
        rig.ask(requester, read(rig, 7));
        for _ in 0..200 {
            rig.step()?;
        }
        if rig.unanswered() > 0 {
            return Err(format!("requester {requester}, turn {turn}: no answer in 200 cycles"));
        }
        (0..2).for_each(|_| rig.invalidate(7, 7));
        for cycle in 0..100 {
            rig.step()?;
            if rig.not_done() == 0 || (rig.not_done() == 1 && rig.drained()) {
                return Err(format!("requester {requester}, turn {turn}, cycle {cycle}: drained, or done, too early"));
            }
        }
        if rig.not_done() != 1 {
            return Err(format!("requester {requester}, turn {turn}: the first invalidation is not done"));
        }
        rig.keeps = false;
        rig.finish(100)?;
        // a third one, so that the next turn begins in the other epoch
        rig.invalidate(7, 7);
        rig.finish(100)?;
    }
    Ok(())
}

/// The table may begin at any multiple of 4 KiB: every bit of its address is 0 and 1 once.
fn anywhere(rig: &mut MmuBench) -> Result<(), String> {
    let physical = (1u64 << rig.geometry.physical_bits) - 1;
    for base in [0x5555_5555_5000, 0xaaaa_aaaa_a000] {
        rig.write("enable", 0)?;
        rig.finish(100)?;
        rig.start(base & physical, 64)?;
        let word = rig.geometry.entry(1 + (base >> 20) % 2, 1, true, false);
        (0..64).for_each(|page| rig.store(page, word));
        rig.invalidate(0, rig.geometry.pages() - 1);
        rig.finish(3000)?;
        rig.ask(0, read(rig, 42));
        rig.finish(200)?;
    }
    Ok(())
}

/// For each bit of the number of a page: an invalidation of a page, by the port or by registers, takes its new entry and leaves those of other
/// sets, and the log has its fault.
fn every_page(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    const OTHER: u64 = 3;
    let hit = 5 + u64::from(p.writes_wait);
    rig.write("enable", 0)?;
    rig.finish(100)?;
    rig.start(0, rig.geometry.pages())?;
    rig.invalidate(0, rig.geometry.pages() - 1);
    rig.finish(3000)?;
    rig.store(OTHER, rig.geometry.entry(1, 0, true, false));
    let takes = |rig: &mut MmuBench, page: u64| {
        rig.ask(0, read(rig, page));
        rig.finish(200)?;
        Ok::<u64, String>(rig.given.last().map_or(0, |x| x.cycles.1 - x.cycles.0))
    };
    for bit in 0..p.number_bits() {
        let page = 1 << bit;
        rig.store(page, rig.geometry.entry(2, 1, true, false));
        takes(rig, page)?;
        takes(rig, OTHER)?;
        rig.store(page, rig.geometry.entry(1, 2, true, false));
        match bit % 2 {
            0 => rig.invalidate(page, page),
            _ => rig.invalidate_by_software(page, page),
        }
        rig.finish(200)?;
        let took = takes(rig, OTHER)?;
        if took != hit {
            return Err(format!("page {page:#x} was invalidated, and {OTHER:#x} took {took} cycles, not {hit}"));
        }
        takes(rig, page)?;
        rig.store(page, 0);
        rig.invalidate(page, page);
        rig.finish(200)?;
        takes(rig, page)?;
        // the log comes some cycles behind the answer
        for _ in 0..10 {
            rig.step()?;
        }
        let (logged, at) = (rig.read("fault")? & 1, rig.read("fault_page")?);
        if (logged, at) != (1, page) {
            return Err(format!("a fault of page {page:#x}, and the log has {at:#x}, flag {logged}"));
        }
        rig.clear(1)?;
    }
    Ok(())
}

/// Writes to pages on the move, in either epoch.
fn waits(rig: &mut MmuBench, p: MmuParams) -> Result<(), String> {
    rig.store(GOOD, rig.geometry.entry(1, 1, true, true));
    rig.store(UNMAPPED, 0);
    for turn in 0..2 {
        one_waits(rig).map_err(|e| format!("turn {turn}: {e}"))?;
        one_waits_and_one_is_in_use(rig).map_err(|e| format!("turn {turn}, one of before in use: {e}"))?;
        // an odd number of invalidations, so that the next turn begins in the other epoch
        arrives(rig)?;
    }
    if p.requesters > 1 { others_go_on(rig) } else { Ok(()) }
}

// a page that is mapped, one that moves, and one that is not mapped
const GOOD: u64 = 5;
const MOVES: u64 = 7;
const UNMAPPED: u64 = 9;

/// The page begins to move.
fn leaves(rig: &mut MmuBench) {
    rig.store(MOVES, rig.geometry.entry(1, 1, true, true) | 1 << 5);
    rig.invalidate(MOVES, MOVES);
}

/// The page has arrived, and all that waited for it is answered.
fn arrives(rig: &mut MmuBench) -> Result<(), String> {
    rig.store(MOVES, rig.geometry.entry(1, 1, true, true));
    rig.invalidate(MOVES, MOVES);
    rig.finish(500)
}

fn run(rig: &mut MmuBench) -> Result<(), String> {
    (0..200).try_for_each(|_| rig.step())
}

/// Of a write to the page on the move, and reads behind it, none is answered.
fn ask_for_what_waits(rig: &mut MmuBench) -> Result<(), String> {
    rig.ask(0, Burst { write: true, ..read(rig, MOVES) });
    for page in [GOOD, UNMAPPED, MOVES] {
        rig.ask(0, read(rig, page));
    }
    run(rig)?;
    let left = rig.unanswered();
    if left == 4 { Ok(()) } else { Err(format!("{left} requests have no answer, not 4")) }
}

/// In the next cycles a translation of before the last invalidation is in use.
fn is_not_drained(rig: &mut MmuBench) -> Result<(), String> {
    for _ in 0..50 {
        rig.step()?;
        if rig.drained() {
            return Err("drained, and a translation of before is in use".into());
        }
    }
    Ok(())
}

/// A write waits until its page has arrived, and what is asked behind it; what is thrown away meanwhile is handed back once: beside it, one
/// translation of the same epoch is in use.
fn one_waits(rig: &mut MmuBench) -> Result<(), String> {
    leaves(rig);
    rig.finish(300)?;
    rig.keeps = true;
    rig.ask(0, read(rig, GOOD));
    run(rig)?;
    ask_for_what_waits(rig)?;
    rig.store(MOVES, rig.geometry.entry(1, 1, true, true));
    rig.invalidate(MOVES, MOVES);
    run(rig)?;
    if rig.unanswered() + rig.not_done() > 0 {
        return Err(format!("the page has arrived, and {} requests have no answer", rig.unanswered()));
    }
    is_not_drained(rig)?;
    rig.keeps = false;
    rig.finish(300)
}

/// What is thrown away is not handed back for the epoch of before.
fn one_waits_and_one_is_in_use(rig: &mut MmuBench) -> Result<(), String> {
    rig.keeps = true;
    rig.ask(0, read(rig, GOOD));
    run(rig)?;
    leaves(rig);
    run(rig)?;
    ask_for_what_waits(rig)?;
    is_not_drained(rig)?;
    rig.keeps = false;
    arrives(rig)
}

/// Another requester is answered meanwhile.
fn others_go_on(rig: &mut MmuBench) -> Result<(), String> {
    leaves(rig);
    rig.finish(300)?;
    ask_for_what_waits(rig)?;
    rig.ask(1, read(rig, GOOD));
    run(rig)?;
    if rig.unanswered() != 4 {
        return Err("a write that waits holds another requester".into());
    }
    arrives(rig)
}
