//! Bitstreams for an iCE40: banks of configuration and of block RAM, with one check at the end.
//!
//! The format is that of Project IceStorm's documentation ("Bitstream file format"): a comment, a preamble, then commands, whose first byte
//! says what and how many bytes follow. The check (CRC-16, polynomial 1021, begun with FFFF) is over all bytes since the command that
//! resets it. No command names the device or its package: the device is known by the width and height of its banks.

use super::error::{BitstreamError, Place};
use super::reader::{Reader, highest_first};
use crate::device::{Device, Family};

/// Name of a device, and width and heights of its four banks of configuration, in bits.
const DEVICES: [(&str, u32, [u32; 4]); 5] = [
    ("iCE40UP5K", 692, [336, 176, 336, 176]),
    ("iCE5LP4K", 692, [176; 4]),
    ("iCE40HX8K", 872, [272; 4]),
    ("iCE40HX1K", 332, [144; 4]),
    ("iCE40LP384", 182, [80; 4]),
];
const CONFIGURATION: &str = "the configuration";

/// Where data goes, as the commands before it say.
#[derive(Clone, Copy, Default)]
struct Window {
    bank: u32,
    width: u32,
    height: u32,
    offset: u32,
}

/// What a bitstream has.
#[derive(Debug, Default, PartialEq, Eq)]
struct Bitstream {
    /// Width of the configuration; 0 without any.
    width: u32,
    /// Rows of the configuration by bank, each after the one before.
    heights: [u32; 4],
    /// Bits of block RAM that are written.
    ram: u32,
}

/// Where the preamble begins.
pub(super) fn begin(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == [0x7e, 0xaa, 0x99, 0x7e])
}

/// Is this a whole bitstream for this device?
///
/// # Errors
/// What [`read`] says, and that it is for another device.
pub(super) fn check(bytes: &[u8], device: &Device) -> Result<String, BitstreamError> {
    let Bitstream { width, heights, ram } = read(bytes)?;
    let known_by = format!("banks of {width} by {} bits", heights.map(|height| height.to_string()).join(", "));
    match DEVICES.iter().find(|(_, w, h)| (*w, *h) == (width, heights)) {
        Some((is, ..)) if *is == device.name => Ok(format!("{is}, {known_by}, {ram} bits of block RAM")),
        Some((is, ..)) => Err(BitstreamError::OtherDevice { is, known_by, device: device.name }),
        None => Err(BitstreamError::UnknownDevice(known_by)),
    }
}

/// Reads a bitstream to its end.
///
/// # Errors
/// Whatever is not as it has to be, with its place.
fn read(bytes: &[u8]) -> Result<Bitstream, BitstreamError> {
    let begin = begin(bytes).ok_or(BitstreamError::NoPreamble { family: Family::Ice40, is: None })?;
    let mut reader = Reader::new(bytes, begin + 4, highest_first::<0x1021>);
    let (mut found, mut window) = (Bitstream::default(), Window::default());
    // data that no check is over; none is, until it has been reset
    let (mut is_counting, mut unchecked) = (false, false);
    loop {
        let at = reader.at;
        let no_command = |command| BitstreamError::NoCommand { command, at: Place::Byte(at) };
        let command = reader.byte("its commands")?;
        let length = usize::from(command & 0x0f);
        if length > 4 {
            return Err(no_command(command));
        }
        let value = reader.take(length, "a command")?.iter().fold(0, |value, byte| value << 8 | u32::from(*byte));
        match (command, value) {
            // where to boot from next, rate of the oscillator, flags
            (0x44, _) | (0x51, 0..=2) | (0x92, _) => {}
            (0x11, 0..=3) => window.bank = value,
            (0x62, _) => window.width = value + 1,
            (0x72, _) => window.height = value,
            (0x82, _) => window.offset = value,
            (0x01, 1 | 3) => {
                write(&mut reader, window, value == 1, &mut found)?;
                unchecked = true;
            }
            (0x01, 5) => (reader.crc, is_counting) = (0xffff, true),
            (0x22, _) if is_counting && reader.crc == 0 => unchecked = false,
            (0x22, _) => return Err(BitstreamError::Damaged { of: "all its data".into(), at: Place::Byte(at) }),
            // it wakes up
            (0x01, 6) if unchecked => return Err(BitstreamError::Missing("check behind its data".into())),
            (0x01, 6) => break,
            _ => return Err(no_command(command)),
        }
    }
    match bytes[reader.at..].iter().all(|byte| *byte == 0) {
        true => Ok(found),
        false => Err(BitstreamError::GoesOn { at: Place::Byte(reader.at) }),
    }
}

/// The rows of a bank, and two bytes of 0 behind them.
fn write(
    reader: &mut Reader,
    window: Window,
    is_configuration: bool,
    found: &mut Bitstream,
) -> Result<(), BitstreamError> {
    let Window { bank, width, height, offset } = window;
    let bits = width * height;
    reader.take((bits / 8) as usize + 2, if is_configuration { CONFIGURATION } else { "the contents of block RAM" })?;
    if !is_configuration {
        found.ram += bits;
        return Ok(());
    }
    let rows = &mut found.heights[bank as usize];
    if *rows != offset || ![0, width].contains(&found.width) {
        return Err(BitstreamError::Missing(format!("rows {rows} and on of bank {bank}")));
    }
    (*rows, found.width) = (offset + height, width);
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
