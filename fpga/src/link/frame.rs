//! Frames: content to the bytes of a line and back (docs/link.md).
//!
//! ```
//! use fpga::link::frame::{Receiver, encode};
//!
//! let line = encode(&[7, 0, 1, 0xaa]).expect("3 to 243 bytes");
//! let mut receiver = Receiver::default();
//! let frames: Vec<_> = line.iter().filter_map(|byte| receiver.take(*byte)).collect();
//! assert_eq!(frames, [Ok(vec![7, 0, 1, 0xaa])]);
//! ```

use std::fmt;

/// Bytes of the shortest content: its head alone.
pub const MIN_CONTENT: usize = 3;
/// Bytes of the longest content: head, and 240 bytes of payload.
pub const MAX_CONTENT: usize = 243;
/// Bytes of the check behind the content.
const CHECK: usize = 4;

/// A content that no frame carries: so many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongLength(pub usize);

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a frame carries no content of {} bytes: from {MIN_CONTENT} to {MAX_CONTENT}", self.0)
    }
}

impl std::error::Error for WrongLength {}

/// Why a frame was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    /// Its end came within a block, it is too short, or its check is wrong.
    Damaged,
    /// It has more bytes than a frame may have.
    TooLong,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dropped::Damaged => "a frame came damaged",
            Dropped::TooLong => "a frame came that is longer than any may be",
        })
    }
}

/// The frame of a content, with the zero that ends it.
///
/// # Errors
/// If the content is shorter or longer than a frame carries.
pub fn encode(content: &[u8]) -> Result<Vec<u8>, WrongLength> {
    if !(MIN_CONTENT..=MAX_CONTENT).contains(&content.len()) {
        return Err(WrongLength(content.len()));
    }
    let body = [content, &crc32fast::hash(content).to_le_bytes()].concat();
    let mut frame = Vec::with_capacity(body.len() + 2);
    for block in body.split(|byte| *byte == 0) {
        frame.push(block.len() as u8 + 1); // at most 248: a body has at most 247 bytes
        frame.extend(block);
    }
    frame.push(0);
    Ok(frame)
}

/// What a frame without its end was made of.
fn decode(frame: &[u8]) -> Result<Vec<u8>, Dropped> {
    if frame.len() > MAX_CONTENT + CHECK + 1 {
        return Err(Dropped::TooLong);
    }
    let (mut body, mut rest) = (vec![], frame);
    while let Some((code, behind)) = rest.split_first() {
        let block = behind.get(..usize::from(*code) - 1).ok_or(Dropped::Damaged)?; // no code is 0: that is the end
        body.extend(block);
        rest = &behind[block.len()..];
        if !rest.is_empty() {
            body.push(0);
        }
    }
    let content = body.len().checked_sub(CHECK).filter(|length| *length >= MIN_CONTENT).ok_or(Dropped::Damaged)?;
    let check = body.split_off(content);
    if check == crc32fast::hash(&body).to_le_bytes() { Ok(body) } else { Err(Dropped::Damaged) }
}

/// Takes the bytes of a line one by one.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// Of the frame that is coming; of one that is too long only as much as says so.
    frame: Vec<u8>,
}

impl Receiver {
    /// Takes a byte. If it ends a frame: the content, or why there is none.
    pub fn take(&mut self, byte: u8) -> Option<Result<Vec<u8>, Dropped>> {
        if byte != 0 {
            if self.frame.len() <= MAX_CONTENT + CHECK + 1 {
                self.frame.push(byte);
            }
            return None;
        }
        let frame = std::mem::take(&mut self.frame);
        (!frame.is_empty()).then(|| decode(&frame))
    }
}

#[cfg(test)]
mod tests;
