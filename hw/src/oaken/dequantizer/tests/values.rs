//! Values, settings, latency and rate on legal records.

use super::super::dequantizer;
use super::random::{golden, random_chunk, random_header, random_record, random_thresholds};
use super::rig::Rig;
use super::{LANES, NEVER, OFTEN};
use crate::oaken::tests::{other_widths, params, width, with_outliers};
use fastrand::Rng;
use sim::bus::{Stalls, span};
use sim::golden::oaken::{self, Thresholds};

/// Any legal header with any legal thresholds, which change between the vectors.
#[test]
fn every_legal_record_has_the_golden_value() {
    for p in LANES.map(|lanes| params(lanes, 320)).into_iter().chain(other_widths(320)) {
        let lanes = p.lanes;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        for stalls in [NEVER, OFTEN] {
            let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes)));
            let mut engine = jit::simulator(&design);
            let mut rig = Rig::new(p, &design, &mut engine, stalls);
            let (mut want, mut elements) = (vec![], 0);
            // at other widths a few lanes of each kind do the same
            let rounds = if p.dense_bits == 4 { 20 } else { 5 };
            for _ in 0..rounds * lanes.min(16) {
                let (t, length) = (random_thresholds(&mut rng), 64 * rng.usize(1..=5));
                rig.set(&t, length);
                for _ in 0..rng.usize(1..4) {
                    let record = random_record(&mut rng, length, &t, width(p));
                    rig.send(&record.dense, &record.sparse);
                    want.push(golden(&record.dense, &record.sparse, length, &t, width(p)));
                    elements += length;
                }
                rig.finish(elements);
            }
            assert_eq!(rig.flags, [""; 0], "errors of legal records");
            for (i, (got, want)) in rig.vectors().iter().zip(&want).enumerate() {
                assert_eq!(got, want, "vector {i}, {p:?}");
            }
        }
    }
}

/// Settings that change while a vector is under way are those of the next one.
#[test]
fn settings_belong_to_whole_vectors() {
    // at other widths, the beats of the dense part follow from the length a cycle later
    for p in LANES.map(|lanes| params(lanes, 256)).into_iter().chain(other_widths(256)) {
        let lanes = p.lanes;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(11));
        for delay in 0..24 {
            let mut engine = jit::simulator(&design);
            let mut rig = Rig::new(p, &design, &mut engine, NEVER);
            let busy = rig.port(design.ports.busy);
            let (mut want, mut elements) = (vec![], 0);
            for length in [192, 64, 256] {
                let t = random_thresholds(&mut rng);
                let record = random_record(&mut rng, length, &t, width(p));
                rig.set(&t, length);
                rig.send(&record.dense, &record.sparse);
                want.push(golden(&record.dense, &record.sparse, length, &t, width(p)));
                elements += length;
                // until this vector, not the one before, has begun
                while rig.bench.unsent(rig.sparse) > 0 || rig.bench.engine.peek(busy) == 0 {
                    rig.step();
                }
                (0..delay).for_each(|_| rig.step());
                while rig.bench.beats(rig.m).len() < (elements - length) / lanes as usize {
                    rig.step();
                }
                rig.step();
            }
            rig.finish(elements);
            assert_eq!(rig.vectors(), want, "{p:?}, changed {delay} cycles later");
        }
    }
}

/// The output stops at any moment, and the headers of later vectors come meanwhile: what the beats in the lanes look up stays.
#[test]
fn a_stalled_beat_keeps_its_levels() {
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    for lanes in LANES {
        let p = params(lanes, 64);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(3));
        let mut record = || {
            let sparse = [&random_header(&mut rng, &t, width(p)).to_bits().to_le_bytes()[..], &[0]].concat();
            let dense: Vec<u8> = (0..8 * p.dense_bits).map(|_| rng.u8(..)).collect();
            (dense, sparse)
        };
        // more than there are slots
        let records: Vec<_> = (0..10).map(|_| record()).collect();
        let want: Vec<_> = records.iter().map(|(dense, sparse)| golden(dense, sparse, 64, &t, width(p))).collect();
        let mut engine = jit::simulator(&design);
        for start in 0..super::super::latency(lanes) + u64::from(64 / lanes) + 4 {
            let mut rig = Rig::new(p, &design, &mut engine, NEVER);
            rig.set(&t, 64);
            records.iter().for_each(|(dense, sparse)| rig.send(dense, sparse));
            (0..start).for_each(|_| rig.step());
            let m = rig.m;
            rig.bench.stall_sink(m, Stalls::Always);
            // as long as a vector takes and the work on its header
            (0..64 / lanes + 40).for_each(|_| rig.step());
            rig.bench.stall_sink(m, Stalls::Never);
            rig.finish(64 * records.len());
            assert_eq!(rig.vectors(), want, "{lanes} lanes, stopped after {start} cycles");
        }
    }
}

#[test]
fn only_the_readys_are_combinational() {
    for p in LANES.map(|lanes| params(lanes, 128)).into_iter().chain(other_widths(128)) {
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let paths = [("flush", "dense_ready"), ("flush", "sparse_ready")];
        assert_eq!(design.combinational_paths(), paths, "{p:?}");
    }
}

/// From the first word to the first element, when the first chunk has no outliers.
#[test]
fn latency_is_as_stated() {
    for p in LANES.map(|lanes| params(lanes, 128)).into_iter().chain(other_widths(128)) {
        let lanes = p.lanes;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut rig = Rig::new(p, &design, &mut engine, NEVER);
        rig.set(&Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal"), 64);
        let header = u64::from(p.dense_bits ^ 4) << 60;
        let sparse = [&header.to_le_bytes()[..], &[0]].concat();
        rig.send(&vec![0; 8 * p.dense_bits as usize], &sparse);
        rig.finish(64);
        let measured = rig.bench.received_at(rig.m)[0] - rig.bench.sent_at(rig.sparse)[0];
        assert_eq!(measured, super::super::latency(lanes), "{p:?}");
    }
}

#[test]
fn no_bubble_at_any_length() {
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    for lanes in LANES {
        let p = params(lanes, 8192);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let lengths = (64..=1280).step_by(64).chain([4096, 8192]).filter(|n| lanes > 4 || *n <= 512);
        for length in lengths {
            let mut rng = Rng::with_seed(sim::bus::seed(length as u64));
            let mut engine = jit::simulator(&design);
            let mut rig = Rig::new(p, &design, &mut engine, NEVER);
            rig.set(&t, length);
            let vectors = (4096 / length).clamp(2, 24);
            for _ in 0..vectors {
                // full chunks, but now and then a vector with fewer
                let outliers = if rng.u32(0..4) == 0 { rng.usize(0..8) } else { 8 };
                let record = oaken::encode(&with_outliers(&mut rng, length, outliers), width(p), &t);
                rig.send(&record.dense, &record.sparse);
            }
            rig.finish(vectors * length);
            assert_eq!(rig.bench.bubbles(rig.m), 0, "{lanes} lanes, {length} elements");
        }
    }
}

/// A vector takes the cycles of its beats, or of its sparse words if those are more, wherever its outliers are: none, in some chunks,
/// all in a few, or everywhere.
#[test]
fn the_rate_at_any_spread() {
    let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    for lanes in LANES {
        let p = params(lanes, 8192);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let length = if lanes < 4 { 1024 } else { 2048 };
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes)));
        let mut engine = jit::simulator(&design);
        for spread in 0..10 {
            let mut rig = Rig::new(p, &design, &mut engine, NEVER);
            rig.set(&t, length);
            let (vectors, mut words) = (4, 0);
            for _ in 0..vectors {
                let header = random_header(&mut rng, &t, width(p)).to_bits().to_le_bytes();
                let chunks = (0..length / 64).flat_map(|chunk| {
                    let count = match spread {
                        0 => 0,
                        1 => 64,
                        2 => 64 * (chunk & 1),
                        3 => 13 * (chunk & 1),
                        4 => 20,
                        5 if chunk % 4 == 0 => 64,
                        6 if chunk == 0 => 64,
                        7 if chunk * 64 + 64 == length => 64,
                        5..=7 => 1,
                        8 => rng.usize(0..=64),
                        _ => rng.usize(0..12),
                    };
                    random_chunk(&mut rng, count)
                });
                let sparse: Vec<u8> = header.into_iter().chain(chunks).collect();
                words += sparse.len().div_ceil(p.sparse_bytes() as usize);
                rig.send(&vec![0x5a; length / 2], &sparse);
            }
            rig.finish(vectors * length);
            let at = rig.bench.received_at(rig.m);
            let (took, beats) = (span(at), (vectors * length / lanes as usize) as u64);
            let least = beats.max(words as u64);
            assert!(
                100 * took <= 101 * least + 100,
                "{lanes} lanes, spread {spread}: {took} for {beats}, {words} words"
            );
        }
    }
}
