//! Oaken engines that hold several settings: every vector is quantized, and its record dequantized, with the one that it names, and
//! alternating costs nothing.

mod back;
mod disabled;
mod ends;
mod faults;
mod records;
mod stored_again;

use fastrand::Rng;
use hw::oaken::{EngineParams, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Bench, Stalls, packet, seed};
use sim::golden::oaken::{Thresholds, encode};
use sim::oaken_bench::{Device, Parts, Pauses, quantize_each, quantizer, to_bytes};
use testbenches::drivers::{random_thresholds, random_vector};

fn device(lanes: u32, dense_bits: u32, settings: u32) -> Device<QuantizerAxiPorts> {
    let p = EngineParams { lanes, max_length: 512, dense_bits, settings };
    quantizer("quantizer", p).unwrap_or_else(|e| panic!("{e}"))
}

/// Settings of different lengths, and vectors that name them.
fn random_settings(rng: &mut Rng, settings: u32) -> Vec<(usize, Thresholds)> {
    (0..settings).map(|_| (64 * rng.usize(1..=8), random_thresholds(rng))).collect()
}

fn random_vectors(rng: &mut Rng, settings: &[(usize, Thresholds)], count: usize) -> Vec<(usize, Vec<u16>)> {
    let vector = |rng: &mut Rng| {
        let number = rng.usize(0..settings.len());
        let (n, t) = &settings[number];
        (number, random_vector(rng, *n, t))
    };
    (0..count).map(|_| vector(rng)).collect()
}

#[test]
fn every_vector_is_quantized_with_the_setting_that_it_names() {
    let cases = [(1, 4, 2), (2, 3, 64), (4, 4, 4), (8, 6, 2), (16, 4, 64), (16, 5, 2), (32, 4, 8), (64, 4, 16)];
    for (lanes, dense_bits, settings) in cases {
        let q = device(lanes, dense_bits, settings);
        let mut engine = jit::simulator(&q.design);
        for (round, pauses) in [Pauses::NEVER, Pauses::OFTEN].into_iter().enumerate() {
            let seed = seed(u64::from(lanes + settings) + round as u64);
            let mut rng = Rng::with_seed(seed);
            let table = random_settings(&mut rng, settings);
            let vectors = random_vectors(&mut rng, &table, 60);
            let named: Vec<(usize, &[u16])> = vectors.iter().map(|(number, v)| (*number, &v[..])).collect();
            let run = quantize_each(&q, &mut engine, &table, &named, pauses, seed).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(run.vectors, vectors.len() as u64);
            let finite = |x: &u16| x & 0x7c00 != 0x7c00;
            let nonfinite = vectors.iter().any(|(_, v)| !v.iter().all(finite));
            assert_eq!(run.errors, u64::from(nonfinite) << 2, "errors of {:?}", q.params);
            for (i, (got, (number, v))) in run.results.iter().zip(&vectors).enumerate() {
                let want = encode(v, q.dense_bits(), &table[*number].1);
                assert_eq!(*got, Parts::from(want), "record {i} of {:?}, seed {seed}", q.params);
            }
        }
    }
}

/// Vectors of two kinds in turn: not a cycle between them.
#[test]
fn keys_and_values_in_turn_cost_nothing() {
    for lanes in [1, 4, 16, 64] {
        let q = device(lanes, 4, 2);
        let mut engine = jit::simulator(&q.design);
        let thresholds = |t: f32| Thresholds::from_f32(-8.0 * t, -t / 100.0, t / 100.0, 8.0 * t).expect("legal");
        let table = [(512, thresholds(1.0)), (256, thresholds(0.5))];
        let mut rng = Rng::with_seed(seed(5));
        let mut element = || half::f16::from_f32(rng.f32() - 0.5).to_bits();
        let vectors: Vec<(usize, Vec<u16>)> =
            (0..40).map(|i| (i % 2, (0..table[i % 2].0).map(|_| element()).collect())).collect();
        let named: Vec<(usize, &[u16])> = vectors.iter().map(|(number, v)| (*number, &v[..])).collect();
        let run = quantize_each(&q, &mut engine, &table, &named, Pauses::NEVER, 1).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run.cycles, 20 * (512 + 256) / u64::from(lanes), "{lanes} lanes");
    }
}

/// A number that nothing was stored under, settings that are not legal, numbers beyond the table: flagged, and nothing stops.
#[test]
fn what_is_not_there_or_not_legal_is_flagged() {
    let q = device(4, 4, 4);
    let design = &q.design;
    let mut engine = jit::simulator(design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let axil = AxiLiteMaster::new(&mut bench, design, &design.ports.s_axil, Stalls::Never);
    let elements = bench.source(design, &design.ports.s_axis, Stalls::Never);
    let dense = bench.sink(design, &design.ports.m_axis_dense, Stalls::Never);
    let sparse = bench.sink(design, &design.ports.m_axis_sparse, Stalls::Never);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    let thresholds = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    q.store(&mut bench, &axil, &[(64, thresholds)]).expect("stores");
    let write = |bench: &mut Bench, register: &str, value: u64| {
        axil.write(bench, q.address(register), value).expect("answers");
    };
    let errors = |bench: &mut Bench| axil.read(bench, q.address("errors")).expect("answers").1;
    let (refused, unset) = (1 << 4, 1 << 5);
    assert_eq!(errors(&mut bench), 0);
    // a length that is not legal does not go into the table, and the other settings go on
    write(&mut bench, "length", 65);
    for store in [0, 0x100] {
        write(&mut bench, "setting", store);
    }
    assert_eq!(errors(&mut bench), refused);
    write(&mut bench, "errors", refused);
    // there is no setting 4
    write(&mut bench, "length", 64);
    for store in [4, 0x104] {
        write(&mut bench, "setting", store);
    }
    assert_eq!(errors(&mut bench), refused);
    write(&mut bench, "errors", refused);
    // one that was never stored: the longest vector, without outer outliers
    let mut rng = Rng::with_seed(seed(3));
    let kinds = [(0u64, 64), (3, 512), (0, 64)];
    let vectors: Vec<Vec<u16>> = kinds.iter().map(|(_, n)| random_vector(&mut rng, *n, &thresholds)).collect();
    for ((number, _), v) in kinds.iter().zip(&vectors) {
        let bytes = to_bytes(v);
        let mut beats = packet(&bytes, 8);
        beats.iter_mut().for_each(|beat| beat.0.push((*number).into()));
        bench.send(elements, beats);
    }
    let beats: u32 = kinds.iter().map(|(_, n)| q.params.dense_beats(*n as u32)).sum();
    bench.run_until_received(dense, beats as usize, 4000).unwrap_or_else(|e| panic!("{e}"));
    bench.run(200).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(errors(&mut bench) & !(1 << 2), unset);
    let none = Thresholds::from_bits(0xfbff, 0x8000, 0, 0x7bff).expect("legal");
    let [dense, sparse] = [dense, sparse].map(|sink| sim::bus::packet_bytes(bench.beats(sink)));
    assert_eq!([dense.len(), sparse.len()], [3, 3], "both parts of each record");
    let parts = dense.into_iter().zip(sparse);
    for ((got, v), t) in parts.zip(&vectors).zip([&thresholds, &none, &thresholds]) {
        let want = encode(v, q.dense_bits(), t);
        assert_eq!(got, (want.dense, want.sparse));
    }
}
