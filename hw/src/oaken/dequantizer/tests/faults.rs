//! Faulty records: what is flagged, and that the next record is right.

use super::super::dequantizer;
use super::random::{golden, least_e, random_chunk, random_record, random_thresholds};
use super::rig::Rig;
use super::{LANES, NEVER, OFTEN};
use crate::oaken::tests::{dense_packet, params, width};
use crate::oaken::types::EngineParams;
use fastrand::Rng;
use sim::bus::Stalls;
use sim::bus::{Beat, packet};
use sim::golden::oaken::{DenseBits, Record, Side, Thresholds};

/// A faulty record: what is sent, the flags it must raise, and the values where they are defined.
struct Fault {
    name: String,
    dense: Vec<u8>,
    sparse: Vec<Beat>,
    flags: Vec<&'static str>,
    values: Option<Vec<u16>>,
}

const LENGTH: usize = 192;

/// The widths and lanes that are tested: all lanes at 4 bits, and at other widths bus beats of every kind.
fn tested() -> impl Iterator<Item = EngineParams> {
    let other = [(1, 3), (32, 3), (16, 5), (64, 5), (4, 6), (64, 6)];
    let other = other.map(|(lanes, dense_bits)| EngineParams { dense_bits, ..params(lanes, 256) });
    LANES.map(|lanes| params(lanes, 256)).into_iter().chain(other)
}

/// The faults, made from a good record of [`LENGTH`] elements with three entries in each chunk.
fn faults(p: EngineParams, t: &Thresholds, rng: &mut Rng) -> Vec<Fault> {
    let (bytes_of_word, b) = (p.sparse_bytes() as usize, width(p));
    let mut good = random_record(rng, LENGTH, t, b);
    good.sparse.truncate(8);
    (0..3).for_each(|_| good.sparse.extend(random_chunk(rng, 3)));
    let right = golden(&good.dense, &good.sparse, LENGTH, t, b);
    let mut all = vec![];
    let mut add = |name: String, dense: &[u8], sparse: Vec<Beat>, flags: &[&'static str], values: Option<Vec<u16>>| {
        all.push(Fault { name, dense: dense.to_vec(), sparse, flags: flags.to_vec(), values });
    };

    for (name, bits) in illegal_headers(good.header, t, b) {
        let sparse = [&bits.to_le_bytes()[..], &good.sparse[8..]].concat();
        add(name, &good.dense, packet(&sparse, bytes_of_word), &["header"], None);
    }
    for count in [65u8, 66, 127, 128, 255] {
        // taken as 64, and 64 entries follow
        let full = random_chunk(rng, 64);
        let legal = [&good.sparse[..8], &full, &[0, 0]].concat();
        let mut sparse = legal.clone();
        sparse[8] = count;
        let values = golden(&good.dense, &legal, LENGTH, t, b);
        add(format!("count {count}"), &good.dense, packet(&sparse, bytes_of_word), &["count"], Some(values));
    }
    for (count, at) in [(2, 0), (9, 0), (9, 1), (9, 2), (9, 4), (9, 6), (9, 7), (64, 40)] {
        for equal in [true, false] {
            let mut chunk = random_chunk(rng, count);
            if equal {
                chunk[2 + at] = chunk[2 + at] & 0xc0 | chunk[1 + at] & 63;
            } else {
                chunk.swap(1 + at, 2 + at);
            }
            let sparse = [&good.sparse[..8], &[0], &chunk, &[0]].concat();
            add(
                format!("entries {at} and {} of {count}", at + 1),
                &good.dense,
                packet(&sparse, bytes_of_word),
                &["order"],
                None,
            );
        }
    }
    for bytes in 1..good.sparse.len() {
        let values = (bytes >= 8).then(|| golden(&good.dense, &completed(&good.sparse[..bytes]), LENGTH, t, b));
        let name = format!("{bytes} sparse bytes");
        add(name, &good.dense, packet(&good.sparse[..bytes], bytes_of_word), &["sparse length"], values);
    }
    for extra in (1..=2 * bytes_of_word + 2).chain([300]) {
        let mut sparse: Vec<u8> = good.sparse.iter().copied().chain((0..extra).map(|_| rng.u8(..))).collect();
        // no word of it can be a header: that would begin the next record
        let surplus = good.sparse.len().next_multiple_of(bytes_of_word);
        sparse.iter_mut().skip(surplus + 7).step_by(bytes_of_word).for_each(|byte| *byte |= 0x80);
        let name = format!("{extra} surplus sparse bytes");
        add(name, &good.dense, packet(&sparse, bytes_of_word), &["sparse length"], Some(right.clone()));
    }
    // in whole beats, or to the byte
    let beat = p.dense_bytes() as usize;
    let step = if p.dense_ends_within() { 1 } else { beat };
    // from the last byte on, now and then, or from the last beat on
    let shorter = (1..good.dense.len()).rev().step_by(if step == 1 { 3 } else { step });
    for bytes in shorter.map(|bytes| bytes / step * step).filter(|bytes| *bytes > 0) {
        let mut filled = good.dense[..bytes].to_vec();
        filled.resize(good.dense.len(), 0);
        let values = golden(&filled, &good.sparse, LENGTH, t, b);
        let name = format!("{bytes} dense bytes");
        add(name, &good.dense[..bytes], packet(&good.sparse, bytes_of_word), &["dense length"], Some(values));
    }
    // what is as long as a vector would count as one
    let beats = p.dense_beats(LENGTH as u32) as usize;
    for extra in [step, 2 * step, beat, 2 * beat, 3 * beat, 20 * beat].into_iter().filter(|extra| *extra < beats * beat)
    {
        let dense: Vec<u8> = good.dense.iter().copied().chain((0..extra).map(|_| rng.u8(..))).collect();
        let name = format!("{extra} surplus dense bytes");
        add(name, &dense, packet(&good.sparse, bytes_of_word), &["dense length"], Some(right.clone()));
    }
    all
}

/// The record whose sparse part ended early, as the engine takes it: entries that came count, the rest are none.
fn completed(cut: &[u8]) -> Vec<u8> {
    let mut sparse = cut[..8].to_vec();
    let mut rest = &cut[8..];
    for _ in 0..LENGTH / 64 {
        let entries = rest.first().map_or(0, |count| usize::from(*count).min(rest.len() - 1));
        sparse.push(entries as u8);
        sparse.extend(rest.iter().skip(1).take(entries));
        rest = &rest[rest.len().min(1 + entries)..];
    }
    sparse
}

/// Every way to be illegal (section 3): another width, the reserved bit, split, and each step.
fn illegal_headers(good: u64, t: &Thresholds, b: DenseBits) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = (60..64).map(|bit| (format!("another bit {bit}"), good ^ 1 << bit)).collect();
    let with = |shift: u32, width: u32, value: u64| good & !(((1 << width) - 1) << shift) | value << shift;
    let with_split = |split: u64| with(52, 5, split & 31) & !(3 << 58) | split >> 5 << 58;
    let most = u64::from(b.codes());
    let splits = (most + 1..128).filter(|split| *split <= most + 16 || split % 9 == 0);
    all.extend(splits.map(|split| (format!("split {split}"), with_split(split))));
    let (plus, minus) = (Side::Positive, Side::Negative);
    let added = [vec![t.t(plus), t.t(minus)], vec![t.s(plus)], vec![t.s(minus)], vec![]];
    for (i, added) in added.iter().enumerate() {
        let shift = 13 * i as u32;
        let most = u64::from(b.max_step_exponent());
        for e in [most + 1, most + 2, 63] {
            all.push((format!("step {i} with E = {e}"), with(shift, 13, e << 7 | 5)));
        }
        for f in [1, 64, 127] {
            all.push((format!("step {i} with E = 0 and F = {f}"), with(shift, 13, f)));
        }
        for e in 1..u64::from(least_e(added)) {
            all.push((format!("step {i}, too fine with E = {e}"), with(shift, 13, e << 7)));
        }
    }
    all
}

/// Every fault between good records: the flags are those of the fault, nothing hangs, and the next record is right.
#[test]
fn faults_are_flagged_and_over_with_their_vector() {
    for p in tested() {
        let lanes = p.lanes;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        for stalls in [NEVER, OFTEN] {
            let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) + 100));
            let t = Thresholds::from_bits(0xc400, 0xac00, 0x2800, 0x4200).expect("legal");
            let mut engine = jit::simulator(&design);
            let mut rig = Rig::new(p, &design, &mut engine, stalls);
            rig.set(&t, LENGTH);
            // with stalls it takes long: some of the faults
            let every = if stalls == NEVER { 1 } else { 3 };
            for fault in faults(p, &t, &mut rng).into_iter().step_by(every) {
                let around =
                    [random_record(&mut rng, LENGTH, &t, width(p)), random_record(&mut rng, LENGTH, &t, width(p))];
                rig.send(&around[0].dense, &around[0].sparse);
                rig.send_dense(&fault.dense);
                rig.bench.send(rig.sparse, fault.sparse);
                rig.send(&around[1].dense, &around[1].sparse);
                rig.flags.clear();
                let before = rig.given * lanes as usize;
                rig.finish(before + 3 * LENGTH);
                for flag in &fault.flags {
                    assert!(rig.flags.contains(flag), "{p:?}, {}: no {flag} error", fault.name);
                }
                // a header that is cut short may be illegal as well
                let cut_short = fault.flags == ["sparse length"] && fault.values.is_none();
                rig.flags.retain(|flag| !(fault.flags.contains(flag) || cut_short && *flag == "header"));
                assert!(rig.flags.is_empty(), "{p:?}, {}: {:?}", fault.name, rig.flags);
                let vectors = rig.vectors();
                let [before, faulty, after] = &vectors[..] else { panic!("{} vectors", vectors.len()) };
                let want = |r: &Record| golden(&r.dense, &r.sparse, LENGTH, &t, width(p));
                assert_eq!(*before, want(&around[0]), "{p:?}, before {}", fault.name);
                assert_eq!(*after, want(&around[1]), "{p:?}, after {}", fault.name);
                assert_eq!(faulty.len(), LENGTH);
                if let Some(values) = fault.values {
                    assert_eq!(*faulty, values, "{p:?}, {}", fault.name);
                }
            }
        }
    }
}

/// Words with any bytes, gaps and ends: every packet is a vector all the same, and a record behind them is right.
#[test]
fn noise_does_not_hang() {
    for p in tested() {
        let lanes = p.lanes;
        let bytes_of_word = p.sparse_bytes();
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) + 200));
        let t = random_thresholds(&mut rng);
        let mut engine = jit::simulator(&design);
        let mut rig = Rig::new(p, &design, &mut engine, OFTEN);
        rig.set(&t, LENGTH);
        for i in 1..100 {
            for (index, word) in (0..rng.u32(0..6)).rev().enumerate() {
                let small = rng.bool(); // so that counts are legal now and then
                let mut data: Vec<u8> =
                    (0..bytes_of_word).map(|_| if small { rng.u8(0..6) } else { rng.u8(..) }).collect();
                // what can be a header would be taken for the next record, whose last before it was lost
                data[7] |= if index > 0 { 0x80 } else { 0 };
                let keep: u64 = [0, u64::MAX, rng.u64(..)][rng.usize(0..3)] >> (64 - bytes_of_word);
                let last = u32::from(word == 0);
                let fields = vec![hdl::BigUint::from_bytes_le(&data), keep.into(), last.into()];
                rig.bench.send(rig.sparse, [Beat(fields)]);
                if word == 0 {
                    // less than twice as long as it should be
                    let beats = rng.usize(1..9).min(2 * p.dense_beats(LENGTH as u32) as usize - 1);
                    rig.send_dense(&vec![rng.u8(..); p.dense_bytes() as usize * beats]);
                }
            }
            let good = random_record(&mut rng, LENGTH, &t, width(p));
            rig.send(&good.dense, &good.sparse);
            let before = rig.given * lanes as usize;
            let vectors =
                if rig.bench.unsent(rig.sparse) > packet(&good.sparse, bytes_of_word as usize).len() { 2 } else { 1 };
            rig.finish(before + vectors * LENGTH);
            let got = rig.vectors();
            let want = golden(&good.dense, &good.sparse, LENGTH, &t, width(p));
            assert_eq!(got.last(), Some(&want), "{p:?}, round {i}");
        }
    }
}

/// Behind a record that is cut short in a long chunk, the words of the next one come while the walker still completes the first. They
/// are right, however many outliers they have.
#[test]
fn a_cut_record_before_full_ones() {
    for p in LANES.map(|lanes| params(lanes, 1024)) {
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(p.lanes) + 300));
        let mut engine = jit::simulator(&design);
        // with long stalls behind it, the ring is full of the next one's words meanwhile
        let blocked = [Stalls::Never, Stalls::Never, Stalls::Runs(150)];
        let lengths = [(384, 64), (448, 64), (448, 20), (1024, 64), (1024, 23), (1024, 10)];
        for ((length, count), stalls) in lengths.into_iter().flat_map(|x| [(x, NEVER), (x, blocked)]) {
            let t = random_thresholds(&mut rng);
            let mut rig = Rig::new(p, &design, &mut engine, stalls);
            rig.set(&t, length);
            let record = |rng: &mut Rng| {
                let mut record = random_record(rng, length, &t, width(p));
                record.sparse.truncate(8);
                (0..length / 64).for_each(|_| record.sparse.extend(random_chunk(rng, count)));
                record
            };
            for cut in [9, 10, 38, 66, 106, 139] {
                let records: Vec<Record> = (0..4).map(|_| record(&mut rng)).collect();
                rig.send(&records[0].dense, &records[0].sparse[..cut]);
                records[1..].iter().for_each(|r| rig.send(&r.dense, &r.sparse));
                rig.finish(rig.given * p.lanes as usize + 4 * length);
                let got = rig.vectors();
                for (r, got) in records.iter().zip(&got).skip(1) {
                    let want = golden(&r.dense, &r.sparse, length, &t, width(p));
                    assert!(*got == want, "{p:?}: {length} elements, {count} outliers a chunk, cut at {cut}");
                }
            }
        }
    }
}

/// Where the lasts of dense parts are lost, the vector of the first one is right, those behind it lack their codes, and the one behind
/// the next last is right again.
#[test]
fn a_lost_last_of_the_dense_part() {
    for (p, stalls) in tested().flat_map(|p| [(p, NEVER), (p, OFTEN)]) {
        let lanes = p.lanes;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) + 300));
        let t = random_thresholds(&mut rng);
        let mut engine = jit::simulator(&design);
        let mut rig = Rig::new(p, &design, &mut engine, stalls);
        rig.set(&t, LENGTH);
        for joined in [1, 2, 3, 7] {
            rig.flags.clear();
            let records: Vec<Record> = (0..=joined).map(|_| random_record(&mut rng, LENGTH, &t, width(p))).collect();
            let mut dense: Vec<Beat> = records[..joined].iter().flat_map(|r| dense_packet(p, &r.dense)).collect();
            let all_but_one = dense.len() - 1;
            dense[..all_but_one].iter_mut().flat_map(|beat| beat.0.last_mut()).for_each(|last| *last = 0u32.into());
            rig.bench.send(rig.dense, dense);
            rig.send_dense(&records[joined].dense);
            records.iter().for_each(|r| rig.bench.send(rig.sparse, packet(&r.sparse, p.sparse_bytes() as usize)));
            rig.finish((rig.given * lanes as usize) + (joined + 1) * LENGTH);
            let lacks = |i: usize| 0 < i && i < joined;
            let codes =
                |i: usize| if lacks(i) { vec![0; width(p).dense_bytes(LENGTH)] } else { records[i].dense.clone() };
            let want: Vec<Vec<u16>> =
                records.iter().enumerate().map(|(i, r)| golden(&codes(i), &r.sparse, LENGTH, &t, width(p))).collect();
            assert_eq!(rig.vectors(), want, "{p:?}, {joined} dense parts in one packet");
            let flags: &[&str] = if joined > 1 { &["dense length"] } else { &[] };
            assert_eq!(rig.flags, flags, "{p:?}, {joined} dense parts in one packet");
        }
    }
}

/// Whatever is under way when it flushes leaves with its full length; nothing is flagged, and the next record is right.
#[test]
fn a_flush_empties_the_engine() {
    for p in tested() {
        let lanes = p.lanes;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) + 400));
        let t = random_thresholds(&mut rng);
        let mut engine = jit::simulator(&design);
        let mut rig = Rig::new(p, &design, &mut engine, NEVER);
        rig.set(&t, LENGTH);
        let (flush, busy) = (rig.port(design.ports.flush), rig.port(design.ports.busy));
        for round in 0..60 {
            rig.flags.clear();
            // any of both parts, as if the rest got lost
            for _ in 0..rng.usize(0..4) {
                let record = random_record(&mut rng, LENGTH, &t, width(p));
                let mut sparse = packet(&record.sparse, p.sparse_bytes() as usize);
                let mut dense = dense_packet(p, &record.dense);
                sparse.truncate(rng.usize(0..=sparse.len()));
                dense.truncate(rng.usize(0..=dense.len()));
                rig.bench.send(rig.sparse, sparse);
                rig.bench.send(rig.dense, dense);
            }
            (0..rng.u32(0..200)).for_each(|_| rig.step());
            rig.bench.engine.poke(flush, 1);
            // what was seen before is flagged a few cycles later
            (0..10).for_each(|_| rig.step());
            rig.flags.clear();
            let mut cycles = 0;
            while rig.bench.unsent(rig.sparse) + rig.bench.unsent(rig.dense) > 0 || rig.bench.engine.peek(busy) == 1 {
                rig.step();
                cycles += 1;
                assert!(cycles < 4000, "{p:?}, round {round}: does not empty");
            }
            rig.bench.engine.poke(flush, 0);
            (0..20).for_each(|_| rig.step());
            assert!(rig.vectors().iter().all(|v| v.len() == LENGTH), "{p:?}, round {round}");
            assert!(rig.flags.is_empty(), "{p:?}, round {round}: {:?}", rig.flags);
            let good = random_record(&mut rng, LENGTH, &t, width(p));
            rig.send(&good.dense, &good.sparse);
            rig.finish(rig.given * lanes as usize + LENGTH);
            assert_eq!(
                rig.vectors(),
                [golden(&good.dense, &good.sparse, LENGTH, &t, width(p))],
                "{p:?}, round {round}"
            );
        }
    }
}

/// Where the lasts of sparse parts are lost, every record is read all the same.
#[test]
fn a_lost_last_of_the_sparse_part() {
    for (p, stalls) in tested().flat_map(|p| [(p, NEVER), (p, OFTEN)]) {
        let lanes = p.lanes;
        let bytes_of_word = p.sparse_bytes() as usize;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) + 500));
        let t = random_thresholds(&mut rng);
        let mut engine = jit::simulator(&design);
        let mut rig = Rig::new(p, &design, &mut engine, stalls);
        rig.set(&t, LENGTH);
        for round in 0..12 {
            rig.flags.clear();
            let joined = 1 + round % 5;
            let records: Vec<Record> = (0..=joined).map(|_| random_record(&mut rng, LENGTH, &t, width(p))).collect();
            records.iter().for_each(|r| rig.send_dense(&r.dense));
            for (i, record) in records.iter().enumerate() {
                let mut words = packet(&record.sparse, bytes_of_word);
                if let Some(word) = words.last_mut().filter(|_| i + 1 < joined) {
                    word.0[2] = 0u32.into();
                }
                rig.bench.send(rig.sparse, words);
            }
            rig.finish((rig.given * lanes as usize) + (joined + 1) * LENGTH);
            let want: Vec<Vec<u16>> =
                records.iter().map(|r| golden(&r.dense, &r.sparse, LENGTH, &t, width(p))).collect();
            assert_eq!(rig.vectors(), want, "{p:?}, {joined} sparse parts in one packet");
            let flags: &[&str] = if joined > 1 { &["sparse length"] } else { &[] };
            assert_eq!(rig.flags, flags, "{p:?}, {joined} sparse parts in one packet");
        }
    }
}

/// Surplus that looks like a record is taken for one, and the next packet is dropped in exchange: the one behind it is right.
#[test]
fn surplus_that_looks_like_a_record() {
    for p in tested() {
        let lanes = p.lanes;
        let bytes_of_word = p.sparse_bytes() as usize;
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(sim::bus::seed(u64::from(lanes) + 600));
        let t = random_thresholds(&mut rng);
        let mut engine = jit::simulator(&design);
        let mut rig = Rig::new(p, &design, &mut engine, OFTEN);
        rig.set(&t, LENGTH);
        for surplus in [bytes_of_word, bytes_of_word + 3, 3 * bytes_of_word - 1] {
            let records: Vec<Record> = (0..4).map(|_| random_record(&mut rng, LENGTH, &t, width(p))).collect();
            let mut long = records[0].sparse.clone();
            long.resize(long.len().next_multiple_of(bytes_of_word), 0);
            // a header with a middle step, and chunks whose counts do not fit
            let header = [0, 15, 0, 0, 0, 0, 0, ((p.dense_bits ^ 4) << 4) as u8];
            long.extend((0..surplus).map(|i| header.get(i).copied().unwrap_or(200)));
            records.iter().for_each(|r| rig.send_dense(&r.dense));
            rig.bench.send(rig.sparse, packet(&long, bytes_of_word));
            records[1..].iter().for_each(|r| rig.bench.send(rig.sparse, packet(&r.sparse, bytes_of_word)));
            rig.finish((rig.given * lanes as usize) + 4 * LENGTH);
            let got = rig.vectors();
            for right in [0, 2, 3] {
                let record = &records[right];
                assert_eq!(got[right], golden(&record.dense, &record.sparse, LENGTH, &t, width(p)), "{p:?}, {right}");
            }
            assert_eq!(got.len(), 4);
        }
    }
}
