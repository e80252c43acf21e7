//! What it costs to keep Oaken records by head: the tables of docs/oaken-format.md (section 6) and of docs/blocks/oaken_mmu.md, as Markdown.
//!
//! - [`slices`]: bits of whole records and of slices
//! - [`heads`]: slices beside heads that are quantized each by itself
//! - [`pages`]: tables of the MMU for whole models, what is lost in pages that are partly filled, and what fits on a board

pub mod heads;
pub mod pages;
pub mod slices;
#[cfg(test)]
mod tests;

use crate::data::{DataError, Recording};
use std::path::Path;

/// Recording for the thresholds, recording to store, elements of a head.
const CASES: [(&str, &str, usize); 3] =
    [("smollm2_profile", "smollm2_run", 64), ("minilm", "minilm", 64), ("minilm", "minilm", 128)];

/// A recording of the folder `data`.
fn recording(name: &str) -> Result<Recording, DataError> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    Recording::read(data.join(name).with_extension("safetensors"))
}
