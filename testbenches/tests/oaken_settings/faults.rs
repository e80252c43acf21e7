//! The way back with mistakes in it: what is flagged, and that the next records are right.

use super::back::{CASES, Dequantizer, decoded, decoded_without, device, encoded, random_records};
use super::random_settings;
use fastrand::Rng;
use hdl::engine::Engine;
use sim::bus::{AxiLiteMaster, Beat, Bench, Sink, Source, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::Thresholds;
use sim::oaken_bench::{Parts, Pauses, numbered};
use testbenches::drivers::random_vector;

/// A dequantizer with its settings stored, and what goes in and comes out.
pub struct Rig<'e> {
    d: &'e Dequantizer,
    pub bench: Bench<'e>,
    axil: AxiLiteMaster,
    pub dense: Source,
    pub sparse: Source,
    elements: Sink,
}

impl<'e> Rig<'e> {
    pub fn new(
        d: &'e Dequantizer,
        engine: &'e mut dyn Engine,
        table: &[(usize, Thresholds)],
        pauses: Pauses,
        seed: u64,
    ) -> Self {
        let (design, io) = (&d.design, &d.design.ports);
        let mut bench = Bench::new(engine, seed);
        let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
        let dense = bench.source(design, &io.s_axis_dense, pauses.dense);
        let sparse = bench.source(design, &io.s_axis_sparse, pauses.sparse);
        let elements = bench.sink(design, &io.m_axis, pauses.elements);
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        d.store(&mut bench, &axil, table).expect("answers");
        Rig { d, bench, axil, dense, sparse, elements }
    }
    pub fn read(&mut self, register: &str) -> u64 {
        self.axil.read(&mut self.bench, self.d.address(register)).expect("answers").1
    }
    pub fn write(&mut self, register: &str, value: u64) {
        self.axil.write(&mut self.bench, self.d.address(register), value).expect("answers");
    }
    /// The beats of a record's dense part; that of the last one says that it is, or not.
    pub fn dense_beats(&self, record: &Parts, ends: bool) -> Vec<Beat> {
        ended(packet(&record.dense, self.d.params.dense_bytes() as usize), ends)
    }
    pub fn sparse_beats(&self, (number, record): &(usize, Parts), ends: bool) -> Vec<Beat> {
        ended(numbered(packet(&record.sparse, self.d.params.sparse_bytes() as usize), Some(*number)), ends)
    }
    /// Both parts of a record.
    pub fn send(&mut self, record: &(usize, Parts)) {
        let (dense, sparse) = (self.dense_beats(&record.1, true), self.sparse_beats(record, true));
        self.bench.send(self.dense, dense);
        self.bench.send(self.sparse, sparse);
    }
    /// Runs until `lengths` have come, and everything stands still; what came since `before` beats.
    pub fn finish(&mut self, before: usize, lengths: impl Iterator<Item = usize>, what: &str) -> Vec<Vec<u16>> {
        let beats = before + lengths.map(|n| n / self.d.params.lanes as usize).sum::<usize>();
        let run = self.bench.run_until_received(self.elements, beats, 30_000);
        run.unwrap_or_else(|e| panic!("{what}, {:?}: {e}", self.d.params));
        self.bench.run(200).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((self.bench.beats(self.elements).len(), self.read("status")), (beats, 2), "{what}");
        let of = |bytes: &[u8]| bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        packet_bytes(&self.bench.beats(self.elements)[before..]).iter().map(|bytes| of(bytes)).collect()
    }
    pub fn received(&self) -> usize {
        self.bench.beats(self.elements).len()
    }
}

fn ended(mut beats: Vec<Beat>, ends: bool) -> Vec<Beat> {
    if let Some(last) = beats.last_mut() {
        last.0[2] = u32::from(ends).into();
    }
    beats
}

/// A number that nothing was stored under: flagged, and taken with what stands for it. The records around are right.
#[test]
fn a_number_without_a_setting_is_flagged() {
    let (unset, refused) = (1 << 7, 1 << 6);
    for lanes in [1, 4, 16, 32, 64] {
        let d = device(lanes, 4, 4);
        let mut engine = jit::simulator(&d.design);
        let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
        let mut rig = Rig::new(&d, &mut engine, &[(64, t)], Pauses::NEVER, 1);
        rig.write("length", 65);
        [1, 0x101].into_iter().for_each(|store| rig.write("setting", store));
        assert_eq!(rig.read("errors"), refused);
        // beyond the table
        rig.write("length", 64);
        [4, 0x104].into_iter().for_each(|store| rig.write("setting", store));
        assert_eq!(rig.read("errors"), refused);
        rig.write("errors", refused);
        let none = Thresholds::from_bits(0xfbff, 0x8000, 0, 0x7bff).expect("legal");
        let table = [(64, t), (512, none), (512, none), (512, none)];
        let mut rng = Rng::with_seed(seed(3));
        let records: Vec<(usize, Parts)> = [0, 3, 0, 1, 0]
            .map(|number| {
                (number, encoded(&d, &random_vector(&mut rng, table[number].0, &table[number].1), &table[number].1))
            })
            .to_vec();
        records.iter().for_each(|record| rig.send(record));
        let got = rig.finish(0, records.iter().map(|(number, _)| table[*number].0), "unset");
        for (i, (got, (number, record))) in got.iter().zip(&records).enumerate() {
            assert_eq!(*got, decoded(&d, record, &table[*number]), "vector {i}, {lanes} lanes");
        }
        assert_eq!(rig.read("errors"), unset, "{lanes} lanes");
    }
}

/// How the streams pause where faults are tested: the sparse part may come long after the dense one.
const PAUSES: [Pauses; 3] = [
    Pauses::NEVER,
    Pauses::OFTEN,
    Pauses { elements: Stalls::Never, dense: Stalls::Never, sparse: Stalls::Percent(90) },
];

/// Lasts of dense parts that are lost, vectors of other lengths behind them: those whose codes hung on to another lack them, all others
/// are right.
#[test]
fn lost_lasts_of_the_dense_part() {
    for ((lanes, dense_bits, settings), pauses) in
        CASES.into_iter().flat_map(|case| PAUSES.map(|pauses| (case, pauses)))
    {
        let d = device(lanes, dense_bits, settings);
        let mut engine = jit::simulator(&d.design);
        let seed = seed(u64::from(lanes) + 40);
        let mut rng = Rng::with_seed(seed);
        let table = random_settings(&mut rng, settings);
        let mut rig = Rig::new(&d, &mut engine, &table, pauses, seed);
        for round in 0..8 {
            let records = random_records(&d, &mut rng, &table, 8);
            let lost: Vec<bool> = (0..8).map(|i| i < 5 && rng.u32(0..3) == 0).collect();
            let before = rig.received();
            for (record, lost) in records.iter().zip(&lost) {
                let beats = rig.dense_beats(&record.1, !lost);
                rig.bench.send(rig.dense, beats);
                let beats = rig.sparse_beats(record, true);
                rig.bench.send(rig.sparse, beats);
            }
            let what = format!("round {round}, {lost:?}, {pauses:?}");
            let got = rig.finish(before, records.iter().map(|(number, _)| table[*number].0), &what);
            for (i, (got, (number, record))) in got.iter().zip(&records).enumerate() {
                let hangs_on = i > 0 && lost[i - 1];
                let want = if hangs_on { decoded_without } else { decoded };
                assert_eq!(*got, want(&d, record, &table[*number]), "vector {i}, {what}, {:?}, seed {seed}", d.params);
            }
            let flags = if lost.contains(&true) { 16 } else { 0 };
            // and bytes that are not kept within a part
            assert_eq!(rig.read("errors") & !32, flags, "{what}");
            rig.write("errors", 0xff);
        }
    }
}

/// Lasts of sparse parts that are lost: the word that begins the next record names its setting, and all are right.
#[test]
fn lost_lasts_of_the_sparse_part() {
    for ((lanes, dense_bits, settings), pauses) in
        CASES.into_iter().flat_map(|case| PAUSES.map(|pauses| (case, pauses)))
    {
        let d = device(lanes, dense_bits, settings);
        let mut engine = jit::simulator(&d.design);
        let seed = seed(u64::from(lanes) + 50);
        let mut rng = Rng::with_seed(seed);
        let table = random_settings(&mut rng, settings);
        let mut rig = Rig::new(&d, &mut engine, &table, pauses, seed);
        for round in 0..8 {
            let mut records = random_records(&d, &mut rng, &table, 8);
            // a header without steps is taken for padding
            records
                .iter_mut()
                .filter(|(_, r)| r.sparse[..7].iter().all(|x| *x == 0))
                .for_each(|(_, r)| r.sparse[1] = 15);
            let lost: Vec<bool> = (0..8).map(|i| i < 5 && rng.u32(0..3) == 0).collect();
            let before = rig.received();
            for (record, lost) in records.iter().zip(&lost) {
                let beats = rig.dense_beats(&record.1, true);
                rig.bench.send(rig.dense, beats);
                let beats = rig.sparse_beats(record, !lost);
                rig.bench.send(rig.sparse, beats);
            }
            let what = format!("round {round}, {lost:?}, {pauses:?}");
            let got = rig.finish(before, records.iter().map(|(number, _)| table[*number].0), &what);
            for (i, (got, (number, record))) in got.iter().zip(&records).enumerate() {
                let want = decoded(&d, record, &table[*number]);
                assert_eq!(*got, want, "vector {i}, {what}, {:?}, seed {seed}", d.params);
            }
            let flags = if lost.contains(&true) { 8 } else { 0 };
            assert_eq!(rig.read("errors") & !32 & !1, flags, "{what}");
            rig.write("errors", 0xff);
        }
    }
}

/// One mover for both parts, sparse part first, and surplus behind every other dense part: it is dropped although nothing of the next
/// vector is there yet.
#[test]
fn surplus_of_the_dense_part_waits_for_nothing() {
    for lanes in [1, 4, 16, 64] {
        let d = device(lanes, 4, 2);
        let mut engine = jit::simulator(&d.design);
        let mut rng = Rng::with_seed(seed(7));
        let table = [(512, super::random_thresholds(&mut rng)), (256, super::random_thresholds(&mut rng))];
        let mut rig = Rig::new(&d, &mut engine, &table, Pauses::NEVER, 1);
        let records: Vec<(usize, Parts)> = (0..8)
            .map(|i| (i % 2, encoded(&d, &random_vector(&mut rng, table[i % 2].0, &table[i % 2].1), &table[i % 2].1)))
            .collect();
        for (i, record) in records.iter().enumerate() {
            let surplus = i % 2 == 0;
            let sparse = rig.sparse_beats(record, true);
            rig.bench.send(rig.sparse, sparse);
            let mut dense = rig.dense_beats(&record.1, !surplus);
            if surplus {
                // as long as the longest vector but one beat
                let beats = (d.params.dense_beats(256) - 1) as usize;
                dense.extend(packet(
                    &vec![0x55; beats * d.params.dense_bytes() as usize],
                    d.params.dense_bytes() as usize,
                ));
            }
            let before = rig.received();
            rig.bench.send(rig.dense, dense);
            let got = rig.finish(before, std::iter::once(table[record.0].0), &format!("vector {i}"));
            assert_eq!(got, [decoded(&d, &record.1, &table[record.0])], "vector {i}, {lanes} lanes");
            assert_eq!(rig.bench.unsent(rig.dense), 0, "vector {i}, {lanes} lanes");
        }
    }
}

/// Whatever is under way leaves when the engine is flushed, and the next record is right.
#[test]
fn a_flush_ends_what_is_under_way() {
    for (lanes, dense_bits, settings) in CASES {
        let d = device(lanes, dense_bits, settings);
        let mut engine = jit::simulator(&d.design);
        let mut rng = Rng::with_seed(seed(u64::from(lanes) + 60));
        let table = random_settings(&mut rng, settings);
        let mut rig = Rig::new(&d, &mut engine, &table, Pauses::NEVER, 1);
        for round in 0..16 {
            for (number, record) in random_records(&d, &mut rng, &table, 3) {
                let (mut dense, mut sparse) =
                    (rig.dense_beats(&record, rng.bool()), rig.sparse_beats(&(number, record), rng.bool()));
                dense.truncate(rng.usize(0..=dense.len()));
                sparse.truncate(rng.usize(0..=sparse.len()));
                rig.bench.send(rig.dense, dense);
                rig.bench.send(rig.sparse, sparse);
            }
            rig.bench.run(rng.u64(0..150)).unwrap_or_else(|e| panic!("{e}"));
            rig.write("flush", 1);
            rig.bench.run(2000).unwrap_or_else(|e| panic!("{e}"));
            let left = rig.bench.unsent(rig.dense) + rig.bench.unsent(rig.sparse);
            assert_eq!((left, rig.read("status")), (0, 2), "round {round}, {:?}", d.params);
            rig.write("flush", 0);
            let before = rig.received();
            let records = random_records(&d, &mut rng, &table, 3);
            records.iter().for_each(|record| rig.send(record));
            let got = rig.finish(before, records.iter().map(|(number, _)| table[*number].0), "behind a flush");
            let want: Vec<Vec<u16>> = records.iter().map(|(number, r)| decoded(&d, r, &table[*number])).collect();
            assert_eq!(got, want, "round {round}, {:?}", d.params);
        }
    }
}

/// While vectors may not begin, no beat of one is taken, and what waits is right afterwards.
#[test]
fn a_disabled_engine_takes_nothing() {
    for lanes in [1, 16, 64] {
        let d = device(lanes, 4, 2);
        let mut engine = jit::simulator(&d.design);
        let mut rng = Rng::with_seed(seed(8));
        let table = random_settings(&mut rng, 2);
        let mut rig = Rig::new(&d, &mut engine, &table, Pauses::NEVER, 1);
        for round in 0..3 {
            rig.write("enable", 0);
            let records = random_records(&d, &mut rng, &table, 3);
            let before = rig.received();
            records.iter().for_each(|record| rig.send(record));
            let unsent = |rig: &Rig| rig.bench.unsent(rig.dense) + rig.bench.unsent(rig.sparse);
            let all = unsent(&rig);
            rig.bench.run(100).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((unsent(&rig), rig.read("status")), (all, 2), "round {round}, {lanes} lanes");
            rig.write("enable", 1);
            let got = rig.finish(before, records.iter().map(|(number, _)| table[*number].0), "enabled again");
            let want: Vec<Vec<u16>> = records.iter().map(|(number, r)| decoded(&d, r, &table[*number])).collect();
            assert_eq!(got, want, "round {round}, {lanes} lanes");
        }
    }
}

/// From the first word of an empty engine to the first element: what the catalogue says, two cycles more than with one setting.
#[test]
fn the_setting_is_looked_up_in_two_cycles() {
    let latencies = [1, 2, 4, 8, 16, 32, 64].map(|lanes| {
        let d = device(lanes, 4, 2);
        let mut engine = jit::simulator(&d.design);
        let t = Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
        let mut rig = Rig::new(&d, &mut engine, &[(64, t), (64, t)], Pauses::NEVER, 1);
        let middle = vec![half::f16::from_f32(0.5).to_bits(); 64];
        let record = (1, encoded(&d, &middle, &t));
        rig.send(&record);
        rig.finish(0, std::iter::once(64), "one vector");
        rig.bench.received_at(rig.elements)[0] - rig.bench.sent_at(rig.sparse)[0]
    });
    let range = (latencies.iter().min().copied(), latencies.iter().max().copied());
    assert_eq!(range, (Some(29), Some(40)), "{latencies:?}");
}
