//! Why a profile cannot be made, read or used.

use std::path::PathBuf;

use thiserror::Error;

use super::FractionsError;
use crate::data::{DataError, Kind};
use crate::golden::oaken::ThresholdError;

/// What a file of thresholds says that it is.
pub(super) const FORMAT: &str = "kvforge-thresholds";
/// The version of what is in it.
pub(super) const VERSION: u64 = 1;

/// Why a profile cannot be made, read or used.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// A recording is not what it should be.
    #[error(transparent)]
    Data(Box<DataError>),
    /// There is nothing to profile.
    #[error("no recordings: at least one is needed")]
    NoRecordings,
    /// The file system said no.
    #[error("cannot {verb} {}: {source}", path.display())]
    File {
        /// `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file's text is no profile.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with its text.
        problem: ContentError,
    },
    /// The profile does not have a layer that is needed.
    #[error("the thresholds have no layer {layer} {kind}; they have {present}")]
    MissingLayer {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
        /// The layers that it has.
        present: String,
    },
    /// The profile was made from vectors of another length.
    #[error("layer {layer} {kind}: the thresholds are for {profile} elements a token, the recording has {recording}")]
    Columns {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
        /// Elements of a token in the profile.
        profile: usize,
        /// Elements of a token in the recording.
        recording: usize,
    },
}

/// Why a text is no profile.
#[derive(Debug, Error)]
pub enum ContentError {
    /// Not JSON, or not with these keys; the message has line and column.
    #[error("not a threshold file: {0}")]
    Json(#[from] serde_json::Error),
    /// `format` is something else.
    #[error("not a threshold file: \"format\" is {0}, legal is \"{FORMAT}\"")]
    Format(serde_json::Value),
    /// `version` is unknown.
    #[error("version {0} of the threshold file is unknown, legal is {VERSION}")]
    Version(serde_json::Value),
    /// The shares are not legal.
    #[error(transparent)]
    Fractions(#[from] FractionsError),
    /// There is no layer at all.
    #[error("\"layers\" is empty: at least one layer is needed")]
    NoLayers,
    /// A layer stands there twice.
    #[error("layer {layer} {kind} stands there twice")]
    Duplicate {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
    },
    /// Something is wrong with a layer.
    #[error("layer {layer} {kind}: {problem}")]
    Layer {
        /// The layer.
        layer: u32,
        /// Keys or values.
        kind: Kind,
        /// What is wrong.
        problem: LayerError,
    },
}

/// What can be wrong with a layer's entry.
#[derive(Debug, Error)]
pub enum LayerError {
    /// The thresholds are not legal.
    #[error(transparent)]
    Thresholds(#[from] ThresholdError),
    /// A bit pattern is not four hexadecimal digits.
    #[error("\"bits\" of {name} is \"{text}\": legal are four hexadecimal digits")]
    Bits {
        /// Which threshold.
        name: &'static str,
        /// The text.
        text: String,
    },
    /// Number and bit pattern do not agree.
    #[error("{name} is {number} in \"thresholds\" but \"bits\" {text} says {value}")]
    Disagree {
        /// Which threshold.
        name: &'static str,
        /// The number.
        number: f32,
        /// The bit pattern.
        text: String,
        /// What it means.
        value: f32,
    },
    /// The vector length is none of the format's.
    #[error("\"elements\" is {0}: legal is a multiple of 64 from 64 to 8192")]
    Elements(usize),
}

impl From<DataError> for ProfileError {
    fn from(error: DataError) -> Self {
        ProfileError::Data(Box::new(error))
    }
}
