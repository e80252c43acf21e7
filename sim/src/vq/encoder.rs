//! Indices for vectors: in software, with float32.

use half::f16;
use rayon::prelude::*;

use super::kmeans::square_distance;
use super::lattice;
use super::search::Search;
use crate::golden::vq::e8p;

/// Vectors that one piece of work has.
const PIECE: usize = 256;

/// The books of a group, one for each residual, ready for searching.
pub(super) struct Encoder {
    vector: usize,
    books: Vec<(Vec<f32>, Search)>,
}

/// A choice of entries for the first residuals.
struct Choice {
    indices: Vec<u16>,
    left: Vec<f32>,
    error: f32,
}

impl Encoder {
    /// For books, entries one after the other.
    pub fn new(books: Vec<Vec<f32>>, vector: usize) -> Self {
        let with_search = |book: Vec<f32>| {
            let search = Search::new(&book, vector);
            (book, search)
        };
        Self { vector, books: books.into_iter().map(with_search).collect() }
    }

    /// The indices of all vectors, those of a vector side by side. With `beam` above 1 so many choices are kept after each
    /// residual, and the best of the last is taken.
    pub fn encode(&self, data: &[f32], beam: usize) -> Vec<u16> {
        let piece =
            |piece: &[f32]| piece.chunks_exact(self.vector).flat_map(|x| self.encode_one(x, beam)).collect::<Vec<_>>();
        data.par_chunks(PIECE * self.vector).flat_map_iter(piece).collect()
    }

    fn encode_one(&self, x: &[f32], beam: usize) -> Vec<u16> {
        let mut choices = vec![Choice { indices: vec![], left: x.to_vec(), error: 0.0 }];
        for (r, (book, search)) in self.books.iter().enumerate() {
            let last = r + 1 == self.books.len();
            let kept = if last { 1 } else { beam };
            let mut next: Vec<Choice> = vec![];
            for choice in &choices {
                let found =
                    if kept == 1 { vec![search.nearest(&choice.left)] } else { search.several(&choice.left, kept) };
                next.extend(found.into_iter().map(|index| choice.with(book, index)));
            }
            // a stable sort: of equal ones the first stays the first
            next.sort_by(|a, b| a.error.total_cmp(&b.error));
            next.truncate(kept);
            choices = next;
        }
        choices.swap_remove(0).indices
    }

    /// What the entries of a vector's indices add up to.
    pub fn decode(&self, indices: &[u16]) -> Vec<f32> {
        let mut sum = vec![0.0; self.vector];
        for (&index, (book, _)) in indices.iter().zip(&self.books) {
            let entry = &book[usize::from(index) * self.vector..][..self.vector];
            sum.iter_mut().zip(entry).for_each(|(sum, x)| *sum += x);
        }
        sum
    }
}

impl Choice {
    fn with(&self, book: &[f32], index: usize) -> Choice {
        let entry = &book[index * self.left.len()..][..self.left.len()];
        let left: Vec<f32> = self.left.iter().zip(entry).map(|(x, c)| x - c).collect();
        let mut indices = self.indices.clone();
        indices.push(index as u16);
        Choice { indices, error: square_distance(&self.left, entry), left }
    }
}

/// The indices of vectors in the lattice, which are scaled already; with two residuals the second point is that of what
/// the first left over, divided by `inverse_ratio`.
pub(super) fn encode_lattice(data: &[f32], residuals: usize, inverse_ratio: f32) -> Vec<u16> {
    let one = |x: &[f32]| {
        let first = lattice::nearest(x);
        let point = e8p::point(first);
        let left: Vec<f32> = x.iter().zip(point).map(|(x, k)| (x - k as f32 / 4.0) / inverse_ratio).collect();
        let second = (residuals == 2).then(|| lattice::nearest(&left));
        [Some(first), second].into_iter().flatten()
    };
    let piece = |piece: &[f32]| piece.chunks_exact(e8p::DIMENSIONS).flat_map(one).collect::<Vec<_>>();
    data.par_chunks(PIECE * e8p::DIMENSIONS).flat_map_iter(piece).collect()
}

/// The numbers of a book.
pub(super) fn to_f32(values: &[u16]) -> Vec<f32> {
    values.iter().map(|&bits| f16::from_bits(bits).to_f32()).collect()
}
