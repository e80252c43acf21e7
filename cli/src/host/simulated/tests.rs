//! Lines of bits and of bytes are the same to a host, and on a disturbed one nothing is lost, wrong or done twice.

mod fuzzed;
mod resets;

use super::{LineKind, Simulated, named};
use fastrand::Rng;
use fpga::link::host::Host;
use fpga::link::line::Line;
use fpga::link::system::{Path, RecordParts, System, SystemError};
use hdl::bus::run_seed;
use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Result;
use std::rc::Rc;
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
        (0..3000).for_each(|_| self.line.wire.step(&mut *self.line.simulator));
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

/// A line that several hosts have, one after the other.
struct Shared<L>(Rc<RefCell<L>>);

impl<L: Line> Shared<L> {
    fn new(line: L) -> Shared<L> {
        Shared(Rc::new(RefCell::new(line)))
    }
    /// A new host: what it asks for is answered at once, or not at all.
    fn connected(&self) -> System<Shared<L>> {
        let host = Host::new(Shared(self.0.clone()), Duration::from_millis(200)).with_attempts(1);
        System::connect(host).unwrap_or_else(|error| panic!("{error}"))
    }
}

impl<L: Line> Line for Shared<L> {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.borrow_mut().send(bytes)
    }
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>> {
        self.0.borrow_mut().receive(patience)
    }
    fn time(&self) -> Duration {
        self.0.borrow().time()
    }
}

/// Bits of the thresholds -1, -1/32, 1/32 and 1.
const THRESHOLDS: [u16; 4] = [0xbc00, 0xa800, 0x2800, 0x3c00];

/// Sets up a path, and sends vectors along it: each comes out as the golden model has it.
fn right<L: Line>(
    system: &mut System<L>,
    rng: &mut Rng,
    path: Path,
    vectors: usize,
) -> std::result::Result<(), SystemError> {
    let [s_low, t_low, t_high, s_high] = THRESHOLDS;
    let t = Thresholds::from_bits(s_low, t_low, t_high, s_high).unwrap();
    system.set_up(path, 64, THRESHOLDS)?;
    for _ in 0..vectors {
        let vector = vector(rng);
        let record = encode(&vector, DenseBits::PAPER, &t);
        let decoded = decode(&record.dense, &record.sparse, 64, DenseBits::PAPER, &t).unwrap();
        let parts = RecordParts { sparse: record.sparse, dense: record.dense };
        match path {
            Path::ThereAndBack => assert_eq!(system.roundtrip(&vector)?, decoded),
            Path::Quantize => assert_eq!(system.quantize(&vector)?, parts),
            Path::Dequantize => assert_eq!(system.dequantize(&parts, 64)?, decoded),
        }
    }
    Ok(())
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
            system.set_up(path, 64, THRESHOLDS).unwrap();
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
    /// What becomes of a byte, and whether it is late.
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
                    self.line.wire.step(&mut *self.line.simulator);
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
    let (rng, line) = (Rng::with_seed(run_seed(14)), named(SYSTEM, LineKind::Bytes).unwrap());
    let line = Disturbed { line, rng, of: 1000, bursts: [0; 2], again: VecDeque::new(), bytes: 0, done: [0; 5] };
    let host = Host::new(line, Duration::from_millis(200)).with_attempts(1000);
    let mut system = System::connect(host).unwrap();
    let mut rng = Rng::with_seed(run_seed(15));
    let (mut quantized, mut dequantized) = (0, 0);
    while system.line().bytes < if sim::bus::long() { 1_000_000 } else { 60_000 } {
        for path in Path::ALL {
            right(&mut system, &mut rng, path, 8).unwrap();
            quantized += if path == Path::Dequantize { 0 } else { 8 };
            dequantized += if path == Path::Quantize { 0 } else { 8 };
        }
    }
    let counters = system.counters().unwrap();
    // 4 elements a beat
    assert_eq!((counters.taken, counters.given), (16 * quantized, 16 * dequantized));
    let line = system.line();
    println!("{} bytes, {quantized} vectors; flipped, lost, doubled, late, bursts: {:?}", line.bytes, line.done);
    assert!(counters.repeated > 0 && line.done.iter().all(|count| *count > 0), "{:?}", line.done);
}
