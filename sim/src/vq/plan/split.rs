//! The split factor (vq-llm.txt, section VI-A): how many parts of the books the tiles of a task are dealt out to.

use serde::Serialize;

/// A split factor, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Split {
    /// The best one that is legal.
    pub factor: usize,
    /// What moves with it.
    pub bytes: usize,
    /// The paper's: where both kinds of bytes are the same, `sqrt(tiles x books / output)`.
    pub paper: f64,
}

/// Bytes that move with a split factor: partial sums for each part, and the books for the tiles of one part.
pub fn split_bytes(tiles: usize, output: usize, books: usize, factor: usize) -> usize {
    factor * output + tiles * books / factor
}

/// The best of the legal factors, which divide the number of tiles.
pub fn best_split(tiles: usize, output: usize, books: usize, legal: impl Iterator<Item = usize>) -> Split {
    let bytes = |factor: &usize| split_bytes(tiles, output, books, *factor);
    let factor = legal.min_by_key(bytes).unwrap_or(1);
    Split { factor, bytes: bytes(&factor), paper: ((tiles * books) as f64 / output as f64).sqrt() }
}
