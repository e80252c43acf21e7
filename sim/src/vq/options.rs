//! What a trainer is told.

use crate::golden::vq::{Algorithm, Scheme};

/// How books are trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainOptions {
    /// Where random numbers begin.
    pub seed: u64,
    /// The most iterations of k-means.
    pub iterations: usize,
    /// Rounds in which the books of several residuals are improved together.
    pub rounds: usize,
    /// Choices that are kept after each residual.
    pub beam: usize,
    /// Columns of a head of keys and values.
    pub head: usize,
    /// Rows and columns of a tile of weights that has books of its own; `None`: the whole matrix.
    pub tile: Option<(usize, usize)>,
    /// Rows and columns of a Hadamard block that weights are turned with; `None`: they are not.
    pub rotation: Option<usize>,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self { seed: 1, iterations: 50, rounds: 8, beam: 4, head: 64, tile: None, rotation: None }
    }
}

impl TrainOptions {
    /// With the tiles and rotation of an algorithm.
    pub fn of(algorithm: Algorithm) -> Self {
        let tile = (algorithm == Algorithm::Gptvq2).then_some((Algorithm::GPTVQ_TILE, Algorithm::GPTVQ_TILE));
        let rotation = (algorithm == Algorithm::QuipSharp4).then_some(Algorithm::QUIP_BLOCK);
        Self { tile, rotation, ..Self::default() }
    }

    /// The choices kept while encoding: with one residual there is nothing to choose from later.
    pub(super) fn beam_of(&self, scheme: &Scheme) -> usize {
        if scheme.residuals == 1 { 1 } else { self.beam }
    }
}
