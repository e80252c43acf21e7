//! Records through a single stream: quantizer, join, split and dequantizer one behind the other give every vector back, whatever
//! its outliers, and never hang; and what is on the stream is sparse part, dense part, sparse part, ...

mod movers;
mod wired;

use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Errors, Module, module, ports};
use hw::control::{AxiLite, axi_lite};
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi, record_join, record_split};
use hw::stream::axi_stream::{AxiStream, axi_stream};
use sim::bus::{AxiLiteMaster, Bench, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::{DenseBits, Record, Thresholds, decode, encode};
use sim::oaken_bench::{Device, dequantizer, quantizer, to_bytes};
use testbenches::drivers::random_vector;

/// Cycles from the beginning of a record's sparse part until the dequantizer takes its dense part.
const TURN: usize = 40;

/// Bits of an address of the engines' registers.
const ADDRESS: u32 = 6;

ports! {
    /// Both engines and the stream between them.
    struct LoopPorts(p: EngineParams) {
        input s_axil_quantizer: AxiLite = axi_lite(ADDRESS),
        input s_axil_dequantizer: AxiLite = axi_lite(ADDRESS),
        input s_axis: AxiStream = axi_stream(2 * p.lanes),
        output m_axis: AxiStream = axi_stream(2 * p.lanes),
        // between join and split, which are not connected here
        output joined: AxiStream = axi_stream(p.sparse_bytes()),
        input split: AxiStream = axi_stream(p.sparse_bytes()),
    }
}

#[module]
fn there_and_back(p: EngineParams) -> Result<Design<LoopPorts>, Errors> {
    let m = Module::new("there_and_back");
    let io = LoopPorts::new(m, p);
    let quantizer = m.instance(&quantizer_axi("quantizer", p)?);
    let join = m.instance(&record_join("record_join", p)?);
    let split = m.instance(&record_split("record_split", p)?);
    let dequantizer = m.instance(&dequantizer_axi("dequantizer", p)?);
    quantizer.s_axil.set(io.s_axil_quantizer);
    dequantizer.s_axil.set(io.s_axil_dequantizer);
    quantizer.s_axis.set(io.s_axis);
    join.s_axis_dense.set(quantizer.m_axis_dense);
    join.s_axis_sparse.set(quantizer.m_axis_sparse);
    io.joined.set(join.m_axis);
    split.s_axis.set(io.split);
    dequantizer.s_axis_dense.set(split.m_axis_dense);
    dequantizer.s_axis_sparse.set(split.m_axis_sparse);
    io.m_axis.set(dequantizer.m_axis);
    m.finish(io)
}

/// Those of all these vectors.
fn thresholds() -> Thresholds {
    Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal")
}

/// Only outliers, none, and everything between.
fn vectors(rng: &mut Rng, n: usize, t: &Thresholds) -> Vec<Vec<u16>> {
    let of = |value: f32| vec![half::f16::from_f32(value).to_bits(); n];
    let fixed = [of(2.0), of(2.0), of(0.5), of(0.5), of(2.0), of(0.5)];
    fixed.into_iter().chain((0..14).map(|_| random_vector(rng, n, t))).collect()
}

#[test]
fn every_vector_comes_back_through_one_stream() {
    for (lanes, dense_bits) in [(1, 4), (4, 4), (4, 5), (16, 4), (16, 6), (32, 4), (64, 4), (64, 3)] {
        let p = EngineParams { lanes, max_length: 256, dense_bits, settings: 1 };
        let design = there_and_back(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let q = quantizer("quantizer", p).unwrap_or_else(|e| panic!("{e}"));
        let d = dequantizer("dequantizer", p).unwrap_or_else(|e| panic!("{e}"));
        for (round, n) in [256, 64, 256].into_iter().enumerate() {
            let stalls = if round == 2 { Stalls::Percent(40) } else { Stalls::Never };
            every_one_comes_back(&design, &mut engine, (&q, &d), n, stalls, seed(u64::from(lanes) + round as u64));
        }
    }
}

/// Through memory: all records go out before any of them goes in again. A vector costs [`TURN`] cycles more than its elements, or its record.
fn every_one_comes_back<Q, D>(
    design: &Design<LoopPorts>,
    engine: &mut dyn Engine,
    (q, d): (&Device<Q>, &Device<D>),
    n: usize,
    stalls: Stalls,
    seed: u64,
) {
    let (p, io) = (q.params, &design.ports);
    let width = DenseBits::new(p.dense_bits).expect("legal");
    let t = thresholds();
    let mut bench = Bench::new(engine, seed);
    let of_q = AxiLiteMaster::new(&mut bench, design, &io.s_axil_quantizer, Stalls::Never);
    let of_d = AxiLiteMaster::new(&mut bench, design, &io.s_axil_dequantizer, Stalls::Never);
    let elements = bench.source(design, &io.s_axis, stalls);
    let joined = bench.sink(design, &io.joined, stalls);
    let split = bench.source(design, &io.split, stalls);
    let back = bench.sink(design, &io.m_axis, stalls);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    q.set_up(&mut bench, &of_q, n, &t).expect("answers");
    d.set_up(&mut bench, &of_d, n, &t).expect("answers");
    let mut rng = Rng::with_seed(seed);
    let vectors = vectors(&mut rng, n, &t);
    let records: Vec<_> = vectors.iter().map(|v| encode(v, width, &t)).collect();
    vectors.iter().for_each(|v| bench.send(elements, packet(&to_bytes(v), 2 * p.lanes as usize)));
    let limit = 40 * (n * vectors.len()) as u64 + 500;
    let parts: Vec<Vec<u8>> = records.iter().flat_map(|r| [r.sparse.clone(), r.dense.clone()]).collect();
    let beats = parts.iter().map(|part| part.len().div_ceil(p.sparse_bytes() as usize)).sum();
    bench.run_until_received(joined, beats, limit).unwrap_or_else(|e| panic!("{p:?}, {n} elements: {e}"));
    assert_eq!(packet_bytes(bench.beats(joined)), parts, "{p:?}, {n} elements");
    let read_back = bench.beats(joined).to_vec();
    bench.send(split, read_back);
    bench
        .run_until_received(back, vectors.len() * n / p.lanes as usize, limit)
        .unwrap_or_else(|e| panic!("{p:?}, {n} elements: {e}"));
    if stalls == Stalls::Never {
        let beats = |record: &Record| {
            [&record.sparse, &record.dense].map(|part| part.len().div_ceil(p.sparse_bytes() as usize))
        };
        let least = |record: &Record| (n / p.lanes as usize).max(beats(record).iter().sum()) + TURN;
        let most: usize = records[1..].iter().map(least).sum();
        let ends: Vec<u64> = bench
            .received_at(back)
            .iter()
            .skip(n / p.lanes as usize - 1)
            .step_by(n / p.lanes as usize)
            .copied()
            .collect();
        let cycles = ends[ends.len() - 1] - ends[0];
        assert!(
            cycles <= most as u64,
            "{p:?}, {n} elements: {cycles} cycles for {} vectors, {most} at most",
            ends.len() - 1
        );
    }
    for (i, (got, record)) in packet_bytes(bench.beats(back)).iter().zip(&records).enumerate() {
        let expected = decode(&record.dense, &record.sparse, n, width, &t).expect("legal");
        assert_eq!(*got, to_bytes(&expected), "vector {i} of {n} elements, {p:?}");
    }
}
