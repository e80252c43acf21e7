//! Packing: indices for tensors, with books that are there.

use std::ops::Range;

use half::f16;
use rayon::prelude::*;

use super::encoder::{Encoder, encode_lattice};
use super::error::VqError;
use super::residual::to_f32;
use super::rotate;
use super::source::Source;
use super::train::check_sides;
use crate::binary16;
use crate::golden::vq::{Books, Part, Rotation, Scales, Scheme, Tensor, TensorKind, VqFile, pack_row};

/// Vectors that the scale of a lattice is chosen from.
const SCALE_SAMPLE: usize = 4096;

/// A tensor ready for searching: turned, and divided by its scales.
pub(super) struct Prepared {
    values: Vec<f32>,
    /// As the file stores them.
    pub scales: Vec<u16>,
}

impl Prepared {
    /// `tensor_scale` is what a tensor with one scale gets, if that is known already; otherwise it is the root mean square,
    /// as that of a row is.
    pub fn new(scheme: &Scheme, source: &Source, rotation: Option<&Rotation>, tensor_scale: Option<u16>) -> Self {
        let mut values = source.values();
        if let Some(rotation) = rotation {
            rotate::forward(&mut values, rotation);
        }
        let scales = match scheme.scales {
            Scales::None => vec![],
            Scales::Tensor => vec![tensor_scale.unwrap_or_else(|| positive(root_mean_square(&values)))],
            Scales::Row => values.chunks(source.cols).map(|row| positive(root_mean_square(row))).collect(),
        };
        let scale_of = |row: usize| match scales.len() {
            0 => 1.0,
            1 => f16::from_bits(scales[0]).to_f64(),
            _ => f16::from_bits(scales[row]).to_f64(),
        };
        let rows = values.chunks(source.cols).enumerate();
        let values = rows.flat_map(|(r, row)| row.iter().map(move |x| (r, x))).map(|(r, x)| (x / scale_of(r)) as f32);
        Self { values: values.collect(), scales }
    }

    /// The values of some rows and columns, row after row.
    pub fn cut(&self, rows: Range<usize>, cols: Range<usize>, width: usize) -> Vec<f32> {
        rows.flat_map(|r| &self.values[r * width + cols.start..r * width + cols.end]).copied().collect()
    }
}

fn root_mean_square(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

/// A legal scale: positive, and 1 for what is all zeros.
fn positive(scale: f64) -> u16 {
    if scale == 0.0 { 0x3c00 } else { binary16::from_f64(scale).to_bits().clamp(0x0001, 0x7bff) }
}

/// Packs tensors with the books of a file: all that it has books for; others are left alone.
pub fn pack(books: &VqFile, sources: &[Source], beam: usize, progress: &(dyn Fn() + Sync)) -> Result<VqFile, VqError> {
    let tensors = books.tensors.iter().map(|tensor| {
        let source = source_of(tensor, sources)?;
        check_shape(tensor, source)?;
        check_sides(source.rows, source.cols, 1)?;
        Ok(pack_tensor(&books.scheme, tensor, source, beam, progress))
    });
    let tensors = tensors.collect::<Result<_, VqError>>()?;
    Ok(VqFile { scheme: books.scheme, packed: true, tensors })
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

/// The scale with which the lattice comes nearest to the values, from a sample: steps of 4 % around the root mean square,
/// then of 0.5 % around the best of them.
pub(super) fn choose_lattice_scale(scheme: &Scheme, source: &Source, rotation: Option<&Rotation>) -> u16 {
    let unscaled = Scheme { scales: Scales::None, ..*scheme };
    let values = Prepared::new(&unscaled, source, rotation, None).values;
    let step = (values.len() / scheme.vector / SCALE_SAMPLE).max(1);
    let sample: Vec<f32> = values.chunks_exact(scheme.vector).step_by(step).flatten().copied().collect();
    let rms = root_mean_square(&sample.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    let best_of = |center: f64, step: f64| {
        let factors = (-15..=15).map(|i| center * (1.0 + step * f64::from(i)));
        let errors = factors.map(|factor| (lattice_error(scheme, &sample, rms * factor), factor));
        errors.fold((f64::INFINITY, 1.0), |best, next| if next.0 < best.0 { next } else { best }).1
    };
    positive(rms * best_of(best_of(1.0, 0.04), 0.005))
}

fn lattice_error(scheme: &Scheme, sample: &[f32], scale: f64) -> f64 {
    use crate::golden::vq::e8p::point;
    let ratio = f16::from_bits(scheme.inverse_ratio).to_f32();
    let scaled: Vec<f32> = sample.iter().map(|&x| (f64::from(x) / scale) as f32).collect();
    let indices = encode_lattice(&scaled, scheme.residuals, ratio);
    let error = |(x, indices): (&[f32], &[u16])| {
        let points: Vec<_> = indices.iter().map(|&index| point(index)).collect();
        let value = |i: usize| points[0][i] as f32 / 4.0 + points.get(1).map_or(0.0, |p| ratio * p[i] as f32 / 4.0);
        x.iter().enumerate().map(|(i, x)| f64::from(x - value(i)).powi(2)).sum::<f64>()
    };
    scale * scale * scaled.chunks_exact(8).zip(indices.chunks_exact(scheme.residuals)).map(error).sum::<f64>()
}
