//! What can be wrong with what is trained or packed.

use thiserror::Error;

use crate::data::DataError;
use crate::golden::vq::{SchemeError, TensorKind};

/// Why books cannot be trained, or a tensor cannot be packed.
#[derive(Debug, Error)]
pub enum VqError {
    /// A recording or file of weights.
    #[error(transparent)]
    Data(Box<DataError>),
    /// The parameters.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// There is nothing to train from.
    #[error("no tensor to train from")]
    NoTensors,
    /// Columns that are not whole vectors.
    #[error("{name} has {cols} columns: vectors of {vector} values need a multiple of {vector}")]
    Columns {
        /// The tensor.
        name: String,
        /// Its columns.
        cols: usize,
        /// Values of a vector.
        vector: usize,
    },
    /// Heads that do not divide the columns.
    #[error("{name} has {cols} columns, which are not whole heads of {head}")]
    Heads {
        /// The tensor.
        name: String,
        /// Its columns.
        cols: usize,
        /// Columns of a head.
        head: usize,
    },
    /// Tiles or heads that are not whole vectors.
    #[error("{what} of {cols} columns: vectors of {vector} values need a multiple of {vector}, {vector} at least")]
    Parts {
        /// Tiles of a matrix, or heads of keys and values.
        what: &'static str,
        /// Columns of one.
        cols: usize,
        /// Values of a vector.
        vector: usize,
    },
    /// A matrix that Hadamard blocks do not divide.
    #[error("{name} is [{rows}, {cols}]: Hadamard blocks of {block} need multiples of {block}")]
    Rotation {
        /// The matrix.
        name: String,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// Rows and columns of a block.
        block: usize,
    },
    /// More than a file can hold.
    #[error("{found} {what}: a file holds at most {most}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// The most.
        most: usize,
    },
    /// A name that does not fit into a file.
    #[error("the name {name:?} of a tensor: legal are 1 to 64 bytes without control characters")]
    Name {
        /// The name.
        name: String,
    },
    /// Books without a tensor.
    #[error("there are books for {kind} {name}, and no such tensor is given; given are {given}")]
    Missing {
        /// Keys, values or weights.
        kind: TensorKind,
        /// The books' tensor.
        name: String,
        /// What is there.
        given: String,
    },
    /// Entries, their sums or scales that binary16 does not hold.
    #[error(
        "{name}: row {row}, column {column} would decode to what binary16 does not hold; legal are values whose entries, their sums, and both times their scale are at most 65504: scale the tensor down"
    )]
    Overflow {
        /// The tensor.
        name: String,
        /// The row of the first such value.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A tensor of another shape than the file was made from.
    #[error("{name} has {found}: what the file was made from had {made_from}")]
    Shape {
        /// The tensor.
        name: String,
        /// What it has.
        found: String,
        /// What it should have.
        made_from: String,
    },
}

impl From<DataError> for VqError {
    fn from(error: DataError) -> Self {
        VqError::Data(Box::new(error))
    }
}
