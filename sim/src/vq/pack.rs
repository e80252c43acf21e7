//! Packing: indices for tensors, with books that are there.

use half::f16;
use rayon::prelude::*;

use super::encoder::{Encoder, encode_lattice, to_f32};
use super::error::VqError;
use super::prepared::Prepared;
use super::source::{Source, check_sides};
use crate::golden::vq::decode::tensor16;
use crate::golden::vq::{Books, Part, Scales, Scheme, Tensor, TensorKind, VqFile, pack_row};

/// Packs tensors with the books of a file: all that it has books for; others are left alone.
pub fn pack(books: &VqFile, sources: &[Source], beam: usize, progress: &(dyn Fn() + Sync)) -> Result<VqFile, VqError> {
    let tensors = books.tensors.iter().map(|tensor| {
        let source = source_of(tensor, sources)?;
        check_shape(tensor, source)?;
        check_sides(source.rows, source.cols, 1)?;
        let packed = pack_tensor(&books.scheme, tensor, source, beam, progress);
        check_finite(&books.scheme, &packed)?;
        Ok(packed)
    });
    let tensors = tensors.collect::<Result<_, VqError>>()?;
    Ok(VqFile { scheme: books.scheme, packed: true, tensors })
}

/// Each entry is finite; the sum of several, or one times the scale of its row, may not be.
fn check_finite(scheme: &Scheme, tensor: &Tensor) -> Result<(), VqError> {
    if scheme.residuals == 1 && scheme.scales == Scales::None {
        return Ok(());
    }
    match tensor16(scheme, tensor).iter().position(|bits| !f16::from_bits(*bits).is_finite()) {
        None => Ok(()),
        Some(at) => {
            let (row, column) = (at / tensor.cols, at % tensor.cols);
            Err(VqError::Overflow { name: tensor.name.clone(), row, column })
        }
    }
}

/// The tensor that books are for.
pub(super) fn source_of<'a>(tensor: &Tensor, sources: &'a [Source]) -> Result<&'a Source, VqError> {
    let same = |source: &&Source| match tensor.kind {
        TensorKind::Weight => source.kind == tensor.kind && source.name == tensor.name,
        kind => (source.kind, source.layer) == (kind, tensor.layer),
    };
    sources.iter().find(same).ok_or_else(|| {
        let names: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
        let given = if names.is_empty() { "none".into() } else { names.join(", ") };
        VqError::Missing { kind: tensor.kind, name: tensor.name.clone(), given }
    })
}

pub(super) fn check_shape(tensor: &Tensor, source: &Source) -> Result<(), VqError> {
    let rows_differ = tensor.rows != 0 && tensor.kind == TensorKind::Weight && tensor.rows != source.rows;
    if tensor.cols == source.cols && !rows_differ {
        return Ok(());
    }
    let shape = |rows: usize, cols: usize| match tensor.kind {
        TensorKind::Weight => format!("the shape [{rows}, {cols}]"),
        _ => format!("{cols} columns"),
    };
    let (found, made_from) = (shape(source.rows, source.cols), shape(tensor.rows, tensor.cols));
    Err(VqError::Shape { name: source.name.clone(), found, made_from })
}

fn pack_tensor(scheme: &Scheme, books: &Tensor, source: &Source, beam: usize, progress: &(dyn Fn() + Sync)) -> Tensor {
    let mut tensor = Tensor { rows: source.rows, indices: vec![], ..books.clone() };
    let tensor_scale = books.scales.first().copied().filter(|_| scheme.scales == Scales::Tensor);
    let prepared = Prepared::new(scheme, source, tensor.rotation.as_ref(), tensor_scale);
    let parts: Vec<Part> = tensor.parts(scheme).collect();
    let encoded = |part: &Part| {
        let rows = encode_part(scheme, &tensor, part, &prepared, source.cols, beam);
        progress();
        rows
    };
    let indices: Vec<Vec<u8>> = parts.par_iter().map(encoded).collect();
    tensor.indices = indices;
    tensor.scales = prepared.scales;
    tensor
}

/// The rows of a part, packed.
fn encode_part(
    scheme: &Scheme,
    tensor: &Tensor,
    part: &Part,
    prepared: &Prepared,
    width: usize,
    beam: usize,
) -> Vec<u8> {
    let (per_row, residuals) = (part.indices_per_row(scheme), scheme.residuals);
    let beam = if residuals == 1 { 1 } else { beam };
    let whole = || prepared.cut(part.rows.clone(), part.cols.clone(), width);
    let books_at = |first: usize| {
        let books = &tensor.books[first..first + residuals];
        Encoder::new(books.iter().map(|book| to_f32(&book.values)).collect(), scheme.vector)
    };
    let indices = match scheme.books {
        Books::Lattice => encode_lattice(&whole(), residuals, f16::from_bits(scheme.inverse_ratio).to_f32()),
        Books::Tile => books_at(part.first_book).encode(&whole(), beam),
        Books::Group => {
            let mut indices = vec![0; per_row * part.rows.len()];
            for group in 0..part.groups {
                let start = part.cols.start + group * scheme.vector;
                let data = prepared.cut(part.rows.clone(), start..start + scheme.vector, width);
                let found = books_at(part.first_book + group * residuals).encode(&data, beam);
                for (row, found) in indices.chunks_exact_mut(per_row).zip(found.chunks_exact(residuals)) {
                    row[group * residuals..(group + 1) * residuals].copy_from_slice(found);
                }
            }
            indices
        }
    };
    indices.chunks_exact(per_row).flat_map(|row| pack_row(row, scheme.bits)).collect()
}
