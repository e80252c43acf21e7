//! Readers of recorded keys and values.
//!
//! A [`Recording`] comes from one path:
//! - a safetensors file: every tensor whose name ends in `layer<N>.k` or `layer<N>.v` is taken, others are left alone
//!   (F16, BF16 or F32);
//! - an npy file: one tensor; the file's name ends in `layer<N>.k.npy` or `layer<N>.v.npy`, or the caller says which
//!   layer and kind it is ([`read_npy`]); `<f2`, `<f4` or `<f8`;
//! - a folder: all npy files in it with such names, together.
//!
//! Before `layer` a name may have anything that ends in a character other than a letter or a digit, as in
//! `model.layer3.k` or `run1_layer3.k.npy`.
//!
//! A tensor is `[tokens, elements]`, with a multiple of 64 elements, at most 8192. Everything is turned into binary16, to
//! nearest, ties to even; NaN, infinities and numbers beyond 65504 are errors that name the element.
//!
//! Queries, of which a token has as many heads or more, are tensors `layer<N>.q` of the same file or folder ([`read_queries`]).

mod convert;
mod error;
mod npy;
mod queries;
mod safetensors;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use error::DataError;
pub use npy::read_npy;
pub use queries::{QueryTensor, read_queries};
pub use safetensors::read_matrices;

use crate::golden::oaken::is_legal_length;

/// Key or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The keys of a layer.
    Key,
    /// The values of a layer.
    Value,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Key => "key",
            Kind::Value => "value",
        })
    }
}

/// The keys or the values of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvTensor {
    /// The layer, from 0.
    pub layer: u32,
    /// Keys or values.
    pub kind: Kind,
    /// Tokens.
    pub rows: usize,
    /// Elements of one token's vector.
    pub cols: usize,
    /// binary16 bit patterns, row after row.
    pub data: Vec<u16>,
}

impl KvTensor {
    /// The vectors, one for each token.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        self.data.chunks_exact(self.cols)
    }
}

/// A matrix of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The tensor's name.
    pub name: String,
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// binary16 bit patterns, row after row.
    pub data: Vec<u16>,
}

/// The recorded keys and values of one run of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Where it was read.
    pub path: PathBuf,
    /// The model, if the recording says so (safetensors metadata `model`).
    pub model: Option<String>,
    /// In ascending order of layer, keys before values; at least one.
    pub tensors: Vec<KvTensor>,
}

impl Recording {
    /// Reads a safetensors file, an npy file or a folder of npy files (see the module's description).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, DataError> {
        let path = path.as_ref();
        if path.is_dir() {
            return npy::read_folder(path);
        }
        let bytes = read_bytes(path)?;
        let is_npy = bytes.starts_with(npy::MAGIC) || path.extension().is_some_and(|e| e == "npy");
        if is_npy { npy::read_named(path, &bytes) } else { safetensors::read(path, &bytes) }
    }

    /// The file's or folder's name without what stands before and after it.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The keys or values of a layer.
    pub fn tensor(&self, layer: u32, kind: Kind) -> Option<&KvTensor> {
        self.tensors.iter().find(|t| (t.layer, t.kind) == (layer, kind))
    }

    /// Sorts tensors of one recording; two of one layer and kind are an error.
    fn new(path: &Path, model: Option<String>, mut tensors: Vec<KvTensor>) -> Result<Self, DataError> {
        tensors.sort_by_key(|t| (t.layer, t.kind));
        if let Some(pair) = tensors.windows(2).find(|p| (p[0].layer, p[0].kind) == (p[1].layer, p[1].kind)) {
            return Err(DataError::Duplicate { path: path.into(), layer: pair[0].layer, kind: pair[0].kind });
        }
        Ok(Self { path: path.into(), model, tensors })
    }
}

/// Checks that recordings are of one model: the same layers and kinds, each with the same number of elements.
pub fn check_agreement(recordings: &[Recording]) -> Result<(), DataError> {
    for pair in recordings.windows(2) {
        check_has_all(&pair[0], &pair[1])?;
        check_has_all(&pair[1], &pair[0])?;
    }
    Ok(())
}

fn check_has_all(a: &Recording, b: &Recording) -> Result<(), DataError> {
    for tensor in &a.tensors {
        let (layer, kind) = (tensor.layer, tensor.kind);
        match b.tensor(layer, kind) {
            None => {
                let (path, without) = (a.path.clone(), b.path.clone());
                return Err(DataError::LayersDisagree { layer, kind, path, without });
            }
            Some(other) if other.cols != tensor.cols => {
                let (path, cols) = (a.path.clone(), tensor.cols);
                let (other, other_cols) = (b.path.clone(), other.cols);
                return Err(DataError::ColumnsDisagree { layer, kind, path, cols, other, other_cols });
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    std::fs::read(path).map_err(|source| DataError::Read { path: path.into(), source })
}

/// Layer and kind from a name that ends in `layer<N>.k` or `layer<N>.v`.
fn parse_name(name: &str) -> Option<(u32, Kind)> {
    match parse_layer(name)? {
        (layer, "k") => Some((layer, Kind::Key)),
        (layer, "v") => Some((layer, Kind::Value)),
        _ => None,
    }
}

/// Layer and last part of a name that ends in `layer<N>.<part>`.
fn parse_layer(name: &str) -> Option<(u32, &str)> {
    let (rest, part) = name.rsplit_once('.')?;
    let (before, number) = rest.rsplit_once("layer")?;
    let separate = !before.ends_with(|c: char| c.is_alphanumeric());
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    if separate && digits { Some((number.parse().ok()?, part)) } else { None }
}

/// Rows and columns of a tensor's shape, if they are legal.
fn check_shape(path: &Path, tensor: &str, shape: &[usize]) -> Result<(usize, usize), DataError> {
    match *shape {
        [rows, cols] if rows > 0 && is_legal_length(cols) => Ok((rows, cols)),
        [rows, cols] if rows > 0 => Err(DataError::Columns { path: path.into(), tensor: tensor.into(), cols }),
        _ => Err(DataError::Shape { path: path.into(), tensor: tensor.into(), shape: shape.into() }),
    }
}

#[cfg(test)]
mod tests;
