//! From the element types of files to binary16.

use std::path::Path;

use half::{bf16, f16};

use super::DataError;
use crate::binary16;

/// An element type that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementType {
    F16,
    Bf16,
    F32,
    F64,
}

impl ElementType {
    pub(super) fn bytes(self) -> usize {
        match self {
            ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::F32 => 4,
            ElementType::F64 => 8,
        }
    }

    /// The number in little-endian bytes; every type is exact in float64.
    fn to_f64(self, b: &[u8]) -> f64 {
        match self {
            ElementType::F16 => f16::from_le_bytes([b[0], b[1]]).to_f64(),
            ElementType::Bf16 => bf16::from_le_bytes([b[0], b[1]]).to_f64(),
            ElementType::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            ElementType::F64 => f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]),
        }
    }
}

/// Turns little-endian elements, row after row, into finite binary16 bit patterns.
pub(super) fn to_binary16(
    path: &Path,
    tensor: &str,
    bytes: &[u8],
    element_type: ElementType,
    cols: usize,
) -> Result<Vec<u16>, DataError> {
    let convert = |(i, element): (usize, &[u8])| {
        let value = element_type.to_f64(element);
        let rounded = binary16::from_f64(value);
        if rounded.is_finite() {
            return Ok(rounded.to_bits());
        }
        let (path, tensor, row, col) = (path.into(), tensor.into(), i / cols, i % cols);
        Err(if value.is_finite() {
            DataError::Overflow { path, tensor, row, col, value }
        } else {
            DataError::NotFinite { path, tensor, row, col, value }
        })
    };
    bytes.chunks_exact(element_type.bytes()).enumerate().map(convert).collect()
}
