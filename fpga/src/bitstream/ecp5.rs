//! Bitstreams for an ECP5: Lattice's commands, with the check of every frame.
//!
//! The format is that of Lattice's TN-02039 and of Project Trellis' documentation: texts that the device ignores, a preamble, then commands.
//! A check (CRC-16, polynomial 8005, begun with 0) is over all bytes since the one before, compressed ones as they stand in the file.

use super::error::{BitstreamError, Place};
use super::reader::{Reader, highest_first};
use crate::device::{Device, Family};

/// What a bitstream says of itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bitstream {
    /// The device that it asks for (`VERIFY_ID`).
    pub idcode: u32,
    /// The part, as the texts in front of it name it.
    pub part: Option<String>,
    /// Frames of the configuration.
    pub frames: u32,
}

/// Name, id, and bytes of a frame. Compression fills them up to a multiple of 8.
const DEVICES: [(&str, u32, usize); 3] =
    [("LFE5U-25F", 0x4111_1043, 74), ("LFE5U-45F", 0x4111_2043, 106), ("LFE5U-85F", 0x4111_3043, 142)];

/// Where the preamble begins.
pub(super) fn begin(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == [0xff, 0xff, 0xbd, 0xb3])
}

/// Reads a bitstream from its texts to its end, and checks each of its checks.
///
/// # Errors
/// Whatever is not as it has to be, with its place.
pub(super) fn read(bytes: &[u8]) -> Result<Bitstream, BitstreamError> {
    let begin = begin(bytes).ok_or(BitstreamError::NoPreamble { family: Family::Ecp5, is: None })?;
    let part = texts(&bytes[..begin]).find_map(|text| Some(text.strip_prefix("Part: ")?.to_string()));
    let mut reader = Reader::new(bytes, begin + 4, highest_first::<0x8005>);
    let mut found = Bitstream { idcode: 0, part, frames: 0 };
    loop {
        let (at, crc) = (reader.at, reader.crc);
        let command = reader.byte("its commands")?;
        match command {
            // filler, which no check is over
            0xff => reader.crc = crc,
            // LSC_RESET_CRC
            0x3b => {
                reader.take(3, "a command")?;
                reader.crc = 0;
            }
            // VERIFY_ID
            0xe2 => found.idcode = number(reader.take(7, "the id of the device")?),
            // LSC_PROG_CNTRL0, LSC_EBR_ADDRESS
            0x22 | 0xf6 => drop(reader.take(7, "a command")?),
            // LSC_INIT_ADDRESS
            0x46 => drop(reader.take(3, "a command")?),
            // ISC_PROGRAM_USERCODE
            0xc2 => {
                let checked = reader.take(7, "the user code")?[0] & 0x80 != 0;
                check_if(&mut reader, checked, || "the user code".into())?;
            }
            // LSC_WRITE_COMP_DIC: eight bytes that have short codes
            0x02 => drop(reader.take(11, "the dictionary")?),
            // LSC_PROG_INCR_RTI, and the same compressed: the configuration
            0x82 | 0xb8 => found.frames += frames(&mut reader, found.idcode, command == 0xb8)?,
            // LSC_EBR_WRITE: words of block RAM
            0xb2 => {
                let parameters = reader.take(3, "the contents of block RAM")?.to_vec();
                let words = usize::from(parameters[1]) << 8 | usize::from(parameters[2]);
                reader.take(9 * words, "the contents of block RAM")?;
                check_if(&mut reader, parameters[0] & 0x80 != 0, || "the contents of block RAM".into())?;
            }
            // ISC_PROGRAM_DONE
            0x5e => {
                reader.take(3, "its last command")?;
                let at = reader.at;
                let ends = bytes[at..].iter().all(|byte| *byte == 0xff);
                return if ends { Ok(found) } else { Err(BitstreamError::GoesOn { at: Place::Byte(at) }) };
            }
            _ => return Err(BitstreamError::NoCommand { command, at: Place::Byte(at) }),
        }
    }
}

/// Is this a whole bitstream for this device?
///
/// # Errors
/// What [`read`] says, and that it is for another device or another package, or names none.
pub(super) fn check(bytes: &[u8], device: &Device) -> Result<String, BitstreamError> {
    let found = read(bytes)?;
    let known_by = format!("id {:08X}", found.idcode);
    match DEVICES.iter().find(|(_, idcode, _)| *idcode == found.idcode) {
        Some((is, ..)) if *is == device.name => match found.part {
            None => Err(BitstreamError::NoPart),
            Some(part) if !(part.starts_with(device.name) && part.ends_with(device.package)) => {
                Err(BitstreamError::OtherPackage { part, device: device.name, package: device.package })
            }
            Some(part) => Ok(format!("{part}, {known_by}, {} frames", found.frames)),
        },
        Some((is, ..)) => Err(BitstreamError::OtherDevice { is, known_by, device: device.name }),
        None => Err(BitstreamError::UnknownDevice(known_by)),
    }
}

/// The texts between `FF 00` and `00 FF`, each with a zero behind it.
fn texts(header: &[u8]) -> impl Iterator<Item = &str> {
    let inside = header.strip_prefix(&[0xff, 0]).unwrap_or_default();
    inside.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok())
}

/// The frames of the configuration: each with its check, and bytes between two of them.
fn frames(reader: &mut Reader, idcode: u32, compressed: bool) -> Result<u32, BitstreamError> {
    const WITHIN: &str = "the configuration";
    let device = DEVICES.iter().find(|(_, known, _)| *known == idcode);
    let (.., bytes) = device.ok_or_else(|| BitstreamError::UnknownDevice(format!("id {idcode:08X}")))?;
    let parameters = reader.take(3, WITHIN)?.to_vec();
    let (flags, count) = (parameters[0], u32::from(parameters[1]) << 8 | u32::from(parameters[2]));
    for frame in 0..count {
        match compressed {
            true => skip_compressed(reader, bytes.next_multiple_of(8))?,
            false => drop(reader.take(*bytes, WITHIN)?),
        }
        check_if(reader, flags & 0x80 != 0, || format!("frame {frame}"))?;
        reader.take(usize::from(flags & 0x0f), WITHIN)?;
    }
    Ok(count)
}

fn number(bytes: &[u8]) -> u32 {
    bytes[bytes.len() - 4..].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Compares a check that stands here, if there is one.
fn check_if(reader: &mut Reader, is_there: bool, of: impl Fn() -> String) -> Result<(), BitstreamError> {
    if is_there { reader.check(of) } else { Ok(()) }
}

/// Goes over the codes of so many bytes, up to the end of a byte: `0` is a zero, `10` and four bits more a byte with one bit set or one of
/// the dictionary, `11` and eight bits any other.
fn skip_compressed(reader: &mut Reader, count: usize) -> Result<(), BitstreamError> {
    const WITHIN: &str = "the configuration";
    let (bytes, mut position) = (reader.bytes, 8 * reader.at);
    let bit = |position: usize| bytes.get(position / 8).map(|byte| byte >> (7 - position % 8) & 1 == 1);
    for _ in 0..count {
        let cut = || BitstreamError::Cut { at: Place::Byte(bytes.len()), within: WITHIN };
        position += match bit(position).ok_or_else(cut)? {
            false => 1,
            true if bit(position + 1).ok_or_else(cut)? => 10,
            true => 6,
        };
    }
    reader.take(position.div_ceil(8) - reader.at, WITHIN).map(drop)
}

#[cfg(test)]
pub(crate) mod tests;
