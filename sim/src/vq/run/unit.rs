//! The units that can be simulated.

use serde::Serialize;
use std::fmt;

/// What is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Attention of a key-value head, from memory to memory.
    Head,
    /// Scores of keys by table.
    Scores,
    /// Weighted sums of values by table.
    Values,
    /// Indices of new keys and values.
    Encoder,
    /// A matrix of weights times vectors, by multiplication.
    Matrix,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Unit::Head => "head",
            Unit::Scores => "scores",
            Unit::Values => "values",
            Unit::Encoder => "encoder",
            Unit::Matrix => "matrix",
        })
    }
}
