//! Values from indices (section 6): bit by bit in binary16, and in float64 without rounding.

use std::borrow::Cow;

use half::f16;

use super::e8p;
use super::file::{Part, Tensor};
use super::scheme::{Books, Scheme};
use crate::golden::float::Model;

/// The number model of all of this module's neighbours.
pub(in crate::golden) const B16: Model = Model::BINARY16;

/// `a + b` in binary16.
pub fn add(a: u16, b: u16) -> u16 {
    B16.add(a.into(), b.into()) as u16
}

/// `a * b` in binary16.
pub fn multiply(a: u16, b: u16) -> u16 {
    B16.multiply(a.into(), b.into()) as u16
}

/// The sum of a vector in binary16: neighbours pairwise, then their sums; a last one without a neighbour goes on as it is.
/// The sum of nothing is +0.
pub fn tree(terms: &[u16]) -> u16 {
    match terms {
        [] => 0,
        [one] => *one,
        _ => tree(
            &terms
                .chunks(2)
                .map(|pair| if pair.len() == 2 { add(pair[0], pair[1]) } else { pair[0] })
                .collect::<Vec<_>>(),
        ),
    }
}

/// The dot product in binary16: rounded products, summed by [`tree`].
pub fn dot(a: &[u16], b: &[u16]) -> u16 {
    tree(&a.iter().zip(b).map(|(a, b)| multiply(*a, *b)).collect::<Vec<_>>())
}

/// What an index of a row stands for, before residuals are added and scales applied.
pub fn entry<'a>(scheme: &Scheme, tensor: &'a Tensor, part: &Part, position: usize, index: u16) -> Cow<'a, [u16]> {
    match part.book_of(scheme, position) {
        None => Cow::Owned(e8p::point16(index).to_vec()),
        Some(book) => Cow::Borrowed(tensor.books[book].entry(index.into())),
    }
}

/// The entries of all residuals of a group as one, in binary16, without scale.
pub fn combine(scheme: &Scheme, entries: &[Cow<[u16]>]) -> Vec<u16> {
    let value = |i: usize| match (scheme.books, entries) {
        (Books::Lattice, [first, second]) => add(first[i], multiply(scheme.inverse_ratio, second[i])),
        _ => tree(&entries.iter().map(|entry| entry[i]).collect::<Vec<_>>()),
    };
    (0..scheme.vector).map(value).collect()
}

/// The same in float64.
fn combine64(scheme: &Scheme, entries: &[Cow<[u16]>]) -> Vec<f64> {
    let number = |bits: u16| f16::from_bits(bits).to_f64();
    let value = |i: usize| match (scheme.books, entries) {
        (Books::Lattice, [first, second]) => number(first[i]) + number(scheme.inverse_ratio) * number(second[i]),
        _ => entries.iter().map(|entry| number(entry[i])).sum(),
    };
    (0..scheme.vector).map(value).collect()
}

/// The values of a row of a part in binary16, without scale.
pub fn row(scheme: &Scheme, tensor: &Tensor, part: &Part, indices: &[u16]) -> Vec<u16> {
    groups(scheme, tensor, part, indices).flat_map(|entries| combine(scheme, &entries)).collect()
}

/// The entries of a row, group by group.
fn groups<'a>(
    scheme: &'a Scheme,
    tensor: &'a Tensor,
    part: &'a Part,
    indices: &'a [u16],
) -> impl Iterator<Item = Vec<Cow<'a, [u16]>>> {
    let entry = |(position, &index): (usize, &u16)| entry(scheme, tensor, part, position, index);
    let entries: Vec<_> = indices.iter().enumerate().map(entry).collect();
    entries.chunks(scheme.residuals).map(<[_]>::to_vec).collect::<Vec<_>>().into_iter()
}

/// All values of a tensor with indices in binary16, row after row.
pub fn tensor16(scheme: &Scheme, tensor: &Tensor) -> Vec<u16> {
    let scaled = |values: Vec<u16>, scale: Option<u16>| match scale {
        None => values,
        Some(scale) => values.into_iter().map(|value| multiply(scale, value)).collect(),
    };
    fill(scheme, tensor, |part, indices, scale| scaled(row(scheme, tensor, part, indices), scale))
}

/// All values in float64, without rounding.
pub fn tensor64(scheme: &Scheme, tensor: &Tensor) -> Vec<f64> {
    fill(scheme, tensor, |part, indices, scale| {
        let scale = scale.map_or(1.0, |bits| f16::from_bits(bits).to_f64());
        groups(scheme, tensor, part, indices)
            .flat_map(|entries| combine64(scheme, &entries))
            .map(|value| value * scale)
            .collect()
    })
}

fn fill<T: Copy + Default>(
    scheme: &Scheme,
    tensor: &Tensor,
    row: impl Fn(&Part, &[u16], Option<u16>) -> Vec<T>,
) -> Vec<T> {
    let mut values = vec![T::default(); tensor.rows * tensor.cols];
    for (number, part) in tensor.parts(scheme).enumerate() {
        for r in part.rows.clone() {
            let indices = tensor.row_indices(scheme, number, &part, r - part.rows.start);
            let start = r * tensor.cols;
            values[start + part.cols.start..start + part.cols.end].copy_from_slice(&row(
                &part,
                &indices,
                tensor.scale(r),
            ));
        }
    }
    values
}
