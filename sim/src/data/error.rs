//! What can be wrong with a recording.

use std::path::PathBuf;

use thiserror::Error;

use super::kind::Kind;

/// Why a recording cannot be used; the message names the file and, where there is one, the tensor.
#[derive(Debug, Error)]
pub enum DataError {
    /// The file system said no.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file ends too early.
    #[error("{} is cut short: {detail}", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What is missing.
        detail: String,
    },
    /// The file is no safetensors file.
    #[error("{} is not a safetensors file ({detail}); legal are safetensors files, npy files, and folders of npy files", path.display())]
    NotSafetensors {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// The file is no npy file.
    #[error("{} is not an npy file: {detail}", path.display())]
    NotNpy {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// An npy file's name does not tell what it holds.
    #[error("{}: the name does not tell layer and kind; legal names end in layer<N>.k.npy or layer<N>.v.npy", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// The elements have a type that is not read.
    #[error("{}, tensor {tensor}: elements are {found}; legal is {legal}", path.display())]
    ElementType {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// Its type.
        found: String,
        /// The types that are read.
        legal: &'static str,
    },
    /// The tensor is not a matrix.
    #[error("{}, tensor {tensor}: shape {shape:?}; legal is [tokens, elements] with at least one token", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// The vectors have a length that the format does not know.
    #[error("{}, tensor {tensor}: {cols} elements a token; legal is a multiple of 64 from 64 to 8192", path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// Elements of one token.
        cols: usize,
    },
    /// The file holds no keys or values.
    #[error("{} holds no keys or values: no name among {found} ends in layer<N>.k or layer<N>.v", path.display())]
    NoTensors {
        /// The file or folder.
        path: PathBuf,
        /// The names that it has, or their number.
        found: String,
    },
    /// The file holds no queries.
    #[error("{} holds no queries: no name among {found} ends in layer<N>.q", path.display())]
    NoQueries {
        /// The file or folder.
        path: PathBuf,
        /// The names that it has, or their number.
        found: String,
    },
    /// Two tensors claim to be the queries of a layer.
    #[error("{} holds the queries of layer {layer} twice", path.display())]
    QueriesTwice {
        /// The file or folder.
        path: PathBuf,
        /// The layer.
        layer: u32,
    },
    /// The file holds no weights.
    #[error("{} holds no weights: no name among {found} begins with `weight.` or ends in `.weight`", path.display())]
    NoMatrices {
        /// The file.
        path: PathBuf,
        /// The names that it has, or their number.
        found: String,
    },
    /// A tensor that was asked for is not there.
    #[error("{} has no tensor {tensor}: it has {found}", path.display())]
    NoSuchTensor {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// The names that it has, or their number.
        found: String,
    },
    /// Weights that are no matrix.
    #[error("{}, tensor {tensor}: shape {shape:?}; legal is [outputs, inputs], none of them 0", path.display())]
    MatrixShape {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Two tensors claim to be the same.
    #[error("{} holds layer {layer} {kind} twice", path.display())]
    Duplicate {
        /// The file or folder.
        path: PathBuf,
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
    },
    /// An element is NaN or infinite.
    #[error("{}, tensor {tensor}: row {row}, column {col} is {value}; legal are finite numbers", path.display())]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// The token, from 0.
        row: usize,
        /// The element, from 0.
        col: usize,
        /// What it is.
        value: f64,
    },
    /// An element is too large for binary16.
    #[error("{}, tensor {tensor}: row {row}, column {col} is {value}, beyond binary16; legal is -65504 to 65504", path.display())]
    Overflow {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// The token, from 0.
        row: usize,
        /// The element, from 0.
        col: usize,
        /// What it is.
        value: f64,
    },
    /// Two recordings have different layers.
    #[error("recordings disagree: {} has layer {layer} {kind}, {} has not", path.display(), without.display())]
    LayersDisagree {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
        /// The recording that has it.
        path: PathBuf,
        /// The recording that has not.
        without: PathBuf,
    },
    /// Two recordings have vectors of different lengths.
    #[error(
        "recordings disagree: layer {layer} {kind} has {cols} elements a token in {} and {other_cols} in {}",
        path.display(), other.display()
    )]
    ColumnsDisagree {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
        /// One recording.
        path: PathBuf,
        /// Elements of a token there.
        cols: usize,
        /// The other.
        other: PathBuf,
        /// Elements of a token there.
        other_cols: usize,
    },
}
