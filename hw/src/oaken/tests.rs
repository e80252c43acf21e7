//! The engines against the golden model, on the built-in simulator.

mod circles;
mod left;
mod paths;
mod registers;
mod widths;

use super::types::{EngineParams, Thresholds};
use super::{DequantizerPorts, QuantizerPorts, dequantizer, quantizer};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{Design, Errors};
use sim::bus::{Beat, Bench, Stalls, packet, packet_bytes, span};
use sim::golden::oaken::{self, DenseBits, Record};

/// How the ports are stalled.
#[derive(Clone, Copy)]
struct Pauses {
    input: Stalls,
    dense: Stalls,
    sparse: Stalls,
}

const NEVER: Pauses = Pauses { input: Stalls::Never, dense: Stalls::Never, sparse: Stalls::Never };
const OFTEN: Pauses = Pauses { input: Stalls::Percent(30), dense: Stalls::Percent(40), sparse: Stalls::Runs(9) };

/// Values with a few bits each, the first lowest, as beats with a last.
pub(super) fn beats(values: &[u64], width: u32, lanes: usize) -> Vec<Beat> {
    let count = values.len() / lanes;
    let beat = |(i, chunk): (usize, &[u64])| {
        let data = chunk.iter().rev().fold(hdl::BigUint::default(), |sum, v| (sum << width) | hdl::BigUint::from(*v));
        Beat(vec![data, u32::from(i + 1 == count).into()])
    };
    values.chunks(lanes).enumerate().map(beat).collect()
}

/// The width of the golden model.
pub(super) fn width(p: EngineParams) -> DenseBits {
    DenseBits::new(p.dense_bits).expect("legal")
}

/// A dense part as beats of its bus.
pub(super) fn dense_packet(p: EngineParams, dense: &[u8]) -> Vec<Beat> {
    let mut beats = packet(dense, p.dense_bytes() as usize);
    if !p.dense_ends_within() {
        beats.iter_mut().for_each(|beat| drop(beat.0.remove(1)));
    }
    beats
}

/// Bytes that are not kept are 0; the beats have a `keep`.
fn check_rest_is_zero(beats: &[Beat]) {
    for beat in beats {
        let byte = |i: u64| (&beat.0[0] >> (8 * i)) & hdl::BigUint::from(0xffu32);
        let bytes = beat.0[0].bits().div_ceil(8);
        let dropped = (0..bytes).find(|i| !beat.0[1].bit(*i) && byte(*i) != hdl::BigUint::default());
        assert_eq!(dropped, None, "a byte that is not kept and not 0 in {beat:?}");
    }
}

/// The dense parts that beats of their bus bring.
fn dense_parts(p: EngineParams, beats: &[Beat]) -> Vec<Vec<u8>> {
    let mut beats = beats.to_vec();
    if !p.dense_ends_within() {
        let all = (hdl::BigUint::from(1u32) << p.dense_bytes()) - 1u32;
        beats.iter_mut().for_each(|beat| beat.0.insert(1, all.clone()));
    }
    check_rest_is_zero(&beats);
    packet_bytes(&beats)
}

pub(super) fn set_thresholds<P>(engine: &mut dyn Engine, design: &Design<P>, ports: Thresholds, t: &oaken::Thresholds) {
    let [s_low, t_low, t_high, s_high] = t.bits();
    for (port, value) in [(ports.s_low, s_low), (ports.t_low, t_low), (ports.t_high, t_high), (ports.s_high, s_high)] {
        engine.poke(design.port_index(port).expect("a port"), u64::from(value & 0x7fff));
    }
}

/// What a run gave.
struct Run {
    records: Vec<(Vec<u8>, Vec<u8>)>,
    /// Cycles without a beat between the first and the last input beat.
    bubbles: u64,
}

/// An engine that is run again and again, as it is behind power-up: to build and compile it takes longer than most runs.
struct Built<P> {
    p: EngineParams,
    design: Design<P>,
    simulator: Simulator,
}

impl Built<QuantizerPorts> {
    fn quantizer(p: EngineParams) -> Self {
        Built::new(p, quantizer(p))
    }
}

impl Built<DequantizerPorts> {
    fn dequantizer(p: EngineParams) -> Self {
        Built::new(p, dequantizer(p))
    }
}

impl<P> Built<P> {
    fn new(p: EngineParams, design: Result<Design<P>, Errors>) -> Built<P> {
        let design = design.unwrap_or_else(|e| panic!("{e}"));
        let simulator = jit::simulator(&design);
        Built { p, design, simulator }
    }
}

fn run(built: &Built<QuantizerPorts>, t: &oaken::Thresholds, vectors: &[Vec<u16>], pauses: Pauses, seed: u64) -> Run {
    let Built { p, ref design, .. } = *built;
    let mut engine = built.simulator.clone();
    let length = vectors[0].len();
    let mut bench = Bench::new(&mut engine, sim::bus::seed(seed));
    let s = bench.source(design, &design.ports.s, pauses.input);
    let dense_sink = bench.sink(design, &design.ports.dense, pauses.dense);
    let sparse_sink = bench.sink(design, &design.ports.sparse, pauses.sparse);
    set_thresholds(bench.engine, design, design.ports.setting.thresholds, t);
    let chunks_minus_1 = design.port_index(design.ports.setting.chunks_minus_1).expect("a port");
    bench.engine.poke(chunks_minus_1, length as u64 / 64 - 1);
    bench.engine.poke(design.port_index(design.ports.enable).expect("a port"), 1);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    for v in vectors {
        let values: Vec<u64> = v.iter().map(|x| u64::from(*x)).collect();
        bench.send(s, beats(&values, 16, p.lanes as usize));
    }
    let dense_beats = vectors.len() * p.dense_beats(length as u32) as usize;
    let limit = 200 + 40 * (vectors.len() * length / p.lanes as usize) as u64;
    bench.run_until_received(dense_sink, dense_beats, limit).unwrap_or_else(|e| panic!("{e}"));
    bench.run(200).unwrap_or_else(|e| panic!("{e}"));
    let records = dense_parts(p, bench.beats(dense_sink));
    check_rest_is_zero(bench.beats(sparse_sink));
    let sparse = packet_bytes(bench.beats(sparse_sink));
    let taken = bench.sent_at(s);
    let bubbles = span(taken) - taken.len() as u64;
    assert_eq!((records.len(), sparse.len()), (vectors.len(), vectors.len()), "vectors out");
    Run { records: records.into_iter().zip(sparse).collect(), bubbles }
}

fn compare(p: EngineParams, got: &[(Vec<u8>, Vec<u8>)], vectors: &[Vec<u16>], t: &oaken::Thresholds) {
    for (i, (got, v)) in got.iter().zip(vectors).enumerate() {
        let want: Record = oaken::encode(v, width(p), t);
        assert_eq!(got.1[..8], want.sparse[..8], "header of vector {i}, {p:?}");
        assert_eq!(got.1, want.sparse, "sparse part of vector {i}, {p:?}");
        assert_eq!(got.0, want.dense, "dense part of vector {i}, {p:?}");
    }
}

/// Values around the thresholds, with everything special now and then.
fn random_vector(rng: &mut Rng, length: usize) -> Vec<u16> {
    let kind = rng.u32(0..8);
    (0..length)
        .map(|_| match kind {
            0 => rng.u16(..),
            1 => [0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x03ff][rng.usize(0..8)],
            2 => rng.u16(0..64) | (rng.u16(0..2) << 15),
            3 => 0x3c00,
            _ => {
                let x = (rng.f32() + rng.f32() + rng.f32() - 1.5) * [0.1, 1.0, 4.0][rng.usize(0..3)];
                half::f16::from_f32(x).to_bits()
            }
        })
        .collect()
}

/// Parameters with the width of the paper.
pub(super) fn params(lanes: u32, max_length: u32) -> EngineParams {
    EngineParams { lanes, max_length, dense_bits: 4, settings: 1 }
}

/// Every number of lanes with every width other than the paper's.
pub(super) fn other_widths(max_length: u32) -> impl Iterator<Item = EngineParams> {
    let all = [1, 2, 4, 8, 16, 32, 64].into_iter().flat_map(|lanes| [3, 5, 6].map(|dense_bits| (lanes, dense_bits)));
    all.map(move |(lanes, dense_bits)| EngineParams { lanes, max_length, dense_bits, settings: 1 })
}

#[test]
fn records_equal_the_golden_model() {
    for (lanes, length) in [(16, 192), (16, 64), (1, 64), (2, 128), (4, 128), (8, 192), (32, 128), (64, 64), (64, 256)]
    {
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) * 1000 + length as u64));
        let t = oaken::Thresholds::from_f32(-1.2, -0.05, 0.06, 1.1).expect("legal");
        let vectors: Vec<Vec<u16>> = (0..24).map(|_| random_vector(&mut rng, length)).collect();
        let built = Built::quantizer(params(lanes, 256));
        for pauses in [NEVER, OFTEN] {
            let run = run(&built, &t, &vectors, pauses, 7);
            compare(built.p, &run.records, &vectors, &t);
        }
    }
}

/// A vector with exactly `outliers` outer elements in every chunk, at random places.
pub(super) fn with_outliers(rng: &mut Rng, length: usize, outliers: usize) -> Vec<u16> {
    let mut v: Vec<u16> = (0..length).map(|_| half::f16::from_f32(0.3 + 0.5 * rng.f32()).to_bits()).collect();
    for chunk in v.chunks_mut(64) {
        let mut places: Vec<usize> = (0..64).collect();
        rng.shuffle(&mut places);
        // now and then all of them side by side
        let start = rng.usize(0..=64 - outliers);
        let together = rng.bool();
        for i in 0..outliers {
            chunk[if together { start + i } else { places[i] }] = half::f16::from_f32(2.0 + rng.f32()).to_bits();
        }
    }
    v
}

#[test]
fn no_bubble_up_to_an_eighth_of_outliers() {
    let t = oaken::Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    for lanes in [1, 2, 4, 8, 16, 32, 64] {
        let built = Built::quantizer(params(lanes, 512));
        for length in [64, 128, 512] {
            for outliers in [0, 1, 4, 8] {
                let mut rng = Rng::with_seed(sim::bus::seed(9));
                // more than may be under way
                let number = if lanes > 16 { 200 } else { 60 };
                let vectors: Vec<Vec<u16>> = (0..number).map(|_| with_outliers(&mut rng, length, outliers)).collect();
                let run = run(&built, &t, &vectors, NEVER, 1);
                compare(built.p, &run.records, &vectors, &t);
                assert_eq!(run.bubbles, 0, "{lanes} lanes, {length} elements, {outliers} outliers a chunk");
            }
        }
    }
}

/// Vectors out of the dequantizer, and the bubbles between its first and last beat.
fn run_back(
    built: &Built<DequantizerPorts>,
    t: &oaken::Thresholds,
    records: &[Record],
    n: usize,
    pauses: Pauses,
) -> (Vec<Vec<u16>>, u64) {
    let Built { p, ref design, .. } = *built;
    let mut engine = built.simulator.clone();
    let mut bench = Bench::new(&mut engine, sim::bus::seed(3));
    let dense = bench.source(design, &design.ports.dense, pauses.dense);
    let sparse = bench.source(design, &design.ports.sparse, pauses.sparse);
    let m = bench.sink(design, &design.ports.m, pauses.input);
    set_thresholds(bench.engine, design, design.ports.thresholds, t);
    bench.engine.poke(design.port_index(design.ports.length.expect("one setting")).expect("a port"), n as u64);
    bench.engine.poke(design.port_index(design.ports.enable).expect("a port"), 1);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    for r in records {
        bench.send(dense, dense_packet(p, &r.dense));
        bench.send(sparse, packet(&r.sparse, p.sparse_bytes() as usize));
    }
    let expected = records.len() * n / p.lanes as usize;
    bench.run_until_received(m, expected, 200 + 40 * expected as u64).unwrap_or_else(|e| panic!("{e}"));
    let mut vectors = vec![];
    let mut elements: Vec<u16> = vec![];
    for beat in bench.beats(m) {
        let mut bytes = beat.0[0].to_bytes_le();
        bytes.resize(2 * p.lanes as usize, 0);
        elements.extend(bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])));
        if beat.field(1) == 1 {
            vectors.push(std::mem::take(&mut elements));
        }
    }
    (vectors, bench.bubbles(m))
}

#[test]
fn values_equal_the_golden_model() {
    for (lanes, length) in [(16, 192), (16, 64), (1, 64), (2, 128), (4, 128), (8, 192), (32, 128), (64, 64), (64, 256)]
    {
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) * 77 + length as u64));
        let t = oaken::Thresholds::from_f32(-1.2, -0.05, 0.06, 1.1).expect("legal");
        let records: Vec<Record> =
            (0..24).map(|_| oaken::encode(&random_vector(&mut rng, length), DenseBits::PAPER, &t)).collect();
        let built = Built::dequantizer(params(lanes, 256));
        for pauses in [NEVER, OFTEN] {
            let (vectors, _) = run_back(&built, &t, &records, length, pauses);
            assert_eq!(vectors.len(), records.len());
            for (i, (got, r)) in vectors.iter().zip(&records).enumerate() {
                let want = oaken::decode(&r.dense, &r.sparse, length, DenseBits::PAPER, &t).expect("legal");
                assert_eq!(*got, want, "vector {i}, {lanes} lanes, {length} elements");
            }
        }
    }
}

#[test]
fn no_bubble_on_the_way_back() {
    let t = oaken::Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    for lanes in [1, 2, 4, 8, 16, 32, 64] {
        let built = Built::dequantizer(params(lanes, 512));
        for length in [64, 128, 448, 512] {
            for outliers in [0, 1, 4, 8] {
                let mut rng = Rng::with_seed(sim::bus::seed(9));
                let records: Vec<Record> = (0..40)
                    .map(|_| oaken::encode(&with_outliers(&mut rng, length, outliers), DenseBits::PAPER, &t))
                    .collect();
                let (_, bubbles) = run_back(&built, &t, &records, length, NEVER);
                assert_eq!(bubbles, 0, "{lanes} lanes, {length} elements, {outliers} outliers a chunk");
            }
        }
    }
}
