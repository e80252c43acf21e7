//! Bytes of a step against binary16.

use crate::golden::vq::Algorithm;
use crate::vq::plan::{Attention, Matrix};

/// Bytes that come from memory in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepBytes {
    /// As binary16.
    pub float16: usize,
    /// Indices.
    pub indices: usize,
    /// Books, once.
    pub books: usize,
}

impl StepBytes {
    /// Indices against binary16.
    pub fn without_books(self) -> f64 {
        self.indices as f64 / self.float16 as f64
    }
    /// Indices and books against binary16.
    pub fn with_books(self) -> f64 {
        (self.indices + self.books) as f64 / self.float16 as f64
    }
}

/// Keys and values of a head.
pub fn head_bytes(a: Attention) -> StepBytes {
    let rows = 2 * a.batch * a.tokens;
    StepBytes { float16: 2 * rows * a.head, indices: rows * a.positions(), books: 2 * a.book_bytes() }
}

/// A matrix.
pub fn matrix_bytes(m: Matrix) -> StepBytes {
    let indices = m.tiles().iter().map(|(rows, cols, many)| many * rows * m.row_bytes(*cols)).sum();
    StepBytes { float16: 2 * m.rows * m.cols, indices, books: m.tile_count() * m.book_bytes() }
}

/// The fewest tokens with which a head takes less than a share of binary16, its books counted once for all sequences. None if its indices alone take as
/// much.
pub fn crossover(algorithm: Algorithm, head: usize, batch: usize, share: f64) -> Option<usize> {
    let of_tokens = |tokens| head_bytes(Attention { algorithm, tokens, head, heads: 1, queries: 1, batch });
    let one = of_tokens(1);
    let saved = one.float16 as f64 * share - one.indices as f64;
    if saved <= 0.0 {
        return None;
    }
    // about there: what is rounded is a token or less
    let about = (one.books as f64 / saved) as usize;
    (about.max(1)..=about + 2).find(|tokens| of_tokens(*tokens).with_books() < share)
}
