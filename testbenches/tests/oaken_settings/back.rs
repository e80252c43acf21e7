//! The way back: records that name their settings, through the dequantizer.

use super::{random_settings, random_vectors};
use fastrand::Rng;
use hdl::Reset;
use hdl::engine::Engine;
use hw::oaken::{DequantizerAxiPorts, EngineParams};
use sim::bus::seed;
use sim::golden::oaken::{Thresholds, decode, encode};
use sim::oaken_bench::{Device, Parts, Pauses, dequantize_each, dequantizer};

pub type Dequantizer = Device<DequantizerAxiPorts>;

/// Every number of lanes, at the paper's width and at others, with few settings and many.
pub const CASES: [(u32, u32, u32); 12] = [
    (1, 4, 2),
    (1, 6, 4),
    (2, 3, 64),
    (4, 4, 4),
    (4, 5, 2),
    (8, 6, 2),
    (16, 4, 64),
    (16, 5, 2),
    (32, 4, 8),
    (32, 3, 2),
    (64, 4, 16),
    (64, 5, 2),
];

pub fn device(lanes: u32, dense_bits: u32, settings: u32) -> Dequantizer {
    let p = EngineParams { lanes, max_length: 512, dense_bits, settings };
    dequantizer("dequantizer", p).unwrap_or_else(|e| panic!("{e}"))
}

pub fn encoded(d: &Dequantizer, vector: &[u16], t: &Thresholds) -> Parts {
    let record = encode(vector, d.dense_bits(), t);
    Parts::from(record)
}

pub fn decoded(d: &Dequantizer, parts: &Parts, (n, t): &(usize, Thresholds)) -> Vec<u16> {
    decode(&parts.dense, &parts.sparse, *n, d.dense_bits(), t).expect("a legal record")
}

/// The same without its codes.
pub fn decoded_without(d: &Dequantizer, parts: &Parts, setting: &(usize, Thresholds)) -> Vec<u16> {
    decoded(d, &Parts { dense: vec![0; parts.dense.len()], sparse: parts.sparse.clone() }, setting)
}

/// Records that name settings of a table.
pub fn random_records(
    d: &Dequantizer,
    rng: &mut Rng,
    table: &[(usize, Thresholds)],
    count: usize,
) -> Vec<(usize, Parts)> {
    let vectors = random_vectors(rng, table, count);
    vectors.into_iter().map(|(number, v)| (number, encoded(d, &v, &table[number].1))).collect()
}

#[test]
fn every_record_is_dequantized_with_the_setting_that_it_names() {
    for (lanes, dense_bits, settings) in CASES {
        let d = device(lanes, dense_bits, settings);
        decodes(&d, &mut jit::simulator(&d.design));
        if [(4, 4), (16, 5)].contains(&(lanes, dense_bits)) && testbenches::have(&["verilator"]) {
            decodes(&d, &mut sim::verilator::Model::of(&d.design, Reset::default()).unwrap_or_else(|e| panic!("{e}")));
        }
    }
}

fn decodes(d: &Dequantizer, engine: &mut dyn Engine) {
    let settings = d.params.settings;
    for (round, pauses) in [Pauses::NEVER, Pauses::OFTEN].into_iter().enumerate() {
        let seed = seed(u64::from(d.params.lanes + settings) + round as u64);
        let mut rng = Rng::with_seed(seed);
        let table = random_settings(&mut rng, settings);
        let mut records = random_records(d, &mut rng, &table, 60);
        // without a middle step: those elements are the threshold itself
        for (_, record) in records.iter_mut().skip(1).step_by(4) {
            record.sparse[0] = 0;
            record.sparse[1] &= 0xe0;
        }
        let run = dequantize_each(d, engine, &table, &records, pauses, seed);
        let run = run.unwrap_or_else(|e| panic!("{:?}: {e}", d.params));
        assert_eq!((run.vectors, run.errors, run.status), (60, 0, 2), "{:?}, seed {seed}", d.params);
        for (i, (got, (number, record))) in run.results.iter().zip(&records).enumerate() {
            let want = decoded(d, record, &table[*number]);
            assert_eq!(*got, want, "vector {i} of {:?}, seed {seed}", d.params);
        }
    }
}

/// Records of two kinds in turn, long and of a chunk: not a cycle between them.
#[test]
fn keys_and_values_in_turn_cost_nothing_on_the_way_back() {
    let cases = [1, 2, 4, 8, 16, 32, 64].map(|lanes| (lanes, 4)).into_iter().chain([(4, 3), (16, 5), (64, 6)]);
    for (lanes, dense_bits) in cases {
        let d = device(lanes, dense_bits, 2);
        let mut engine = jit::simulator(&d.design);
        let thresholds = |t: f32| Thresholds::from_f32(-8.0 * t, -t / 100.0, t / 100.0, 8.0 * t).expect("legal");
        for lengths in [[512, 256], [64, 64], [64, 128], [512, 64]] {
            let table = [(lengths[0], thresholds(1.0)), (lengths[1], thresholds(0.5))];
            let mut rng = Rng::with_seed(seed(5));
            let mut element = || half::f16::from_f32(rng.f32() - 0.5).to_bits();
            let records: Vec<(usize, Parts)> = (0..40)
                .map(|i| {
                    let vector: Vec<u16> = (0..table[i % 2].0).map(|_| element()).collect();
                    (i % 2, encoded(&d, &vector, &table[i % 2].1))
                })
                .collect();
            let run = dequantize_each(&d, &mut engine, &table, &records, Pauses::NEVER, 1);
            let run = run.unwrap_or_else(|e| panic!("{e}"));
            let all = 20 * (lengths[0] + lengths[1]) as u64;
            assert_eq!(run.cycles, all / u64::from(lanes), "{lengths:?}, {:?}", d.params);
        }
    }
}
