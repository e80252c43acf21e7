//! A recording, and what all of its readers check.

use std::path::{Path, PathBuf};

use super::error::DataError;
use super::kind::Kind;
use crate::golden::oaken::is_legal_length;

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

/// The queries of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTensor {
    /// The layer, from 0.
    pub layer: u32,
    /// Tokens.
    pub rows: usize,
    /// Elements of one token's queries, of all heads.
    pub cols: usize,
    /// binary16 bit patterns, row after row.
    pub data: Vec<u16>,
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
    /// The file's or folder's name without what stands before and after it.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The keys or values of a layer.
    pub fn tensor(&self, layer: u32, kind: Kind) -> Option<&KvTensor> {
        self.tensors.iter().find(|t| (t.layer, t.kind) == (layer, kind))
    }

    /// Sorts tensors of one recording; two of one layer and kind are an error.
    pub(super) fn new(path: &Path, model: Option<String>, mut tensors: Vec<KvTensor>) -> Result<Self, DataError> {
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

/// The bytes of a file.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    std::fs::read(path).map_err(|source| DataError::Read { path: path.into(), source })
}

/// Layer and kind from a name that ends in `layer<N>.k` or `layer<N>.v`.
pub(super) fn parse_name(name: &str) -> Option<(u32, Kind)> {
    match parse_layer(name)? {
        (layer, "k") => Some((layer, Kind::Key)),
        (layer, "v") => Some((layer, Kind::Value)),
        _ => None,
    }
}

/// Layer and last part of a name that ends in `layer<N>.<part>`.
pub(super) fn parse_layer(name: &str) -> Option<(u32, &str)> {
    let (rest, part) = name.rsplit_once('.')?;
    let (before, number) = rest.rsplit_once("layer")?;
    let separate = !before.ends_with(|c: char| c.is_alphanumeric());
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    if separate && digits { Some((number.parse().ok()?, part)) } else { None }
}

/// Rows and columns of a tensor's shape, if they are legal.
pub(super) fn check_shape(path: &Path, tensor: &str, shape: &[usize]) -> Result<(usize, usize), DataError> {
    match *shape {
        [rows, cols] if rows > 0 && is_legal_length(cols) => Ok((rows, cols)),
        [rows, cols] if rows > 0 => Err(DataError::Columns { path: path.into(), tensor: tensor.into(), cols }),
        _ => Err(DataError::Shape { path: path.into(), tensor: tensor.into(), shape: shape.into() }),
    }
}
