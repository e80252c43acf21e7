//! The host's end of the link (docs/link.md): one request at a time, sent again until its answer comes.

use super::frame::{Receiver, encode};
use super::line::Line;
use std::time::Duration;
use thiserror::Error;

/// Bytes of a put, and of a take, at most.
const MOST: usize = 240;
/// Bytes of a packet at most: four times those of the longest vector.
const LONGEST_PACKET: usize = 1 << 16;
/// So often a board is asked for what another host left in it: more than its memories hold.
const MOST_DRAINED: u32 = 20_000;
/// The version of the page that this is.
const VERSION: u8 = 1;

/// The operations of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Operation {
    Open = 0,
    Read = 1,
    Write = 2,
    Put = 3,
    PutLast = 4,
    Take = 5,
}

/// Why a request has no result.
#[derive(Debug, Error)]
pub enum HostError {
    /// The line is gone.
    #[error("the line is gone: {0}")]
    Line(#[from] std::io::Error),
    /// Nothing that answers is at the other end.
    #[error("no answer, after {attempts} attempts of {} ms each", patience.as_millis())]
    NoAnswer {
        /// How often the request was sent.
        attempts: u32,
        /// How long each time waited.
        patience: Duration,
    },
    /// A board of another version of the page.
    #[error("the board speaks version {0} of the link, and this program version {VERSION}")]
    OtherVersion(u8),
    /// What answers is no board of this page.
    #[error("what answers is no kvforge board: it says {0:02x?}")]
    OtherBoard(Vec<u8>),
    /// The board was reset, or another host has talked to it.
    #[error("the board was reset, or another program talks to it: the link is closed")]
    Closed,
    /// The board does not know the operation.
    #[error("the board does not understand the request")]
    NotUnderstood,
    /// No such register.
    #[error("there is no register at {0:#06x}, or it cannot be written")]
    NoRegister(u16),
    /// It never is empty.
    #[error("the board gives more than its memories hold")]
    Endless,
    /// The bytes find no room now.
    #[error("the board has no room for more now")]
    NoRoom,
    /// An answer of another form.
    #[error("an answer to {operation} that the page does not have: status {status}, {} bytes", payload.len())]
    OtherAnswer {
        /// What was asked.
        operation: &'static str,
        /// Its status.
        status: u8,
        /// Its payload.
        payload: Vec<u8>,
    },
}

/// A host.
#[derive(Debug)]
pub struct Host<L> {
    line: L,
    receiver: Receiver,
    sequence: u8,
    /// How long an answer may take.
    patience: Duration,
    /// How often a request is sent.
    attempts: u32,
}

impl<L: Line> Host<L> {
    /// A host on this line: an answer may take so long.
    pub fn new(line: L, patience: Duration) -> Host<L> {
        Host { line, receiver: Receiver::default(), sequence: 0, patience, attempts: 10 }
    }
    /// The same, which sends a request so often before it gives up.
    pub fn with_attempts(self, attempts: u32) -> Host<L> {
        Host { attempts, ..self }
    }
    /// The line.
    pub fn line(&mut self) -> &mut L {
        &mut self.line
    }
    /// Opens the link.
    ///
    /// # Errors
    /// If nothing answers, or something that is no board of this page.
    pub fn open(&mut self) -> Result<(), HostError> {
        let greeting = self.done(Operation::Open, &[], 0)?;
        match greeting[..] {
            [b'k', b'v', b'f', VERSION] => Ok(()),
            [b'k', b'v', b'f', version] => Err(HostError::OtherVersion(version)),
            _ => Err(HostError::OtherBoard(greeting)),
        }
    }
    /// Reads a register.
    ///
    /// # Errors
    /// If there is none, or no answer.
    pub fn read(&mut self, address: u16) -> Result<u32, HostError> {
        let word = self.done(Operation::Read, &address.to_le_bytes(), address)?;
        let word: [u8; 4] = word.try_into().map_err(|payload| other_answer(Operation::Read, 0, payload))?;
        Ok(u32::from_le_bytes(word))
    }
    /// Writes a register.
    ///
    /// # Errors
    /// If it cannot be written, or no answer comes.
    pub fn write(&mut self, address: u16, value: u32) -> Result<(), HostError> {
        let payload = [&address.to_le_bytes()[..], &value.to_le_bytes()].concat();
        self.done(Operation::Write, &payload, address).map(drop)
    }
    /// Puts a packet; what finds no room is put again, up to so many times.
    ///
    /// # Errors
    /// If it never finds room, or no answer comes.
    pub fn put(&mut self, packet: &[u8], times: u32) -> Result<(), HostError> {
        let parts = packet.chunks(MOST).count();
        for (i, part) in packet.chunks(MOST).enumerate() {
            let operation = if i + 1 == parts { Operation::PutLast } else { Operation::Put };
            let mut left = times;
            while let Err(error) = self.done(operation, part, 0) {
                left = match (error, left.checked_sub(1)) {
                    (HostError::NoRoom, Some(left)) => left,
                    (error, _) => return Err(error),
                };
            }
        }
        Ok(())
    }
    /// What is there of a packet, and whether that ends it.
    ///
    /// # Errors
    /// If no answer comes.
    pub fn take(&mut self) -> Result<(Vec<u8>, bool), HostError> {
        let mut bytes = self.done(Operation::Take, &[MOST as u8 - 1], 0)?;
        match bytes.pop() {
            Some(ends @ (0 | 1)) => Ok((bytes, ends == 1)),
            last => Err(other_answer(Operation::Take, 0, bytes.into_iter().chain(last).collect())),
        }
    }
    /// A packet, which is asked for so many times while nothing comes.
    ///
    /// # Errors
    /// If it does not come to its end, or no answer comes.
    pub fn take_packet(&mut self, times: u32) -> Result<Option<Vec<u8>>, HostError> {
        let (mut packet, mut left) = (vec![], times);
        while left > 0 && packet.len() <= LONGEST_PACKET {
            let (bytes, ends) = self.take()?;
            left = if bytes.is_empty() { left - 1 } else { times };
            packet.extend(bytes);
            if ends {
                return Ok(Some(packet));
            }
        }
        Ok(None)
    }
    /// Ends a packet that was begun, and takes all that comes, until nothing has come so many times: what a host left that was stopped.
    ///
    /// # Errors
    /// If no answer comes.
    pub fn drain(&mut self, times: u32) -> Result<(), HostError> {
        for _ in 0..MOST_DRAINED {
            match self.put(&[0, 0], 0) {
                Err(HostError::NoRoom) => self.take()?, // room is made
                other => {
                    other?;
                    return self.take_all(times).map(drop);
                }
            };
        }
        Err(HostError::Endless)
    }
    /// Takes all that comes, until nothing has come so many times. Has anything?
    ///
    /// # Errors
    /// If it does not end, or no answer comes.
    pub fn take_all(&mut self, times: u32) -> Result<bool, HostError> {
        let (mut came, mut left) = (false, times);
        for _ in 0..MOST_DRAINED {
            if left == 0 {
                return Ok(came);
            }
            let (bytes, ends) = self.take()?;
            let something = ends || !bytes.is_empty();
            came |= something;
            left = if something { times } else { left - 1 };
        }
        Err(HostError::Endless)
    }
    /// The payload of the answer to a request that must be done. `address` is that of the register, for what is said.
    fn done(&mut self, operation: Operation, payload: &[u8], address: u16) -> Result<Vec<u8>, HostError> {
        match self.request(operation, payload)? {
            (0, payload) => Ok(payload),
            (1, _) => Err(HostError::Closed),
            (2, _) => Err(HostError::NotUnderstood),
            (3, _) => Err(HostError::NoRegister(address)),
            (4, _) => Err(HostError::NoRoom),
            (status, payload) => Err(other_answer(operation, status, payload)),
        }
    }
    /// Sends a request until its answer comes: status and payload.
    fn request(&mut self, operation: Operation, payload: &[u8]) -> Result<(u8, Vec<u8>), HostError> {
        self.sequence = self.sequence.wrapping_add(1);
        let content = [&[self.sequence, 0, operation as u8], payload].concat();
        let frame = encode(&content).map_err(|_| other_answer(operation, 0, vec![]))?;
        for _ in 0..self.attempts {
            // the zero ends what the line may have left at the other end
            self.line.send(&[&[0][..], &frame].concat())?;
            let deadline = self.line.time() + self.patience;
            // also where bytes keep coming that are no answer
            while let Some(left) = deadline.checked_sub(self.line.time()).filter(|left| !left.is_zero()) {
                let Some(byte) = self.line.receive(left)? else { break };
                // damaged frames and late answers are dropped: the request is sent again
                let Some(Ok(answer)) = self.receiver.take(byte) else { continue };
                if (answer[0], answer[2]) == (self.sequence, operation as u8) {
                    return Ok((answer[1], answer[3..].to_vec()));
                }
            }
        }
        Err(HostError::NoAnswer { attempts: self.attempts, patience: self.patience })
    }
}

fn other_answer(operation: Operation, status: u8, payload: Vec<u8>) -> HostError {
    let operation = match operation {
        Operation::Open => "open",
        Operation::Read => "read",
        Operation::Write => "write",
        Operation::Put | Operation::PutLast => "put",
        Operation::Take => "take",
    };
    HostError::OtherAnswer { operation, status, payload }
}

#[cfg(test)]
mod tests;
