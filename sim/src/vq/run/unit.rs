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

/// A unit for the keys and values of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadsUnit {
    Attention,
    Scores,
    Values,
    Encoder,
}

impl Unit {
    /// The same among those for keys and values; none for weights.
    pub(super) fn of_heads(self) -> Option<HeadsUnit> {
        match self {
            Unit::Head => Some(HeadsUnit::Attention),
            Unit::Scores => Some(HeadsUnit::Scores),
            Unit::Values => Some(HeadsUnit::Values),
            Unit::Encoder => Some(HeadsUnit::Encoder),
            Unit::Matrix => None,
        }
    }
}

impl From<HeadsUnit> for Unit {
    fn from(unit: HeadsUnit) -> Unit {
        match unit {
            HeadsUnit::Attention => Unit::Head,
            HeadsUnit::Scores => Unit::Scores,
            HeadsUnit::Values => Unit::Values,
            HeadsUnit::Encoder => Unit::Encoder,
        }
    }
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
