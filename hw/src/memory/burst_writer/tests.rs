use super::{BurstWriterPorts, burst_writer};
use crate::memory::testing::*;
use fastrand::Rng;
use hdl::Design;
use hdl::bus::{Bench, Sink, Source, Stalls, packet, seed};
use hdl::sim::Simulator;
use sim::bus::axi4::Response;
use sim::bus::axi4_memory::{Axi4Memory, MemoryModel, SparseBytes};

/// A writer with a memory behind it.
struct Rig<'e> {
    bench: Bench<'e>,
    memory: Axi4Memory,
    command: Source,
    data: Source,
    done: Sink,
    width: usize,
}

impl<'e> Rig<'e> {
    fn new(
        design: &Design<BurstWriterPorts>,
        engine: &'e mut Simulator,
        model: MemoryModel,
        stalls: [Stalls; 3],
        seed: u64,
    ) -> Rig<'e> {
        let mut bench = Bench::new(engine, seed);
        let io = design.ports;
        let mut memory = Axi4Memory::new(model, seed);
        let command = bench.source(design, &io.command, stalls[0]);
        let data = bench.source(design, &io.s_axis, stalls[1]);
        let done = bench.sink(design, &io.done, stalls[2]);
        memory.write_port(&mut bench, design, &io.m_axi);
        bench.reset().unwrap();
        let width = io.s_axis.tkeep.width() as usize;
        Rig { bench, memory, command, data, done, width }
    }
    fn send(&mut self, address: u64, bytes: u64, data: &[u8], tag: u64) {
        self.bench.send(self.command, [[address, bytes, tag]]);
        match data {
            [] => self.bench.send(self.data, [[tag, 0, 1]]),
            _ => self.bench.send(self.data, packet(data, self.width)),
        }
    }
    fn finish(&mut self, commands: usize) {
        let start = self.bench.cycle();
        while self.bench.beats(self.done).len() < commands || self.bench.unsent(self.data) > 0 {
            self.memory.step(&mut self.bench).unwrap_or_else(|e| panic!("{e}"));
            self.bench.step().unwrap_or_else(|e| panic!("{e}"));
            assert!(self.bench.cycle() < start + 400_000, "{} commands are done", self.bench.beats(self.done).len());
        }
        self.memory.step(&mut self.bench).unwrap_or_else(|e| panic!("{e}"));
    }
    /// Outcome and address of each command.
    fn outcomes(&self) -> Vec<(u64, u64)> {
        let beats = self.bench.beats(self.done).iter().enumerate();
        beats
            .map(|(tag, beat)| (beat.field(0), tag, beat))
            .map(|(got, tag, beat)| {
                assert_eq!(got, tag as u64 & 255);
                (beat.field(1), beat.field(2))
            })
            .collect()
    }
}

fn random_bytes(rng: &mut Rng, n: u64) -> Vec<u8> {
    (0..n).map(|_| rng.u8(..)).collect()
}

/// All bytes of the memory up to 256 MiB that are not 0 or were written.
fn same(a: &SparseBytes, b: &SparseBytes) {
    assert_eq!(a.pages(), b.pages());
}

/// Any address, any length, with stalls everywhere: the bytes of the packets and no other, in the fewest bursts.
#[test]
fn writes_any_bytes() {
    for (width, outstanding) in [(4, 1), (4, 16), (8, 3), (8, 8), (16, 2), (32, 5), (64, 4), (64, 16)] {
        let p = params(width, outstanding);
        let design = burst_writer("writer", p).unwrap();
        for (round, stalls) in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)].into_iter().enumerate() {
            let seed = seed(u64::from(width) * 100 + u64::from(outstanding) * 10 + round as u64);
            let mut rng = Rng::with_seed(seed);
            let mut engine = Simulator::new(&design);
            let (latency, jitter) = (rng.u64(1..40), rng.u64(0..30));
            let outstanding = outstanding as usize;
            let model =
                MemoryModel { latency, jitter, taking: stalls, giving: stalls, outstanding, ..MemoryModel::default() };
            let mut rig = Rig::new(&design, &mut engine, model, [stalls; 3], seed);
            let pieces: Vec<(u64, u64)> = (0..60).map(|_| random_piece(&mut rng, p, 1500)).collect();
            let mut right = SparseBytes::default();
            for (address, bytes) in &pieces {
                let around = random_bytes(&mut rng, bytes + 200);
                right.write(address.saturating_sub(100), &around);
                rig.memory.bytes.write(address.saturating_sub(100), &around);
            }
            for (tag, (address, bytes)) in pieces.iter().enumerate() {
                let data = random_bytes(&mut rng, *bytes);
                right.write(*address, &data);
                rig.send(*address, *bytes, &data, tag as u64);
            }
            rig.finish(pieces.len());
            assert!(rig.outcomes().iter().all(|(outcome, _)| *outcome == 0));
            same(&rig.memory.bytes, &right);
            let fewest: Vec<(u64, u64)> =
                pieces.iter().flat_map(|(address, bytes)| fewest(*address, *bytes, p)).collect();
            assert_eq!(asked(&rig.memory.requests), fewest);
            assert!(rig.memory.is_idle());
        }
    }
}

/// Packets that are shorter than their commands, or longer: flagged, nothing else is written, and the next one is right.
#[test]
fn packets_of_another_length() {
    for (width, outstanding) in [(4, 16), (8, 1), (8, 4), (64, 7)] {
        let p = params(width, outstanding);
        let design = burst_writer("writer", p).unwrap();
        for round in 0..20 {
            let seed = seed(u64::from(width) * 1000 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(50), Stalls::Runs(40)][round as usize % 3];
            let mut engine = Simulator::new(&design);
            let model = MemoryModel { latency: rng.u64(1..40), jitter: 9, taking: stalls, ..MemoryModel::default() };
            let mut rig = Rig::new(&design, &mut engine, model, [stalls; 3], seed);
            let (mut right, mut outcomes) = (SparseBytes::default(), vec![]);
            for tag in 0..40 {
                let (address, bytes) = random_piece(&mut rng, p, 1500);
                let given = match rng.u32(0..4) {
                    0 => rng.u64(0..=bytes),
                    1 => bytes + rng.u64(0..200),
                    2 => (bytes + 1).saturating_sub(rng.u64(0..3)),
                    _ => bytes,
                };
                let data = random_bytes(&mut rng, given);
                right.write(address, &data[..given.min(bytes) as usize]);
                rig.send(address, bytes, &data, tag);
                // a command without bytes drops its packet in silence
                outcomes.push(if given < bytes {
                    4
                } else if given > bytes && bytes > 0 {
                    5
                } else {
                    0
                });
            }
            rig.finish(outcomes.len());
            let got: Vec<u64> = rig.outcomes().iter().map(|(outcome, _)| *outcome).collect();
            assert_eq!(got, outcomes, "seed {seed}");
            same(&rig.memory.bytes, &right);
            assert!(rig.memory.is_idle());
        }
    }
}

/// An error ends its command, and the next ones are right; so it is with a command that reaches beyond the last address.
#[test]
fn a_command_that_fails() {
    for (width, outstanding) in [(4, 16), (8, 1), (8, 4), (64, 7)] {
        let p = params(width, outstanding);
        let design = burst_writer("writer", p).unwrap();
        for round in 0..20 {
            let seed = seed(u64::from(width) * 1000 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(50), Stalls::Runs(40)][round as usize % 3];
            let mut engine = Simulator::new(&design);
            let bad = rng.u64(0..1 << 14);
            let response = [Response::Slave, Response::Decode][rng.usize(0..2)];
            let errors = vec![(bad..bad + rng.u64(1..300), response)];
            let model =
                MemoryModel { latency: rng.u64(1..40), jitter: 9, errors, giving: stalls, ..MemoryModel::default() };
            let mut rig = Rig::new(&design, &mut engine, model.clone(), [stalls; 3], seed);
            let mut pieces: Vec<(u64, u64)> = (0..20).map(|_| (rng.u64(0..1 << 14), rng.u64(0..9000))).collect();
            pieces[7] = ((1 << 32) - rng.u64(1..5000), 6000);
            let data: Vec<Vec<u8>> = pieces.iter().map(|(_, bytes)| random_bytes(&mut rng, *bytes)).collect();
            for (tag, ((address, bytes), data)) in pieces.iter().zip(&data).enumerate() {
                rig.send(*address, *bytes, data, tag as u64);
            }
            rig.finish(pieces.len());
            for (i, (outcome, at)) in rig.outcomes().into_iter().enumerate() {
                let (address, bytes) = pieces[i];
                let what = format!("seed {seed}: {bytes} bytes at {address:#x}, bad {:x?}", model.errors);
                // a beat fails by its first byte
                let beat = u64::from(width);
                let fails = |from: u64, beats: u64| {
                    bytes > 0 && (0..beats).any(|i| model.errors[0].0.contains(&(from + i * beat)))
                };
                let failing = fewest(address, bytes, p).into_iter().find(|(from, beats)| fails(*from, *beats));
                match failing {
                    Some((from, _)) => assert_eq!((outcome, at), (response.code(), from), "{what}"),
                    None => assert_eq!(outcome, u64::from(address + bytes > 1 << 32), "{what}"),
                }
            }
            // what was written last of all commands that did not fail is there, up to those that failed behind it
            let ok = |i: usize| rig.outcomes()[i].0 == 0;
            for at in (0..1u64 << 15).step_by(7) {
                let covers = |i: &usize| (pieces[*i].0..pieces[*i].0 + pieces[*i].1).contains(&at);
                if let Some(i) = (0..pieces.len()).rev().find(covers).filter(|i| ok(*i)) {
                    let right = data[i][(at - pieces[i].0) as usize];
                    assert_eq!(rig.memory.bytes.read(at, 1), [right], "seed {seed}: at {at:#x}");
                }
            }
            assert!(rig.memory.is_idle());
        }
    }
}

/// With a memory of 40 cycles: nearly every cycle has data, in one piece and in many; and how soon a burst leaves.
#[test]
fn full_rate() {
    for width in WIDTHS {
        for (scattered, outstanding) in [(false, 2), (true, fewest_outstanding(width))] {
            let p = params(width, outstanding);
            let design = burst_writer("writer", p).unwrap();
            let mut engine = Simulator::new(&design);
            let model = MemoryModel { latency: 40, ..MemoryModel::default() };
            let mut rig = Rig::new(&design, &mut engine, model, [Stalls::Never; 3], 1);
            let mut rng = Rng::with_seed(5);
            let pieces: Vec<(u64, u64)> = match scattered {
                true => (0..64).map(|_| (rng.u64(0..1 << 20) * 1024, 1024)).collect(),
                false => vec![(0x10_0000, 65536)],
            };
            for (address, bytes) in &pieces {
                rig.send(*address, *bytes, &random_bytes(&mut rng, *bytes), 0);
            }
            rig.finish(pieces.len());
            let beats = rig.memory.written_at(&rig.bench, 0);
            let share = beats.len() as f64 / (beats[beats.len() - 1] - beats[0] + 1) as f64;
            // the first burst leaves when its last word is there
            let words = fewest(pieces[0].0, pieces[0].1, p)[0].1 as usize;
            let there = rig.bench.sent_at(rig.data)[words - 1];
            println!(
                "{width} bytes, scattered {scattered}, {outstanding} outstanding: {share:.3}, first data {} cycles behind the burst",
                beats[0] - there
            );
            assert!(share >= 0.98, "{width} bytes, scattered {scattered}: {share}");
            assert!(beats[0] - there <= 8);
        }
    }
}

/// Bursts of 1 KiB that are under way while the first one's response is waited for, and one that goes.
fn fewest_outstanding(width: u32) -> u32 {
    40u32.div_ceil(1024 / width) + 1
}
