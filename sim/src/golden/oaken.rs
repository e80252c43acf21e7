//! The bit-exact model of the Oaken record format, version 1, written from `docs/oaken-format.md`.
//!
//! A vector is the N binary16 elements of one token's key or value, given as bit patterns; N is a multiple of 64 from
//! 64 to 8192. [`encode`] makes the record that the quantizer gives, bit by bit; [`decode`] turns any legal record back
//! into binary16 and refuses every illegal one with a [`FormatError`] that says what is wrong and where.
//!
//! All arithmetic is on integers. Section numbers in the comments are those of the format's page.
//!
//! ```
//! use sim::golden::oaken::{DenseBits, Thresholds, decode, encode};
//!
//! let thresholds = Thresholds::from_f32(-2.0, -0.125, 0.125, 2.0)?;
//! let vector = [0x3c00; 64]; // 1.0
//! let dense_bits = DenseBits::PAPER; // 4
//! let record = encode(&vector, dense_bits, &thresholds);
//! assert_eq!((record.dense.len(), record.sparse.len()), (32, 9));
//! let back = decode(&record.dense, &record.sparse, 64, dense_bits, &thresholds)?;
//! assert!(back.iter().all(|&x| (0x3bc0..=0x3c40).contains(&x))); // close to 1.0
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decode;
mod dense;
mod encode;
mod error;
mod header;
mod number;
mod slice;
mod sparse;
mod thresholds;

pub use decode::decode;
pub use dense::{CHUNK, DenseBits, DenseBitsError};
pub use encode::encode;
pub use error::{FormatError, StepName};
pub use header::{Header, Step};
pub use number::{Side, magnitude};
pub use thresholds::{ThresholdError, Thresholds};

/// The longest vector, in elements.
pub const MAX_N: usize = 8192;
/// Bytes of the header at the start of the sparse part.
pub const HEADER_BYTES: usize = 8;

/// Whether `n` is a vector length that the format knows: a multiple of 64 from 64 to 8192.
pub fn is_legal_length(n: usize) -> bool {
    n.is_multiple_of(CHUNK) && (CHUNK..=MAX_N).contains(&n)
}

/// One quantized vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The header; the first eight bytes of `sparse` hold the same, little-endian.
    pub header: u64,
    /// N*B/8 bytes: the codes of B bits side by side, the first in the low bits of the first byte.
    pub dense: Vec<u8>,
    /// The header, then for each chunk a count byte and that many entry bytes.
    pub sparse: Vec<u8>,
}

impl Record {
    /// The record of these parts; none if the sparse one is shorter than its header. Whether they are legal,
    /// [`decode`] says.
    pub fn of_parts(sparse: Vec<u8>, dense: Vec<u8>) -> Option<Record> {
        let header = u64::from_le_bytes(*sparse.first_chunk()?);
        Some(Record { header, dense, sparse })
    }
    /// All stored bits over the number of elements, which the header's width and the dense part give.
    pub fn effective_bits(&self) -> f64 {
        let bits_of = |bytes: usize| 8.0 * bytes as f64;
        let elements = bits_of(self.dense.len()) / f64::from(DenseBits::in_header(self.header));
        bits_of(self.dense.len() + self.sparse.len()) / elements
    }
}

/// The group of an element (section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Beyond S of its side.
    Outer,
    /// Between T and S of its side.
    Middle,
    /// At or below T of its side.
    Inner,
}

impl Group {
    /// The group of an element. NaN is inner and an infinity is as the largest finite number, as in [`encode`].
    pub fn of(element: u16, thresholds: &Thresholds) -> Self {
        let (element, _) = number::make_finite(element);
        let (x, side) = (magnitude(element), Side::of(element));
        if x > thresholds.s(side) {
            Group::Outer
        } else if x <= thresholds.t(side) {
            Group::Inner
        } else {
            Group::Middle
        }
    }
}

/// How many elements each group has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Elements of large magnitude.
    pub outer: usize,
    /// Elements of the middle group.
    pub middle: usize,
    /// Elements of small magnitude.
    pub inner: usize,
}

impl GroupCounts {
    /// Counts the groups of some elements.
    pub fn of(elements: &[u16], thresholds: &Thresholds) -> Self {
        let mut counts = Self::default();
        for &element in elements {
            match Group::of(element, thresholds) {
                Group::Outer => counts.outer += 1,
                Group::Middle => counts.middle += 1,
                Group::Inner => counts.inner += 1,
            }
        }
        counts
    }

    /// Adds the counts of other elements.
    pub fn add(&mut self, other: Self) {
        self.outer += other.outer;
        self.middle += other.middle;
        self.inner += other.inner;
    }

    /// Elements in all groups together.
    pub fn total(&self) -> usize {
        self.outer + self.middle + self.inner
    }
}

#[cfg(test)]
mod tests;
