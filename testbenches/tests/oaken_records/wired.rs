//! Both engines wired together, with nothing between them to wait in, and through join and split.

use super::{ADDRESS, there_and_back, thresholds, vectors};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Errors, Module, module, ports};
use hw::control::{AxiLite, axi_lite};
use hw::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use hw::stream::axi_stream::{AxiStream, axi_stream};
use sim::bus::{AxiLiteMaster, Bench, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::{DenseBits, decode, encode};
use sim::oaken_bench::{dequantizer, quantizer, to_bytes};

ports! {
    /// Elements in and out.
    struct ChainPorts(p: EngineParams) {
        input s_axil_quantizer: AxiLite = axi_lite(ADDRESS),
        input s_axil_dequantizer: AxiLite = axi_lite(ADDRESS),
        input s_axis: AxiStream = axi_stream(2 * p.lanes),
        output m_axis: AxiStream = axi_stream(2 * p.lanes),
    }
}

/// The engines one behind the other.
#[module]
fn straight(p: EngineParams) -> Result<Design<ChainPorts>, Errors> {
    let m = Module::new("straight");
    let io = ChainPorts::new(m, p);
    let quantizer = m.instance(&quantizer_axi("quantizer", p)?);
    let dequantizer = m.instance(&dequantizer_axi("dequantizer", p)?);
    quantizer.s_axil.set(io.s_axil_quantizer);
    dequantizer.s_axil.set(io.s_axil_dequantizer);
    quantizer.s_axis.set(io.s_axis);
    dequantizer.s_axis_dense.set(quantizer.m_axis_dense);
    dequantizer.s_axis_sparse.set(quantizer.m_axis_sparse);
    io.m_axis.set(dequantizer.m_axis);
    m.finish(io)
}

/// The same with join and split between them.
#[module]
fn through_one_stream(p: EngineParams) -> Result<Design<ChainPorts>, Errors> {
    let m = Module::new("through_one_stream");
    let io = ChainPorts::new(m, p);
    let engines = m.instance(&there_and_back(p)?);
    engines.s_axil_quantizer.set(io.s_axil_quantizer);
    engines.s_axil_dequantizer.set(io.s_axil_dequantizer);
    engines.s_axis.set(io.s_axis);
    engines.split.set(engines.joined);
    io.m_axis.set(engines.m_axis);
    m.finish(io)
}

/// How many of some vectors come back; they must be right. All of them, if nothing stops.
fn sent_back(
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
    vectors.iter().for_each(|v| bench.send(elements, packet(&to_bytes(v), 2 * p.lanes as usize)));
    let all = vectors.len() * n / p.lanes as usize;
    let (mut before, mut still) = (0, 0);
    while bench.beats(back).len() < all && still < 10 {
        bench.run(200 + (n / p.lanes as usize) as u64).unwrap_or_else(|e| panic!("{e}"));
        still = if bench.beats(back).len() == before { still + 1 } else { 0 };
        before = bench.beats(back).len();
    }
    let got = packet_bytes(bench.beats(back));
    for (i, (got, v)) in got.iter().zip(vectors).enumerate() {
        let record = encode(v, width, &t);
        let expected = decode(&record.dense, &record.sparse, n, width, &t).expect("legal");
        assert_eq!(*got, to_bytes(&expected), "vector {i} of {n} elements, {p:?}");
    }
    got.len()
}

#[test]
fn every_vector_comes_back_through_join_and_split() {
    for (lanes, dense_bits) in [(1, 4), (4, 4), (16, 4), (16, 5)] {
        let p = EngineParams { lanes, max_length: 256, dense_bits, settings: 1 };
        let design = through_one_stream(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut rng = Rng::with_seed(seed(u64::from(lanes)));
        for (n, stalls) in [(256, Stalls::Never), (64, Stalls::Never), (256, Stalls::Percent(40))] {
            let vectors = vectors(&mut rng, n, &thresholds());
            let got = sent_back((&design, &mut engine), p, &vectors, stalls);
            assert_eq!(got, vectors.len(), "{p:?}, {n} elements, {stalls:?}");
        }
    }
}

/// With so many beats of a dense part waiting in the quantizer, the first word of the sparse part still leaves.
const WAITING: usize = 12;

/// The quantizer gives the dense part first, and the dequantizer wants the sparse part first. Without outliers a vector's only sparse word is
/// full with its last chunk: what waits in the quantizer until then decides.
#[test]
fn without_join_and_split_short_vectors_come_back_and_long_ones_stop() {
    for lanes in [1, 4, 16] {
        let p = EngineParams { lanes, max_length: 832, dense_bits: 4, settings: 1 };
        let design = straight(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut rng = Rng::with_seed(seed(u64::from(lanes)));
        for n in [64, 128, 192, 256, 512, 832] {
            let fits = p.dense_beats(n as u32) as usize <= WAITING;
            let middle = vec![vec![half::f16::from_f32(0.5).to_bits(); n]; 4];
            let got = sent_back((&design, &mut engine), p, &middle, Stalls::Never);
            assert_eq!(got, if fits { 4 } else { 0 }, "{p:?}, {n} elements");
            if fits {
                let vectors = vectors(&mut rng, n, &thresholds());
                let got = sent_back((&design, &mut engine), p, &vectors, Stalls::Percent(40));
                assert_eq!(got, vectors.len(), "{p:?}, {n} elements, any outliers");
            }
        }
    }
}
