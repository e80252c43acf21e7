//! What machines read.

use crate::report::Failure;
use serde::Serialize;

/// JSON for machines.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::Internal(error.to_string()))
}
