//! Quantiles: from recorded elements to four thresholds.

use std::num::NonZeroUsize;

use half::f16;
use serde::{Deserialize, Serialize};

use super::Fractions;
use crate::binary16;
use crate::data::KvTensor;
use crate::golden::oaken::{Thresholds, magnitude};

/// How the outer group is taken from the two tails of a distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tails {
    /// The largest magnitudes are outer, so S_low = -S_high. Up to 1 dB better on layers with skewed keys.
    #[default]
    Magnitude,
    /// Half of the outer group's share on either side, so S_low and S_high are independent.
    Sided,
}

/// Of what the quantiles are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Quantiles {
    /// Of each run by itself, then averaged over the runs: the paper's way (section 4.3).
    Averaged {
        /// Tokens of a run: every recording is cut into runs of so many, and what is left at its end belongs to its
        /// last run. `None`: every recording is one run.
        run_tokens: Option<NonZeroUsize>,
    },
    /// Of the elements of all recordings together.
    Pooled,
}

impl Default for Quantiles {
    fn default() -> Self {
        Self::Averaged { run_tokens: None }
    }
}

/// How thresholds are made from recordings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// The shares of the groups that are asked for.
    pub fractions: Fractions,
    /// How the outer group is taken.
    pub tails: Tails,
    /// Of what the quantiles are taken.
    pub quantiles: Quantiles,
}

impl Default for Method {
    fn default() -> Self {
        Self { fractions: Fractions::PAPER, tails: Tails::default(), quantiles: Quantiles::default() }
    }
}

impl Method {
    /// As the paper has it: its shares, four independent thresholds of each run, averaged over the runs.
    pub fn of_the_paper(run_tokens: Option<NonZeroUsize>) -> Self {
        Self { fractions: Fractions::PAPER, tails: Tails::Sided, quantiles: Quantiles::Averaged { run_tokens } }
    }

    /// The thresholds of one layer's keys or values, from the same layer of all recordings; at least one.
    pub fn thresholds(&self, recordings: &[&KvTensor]) -> Thresholds {
        let of = |data: &[u16]| quantiles(data, self.fractions, self.tails);
        let runs: Vec<[f64; 4]> = match self.quantiles {
            Quantiles::Averaged { run_tokens } => recordings.iter().flat_map(|r| runs(r, run_tokens)).map(of).collect(),
            Quantiles::Pooled => {
                let all: Vec<u16> = recordings.iter().flat_map(|recording| &recording.data).copied().collect();
                vec![of(&all)]
            }
        };
        let average = |i: usize| runs.iter().map(|run| run[i]).sum::<f64>() / runs.len() as f64;
        let [s_low, t_low, t_high, s_high] = [0, 1, 2, 3].map(|i| binary16::from_f64(average(i)).to_bits());
        Thresholds::from_bits(s_low, t_low, t_high, s_high)
            .expect("quantiles are in order, and neither their average nor rounding changes that")
    }
}

/// The elements of each run of a recording.
fn runs(recording: &KvTensor, run_tokens: Option<NonZeroUsize>) -> Vec<&[u16]> {
    let tokens = run_tokens.map_or(recording.rows, NonZeroUsize::get);
    let count = (recording.rows / tokens).max(1);
    let starts = (0..count).map(|i| i * tokens * recording.cols);
    let ends = (1..count).map(|i| i * tokens * recording.cols).chain([recording.data.len()]);
    starts.zip(ends).map(|(start, end)| &recording.data[start..end]).collect()
}

/// S_low, T_low, T_high and S_high of some elements.
fn quantiles(data: &[u16], fractions: Fractions, tails: Tails) -> [f64; 4] {
    let count = |fraction: f64| (fraction * data.len() as f64).round() as usize;
    let value = |bits: u16| f16::from_bits(bits).to_f64();

    // Without their sign, finite binary16 patterns are in the order of their magnitudes.
    let mut magnitudes: Vec<u16> = data.iter().map(|bits| bits & 0x7fff).collect();
    magnitudes.sort_unstable();
    let t = match count(fractions.inner()) {
        0 => 0.0,
        inner => value(magnitudes[inner - 1]),
    };
    let (low, high) = match tails {
        Tails::Magnitude => {
            let s = value(nth_from_top(&magnitudes, count(fractions.outer())));
            (-s, s)
        }
        Tails::Sided => {
            let mut values = data.to_vec();
            values.sort_unstable_by_key(|&bits| signed(bits));
            let each = count(fractions.outer() / 2.0);
            (value(values[each.min(values.len() - 1)]), value(nth_from_top(&values, each)))
        }
    };
    [low.min(-t), -t, t, high.max(t)]
}

/// The element that has `above` elements after it in ascending order.
fn nth_from_top(sorted: &[u16], above: usize) -> u16 {
    sorted[sorted.len().saturating_sub(above + 1)]
}

/// The value of a finite binary16 in units of 2^-24.
fn signed(bits: u16) -> i64 {
    let magnitude = magnitude(bits) as i64;
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}
