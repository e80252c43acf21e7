//! Both engines wired together, with nothing between them to wait in, and through join and split.

use super::{ADDRESS, vectors};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Errors, Module, module, ports};
use hw::control::{AxiLite, axi_lite};
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi, record_join, record_split};
use hw::stream::axi_stream::{AxiStream, axi_stream};
use sim::bus::{AxiLiteMaster, Bench, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::oaken_bench::{dequantizer, quantizer};

ports! {
    /// Elements in and out.
    struct ChainPorts(p: EngineParams) {
        input s_axil_quantizer: AxiLite = axi_lite(ADDRESS),
        input s_axil_dequantizer: AxiLite = axi_lite(ADDRESS),
        input s_axis: AxiStream = axi_stream(2 * p.lanes),
        output m_axis: AxiStream = axi_stream(2 * p.lanes),
    }
}

/// The engines one behind the other, with join and split between them, or without.
#[module]
fn chain(p: EngineParams, join_and_split: bool) -> Result<Design<ChainPorts>, Errors> {
    let m = Module::new("chain");
    let io = ChainPorts::new(m, p);
    let quantizer = m.instance(&quantizer_axi("quantizer", p)?);
    let dequantizer = m.instance(&dequantizer_axi("dequantizer", p)?);
    quantizer.s_axil.set(io.s_axil_quantizer);
    dequantizer.s_axil.set(io.s_axil_dequantizer);
    quantizer.s_axis.set(io.s_axis);
    if join_and_split {
        let join = m.instance(&record_join("record_join", p)?);
        let split = m.instance(&record_split("record_split", p)?);
        join.s_axis_dense.set(quantizer.m_axis_dense);
        join.s_axis_sparse.set(quantizer.m_axis_sparse);
        split.s_axis.set(join.m_axis);
        dequantizer.s_axis_dense.set(split.m_axis_dense);
        dequantizer.s_axis_sparse.set(split.m_axis_sparse);
    } else {
        dequantizer.s_axis_dense.set(quantizer.m_axis_dense);
        dequantizer.s_axis_sparse.set(quantizer.m_axis_sparse);
    }
    io.m_axis.set(dequantizer.m_axis);
    m.finish(io)
}

fn thresholds() -> Thresholds {
    Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal")
}

/// Vectors that came back of those of `n` elements; they must be right. All of them, if nothing stops.
fn come_back(
    (design, engine): (&Design<ChainPorts>, &mut dyn Engine),
    p: EngineParams,
    vectors: &[Vec<u16>],
    stalls: Stalls,
) -> usize {
    let (io, n) = (&design.ports, vectors[0].len());
    let width = DenseBits::new(p.dense_bits).expect("legal");
    let t = thresholds();
    let q = quantizer("quantizer", p).unwrap_or_else(|e| panic!("{e}"));
    let d = dequantizer("dequantizer", p).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, seed(1));
    let of_q = AxiLiteMaster::new(&mut bench, design, &io.s_axil_quantizer, Stalls::Never);
    let of_d = AxiLiteMaster::new(&mut bench, design, &io.s_axil_dequantizer, Stalls::Never);
    let elements = bench.source(design, &io.s_axis, stalls);
    let back = bench.sink(design, &io.m_axis, stalls);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    q.set_up(&mut bench, &of_q, n, &t).expect("answers");
    d.set_up(&mut bench, &of_d, n, &t).expect("answers");
    let bytes_of = |v: &[u16]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    vectors.iter().for_each(|v| bench.send(elements, packet(&bytes_of(v), 2 * p.lanes as usize)));
    let wanted = vectors.len() * n / p.lanes as usize;
    let (mut before, mut still) = (0, 0);
    while bench.beats(back).len() < wanted && still < 10 {
        bench.run(200 + (n / p.lanes as usize) as u64).unwrap_or_else(|e| panic!("{e}"));
        still = if bench.beats(back).len() == before { still + 1 } else { 0 };
        before = bench.beats(back).len();
    }
    let got = packet_bytes(bench.beats(back));
    for (i, (got, v)) in got.iter().zip(vectors).enumerate() {
        let record = encode(v, width, &t);
        let expected = decode(&record.dense, &record.sparse, n, width, &t).expect("legal");
        assert_eq!(*got, bytes_of(&expected), "vector {i} of {n} elements, {p:?}");
    }
    got.len()
}

#[test]
fn every_vector_comes_back_through_join_and_split() {
    for (lanes, dense_bits) in [(1, 4), (4, 4), (16, 4), (16, 5)] {
        let p = EngineParams { lanes, max_length: 256, dense_bits, settings: 1 };
        let design = chain(p, true).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut rng = Rng::with_seed(seed(u64::from(lanes)));
        for (n, stalls) in [(256, Stalls::Never), (64, Stalls::Never), (256, Stalls::Percent(40))] {
            let vectors = vectors(&mut rng, n, &thresholds());
            let got = come_back((&design, &mut engine), p, &vectors, stalls);
            assert_eq!(got, vectors.len(), "{p:?}, {n} elements, {stalls:?}");
        }
    }
}

/// Beats of a dense part that leave the quantizer's way to the first word of its sparse part free, while none of them is taken.
const WAITING: usize = 12;

/// The quantizer gives the dense part first, and the dequantizer wants the sparse part first. Without outliers a vector's only sparse word is
/// full with its last chunk: what waits in the quantizer until then decides.
#[test]
fn without_join_and_split_short_vectors_come_back_and_long_ones_stop() {
    for lanes in [1, 4, 16] {
        let p = EngineParams { lanes, max_length: 512, dense_bits: 4, settings: 1 };
        let design = chain(p, false).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut rng = Rng::with_seed(seed(u64::from(lanes)));
        for n in [64, 128, 192, 256, 512] {
            let fits = p.dense_beats(n as u32) as usize <= WAITING;
            let middle = vec![vec![half::f16::from_f32(0.5).to_bits(); n]; 4];
            let got = come_back((&design, &mut engine), p, &middle, Stalls::Never);
            assert_eq!(got, if fits { 4 } else { 0 }, "{p:?}, {n} elements");
            if fits {
                let vectors = vectors(&mut rng, n, &thresholds());
                let got = come_back((&design, &mut engine), p, &vectors, Stalls::Percent(40));
                assert_eq!(got, vectors.len(), "{p:?}, {n} elements, any outliers");
            }
        }
    }
}
