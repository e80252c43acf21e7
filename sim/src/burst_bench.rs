//! The burst reader and the burst writer (`hw::memory`) with a memory behind them, and what their commands must do.

use crate::bus::axi4::{Request, Response};
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::bus::{Beat, Bench, Sink, Source, Stalls, packet, span};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};

/// Bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The first one.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

/// A bus: bytes of a beat, bits of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bus {
    /// 4 to 64.
    pub beat: u64,
    /// At most 64.
    pub address_bits: u32,
}

/// How a command ended, with the codes of the hardware; and where it failed, if it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// 0 okay, 1 beyond the last address, 2 SLVERR, 3 DECERR, 4 too short a packet, 5 too long a one.
    pub code: u64,
    /// The failing beat (read) or burst (write).
    pub address: Option<u64>,
}

impl Bus {
    /// The bursts of a piece, address and beats: the fewest that are legal; up to the last address.
    pub fn bursts(self, piece: Piece) -> Vec<(u64, u64)> {
        let (beat, first) = (u128::from(self.beat), u128::from(piece.address));
        let end = (first + u128::from(piece.bytes)).next_multiple_of(beat).min(1 << self.address_bits);
        let (mut at, mut list) = (first / beat * beat, vec![]);
        while at < end && piece.bytes > 0 {
            let next = end.min((at / 4096 + 1) * 4096).min(at + 256 * beat);
            list.push((at as u64, ((next - at) / beat) as u64));
            at = next;
        }
        list
    }
    fn beyond(self, piece: Piece) -> bool {
        u128::from(piece.address) + u128::from(piece.bytes) > 1 << self.address_bits
    }
    /// How a read ends.
    pub fn read(self, piece: Piece, model: &MemoryModel) -> Outcome {
        let beats = self.bursts(piece).into_iter().flat_map(|(from, n)| (0..n).map(move |i| from + i * self.beat));
        let failing = beats.into_iter().find_map(|at| Some((at, model.error_at(at)?)));
        self.outcome(piece, failing)
    }
    /// How many bytes the packet of a read may have that ends so: all, or those before the beat with an error or behind the last address. Of a
    /// command that failed the last beats before may be missing.
    pub fn read_bytes(self, piece: Piece, outcome: Outcome) -> std::ops::RangeInclusive<u64> {
        if outcome.code == 0 {
            return piece.bytes..=piece.bytes;
        }
        let there = u64::try_from((1u128 << self.address_bits) - u128::from(piece.address)).unwrap_or(u64::MAX);
        let most = outcome.address.map_or(piece.bytes.min(there), |at| at.saturating_sub(piece.address));
        most.saturating_sub(2 * self.beat)..=most
    }
    /// How a write ends whose packet has so many bytes.
    pub fn write(self, piece: Piece, packet: u64, model: &MemoryModel) -> Outcome {
        let error = |(from, n): (u64, u64)| (0..n).find_map(|i| model.error_at(from + i * self.beat));
        let failing = self.bursts(piece).into_iter().find_map(|burst| Some((burst.0, error(burst)?)));
        let outcome = self.outcome(piece, failing);
        match outcome.code {
            0 if packet < piece.bytes => Outcome { code: 4, address: None },
            0 if packet > piece.bytes && piece.bytes > 0 => Outcome { code: 5, address: None },
            _ => outcome,
        }
    }
    fn outcome(self, piece: Piece, failing: Option<(u64, Response)>) -> Outcome {
        match failing {
            Some((at, response)) => Outcome { code: response.code(), address: Some(at) },
            None => Outcome { code: self.beyond(piece).into(), address: None },
        }
    }
    /// A piece of at most so many bytes, near the ends of pages and beats now and then.
    pub fn random_piece(self, rng: &mut Rng, most: u64) -> Piece {
        let page = rng.u64(0..1 << (self.address_bits.min(28) - 12)) * 4096;
        let offset = match rng.u32(0..4) {
            0 => 4096 - rng.u64(1..=3 * self.beat),
            1 => rng.u64(0..3 * self.beat),
            2 => rng.u64(0..4096) / 64 * 64,
            _ => rng.u64(0..4096),
        };
        let bytes = match rng.u32(0..5) {
            0 => rng.u64(0..=3 * self.beat),
            1 => (4096 - offset).min(most),
            _ => rng.u64(0..=most),
        };
        Piece { address: page + offset, bytes }
    }
}

/// Random bytes.
pub fn random_bytes(rng: &mut Rng, n: u64) -> Vec<u8> {
    (0..n).map(|_| rng.u8(..)).collect()
}

/// Address and beats of the requests of a memory.
pub fn asked(requests: &[(bool, Request)]) -> Vec<(u64, u64)> {
    requests.iter().map(|(_, x)| (x.address, x.beats())).collect()
}

/// An engine with a memory behind it.
pub struct BurstBench<'e> {
    /// Everything that moves.
    pub bench: Bench<'e>,
    /// What is behind the bus.
    pub memory: Axi4Memory,
    command: Source,
    input: Option<Source>,
    output: Option<Sink>,
    done: Sink,
    sent: usize,
    taken: usize,
}

/// Stalls of commands, packets and ends of commands.
pub type EngineStalls = [Stalls; 3];

impl<'e> BurstBench<'e> {
    /// A reader: its ports for commands, packets, ends of commands and the bus.
    pub fn reader<P>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        (command, data, done, bus): (&impl Bundle, &impl Bundle, &impl Bundle, &impl Bundle),
        (model, stalls, seed): (MemoryModel, EngineStalls, u64),
    ) -> BurstBench<'e> {
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(model, seed);
        let command = bench.source(design, command, stalls[0]);
        let output = Some(bench.sink(design, data, stalls[1]));
        let done = bench.sink(design, done, stalls[2]);
        memory.read_port(&mut bench, design, bus);
        BurstBench { bench, memory, command, input: None, output, done, sent: 0, taken: 0 }
    }

    /// A writer, likewise.
    pub fn writer<P>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        (command, data, done, bus): (&impl Bundle, &impl Bundle, &impl Bundle, &impl Bundle),
        (model, stalls, seed): (MemoryModel, EngineStalls, u64),
    ) -> BurstBench<'e> {
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(model, seed);
        let command = bench.source(design, command, stalls[0]);
        let input = Some(bench.source(design, data, stalls[1]));
        let done = bench.sink(design, done, stalls[2]);
        memory.write_port(&mut bench, design, bus);
        BurstBench { bench, memory, command, input, output: None, done, sent: 0, taken: 0 }
    }

    /// A command to read; its tag is its number.
    pub fn read(&mut self, piece: Piece) {
        self.bench.send(self.command, [[piece.address, piece.bytes, self.sent as u64 & 255]]);
        self.sent += 1;
    }

    /// A command to write, and its packet, for beats of so many bytes.
    pub fn write(&mut self, piece: Piece, data: &[u8], beat: u64) {
        self.read(piece);
        let input = self.input.expect("a writer");
        match data {
            [] => self.bench.send(input, [[0, 0, 1]]),
            _ => self.bench.send(input, packet(data, beat as usize)),
        }
    }

    /// Runs until all commands are done and all packets are through.
    pub fn finish(&mut self) -> Result<(), String> {
        let limit = self.bench.cycle() + 400_000;
        let (mut packets, mut seen) = (0, 0);
        loop {
            if let Some(sink) = self.output {
                let new = &self.bench.beats(sink)[seen..];
                packets += new.iter().filter(|beat| beat.field(2) == 1).count();
                seen += new.len();
            }
            let done = self.bench.beats(self.done).len();
            let through = (self.output.is_none() || packets >= self.sent)
                && self.input.is_none_or(|source| self.bench.unsent(source) == 0);
            // the memory looks at what crossed in a step before the next one
            self.memory.step(&mut self.bench).map_err(|e| e.to_string())?;
            if done >= self.sent && through {
                return if self.memory.is_idle() { Ok(()) } else { Err("requests are not answered".into()) };
            }
            self.bench.step().map_err(|e| e.to_string())?;
            if self.bench.cycle() > limit {
                return Err(format!("{done} of {} commands are done", self.sent));
            }
        }
    }

    /// Runs so many cycles in which nobody takes packets, then goes on with these stalls.
    pub fn block_packets(&mut self, cycles: u64, then: Stalls) -> Result<(), String> {
        let output = self.output.expect("a reader");
        self.bench.stall_sink(output, Stalls::Always);
        for _ in 0..cycles {
            self.memory.step(&mut self.bench).map_err(|e| e.to_string())?;
            self.bench.step().map_err(|e| e.to_string())?;
        }
        self.bench.stall_sink(output, then);
        Ok(())
    }

    /// How the commands ended, each with the tag of its number.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, String> {
        let outcome = |(number, beat): (usize, &Beat)| {
            let (tag, code) = (beat.field(0), beat.field(1));
            if tag != number as u64 & 255 {
                return Err(format!("command {number} came back with the tag {tag}"));
            }
            Ok(Outcome { code, address: [2, 3].contains(&code).then(|| beat.field(2)) })
        };
        self.bench.beats(self.done).iter().enumerate().map(outcome).collect()
    }

    /// The next packet that was read: its bytes, and whether its command failed.
    pub fn packet(&mut self) -> Result<(Vec<u8>, bool), String> {
        let (mut bytes, width) = (vec![], self.memory.bus_bytes(0) as usize);
        let beats = &self.bench.beats(self.output.expect("a reader"))[self.taken..];
        for beat in beats {
            self.taken += 1;
            let (keep, last, failed) = (beat.field(1), beat.field(2) == 1, beat.field(3) == 1);
            let kept = keep.count_ones() as usize;
            let mut data = beat.0[0].to_bytes_le();
            data.resize(width, 0);
            if keep & keep.wrapping_add(1) != 0 || (!last && kept < width) || (failed && (!last || kept > 0)) {
                return Err(format!("a word with keep {keep:x}, last {last}, failed {failed}"));
            }
            if data[kept..].iter().any(|byte| *byte != 0) {
                return Err("a byte that is not kept is not 0".into());
            }
            bytes.extend(&data[..kept]);
            if last {
                return Ok((bytes, failed));
            }
        }
        Err("a packet has no end".into())
    }

    /// Moves 64 pieces of 1 KiB at any address, with beats of so many bytes. Gives the rate.
    pub fn rate_at_any_address(&mut self, rng: &mut Rng, beat: u64) -> Result<f64, String> {
        for _ in 0..64 {
            let piece = Piece { address: rng.u64(0..1 << 30), bytes: 1024 };
            match self.input {
                Some(_) => self.write(piece, &random_bytes(rng, piece.bytes), beat),
                None => self.read(piece),
            }
        }
        self.finish()?;
        Ok(self.rate())
    }

    /// The cycles in which data crossed the bus.
    pub fn beats_at(&self) -> &[u64] {
        match self.input {
            Some(_) => self.memory.written_at(&self.bench, 0),
            None => self.memory.read_at(&self.bench, 0),
        }
    }

    /// Beats of the bus a cycle, from the first one to the last.
    pub fn rate(&self) -> f64 {
        let beats = self.beats_at();
        beats.len() as f64 / span(beats) as f64
    }

    /// The cycle of the first command, and that of the first word that was read.
    pub fn first_word(&self) -> (u64, u64) {
        (self.bench.sent_at(self.command)[0], self.bench.received_at(self.output.expect("a reader"))[0])
    }

    /// The cycle in which so many words to write were taken.
    pub fn words_at(&self, words: usize) -> u64 {
        self.bench.sent_at(self.input.expect("a writer"))[words - 1]
    }
}
