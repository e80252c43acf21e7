//! Recorded queries.

use std::path::{Path, PathBuf};

use super::error::DataError;
use super::recording::{QueryTensor, parse_layer, read_bytes};
use super::{npy, safetensors};

/// The queries of a safetensors file (tensors `layer<N>.q`), of an npy file (`layer<N>.q.npy`) or of a folder of these, in ascending order
/// of layer; at least one.
pub fn read_queries(path: impl AsRef<Path>) -> Result<Vec<QueryTensor>, DataError> {
    let path = path.as_ref();
    let mut queries = if path.is_dir() { of_files(path, &npy::files(path)?)? } else { of_file(path)? };
    queries.sort_by_key(|queries| queries.layer);
    match queries.windows(2).find(|pair| pair[0].layer == pair[1].layer) {
        Some(pair) => Err(DataError::QueriesTwice { path: path.into(), layer: pair[0].layer }),
        None => Ok(queries),
    }
}

fn of_file(path: &Path) -> Result<Vec<QueryTensor>, DataError> {
    let bytes = read_bytes(path)?;
    if npy::is_npy(path, &bytes) { of_files(path, &[path.into()]) } else { safetensors::queries(path, &bytes) }
}

fn of_files(path: &Path, files: &[PathBuf]) -> Result<Vec<QueryTensor>, DataError> {
    let mut queries = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Some((layer, "q")) = parse_layer(&stem) {
            let (rows, cols, data) = npy::matrix(file, &read_bytes(file)?, &format!("layer {layer} query"))?;
            queries.push(QueryTensor { layer, rows, cols, data });
        }
    }
    match queries.is_empty() {
        true => Err(DataError::NoQueries { path: path.into(), found: format!("{} npy files", files.len()) }),
        false => Ok(queries),
    }
}
