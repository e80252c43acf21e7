//! The threshold profiler: from recorded keys and values to the thresholds that the hardware is loaded with.
//!
//! For each layer, and for keys and values by themselves, thresholds are quantiles of the recorded elements (Oaken,
//! section 4.3), averaged over runs and rounded to binary16; [`Method`] says how. The result is a [`Profile`], kept as
//! JSON.

mod error;
mod fractions;
mod json;
mod plot;
mod quantiles;

pub use error::ProfileError;
pub use fractions::{Fractions, FractionsError};
pub use plot::plot_svg;
pub use quantiles::{Method, Quantiles, Tails};

use crate::data::{Kind, KvTensor, Recording, check_agreement};
use crate::golden::oaken::{DenseBits, Thresholds};
use crate::golden::quality::measure;

/// The widths of dense codes, for keys and for values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// Of keys.
    pub key: DenseBits,
    /// Of values.
    pub value: DenseBits,
}

impl Widths {
    /// The width for keys or values.
    pub fn of(&self, kind: Kind) -> DenseBits {
        match kind {
            Kind::Key => self.key,
            Kind::Value => self.value,
        }
    }
}

/// Thresholds for every layer of a model, with what they were made from and what they are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The model that was recorded, if the recordings say so.
    pub model: Option<String>,
    /// Names of the recordings.
    pub recordings: Vec<String>,
    /// How the thresholds were made.
    pub method: Method,
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
    /// The width of dense codes.
    pub dense_bits: DenseBits,
    /// The shares that the groups really have on the recordings.
    pub shares: Fractions,
    /// Stored bits for each element on the recordings, every bit counted.
    pub effective_bits: f64,
    /// Signal to quantization noise of the record format on the recordings, in dB; `None` if nothing was lost.
    pub sqnr_db: Option<f64>,
}

impl Profile {
    /// Profiles recordings of one model.
    pub fn from_recordings(recordings: &[Recording], method: Method, widths: Widths) -> Result<Self, ProfileError> {
        let first = recordings.first().ok_or(ProfileError::NoRecordings)?;
        check_agreement(recordings)?;
        let layers = first.tensors.iter().map(|tensor| {
            // The recordings agree, so each has this layer.
            let same: Vec<&KvTensor> = recordings.iter().filter_map(|r| r.tensor(tensor.layer, tensor.kind)).collect();
            profile_layer(&same, &method, widths)
        });
        Ok(Self {
            model: recordings.iter().find_map(|r| r.model.clone()),
            recordings: recordings.iter().map(Recording::name).collect(),
            method,
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

/// Thresholds from the same layer of several recordings, and their worth on all of them.
fn profile_layer(recordings: &[&KvTensor], method: &Method, widths: Widths) -> LayerProfile {
    let KvTensor { layer, kind, cols, .. } = *recordings[0];
    let (thresholds, dense_bits) = (method.thresholds(recordings), widths.of(kind));
    let quality = measure(recordings.iter().flat_map(|r| r.vectors()), dense_bits, &thresholds);
    let share = |count| count as f64 / quality.counts.total() as f64;
    let (outer, inner) = (share(quality.counts.outer), share(quality.counts.inner));
    LayerProfile {
        layer,
        kind,
        cols,
        thresholds,
        dense_bits,
        shares: Fractions::from_shares(outer, share(quality.counts.middle), inner),
        effective_bits: quality.effective_bits,
        sqnr_db: Some(quality.codec_db).filter(|db| db.is_finite()),
    }
}

#[cfg(test)]
mod tests;
