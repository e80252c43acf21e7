//! Recordings in safetensors files.

use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use super::convert::{ElementType, to_binary16};
use super::error::DataError;
use super::recording::{KvTensor, Matrix, QueryTensor, Recording, check_shape, parse_layer, parse_name, read_bytes};

/// As many names are listed when none of them is a key or value.
const NAMES_LISTED: usize = 8;

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Recording, DataError> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| explain(path, bytes, error))?;
    let mut tensors = Vec::new();
    for (name, view) in by_name(&file) {
        let Some((layer, kind)) = parse_name(name) else { continue };
        let element_type = element_type(path, name, &view)?;
        let (rows, cols) = check_shape(path, name, view.shape())?;
        let data = to_binary16(path, name, view.data(), element_type, cols)?;
        tensors.push(KvTensor { layer, kind, rows, cols, data });
    }
    if tensors.is_empty() {
        return Err(DataError::NoTensors { path: path.into(), found: list_names(file.names()) });
    }
    Recording::new(path, model(bytes), tensors)
}

/// The tensors whose names end in `layer<N>.q`, in ascending order of layer.
pub(super) fn queries(path: &Path, bytes: &[u8]) -> Result<Vec<QueryTensor>, DataError> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| explain(path, bytes, error))?;
    let mut queries = Vec::new();
    for (name, view) in by_name(&file) {
        let Some((layer, "q")) = parse_layer(name) else { continue };
        let element_type = element_type(path, name, &view)?;
        let (rows, cols) = check_shape(path, name, view.shape())?;
        let data = to_binary16(path, name, view.data(), element_type, cols)?;
        queries.push(QueryTensor { layer, rows, cols, data });
    }
    if queries.is_empty() {
        return Err(DataError::NoQueries { path: path.into(), found: list_names(file.names()) });
    }
    Ok(queries)
}

/// All tensors in alphabetical order: of several that are wrong, every run tells the same one.
fn by_name<'f>(file: &'f SafeTensors) -> Vec<(&'f str, TensorView<'f>)> {
    let mut all: Vec<_> = file.iter().collect();
    all.sort_unstable_by_key(|tensor| tensor.0);
    all
}

/// The matrices of weights with these names, in their order; without names all that begin with `weight.` or end in `.weight`
/// and have more than one dimension (those of norms have one), in alphabetical order. F16, BF16 or F32.
pub fn read_matrices(path: &Path, names: &[String]) -> Result<Vec<Matrix>, DataError> {
    let bytes = read_bytes(path)?;
    let file = SafeTensors::deserialize(&bytes).map_err(|error| explain(path, &bytes, error))?;
    let is_weight = |name: &&str| name.starts_with("weight.") || name.ends_with(".weight");
    let is_of_a_norm = |name: &&str| file.tensor(name).is_ok_and(|view| view.shape().len() == 1);
    let names_of_weights = file.names().into_iter().filter(is_weight);
    let mut all: Vec<&str> = names_of_weights.filter(|name| !is_of_a_norm(name)).collect();
    all.sort_unstable();
    let wanted: Vec<&str> = if names.is_empty() { all } else { names.iter().map(String::as_str).collect() };
    if wanted.is_empty() {
        return Err(DataError::NoMatrices { path: path.into(), found: list_names(file.names()) });
    }
    wanted.into_iter().map(|name| matrix(path, &file, name)).collect()
}

fn matrix(path: &Path, file: &SafeTensors, name: &str) -> Result<Matrix, DataError> {
    let missing = |_| {
        let (path, tensor) = (path.into(), name.into());
        DataError::NoSuchTensor { path, tensor, found: list_names(file.names()) }
    };
    let view = file.tensor(name).map_err(missing)?;
    let [rows, cols] = *view.shape() else { return Err(not_a_matrix(path, name, &view)) };
    if rows == 0 || cols == 0 {
        return Err(not_a_matrix(path, name, &view));
    }
    let data = to_binary16(path, name, view.data(), element_type(path, name, &view)?, cols)?;
    Ok(Matrix { name: name.into(), rows, cols, data })
}

fn not_a_matrix(path: &Path, name: &str, view: &TensorView) -> DataError {
    DataError::MatrixShape { path: path.into(), tensor: name.into(), shape: view.shape().into() }
}

fn element_type(path: &Path, name: &str, view: &TensorView) -> Result<ElementType, DataError> {
    match view.dtype() {
        Dtype::F16 => Ok(ElementType::F16),
        Dtype::BF16 => Ok(ElementType::Bf16),
        Dtype::F32 => Ok(ElementType::F32),
        other => {
            let (path, tensor, found) = (path.into(), name.into(), format!("{other:?}"));
            Err(DataError::ElementType { path, tensor, found, legal: "F16, BF16 or F32" })
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_norms_are_no_matrices() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let zeros = [0; 16];
        let view = |shape: &[usize]| TensorView::new(Dtype::F16, shape.to_vec(), &zeros).unwrap();
        let tensors = [("norm.weight", view(&[8])), ("q.weight", view(&[2, 4])), ("up.weight", view(&[4, 2]))];
        std::fs::write(&path, safetensors::serialize(tensors, None).unwrap()).unwrap();
        let read = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            read_matrices(&path, &names)
        };
        let found: Vec<String> = read(&[]).unwrap().into_iter().map(|matrix| matrix.name).collect();
        assert_eq!(found, ["q.weight", "up.weight"]);
        let named = read(&["norm.weight"]).unwrap_err();
        assert!(matches!(named, DataError::MatrixShape { .. }), "{named}");
    }
}
