//! Tensors as the search for entries takes them, and the scale of a lattice.

use std::ops::Range;

use half::f16;

use super::encoder::encode_lattice;
use super::rotate;
use super::source::Source;
use crate::binary16;
use crate::golden::vq::{Books, Rotation, Scales, Scheme};

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
        let scale = |values: &[f64]| positive(root_mean_square(values), scheme.books);
        let scales = match scheme.scales {
            Scales::None => vec![],
            Scales::Tensor => vec![tensor_scale.unwrap_or_else(|| scale(&values))],
            Scales::Row => values.chunks(source.cols).map(scale).collect(),
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

/// A legal scale: positive. What is all zeros has 1; with a lattice, which has no zero, the smallest there is.
fn positive(scale: f64, books: Books) -> u16 {
    match books {
        Books::Tile | Books::Group if scale == 0.0 => 0x3c00,
        _ => binary16::from_f64(scale).to_bits().clamp(0x0001, 0x7bff),
    }
}

/// The scale with which the lattice comes nearest to the values, from a sample: steps of 4 % around the root mean square,
/// then of 0.5 % around the best of them.
pub(super) fn choose_lattice_scale(scheme: &Scheme, source: &Source, rotation: Option<&Rotation>) -> u16 {
    let unscaled = Scheme { scales: Scales::None, ..*scheme };
    let values = Prepared::new(&unscaled, source, rotation, None).values;
    let step = (values.len() / scheme.vector / SCALE_SAMPLE).max(1);
    let sample: Vec<f32> = values.chunks_exact(scheme.vector).step_by(step).flatten().copied().collect();
    let rms = root_mean_square(&sample.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    if rms == 0.0 {
        // nothing to choose by: hardly anything is not zero
        return positive(root_mean_square(&values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()), scheme.books);
    }
    let best_of = |center: f64, step: f64| {
        let factors = (-15..=15).map(|i| center * (1.0 + step * f64::from(i)));
        let errors = factors.map(|factor| (lattice_error(scheme, &sample, rms * factor), factor));
        errors.fold((f64::INFINITY, 1.0), |best, next| if next.0 < best.0 { next } else { best }).1
    };
    positive(rms * best_of(best_of(1.0, 0.04), 0.005), scheme.books)
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
