//! Keys and values.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Key or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The keys of a layer.
    Key,
    /// The values of a layer.
    Value,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Key => "key",
            Kind::Value => "value",
        })
    }
}
