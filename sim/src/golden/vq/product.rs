//! Matrix times vector (section 7): by dequantizing and multiplying, and by a table of products.

use std::borrow::Cow;

use super::decode::{add, combine, dot, entry, multiply, tensor64, tree};
use super::file::{Part, Tensor};
use super::scheme::{Books, Scheme};

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Every value times its number of the vector.
    Multiply,
    /// Every entry times its part of the vector once; then one lookup and one addition for each index.
    Table,
}

/// The products of a vector with the entries: for each index position of a row, for each entry.
pub type Table = Vec<Vec<u16>>;

/// The table of a part for its columns of the vector. The lattice has too many points for one.
pub fn table(scheme: &Scheme, tensor: &Tensor, part: &Part, vector: &[u16]) -> Table {
    assert!(scheme.books != Books::Lattice, "no table of 65,536 points");
    let of_position = |position: usize| {
        let group = position / scheme.residuals;
        let numbers = &vector[group * scheme.vector..(group + 1) * scheme.vector];
        let book = &tensor.books[part.book_of(scheme, position).expect("a book")];
        (0..book.count()).map(|index| dot(numbers, book.entry(index))).collect()
    };
    (0..part.indices_per_row(scheme)).map(of_position).collect()
}

/// The sum of a row's products by table: the terms in the order of the indices, by [`tree`].
pub fn row_by_table(table: &Table, indices: &[u16]) -> u16 {
    tree(&table.iter().zip(indices).map(|(products, &index)| products[usize::from(index)]).collect::<Vec<_>>())
}

/// The sum of a row's products by multiplication, without scale: the terms in the order of the columns, by [`tree`]; of
/// the lattice's two points the sums are joined at the end.
pub fn row_by_multiplication(scheme: &Scheme, tensor: &Tensor, part: &Part, indices: &[u16], vector: &[u16]) -> u16 {
    let points = |residual: usize| {
        let of_residual = indices.iter().enumerate().skip(residual).step_by(scheme.residuals);
        of_residual.flat_map(|(p, &i)| entry(scheme, tensor, part, p, i).into_owned()).collect::<Vec<_>>()
    };
    match (scheme.books, scheme.residuals) {
        (Books::Lattice, 2) => {
            let [first, second] = [0, 1].map(|residual| dot(&points(residual), vector));
            add(first, multiply(scheme.inverse_ratio, second))
        }
        _ => {
            let entries: Vec<Cow<[u16]>> =
                indices.iter().enumerate().map(|(p, &i)| entry(scheme, tensor, part, p, i)).collect();
            let values: Vec<u16> = entries.chunks(scheme.residuals).flat_map(|e| combine(scheme, e)).collect();
            dot(&values, vector)
        }
    }
}

/// A matrix times a vector in binary16. The sums of a row's tiles are added from left to right, then the scale is applied.
pub fn matrix_vector(scheme: &Scheme, tensor: &Tensor, vector: &[u16], way: Way) -> Vec<u16> {
    let mut sums: Vec<Option<u16>> = vec![None; tensor.rows];
    for (number, part) in tensor.parts(scheme).enumerate() {
        let numbers = &vector[part.cols.clone()];
        let table = (way == Way::Table).then(|| table(scheme, tensor, &part, numbers));
        for r in part.rows.clone() {
            let indices = tensor.row_indices(scheme, number, &part, r - part.rows.start);
            let sum = match &table {
                Some(table) => row_by_table(table, &indices),
                None => row_by_multiplication(scheme, tensor, &part, &indices, numbers),
            };
            sums[r] = Some(sums[r].map_or(sum, |before| add(before, sum)));
        }
    }
    let scaled = |(r, sum): (usize, Option<u16>)| {
        let sum = sum.unwrap_or(0);
        tensor.scale(r).map_or(sum, |scale| multiply(scale, sum))
    };
    sums.into_iter().enumerate().map(scaled).collect()
}

/// The same in float64, of values that were not rounded.
pub fn matrix_vector64(scheme: &Scheme, tensor: &Tensor, vector: &[f64]) -> Vec<f64> {
    let rows = tensor64(scheme, tensor);
    rows.chunks_exact(tensor.cols).map(|row| row.iter().zip(vector).map(|(w, x)| w * x).sum()).collect()
}
