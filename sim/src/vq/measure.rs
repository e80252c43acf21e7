//! What packed tensors are worth.

use half::f16;

use super::error::VqError;
use super::pack::{check_shape, source_of};
use super::rotate;
use super::source::Source;
use crate::golden::reference::Noise;
use crate::golden::vq::decode::{tensor16, tensor64};
use crate::golden::vq::{Tensor, VqFile};

/// Signal to quantization noise of a packed tensor, in dB; infinite if nothing was lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Of the binary16 values that the hardware computes with.
    pub binary16_db: f64,
    /// Of books and indices alone: their values in float64.
    pub float64_db: f64,
}

/// Measures a tensor of a packed file against the original among some sources.
pub fn measure(file: &VqFile, tensor: &Tensor, sources: &[Source]) -> Result<Measured, VqError> {
    let source = source_of(tensor, sources)?;
    check_shape(tensor, source)?;
    if source.rows != tensor.rows {
        let shape = |rows: usize| format!("{rows} rows");
        let (found, made_from) = (shape(source.rows), shape(tensor.rows));
        return Err(VqError::Shape { name: source.name.clone(), found, made_from });
    }
    let original = source.values();
    let db = |mut values: Vec<f64>| {
        if let Some(rotation) = &tensor.rotation {
            rotate::backward(&mut values, rotation);
        }
        let mut noise = Noise::default();
        noise.add(&original, &values);
        noise.sqnr_db()
    };
    let rounded = tensor16(&file.scheme, tensor).into_iter().map(|bits| f16::from_bits(bits).to_f64()).collect();
    Ok(Measured { binary16_db: db(rounded), float64_db: db(tensor64(&file.scheme, tensor)) })
}
