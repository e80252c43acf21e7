//! The dense part: how wide a code is, and where it stands (section 3).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Elements in a chunk.
pub const CHUNK: usize = 64;

/// The width of a code in the dense part, `B` on the format's page: 3 to 6 bits, 4 in the paper.
///
/// It belongs to a layer's keys or values, as their thresholds do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct DenseBits(u32);

/// A number or a text is no legal width.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("dense codes of {0} bits: legal is 3, 4, 5 or 6")]
pub struct DenseBitsError(String);

impl DenseBits {
    /// The paper's width.
    pub const PAPER: DenseBits = DenseBits(4);
    /// All legal widths, in ascending order.
    pub const ALL: [DenseBits; 4] = [DenseBits(3), DenseBits(4), DenseBits(5), DenseBits(6)];

    /// Checks and takes a width in bits.
    pub fn new(bits: u32) -> Result<Self, DenseBitsError> {
        Self::ALL.into_iter().find(|legal| legal.0 == bits).ok_or_else(|| DenseBitsError(bits.to_string()))
    }

    /// The width in bits.
    pub fn get(self) -> u32 {
        self.0
    }

    /// How many codes there are, `2^B`.
    pub fn codes(self) -> u32 {
        1 << self.0
    }

    /// The largest code, `2^B - 1`.
    pub fn max_code(self) -> u32 {
        self.codes() - 1
    }

    /// The largest exponent field of a step, `42 - B`: the coarsest step that a vector can need.
    pub fn max_step_exponent(self) -> u32 {
        42 - self.0
    }

    /// Bytes of the dense part of `n` elements, a multiple of 64.
    pub fn dense_bytes(self, n: usize) -> usize {
        n / CHUNK * self.chunk_bytes()
    }

    /// Bytes of a chunk's codes.
    pub(super) fn chunk_bytes(self) -> usize {
        CHUNK / 8 * self.0 as usize
    }

    /// What the header says of the width, in its bits 62:60: 0 for the paper's.
    pub(super) fn to_header_field(self) -> u64 {
        u64::from(self.0 ^ Self::PAPER.0)
    }

    /// The number of bits that a header speaks of; perhaps none that is legal.
    pub(super) fn in_header(header: u64) -> u32 {
        (header >> 60) as u32 & 7 ^ Self::PAPER.0
    }
}

impl Default for DenseBits {
    fn default() -> Self {
        Self::PAPER
    }
}

impl fmt::Display for DenseBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for DenseBits {
    type Err = DenseBitsError;

    fn from_str(text: &str) -> Result<Self, DenseBitsError> {
        let bits = text.parse().map_err(|_| DenseBitsError(format!("\"{text}\"")))?;
        Self::new(bits)
    }
}

impl TryFrom<u32> for DenseBits {
    type Error = DenseBitsError;

    fn try_from(bits: u32) -> Result<Self, DenseBitsError> {
        Self::new(bits)
    }
}

impl From<DenseBits> for u32 {
    fn from(bits: DenseBits) -> u32 {
        bits.0
    }
}

/// The dense part: codes side by side, the first in the low bits of the first byte.
pub(super) fn pack(codes: &[u8], dense_bits: DenseBits) -> Vec<u8> {
    // Eight codes fill as many whole bytes as a code has bits.
    let width = dense_bits.get();
    let bytes = |eight: &[u8]| {
        let word = eight.iter().rev().fold(0_u64, |word, &code| word << width | u64::from(code));
        word.to_le_bytes().into_iter().take(width as usize)
    };
    codes.chunks_exact(8).flat_map(bytes).collect()
}

/// The code of an element: bits `B*i + B-1` to `B*i` of the dense part.
pub(super) fn code(dense: &[u8], element: usize, dense_bits: DenseBits) -> u32 {
    let lowest = element * dense_bits.get() as usize;
    let byte = |i: usize| dense.get(i).map_or(0, |&byte| u32::from(byte));
    let both = byte(lowest / 8) | byte(lowest / 8 + 1) << 8;
    both >> (lowest % 8) & dense_bits.max_code()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_side_by_side_from_the_low_bits_on() {
        for dense_bits in DenseBits::ALL {
            let codes: Vec<u8> = (0..64).map(|i| (i * 37 % dense_bits.codes()) as u8).collect();
            let dense = pack(&codes, dense_bits);
            assert_eq!(dense.len(), dense_bits.dense_bytes(64));
            for (i, &expected) in codes.iter().enumerate() {
                assert_eq!(code(&dense, i, dense_bits), u32::from(expected), "element {i} at {dense_bits} bits");
                let bit = |j: usize| dense[j / 8] >> (j % 8) & 1;
                let width = dense_bits.get() as usize;
                let one_by_one = (0..width).fold(0, |sum, j| sum | bit(i * width + j) << j);
                assert_eq!(one_by_one, expected, "element {i} at {dense_bits} bits");
            }
        }
    }

    #[test]
    fn four_bits_are_the_low_and_the_high_half_of_a_byte() {
        let codes: Vec<u8> = (0..64).map(|i| i % 16).collect();
        assert_eq!(pack(&codes, DenseBits::PAPER)[..3], [0x10, 0x32, 0x54]);
    }

    #[test]
    fn widths_that_are_not_legal_are_refused() {
        for (text, shown) in [("2", "2"), ("7", "7"), ("four", "\"four\""), ("-3", "\"-3\""), ("", "\"\"")] {
            let message = text.parse::<DenseBits>().unwrap_err().to_string();
            assert_eq!(message, format!("dense codes of {shown} bits: legal is 3, 4, 5 or 6"));
        }
        assert_eq!("5".parse(), Ok(DenseBits(5)));
    }
}
