//! The rate of both engines with AXI edges, vector after vector, for every number of lanes: vectors take, one with another, no more than
//! 1.01 times the cycles of their elements, or of their sparse parts where those have more beats, however the outliers are spread. Real
//! data too, with 1, 4, 16 and 64 lanes.
//!
//! Measured is from the end of the first vector to that of the last one. A part of a record begins with a beat of its own, so the beats of
//! a sparse part are counted in whole ones.

use fastrand::Rng;
use hdl::engine::Engine;
use hw::oaken::{DequantizerAxiPorts, EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Bench, Sink, Stalls, long, packet, packet_bytes, seed};
use sim::data::Recording;
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, dequantizer, quantizer, to_bytes};
use sim::profile::{Method, Profile, Widths};
use std::path::Path;

/// How outliers are spread over a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spread {
    None,
    All,
    /// So many of a hundred elements, anywhere.
    Percent(usize),
    /// Every fourth chunk is full.
    FourthChunks,
    /// The first beat of every chunk is full.
    ChunkStarts,
    /// The first beat of every fourth chunk is full.
    FourthChunkStarts,
    /// Every other beat is full.
    EveryOtherBeat,
    /// A tenth of the elements, all at the beginning.
    Beginning,
    /// A tenth of the elements, all at the end.
    End,
    FirstHalf,
    SecondHalf,
    /// Full from the beginning on, until the sparse part has as many beats as the vector.
    AsManyBeats,
    /// Any number in each chunk, anywhere in it.
    Random,
    /// Full for a while, then empty for a while.
    Bursts,
    /// Full and empty vectors by turns.
    FullAndEmpty,
    /// Vectors whose second half is full and such whose first half is, by turns.
    HalvesMeet,
    /// All but one element of each beat, which is never the same.
    AllButOne,
}

const SPREADS: [Spread; 18] = [
    Spread::None,
    Spread::All,
    Spread::Percent(10),
    Spread::Percent(4),
    Spread::FourthChunks,
    Spread::ChunkStarts,
    Spread::FourthChunkStarts,
    Spread::EveryOtherBeat,
    Spread::Beginning,
    Spread::End,
    Spread::FirstHalf,
    Spread::SecondHalf,
    Spread::AsManyBeats,
    Spread::Random,
    Spread::Bursts,
    Spread::FullAndEmpty,
    Spread::HalvesMeet,
    Spread::AllButOne,
];

/// Which elements of vector number `vector` are outliers.
fn outliers(spread: Spread, p: EngineParams, length: usize, vector: usize, rng: &mut Rng) -> Vec<bool> {
    let lanes = p.lanes as usize;
    let all = |f: &mut dyn FnMut(usize) -> bool| (0..length).map(f).collect();
    match spread {
        Spread::None => all(&mut |_| false),
        Spread::All => all(&mut |_| true),
        Spread::Percent(percent) => all(&mut |_| rng.usize(0..100) < percent),
        Spread::FourthChunks => all(&mut |i| i / 64 % 4 == 0),
        Spread::ChunkStarts => all(&mut |i| i % 64 < lanes),
        Spread::FourthChunkStarts => all(&mut |i| i % 256 < lanes),
        Spread::EveryOtherBeat => all(&mut |i| (i / lanes).is_multiple_of(2)),
        Spread::Beginning => all(&mut |i| i < length / 10),
        Spread::End => all(&mut |i| i >= length - length / 10),
        Spread::FirstHalf => all(&mut |i| i < length / 2),
        Spread::SecondHalf => all(&mut |i| i >= length / 2),
        Spread::AsManyBeats => {
            let room = length / lanes * p.sparse_bytes() as usize - 8 - length / 64;
            all(&mut |i| i < room)
        }
        Spread::Random => (0..length / 64).flat_map(|_| random_chunk(rng)).collect(),
        Spread::Bursts => {
            let mut bursts = vec![];
            while bursts.len() < length {
                bursts.extend(std::iter::repeat_n(rng.bool(), rng.usize(1..300)));
            }
            bursts.truncate(length);
            bursts
        }
        Spread::FullAndEmpty => all(&mut |_| vector.is_multiple_of(2)),
        Spread::HalvesMeet => all(&mut |i| (i < length / 2) == (vector % 2 == 1)),
        Spread::AllButOne => all(&mut |i| i % lanes != i / lanes % lanes),
    }
}

fn random_chunk(rng: &mut Rng) -> Vec<bool> {
    let number = rng.usize(0..=64);
    let mut chunk: Vec<bool> = (0..64).map(|i| i < number).collect();
    rng.shuffle(&mut chunk);
    chunk
}

/// Elements of the middle group, and outer or inner ones where outliers are.
fn elements(outliers: &[bool], rng: &mut Rng) -> Vec<u16> {
    let magnitude = |outlier: bool, rng: &mut Rng| match outlier {
        true if rng.bool() => 2.0 + rng.f32(),
        true => 0.05 * rng.f32(),
        false => 0.3 + 0.5 * rng.f32(),
    };
    let element = |outlier: &bool| {
        let side = if rng.bool() { 1.0 } else { -1.0 };
        half::f16::from_f32(side * magnitude(*outlier, rng)).to_bits()
    };
    outliers.iter().map(element).collect()
}

/// A vector with its record.
struct Vector {
    elements: Vec<u16>,
    record: Parts,
}

impl Vector {
    fn new(elements: Vec<u16>, t: &Thresholds) -> Vector {
        let record = encode(&elements, DenseBits::PAPER, t).into();
        Vector { elements, record }
    }
    /// The cycles of its elements, or of its sparse part.
    fn least(&self, p: EngineParams) -> usize {
        let sparse = self.record.sparse.len().div_ceil(p.sparse_bytes() as usize);
        sparse.max(self.elements.len() / p.lanes as usize)
    }
}

/// Both engines of so many lanes, which are built and compiled once.
struct Engines {
    q: Device<QuantizerAxiPorts>,
    d: Device<DequantizerAxiPorts>,
    quantizer: hdl::sim::Simulator,
    dequantizer: hdl::sim::Simulator,
}

impl Engines {
    fn new(lanes: u32, max_length: u32) -> Engines {
        let p = EngineParams { lanes, max_length, dense_bits: 4, settings: 1 };
        let q = quantizer("quantizer", p).unwrap_or_else(|e| panic!("{e}"));
        let d = dequantizer("dequantizer", p).unwrap_or_else(|e| panic!("{e}"));
        let (quantizer, dequantizer) = (jit::simulator(&q.design), jit::simulator(&d.design));
        Engines { q, d, quantizer, dequantizer }
    }

    /// What is wrong with the rate of these vectors, one after the other, and with what comes out.
    fn check(&mut self, t: &Thresholds, vectors: &[&Vector]) -> Result<(), String> {
        let p = self.q.params;
        let least: usize = vectors[1..].iter().map(|v| v.least(p)).sum();
        let there = quantized(&self.q, &mut self.quantizer, t, vectors);
        let back = dequantized(&self.d, &mut self.dequantizer, t, vectors);
        for (engine, cycles) in [("quantizer", there), ("dequantizer", back)] {
            if 100 * cycles > 101 * least as u64 {
                return Err(format!(
                    "{engine}: {cycles} cycles for {} vectors, {least} and 1 % at most",
                    vectors.len() - 1
                ));
            }
        }
        Ok(())
    }
}

/// The cycles in which packets ended.
fn ends(bench: &Bench, sink: Sink) -> Vec<u64> {
    let beats = bench.beats(sink).iter().zip(bench.received_at(sink));
    beats.filter_map(|(beat, cycle)| (beat.field(2) == 1).then_some(*cycle)).collect()
}

/// Runs until the sinks have so many packets.
fn run(bench: &mut Bench, sinks: &[Sink], count: usize, limit: usize) {
    let done = |bench: &Bench| sinks.iter().all(|sink| ends(bench, *sink).len() == count);
    for _ in 0..limit.div_ceil(64) {
        if done(bench) {
            return;
        }
        bench.run(64).unwrap_or_else(|e| panic!("{e}"));
    }
    panic!("{count} vectors do not come within {limit} cycles");
}

/// From the end of the first record to that of the last one; all must be those of the golden model.
fn quantized(q: &Device<QuantizerAxiPorts>, engine: &mut dyn Engine, t: &Thresholds, vectors: &[&Vector]) -> u64 {
    let (design, io) = (&q.design, &q.design.ports);
    let mut bench = Bench::new(engine, seed(1));
    let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
    let s = bench.source(design, &io.s_axis, Stalls::Never);
    let parts = [&io.m_axis_dense, &io.m_axis_sparse].map(|part| bench.sink(design, part, Stalls::Never));
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    q.set_up(&mut bench, &axil, vectors[0].elements.len(), t).expect("answers");
    vectors.iter().for_each(|v| bench.send(s, packet(&to_bytes(&v.elements), 2 * q.params.lanes as usize)));
    let least: usize = vectors.iter().map(|v| v.least(q.params)).sum();
    run(&mut bench, &parts, vectors.len(), 2 * least + 8000);
    let got = parts.map(|part| packet_bytes(bench.beats(part)));
    for (i, v) in vectors.iter().enumerate() {
        assert!(got[0][i] == v.record.dense && got[1][i] == v.record.sparse, "record {i}, {:?}", q.params);
    }
    let [dense, sparse] = parts.map(|part| ends(&bench, part));
    let end = |i: usize| dense[i].max(sparse[i]);
    end(vectors.len() - 1) - end(0)
}

/// From the end of the first vector to that of the last one; all must be those of the golden model.
fn dequantized(d: &Device<DequantizerAxiPorts>, engine: &mut dyn Engine, t: &Thresholds, vectors: &[&Vector]) -> u64 {
    let (design, io, p) = (&d.design, &d.design.ports, d.params);
    let mut bench = Bench::new(engine, seed(1));
    let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
    let [dense, sparse] = [&io.s_axis_dense, &io.s_axis_sparse].map(|part| bench.source(design, part, Stalls::Never));
    let m = bench.sink(design, &io.m_axis, Stalls::Never);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    let n = vectors[0].elements.len();
    d.set_up(&mut bench, &axil, n, t).expect("answers");
    for v in vectors {
        bench.send(dense, packet(&v.record.dense, p.dense_bytes() as usize));
        bench.send(sparse, packet(&v.record.sparse, p.sparse_bytes() as usize));
    }
    let least: usize = vectors.iter().map(|v| v.least(p)).sum();
    run(&mut bench, &[m], vectors.len(), 2 * least + 8000);
    for (i, (got, v)) in packet_bytes(bench.beats(m)).iter().zip(vectors).enumerate() {
        let expected = decode(&v.record.dense, &v.record.sparse, n, DenseBits::PAPER, t).expect("legal");
        assert!(*got == to_bytes(&expected), "vector {i}, {p:?}");
    }
    let ends = ends(&bench, m);
    ends[vectors.len() - 1] - ends[0]
}

/// Spreads with vectors of this length: so many cycles at least, and an odd number of vectors, so that as many full as empty ones follow
/// the first.
fn check_spreads(engines: &mut Engines, spreads: impl Iterator<Item = Spread>, length: usize, cycles: usize) {
    let p = engines.q.params;
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let mut rng = Rng::with_seed(seed(u64::from(p.lanes)));
    let number = 1 + 2 * (cycles * p.lanes as usize / length).div_ceil(2).max(1);
    let mut slow = vec![];
    // up to 8 lanes the sparse part never has more beats than the elements
    for spread in spreads.filter(|spread| *spread != Spread::AsManyBeats || p.lanes > 8) {
        let vector = |i: usize| {
            let outliers = outliers(spread, p, length, i, &mut rng);
            Vector::new(elements(&outliers, &mut rng), &t)
        };
        let vectors: Vec<Vector> = (0..number.min(8)).map(vector).collect();
        let vectors: Vec<&Vector> = (0..number).map(|i| &vectors[i % vectors.len()]).collect();
        slow.extend(engines.check(&t, &vectors).err().map(|e| format!("{spread:?}: {e}")));
    }
    assert!(slow.is_empty(), "{} lanes, {length} elements:\n{}", p.lanes, slow.join("\n"));
}

/// Vectors of both lengths on engines of so many lanes.
fn keep_the_rate(lanes: &[u32]) {
    for lanes in lanes {
        let mut engines = Engines::new(*lanes, 8192);
        check_spreads(&mut engines, SPREADS.into_iter(), 1024, 1500);
        if *lanes > 8 {
            check_spreads(&mut engines, SPREADS.into_iter(), 8192, 1500);
        }
        // long vectors take long with few lanes, whose sparse part never has more beats than its elements: some spreads
        let every = if *lanes > 2 || long() { 1 } else { 4 };
        check_spreads(&mut engines, SPREADS.into_iter().step_by(every), 4096, 1500);
    }
}

#[test]
fn few_lanes_keep_the_rate() {
    keep_the_rate(&[1, 2]);
}

#[test]
fn some_lanes_keep_the_rate() {
    keep_the_rate(&[4, 8, 16]);
}

#[test]
fn many_lanes_keep_the_rate() {
    keep_the_rate(&[32, 64]);
}

/// Elements of the vectors made of real ones.
const JOINED: usize = 1152;

/// Vectors of [`JOINED`] elements, each of so many tokens as that takes, at thresholds learned from others of their kind.
fn real_vectors() -> Vec<(Thresholds, Vec<Vector>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let read = |file: &str| Recording::read(folder.join(file)).unwrap_or_else(|e| panic!("{e}"));
    let profile = |r: &Recording| {
        let all = std::slice::from_ref(r);
        Profile::from_recordings(all, Method::default(), Widths::default()).unwrap_or_else(|e| panic!("{e}"))
    };
    let smollm2 = profile(&read("smollm2_profile.safetensors"));
    let minilm = profile(&read("minilm.safetensors"));
    let mut all = vec![];
    for (file, profile) in [
        ("smollm2_run.safetensors", &smollm2),
        ("smollm2_long.safetensors", &smollm2),
        ("smollm2_vq.safetensors", &smollm2),
        ("minilm.safetensors", &minilm),
    ] {
        for tensor in &read(file).tensors {
            let t = profile.layer(tensor.layer, tensor.kind).expect("profiled").thresholds;
            let tokens: Vec<&[u16]> = tensor.vectors().collect();
            let vectors =
                tokens.chunks_exact(JOINED / tensor.cols).take(30).map(|v| Vector::new(v.concat(), &t)).collect();
            all.push((t, vectors));
        }
    }
    all
}

#[test]
fn real_data_keeps_the_rate() {
    let real = real_vectors();
    for lanes in [1, 4, 16, 64] {
        let mut engines = Engines::new(lanes, 4096);
        // all of them with many lanes, some where each takes long
        let most = if lanes == 1 { 3 } else { 30 };
        let slow: Vec<String> = real
            .iter()
            .filter_map(|(t, vectors)| engines.check(t, &vectors.iter().take(most).collect::<Vec<_>>()).err())
            .collect();
        assert!(slow.is_empty(), "{lanes} lanes:\n{}", slow.join("\n"));
    }
}
