//! A host at the pins of a serial line: it sends requests and takes answers as docs/link.md has them.

use crate::golden::link::{frame, received};
use crate::uart_pins::UartPins;
use hdl::engine::Engine;

/// The operations of the page.
pub mod operation {
    /// Opens the link.
    pub const OPEN: u8 = 0;
    /// Reads a register.
    pub const READ: u8 = 1;
    /// Writes a register.
    pub const WRITE: u8 = 2;
    /// Puts bytes.
    pub const PUT: u8 = 3;
    /// Puts bytes of which the last one ends a packet.
    pub const PUT_LAST: u8 = 4;
    /// Takes bytes.
    pub const TAKE: u8 = 5;
}
use operation::{OPEN, PUT, PUT_LAST, READ, TAKE, WRITE};

/// The most bytes of a put.
const MOST_PUT: usize = 240;
/// The most bytes of a take.
const MOST_TAKEN: u8 = 239;
/// Cycles in which an answer must begin, and go on, in bytes of the line.
const PATIENCE: usize = 400;

/// A host.
#[derive(Clone, Debug)]
pub struct Host {
    pins: UartPins,
    sequence: u8,
}

impl Host {
    /// A host at these ports, of so many cycles a bit.
    pub fn new(rx: usize, tx: usize, clocks: u32) -> Host {
        Host { pins: UartPins::new(rx, tx, clocks), sequence: 0x5a }
    }
    /// Lets the line rest.
    pub fn rest(&mut self, engine: &mut dyn Engine, cycles: usize) {
        self.pins.rest(engine, cycles);
    }
    /// Sends bytes.
    pub fn send(&mut self, engine: &mut dyn Engine, bytes: &[u8]) {
        self.pins.send(engine, bytes);
    }
    /// Sends a request, and waits for its answer: status and payload.
    ///
    /// # Errors
    /// If none comes, or another one than the request's.
    pub fn request(&mut self, engine: &mut dyn Engine, operation: u8, payload: &[u8]) -> Result<(u8, Vec<u8>), String> {
        self.sequence = self.sequence.wrapping_add(1);
        let content = [&[self.sequence, 0, operation], payload].concat();
        self.send(engine, &[&[0][..], &frame(&content)].concat());
        self.answer(engine, operation)
    }
    /// Waits for the answer to the last request.
    fn answer(&mut self, engine: &mut dyn Engine, operation: u8) -> Result<(u8, Vec<u8>), String> {
        let mut waited = 0;
        loop {
            let length = self.pins.received.len();
            self.pins.step(engine);
            let line = &self.pins.received;
            waited = if line.len() == length { waited + 1 } else { 0 };
            if waited > 10 * PATIENCE * self.pins.clocks() {
                return Err(format!("no answer to operation {operation}, only {line:x?}"));
            }
            if line.len() == length || line.last() != Some(&0) {
                continue;
            }
            let line = std::mem::take(&mut self.pins.received);
            match &received(&line)[..] {
                [] => {}
                [Err(_)] if operation == OPEN => {} // what the line had before
                [Ok(content)] if content[0] == self.sequence && content[2] == operation => {
                    return Ok((content[1], content[3..].to_vec()));
                }
                other => return Err(format!("operation {operation} of number {}: {other:x?}", self.sequence)),
            }
        }
    }
    /// A request that must be done.
    fn done(&mut self, engine: &mut dyn Engine, operation: u8, payload: &[u8]) -> Result<Vec<u8>, String> {
        match self.request(engine, operation, payload)? {
            (0, payload) => Ok(payload),
            (status, _) => Err(format!("operation {operation} with {payload:x?}: status {status}")),
        }
    }
    /// Opens the link.
    ///
    /// # Errors
    /// If the board does not answer, or as no board of this page.
    pub fn open(&mut self, engine: &mut dyn Engine) -> Result<(), String> {
        let greeting = self.done(engine, OPEN, &[])?;
        if greeting == b"kvf\x01" { Ok(()) } else { Err(format!("the board says {greeting:x?}")) }
    }
    /// Reads a register.
    ///
    /// # Errors
    /// If there is none, or no answer.
    pub fn read(&mut self, engine: &mut dyn Engine, address: u16) -> Result<u32, String> {
        let word = self.done(engine, READ, &address.to_le_bytes())?;
        let word: [u8; 4] = word.try_into().map_err(|word| format!("a register of {word:x?}"))?;
        Ok(u32::from_le_bytes(word))
    }
    /// Writes a register.
    ///
    /// # Errors
    /// If it cannot be written, or no answer comes.
    pub fn write(&mut self, engine: &mut dyn Engine, address: u16, value: u32) -> Result<(), String> {
        let payload = [&address.to_le_bytes()[..], &value.to_le_bytes()].concat();
        self.done(engine, WRITE, &payload).map(drop)
    }
    /// Puts a packet.
    ///
    /// # Errors
    /// If it finds no room, or no answer comes.
    pub fn put(&mut self, engine: &mut dyn Engine, packet: &[u8]) -> Result<(), String> {
        let parts = packet.chunks(MOST_PUT).count();
        for (i, part) in packet.chunks(MOST_PUT).enumerate() {
            self.done(engine, if i + 1 == parts { PUT_LAST } else { PUT }, part)?;
        }
        Ok(())
    }
    /// Takes a packet.
    ///
    /// # Errors
    /// If it does not come to its end, or no answer comes.
    pub fn take(&mut self, engine: &mut dyn Engine) -> Result<Vec<u8>, String> {
        let mut packet = vec![];
        for empty in 0..100 {
            let mut bytes = self.done(engine, TAKE, &[MOST_TAKEN])?;
            let ended = bytes.pop();
            if bytes.is_empty() && empty > 20 {
                break;
            }
            packet.extend(bytes);
            if ended == Some(1) {
                return Ok(packet);
            }
        }
        Err(format!("a packet without an end, of {} bytes", packet.len()))
    }
}
