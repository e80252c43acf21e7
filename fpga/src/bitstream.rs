//! What a bitstream for an ECP5 says of itself, and whether it is whole: Lattice's commands, with the check of every frame.
//!
//! The format is that of Lattice's TN-02039 and of Project Trellis' documentation: texts that the device ignores, a preamble, then commands.
//! A check (CRC-16, polynomial 8005, begun with 0) is over all bytes since the one before, compressed ones as they stand in the file.

use crate::device::Device;
use thiserror::Error;

/// What a bitstream says of itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Bitstream {
    /// The device that it asks for (`VERIFY_ID`).
    pub idcode: u32,
    /// The part, as the texts in front of it name it.
    pub part: Option<String>,
    /// Frames of the configuration.
    pub frames: u32,
}

/// Why a file is no bitstream for a device.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BitstreamError {
    /// There is no preamble.
    #[error("this is no bitstream of an ECP5: it has no preamble FFFFBDB3")]
    NoPreamble,
    /// It ends too early.
    #[error("the bitstream is cut: it ends at byte {at}, within {within}")]
    Cut {
        /// How many bytes there are.
        at: usize,
        /// What was being read.
        within: &'static str,
    },
    /// A check does not fit.
    #[error("the bitstream is damaged: the check of {of} at byte {at} does not fit")]
    Damaged {
        /// What it is of.
        of: String,
        /// Where the check stands.
        at: usize,
    },
    /// A command that no tool here writes.
    #[error("the bitstream is damaged: {command:02X} at byte {at} is no command")]
    NoCommand {
        /// The command.
        command: u8,
        /// Where it stands.
        at: usize,
    },
    /// Something stands behind its end.
    #[error("the bitstream ends at byte {at}, and something else stands behind it")]
    GoesOn {
        /// Where its last command ends.
        at: usize,
    },
    /// Without its part nobody knows which pins it is for.
    #[error("the bitstream does not name its part, so its package is not known")]
    NoPart,
    /// It is for a device that nobody knows here.
    #[error("the bitstream is for a device with the id {0:08X}, which is no ECP5 of the list")]
    UnknownDevice(u32),
    /// It is for another device.
    #[error("the bitstream is for {is} (id {idcode:08X}), and the board has {device}")]
    OtherDevice {
        /// What it is for.
        is: &'static str,
        /// Its id.
        idcode: u32,
        /// What the board has.
        device: &'static str,
    },
    /// It is for the same device in another package, whose pins are others.
    #[error("the bitstream is for {part}, and the board has {device} in {package}")]
    OtherPackage {
        /// What it is for.
        part: String,
        /// What the board has.
        device: &'static str,
        /// In this package.
        package: &'static str,
    },
}

/// Name, id, and bytes of a frame. Compression fills them up to a multiple of 8.
const DEVICES: [(&str, u32, usize); 3] =
    [("LFE5U-25F", 0x4111_1043, 74), ("LFE5U-45F", 0x4111_2043, 106), ("LFE5U-85F", 0x4111_3043, 142)];

/// Reads a bitstream from its texts to its end, and checks each of its checks.
///
/// # Errors
/// Whatever is not as it has to be, with its place.
pub fn read(bytes: &[u8]) -> Result<Bitstream, BitstreamError> {
    const PREAMBLE: [u8; 4] = [0xff, 0xff, 0xbd, 0xb3];
    let begin = bytes.windows(4).position(|four| four == PREAMBLE).ok_or(BitstreamError::NoPreamble)?;
    let part = texts(&bytes[..begin]).find_map(|text| Some(text.strip_prefix("Part: ")?.to_string()));
    let mut reader = Reader { bytes, at: begin + 4, crc: 0 };
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
                reader.check(checked, || "the user code".into())?;
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
                reader.check(parameters[0] & 0x80 != 0, || "the contents of block RAM".into())?;
            }
            // ISC_PROGRAM_DONE
            0x5e => {
                reader.take(3, "its last command")?;
                let at = reader.at;
                let ends = bytes[at..].iter().all(|byte| *byte == 0xff);
                return if ends { Ok(found) } else { Err(BitstreamError::GoesOn { at }) };
            }
            _ => return Err(BitstreamError::NoCommand { command, at }),
        }
    }
}

/// Is this a whole bitstream for this device?
///
/// # Errors
/// What [`read`] says, and that it is for another device or another package, or names none.
pub fn check(bytes: &[u8], device: &Device) -> Result<Bitstream, BitstreamError> {
    let found = read(bytes)?;
    match DEVICES.iter().find(|(_, idcode, _)| *idcode == found.idcode) {
        Some((is, ..)) if *is == device.name => match found.part.clone() {
            None => Err(BitstreamError::NoPart),
            Some(part) if !(part.starts_with(device.name) && part.ends_with(device.package)) => {
                Err(BitstreamError::OtherPackage { part, device: device.name, package: device.package })
            }
            Some(_) => Ok(found),
        },
        Some((is, ..)) => Err(BitstreamError::OtherDevice { is, idcode: found.idcode, device: device.name }),
        None => Err(BitstreamError::UnknownDevice(found.idcode)),
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
    let (.., bytes) = device.ok_or(BitstreamError::UnknownDevice(idcode))?;
    let parameters = reader.take(3, WITHIN)?.to_vec();
    let (flags, count) = (parameters[0], u32::from(parameters[1]) << 8 | u32::from(parameters[2]));
    for frame in 0..count {
        match compressed {
            true => reader.skip_compressed(bytes.next_multiple_of(8))?,
            false => drop(reader.take(*bytes, WITHIN)?),
        }
        reader.check(flags & 0x80 != 0, || format!("frame {frame}"))?;
        reader.take(usize::from(flags & 0x0f), WITHIN)?;
    }
    Ok(count)
}

fn number(bytes: &[u8]) -> u32 {
    bytes[bytes.len() - 4..].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The bytes from a place on, with the check of those since the last one.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    crc: u16,
}

impl<'a> Reader<'a> {
    fn byte(&mut self, within: &'static str) -> Result<u8, BitstreamError> {
        Ok(self.take(1, within)?[0])
    }
    fn take(&mut self, count: usize, within: &'static str) -> Result<&'a [u8], BitstreamError> {
        let taken = self.bytes.get(self.at..self.at + count);
        let taken = taken.ok_or(BitstreamError::Cut { at: self.bytes.len(), within })?;
        self.at += count;
        self.crc = taken.iter().fold(self.crc, |crc, byte| updated(crc, *byte));
        Ok(taken)
    }
    /// Compares a check that stands here, if there is one.
    fn check(&mut self, is_there: bool, of: impl Fn() -> String) -> Result<(), BitstreamError> {
        if !is_there {
            return Ok(());
        }
        let at = self.at;
        // sixteen zeros behind the bytes bring out the remainder, and a check that fits brings out 0
        self.take(2, "a check")?;
        if self.crc != 0 {
            return Err(BitstreamError::Damaged { of: of(), at });
        }
        Ok(())
    }
    /// The codes of so many bytes, up to the end of a byte: `0` is a zero, `10` and four bits more a byte with one bit set or one of the
    /// dictionary, `11` and eight bits any other.
    fn skip_compressed(&mut self, count: usize) -> Result<(), BitstreamError> {
        let mut position = 8 * self.at;
        let bit = |position: usize| self.bytes.get(position / 8).map(|byte| byte >> (7 - position % 8) & 1 == 1);
        for _ in 0..count {
            let cut = || BitstreamError::Cut { at: self.bytes.len(), within: "the configuration" };
            position += match bit(position).ok_or_else(cut)? {
                false => 1,
                true if bit(position + 1).ok_or_else(cut)? => 10,
                true => 6,
            };
        }
        self.take(position.div_ceil(8) - self.at, "the configuration").map(drop)
    }
}

/// The check with one more byte.
fn updated(crc: u16, byte: u8) -> u16 {
    const POLYNOMIAL: u16 = 0x8005;
    (0..8).rev().fold(crc, |crc, bit| {
        let next = crc << 1 | u16::from(byte >> bit & 1);
        if crc & 0x8000 != 0 { next ^ POLYNOMIAL } else { next }
    })
}

#[cfg(test)]
pub(crate) mod tests;
