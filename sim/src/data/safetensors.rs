//! Recordings in safetensors files.

use std::path::Path;

use safetensors::{Dtype, SafeTensorError, SafeTensors};

use super::convert::{ElementType, to_binary16};
use super::{DataError, KvTensor, Recording, check_shape, parse_name};

/// As many names are listed when none of them is a key or value.
const NAMES_LISTED: usize = 8;

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Recording, DataError> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| explain(path, bytes, error))?;
    let mut tensors = Vec::new();
    for (name, view) in file.iter() {
        let Some((layer, kind)) = parse_name(name) else { continue };
        let element_type = match view.dtype() {
            Dtype::F16 => ElementType::F16,
            Dtype::BF16 => ElementType::Bf16,
            Dtype::F32 => ElementType::F32,
            other => {
                let (path, tensor, found) = (path.into(), name.into(), format!("{other:?}"));
                return Err(DataError::ElementType { path, tensor, found, legal: "F16, BF16 or F32" });
            }
        };
        let (rows, cols) = check_shape(path, name, view.shape())?;
        let data = to_binary16(path, name, view.data(), element_type, cols)?;
        tensors.push(KvTensor { layer, kind, rows, cols, data });
    }
    if tensors.is_empty() {
        return Err(DataError::NoTensors { path: path.into(), found: list_names(file.names()) });
    }
    Recording::new(path, model(bytes), tensors)
}

/// The metadata entry `model`.
fn model(bytes: &[u8]) -> Option<String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).ok()?;
    metadata.metadata().as_ref()?.get("model").cloned()
}

fn list_names(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    if names.len() > NAMES_LISTED { format!("{} names", names.len()) } else { format!("{names:?}") }
}

/// Tells a file that ends too early from one that is something else.
fn explain(path: &Path, bytes: &[u8], error: SafeTensorError) -> DataError {
    let truncated = |detail| DataError::Truncated { path: path.into(), detail };
    let header_starts = bytes.get(8).is_none_or(|&b| b == b'{');
    match error {
        SafeTensorError::HeaderTooSmall => {
            truncated(format!("it has {} bytes, a safetensors file at least 8", bytes.len()))
        }
        SafeTensorError::InvalidHeaderLength if header_starts => {
            truncated(format!("it ends after {} bytes, inside its header", bytes.len()))
        }
        SafeTensorError::MetadataIncompleteBuffer => {
            truncated(format!("its {} bytes are not as many as its tensors need", bytes.len()))
        }
        other => DataError::NotSafetensors { path: path.into(), detail: other.to_string() },
    }
}
