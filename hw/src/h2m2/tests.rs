//! The MMU against the golden model, and its rates.

use super::mmu::mmu;
use super::mmu_axi::{MmuAxiPorts, mmu_axi, registers};
use super::params::{MmuParams, Replacement};
use fastrand::Rng;
use hdl::Design;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use sim::bus::axi4_memory::MemoryModel;
use sim::bus::{Stalls, run_seed};
use sim::golden::h2m2_mmu::{Burst, Geometry};
use sim::h2m2_mmu_bench::{Given, MmuBench, MmuPorts};
use sim::h2m2_model::choices::{HIT_CYCLES, MISS_CYCLES};

pub const SMALL: MmuParams = MmuParams {
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
    prefetch: false,
    writes_wait: false,
};

fn geometry(p: MmuParams) -> Geometry {
    let MmuParams { virtual_bits, physical_bits, page_bits, tag_bits, .. } = p;
    Geometry { virtual_bits, physical_bits, page_bits, tag_bits }
}

fn register(name: &str) -> u64 {
    registers("mmu", SMALL).offset(name)
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
    let mut rig = MmuBench::new(sim, design, ports, geometry(p), settings).unwrap();
    rig.prefetch = p.prefetch;
    rig.writes_wait = p.writes_wait;
    rig
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
        at_random(MmuParams { replacement: policies[i % 3], ..p }, 4000);
    }
}

/// The other sizes of the TLB; 2048 entries have the named configurations.
#[test]
fn every_size_of_the_tlb() {
    for (entries, ways) in [(256, 2), (512, 8), (1024, 4), (4096, 4)] {
        at_random(MmuParams { entries, ways, ..SMALL }, 1000);
    }
}

/// Random requests, tables and invalidations for so many cycles, with all kinds of stalls.
pub fn at_random(p: MmuParams, cycles: u64) {
    let design = mmu_axi("mmu", p).unwrap();
    for round in 0..4 {
        let seed = run_seed(round);
        let mut rng = Rng::with_seed(seed);
        let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)][round as usize % 3];
        let (latency, jitter) = (rng.u64(1..40), rng.u64(0..20));
        let outstanding = p.walks as usize;
        let model =
            MemoryModel { latency, jitter, taking: stalls, giving: stalls, outstanding, ..MemoryModel::default() };
        let mut sim = jit::simulator(&design);
        let mut rig = rig(&mut sim, &design, p, (model, [stalls; 2], seed));
        let result = rig.random(cycles, &mut rng);
        assert!(result.is_ok(), "{p:?}, seed {seed}: {result:?}");
        let result = rig.counters_agree();
        assert!(result.is_ok(), "{p:?}, seed {seed}: {result:?}");
    }
}

/// A quiet table of good entries, behind a memory of so many cycles.
pub fn ready<'e>(sim: &'e mut Simulator, design: &Design<MmuAxiPorts>, p: MmuParams, latency: u64) -> MmuBench<'e> {
    let model = MemoryModel { latency, outstanding: p.walks as usize, ..MemoryModel::default() };
    let mut rig = rig(sim, design, p, (model, [Stalls::Never; 2], 7));
    rig.use_for = 0;
    rig.start(0x10_0000, 4000).unwrap();
    for page in 0..4000 {
        let word = rig.geometry.entry(page + 9, page % 3, true, true);
        rig.store(page, word);
    }
    rig.invalidate(0, 3999);
    rig.finish(3000).unwrap();
    rig
}

/// One translation a cycle of all requesters together, and of one alone; each after 5 cycles, which H2M2's model counts, too.
#[test]
fn hits() {
    hits_of(SMALL, HIT_CYCLES);
}

/// Hits of such an MMU, but for its requesters, take so many cycles.
pub fn hits_of(p: MmuParams, cycles: u64) {
    for (requesters, busy) in [(1, 1), (3, 1), (3, 3), (4, 4), (8, 1), (8, 8)] {
        let p = MmuParams { requesters, ..p };
        let design = mmu_axi("mmu", p).unwrap();
        let mut sim = jit::simulator(&design);
        let mut rig = ready(&mut sim, &design, p, 20);
        for round in 0..101 {
            for page in 0..10 {
                let burst = rig.read_of(page);
                (0..busy).for_each(|requester| rig.ask(requester, burst));
            }
            if round == 0 {
                rig.finish(1000).unwrap();
                rig.given.clear();
            }
        }
        rig.finish(10_000).unwrap();
        // where writes wait, requests are taken before their turn
        let at_once = busy == 1 || !p.writes_wait;
        let takes = |x: &Given| x.cycles.1 - x.cycles.0;
        assert!(!at_once || rig.given.iter().all(|x| takes(x) == cycles), "each hit takes {cycles} cycles");
        let answered: Vec<u64> = rig.given.iter().map(|x| x.cycles.1).collect();
        let (first, last) = (answered.iter().min().unwrap(), answered.iter().max().unwrap());
        assert_eq!(last - first + 1, answered.len() as u64, "{busy} of {requesters} requesters: one in every cycle");
    }
}

/// A miss takes 17 cycles and those of the memory, which H2M2's model counts, too.
#[test]
fn misses() {
    misses_of(SMALL, MISS_CYCLES);
}

/// Misses of such an MMU take so many cycles and those of the memory.
pub fn misses_of(p: MmuParams, more: u64) {
    let design = mmu_axi("mmu", p).unwrap();
    for latency in [2, 40, 100] {
        let mut sim = jit::simulator(&design);
        let mut rig = ready(&mut sim, &design, p, latency);
        for page in 0..10 {
            rig.ask(1, rig.read_of(page));
            rig.finish(1000).unwrap();
        }
        let cycles: Vec<u64> = rig.given.iter().map(|x| x.cycles.1 - x.cycles.0).collect();
        assert!(cycles.iter().all(|cycles| *cycles == latency + more), "a memory of {latency} cycles: {cycles:?}");
    }
}

/// Requester 1 hits all the time, beside others that miss all the time, one of which leaves its answers: its hits take 5 cycles, and it is
/// only held in cycles in which others have their turn.
#[test]
fn who_misses_delays_nobody() {
    let design = mmu_axi("mmu", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, SMALL, 100);
    rig.ask(1, rig.read_of(5));
    rig.finish(1000).unwrap();
    rig.given.clear();
    // of set 0 alone, in which page 5 is not
    for i in 0..40 {
        rig.ask(0, rig.read_of(16 * i));
        rig.ask(2, rig.read_of(16 * i + 2048));
    }
    rig.stall(2, Stalls::Always);
    (0..1000).for_each(|_| rig.ask(1, rig.read_of(5)));
    (0..1500).for_each(|_| rig.step().unwrap());
    let hits: Vec<_> = rig.given.iter().filter(|x| x.requester == 1).collect();
    assert_eq!(hits.len(), 1000);
    assert!(hits.iter().all(|x| x.cycles.1 - x.cycles.0 == 5), "each hit takes 5 cycles");
    let others = rig.given.iter().filter(|x| x.requester == 0).count() as u64 + 16;
    let cycles = hits[999].cycles.0 - hits[0].cycles.0 + 1;
    assert!(
        cycles <= 1000 + 2 * others,
        "{cycles} cycles for 1000 hits, beside {others} misses that take two turns each"
    );
    rig.stall(2, Stalls::Never);
    rig.finish(5000).unwrap();
}

/// As many walks are under way as there may be; 4 of one requester; and misses to one page share one.
#[test]
fn walks_under_way() {
    let wide = MmuParams { walks: 8, requesters: 4, ..SMALL };
    let design = mmu_axi("mmu", wide).unwrap();
    for (requesters, pages, walks, most) in [(1, 8, 8, 260), (4, 8, 32, 470), (4, 1, 1, 170)] {
        let mut sim = jit::simulator(&design);
        let mut rig = ready(&mut sim, &design, wide, 100);
        let (before, from) = (rig.memory.requests.len(), rig.bench.cycle());
        for i in 0..8 {
            for requester in 0..requesters {
                rig.ask(requester, rig.read_of(i % pages + if pages > 1 { 8 * requester as u64 } else { 0 }));
            }
        }
        rig.finish(5000).unwrap();
        let cycles = rig.bench.cycle() - from;
        println!("{requesters} requesters, {pages} pages each: {cycles} cycles");
        assert_eq!(rig.memory.requests.len() - before, walks, "walks");
        assert!(cycles <= most, "{requesters} requesters, {pages} pages each: {cycles} cycles");
    }
}

/// What H2M2's model takes of a core that reads page after page: the misses under way are of one page and share its walk, so walks follow
/// each other. One that reads four pages in turn has four walks under way.
#[test]
fn walks_of_a_stream_follow_each_other() {
    let design = mmu_axi("mmu", SMALL).unwrap();
    for (together, rounds) in [(1, 8), (4, 2)] {
        let mut sim = jit::simulator(&design);
        let mut rig = ready(&mut sim, &design, SMALL, 300);
        let from = rig.bench.cycle();
        // 16 bursts in each of 8 pages
        for i in 0..128 {
            let (page, burst) = (i / (16 * together) * together + i % together, i / together % 16);
            let address = page * rig.geometry.page_bytes() + 4096 * burst;
            rig.ask(0, Burst { address, bytes: 4096, write: false });
        }
        rig.finish(20_000).unwrap();
        let (cycles, least) = (rig.bench.cycle() - from, rounds * (300 + MISS_CYCLES));
        println!("128 bursts, {together} pages in turn: {cycles} cycles, {least} of them for walks");
        assert!((least..least + 192).contains(&cycles), "{together} pages in turn: {cycles} cycles");
    }
}

/// Pages of one set that are missed together go to different ways, and stay there.
#[test]
fn misses_of_one_set_at_once() {
    let p = MmuParams { walks: 8, ..SMALL };
    let design = mmu_axi("mmu", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, p, 30);
    let pages = [7, 23, 39, 55]; // 16 sets
    (0..2).for_each(|turn| {
        pages.iter().enumerate().for_each(|(i, page)| rig.ask(i % 3, rig.read_of(*page)));
        // walks of other sets, so that nothing of the first ones is kept
        (0..turn * 9).for_each(|i| rig.ask(0, rig.read_of(100 + 16 * i)));
        rig.finish(1000).unwrap();
    });
    rig.given.clear();
    pages.iter().for_each(|page| rig.ask(0, rig.read_of(*page)));
    rig.finish(1000).unwrap();
    assert!(rig.given.iter().all(|x| x.cycles.1 - x.cycles.0 == 5), "{:?}", rig.given);
}

/// A page that others pushed out of its set is walked again, though its last walk was long ago, and then it is found.
#[test]
fn a_page_that_was_pushed_out() {
    let p = MmuParams { walks: 8, ..SMALL };
    let design = mmu_axi("mmu", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, p, 30);
    for page in [7, 23, 39, 55, 71, 7, 7] {
        rig.ask(0, rig.read_of(page));
        rig.finish(1000).unwrap();
    }
    let cycles: Vec<u64> = rig.given.iter().map(|x| x.cycles.1 - x.cycles.0).collect();
    assert!(cycles[5] > 30, "pushed out: {cycles:?}");
    assert_eq!(cycles[6], 5, "{cycles:?}");
}

/// Software sees when all requests that were taken are answered: then it may change the table's place.
#[test]
fn idle_tells_that_all_is_answered() {
    let design = mmu_axi("mmu", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, SMALL, 100);
    assert_eq!(rig.read("enable"), Ok(3), "enabled and idle");
    rig.ask(1, rig.read_of(5));
    (0..10).for_each(|_| rig.step().unwrap());
    rig.write("enable", 0).unwrap();
    assert_eq!(rig.read("enable"), Ok(0), "a walk is under way");
    rig.finish(1000).unwrap();
    assert_eq!(rig.read("enable"), Ok(2));
}

/// One translation is handed back that was never given: the next ones are given and counted as ever.
#[test]
fn a_hand_back_too_many() {
    let design = mmu_axi("mmu", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, SMALL, 5);
    let valid = rig.bench.engine.port("release_0_valid").unwrap();
    rig.bench.engine.poke(valid, 1);
    rig.bench.step().unwrap();
    rig.bench.engine.poke(valid, 0);
    (0..40).for_each(|page| rig.ask(0, rig.read_of(page)));
    rig.finish(2000).unwrap();
    rig.invalidate(0, 3999);
    rig.finish(2000).unwrap();
    assert_eq!(rig.given.len(), 40);
}

/// The port hears that its range is drained though software starts the next one as soon as the last one is done.
#[test]
fn drained_is_seen_between_invalidations_of_software() {
    let design = mmu_axi("mmu", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let mut rig = ready(&mut sim, &design, SMALL, 10);
    rig.use_for = 600;
    let (before, mut asked) = (rig.drained_at.len(), 0);
    for cycle in 0..40_000 {
        if rig.unanswered() < 3 {
            let page = rig.read_of(cycle % 16);
            rig.ask(cycle as usize % 3, page);
        }
        rig.invalidate_by_software(0, 15);
        if rig.drained_at.len() - before == asked && asked < 8 {
            asked += 1;
            rig.invalidate(3, 3);
        }
        rig.step().unwrap();
    }
    assert!(rig.drained_at.len() - before >= 8, "{:?}", rig.drained_at);
}

/// From the cycle behind its request on, until its answer is taken, a requester is not idle.
#[test]
fn idle_falls_with_the_request() {
    let design = mmu(SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    let io = &design.ports;
    sim.reset(2);
    sim.poke(io.enable, 1);
    (0..500).for_each(|_| sim.step());
    for wait in [0, 1, 20] {
        assert_eq!(sim.peek(io.idle), 1);
        sim.poke(io.request[0].valid, 1);
        while sim.peek(io.request[0].ready) == 0 {
            sim.step();
        }
        sim.step();
        sim.poke(io.request[0].valid, 0);
        let mut waited = 0;
        loop {
            assert_eq!(sim.peek(io.idle), 0, "not answered, or the answer not taken");
            waited += sim.peek(io.response[0].valid);
            sim.poke(io.response[0].ready, u64::from(waited > wait));
            let taken = waited > wait;
            sim.step();
            if taken {
                break;
            }
        }
        sim.poke(io.response[0].ready, 0);
        (0..3).for_each(|_| sim.step());
    }
}
