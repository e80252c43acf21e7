//! What can be wrong with a file, and where.

use thiserror::Error;

use super::scheme::SchemeError;

/// Why a file is not legal (section 8).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("byte {offset}: {fault}")]
pub struct FormatError {
    /// Where the faulty thing begins, counted from the start of the file.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// The file begins otherwise.
    #[error("no VQ file: it does not begin with `KVFORGVQ`")]
    Magic,
    /// A version that this reader does not know.
    #[error("version {0}: legal is 1")]
    Version(u8),
    /// The file ends too early.
    #[error("cut short: {what} needs {needed} bytes, and {left} are left")]
    CutShort {
        /// What is missing.
        what: String,
        /// Bytes that it has.
        needed: u64,
        /// Bytes until the end of the file.
        left: u64,
    },
    /// The header says another length.
    #[error("the header says {header} bytes, the file has {found}")]
    Length {
        /// What the header says.
        header: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// A field is out of range.
    #[error("{name} is {found}: legal is {legal}")]
    Field {
        /// The field.
        name: String,
        /// What it holds.
        found: u64,
        /// What it may hold.
        legal: String,
    },
    /// Vector size, bits, residuals or inverse ratio are out of range.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A name is not printable UTF-8, or not filled with zeros.
    #[error("the name of tensor {0}: legal is printable UTF-8, at least one byte, filled with zeros to 64")]
    Name(usize),
    /// A CRC-32 does not fit.
    #[error("the CRC-32 of {what} is {stored:08x}, its bytes give {computed:08x}")]
    Crc {
        /// Of what.
        what: String,
        /// What is stored.
        stored: u32,
        /// What it should be.
        computed: u32,
    },
    /// Bytes or bits that must be zero are not.
    #[error("{what}: must be zero")]
    NotZero {
        /// Which.
        what: String,
    },
    /// An entry is NaN or infinite.
    #[error("value {element} of entry {entry} in book {book} has the bits {bits:04x}: legal are finite numbers")]
    Entry {
        /// The book's number in the file.
        book: u32,
        /// The entry.
        entry: usize,
        /// Which of its values.
        element: usize,
        /// What it holds.
        bits: u16,
    },
    /// A scale is not a positive number.
    #[error("scale {scale} of {tensor} has the bits {bits:04x}: legal are positive finite numbers")]
    Scale {
        /// The tensor.
        tensor: String,
        /// Which, from 0.
        scale: usize,
        /// What it holds.
        bits: u16,
    },
    /// An index is beyond its book.
    #[error("row {row}, index {position} of {part} is {found}: legal in its book is 0 to {}", .count - 1)]
    Index {
        /// Tensor and part.
        part: String,
        /// The row of the part, from 0.
        row: usize,
        /// Which index of the row, from 0.
        position: usize,
        /// The index.
        found: u16,
        /// Entries of the book.
        count: usize,
    },
    /// Bytes are left after the last tensor.
    #[error("{0} bytes too many after the last tensor")]
    Trailing(u64),
}

impl Fault {
    /// The fault at a byte.
    pub(super) fn at(self, offset: u64) -> FormatError {
        FormatError { offset, fault: self }
    }
}
