//! What is asked for, and what is legal of it.

use super::error::RunError;
use super::unit::Unit;

/// Tokens that are taken unless it is said how many.
pub const USUAL_TOKENS: usize = 512;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Without one, what suits the file.
    pub unit: Option<Unit>,
    /// The layer of keys and values; without one, the first.
    pub layer: Option<u32>,
    /// The key-value head; without one, the first.
    pub head: Option<usize>,
    /// The matrix of weights; without one, the first.
    pub tensor: Option<String>,
    /// So many tokens from the first on.
    pub tokens: Option<usize>,
    /// Queries, new tokens or vectors.
    pub count: usize,
    /// Where random numbers begin.
    pub seed: u64,
}

/// An error if a number is not from 1 to `most`.
pub(super) fn in_range(
    what: &'static str,
    found: usize,
    most: usize,
    why: impl Fn() -> String,
) -> Result<(), RunError> {
    match (1..=most).contains(&found) {
        true => Ok(()),
        false => Err(RunError::Range { what, found, legal: format!("1 to {most}"), why: why() }),
    }
}
