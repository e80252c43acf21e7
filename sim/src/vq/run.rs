//! Runs hardware on a packed file: builds the unit that consumes it, simulates it on the file's own books and indices, and compares what comes out with the
//! golden model, with float64 on the same dequantized values, and with the unquantized values where they are given.
//!
//! [`Setup::new`] finds out what is to be simulated and whether it can be, [`Setup::run`] simulates it.

mod attention;
mod encoder;
mod error;
mod head;
mod matrix;
mod matrix_unit;
mod part;
mod queries;
mod request;
mod results;
mod scores;
mod unit;
mod values;

pub use error::RunError;
pub use queries::{Recorded, RecordedQueries};
pub use request::{MAX_COUNT, MAX_WORDS, Request, USUAL_COUNT, USUAL_TOKENS};
pub use results::{Hardware, Results, Row, Words};
pub use unit::Unit;

use crate::golden::vq::{TensorKind, VqFile};
use attention::HeadSetup;
use matrix::MatrixSetup;
use unit::HeadsUnit;

/// Something that can be simulated.
#[derive(Debug)]
pub struct Setup<'f>(What<'f>);

#[derive(Debug)]
enum What<'f> {
    Head(HeadSetup),
    Matrix(MatrixSetup<'f>),
}

impl<'f> Setup<'f> {
    /// Finds what is asked for.
    ///
    /// # Errors
    /// It cannot be simulated.
    pub fn new(file: &'f VqFile, request: &Request, recorded: &Recorded) -> Result<Setup<'f>, RunError> {
        if !file.packed {
            return Err(RunError::NotPacked);
        }
        let weights = file.tensors.iter().any(|tensor| tensor.kind == TensorKind::Weight);
        let unit = request.unit.unwrap_or(if weights { Unit::Matrix } else { Unit::Head });
        let of_heads = unit.of_heads();
        if weights != of_heads.is_none() {
            let [of_heads, of_weights] = ["keys and values", "weights"];
            let (legal, found) = if weights { (of_heads, of_weights) } else { (of_weights, of_heads) };
            return Err(RunError::Kind { unit, legal, found });
        }
        settings(unit, request)?;
        Ok(Setup(match of_heads {
            Some(unit) => What::Head(HeadSetup::new(file, unit, request, recorded)?),
            None => What::Matrix(MatrixSetup::new(file, request, recorded)?),
        }))
    }

    /// The layer of keys and values; `None` for weights.
    pub fn layer(&self) -> Option<u32> {
        match &self.0 {
            What::Head(setup) => Some(setup.layer),
            What::Matrix(_) => None,
        }
    }

    /// How often [`Setup::run`] tells that it goes on.
    pub fn steps(&self) -> usize {
        match &self.0 {
            What::Head(setup) => setup.steps(),
            What::Matrix(setup) => setup.count(),
        }
    }

    /// Simulates it.
    ///
    /// # Errors
    /// The simulation does not end; differences from the model are no error, but counted.
    pub fn run(&self, progress: &dyn Fn()) -> Result<Results, RunError> {
        match &self.0 {
            What::Head(setup) => match setup.unit {
                HeadsUnit::Attention => head::run(setup, progress),
                HeadsUnit::Scores => scores::run(setup, progress),
                HeadsUnit::Values => values::run(setup, progress),
                HeadsUnit::Encoder => encoder::run(setup, progress),
            },
            What::Matrix(setup) => setup.run(progress),
        }
    }
}

/// An error if something is set that means nothing to the unit.
fn settings(unit: Unit, request: &Request) -> Result<(), RunError> {
    let Request { layer, head, tensor, tokens, .. } = request;
    let of_heads = [("layer", layer.is_some()), ("head", head.is_some()), ("tokens", tokens.is_some())];
    let (meaningless, legal) = match unit {
        Unit::Matrix => (of_heads.iter().find(|setting| setting.1), "tensor, count"),
        _ => (Some(&("tensor", true)).filter(|_| tensor.is_some()), "layer, head, tokens, count"),
    };
    match meaningless {
        Some((setting, _)) => Err(RunError::Setting { setting, unit, legal }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
