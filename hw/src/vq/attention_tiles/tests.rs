use super::super::attention_head;
use super::*;
use crate::attention::merge_axi;
use ::sim::axi_unit::{AxiUnit, UnitPorts};
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::golden::attention::merge_axi::MergeAxiUnit;
use ::sim::golden::vq::Algorithm;
use ::sim::golden::vq::attention_head::HeadUnit;
use ::sim::golden::vq::tables::TableUnit;
use ::sim::vq_benches::head::HeadMemory;
use ::sim::vq_benches::table::real_head;
use ::sim::vq_benches::tiles::{TilesBench, TilesUnit};
use fastrand::Rng;
use hdl::bus::{Stalls, run_seed};
use hdl::engine::Engine;

const SMALL: HeadParams =
    HeadParams { entries: 16, vector: 2, positions: 16, tokens: 32, address_bits: 32, partial: false };

fn unit(p: TilesParams) -> TilesUnit {
    let HeadParams { entries, vector, positions, tokens, address_bits, .. } = p.head;
    let [entries, vector, positions, max_tokens] = [entries, vector, positions, tokens].map(|x| x as usize);
    let table = TableUnit { entries, vector, positions, residuals: 1, queries: 1, max_tokens };
    TilesUnit {
        head: HeadUnit { table, copies: p.head.copies() as usize, address_bits, partial: true },
        merge: MergeAxiUnit { parts: p.tiles as usize, numbers: table.query_numbers(), address_bits },
        window: WINDOW.into(),
        head_register: |name| attention_head::registers("head", SMALL).offset(name),
        merge_register: |name| {
            let p = MergeAxiParams { parts: 2, numbers: 32, address_bits: 32 };
            merge_axi::registers("merge", p).offset(name)
        },
    }
}

fn bench<'e>(
    sim: &'e mut dyn Engine,
    design: &Design<AttentionTilesPorts>,
    p: TilesParams,
    memory: (MemoryModel, u64),
) -> TilesBench<'e> {
    let io = &design.ports;
    let (reads, writes) =
        (io.m_axi_read.into_iter().collect::<Vec<_>>(), io.m_axi_write.into_iter().collect::<Vec<_>>());
    let ports = UnitPorts { axil: &io.s_axil, reads: &reads, writes: &writes, address_bits: p.head.address_bits };
    TilesBench::new(AxiUnit::new(sim, design, ports, memory), unit(p))
}

#[test]
fn random_jobs() {
    let shapes = [
        TilesParams { head: SMALL, tiles: 2 },
        TilesParams { head: HeadParams { vector: 4, positions: 8, tokens: 8, address_bits: 40, ..SMALL }, tiles: 3 },
    ];
    for (number, p) in shapes.into_iter().enumerate() {
        let design = attention_tiles("tiles", p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(20)][round as usize];
            let latency = rng.u64(1..60);
            let model = MemoryModel { latency, taking: stalls, giving: stalls, ..MemoryModel::default() };
            let mut bench = bench(&mut sim, &design, p, (model, seed));
            bench.random_jobs(&mut rng, 15).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

/// Two heads of a real model take as long as one with half of the tokens, whatever the other does, and the merging a little more.
#[test]
fn heads_work_at_the_same_time() {
    const TOKENS: usize = 512;
    let head = HeadParams { entries: 256, positions: 32, tokens: 512, ..SMALL };
    let p = TilesParams { head, tiles: 2 };
    let design = attention_tiles("tiles", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, p, (MemoryModel { latency: 40, ..MemoryModel::default() }, 1));
    let mut memory = HeadMemory::of_file(&real_head(Algorithm::Cq4, TOKENS), &mut bench.axi_mut().memory.bytes);
    memory.job.tokens = TOKENS;
    let mut rng = Rng::with_seed(run_seed(1));
    let query = (0..64).map(|_| half::f16::from_f32((rng.f32() - 0.5) / 4.0).to_bits());
    memory.new_query(&mut bench.axi_mut().memory.bytes, query);
    let times = bench.run(&memory.job, &[TOKENS / 2; 2]).unwrap();
    println!("heads {:?} cycles, merging {}", times.heads, times.merging);
    assert_eq!(times.heads, [10_941; 2], "as of a head alone");
    assert!(times.attending < 10_941 + 300, "{} cycles from the first start to the last end", times.attending);
    assert_eq!(times.merging, 231, "cycles of merging");
}

/// Registers of each window are where they should be, and nowhere else.
#[test]
fn windows_hold_their_registers_once() {
    let p = TilesParams { head: SMALL, tiles: 2 };
    let design = attention_tiles("tiles", p).unwrap();
    let mut sim = jit::simulator(&design);
    let mut bench = bench(&mut sim, &design, p, (MemoryModel::default(), 1));
    let axi = bench.axi_mut();
    let [head, merge] = [*b"VQAH", *b"ATMG"].map(|id| u64::from(u32::from_be_bytes(id)));
    for (window, id) in [(0, head), (1, head), (2, merge)] {
        axi.base = window * u64::from(WINDOW);
        assert_eq!(axi.read(0), Ok(id));
        let edge: &[(u64, &str)] = if window == 2 { &[(0x3c, "Slave"), (0x40, "Decode")] } else { &[(0x7c, "Slave")] };
        for (register, answer) in edge.iter().copied().chain([(0x80, "Decode"), (0xc0, "Decode")]) {
            let message = axi.read(register).unwrap_err();
            assert!(message.contains(answer), "{register:#x} of window {window}: {message}");
        }
    }
    axi.base = 0;
    let message = axi.read(3 * u64::from(WINDOW)).unwrap_err();
    assert!(message.contains("Decode"), "{message}");
}

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (TilesParams { head: SMALL, tiles: 1 }, "tiles = 1"),
        (TilesParams { head: SMALL, tiles: 9 }, "tiles = 9"),
        (TilesParams { head: HeadParams { positions: 8, ..SMALL }, tiles: 2 }, "a vector of 4 words"),
        (TilesParams { head: HeadParams { tokens: 9, ..SMALL }, tiles: 2 }, "tokens = 9"),
    ];
    for (p, text) in cases {
        let message = attention_tiles("tiles", p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
