//! The shares of the three groups.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How far the sum of the shares may be from 1.
const SUM_TOLERANCE: f64 = 1e-6;

/// The shares of the groups: outer, middle and inner; each in [0, 1), together 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fractions {
    outer: f64,
    middle: f64,
    inner: f64,
}

/// Why three numbers are no shares of the groups.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FractionsError {
    /// A share is outside of its range.
    #[error("the {group} fraction is {value}: legal is 0 or more and less than 1")]
    Range {
        /// Which group.
        group: &'static str,
        /// The number.
        value: f64,
    },
    /// The shares do not add up.
    #[error("the fractions {outer}, {middle} and {inner} add up to {}: they must add up to 1", shown(outer + middle + inner))]
    Sum {
        /// Outer group.
        outer: f64,
        /// Middle group.
        middle: f64,
        /// Inner group.
        inner: f64,
    },
    /// The text is not three numbers.
    #[error("\"{text}\" is not three numbers: legal is OUTER,MIDDLE,INNER as in 0.04,0.90,0.06")]
    Text {
        /// The text.
        text: String,
    },
}

/// A sum without the error of its rounding, which is far below the tolerance.
fn shown(sum: f64) -> f64 {
    (sum * 1e9).round() / 1e9
}

impl Fractions {
    /// The paper's shares: 4 % outer, 90 % middle, 6 % inner.
    pub const PAPER: Fractions = Fractions { outer: 0.04, middle: 0.90, inner: 0.06 };

    /// Checks and takes the shares.
    pub fn new(outer: f64, middle: f64, inner: f64) -> Result<Self, FractionsError> {
        for (group, value) in [("outer", outer), ("middle", middle), ("inner", inner)] {
            if !(0.0..1.0).contains(&value) {
                return Err(FractionsError::Range { group, value });
            }
        }
        if (outer + middle + inner - 1.0).abs() > SUM_TOLERANCE {
            return Err(FractionsError::Sum { outer, middle, inner });
        }
        Ok(Self { outer, middle, inner })
    }

    /// Measured shares: unlike those asked for, one of them may be 1.
    pub(super) fn from_shares(outer: f64, middle: f64, inner: f64) -> Self {
        Self { outer, middle, inner }
    }

    /// Large magnitudes.
    pub fn outer(&self) -> f64 {
        self.outer
    }

    /// The middle group.
    pub fn middle(&self) -> f64 {
        self.middle
    }

    /// Small magnitudes.
    pub fn inner(&self) -> f64 {
        self.inner
    }

    /// Outer and inner together.
    pub fn outliers(&self) -> f64 {
        self.outer + self.inner
    }
}

impl FromStr for Fractions {
    type Err = FractionsError;

    /// Reads `OUTER,MIDDLE,INNER`.
    fn from_str(text: &str) -> Result<Self, FractionsError> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[outer, middle, inner]) => Self::new(outer, middle, inner),
            _ => Err(FractionsError::Text { text: text.into() }),
        }
    }
}
