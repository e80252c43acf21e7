use super::{BurstReaderPorts, burst_reader};
use crate::memory::testing::*;
use fastrand::Rng;
use hdl::Design;
use hdl::bus::{Bench, Sink, Source, Stalls, seed};
use hdl::sim::Simulator;
use sim::bus::axi4::Response;
use sim::bus::axi4_memory::{Axi4Memory, MemoryModel};

/// A reader with a memory behind it.
struct Rig<'e> {
    bench: Bench<'e>,
    memory: Axi4Memory,
    command: Source,
    data: Sink,
    done: Sink,
    taken: usize,
}

impl<'e> Rig<'e> {
    fn new(
        design: &Design<BurstReaderPorts>,
        engine: &'e mut Simulator,
        model: MemoryModel,
        stalls: [Stalls; 3],
        seed: u64,
    ) -> Rig<'e> {
        let mut bench = Bench::new(engine, seed);
        let io = design.ports;
        let mut memory = Axi4Memory::new(model, seed);
        let command = bench.source(design, &io.command, stalls[0]);
        let data = bench.sink(design, &io.m_axis, stalls[1]);
        let done = bench.sink(design, &io.done, stalls[2]);
        memory.read_port(&mut bench, design, &io.m_axi);
        bench.reset().unwrap();
        Rig { bench, memory, command, data, done, taken: 0 }
    }
    fn send(&mut self, address: u64, bytes: u64, tag: u64) {
        self.bench.send(self.command, [[address, bytes, tag]]);
    }
    fn step(&mut self) {
        self.memory.step(&mut self.bench).unwrap_or_else(|e| panic!("{e}"));
        self.bench.step().unwrap_or_else(|e| panic!("{e}"));
    }
    /// Runs until so many commands are done and so many packets are out.
    fn finish(&mut self, commands: usize) {
        let start = self.bench.cycle();
        let packets = |rig: &Rig| rig.bench.beats(rig.data).iter().filter(|beat| beat.field(2) == 1).count();
        while self.bench.beats(self.done).len() < commands || packets(self) < commands {
            self.step();
            assert!(self.bench.cycle() < start + 400_000, "{} commands are done", self.bench.beats(self.done).len());
        }
        // the memory looks at what crossed in a step before the next one
        self.step();
    }
    /// The next packet: its bytes, and whether it failed.
    fn packet(&mut self) -> (Vec<u8>, bool) {
        let (mut bytes, mut failed) = (vec![], false);
        for beat in &self.bench.beats(self.data)[self.taken..] {
            self.taken += 1;
            let (keep, width) = (beat.field(1), self.memory.bus_bytes(0) as usize);
            let mut data = beat.0[0].to_bytes_le();
            data.resize(width, 0);
            assert_eq!(keep & keep.wrapping_add(1), 0, "bytes are kept from the first on");
            let kept = keep.count_ones() as usize;
            bytes.extend(&data[..kept]);
            if beat.field(2) == 1 {
                failed = beat.field(3) == 1;
                assert!(!failed || kept == 0);
                break;
            }
            assert_eq!(kept, width, "a word before the last one is full");
            assert_eq!(beat.field(3), 0);
        }
        (bytes, failed)
    }
}

fn filled(memory: &mut Axi4Memory, rng: &mut Rng, address: u64, bytes: u64) -> Vec<u8> {
    let data: Vec<u8> = (0..bytes).map(|_| rng.u8(..)).collect();
    memory.bytes.write(address, &data);
    data
}

fn okay(tag: u64) -> [u64; 2] {
    [tag, 0]
}

/// Any address, any length, with stalls everywhere and bursts that come late: the bytes of memory, in the fewest bursts.
#[test]
fn reads_any_bytes() {
    for (width, outstanding) in [(4, 1), (4, 16), (8, 3), (8, 8), (16, 2), (32, 5), (64, 4), (64, 16)] {
        let p = params(width, outstanding);
        let design = burst_reader("reader", p).unwrap();
        for (round, stalls) in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(30)].into_iter().enumerate() {
            let seed = seed(u64::from(width) * 100 + u64::from(outstanding) * 10 + round as u64);
            let mut rng = Rng::with_seed(seed);
            let mut engine = Simulator::new(&design);
            let jitter = rng.u64(0..30);
            let model = MemoryModel {
                latency: rng.u64(1..40),
                jitter,
                taking: stalls,
                giving: stalls,
                outstanding: outstanding as usize,
                ..MemoryModel::default()
            };
            let mut rig = Rig::new(&design, &mut engine, model, [stalls; 3], seed);
            let pieces: Vec<(u64, u64)> = (0..60).map(|_| random_piece(&mut rng, p, 1500)).collect();
            // pieces may lie on each other: all are written before any is read
            pieces.iter().for_each(|(address, bytes)| drop(filled(&mut rig.memory, &mut rng, *address, *bytes)));
            for (tag, (address, bytes)) in pieces.iter().enumerate() {
                rig.send(*address, *bytes, tag as u64);
            }
            rig.finish(pieces.len());
            for (tag, (address, bytes)) in pieces.iter().enumerate() {
                let right = rig.memory.bytes.read(*address, *bytes as usize);
                assert_eq!(rig.packet(), (right, false), "{width} bytes a beat, {bytes} bytes at {address:#x}");
                let done = &rig.bench.beats(rig.done)[tag];
                assert_eq!([done.field(0), done.field(1)], okay(tag as u64));
            }
            let fewest: Vec<(u64, u64)> =
                pieces.iter().flat_map(|(address, bytes)| fewest(*address, *bytes, p)).collect();
            assert_eq!(asked(&rig.memory.requests), fewest);
            assert!(rig.memory.is_idle());
        }
    }
}

/// A bus error ends its command, and the next one is right; so it is with a command that reaches beyond the last address.
#[test]
fn a_command_that_fails() {
    for (width, outstanding) in [(4, 16), (8, 1), (8, 4), (64, 7)] {
        let p = params(width, outstanding);
        let design = burst_reader("reader", p).unwrap();
        for round in 0..60 {
            let seed = seed(u64::from(width) * 1000 + round);
            let mut rng = Rng::with_seed(seed);
            let stalls = [Stalls::Never, Stalls::Percent(50), Stalls::Runs(40)][round as usize % 3];
            let mut engine = Simulator::new(&design);
            let bad = rng.u64(0..1 << 14);
            let response = [Response::Slave, Response::Decode][rng.usize(0..2)];
            let errors = vec![(bad..bad + rng.u64(1..300), response)];
            let model = MemoryModel {
                latency: rng.u64(1..40),
                jitter: 9,
                errors,
                giving: stalls,
                outstanding: outstanding as usize,
                ..MemoryModel::default()
            };
            let mut rig = Rig::new(&design, &mut engine, model.clone(), [stalls; 3], seed);
            let mut pieces: Vec<(u64, u64)> = (0..20).map(|_| (rng.u64(0..1 << 14), rng.u64(0..9000))).collect();
            pieces[7] = ((1 << 32) - rng.u64(1..5000), 6000);
            pieces.iter().for_each(|(address, bytes)| drop(filled(&mut rig.memory, &mut rng, *address, *bytes)));
            pieces.iter().enumerate().for_each(|(tag, (address, bytes))| rig.send(*address, *bytes, tag as u64));
            rig.finish(pieces.len());
            for (tag, (address, bytes)) in pieces.iter().enumerate() {
                let beat = u64::from(width);
                let first = address / beat * beat;
                let touches = |at: &u64| {
                    let from = (*at).max(*address);
                    model.errors[0].0.contains(&(if *at == first { *at } else { from }))
                };
                let failing = (first..address + bytes).step_by(width as usize).find(|at| *bytes > 0 && touches(at));
                let beyond = address + bytes > 1 << 32;
                let (got, failed) = rig.packet();
                let done = &rig.bench.beats(rig.done)[tag];
                let what = format!(
                    "seed {seed}: {width} bytes a beat, {bytes} bytes at {address:#x}, bad {:x?}",
                    model.errors
                );
                assert_eq!(done.field(0), tag as u64);
                assert_eq!(failed, failing.is_some() || beyond, "{what}");
                let right = rig.memory.bytes.read(*address, got.len());
                assert_eq!(got, right, "{what}");
                match failing {
                    Some(at) => {
                        assert_eq!([done.field(1), done.field(2)], [response.code(), at], "{what}");
                        assert!(*address + got.len() as u64 <= at.max(*address), "{what}");
                    }
                    None if beyond => assert_eq!(done.field(1), 1, "{what}"),
                    None => assert_eq!((got.len() as u64, done.field(1)), (*bytes, 0), "{what}"),
                }
            }
            assert!(rig.memory.is_idle());
        }
    }
}

/// With a memory of 40 cycles: nearly every cycle has data, in one piece and in many; and how long the first word takes.
#[test]
fn full_rate() {
    for width in WIDTHS {
        // the fewest bursts that hide the latency: of 64 beats and more two, of 1 KiB as many as fill 40 cycles
        for (scattered, outstanding) in [(false, 2), (true, fewest_outstanding(width))] {
            let p = params(width, outstanding);
            let design = burst_reader("reader", p).unwrap();
            let mut engine = Simulator::new(&design);
            let model = MemoryModel { latency: 40, ..MemoryModel::default() };
            let mut rig = Rig::new(&design, &mut engine, model, [Stalls::Never; 3], 1);
            let mut rng = Rng::with_seed(5);
            let pieces: Vec<(u64, u64)> = if scattered {
                (0..64).map(|_| (rng.u64(0..1 << 20) * 1024, 1024)).collect()
            } else {
                vec![(0x10_0000, 65536)]
            };
            pieces.iter().for_each(|(address, bytes)| rig.send(*address, *bytes, 0));
            rig.finish(pieces.len());
            let beats = rig.memory.read_at(&rig.bench, 0);
            let cycles = beats[beats.len() - 1] - beats[0] + 1;
            let share = beats.len() as f64 / cycles as f64;
            let first = rig.bench.received_at(rig.data)[0];
            let command = rig.bench.sent_at(rig.command)[0];
            println!(
                "{width} bytes, scattered {scattered}, {outstanding} outstanding: {share:.3}, first word after {} cycles",
                first - command
            );
            assert!(share >= 0.98, "{width} bytes, scattered {scattered}: {share}");
            assert!(first - command <= 40 + 8, "{width}: {}", first - command);
        }
    }
}

/// Bursts of 1 KiB that are under way while the first one is waited for, and one that comes.
fn fewest_outstanding(width: u32) -> u32 {
    40u32.div_ceil(1024 / width) + 1
}
