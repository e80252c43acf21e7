//! An SDRAM controller (`hw::memory::sdram`) between a chip and a master of AXI4, and what it must answer.

use crate::bus::axi4::*;
use crate::bus::axi4_checker::Axi4Checker;
use crate::bus::sdram::{Sdram, SdramPins};
use crate::bus::{Bench, Sink, Source, Stalls};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{BigUint, Bundle, Design};
use rustc_hash::FxHashMap as HashMap;
use std::collections::VecDeque;

/// Bytes of a beat.
const BEAT: u64 = 8;

/// A burst of the master.
#[derive(Clone, Debug)]
pub struct Burst {
    /// AR or AW.
    pub request: Request,
    /// Of a write: its beats.
    pub beats: Vec<(u64, u8)>,
}

impl Burst {
    /// A read that goes up.
    pub fn read(address: u64, beats: u64) -> Burst {
        let request = Request { id: 0, address, len: beats - 1, size: 3, burst: BurstKind::Incrementing, cache: 3 };
        Burst { request, beats: vec![] }
    }
    /// A write that goes up, of whole beats with random bytes.
    pub fn write(rng: &mut Rng, address: u64, beats: u64) -> Burst {
        let words = (0..beats).map(|_| (rng.u64(..), 0xff)).collect();
        Burst { beats: words, ..Burst::read(address, beats) }
    }
    /// Any burst, to addresses of so many bits: many in few rows of few banks, across ends of rows, some that are not served, some with strobes of any kind.
    pub fn random(rng: &mut Rng, address_bits: u32) -> Burst {
        let page = match rng.u32(0..3) {
            0 => rng.u64(0..1 << (address_bits - 12)),
            // few rows, of all banks
            1 => rng.u64(0..4),
            _ => rng.u64(0..4) << (address_bits - 14) | rng.u64(0..2),
        };
        let offset = if rng.bool() { rng.u64(0..512) } else { 128 * rng.u64(1..5) - rng.u64(1..4) };
        let most = 512 - offset;
        let beats = [1, rng.u64(1..9), rng.u64(1..30), rng.u64(1..257)][rng.usize(0..4)].min(most).min(256);
        let mut burst = Burst::read(page * 4096 + offset * BEAT + rng.u64(0..BEAT) * rng.u64(0..2), beats);
        let narrow = |burst: &mut Burst, rng: &mut Rng| {
            burst.request.size = rng.u64(0..4);
            burst.request.burst = [BurstKind::Fixed, BurstKind::Incrementing, BurstKind::Wrapping][rng.usize(0..3)];
            burst.request.len = burst.request.len.min(15);
            if burst.request.burst == BurstKind::Wrapping {
                burst.request.len = [1, 3, 7, 15][rng.usize(0..4)];
                burst.request.address &= !0 << burst.request.size;
            }
        };
        if rng.u8(0..8) == 0 {
            narrow(&mut burst, rng);
        }
        if rng.bool() {
            return burst;
        }
        let kind = rng.u8(0..3);
        for i in 0..burst.request.beats() {
            let (address, bytes) = burst.request.bytes_of(i);
            let lanes = ((0xffu64 >> (8 - bytes)) << (address % BEAT)) as u8;
            let strobes = [0xff, 0, rng.u8(..)][usize::from(if kind == 0 { rng.u8(0..3) } else { 0 })];
            burst.beats.push((rng.u64(..), strobes & lanes));
        }
        burst
    }
    fn is_write(&self) -> bool {
        !self.beats.is_empty()
    }
    /// Is it one that is served, by the contract?
    fn is_served(&self) -> bool {
        let Request { len, size, burst, .. } = self.request;
        len == 0 || (size == 3 && burst == BurstKind::Incrementing)
    }
    /// The numbers of its beats in memory; of one that is not served, all that it could touch.
    fn range(&self) -> std::ops::Range<u64> {
        let first = self.request.address / BEAT;
        if self.is_served() { first..first + self.request.beats() } else { first.saturating_sub(256)..first + 256 }
    }
    fn meets(&self, other: &Burst) -> bool {
        let (a, b) = (self.range(), other.range());
        (self.is_write() || other.is_write()) && a.start < b.end && b.start < a.end
    }
}

/// What memory holds, and what is answered: a word for each beat, with a bit for each byte that is known.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    words: HashMap<u64, (u64, u8)>,
    /// The chip has mask pins.
    mask: bool,
}

impl Expected {
    /// Does what a write does. Gives its response.
    fn write(&mut self, burst: &Burst) -> Response {
        if !burst.is_served() {
            return Response::Slave;
        }
        let mut response = Response::Okay;
        for (at, (data, strobes)) in burst.range().zip(&burst.beats) {
            let partial = ![0, 0xff].contains(strobes);
            if partial && !self.mask {
                response = Response::Slave;
                continue;
            }
            let bytes = (0..8).filter(|i| strobes >> i & 1 == 1).fold(0, |all, i| all | 0xffu64 << (8 * i));
            let (word, known) = self.words.entry(at).or_default();
            (*word, *known) = ((*word & !bytes) | (data & bytes), *known | strobes);
        }
        response
    }
    /// Is this the answer to beat `i` of a read?
    fn read(&self, burst: &Burst, i: u64, beat: &ReadBeat) -> bool {
        if !burst.is_served() {
            return beat.response == Response::Slave;
        }
        let (word, known) = self.words.get(&(burst.request.address / BEAT + i)).copied().unwrap_or_default();
        let got = u64::try_from(&beat.data).unwrap_or_default();
        let differs = (0..8).any(|i| known >> i & 1 == 1 && (word ^ got) >> (8 * i) & 0xff != 0);
        beat.response == Response::Okay && !differs
    }
}

/// Ports of the chip's side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pins {
    command: [usize; 3],
    bank: usize,
    address: usize,
    mask: Option<usize>,
    data_out: usize,
    enable: usize,
    data_in: usize,
}

impl Pins {
    pub(crate) fn of<P>(design: &Design<P>, pins: &impl Bundle) -> Pins {
        let mut all = Pins::default();
        pins.each(&mut |name, _, signal| {
            let port = design.port_index(signal).expect("the pins are ports");
            match name {
                "ras_n" => all.command[0] = port,
                "cas_n" => all.command[1] = port,
                "we_n" => all.command[2] = port,
                "ba" => all.bank = port,
                "a" => all.address = port,
                "dqm" => all.mask = Some(port),
                "dq_out" => all.data_out = port,
                "dq_oe" => all.enable = port,
                "dq_in" => all.data_in = port,
                other => panic!("a chip has no pin `{other}`"),
            }
        });
        all
    }
    /// What stands there.
    pub(crate) fn look(self, engine: &mut dyn Engine) -> SdramPins {
        let command = self.command.iter().fold(0, |all, port| all << 1 | engine.peek(*port));
        // of a pad, a bit for each pin
        let data = (engine.peek(self.enable) != 0).then(|| engine.peek(self.data_out));
        let mask = self.mask.map_or(0, |port| engine.peek(port));
        SdramPins { command, bank: engine.peek(self.bank), address: engine.peek(self.address), data, mask }
    }
    /// What the chip gives.
    pub(crate) fn give(self, engine: &mut dyn Engine, word: u64) {
        engine.poke(self.data_in, word);
    }
}

/// The channels of the bus.
struct Bus {
    ar: (Channel, Source),
    r: (Channel, Sink),
    aw: (Channel, Source),
    w: (Channel, Source),
    b: (Channel, Sink),
}

/// Stalls of AR and AW, of W, and of R and B.
pub type MasterStalls = [Stalls; 3];

/// A controller with everything around it.
pub struct SdramBench<'e> {
    /// What drives the bus.
    pub bench: Bench<'e>,
    /// The chip.
    pub chip: Sdram,
    pins: Pins,
    bus: Bus,
    checker: Axi4Checker,
    /// Words on their way from the chip.
    late: VecDeque<u64>,
    expected: Expected,
    waiting: VecDeque<Burst>,
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    /// IDs of the next bursts, and how many there are to read and to write.
    ids: Rng,
    id_count: [u64; 2],
    /// Beats that came of the oldest read.
    read: u64,
    outstanding: usize,
    /// Transfers that were looked at: AR, AW, W, R, B.
    seen: [usize; 5],
    /// Reads and writes that were answered, and beats of the latter.
    answered: [usize; 2],
    written: usize,
}

impl<'e> SdramBench<'e> {
    /// The bus and the pins of a controller; registers between chip and `dq_in`; how the master stalls, the bursts that it has under way in each direction, and a seed.
    pub fn new<P>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        (axi, pins): (&impl Bundle, &impl Bundle),
        (chip, delay): (Sdram, u32),
        (stalls, outstanding, seed): (MasterStalls, usize, u64),
    ) -> SdramBench<'e> {
        let mut bench = Bench::new(engine, seed);
        let channel = |prefix| Channel::of(design, axi, prefix);
        let pins = Pins::of(design, pins);
        let mut source = |prefix, stalls| {
            let channel = channel(prefix);
            let source = bench.source_at(channel.ports.clone(), stalls);
            (channel, source)
        };
        let (ar, aw, w) = (source("ar", stalls[0]), source("aw", stalls[0]), source("w", stalls[1]));
        let mut sink = |prefix| {
            let channel = channel(prefix);
            let sink = bench.sink_at(channel.ports.clone(), stalls[2]);
            (channel, sink)
        };
        let (r, b) = (sink("r"), sink("b"));
        let expected = Expected { mask: pins.mask.is_some(), ..Expected::default() };
        let (waiting, reads, writes) = Default::default();
        let id_count = [&ar.0, &aw.0].map(|channel: &Channel| 1 << channel.width("id"));
        SdramBench {
            bench,
            chip,
            pins,
            bus: Bus { ar, r, aw, w, b },
            checker: Axi4Checker::new(BEAT, 2 * outstanding),
            late: VecDeque::from(vec![0; delay as usize]),
            expected,
            waiting,
            reads,
            writes,
            ids: Rng::with_seed(seed),
            id_count,
            read: 0,
            outstanding,
            seen: [0; 5],
            answered: [0; 2],
            written: 0,
        }
    }

    /// Resets the controller; what the chip held is not known any more.
    pub fn reset(&mut self) -> Result<(), String> {
        self.chip.initialise_again();
        self.bench.reset().map_err(|e| e.to_string())
    }

    /// Queues a burst, with any ID.
    pub fn send(&mut self, mut burst: Burst) {
        burst.request.id = self.ids.u64(0..self.id_count[usize::from(burst.is_write())]);
        self.waiting.push_back(burst);
    }

    /// Runs until the chip is initialised.
    pub fn start(&mut self) -> Result<(), String> {
        self.run_until(|bench| bench.chip.is_ready())
    }

    /// Runs until all is answered.
    pub fn finish(&mut self) -> Result<(), String> {
        self.run_until(|bench| bench.waiting.is_empty() && bench.reads.is_empty() && bench.writes.is_empty())?;
        if self.checker.is_idle() { Ok(()) } else { Err("something is under way that nobody asked for".into()) }
    }

    /// The cycles in which data were given, and those of responses.
    pub fn answered_at(&self) -> [&[u64]; 2] {
        [self.bench.received_at(self.bus.r.1), self.bench.received_at(self.bus.b.1)]
    }

    /// The cycles in which reads were taken.
    pub fn reads_taken_at(&self) -> &[u64] {
        self.bench.sent_at(self.bus.ar.1)
    }

    /// The chip, for another bench.
    pub fn into_chip(self) -> Sdram {
        self.chip
    }

    fn run_until(&mut self, done: impl Fn(&SdramBench) -> bool) -> Result<(), String> {
        let limit = self.bench.cycle() + 2_000_000;
        while !done(self) {
            self.step()?;
            if self.bench.cycle() > limit {
                return Err(format!("{} bursts are not answered", self.reads.len() + self.writes.len()));
            }
        }
        Ok(())
    }

    /// A cycle.
    pub fn step(&mut self) -> Result<(), String> {
        self.ask();
        let at = format!("bus cycle {}", self.bench.cycle());
        let pins = self.pins.look(self.bench.engine);
        let word = self.chip.clock(pins).map_err(|e| format!("{at}: {e}"))?;
        self.late.push_back(word);
        let word = self.late.pop_front().unwrap_or_default();
        self.pins.give(self.bench.engine, word);
        self.bench.step().map_err(|e| e.to_string())?;
        self.look().map_err(|e| format!("{at}: {e}"))
    }

    /// Asks for the next burst, unless it meets one that is under way: what is read then, AXI does not say.
    fn ask(&mut self) {
        let Some(burst) = self.waiting.front() else { return };
        let (mine, others) = if burst.is_write() { (&self.writes, &self.reads) } else { (&self.reads, &self.writes) };
        if mine.len() >= self.outstanding || mine.iter().chain(others).any(|other| burst.meets(other)) {
            return;
        }
        let Some(burst) = self.waiting.pop_front() else { return };
        let Bus { ar, aw, w, .. } = &self.bus;
        if !burst.is_write() {
            self.bench.send(ar.1, [ar.0.request_beat(&burst.request)]);
            return self.reads.push_back(burst);
        }
        self.bench.send(aw.1, [aw.0.request_beat(&burst.request)]);
        for (i, (data, strobes)) in burst.beats.iter().enumerate() {
            let last = i + 1 == burst.beats.len();
            let beat = WriteBeat { data: BigUint::from(*data), strobes: (*strobes).into(), last };
            self.bench.send(w.1, [w.0.strobed_data(&beat)]);
        }
        self.writes.push_back(burst);
    }

    /// Looks at what crossed the bus in the last cycle.
    fn look(&mut self) -> Result<(), String> {
        self.look_at_requests()?;
        let Bus { r, b, .. } = &self.bus;
        if let Some(beat) = self.bench.beats(r.1).get(self.seen[3]) {
            self.seen[3] += 1;
            let beat = r.0.read_beat(beat);
            self.checker.r(&beat).map_err(|e| e.to_string())?;
            let burst = self.reads.front().ok_or("data that nobody asked for")?;
            if beat.id != burst.request.id {
                return Err(format!("data of {:x?} have ID {}", burst.request, beat.id));
            }
            if !self.expected.read(burst, self.read, &beat) {
                let there = self.expected.words.get(&(burst.request.address / BEAT + self.read));
                let (read, request) = (self.read, burst.request);
                return Err(format!(
                    "beat {read} of {request:x?} is {beat:x?}, and memory (word, known bytes) {there:x?}"
                ));
            }
            self.read += 1;
            if beat.last {
                self.read = 0;
                self.reads.pop_front();
                self.answered[0] += 1;
            }
        }
        if let Some(beat) = self.bench.beats(b.1).get(self.seen[4]) {
            self.seen[4] += 1;
            let answer = b.0.write_response(beat);
            self.checker.b(answer).map_err(|e| e.to_string())?;
            let burst = self.writes.pop_front().ok_or("a response that nobody asked for")?;
            self.answered[1] += 1;
            self.written += burst.beats.len();
            let right = self.expected.write(&burst);
            if answer.id != burst.request.id {
                return Err(format!("the response to {:x?} has ID {}", burst.request, answer.id));
            }
            if answer.response != right {
                return Err(format!("{:x?} is answered with {:?}, not {right:?}", burst.request, answer.response));
            }
        }
        Ok(())
    }

    /// The checker of AXI4 sees what was taken.
    fn look_at_requests(&mut self) -> Result<(), String> {
        let Bus { ar, aw, w, .. } = &self.bus;
        let sent = [ar.1, aw.1, w.1].map(|source| self.bench.sent_at(source).len());
        let words = |e: crate::bus::axi4_checker::Violation| e.to_string();
        if sent[0] > self.seen[0] {
            let burst = &self.reads[self.seen[0] - self.answered[0]];
            self.checker.ar(burst.request).map_err(words)?;
        }
        if sent[1] > self.seen[1] {
            let burst = &self.writes[self.seen[1] - self.answered[1]];
            self.checker.aw(burst.request).map_err(words)?;
        }
        if sent[2] > self.seen[2] {
            let mut before = self.seen[2] - self.written;
            let burst = self.writes.iter().find(|burst| {
                let mine = before < burst.beats.len();
                before -= if mine { 0 } else { burst.beats.len() };
                mine
            });
            let burst = burst.ok_or("data that were not asked for")?;
            let (data, strobes) = burst.beats[before];
            let last = before + 1 == burst.beats.len();
            self.checker.w(WriteBeat { data: data.into(), strobes: strobes.into(), last }).map_err(words)?;
        }
        self.seen[..3].copy_from_slice(&sent);
        Ok(())
    }
}
