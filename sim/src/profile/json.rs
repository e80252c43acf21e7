//! The profile's JSON: what the file looks like, and what is checked when it is read.
//!
//! Thresholds stand there as numbers for people and as bit patterns for machines; the bit patterns count, and the
//! numbers must agree with them. A file without `quantiles` and `dense_bits` is one of every recording as a run, with
//! codes of 4 bits.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::{ContentError, FORMAT, LayerError, ProfileError, VERSION};
use super::{Fractions, LayerProfile, Method, Profile, Quantiles, Tails};
use crate::data::Kind;
use crate::golden::oaken::{DenseBits, Thresholds, is_legal_length};

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
