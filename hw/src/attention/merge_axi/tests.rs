use super::*;
use crate::attention::merge::{latency, result_latency};
use ::sim::axi_unit::{AxiUnit, UnitPorts};
use ::sim::bus::axi4_memory::MemoryModel;
use ::sim::golden::attention::merge_axi::{MergeAxiJob, MergeAxiUnit};
use ::sim::merge_axi_bench::MergeAxiBench;
use ::sim::merge_bench::random_parts;
use fastrand::Rng;
use hdl::bus::{Stalls, run_seed};
use hdl::engine::Engine;

const SMALL: MergeAxiParams = MergeAxiParams { parts: 4, numbers: 32, address_bits: 32 };

fn register(name: &str) -> u64 {
    registers("merge", SMALL).offset(name)
}

fn bench<'e>(
    sim: &'e mut dyn Engine,
    design: &Design<MergeAxiPorts>,
    p: MergeAxiParams,
    memory: (MemoryModel, u64),
) -> MergeAxiBench<'e> {
    let io = &design.ports;
    let (reads, writes) = (&[io.m_axi_read], &[io.m_axi_write]);
    let ports = UnitPorts { axil: &io.s_axil, reads, writes, address_bits: p.address_bits };
    let unit = MergeAxiUnit { parts: p.parts as usize, numbers: p.numbers as usize, address_bits: p.address_bits };
    MergeAxiBench::new(AxiUnit::new(sim, design, ports, memory), unit, register)
}

#[test]
fn random_jobs() {
    let shapes = [
        SMALL,
        MergeAxiParams { parts: 8, numbers: 512, address_bits: 40 },
        MergeAxiParams { parts: 3, numbers: 64, address_bits: 64 },
        MergeAxiParams { address_bits: 22, ..SMALL },
    ];
    for (number, p) in shapes.into_iter().enumerate() {
        let design = merge_axi("merge", p).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        for round in 0..3 {
            let seed = run_seed(10 * number as u64 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(20)][round as usize];
            let latency = rng.u64(1..60);
            let model = MemoryModel { latency, taking: stalls, giving: stalls, ..MemoryModel::default() };
            let mut bench = bench(&mut sim, &design, p, (model, seed));
            bench.random_jobs(&mut rng, 80).unwrap_or_else(|e| panic!("{p:?}, seed {seed}: {e}"));
        }
    }
}

#[test]
fn a_reset_ends_a_job_and_the_next_one_is_right() {
    let design = merge_axi("merge", SMALL).unwrap();
    let mut sim = jit::simulator(&design);
    for cycles in 0..200 {
        let mut rng = Rng::with_seed(run_seed(cycles));
        let mut bench = bench(&mut sim, &design, SMALL, (MemoryModel::default(), cycles));
        bench.random_jobs(&mut rng, 1).unwrap_or_else(|e| panic!("behind {cycles} cycles: {e}"));
        let parts = random_parts(&mut rng, 4, 32);
        bench.place(0x1000, &parts);
        bench.start(&MergeAxiJob { parts: 4, partial: 0x1000, result: 0x9000 }).unwrap();
        bench.axi.steps(cycles).unwrap();
    }
}

#[test]
fn a_job_takes_as_long_as_its_words_and_the_weights() {
    const LATENCY: u64 = 40;
    for p in [SMALL, MergeAxiParams { parts: 8, numbers: 64, address_bits: 32 }] {
        let design = merge_axi("merge", p).unwrap();
        let mut sim = jit::simulator(&design);
        let mut bench = bench(&mut sim, &design, p, (MemoryModel { latency: LATENCY, ..MemoryModel::default() }, 1));
        let mut rng = Rng::with_seed(run_seed(1));
        for parts in 1..=p.parts {
            let partial = random_parts(&mut rng, parts as usize, p.numbers as usize);
            bench.place(0x1000, &partial);
            let cycles = bench.run(&MergeAxiJob { parts: parts as usize, partial: 0x1000, result: 0x9000 }).unwrap();
            let words = p.merge().words();
            let unit = latency(p.merge()) + 2 * parts + result_latency() + words * (parts + 1);
            let besides = cycles - u64::from(unit) - 2 * LATENCY;
            println!("{} numbers, {parts} parts: {cycles} cycles, {besides} besides", p.numbers);
            assert!(besides <= u64::from(OVERHEAD), "{besides} cycles besides");
            if p.numbers == 64 {
                assert_eq!(cycles, u64::from(193 + 20 * parts), "{parts} parts");
            }
        }
    }
}

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (MergeAxiParams { parts: 9, ..SMALL }, "parts = 9"),
        (MergeAxiParams { numbers: 16, ..SMALL }, "a vector of 4 words"),
        (MergeAxiParams { address_bits: 21, ..SMALL }, "address_bits = 21"),
    ];
    for (p, text) in cases {
        let message = merge_axi("merge", p).unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    }
}
