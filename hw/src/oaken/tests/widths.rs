//! Both engines with dense codes of 3, 5 and 6 bits, against the golden model.

use super::super::types::EngineParams;
use super::super::{dequantizer, quantizer};
use super::*;
use std::collections::BTreeSet;

/// Lengths whose dense part ends at different places of a beat.
const LENGTHS: [usize; 4] = [64, 192, 320, 512];

#[test]
fn records_and_values_equal_the_golden_model() {
    let t = oaken::Thresholds::from_f32(-1.2, -0.05, 0.06, 1.1).expect("legal");
    for p in other_widths(512) {
        let (to_record, back_again) = (Built::quantizer(p), Built::dequantizer(p));
        for length in LENGTHS {
            let mut rng = Rng::with_seed(sim::bus::seed(u64::from(1000 * p.lanes + 10 * p.dense_bits) + length as u64));
            let vectors: Vec<Vec<u16>> = (0..12).map(|_| random_vector(&mut rng, length)).collect();
            let records: Vec<Record> = vectors.iter().map(|v| oaken::encode(v, width(p), &t)).collect();
            for pauses in [NEVER, OFTEN] {
                let there = run(&to_record, &t, &vectors, pauses, 7);
                compare(p, &there.records, &vectors, &t);
                let (back, _) = run_back(&back_again, &t, &records, length, pauses);
                assert_eq!(back.len(), records.len());
                for (i, (got, r)) in back.iter().zip(&records).enumerate() {
                    let want = oaken::decode(&r.dense, &r.sparse, length, width(p), &t).expect("legal");
                    assert_eq!(*got, want, "vector {i} of {length} elements, {p:?}");
                }
            }
        }
    }
}

#[test]
fn no_bubble_either_way() {
    let t = oaken::Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    for p in other_widths(512) {
        let (to_record, back_again) = (Built::quantizer(p), Built::dequantizer(p));
        for (length, outliers) in LENGTHS.into_iter().flat_map(|length| [(length, 0), (length, 8)]) {
            let mut rng = Rng::with_seed(sim::bus::seed(9));
            let vectors: Vec<Vec<u16>> = (0..20).map(|_| with_outliers(&mut rng, length, outliers)).collect();
            let there = run(&to_record, &t, &vectors, NEVER, 1);
            compare(p, &there.records, &vectors, &t);
            assert_eq!(there.bubbles, 0, "{length} elements, {outliers} outliers a chunk, {p:?}");
            let records: Vec<Record> = vectors.iter().map(|v| oaken::encode(v, width(p), &t)).collect();
            let (_, bubbles) = run_back(&back_again, &t, &records, length, NEVER);
            assert_eq!(bubbles, 0, "back: {length} elements, {outliers} outliers a chunk, {p:?}");
        }
    }
}

#[test]
fn a_beat_of_the_dense_bus_is_a_power_of_two_of_bytes() {
    let bytes = |dense_bits| {
        [1, 2, 4, 8, 16, 32, 64]
            .map(|lanes| EngineParams { lanes, max_length: 64, dense_bits, settings: 1 }.dense_bytes())
    };
    assert_eq!(bytes(3), [1, 1, 2, 4, 8, 16, 32]);
    assert_eq!(bytes(4), [1, 1, 2, 4, 8, 16, 32]);
    assert_eq!(bytes(5), [1, 2, 4, 8, 16, 32, 64]);
    assert_eq!(bytes(6), [1, 2, 4, 8, 16, 32, 64]);
}

/// That there are other widths costs the published one no part: its engines have no instance and no memory that the others lack, and what
/// regroups codes is not there. (With one lane a byte holds the codes of two elements, so there they are regrouped at any width.)
#[test]
fn codes_of_4_bits_are_not_regrouped() {
    let parts = |lanes, dense_bits| {
        let p = EngineParams { lanes, max_length: 512, dense_bits, settings: 1 };
        let [there, back] = [quantizer(p).map(|d| d.parts()), dequantizer(p).map(|d| d.parts())];
        [there, back].map(|parts| parts.unwrap_or_else(|e| panic!("{e}")).into_iter().collect::<BTreeSet<String>>())
    };
    for lanes in [2, 4, 8, 16, 32, 64] {
        for dense_bits in [3, 5, 6] {
            for (as_published, other) in parts(lanes, 4).iter().zip(&parts(lanes, dense_bits)) {
                let only = as_published.difference(other).collect::<Vec<_>>();
                assert!(only.is_empty(), "{lanes} lanes: only 4 bits have {only:?}, not {dense_bits}");
                assert!(other.len() > as_published.len(), "{lanes} lanes: {dense_bits} bits are not regrouped");
            }
        }
    }
}

#[test]
fn parameters_out_of_range() {
    let message = |lanes, max_length, dense_bits| {
        let p = EngineParams { lanes, max_length, dense_bits, settings: 1 };
        let texts = [quantizer(p).map(drop), dequantizer(p).map(drop)].map(|design| design.unwrap_err().0.remove(0));
        assert_eq!((&texts[0].message, &texts[0].help), (&texts[1].message, &texts[1].help));
        (texts[0].message.clone(), texts[0].help.clone().unwrap_or_default())
    };
    for dense_bits in [0, 2, 7, 16] {
        let help = "3, 4, 5 or 6: the widths of codes that the record format has";
        assert_eq!(message(4, 64, dense_bits), (format!("dense_bits = {dense_bits} is not legal"), help.into()));
    }
    assert_eq!(message(3, 64, 4).0, "lanes = 3 is not legal");
    assert_eq!(message(4, 100, 4).0, "max_length = 100 is not legal");
}
