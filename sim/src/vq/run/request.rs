//! What is asked for, and what is legal of it.

use super::error::RunError;
use super::unit::Unit;

/// Queries, new tokens or vectors, unless it is said how many, or there are fewer.
pub const USUAL_COUNT: usize = 4;
/// The most of a run.
pub const MAX_COUNT: usize = 1024;
/// The most words that the commands of a run read: more take hours.
pub const MAX_WORDS: usize = 1 << 24;

/// Tokens that are taken unless it is said how many.
pub const USUAL_TOKENS: usize = 512;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Without one, what suits the file.
    pub unit: Option<Unit>,
    /// The layer of keys and values; without one, the lowest of the file that has what the unit needs.
    pub layer: Option<u32>,
    /// The key-value head; without one, the first.
    pub head: Option<usize>,
    /// The matrix of weights; without one, the first.
    pub tensor: Option<String>,
    /// So many tokens from the first on.
    pub tokens: Option<usize>,
    /// Queries, new tokens or vectors; without it, [`USUAL_COUNT`], or as many as there are.
    pub count: Option<usize>,
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

/// How many queries, new tokens or vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    asked: Option<usize>,
    most: usize,
}

impl Count {
    /// Of commands that read so many words each.
    ///
    /// # Errors
    /// More are asked for than a run can have.
    pub fn of(request: &Request, words: usize) -> Result<Count, RunError> {
        let (asked, most) = (request.count, (MAX_WORDS / words.max(1)).clamp(1, MAX_COUNT));
        in_range("count", asked.unwrap_or(1), most, || match most {
            MAX_COUNT => "the most of a run".into(),
            _ => format!("each reads {words} words, and a run {MAX_WORDS} at most"),
        })?;
        Ok(Count { asked, most })
    }

    /// Of so many that there are: what was asked for, which may be more.
    pub fn among(self, there: usize) -> usize {
        self.asked.unwrap_or(USUAL_COUNT.min(self.most).min(there))
    }
}
