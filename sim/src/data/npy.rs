//! Recordings in npy files (NumPy's format, versions 1 to 3).
//!
//! The header is a Python dictionary with three known keys. The crates that read it bring a parser generator and a C
//! compiler for it, so it is read here.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::convert::{ElementType, to_binary16};
use super::error::DataError;
use super::kind::Kind;
use super::recording::{KvTensor, Recording, check_shape, parse_name, read_bytes};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Whether a file is an npy file, or is named so.
pub(super) fn is_npy(path: &Path, bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || path.extension().is_some_and(|extension| extension == "npy")
}

/// Reads an npy file whose name does not tell the layer and the kind.
pub fn read_npy(path: impl AsRef<Path>, layer: u32, kind: Kind) -> Result<Recording, DataError> {
    let path = path.as_ref();
    let tensor = parse(path, &read_bytes(path)?, layer, kind)?;
    Recording::new(path, None, vec![tensor])
}

/// An npy file whose name tells them.
pub(super) fn read_named(path: &Path, bytes: &[u8]) -> Result<Recording, DataError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (layer, kind) = parse_name(&stem).ok_or_else(|| DataError::Name { path: path.into() })?;
    Recording::new(path, None, vec![parse(path, bytes, layer, kind)?])
}

/// All npy files of a folder whose names tell them.
pub(super) fn read_folder(folder: &Path) -> Result<Recording, DataError> {
    let files = files(folder)?;
    let mut tensors = Vec::new();
    for file in &files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Some((layer, kind)) = parse_name(&stem) {
            tensors.push(parse(file, &read_bytes(file)?, layer, kind)?);
        }
    }
    if tensors.is_empty() {
        return Err(DataError::NoTensors { path: folder.into(), found: format!("{} npy files", files.len()) });
    }
    Recording::new(folder, None, tensors)
}

/// The npy files of a folder, by name.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let error = |source| DataError::Read { path: folder.into(), source };
    let entries = std::fs::read_dir(folder).map_err(error)?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, _>>().map_err(error)?;
    files.retain(|file| file.extension() == Some(OsStr::new("npy")));
    files.sort();
    Ok(files)
}

fn parse(path: &Path, bytes: &[u8], layer: u32, kind: Kind) -> Result<KvTensor, DataError> {
    let (rows, cols, data) = matrix(path, bytes, &format!("layer {layer} {kind}"))?;
    Ok(KvTensor { layer, kind, rows, cols, data })
}

/// Rows, columns and binary16 bit patterns of a file.
pub(super) fn matrix(path: &Path, bytes: &[u8], tensor: &str) -> Result<(usize, usize, Vec<u16>), DataError> {
    let (header, data) = split_header(path, bytes)?;
    let header = Header::parse(header).map_err(|detail| DataError::NotNpy { path: path.into(), detail })?;
    let element_type = match header.descr.as_str() {
        "'<f2'" => ElementType::F16,
        "'<f4'" => ElementType::F32,
        "'<f8'" => ElementType::F64,
        _ => {
            let (path, tensor, found) = (path.into(), tensor.into(), header.descr);
            return Err(DataError::ElementType { path, tensor, found, legal: "'<f2', '<f4' or '<f8'" });
        }
    };
    let (rows, cols) = check_shape(path, tensor, &header.shape)?;
    let need = rows.checked_mul(cols * element_type.bytes());
    if need != Some(data.len()) {
        let detail = format!("shape {:?} of {} does not fit {} bytes of data", header.shape, header.descr, data.len());
        let path = path.into();
        return Err(match need {
            Some(need) if need < data.len() => DataError::NotNpy { path, detail },
            _ => DataError::Truncated { path, detail },
        });
    }
    let data = if header.fortran_order { to_row_major(data, rows, cols, element_type.bytes()) } else { data.to_vec() };
    Ok((rows, cols, to_binary16(path, tensor, &data, element_type, cols)?))
}

/// The dictionary's text and the data behind it.
fn split_header<'a>(path: &Path, bytes: &'a [u8]) -> Result<(&'a str, &'a [u8]), DataError> {
    let not_npy = |detail: &str| DataError::NotNpy { path: path.into(), detail: detail.into() };
    let truncated = || {
        let detail = format!("it ends after {} bytes, inside its header", bytes.len());
        DataError::Truncated { path: path.into(), detail }
    };
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] {
        return Err(not_npy("it does not start with \\x93NUMPY"));
    }
    let (length, start) = match bytes.get(6..12) {
        None => return Err(truncated()),
        Some(&[1, _, a, b, ..]) => (usize::from(u16::from_le_bytes([a, b])), 10),
        Some(&[2 | 3, _, a, b, c, d]) => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
        Some(other) => return Err(not_npy(&format!("version {} is unknown, legal are 1 to 3", other[0]))),
    };
    let header = bytes.get(start..start + length).ok_or_else(truncated)?;
    let header = std::str::from_utf8(header).map_err(|_| not_npy("its header is not text"))?;
    Ok((header, &bytes[start + length..]))
}

struct Header {
    /// As it stands there, with its quotes; a structured type is a list.
    descr: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let after = |key: &str| {
            let place = text.find(key).ok_or_else(|| format!("its header has no {key}"))?;
            let value = text[place + key.len()..].trim_start().strip_prefix(':');
            value.map(str::trim_start).ok_or_else(|| format!("its header has no value for {key}"))
        };
        let descr = after("'descr'")?;
        let end = match descr.chars().next() {
            Some('\'') => descr[1..].find('\'').map(|i| i + 2),
            _ => descr.find(']').map(|i| i + 1),
        };
        let descr = descr[..end.ok_or("its header has no end of 'descr'")?].to_string();
        let order = after("'fortran_order'")?;
        let shape = after("'shape'")?;
        let inside = shape.strip_prefix('(').and_then(|s| s.split_once(')')).map(|(inside, _)| inside);
        let inside = inside.ok_or("the 'shape' in its header is no tuple")?;
        let numbers = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
        let shape = numbers.map(|n| n.parse().map_err(|_| format!("{n} in its 'shape' is no length")));
        Ok(Self { descr, fortran_order: order.starts_with("True"), shape: shape.collect::<Result<_, _>>()? })
    }
}

/// Columns after columns to rows after rows.
fn to_row_major(data: &[u8], rows: usize, cols: usize, element: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    for row in 0..rows {
        for col in 0..cols {
            let from = (col * rows + row) * element;
            out.extend_from_slice(&data[from..from + element]);
        }
    }
    out
}
