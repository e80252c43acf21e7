//! Lines of bits and of bytes are the same to a host, and on a disturbed one nothing is lost, wrong or done twice.

use super::{LineKind, Simulated, named};
use fastrand::Rng;
use fpga::link::host::Host;
use fpga::link::line::Line;
use fpga::link::system::{Path, System};
use hdl::bus::run_seed;
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use std::collections::VecDeque;
use std::io::Result;
use std::time::Duration;

const SYSTEM: &str = "oaken_system_p4";

/// A line that keeps what goes over it.
struct Kept {
    line: Simulated,
    sent: Vec<u8>,
    came: Vec<u8>,
}

impl Line for Kept {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.sent.extend(bytes);
        // until the engines are through: else a take may come too early on the quicker line, and is repeated
        (0..3000).for_each(|_| self.line.wire.step(&mut self.line.simulator));
        self.line.send(bytes)
    }
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>> {
        let byte = self.line.receive(patience)?;
        self.came.extend(byte);
        Ok(byte)
    }
    fn time(&self) -> Duration {
        self.line.time()
    }
}

fn vector(rng: &mut Rng) -> Vec<u16> {
    (0..64).map(|_| rng.u16(..0x4000) | rng.u16(..2) << 15).collect()
}

#[test]
fn lines_of_bits_and_of_bytes_carry_the_same_frames() {
    let frames = [LineKind::Bits, LineKind::Bytes].map(|kind| {
        let line = Kept { line: named(SYSTEM, kind).unwrap(), sent: vec![], came: vec![] };
        let mut system = System::connect(Host::new(line, Duration::from_millis(200))).unwrap();
        let mut rng = Rng::with_seed(run_seed(3));
        for path in [Path::ThereAndBack, Path::Quantize] {
            system.set_up(path, 64, [0xbc00, 0xa800, 0x2800, 0x3c00]).unwrap();
            let vector = vector(&mut rng);
            match path {
                Path::ThereAndBack => drop(system.roundtrip(&vector).unwrap()),
                _ => drop(system.quantize(&vector).unwrap()),
            }
        }
        let line = system.line();
        (std::mem::take(&mut line.sent), std::mem::take(&mut line.came))
    });
    assert!(frames[0].1.len() > 300);
    assert!(frames[0] == frames[1]);
}

/// A line that flips, loses, doubles and delays one byte of `of`, and now and then swallows 64, each way.
struct Disturbed {
    line: Simulated,
    rng: Rng,
    of: u32,
    /// Bytes of a burst that are still to be lost, from the host and to it.
    bursts: [u32; 2],
    /// Bytes that came of one that was doubled.
    again: VecDeque<u8>,
    bytes: u64,
    done: [u64; 5],
}

impl Disturbed {
    /// What becomes of a byte; `None` in place of a time: it is late.
    fn disturb(&mut self, byte: u8, way: usize) -> (Vec<u8>, bool) {
        self.bytes += 1;
        if self.bursts[way] > 0 {
            self.bursts[way] -= 1;
            return (vec![], false);
        }
        if self.rng.u32(..20 * self.of) == 0 {
            self.bursts[way] = 64;
            self.done[4] += 1;
        }
        if self.rng.u32(..self.of) != 0 {
            return (vec![byte], false);
        }
        let kind = self.rng.usize(..4);
        self.done[kind] += 1;
        match kind {
            0 => (vec![byte ^ 1 << self.rng.u8(..8)], false),
            1 => (vec![], false),
            2 => (vec![byte, byte], false),
            _ => (vec![byte], true),
        }
    }
}

impl Line for Disturbed {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        for byte in bytes {
            let (bytes, late) = self.disturb(*byte, 0);
            if late {
                // what comes meanwhile waits in the line
                for _ in 0..self.rng.u32(1..10_000) {
                    self.line.wire.step(&mut self.line.simulator);
                }
            }
            self.line.send(&bytes)?;
        }
        Ok(())
    }
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>> {
        loop {
            if let Some(byte) = self.again.pop_front() {
                return Ok(Some(byte));
            }
            let Some(byte) = self.line.receive(patience)? else { return Ok(None) };
            let (bytes, late) = self.disturb(byte, 1);
            self.again.extend(bytes);
            if late {
                return Ok(None); // so late that the host does not wait for it
            }
        }
    }
    fn time(&self) -> Duration {
        self.line.time()
    }
}

/// With `KVFORGE_LONG=1` over 10^6 bytes.
#[test]
fn on_a_disturbed_line_nothing_is_lost_wrong_or_done_twice() {
    let long = std::env::var("KVFORGE_LONG").is_ok_and(|long| long == "1");
    let (rng, line) = (Rng::with_seed(run_seed(14)), named(SYSTEM, LineKind::Bytes).unwrap());
    let line = Disturbed { line, rng, of: 1000, bursts: [0; 2], again: VecDeque::new(), bytes: 0, done: [0; 5] };
    let host = Host::new(line, Duration::from_millis(200)).with_attempts(1000);
    let mut system = System::connect(host).unwrap();
    let t = Thresholds::from_bits(0xbc00, 0xa800, 0x2800, 0x3c00).unwrap();
    let (mut rng, bits) = (Rng::with_seed(run_seed(15)), DenseBits::PAPER);
    let (mut quantized, mut dequantized) = (0, 0);
    while system.line().bytes < if long { 1_000_000 } else { 60_000 } {
        for path in [Path::ThereAndBack, Path::Quantize] {
            system.set_up(path, 64, t.bits()).unwrap();
            for _ in 0..8 {
                let vector = vector(&mut rng);
                let record = encode(&vector, bits, &t);
                if path == Path::Quantize {
                    let found = system.quantize(&vector).unwrap();
                    assert!(found.sparse == record.sparse && found.dense == record.dense);
                } else {
                    let expected = decode(&record.dense, &record.sparse, 64, bits, &t).unwrap();
                    assert_eq!(system.roundtrip(&vector).unwrap(), expected);
                    dequantized += 1;
                }
                quantized += 1;
            }
        }
    }
    let counters = system.counters().unwrap();
    // 4 elements a beat
    assert_eq!((counters.taken, counters.given), (16 * quantized, 16 * dequantized));
    let line = system.line();
    println!("{} bytes, {quantized} vectors; flipped, lost, doubled, late, bursts: {:?}", line.bytes, line.done);
    assert!(counters.repeated > 0 && line.done.iter().all(|count| *count > 0), "{:?}", line.done);
}
