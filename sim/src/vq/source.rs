//! What is quantized: keys and values of recordings, matrices of weights.

use std::path::Path;

use half::f16;

use super::error::VqError;
use crate::data::{Kind, Recording, check_agreement, read_matrices};
use crate::golden::vq::{MAX_SIDE, TensorKind};

/// A tensor in binary16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Keys, values or weights.
    pub kind: TensorKind,
    /// The layer of keys and values; 0 for weights.
    pub layer: u32,
    /// `layer<N>.k`, `layer<N>.v`, or the matrix's name.
    pub name: String,
    /// Tokens or outputs.
    pub rows: usize,
    /// Values of a row.
    pub cols: usize,
    /// Finite binary16 bit patterns, row after row.
    pub data: Vec<u16>,
}

impl Source {
    /// All values.
    pub fn values(&self) -> Vec<f64> {
        self.data.iter().map(|&bits| f16::from_bits(bits).to_f64()).collect()
    }
}

/// The keys and values of recordings of one model, layer by layer, the tokens of one recording behind those of the other;
/// of all layers if none is named.
pub fn kv_sources(recordings: &[Recording], layers: &[u32]) -> Result<Vec<Source>, VqError> {
    check_agreement(recordings)?;
    let first = recordings.first().ok_or(VqError::NoTensors)?;
    let wanted = first.tensors.iter().filter(|tensor| layers.is_empty() || layers.contains(&tensor.layer));
    let source = |tensor: &crate::data::KvTensor| {
        let same = || recordings.iter().filter_map(|recording| recording.tensor(tensor.layer, tensor.kind));
        let (kind, letter) = match tensor.kind {
            Kind::Key => (TensorKind::Key, 'k'),
            Kind::Value => (TensorKind::Value, 'v'),
        };
        Source {
            kind,
            layer: tensor.layer,
            name: format!("layer{}.{letter}", tensor.layer),
            rows: same().map(|tensor| tensor.rows).sum(),
            cols: tensor.cols,
            data: same().flat_map(|tensor| tensor.data.iter().copied()).collect(),
        }
    };
    Ok(wanted.map(source).collect())
}

/// Matrices of a safetensors file; all whose names begin with `weight.` or end in `.weight` if none is named, without the vectors of norms.
pub fn weight_sources(path: &Path, names: &[String]) -> Result<Vec<Source>, VqError> {
    let source = |matrix: crate::data::Matrix| Source {
        kind: TensorKind::Weight,
        layer: 0,
        name: matrix.name,
        rows: matrix.rows,
        cols: matrix.cols,
        data: matrix.data,
    };
    Ok(read_matrices(path, names)?.into_iter().map(source).collect())
}

/// A file holds no more rows and columns.
pub(super) fn check_sides(rows: usize, cols: usize, tile: usize) -> Result<(), VqError> {
    let sides = [("rows", rows), ("columns", cols), ("rows or columns of a tile", tile)];
    match sides.into_iter().find(|side| side.1 > MAX_SIDE) {
        Some((what, found)) => Err(VqError::TooMany { what, found, most: MAX_SIDE }),
        None => Ok(()),
    }
}
