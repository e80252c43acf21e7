//! What can be wrong with a record.

use std::fmt;

use thiserror::Error;

use super::dense::DenseBits;

/// One of the four steps in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepName {
    /// Bits 12:0.
    Middle,
    /// Bits 25:13.
    OuterPositive,
    /// Bits 38:26.
    OuterNegative,
    /// Bits 51:39.
    Inner,
}

impl StepName {
    /// All four, as they stand in the header.
    pub const ALL: [StepName; 4] = [Self::Middle, Self::OuterPositive, Self::OuterNegative, Self::Inner];
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StepName::Middle => "the step of the middle group (bits 12:0)",
            StepName::OuterPositive => "the positive step of the outer group (bits 25:13)",
            StepName::OuterNegative => "the negative step of the outer group (bits 38:26)",
            StepName::Inner => "the step of the inner group (bits 51:39)",
        })
    }
}

/// Why a record is illegal (section 3), and where. Byte offsets count from the start of the sparse part.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FormatError {
    /// The vector length is none of the format's.
    #[error("a vector of {n} elements: legal is a multiple of 64 from 64 to 8192")]
    Length {
        /// Elements.
        n: usize,
    },
    /// The dense part has the wrong length.
    #[error(
        "the dense part has {found} bytes: a vector of {n} elements has {} at {dense_bits} bits",
        dense_bits.dense_bytes(*n)
    )]
    DenseLength {
        /// Elements.
        n: usize,
        /// The width of the codes.
        dense_bits: DenseBits,
        /// Bytes found.
        found: usize,
    },
    /// The sparse part ends inside the header.
    #[error("the sparse part has {found} bytes and ends inside the header, which has 8")]
    HeaderCutShort {
        /// Bytes found.
        found: usize,
    },
    /// The sparse part ends before a chunk's count byte.
    #[error("the sparse part ends at byte {offset}, before the count of chunk {chunk} of {chunks}")]
    CountMissing {
        /// Where the count byte should be.
        offset: usize,
        /// The chunk, from 0.
        chunk: usize,
        /// Chunks of the vector.
        chunks: usize,
    },
    /// The sparse part ends inside a chunk's entries.
    #[error(
        "the sparse part ends after {found} of the {count} entries of chunk {chunk}, whose count is at byte {offset}"
    )]
    EntriesCutShort {
        /// Where the count byte is.
        offset: usize,
        /// The chunk, from 0.
        chunk: usize,
        /// Entries that the count byte promises.
        count: usize,
        /// Entries found.
        found: usize,
    },
    /// Bytes are left after the last chunk.
    #[error("{extra} bytes too many in the sparse part: the last chunk ends at byte {offset}")]
    TrailingBytes {
        /// Where the first of them is.
        offset: usize,
        /// How many.
        extra: usize,
    },
    /// Header bit 63 is not zero.
    #[error("header bit 63 is set: it must be zero")]
    ReservedBit,
    /// The header speaks of codes of another width.
    #[error("the header (bits 62:60) says codes of {found} bits: they should have {dense_bits}")]
    Width {
        /// What it says, in bits; perhaps no legal width.
        found: u32,
        /// What the decoder was told.
        dense_bits: DenseBits,
    },
    /// `E` is 0 but `F` is not.
    #[error("{name} has E = 0 and F = {fraction}: with E = 0, F must be 0")]
    ZeroStepWithFraction {
        /// Which step.
        name: StepName,
        /// `F`.
        fraction: u32,
    },
    /// `E` is above 42 - B.
    #[error("{name} has E = {exponent}: at most {} is legal at {dense_bits} bits", dense_bits.max_step_exponent())]
    StepExponent {
        /// Which step.
        name: StepName,
        /// `E`.
        exponent: u32,
        /// The width of the codes.
        dense_bits: DenseBits,
    },
    /// A step is much finer than the threshold that its group adds.
    #[error(
        "{name} has E = {exponent}, too fine beside its threshold: 0 or {least} to {} is legal",
        dense_bits.max_step_exponent()
    )]
    StepTooFine {
        /// Which step.
        name: StepName,
        /// `E`.
        exponent: u32,
        /// The least legal `E` other than 0.
        least: u32,
        /// The width of the codes.
        dense_bits: DenseBits,
    },
    /// `split` is above 2^B.
    #[error(
        "split (header bits 59:58 and 56:52) is {found}: at most {} is legal at {dense_bits} bits",
        dense_bits.codes()
    )]
    Split {
        /// The field.
        found: u32,
        /// The width of the codes.
        dense_bits: DenseBits,
    },
    /// A count byte is above 64.
    #[error("the count of chunk {chunk} at byte {offset} is {found}: at most 64 is legal")]
    Count {
        /// Where the count byte is.
        offset: usize,
        /// The chunk, from 0.
        chunk: usize,
        /// The byte.
        found: u8,
    },
    /// The positions of a chunk's entries do not ascend.
    #[error("the entry at byte {offset} in chunk {chunk} has position {found} after {previous}: positions must ascend")]
    EntryOrder {
        /// Where the entry byte is.
        offset: usize,
        /// The chunk, from 0.
        chunk: usize,
        /// Its position.
        found: u8,
        /// The position of the entry before it.
        previous: u8,
    },
}
