//! The bytes from a place on, with the check of those since the last one.

use super::error::{BitstreamError, Place};

/// Reads bytes, and keeps the check of those since the last one.
pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub crc: u16,
    update: fn(u16, u8) -> u16,
}

impl<'a> Reader<'a> {
    /// From the byte `at` on; `update` is the check with one more byte.
    pub fn new(bytes: &'a [u8], at: usize, update: fn(u16, u8) -> u16) -> Reader<'a> {
        Reader { bytes, at, crc: 0, update }
    }
    pub fn byte(&mut self, within: &'static str) -> Result<u8, BitstreamError> {
        Ok(self.take(1, within)?[0])
    }
    pub fn take(&mut self, count: usize, within: &'static str) -> Result<&'a [u8], BitstreamError> {
        let taken = self.bytes.get(self.at..self.at + count);
        let taken = taken.ok_or(BitstreamError::Cut { at: Place::Byte(self.bytes.len()), within })?;
        self.at += count;
        self.crc = taken.iter().fold(self.crc, |crc, byte| (self.update)(crc, *byte));
        Ok(taken)
    }
    /// Compares a check that stands here: with it, one that fits is 0.
    pub fn check(&mut self, of: impl Fn() -> String) -> Result<(), BitstreamError> {
        let at = Place::Byte(self.at);
        self.take(2, "a check")?;
        if self.crc != 0 {
            return Err(BitstreamError::Damaged { of: of(), at });
        }
        Ok(())
    }
}

/// CRC-16 with one more byte, whose highest bit comes first.
pub(super) fn highest_first<const POLYNOMIAL: u16>(crc: u16, byte: u8) -> u16 {
    (0..8).rev().fold(crc, |crc, bit| {
        let out = (crc >> 15 ^ u16::from(byte >> bit)) & 1;
        crc << 1 ^ if out == 1 { POLYNOMIAL } else { 0 }
    })
}

/// CRC-16 of polynomial 8005 with one more byte, whose lowest bit comes first; the check stands with its lower byte first.
pub(super) fn lowest_first(crc: u16, byte: u8) -> u16 {
    (0..8).fold(crc ^ u16::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xa001 } else { 0 })
}
