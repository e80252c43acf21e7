//! Scores and values of one key-value head (section 7). A part of a key or value tensor is a head; its rows are tokens.

use super::decode::{add, multiply, row, tensor64, tree};
use super::file::{Part, Tensor};
use super::product::{Way, row_by_multiplication, row_by_table, table};
use super::scheme::{Books, Scheme};
use crate::golden::attention::softmax::softmax64;

/// A head of a key or value tensor.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// How its values became indices.
    pub scheme: &'a Scheme,
    /// The keys or values of a layer, with indices.
    pub tensor: &'a Tensor,
    /// Which head.
    pub number: usize,
}

impl Head<'_> {
    fn part(&self) -> Part {
        self.tensor.parts(self.scheme).nth(self.number).expect("a head of the tensor")
    }

    fn indices(&self, part: &Part, token: usize) -> Vec<u16> {
        self.tensor.row_indices(self.scheme, self.number, part, token)
    }

    /// The product of the query with every token's key, in binary16; the query brings the factor `1/sqrt(d)` with it.
    pub fn scores(&self, query: &[u16], way: Way) -> Vec<u16> {
        let part = self.part();
        let table = (way == Way::Table).then(|| table(self.scheme, self.tensor, &part, query));
        let score = |token: usize| {
            let indices = self.indices(&part, token);
            let sum = match &table {
                Some(table) => row_by_table(table, &indices),
                None => row_by_multiplication(self.scheme, self.tensor, &part, &indices, query),
            };
            self.tensor.scale(token).map_or(sum, |scale| multiply(scale, sum))
        };
        (0..self.tensor.rows).map(score).collect()
    }

    /// The same in float64.
    pub fn scores64(&self, query: &[f64]) -> Vec<f64> {
        let score = |values: &[f64]| values.iter().zip(query).map(|(k, q)| k * q).sum();
        self.values_of_tokens().iter().map(|values| score(values)).collect()
    }

    /// The tokens' values times their weights, summed over all tokens, by multiplication: terms in the order of tokens, by
    /// [`tree`].
    pub fn values_by_multiplication(&self, weights: &[u16]) -> Vec<u16> {
        let part = self.part();
        let token = |(t, &weight): (usize, &u16)| {
            let weight = self.tensor.scale(t).map_or(weight, |scale| multiply(weight, scale));
            let values = row(self.scheme, self.tensor, &part, &self.indices(&part, t));
            values.into_iter().map(|value| multiply(weight, value)).collect::<Vec<_>>()
        };
        let terms: Vec<Vec<u16>> = weights.iter().enumerate().map(token).collect();
        (0..part.cols.len()).map(|i| tree(&terms.iter().map(|term| term[i]).collect::<Vec<_>>())).collect()
    }

    /// The same by table: each token's weight is added to its entries, in the order of tokens and beginning with +0; then
    /// one product an entry, summed over the entries by [`tree`]. Token `t` belongs to copy `t mod copies` of the sums;
    /// copies are joined by [`tree`] before the products, residuals behind them.
    pub fn values_by_table(&self, weights: &[u16], copies: usize) -> Vec<u16> {
        assert!(self.scheme.books != Books::Lattice, "no table of 65,536 points");
        let part = self.part();
        let sums = self.weights_of_entries(&part, weights, copies);
        let of_index = |position: usize| {
            let book = &self.tensor.books[part.book_of(self.scheme, position).expect("a book")];
            let value = |i: usize| {
                let product = |(e, &sum): (usize, &u16)| multiply(sum, book.entry(e)[i]);
                tree(&sums[position].iter().enumerate().map(product).collect::<Vec<_>>())
            };
            (0..self.scheme.vector).map(value).collect::<Vec<_>>()
        };
        let outputs: Vec<Vec<u16>> = (0..part.indices_per_row(self.scheme)).map(of_index).collect();
        let group = |residuals: &[Vec<u16>]| {
            let value = |i: usize| tree(&residuals.iter().map(|output| output[i]).collect::<Vec<_>>());
            (0..self.scheme.vector).map(value).collect::<Vec<_>>()
        };
        outputs.chunks(self.scheme.residuals).flat_map(group).collect()
    }

    /// For each index position, for each entry: the sum of the weights of the tokens that have it.
    fn weights_of_entries(&self, part: &Part, weights: &[u16], copies: usize) -> Vec<Vec<u16>> {
        let count = |position| self.tensor.books[part.book_of(self.scheme, position).expect("a book")].count();
        let empty = |position| vec![vec![0; copies]; count(position)];
        let mut sums: Vec<_> = (0..part.indices_per_row(self.scheme)).map(empty).collect();
        for (t, &weight) in weights.iter().enumerate() {
            let weight = self.tensor.scale(t).map_or(weight, |scale| multiply(weight, scale));
            for (sums, index) in sums.iter_mut().zip(self.indices(part, t)) {
                let sum: &mut u16 = &mut sums[usize::from(index)][t % copies];
                *sum = add(*sum, weight);
            }
        }
        sums.iter().map(|entries| entries.iter().map(|copies| tree(copies)).collect()).collect()
    }

    /// The weighted sum in float64.
    pub fn values64(&self, weights: &[f64]) -> Vec<f64> {
        weighted64(weights, &self.values_of_tokens())
    }

    /// The values of a token in float64.
    pub fn token64(&self, token: usize) -> Vec<f64> {
        self.values_of_tokens().swap_remove(token)
    }

    /// This head's values of all tokens in float64.
    fn values_of_tokens(&self) -> Vec<Vec<f64>> {
        let (part, all) = (self.part(), tensor64(self.scheme, self.tensor));
        all.chunks_exact(self.tensor.cols).map(|row| row[part.cols.clone()].to_vec()).collect()
    }
}

/// Attention of a query in float64 to these keys and values.
pub fn attention64(query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> Vec<f64> {
    weighted64(&softmax64(&scores64(query, keys)), values)
}

/// Scores of a query in float64.
pub fn scores64(query: &[f64], keys: &[Vec<f64>]) -> Vec<f64> {
    keys.iter().map(|key| key.iter().zip(query).map(|(k, q)| k * q).sum()).collect()
}

/// The weighted sum of vectors in float64; of none, nothing.
pub fn weighted64(weights: &[f64], values: &[Vec<f64>]) -> Vec<f64> {
    let sum = |i: usize| values.iter().zip(weights).map(|(value, weight)| value[i] * weight).sum();
    (0..values.first().map_or(0, Vec::len)).map(sum).collect()
}
