use super::params::MmuParams;
use super::unit::{UnitPorts, unit};
use crate::memory::axi::AxiParams;
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::mmu_bench::{Group, MmuBench, MmuStalls, MmuStreams, Shape};
use fastrand::Rng;
use hdl::bus::{Stalls, StreamPorts, run_seed};
use hdl::sim::Simulator;
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
        commands: [of(design, &io.append), of(design, &io.control), of(design, &io.read)],
        vectors: [of(design, &io.slice), of(design, &io.s_axis)],
        answers: [of(design, &io.appended), of(design, &io.controlled), of(design, &io.done)],
        histories: [of(design, &io.history), of(design, &io.m_axis_sparse), of(design, &io.m_axis_dense)],
    }
}

/// Builds an MMU with a memory, resets it and runs the test.
fn run(p: MmuParams, model: MemoryModel, stalls: MmuStalls, seed: u64, test: impl FnOnce(&mut MmuBench, &mut Rng)) {
    let design = unit("mmu", p).unwrap();
    let seed = run_seed(seed);
    let mut engine = Simulator::new(&design);
    engine.poke_base(&design);
    let mut x = MmuBench::new(&mut engine, (&design, streams(&design), &design.ports.m_axi), shape(p), (model, stalls, seed));
    x.bench.reset().unwrap();
    test(&mut x, &mut Rng::with_seed(seed));
}

/// The pages lie from this one on.
const BASE: u64 = 0x4001;

trait Base {
    fn poke_base(&mut self, design: &Design<UnitPorts>);
}
impl Base for Simulator {
    fn poke_base(&mut self, design: &Design<UnitPorts>) {
        let ports = design.ports;
        self.poke(ports.base, BASE);
        self.poke(ports.enough, 0);
    }
}

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
    for width in [4, 8, 16, 64] {
        let p = params(width);
        run(p, slow(), some(), u64::from(width), |x, rng| {
            for request in [0, 2] {
                assert_eq!(x.finish_control(false, request), Ok(0));
            }
            let all: Vec<Group> = [0, 2].into_iter().flat_map(|request| groups(p, request)).collect();
            for _ in 0..40 {
                for group in &all {
                    let slices = x.shape.random_slices(rng, *group, 7);
                    x.append(*group, slices, false);
                }
            }
            assert!(x.finish_appends().unwrap().iter().all(|code| *code == 0));
            for group in &all {
                for head in 0..3 {
                    x.ask(*group, head, 0);
                    x.ask(*group, head, rng.u64(1..50));
                }
            }
            assert!(x.finish_reads().unwrap().iter().all(|code| *code == 0));
        });
    }
}
