//! Recorded queries.

use std::path::Path;

use super::error::DataError;
use super::recording::{QueryTensor, parse_layer, read_bytes};
use super::{npy, safetensors};

/// The queries of a safetensors file (tensors `layer<N>.q`) or of a folder of npy files (`layer<N>.q.npy`), in ascending order
/// of layer; at least one.
pub fn read_queries(path: impl AsRef<Path>) -> Result<Vec<QueryTensor>, DataError> {
    let path = path.as_ref();
    let mut queries = if path.is_dir() { of_folder(path)? } else { safetensors::queries(path, &read_bytes(path)?)? };
    queries.sort_by_key(|queries| queries.layer);
    match queries.windows(2).find(|pair| pair[0].layer == pair[1].layer) {
        Some(pair) => Err(DataError::QueriesTwice { path: path.into(), layer: pair[0].layer }),
        None => Ok(queries),
    }
}

fn of_folder(folder: &Path) -> Result<Vec<QueryTensor>, DataError> {
    let files = npy::files(folder)?;
    let mut queries = Vec::new();
    for file in &files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Some((layer, "q")) = parse_layer(&stem) {
            let (rows, cols, data) = npy::matrix(file, &read_bytes(file)?, &format!("layer {layer} query"))?;
            queries.push(QueryTensor { layer, rows, cols, data });
        }
    }
    match queries.is_empty() {
        true => Err(DataError::NoQueries { path: folder.into(), found: format!("{} npy files", files.len()) }),
        false => Ok(queries),
    }
}
