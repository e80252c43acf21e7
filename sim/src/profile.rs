//! The threshold profiler: from recorded keys and values to the thresholds that the hardware is loaded with.
//!
//! For each layer, and for keys and values by themselves, thresholds are quantiles of the recorded elements (Oaken,
//! section 4.3), averaged over the recordings and rounded to binary16. The result is a [`Profile`], kept as JSON.

mod fractions;
mod json;
mod plot;

use half::f16;
use serde::{Deserialize, Serialize};

pub use fractions::{Fractions, FractionsError};
pub use json::ProfileError;
pub use plot::plot_svg;

use crate::binary16;
use crate::data::{DataError, Kind, KvTensor, Recording, check_agreement};
use crate::golden::oaken::{Thresholds, magnitude};
use crate::golden::quality::measure;

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

/// Thresholds for every layer of a model, with what they were made from and what they are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The model that was recorded, if the recordings say so.
    pub model: Option<String>,
    /// Names of the recordings.
    pub recordings: Vec<String>,
    /// The shares of the groups that were asked for.
    pub fractions: Fractions,
    /// How the outer group was taken.
    pub tails: Tails,
    /// In ascending order of layer, keys before values.
    pub layers: Vec<LayerProfile>,
}

/// The thresholds of one layer's keys or values.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerProfile {
    /// The layer, from 0.
    pub layer: u32,
    /// Keys or values.
    pub kind: Kind,
    /// Elements of one token's vector.
    pub cols: usize,
    /// The thresholds.
    pub thresholds: Thresholds,
    /// The shares that the groups really have on the recordings.
    pub shares: Fractions,
    /// Stored bits for each element on the recordings, every bit counted.
    pub effective_bits: f64,
    /// Signal to quantization noise of the record format on the recordings, in dB; `None` if nothing was lost.
    pub sqnr_db: Option<f64>,
}

impl Profile {
    /// Profiles recordings of one model.
    pub fn from_recordings(recordings: &[Recording], fractions: Fractions, tails: Tails) -> Result<Self, ProfileError> {
        let first = recordings.first().ok_or(ProfileError::NoRecordings)?;
        check_agreement(recordings)?;
        let layers = first.tensors.iter().map(|tensor| {
            // The recordings agree, so each has this layer.
            let runs: Vec<&KvTensor> = recordings.iter().filter_map(|r| r.tensor(tensor.layer, tensor.kind)).collect();
            profile_layer(&runs, fractions, tails)
        });
        Ok(Self {
            model: recordings.iter().find_map(|r| r.model.clone()),
            recordings: recordings.iter().map(Recording::name).collect(),
            fractions,
            tails,
            layers: layers.collect(),
        })
    }

    /// The profile of a layer's keys or values.
    pub fn layer(&self, layer: u32, kind: Kind) -> Result<&LayerProfile, ProfileError> {
        let missing = || ProfileError::MissingLayer { layer, kind, present: self.layer_names() };
        self.layers.iter().find(|l| (l.layer, l.kind) == (layer, kind)).ok_or_else(missing)
    }

    /// Checks that the profile has every layer of a recording, with vectors of the same length.
    pub fn check_covers(&self, recording: &Recording) -> Result<(), ProfileError> {
        for tensor in &recording.tensors {
            let profiled = self.layer(tensor.layer, tensor.kind)?;
            if profiled.cols != tensor.cols {
                return Err(ProfileError::Columns {
                    layer: tensor.layer,
                    kind: tensor.kind,
                    profile: profiled.cols,
                    recording: tensor.cols,
                });
            }
        }
        Ok(())
    }

    fn layer_names(&self) -> String {
        let names: Vec<String> = self.layers.iter().map(|l| format!("{} {}", l.layer, l.kind)).collect();
        names.join(", ")
    }
}

/// Thresholds from the same layer of several runs, and their worth on all of them.
fn profile_layer(runs: &[&KvTensor], fractions: Fractions, tails: Tails) -> LayerProfile {
    let mut sums = [0.0; 4];
    for run in runs {
        for (sum, threshold) in sums.iter_mut().zip(quantiles(&run.data, fractions, tails)) {
            *sum += threshold;
        }
    }
    let [s_low, t_low, t_high, s_high] = sums.map(|sum| binary16::from_f64(sum / runs.len() as f64).to_bits());
    let thresholds = Thresholds::from_bits(s_low, t_low, t_high, s_high)
        .expect("quantiles are in order, and neither their average nor rounding changes that");

    let quality = measure(runs.iter().flat_map(|run| run.vectors()), &thresholds);
    let share = |count| count as f64 / quality.counts.total() as f64;
    let (outer, inner) = (share(quality.counts.outer), share(quality.counts.inner));
    LayerProfile {
        layer: runs[0].layer,
        kind: runs[0].kind,
        cols: runs[0].cols,
        thresholds,
        shares: Fractions::from_shares(outer, share(quality.counts.middle), inner),
        effective_bits: quality.effective_bits,
        sqnr_db: Some(quality.codec_db).filter(|db| db.is_finite()),
    }
}

/// S_low, T_low, T_high and S_high of one run.
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

impl From<DataError> for ProfileError {
    fn from(error: DataError) -> Self {
        ProfileError::Data(Box::new(error))
    }
}

#[cfg(test)]
mod tests;
