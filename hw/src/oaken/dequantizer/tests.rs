//! The dequantizer against records that no encoder makes: any legal header, and every kind of mistake.

use super::{DequantizerPorts, LATENCY, dequantizer};
use crate::oaken::tests::{beats, params, set_thresholds, with_outliers};
use crate::oaken::types::EngineParams;
use fastrand::Rng;
use hdl::sim::Simulator;
use hdl::{Design, Signal};
use sim::bus::{Beat, Bench, Sink, Source, Stalls, packet};
use sim::golden::oaken::{self, Header, Record, Side, Step, Thresholds};

const LANES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const NEVER: [Stalls; 3] = [Stalls::Never; 3];
const OFTEN: [Stalls; 3] = [Stalls::Percent(40), Stalls::Runs(9), Stalls::Percent(30)];

/// The dequantizer with a source on either part of the records, and the flags seen so far.
struct Rig<'a> {
    bench: Bench<'a>,
    design: &'a Design<DequantizerPorts>,
    p: EngineParams,
    dense: Source,
    sparse: Source,
    m: Sink,
    /// Beats of `m` that [`Rig::vectors`] has given.
    given: usize,
    flags: Vec<&'static str>,
}

impl<'a> Rig<'a> {
    /// `stalls` of dense, sparse and the elements.
    fn new(
        p: EngineParams,
        design: &'a Design<DequantizerPorts>,
        engine: &'a mut Simulator,
        stalls: [Stalls; 3],
    ) -> Self {
        let mut bench = Bench::new(engine, sim::bus::seed(5));
        let dense = bench.source(design, &design.ports.dense, stalls[0]);
        let sparse = bench.source(design, &design.ports.sparse, stalls[1]);
        let m = bench.sink(design, &design.ports.m, stalls[2]);
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        Self { bench, design, p, dense, sparse, m, given: 0, flags: vec![] }
    }

    fn port(&self, signal: Signal) -> usize {
        self.design.port_index(signal).expect("a port")
    }

    fn set(&mut self, t: &Thresholds, length: usize) {
        set_thresholds(self.bench.engine, self.design, self.design.ports.thresholds, t);
        let (length_port, enable) = (self.port(self.design.ports.length), self.port(self.design.ports.enable));
        self.bench.engine.poke(length_port, length as u64);
        self.bench.engine.poke(enable, 1);
        self.step();
    }

    fn send_dense(&mut self, dense: &[u8]) {
        let bytes: Vec<u64> = dense.iter().map(|b| u64::from(*b)).collect();
        self.bench.send(self.dense, beats(&bytes, 8, self.p.dense_bytes() as usize));
    }

    fn send(&mut self, dense: &[u8], sparse: &[u8]) {
        self.send_dense(dense);
        self.bench.send(self.sparse, packet(sparse, self.p.sparse_bytes() as usize));
    }

    fn step(&mut self) {
        let io = &self.design.ports;
        let errors = [
            ("header", io.header_error),
            ("count", io.count_error),
            ("order", io.order_error),
            ("sparse length", io.sparse_length_error),
            ("dense length", io.dense_length_error),
        ];
        self.bench.step().unwrap_or_else(|e| panic!("{e}"));
        for (name, signal) in errors {
            let port = self.port(signal);
            if self.bench.engine.peek(port) == 1 && !self.flags.contains(&name) {
                self.flags.push(name);
            }
        }
    }

    /// Runs until so many elements arrived, and on until everything is taken: nothing may be left over.
    fn finish(&mut self, elements: usize) {
        let wanted = elements / self.p.lanes as usize;
        let busy = self.port(self.design.ports.busy);
        let limit = self.bench.cycle() + 400 + 40 * wanted as u64;
        let left = |rig: &mut Self| rig.bench.unsent(rig.dense) + rig.bench.unsent(rig.sparse);
        while self.bench.beats(self.m).len() < wanted || left(self) > 0 || self.bench.engine.peek(busy) == 1 {
            let got = self.bench.beats(self.m).len();
            assert!(self.bench.cycle() < limit, "hangs with {got} of {wanted} beats, {} beats unsent", left(self));
            self.step();
        }
        (0..30).for_each(|_| self.step());
        assert_eq!(self.bench.beats(self.m).len(), wanted, "beats out");
    }

    /// The vectors that came out since the last call, cut at `last`.
    fn vectors(&mut self) -> Vec<Vec<u16>> {
        let (mut vectors, mut elements) = (vec![], vec![]);
        for beat in &self.bench.beats(self.m)[self.given..] {
            let mut bytes = beat.0[0].to_bytes_le();
            bytes.resize(2 * self.p.lanes as usize, 0);
            elements.extend(bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])));
            if beat.field(1) == 1 {
                vectors.push(std::mem::take(&mut elements));
            }
        }
        assert!(elements.is_empty(), "elements behind the last vector");
        self.given = self.bench.beats(self.m).len();
        vectors
    }
}

/// Thresholds of every size: zeros, subnormal, the largest, equal ones.
fn random_thresholds(rng: &mut Rng) -> Thresholds {
    let side = |rng: &mut Rng| {
        let one = |rng: &mut Rng| match rng.u32(0..6) {
            0 => [0, 1, 2, 0x1ff, 0x200, 0x3ff, 0x400, 0x7bff][rng.usize(0..8)],
            1 => rng.u16(0..0x800),
            _ => rng.u16(0..0x7c00),
        };
        let (a, b) = (one(rng), one(rng));
        if rng.u32(0..8) == 0 { (a, a) } else { (a.min(b), a.max(b)) }
    };
    let ((t_low, s_low), (t_high, s_high)) = (side(rng), side(rng));
    Thresholds::from_bits(s_low | 0x8000, t_low | 0x8000, t_high, s_high).expect("legal")
}

/// The least E that section 3 of the format allows beside thresholds with these magnitudes.
fn least_e(added: &[u64]) -> u32 {
    added.iter().filter(|t| **t != 0).map(|t| t.ilog2().saturating_sub(6)).fold(1, u32::max)
}

/// Any legal step, often one of the finest (where most bits count) or of the coarsest (where values saturate).
fn random_step(rng: &mut Rng, added: &[u64]) -> Step {
    let least = least_e(added);
    let exponent = match rng.u32(0..8) {
        0 => return Step::ZERO,
        1..=4 => (least + rng.u32(0..4)).min(38),
        5 => 38,
        _ => rng.u32(least..=38),
    };
    Step { exponent, fraction: [0, 127, rng.u32(0..128)][rng.usize(0..3)] }
}

fn random_header(rng: &mut Rng, t: &Thresholds) -> Header {
    let (plus, minus) = (Side::Positive, Side::Negative);
    Header {
        middle: random_step(rng, &[t.t(plus), t.t(minus)]),
        outer_positive: random_step(rng, &[t.s(plus)]),
        outer_negative: random_step(rng, &[t.s(minus)]),
        inner: random_step(rng, &[]),
        split: rng.u32(0..=16),
        nonfinite: rng.bool(),
    }
}

/// A count and that many entries in ascending order.
fn random_chunk(rng: &mut Rng, count: usize) -> Vec<u8> {
    let mut positions: Vec<u8> = (0..64).collect();
    rng.shuffle(&mut positions);
    positions.truncate(count);
    positions.sort_unstable();
    let entries = positions.into_iter().map(|position| position | rng.u8(0..4) << 6);
    std::iter::once(count as u8).chain(entries).collect()
}

/// A legal record, whatever encoder might make it.
fn random_record(rng: &mut Rng, length: usize, t: &Thresholds) -> Record {
    let header = random_header(rng, t).to_bits();
    let most = [0, 2, 9, 20, 64][rng.usize(0..5)];
    let mut sparse = header.to_le_bytes().to_vec();
    for _ in 0..length / 64 {
        let count = if rng.u32(0..8) == 0 { 64 } else { rng.usize(0..=most) };
        sparse.extend(random_chunk(rng, count));
    }
    let dense = (0..length / 2).map(|_| rng.u8(..)).collect();
    Record { header, dense, sparse }
}

fn golden(dense: &[u8], sparse: &[u8], length: usize, t: &Thresholds) -> Vec<u16> {
    oaken::decode(dense, sparse, length, t).unwrap_or_else(|e| panic!("{e}"))
}

/// Any legal header with any legal thresholds, which change between the vectors.
#[test]
fn every_legal_record_has_the_golden_value() {
    for lanes in LANES {
        let p = params(lanes, 320);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        for stalls in [NEVER, OFTEN] {
            let mut rng = Rng::with_seed(u64::from(lanes));
            let mut engine = Simulator::new(&design);
            let mut rig = Rig::new(p, &design, &mut engine, stalls);
            let (mut want, mut elements) = (vec![], 0);
            for _ in 0..20 * lanes.min(16) {
                let (t, length) = (random_thresholds(&mut rng), 64 * rng.usize(1..=5));
                rig.set(&t, length);
                for _ in 0..rng.usize(1..4) {
                    let record = random_record(&mut rng, length, &t);
                    rig.send(&record.dense, &record.sparse);
                    want.push(golden(&record.dense, &record.sparse, length, &t));
                    elements += length;
                }
                rig.finish(elements);
            }
            assert_eq!(rig.flags, [""; 0], "errors of legal records");
            for (i, (got, want)) in rig.vectors().iter().zip(&want).enumerate() {
                assert_eq!(got, want, "vector {i} at {lanes} lanes");
            }
        }
    }
}

/// Settings that change while a vector is under way are those of the next one.
#[test]
fn settings_belong_to_whole_vectors() {
    for lanes in LANES {
        let p = params(lanes, 256);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(11);
        for delay in 0..24 {
            let mut engine = Simulator::new(&design);
            let mut rig = Rig::new(p, &design, &mut engine, NEVER);
            let busy = rig.port(design.ports.busy);
            let (mut want, mut elements) = (vec![], 0);
            for length in [192, 64, 256] {
                let t = random_thresholds(&mut rng);
                let record = random_record(&mut rng, length, &t);
                rig.set(&t, length);
                rig.send(&record.dense, &record.sparse);
                want.push(golden(&record.dense, &record.sparse, length, &t));
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
            assert_eq!(rig.vectors(), want, "{lanes} lanes, changed {delay} cycles later");
        }
    }
}

#[test]
fn only_the_ready_of_the_sparse_part_is_combinational() {
    for lanes in LANES {
        let design = dequantizer(params(lanes, 128)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(design.combinational_paths(), [("sparse_valid", "sparse_ready")], "{lanes} lanes");
    }
}

/// From the first word to the first element, when the first chunk has no outliers.
#[test]
fn latency_is_as_stated() {
    for lanes in LANES {
        let p = params(lanes, 128);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = Simulator::new(&design);
        let mut rig = Rig::new(p, &design, &mut engine, NEVER);
        rig.set(&Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal"), 64);
        rig.send(&[0; 32], &[0; 9]);
        rig.finish(64);
        let latency = rig.bench.received_at(rig.m)[0] - rig.bench.sent_at(rig.sparse)[0];
        assert_eq!(latency, LATENCY, "{lanes} lanes");
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
            let mut rng = Rng::with_seed(length as u64);
            let mut engine = Simulator::new(&design);
            let mut rig = Rig::new(p, &design, &mut engine, NEVER);
            rig.set(&t, length);
            let vectors = (4096 / length).clamp(2, 24);
            for _ in 0..vectors {
                // full chunks, but now and then a vector with fewer
                let outliers = if rng.u32(0..4) == 0 { rng.usize(0..8) } else { 8 };
                let record = oaken::encode(&with_outliers(&mut rng, length, outliers), &t);
                rig.send(&record.dense, &record.sparse);
            }
            rig.finish(vectors * length);
            assert_eq!(rig.bench.bubbles(rig.m), 0, "{lanes} lanes, {length} elements");
        }
    }
}

/// A faulty record: what is sent, the flags it must raise, and the values where they are defined.
struct Fault {
    name: String,
    dense: Vec<u8>,
    sparse: Vec<Beat>,
    flags: Vec<&'static str>,
    values: Option<Vec<u16>>,
}

const LENGTH: usize = 192;

/// The faults, made from a good record of [`LENGTH`] elements with three entries in each chunk.
fn faults(p: EngineParams, t: &Thresholds, rng: &mut Rng) -> Vec<Fault> {
    let width = p.sparse_bytes() as usize;
    let mut good = random_record(rng, LENGTH, t);
    good.sparse.truncate(8);
    (0..3).for_each(|_| good.sparse.extend(random_chunk(rng, 3)));
    let right = golden(&good.dense, &good.sparse, LENGTH, t);
    let mut all = vec![];
    let mut add = |name: String, dense: &[u8], sparse: Vec<Beat>, flags: &[&'static str], values: Option<Vec<u16>>| {
        all.push(Fault { name, dense: dense.to_vec(), sparse, flags: flags.to_vec(), values });
    };

    for (name, bits) in illegal_headers(good.header, t) {
        let sparse = [&bits.to_le_bytes()[..], &good.sparse[8..]].concat();
        add(name, &good.dense, packet(&sparse, width), &["header"], None);
    }
    for count in [65u8, 66, 127, 128, 255] {
        // taken as 64, and 64 entries follow
        let full = random_chunk(rng, 64);
        let legal = [&good.sparse[..8], &full, &[0, 0]].concat();
        let mut sparse = legal.clone();
        sparse[8] = count;
        let values = golden(&good.dense, &legal, LENGTH, t);
        add(format!("count {count}"), &good.dense, packet(&sparse, width), &["count"], Some(values));
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
                packet(&sparse, width),
                &["order"],
                None,
            );
        }
    }
    for bytes in 1..good.sparse.len() {
        let values = (bytes >= 8).then(|| golden(&good.dense, &completed(&good.sparse[..bytes]), LENGTH, t));
        let name = format!("{bytes} sparse bytes");
        add(name, &good.dense, packet(&good.sparse[..bytes], width), &["sparse length"], values);
    }
    for extra in (1..=2 * width + 2).chain([300]) {
        let sparse: Vec<u8> = good.sparse.iter().copied().chain((0..extra).map(|_| rng.u8(..))).collect();
        let name = format!("{extra} surplus sparse bytes");
        add(name, &good.dense, packet(&sparse, width), &["sparse length"], Some(right.clone()));
    }
    let step = p.dense_bytes() as usize;
    for bytes in (step..good.dense.len()).step_by(step) {
        let mut filled = good.dense[..bytes].to_vec();
        filled.resize(good.dense.len(), 0);
        let values = golden(&filled, &good.sparse, LENGTH, t);
        let name = format!("{bytes} dense bytes");
        add(name, &good.dense[..bytes], packet(&good.sparse, width), &["dense length"], Some(values));
    }
    for extra in [1, 2, 3, 20] {
        let dense: Vec<u8> = good.dense.iter().copied().chain((0..extra * step).map(|_| rng.u8(..))).collect();
        let name = format!("{extra} surplus dense beats");
        add(name, &dense, packet(&good.sparse, width), &["dense length"], Some(right.clone()));
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

/// Every way to be illegal (section 3): reserved bits, split, and each step.
fn illegal_headers(good: u64, t: &Thresholds) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = (58..64).map(|bit| (format!("reserved bit {bit}"), good | 1 << bit)).collect();
    let with = |shift: u32, width: u32, value: u64| good & !(((1 << width) - 1) << shift) | value << shift;
    all.extend((17..32).map(|split| (format!("split {split}"), with(52, 5, split))));
    let (plus, minus) = (Side::Positive, Side::Negative);
    let added = [vec![t.t(plus), t.t(minus)], vec![t.s(plus)], vec![t.s(minus)], vec![]];
    for (i, added) in added.iter().enumerate() {
        let shift = 13 * i as u32;
        for e in [39, 40, 63] {
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
    for lanes in LANES {
        let p = params(lanes, 256);
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        for stalls in [NEVER, OFTEN] {
            let mut rng = Rng::with_seed(u64::from(lanes) + 100);
            let t = Thresholds::from_bits(0xc400, 0xac00, 0x2800, 0x4200).expect("legal");
            let mut engine = Simulator::new(&design);
            let mut rig = Rig::new(p, &design, &mut engine, stalls);
            rig.set(&t, LENGTH);
            // with stalls it takes long: some of the faults
            let every = if stalls == NEVER { 1 } else { 3 };
            for fault in faults(p, &t, &mut rng).into_iter().step_by(every) {
                let around = [random_record(&mut rng, LENGTH, &t), random_record(&mut rng, LENGTH, &t)];
                rig.send(&around[0].dense, &around[0].sparse);
                rig.send_dense(&fault.dense);
                rig.bench.send(rig.sparse, fault.sparse);
                rig.send(&around[1].dense, &around[1].sparse);
                rig.flags.clear();
                let before = rig.given * lanes as usize;
                rig.finish(before + 3 * LENGTH);
                for flag in &fault.flags {
                    assert!(rig.flags.contains(flag), "{lanes} lanes, {}: no {flag} error", fault.name);
                }
                // a header that is cut short may be illegal as well
                let cut_short = fault.flags == ["sparse length"] && fault.values.is_none();
                rig.flags.retain(|flag| !(fault.flags.contains(flag) || cut_short && *flag == "header"));
                assert!(rig.flags.is_empty(), "{lanes} lanes, {}: {:?}", fault.name, rig.flags);
                let vectors = rig.vectors();
                let [before, faulty, after] = &vectors[..] else { panic!("{} vectors", vectors.len()) };
                let want = |r: &Record| golden(&r.dense, &r.sparse, LENGTH, &t);
                assert_eq!(*before, want(&around[0]), "{lanes} lanes, before {}", fault.name);
                assert_eq!(*after, want(&around[1]), "{lanes} lanes, after {}", fault.name);
                assert_eq!(faulty.len(), LENGTH);
                if let Some(values) = fault.values {
                    assert_eq!(*faulty, values, "{lanes} lanes, {}", fault.name);
                }
            }
        }
    }
}

/// Words with any bytes, gaps and ends: every packet is a vector all the same, and a record behind them is right.
#[test]
fn noise_does_not_hang() {
    for lanes in LANES {
        let p = params(lanes, 256);
        let width = p.sparse_bytes();
        let design = dequantizer(p).unwrap_or_else(|e| panic!("{e}"));
        let mut rng = Rng::with_seed(u64::from(lanes) + 200);
        let t = random_thresholds(&mut rng);
        let mut engine = Simulator::new(&design);
        let mut rig = Rig::new(p, &design, &mut engine, OFTEN);
        rig.set(&t, LENGTH);
        for i in 1..100 {
            for word in (0..rng.u32(0..6)).rev() {
                let small = rng.bool(); // so that counts are legal now and then
                let data: Vec<u8> = (0..width).map(|_| if small { rng.u8(0..6) } else { rng.u8(..) }).collect();
                let keep: u64 = [0, u64::MAX, rng.u64(..)][rng.usize(0..3)] >> (64 - width);
                let last = u32::from(word == 0);
                let fields = vec![hdl::BigUint::from_bytes_le(&data), keep.into(), last.into()];
                rig.bench.send(rig.sparse, [Beat(fields)]);
                if word == 0 {
                    rig.send_dense(&vec![rng.u8(..); p.dense_bytes() as usize * rng.usize(1..9)]);
                }
            }
            let good = random_record(&mut rng, LENGTH, &t);
            rig.send(&good.dense, &good.sparse);
            let before = rig.given * lanes as usize;
            let vectors = if rig.bench.unsent(rig.sparse) > packet(&good.sparse, width as usize).len() { 2 } else { 1 };
            rig.finish(before + vectors * LENGTH);
            let got = rig.vectors();
            let want = golden(&good.dense, &good.sparse, LENGTH, &t);
            assert_eq!(got.last(), Some(&want), "{lanes} lanes, round {i}");
        }
    }
}
