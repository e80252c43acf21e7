//! What a run found out.

use super::unit::Unit;
use crate::golden::reference::Noise;
use serde::Serialize;

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// What was simulated.
    pub unit: Unit,
    /// The hardware.
    pub hardware: Hardware,
    /// Of what file: the parameters.
    pub scheme: String,
    /// What of it, in words.
    pub subject: String,
    /// Tokens, or rows of the matrix.
    pub rows: usize,
    /// Queries, new tokens or vectors.
    pub count: usize,
    /// Where these come from, in words.
    pub queries_from: String,
    /// Where random numbers began, if there were some.
    pub seed: Option<u64>,
    /// What came out.
    pub results: Vec<Row>,
}

impl Results {
    /// All of them.
    pub fn mismatches(&self) -> usize {
        self.results.iter().map(|row| row.mismatches).sum()
    }
}

/// A unit with its parameters.
#[derive(Clone, Debug, Serialize)]
pub struct Hardware {
    /// The block.
    pub block: &'static str,
    /// The named configuration that is this unit.
    pub configuration: Option<&'static str>,
    /// In the order of its page.
    pub parameters: Vec<(&'static str, String)>,
    /// What is around it that matters for its cycles.
    pub around: Option<String>,
}

/// Words of 64 bits that the bus gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Words {
    /// Of books.
    pub books: usize,
    /// Of rows of indices.
    pub indices: usize,
    /// Of queries, where they are on the same bus.
    pub queries: usize,
}

impl Words {
    /// All of them.
    pub fn all(self) -> usize {
        self.books + self.indices + self.queries
    }
}

/// What came out of the unit.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What it is.
    pub what: &'static str,
    /// From the first command to the last result.
    pub cycles: u64,
    /// What the bus gave in them.
    pub words: Words,
    /// Words a cycle.
    pub words_per_cycle: f64,
    /// Cycles by the model of `kvforge vq plan`.
    pub plan_cycles: Option<u64>,
    /// Numbers, or indices, that should come out.
    pub numbers: usize,
    /// Those that are not the golden model's.
    pub mismatches: usize,
    /// The first of them.
    pub first_mismatch: Option<String>,
    /// The first command that ended with a fault, if one did: then its numbers are worth nothing, in the model too.
    pub fault: Option<String>,
    /// Signal to noise beside float64 on the same dequantized values, in dB; `None` where nothing is computed, or nothing lost.
    pub float64_db: Option<f64>,
    /// The same beside what the values were before they were quantized; `None` without these, or if nothing was lost.
    pub original_db: Option<f64>,
    /// Indices that are those of the nearest entry in float64; of an encoder.
    pub nearest: Option<usize>,
}

/// What came out beside what should have, and beside exact numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub numbers: usize,
    pub mismatches: usize,
    pub first: Option<String>,
    pub fault: Option<String>,
    /// Beside float64.
    pub exact: Option<Noise>,
    /// Beside the unquantized values.
    pub original: Option<Noise>,
    pub nearest: Option<usize>,
}

impl Tally {
    /// Counts numbers that differ, or are missing or too many.
    pub fn compare(&mut self, whose: &str, found: &[u16], expected: &[u16]) {
        self.numbers += expected.len();
        for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
            if found != expected {
                self.mismatch(|| format!("{whose}, number {i}: {found:04x}, not {expected:04x}"));
            }
        }
        for _ in 0..found.len().abs_diff(expected.len()) {
            self.mismatch(|| format!("{whose}: {} numbers, not {}", found.len(), expected.len()));
        }
    }

    /// One more difference.
    pub fn mismatch(&mut self, what: impl Fn() -> String) {
        self.mismatches += 1;
        self.first.get_or_insert_with(what);
    }

    /// A command that should end with a fault.
    pub fn fault(&mut self, what: impl Fn() -> String) {
        self.fault.get_or_insert_with(what);
    }

    /// What came out beside float64.
    pub fn beside_exact(&mut self, exact: &[f64], found: &[f64]) {
        self.exact.get_or_insert_default().add(exact, &sized(found, exact.len()));
    }

    /// What came out beside the same of the unquantized values.
    pub fn beside_original(&mut self, original: &[f64], found: &[f64]) {
        self.original.get_or_insert_default().add(original, &sized(found, original.len()));
    }

    /// The row of it.
    pub fn row(self, what: &'static str, cycles: u64, words: Words, plan_cycles: Option<u64>) -> Row {
        let decibels = |noise: Option<Noise>| noise.map(|noise| noise.sqnr_db()).filter(|db| db.is_finite());
        Row {
            what,
            cycles,
            words,
            words_per_cycle: words.all() as f64 / cycles as f64,
            plan_cycles,
            numbers: self.numbers,
            mismatches: self.mismatches,
            first_mismatch: self.first,
            fault: self.fault,
            float64_db: decibels(self.exact),
            original_db: decibels(self.original),
            nearest: self.nearest,
        }
    }
}

/// What is missing is zero.
fn sized(found: &[f64], count: usize) -> Vec<f64> {
    found.iter().copied().chain(std::iter::repeat(0.0)).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_or_is_missing_is_counted_and_the_first_is_told() {
        let mut tally = Tally::default();
        tally.compare("query 0", &[1, 2, 3], &[1, 2, 3]);
        assert_eq!((tally.numbers, tally.mismatches), (3, 0));
        tally.compare("query 1", &[1, 7, 3], &[1, 2, 4]);
        tally.compare("query 2", &[], &[1]);
        tally.mismatch(|| "another end".into());
        tally.beside_exact(&[1.0, 0.0], &[1.1, 0.0]);
        let words = Words { books: 10, indices: 6, queries: 0 };
        let row = tally.row("scores", 20, words, None);
        assert_eq!((row.numbers, row.mismatches, row.words_per_cycle), (7, 4, 0.8));
        assert_eq!(row.first_mismatch.as_deref(), Some("query 1, number 1: 0007, not 0002"));
        assert!((row.float64_db.unwrap() - 20.0).abs() < 1e-6 && row.original_db.is_none());
    }
}
