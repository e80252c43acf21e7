//! Bitstreams for a Gowin: a text of 0 and 1 (`.fs`), a command or a frame each line, with the check of every frame.
//!
//! The format is that of Project Apicula's documentation: comments, a preamble, commands of 2, 4 or 8 bytes, the last of which says how
//! many frames there are, the frames, and commands that end it. A check (CRC-16, polynomial 8005, each byte's lowest bit first) is over
//! the commands but one, or six bytes of 1, and a frame. No command names the package: GW1N-9C and GW1NR-9C, with memory in the package,
//! have the same id.

use super::error::{BitstreamError, Place};
use super::reader::lowest_first;
use crate::device::{Device, Family};

/// Id; its name in `fpga::device`, or what it is else.
const DEVICES: [(u32, &str); 7] = [
    (0x1100_481b, "GW1NR-9C"),
    (0x0000_081b, "GW2AR-18C"),
    (0x1100_581b, "GW1N-9"),
    (0x0900_281b, "GW1N-1"),
    (0x0100_381b, "GW1N-4"),
    (0x0100_681b, "GW1NZ-1"),
    (0x0100_981b, "GW1NS-4"),
];
const PREAMBLE: &[u8] = &[0xa5, 0xc3];
/// Behind the bytes of a frame: its check, and six bytes of 1.
const BEHIND: usize = 8;

/// What a bitstream says of itself.
#[derive(Debug, PartialEq, Eq)]
struct Bitstream {
    idcode: u32,
    frames: u32,
}

/// A line that is no comment: its number, and its bytes.
type Line = (usize, Vec<u8>);

/// Has it a preamble, as a line of its text?
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == b'\n').any(|line| bytes_of(line).is_some_and(|bytes| bytes == PREAMBLE))
}

/// Is this a whole bitstream for this device?
///
/// # Errors
/// What [`read`] says, and that it is for another device.
pub(super) fn check(bytes: &[u8], device: &Device) -> Result<String, BitstreamError> {
    let Bitstream { idcode, frames } = read(bytes)?;
    let known_by = format!("id {idcode:08X}");
    match DEVICES.iter().find(|(id, _)| *id == idcode) {
        Some((_, is)) if *is == device.name => Ok(format!("{is}, {known_by}, {frames} frames")),
        Some((_, is)) => Err(BitstreamError::OtherDevice { is, known_by, device: device.name }),
        None => Err(BitstreamError::UnknownDevice(known_by)),
    }
}

/// Reads a bitstream from its preamble to its end.
///
/// # Errors
/// Whatever is not as it has to be, with its line.
fn read(bytes: &[u8]) -> Result<Bitstream, BitstreamError> {
    if !is_one(bytes) {
        return Err(BitstreamError::NoPreamble { family: Family::Gowin, is: None });
    }
    let mut lines = Lines { lines: lines(bytes)?.into_iter(), last: 0 };
    while lines.next("its preamble")?.1 != PREAMBLE {}
    let (mut idcode, mut crc) = (0, 0);
    let frames = loop {
        let (line, bytes) = lines.next("its commands")?;
        // where it lies in a flash: no check is over that
        if bytes[0] != 0xd2 {
            crc = updated(crc, &bytes);
        }
        match (bytes[0], bytes.len()) {
            (0x06, 8) => idcode = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
            (0x3b, 4) => break u32::from(bytes[2]) << 8 | u32::from(bytes[3]),
            // settings, keys of compression, security, address in the flash, address of the first frame
            (0x10 | 0x51 | 0xd2, 8) | (0x0b | 0x12, 4) => {}
            (command, _) => return Err(BitstreamError::NoCommand { command, at: Place::Line(line) }),
        }
    };
    for frame in 0..frames {
        let (line, bytes) = lines.next("the configuration")?;
        let of = || BitstreamError::Damaged { of: format!("frame {frame}"), at: Place::Line(line) };
        let checked = bytes.len().checked_sub(BEHIND - 2).ok_or_else(of)?;
        let (checked, ones) = bytes.split_at(checked);
        if updated(crc, checked) != 0 || ones != [0xff; BEHIND - 2] {
            return Err(of());
        }
        crc = updated(0, ones);
    }
    end(&mut lines)?;
    Ok(Bitstream { idcode, frames })
}

/// What stands behind the frames: commands, of which the one that ends the configuration has to be there.
fn end(lines: &mut Lines) -> Result<(), BitstreamError> {
    let mut ends = false;
    while !ends {
        let (line, bytes) = lines.next("its last commands")?;
        match (bytes[0], bytes.len()) {
            (0x08, 4) => ends = true,
            // filler, checksum or user code
            (0xff, _) | (0x0a, 8) => {}
            (command, _) => return Err(BitstreamError::NoCommand { command, at: Place::Line(line) }),
        }
    }
    match lines.lines.find(|(_, bytes)| bytes.iter().any(|byte| *byte != 0xff)) {
        None => Ok(()),
        Some((line, _)) => Err(BitstreamError::GoesOn { at: Place::Line(line) }),
    }
}

fn updated(crc: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(crc, |crc, byte| lowest_first(crc, *byte))
}

/// The lines that are not read yet.
struct Lines {
    lines: std::vec::IntoIter<Line>,
    last: usize,
}

impl Lines {
    fn next(&mut self, within: &'static str) -> Result<Line, BitstreamError> {
        let line = self.lines.next().ok_or(BitstreamError::Cut { at: Place::Line(self.last), within })?;
        self.last = line.0;
        Ok(line)
    }
}

/// All lines that have bytes. The last one may be cut.
fn lines(text: &[u8]) -> Result<Vec<Line>, BitstreamError> {
    let count = text.split(|byte| *byte == b'\n').count();
    let lines = text.split(|byte| *byte == b'\n').zip(1..).filter(|(line, _)| !is_empty(line));
    let read = |(line, number)| match bytes_of(line) {
        Some(bytes) => Ok((number, bytes)),
        None if number == count => Err(BitstreamError::Cut { at: Place::Line(number), within: "its bits" }),
        None => Err(BitstreamError::NoBits(number)),
    };
    lines.map(read).collect()
}

/// Is this line a comment, or are there only blanks?
fn is_empty(line: &[u8]) -> bool {
    line.starts_with(b"//") || line.trim_ascii().is_empty()
}

/// The bytes that a line of 0 and 1 stands for; `None` if it is no such line.
fn bytes_of(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.trim_ascii();
    let whole = !line.is_empty() && line.len().is_multiple_of(8) && line.iter().all(|bit| matches!(bit, b'0' | b'1'));
    whole.then(|| line.chunks(8).map(|eight| eight.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0'))).collect())
}

#[cfg(test)]
pub(crate) mod tests;
