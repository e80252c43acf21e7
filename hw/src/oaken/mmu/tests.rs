mod rates;
mod reset;

use super::params::MmuParams;
use super::unit::{UnitPorts, unit};
use crate::memory::axi::AxiParams;
use ::sim::bus::axi4::Response;
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::oaken_mmu_bench::{Group, MmuBench, MmuStalls, MmuStreams, Shape};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed};
use hdl::{Bundle, Design};

fn params(data_bytes: u32) -> MmuParams {
    MmuParams {
        axi: AxiParams { data_bytes, address_bits: 32, id_bits: 0 },
        page_bytes: 1024,
        pages: 256,
        requests: 3,
        layers: 2,
        heads: 3,
        head_elements: 128,
        key_bits: 4,
        value_bits: 5,
        tokens: 500,
        tag_bits: 4,
        outstanding: 4,
    }
}

fn shape(p: MmuParams) -> Shape {
    Shape {
        beat: p.axi.data_bytes as usize,
        page: p.page_bytes.into(),
        pages: p.pages.into(),
        heads: p.heads.into(),
        elements: p.head_elements.into(),
        dense: p.dense_bytes().map(u64::from),
    }
}

fn streams(design: &Design<UnitPorts>) -> MmuStreams {
    let io = design.ports;
    fn of(design: &Design<UnitPorts>, stream: &impl Bundle) -> StreamPorts {
        StreamPorts::of(design, stream)
    }
    MmuStreams {
        append: of(design, &io.append),
        read: of(design, &io.read),
        control: Some([of(design, &io.control), of(design, &io.controlled)]),
        vectors: [of(design, &io.slice), of(design, &io.s_axis)],
        answers: [of(design, &io.appended), of(design, &io.done)],
        histories: [of(design, &io.history), of(design, &io.m_axis_sparse), of(design, &io.m_axis_dense)],
        free: design.port_index(io.free),
    }
}

/// Builds an MMU with a memory, resets it and runs the test.
fn run(p: MmuParams, model: MemoryModel, stalls: MmuStalls, seed: u64, test: impl FnOnce(&mut MmuBench, &mut Rng)) {
    let design = unit("mmu", p).unwrap();
    let seed = run_seed(seed);
    let mut engine = jit::simulator(&design);
    engine.poke(design.ports.base, BASE);
    engine.poke(design.ports.enough, 0);
    let ports = (&design, streams(&design), &design.ports.m_axi);
    let mut x = MmuBench::new(&mut engine, ports, shape(p), (model, stalls, seed));
    x.bench.reset().unwrap();
    test(&mut x, &mut Rng::with_seed(seed));
}

/// The pages lie from this one on.
const BASE: u64 = 0x4001;

fn some() -> MmuStalls {
    [Stalls::Percent(30), Stalls::Percent(20), Stalls::Percent(30), Stalls::Percent(30)]
}

fn slow() -> MemoryModel {
    let stalls = Stalls::Percent(20);
    MemoryModel { latency: 9, jitter: 12, taking: stalls, giving: stalls, reorders: true, ..MemoryModel::default() }
}

fn groups(p: MmuParams, request: u64) -> Vec<Group> {
    let layers = 0..u64::from(p.layers);
    layers.flat_map(|layer| [[request, layer, 0], [request, layer, 1]]).collect()
}

/// What was appended is read, in any width, with stalls everywhere, over the ends of pages.
#[test]
fn reads_what_was_appended() {
    for (width, page_bytes) in [(4, 1024), (8, 4096), (16, 1024), (64, 2048)] {
        let p = MmuParams { page_bytes, ..params(width) };
        run(p, slow(), some(), u64::from(width), |x, rng| {
            for request in [0, 2] {
                assert_eq!(x.finish_control(false, request), Ok(0));
            }
            let all: Vec<Group> = [0, 2].into_iter().flat_map(|request| groups(p, request)).collect();
            for _ in 0..15 {
                for group in &all {
                    let slices = x.shape.random_slices(rng, *group, 7);
                    x.append(*group, slices, false);
                }
            }
            assert!(x.finish_appends().unwrap().iter().all(|code| *code == 0));
            assert_eq!(x.free(), u64::from(p.pages) - x.used_pages());
            for group in &all {
                for head in 0..3 {
                    x.ask(*group, head, 0);
                    x.ask(*group, head, rng.u64(1..20));
                }
            }
            assert!(x.finish_reads().unwrap().iter().all(|code| *code == 0));
        });
    }
}

/// Whoever takes a history says `enough` up to its last word: that ends this one, and no other, whenever the next one is asked for.
#[test]
fn enough_ends_one_history() {
    let p = MmuParams { layers: 1, heads: 1, ..params(8) };
    let design = unit("mmu", p).unwrap();
    let enough = design.port_index(design.ports.enough).unwrap();
    run(p, MemoryModel { latency: 40, ..MemoryModel::default() }, [Stalls::Never; 4], 1, |x, rng| {
        assert_eq!(x.finish_control(false, 0), Ok(0));
        for i in 0..400 {
            let group = [0, 0, i % 2];
            let slices = x.shape.random_slices(rng, group, 64);
            x.append(group, slices, false);
        }
        assert!(x.finish_appends().unwrap().iter().all(|code| *code == 0));
        x.ask([0, 0, 0], 0, 0);
        assert_eq!(x.finish_reads(), Ok(vec![0]));
        let whole = x.words_given()[0].len();
        assert!(whole > 1500, "{whole} words");
        let mut shortest = usize::MAX;
        for delay in (0..160).step_by(5) {
            let words = x.words_given()[0].len();
            x.ask([0, 0, 0], 0, 1);
            x.until("given", 1000, |x| x.words_given()[0].len() > words + 20).unwrap();
            let packets = x.packets_read()[0];
            x.bench.engine.poke_u64(enough, 1);
            for _ in 0..delay {
                x.step().unwrap();
                if x.packets_read()[0] > packets {
                    x.bench.engine.poke_u64(enough, 0);
                }
            }
            x.ask([0, 0, 1], 0, 0);
            x.until("given", 4000, |x| x.packets_read()[0] > packets).unwrap();
            x.bench.engine.poke_u64(enough, 0);
            shortest = shortest.min(x.words_given()[0].len() - words);
            assert_eq!(x.finish_reads(), Ok(vec![0, 0]), "the next one is asked for {delay} cycles later");
        }
        assert!(
            shortest < 1200,
            "a history of which there is enough ends, and does not have its {whole} words: {shortest}"
        );
    });
}

/// Commands that cannot be done are refused with their cause, their vectors are dropped, and nothing else changes.
#[test]
fn refuses() {
    let p = MmuParams { tokens: 3, ..params(8) };
    run(p, slow(), some(), 1, |x, rng| {
        let append = |x: &mut MmuBench, rng: &mut Rng, group: Group| {
            let slices = x.shape.random_slices(rng, group, 7);
            x.append(group, slices, false);
            x.finish_appends().unwrap()
        };
        assert_eq!(append(x, rng, [1, 0, 0]), [2], "not open");
        assert_eq!(x.finish_control(true, 1), Ok(2), "not open");
        assert_eq!(x.finish_control(false, 3), Ok(1), "no such request");
        assert_eq!(x.finish_control(false, 1), Ok(0));
        assert_eq!(x.finish_control(false, 1), Ok(3), "open already");
        assert_eq!(append(x, rng, [3, 0, 0]), [1], "no such request");
        assert_eq!(append(x, rng, [1, 1, 1]), [0]);
        for expected in [0, 0, 0, 4, 4] {
            assert_eq!(append(x, rng, [1, 0, 0]), [expected]);
        }
        for (group, head) in [([1, 0, 0], 3), ([0, 0, 0], 0), ([3, 0, 0], 0), ([1, 0, 1], 0), ([1, 0, 0], 2)] {
            x.ask(group, head, 0);
        }
        assert_eq!(x.finish_reads().unwrap(), [1, 2, 1, 0, 0]);
        assert_eq!(x.finish_control(true, 1), Ok(0));
        assert_eq!(append(x, rng, [1, 0, 0]), [2], "not open any more");
        assert_eq!(x.free(), u64::from(p.pages));
    });
}

/// When pages run out, vectors are refused whole; who goes on are those that have room. Every page comes back.
#[test]
fn pages_run_out() {
    for (page_bytes, pages) in [(1024, 40), (1024, 31), (4096, 24)] {
        let p = MmuParams { page_bytes, pages, ..params(8) };
        run(p, slow(), some(), u64::from(pages), |x, rng| {
            for round in 0..3 {
                assert_eq!(x.finish_control(false, 0), Ok(0));
                assert_eq!(x.finish_control(false, 1), Ok(0));
                let (mut refused, mut done) = (0, 0);
                while refused < 25 {
                    let group = [rng.u64(0..2), rng.u64(0..2), rng.u64(0..2)];
                    let slices = x.shape.random_slices(rng, group, 10);
                    let needed = x.pages_needed(group);
                    let free = x.free();
                    x.append(group, slices, false);
                    let codes = x.finish_appends().unwrap();
                    // a vector is refused exactly if its longest slices would not find room
                    let expected = if needed > free { 5 } else { 0 };
                    assert_eq!(codes, [expected], "{needed} pages, {free} free");
                    refused += u64::from(expected == 5);
                    done += u64::from(expected == 0);
                    assert_eq!(x.free(), u64::from(p.pages) - x.used_pages());
                }
                assert!(done > 3, "{done}");
                for group in groups(p, round % 2) {
                    (0..3).for_each(|head| x.ask(group, head, 0));
                }
                assert!(x.finish_reads().unwrap().iter().all(|code| *code == 0));
                assert_eq!(x.finish_control(true, 0), Ok(0));
                assert_eq!(x.finish_control(true, 1), Ok(0));
                assert_eq!(x.free(), u64::from(p.pages), "in round {round}");
            }
        });
    }
}

/// Vectors that go on coming for a request that was released are refused, and do not hold its release.
#[test]
fn a_release_does_not_wait_for_vectors_that_are_refused() {
    let p = params(8);
    run(p, MemoryModel::default(), [Stalls::Never; 4], 10, |x, rng| {
        assert_eq!(x.finish_control(false, 0), Ok(0));
        for i in 0..400 {
            let group = [0, 0, i % 2];
            let slices = x.shape.random_slices(rng, group, 7);
            x.append(group, slices, false);
        }
        x.until("appended", 1000, |x| x.free() < u64::from(p.pages)).unwrap();
        let before = x.bench.cycle();
        assert_eq!(x.finish_control(true, 0), Ok(0));
        let cycles = x.bench.cycle() - before;
        assert!(cycles < 200, "{cycles} cycles");
        let codes = x.finish_appends().unwrap();
        assert!(codes.iter().all(|code| *code == 2), "{codes:?}");
        assert_eq!(x.free(), u64::from(p.pages));
    });
}

/// A vector whose writes fail, or whose record was malformed, leaves the streams as they were, and its pages come back; so does one that
/// comes while its writes are under way.
#[test]
fn a_failed_append_leaves_no_trace() {
    let p = params(8);
    run(p, slow(), some(), 5, |x, rng| {
        assert_eq!(x.finish_control(false, 0), Ok(0));
        let base = BASE * u64::from(p.page_bytes);
        let mut failures = 0;
        for round in 0..60u64 {
            // some pages answer with errors, others from round to round
            let bad = base + rng.u64(0..60) * u64::from(p.page_bytes);
            let errors = vec![(bad..bad + 700, Response::Slave)];
            let errors = if round % 3 == 0 { vec![] } else { errors };
            x.memory.set_model(MemoryModel { errors, ..slow() });
            let some: Vec<Group> = (0..rng.u64(1..4)).map(|_| [0, rng.u64(0..2), rng.u64(0..2)]).collect();
            for group in &some {
                let slices = x.shape.random_slices(rng, *group, 7);
                x.append(*group, slices, round % 7 == 5);
            }
            let codes = x.finish_appends().unwrap();
            assert!(
                codes.iter().all(|code| matches!((code, round % 7), (0, 0..=4 | 6) | (6, _) | (7, 5))),
                "{codes:?}"
            );
            failures += codes.iter().filter(|code| **code != 0).count();
            assert_eq!(x.free(), u64::from(p.pages) - x.used_pages());
        }
        assert!(failures > 10, "{failures}");
        x.memory.set_model(slow());
        for group in groups(p, 0) {
            (0..3).for_each(|head| x.ask(group, head, 0));
        }
        assert!(x.finish_reads().unwrap().iter().all(|code| *code == 0));
    });
}

/// A read that fails ends its packets and says so; the next one is right.
#[test]
fn a_failed_read_ends() {
    let p = params(8);
    run(p, slow(), some(), 6, |x, rng| {
        assert_eq!(x.finish_control(false, 0), Ok(0));
        for _ in 0..40 {
            let slices = x.shape.random_slices(rng, [0, 0, 0], 7);
            x.append([0, 0, 0], slices, false);
        }
        x.finish_appends().unwrap();
        let base = BASE * u64::from(p.page_bytes);
        let mut failed = 0;
        for round in 0..20u64 {
            let bad = base + rng.u64(0..20) * u64::from(p.page_bytes);
            x.memory.set_model(MemoryModel { errors: vec![(bad..bad + 64, Response::Decode)], ..slow() });
            (0..3).for_each(|head| x.ask([0, 0, 0], head, round % 3 * 10));
            let codes = x.finish_reads().unwrap();
            assert!(codes.iter().all(|code| [0, 6].contains(code)), "{codes:?}");
            failed += codes.iter().filter(|code| **code == 6).count();
            x.memory.set_model(slow());
            (0..3).for_each(|head| x.ask([0, 0, 0], head, 0));
            assert_eq!(x.finish_reads().unwrap(), [0, 0, 0]);
        }
        assert!(failed > 3, "{failed}");
    });
}

/// Appends, reads, opening and releasing together: what is under way is finished before its pages come back, and all others go on.
#[test]
fn everything_at_once() {
    for round in 0..4 {
        let p = params([8, 16, 4, 8][round as usize]);
        run(p, slow(), some(), round, |x, rng| {
            let mut open = [false; 3];
            for _ in 0..60 {
                for _ in 0..rng.u32(0..6) {
                    let group = [rng.u64(0..3), rng.u64(0..2), rng.u64(0..2)];
                    let slices = x.shape.random_slices(rng, group, 5);
                    x.append(group, slices, false);
                }
                for _ in 0..rng.u32(0..5) {
                    let group = [rng.u64(0..3), rng.u64(0..2), rng.u64(0..2)];
                    let tokens = if rng.bool() { 0 } else { rng.u64(1..10) };
                    if open[group[0] as usize] {
                        x.ask(group, rng.u64(0..3), tokens);
                    }
                }
                let request = rng.u64(0..3);
                let was = open[request as usize];
                match rng.u32(0..5) {
                    // the reads first: what they saw cannot be told once their request is released
                    0 if was => {
                        x.finish_reads().unwrap();
                        assert_eq!(x.finish_control(true, request), Ok(0));
                        open[request as usize] = false;
                    }
                    1 | 2 if !was => {
                        assert_eq!(x.finish_control(false, request), Ok(0));
                        open[request as usize] = true;
                    }
                    _ => (0..rng.u64(0..300)).for_each(|_| x.step().unwrap()),
                }
            }
            x.finish_appends().unwrap();
            x.finish_reads().unwrap();
            for request in (0..3).filter(|request| open[*request as usize]) {
                assert_eq!(x.finish_control(true, request), Ok(0));
            }
            assert_eq!(x.free(), u64::from(p.pages));
        });
    }
}

/// Nobody takes a history: appends go on, and a release of its request waits.
#[test]
fn a_blocked_read_blocks_no_append() {
    let p = params(8);
    let stalls = [Stalls::Never, Stalls::Never, Stalls::Never, Stalls::Always];
    run(p, MemoryModel::default(), stalls, 7, |x, rng| {
        assert_eq!(x.finish_control(false, 0), Ok(0));
        assert_eq!(x.finish_control(false, 1), Ok(0));
        let vector = |x: &mut MmuBench, rng: &mut Rng, group: Group| {
            let slices = x.shape.random_slices(rng, group, 7);
            x.append(group, slices, false);
        };
        (0..60).for_each(|_| vector(x, rng, [0, 0, 0]));
        x.finish_appends().unwrap();
        (0..3).for_each(|head| x.ask([0, 0, 0], head, 0));
        (0..2000).for_each(|_| x.step().unwrap());
        x.control(true, 0);
        (0..60).for_each(|_| vector(x, rng, [1, 1, 1]));
        assert!(x.finish_appends().unwrap().iter().all(|code| *code == 0));
        assert_eq!(x.controlled(), 2, "the release waits");
        x.take_histories(Stalls::Never);
        assert!(x.finish_reads().unwrap().iter().all(|code| *code == 0));
        x.until("released", 2000, |x| x.controlled() == 3).unwrap();
    });
}
