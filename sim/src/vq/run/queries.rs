//! Queries and vectors: recorded, or random.

use super::error::RunError;
use super::request::{Count, Request};
use crate::binary16::from_f64;
use crate::data::{DataError, Kind, Matrix, QueryTensor, Recording, read_matrices, read_queries};
use crate::golden::reference::to_f64;
use crate::vq::{Source, VqError};
use fastrand::Rng;
use std::path::Path;

/// The matrix of vectors in a file.
const VECTORS: &str = "vectors";

/// What was recorded beside the file.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// What was packed, before it was quantized.
    pub original: Vec<Source>,
    /// Queries, or vectors.
    pub queries: Option<RecordedQueries>,
}

/// Queries of a recording, or vectors for a matrix of weights.
#[derive(Clone, Debug)]
pub struct RecordedQueries {
    name: String,
    queries: Vec<QueryTensor>,
    /// Keys of the same recording, if it has some: they say how many query heads share a key head.
    keys: Option<Recording>,
    vectors: Option<Matrix>,
}

impl RecordedQueries {
    /// Reads queries, tensors `layer<N>.q`.
    ///
    /// # Errors
    /// There are none, or they cannot be read.
    pub fn read(path: &Path) -> Result<RecordedQueries, VqError> {
        let (name, queries) = (path.display().to_string(), read_queries(path)?);
        let keys = match Recording::read(path) {
            Err(DataError::NoTensors { .. }) => None,
            recording => Some(recording?),
        };
        Ok(RecordedQueries { name, queries, keys, vectors: None })
    }

    /// The same of a recording that may have no queries.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn read_if_any(path: &Path) -> Result<Option<RecordedQueries>, VqError> {
        match read_queries(path) {
            Err(DataError::NoQueries { .. }) => Ok(None),
            _ => Self::read(path).map(Some),
        }
    }

    /// Reads the matrix `vectors`, `[vectors, columns]`, of a safetensors file.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn read_vectors(path: &Path) -> Result<RecordedQueries, VqError> {
        let vectors = read_matrices(path, &[VECTORS.to_string()])?.pop();
        Ok(RecordedQueries { name: path.display().to_string(), queries: vec![], keys: None, vectors })
    }

    /// Whether there are queries of a layer.
    pub fn has_layer(&self, layer: u32) -> bool {
        self.queries.iter().any(|queries| queries.layer == layer)
    }

    fn error(&self, what: String) -> RunError {
        RunError::Queries { name: self.name.clone(), what }
    }

    /// The queries of a key head, `1/sqrt(d)` multiplied in: those at the last of so many tokens first, then at the tokens before.
    pub(super) fn of_head(
        &self,
        (layer, head): (u32, usize),
        (size, heads, tokens): (usize, usize, usize),
        count: Count,
    ) -> Result<Queries, RunError> {
        let Some(tensor) = self.queries.iter().find(|queries| queries.layer == layer) else {
            let layers: Vec<String> = self.queries.iter().map(|queries| queries.layer.to_string()).collect();
            return Err(
                self.error(format!("no queries of layer {layer}; its layers with queries: {}", layers.join(", ")))
            );
        };
        let cols = tensor.cols;
        if !cols.is_multiple_of(size) {
            return Err(self.error(format!("queries of {cols} elements, which are not whole heads of {size}")));
        }
        let keys = self.keys.as_ref().and_then(|keys| keys.tensor(layer, Kind::Key));
        if let Some(own) = keys.map(|keys| keys.cols / size).filter(|own| *own != heads) {
            return Err(self.error(format!("{own} key heads of {size}: legal are the file's {heads}")));
        }
        if heads == 0 || !(cols / size).is_multiple_of(heads) {
            let what =
                format!("{} query heads of {size}, and {heads} key heads: legal is a multiple of these", cols / size);
            return Err(self.error(what));
        }
        if head >= heads {
            return Err(self.error(format!("{heads} key heads: it has no queries of key head {head}")));
        }
        let group = cols / size / heads;
        let tokens = tokens.min(tensor.rows);
        let most = tokens * group;
        let count = count.among(most);
        if count > most {
            return Err(self.error(format!("{count} queries of a key head in {tokens} tokens: legal is 1 to {most}")));
        }
        let query = |i: usize| {
            let (token, head) = (tokens - 1 - i / group, head * group + i % group);
            let numbers = &tensor.data[token * cols + head * size..][..size];
            to_f64(numbers).iter().map(|x| from_f64(x / (size as f64).sqrt()).to_bits()).collect()
        };
        let heads = if group == 1 { "1 query head".into() } else { format!("{group} query heads") };
        let from = format!("{}, {heads} a token, from token {} backwards", self.name, tokens - 1);
        Ok(Queries { numbers: (0..count).map(query).collect(), from, seed: None })
    }

    /// The first vectors for a matrix of so many columns.
    pub(super) fn of_matrix(&self, columns: usize, count: Count) -> Result<Queries, RunError> {
        let Some(matrix) = &self.vectors else {
            return Err(self.error("queries of attention, and no vectors".into()));
        };
        if matrix.cols != columns {
            return Err(self.error(format!("vectors of {} numbers: the matrix has {columns} columns", matrix.cols)));
        }
        let count = count.among(matrix.rows);
        if count > matrix.rows {
            return Err(self.error(format!("{count} vectors: legal is 1 to {}", matrix.rows)));
        }
        let numbers = matrix.data.chunks(columns).take(count).map(<[u16]>::to_vec).collect();
        Ok(Queries { numbers, from: self.name.clone(), seed: None })
    }
}

/// Queries, new keys or values, or vectors.
#[derive(Clone, Debug)]
pub(super) struct Queries {
    /// binary16.
    pub numbers: Vec<Vec<u16>>,
    /// In words.
    pub from: String,
    /// Of random ones.
    pub seed: Option<u64>,
}

impl Queries {
    /// Random ones, from `-span / 2` to `span / 2`.
    pub fn random(request: &Request, count: Count, (size, span): (usize, f64)) -> Queries {
        let mut rng = Rng::with_seed(request.seed);
        let mut query = || (0..size).map(|_| from_f64((rng.f64() - 0.5) * span).to_bits()).collect();
        let numbers = (0..count.among(usize::MAX)).map(|_| query()).collect();
        Queries { numbers, from: format!("random, seed {}", request.seed), seed: Some(request.seed) }
    }
}
