//! The profile's JSON: what the file looks like, and what is checked when it is read.
//!
//! Thresholds stand there as numbers for people and as bit patterns for machines; the bit patterns count, and the
//! numbers must agree with them. A file without `quantiles` and `dense_bits` is one of every recording as a run, with
//! codes of 4 bits.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Fractions, FractionsError, LayerProfile, Method, Profile, Quantiles, Tails};
use crate::data::{DataError, Kind};
use crate::golden::oaken::{DenseBits, ThresholdError, Thresholds, is_legal_length};

const FORMAT: &str = "kvforge-thresholds";
const VERSION: u64 = 1;

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

/// Four things in the order of the thresholds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Four<T> {
    s_low: T,
    t_low: T,
    t_high: T,
    s_high: T,
}

impl<T> Four<T> {
    fn new([s_low, t_low, t_high, s_high]: [T; 4]) -> Self {
        Self { s_low, t_low, t_high, s_high }
    }

    fn into_array(self) -> [T; 4] {
        [self.s_low, self.t_low, self.t_high, self.s_high]
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u64,
    model: Option<String>,
    recordings: Vec<String>,
    fractions: Fractions,
    tails: Tails,
    #[serde(default)]
    quantiles: Quantiles,
    layers: Vec<Layer>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    layer: u32,
    kind: Kind,
    elements: usize,
    thresholds: Four<f32>,
    bits: Four<String>,
    #[serde(default)]
    dense_bits: DenseBits,
    shares: Fractions,
    effective_bits: f64,
    sqnr_db: Option<f64>,
}

impl Profile {
    /// The JSON text, ending in a newline.
    pub fn to_json(&self) -> String {
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            model: self.model.clone(),
            recordings: self.recordings.clone(),
            fractions: self.method.fractions,
            tails: self.method.tails,
            quantiles: self.method.quantiles,
            layers: self.layers.iter().map(Layer::from_profile).collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("numbers and strings always become JSON");
        text.push('\n');
        text
    }

    /// Reads the JSON text and checks all of it.
    pub fn from_json(text: &str) -> Result<Self, ContentError> {
        // Format and version come first: with another version, other keys are no surprise.
        let value: serde_json::Value = serde_json::from_str(text)?;
        if value["format"] != FORMAT {
            return Err(ContentError::Format(value["format"].clone()));
        }
        if value["version"] != VERSION {
            return Err(ContentError::Version(value["version"].clone()));
        }
        let file: File = serde_json::from_str(text)?;
        let fractions = Fractions::new(file.fractions.outer(), file.fractions.middle(), file.fractions.inner())?;
        let mut layers = file.layers.into_iter().map(Layer::into_profile).collect::<Result<Vec<_>, _>>()?;
        layers.sort_by_key(|l| (l.layer, l.kind));
        if layers.is_empty() {
            return Err(ContentError::NoLayers);
        }
        if let Some(pair) = layers.windows(2).find(|p| (p[0].layer, p[0].kind) == (p[1].layer, p[1].kind)) {
            return Err(ContentError::Duplicate { layer: pair[0].layer, kind: pair[0].kind });
        }
        let method = Method { fractions, tails: file.tails, quantiles: file.quantiles };
        Ok(Self { model: file.model, recordings: file.recordings, method, layers })
    }

    /// Writes the JSON to a file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ProfileError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_json()).map_err(|source| ProfileError::File {
            verb: "write",
            path: path.into(),
            source,
        })
    }

    /// Reads a profile from a JSON file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ProfileError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| ProfileError::File {
            verb: "read",
            path: path.into(),
            source,
        })?;
        Self::from_json(&text).map_err(|problem| ProfileError::Content { path: path.into(), problem })
    }
}

impl Layer {
    fn from_profile(profile: &LayerProfile) -> Self {
        Self {
            layer: profile.layer,
            kind: profile.kind,
            elements: profile.cols,
            thresholds: Four::new(profile.thresholds.values()),
            bits: Four::new(profile.thresholds.bits().map(|bits| format!("{bits:04x}"))),
            dense_bits: profile.dense_bits,
            shares: profile.shares,
            effective_bits: profile.effective_bits,
            sqnr_db: profile.sqnr_db,
        }
    }

    fn into_profile(self) -> Result<LayerProfile, ContentError> {
        let Layer { layer, kind, elements, dense_bits, shares, effective_bits, sqnr_db, .. } = self;
        let in_layer = |problem| ContentError::Layer { layer, kind, problem };
        if !is_legal_length(elements) {
            return Err(in_layer(LayerError::Elements(elements)));
        }
        let thresholds = parse_thresholds(self.thresholds, self.bits).map_err(in_layer)?;
        Ok(LayerProfile { layer, kind, cols: elements, thresholds, dense_bits, shares, effective_bits, sqnr_db })
    }
}

fn parse_thresholds(numbers: Four<f32>, texts: Four<String>) -> Result<Thresholds, LayerError> {
    const NAMES: [&str; 4] = ["S_low", "T_low", "T_high", "S_high"];
    let texts = texts.into_array();
    let mut bits = [0; 4];
    for ((bits, text), name) in bits.iter_mut().zip(&texts).zip(NAMES) {
        let legal = text.len() == 4 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let parsed = u16::from_str_radix(text, 16).ok().filter(|_| legal);
        *bits = parsed.ok_or_else(|| LayerError::Bits { name, text: text.clone() })?;
    }
    let thresholds = Thresholds::from_bits(bits[0], bits[1], bits[2], bits[3])?;
    let checks = numbers.into_array().into_iter().zip(thresholds.values()).zip(texts).zip(NAMES);
    for (((number, value), text), name) in checks {
        if number != value {
            return Err(LayerError::Disagree { name, number, text, value });
        }
    }
    Ok(thresholds)
}
