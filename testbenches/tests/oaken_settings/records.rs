//! The way back: records that are too short or too long, and headers that the format does not allow, where each names its setting.

use super::back::{CASES, Dequantizer, decoded, device, encoded, random_records};
use super::faults::Rig;
use super::random_settings;
use fastrand::Rng;
use sim::bus::{packet, seed};
use sim::golden::oaken::Thresholds;
use sim::oaken_bench::{Parts, Pauses};

const HEADER: u64 = 1;
const SPARSE_LENGTH: u64 = 8;
const DENSE_LENGTH: u64 = 16;

/// What a sparse part that was cut says: entries that came count, the others and the chunks behind them are not there.
fn completed(sparse: &[u8], n: usize) -> Vec<u8> {
    let (mut out, mut rest) = (sparse[..8].to_vec(), &sparse[8..]);
    for _ in 0..n / 64 {
        let count = rest.first().map_or(0, |count| usize::from(*count).min(rest.len() - 1));
        out.push(count as u8);
        let entries = rest.get(1..=count).unwrap_or_default();
        out.extend(entries);
        rest = rest.get(1 + count..).unwrap_or_default();
    }
    out
}

/// Parts that were cut or have surplus, and what the engine makes of them, with its flag.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    SparseCut,
    SparseSurplus,
    DenseCut,
    DenseSurplus,
}

/// The record as it is sent and as it is taken.
fn with_mistake(d: &Dequantizer, rng: &mut Rng, right: &Parts, n: usize, mistake: Mistake) -> (Parts, Parts, u64) {
    let (mut sent, mut taken) = (right.clone(), right.clone());
    let (word, beat) = (d.params.sparse_bytes() as usize, d.params.dense_bytes() as usize);
    match mistake {
        Mistake::None => return (sent, taken, 0),
        Mistake::SparseCut => {
            sent.sparse.truncate(rng.usize(8..sent.sparse.len()));
            taken.sparse = completed(&sent.sparse, n);
        }
        Mistake::SparseSurplus => {
            // up to a whole word of what is padding, then what no header begins with
            sent.sparse.resize(sent.sparse.len().next_multiple_of(word), 0);
            sent.sparse.extend(vec![0xff; rng.usize(1..3 * word)]);
        }
        Mistake::DenseCut => {
            let beats = d.params.dense_beats(n as u32) as usize;
            sent.dense.truncate(beat * rng.usize(1..beats));
            taken.dense[sent.dense.len()..].fill(0);
        }
        Mistake::DenseSurplus => {
            sent.dense.resize(sent.dense.len().next_multiple_of(beat) + beat, 0x5a);
        }
    }
    let flag =
        if matches!(mistake, Mistake::SparseCut | Mistake::SparseSurplus) { SPARSE_LENGTH } else { DENSE_LENGTH };
    (sent, taken, flag)
}

/// A mistake that this record and the one behind it can have and are still told apart: surplus of the dense part is less than the
/// next one.
fn random_mistake(d: &Dequantizer, rng: &mut Rng, n: usize, next: usize) -> Mistake {
    let beats = |n: usize| d.params.dense_beats(n as u32);
    match rng.u32(0..8) {
        0 => Mistake::SparseCut,
        1 => Mistake::SparseSurplus,
        2 if beats(n) > 1 => Mistake::DenseCut,
        3 if beats(next) > 1 => Mistake::DenseSurplus,
        _ => Mistake::None,
    }
}

#[test]
fn parts_that_end_early_or_late() {
    for ((lanes, dense_bits, settings), pauses) in
        CASES.into_iter().flat_map(|case| [Pauses::NEVER, Pauses::OFTEN].map(|pauses| (case, pauses)))
    {
        let d = device(lanes, dense_bits, settings);
        let mut engine = jit::simulator(&d.design);
        let seed = seed(u64::from(lanes) + 30);
        let mut rng = Rng::with_seed(seed);
        let table = random_settings(&mut rng, settings);
        let mut rig = Rig::new(&d, &mut engine, &table, pauses, seed);
        for round in 0..8 {
            let records = random_records(&d, &mut rng, &table, 10);
            let before = rig.received();
            let (mut want, mut flags, mut made) = (vec![], 0, vec![]);
            for (i, (number, right)) in records.iter().enumerate() {
                let next = records.get(i + 1).map_or(64, |(number, _)| table[*number].0);
                // the last two are right
                let mistake = if i < 8 { random_mistake(&d, &mut rng, table[*number].0, next) } else { Mistake::None };
                let (sent, taken, flag) = with_mistake(&d, &mut rng, right, table[*number].0, mistake);
                rig.send(&(*number, sent));
                want.push(decoded(&d, &taken, &table[*number]));
                flags |= flag;
                made.push(mistake);
            }
            let what = format!("round {round}, {made:?}, {:?}, {pauses:?}, seed {seed}", d.params);
            let got = rig.finish(before, records.iter().map(|(number, _)| table[*number].0), &what);
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                assert_eq!(got, want, "vector {i}, {what}");
            }
            // bytes that are not kept within a dense part are flagged besides
            assert_eq!(rig.read("errors") & !32, flags, "{what}");
            rig.write("errors", 0xff);
        }
    }
}

/// Headers that are legal with one setting and not with another, and those that are never: flagged for the vector that they are of, and
/// for no other.
#[test]
fn a_header_is_judged_by_the_thresholds_that_its_vector_names() {
    for (lanes, dense_bits) in [(1, 4), (4, 5), (16, 4), (16, 3), (32, 4), (64, 4), (64, 6)] {
        let d = device(lanes, dense_bits, 4);
        let mut engine = jit::simulator(&d.design);
        let t = |outer: f32, inner: f32| Thresholds::from_f32(-outer, -inner, inner, outer).expect("legal");
        // beside thresholds of 64 and more no step of what is below 1 is coarse enough
        let table = [(128, t(0.5, 0.01)), (128, t(8192.0, 4096.0)), (64, t(0.5, 0.01)), (512, t(1024.0, 64.0))];
        let mut rig = Rig::new(&d, &mut engine, &table, Pauses::NEVER, 1);
        let mut rng = Rng::with_seed(seed(9));
        let mut right = |number: usize| {
            let (n, t) = &table[number];
            let scale = t.bits().map(|x| half::f16::from_bits(x & 0x7fff).to_f32())[0];
            let vector: Vec<u16> =
                (0..*n).map(|_| half::f16::from_f32((rng.f32() - 0.5) * 3.0 * scale).to_bits()).collect();
            (number, encoded(&d, &vector, t))
        };
        let fine = right(0).1;
        let changed = |at: usize, bits: u8| {
            let mut record = fine.clone();
            record.sparse[at] ^= bits;
            record
        };
        let cases = [
            ("legal", (0, fine.clone()), 0),
            ("another's steps", (1, fine.clone()), HEADER),
            ("the highest bit", (0, changed(7, 0x80)), HEADER),
            ("another width", (0, changed(7, 0x10)), HEADER),
        ];
        for (name, wrong, flag) in cases {
            let records = [right(1), right(3), wrong, right(2), right(0), right(1)];
            let before = rig.received();
            records.iter().for_each(|record| rig.send(record));
            let what = format!("{name}, {lanes} lanes, {dense_bits} bits");
            let got = rig.finish(before, records.iter().map(|(number, _)| table[*number].0), &what);
            for (i, (got, (number, record))) in got.iter().zip(&records).enumerate() {
                if i != 2 || flag == 0 {
                    assert_eq!(*got, decoded(&d, record, &table[*number]), "vector {i}, {what}");
                }
            }
            assert_eq!(rig.read("errors"), flag, "{what}");
            rig.write("errors", 0xff);
        }
    }
}

/// Surplus of a dense part that is as long as the next vector's, where that has another length than the one before: it stands for the
/// next vector's part, whose own is dropped.
#[test]
fn surplus_is_measured_by_the_vector_behind_it() {
    for (lanes, dense_bits) in [(4, 4), (16, 4), (16, 6), (64, 4)] {
        let d = device(lanes, dense_bits, 2);
        let mut engine = jit::simulator(&d.design);
        let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
        let table = [(512, t), (128, t)];
        let mut rng = Rng::with_seed(seed(2));
        let records = random_records(&d, &mut rng, &[table[0], table[1]], 60);
        let of = |number: usize| records.iter().find(|record| record.0 == number).expect("one of each").clone();
        let beat = d.params.dense_bytes() as usize;
        // short behind long: a short one's length is enough; long behind short: it is not
        for (first, second, replaced) in [(0, 1, true), (1, 0, false)] {
            let mut rig = Rig::new(&d, &mut engine, &table, Pauses::NEVER, 1);
            let records = [of(first), of(second), of(first), of(second)];
            let surplus = d.params.dense_beats(128) as usize * beat;
            for (i, record) in records.iter().enumerate() {
                let mut dense = rig.dense_beats(&record.1, i != 0);
                if i == 0 {
                    dense.extend(packet(&vec![0x33; surplus], beat));
                }
                // the part that was replaced never comes: its place was taken
                if !(i == 1 && replaced) {
                    rig.bench.send(rig.dense, dense);
                }
                let sparse = rig.sparse_beats(record, true);
                rig.bench.send(rig.sparse, sparse);
            }
            let what = format!("{first} before {second}, {lanes} lanes");
            let got = rig.finish(0, records.iter().map(|(number, _)| table[*number].0), &what);
            for (i, (got, (number, record))) in got.iter().zip(&records).enumerate() {
                let codes = if i == 1 && replaced { vec![0; record.dense.len()] } else { record.dense.clone() };
                let taken = Parts { dense: codes, sparse: record.sparse.clone() };
                assert_eq!(*got, decoded(&d, &taken, &table[*number]), "vector {i}, {what}");
            }
            assert_eq!(rig.read("errors") & !32, DENSE_LENGTH, "{what}");
        }
    }
}
