//! Runs hardware on a packed file: builds the unit that consumes it, simulates it on the file's own books and indices, and compares what comes out with the
//! golden model, with float64 on the same dequantized values, and with the unquantized values where they are given.
//!
//! [`Setup::new`] finds out what is to be simulated and whether it can be, [`Setup::run`] simulates it.

mod attention;
mod encoder;
mod error;
mod head;
mod matrix;
mod part;
mod queries;
mod request;
mod results;
mod scores;
mod unit;
mod values;

pub use error::RunError;
pub use queries::{Recorded, RecordedQueries};
pub use request::{Request, USUAL_TOKENS};
pub use results::{Hardware, Results, Row, Words};
pub use unit::Unit;

use crate::golden::vq::{TensorKind, VqFile};
use attention::HeadSetup;
use matrix::MatrixSetup;
use request::in_range;

/// The most queries, new tokens or vectors of a run.
pub const MAX_COUNT: usize = 1024;
/// Something that can be simulated.
#[derive(Debug)]
pub struct Setup<'f> {
    unit: Unit,
    what: What<'f>,
}

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
        if weights != (unit == Unit::Matrix) {
            let [of_heads, of_weights] = ["keys and values", "weights"];
            let (wanted, found) = if weights { (of_heads, of_weights) } else { (of_weights, of_heads) };
            return Err(RunError::Kind { unit, wanted, found });
        }
        settings(unit, request)?;
        in_range("count", request.count, MAX_COUNT, || "more take minutes".into())?;
        let what = match unit {
            Unit::Matrix => What::Matrix(MatrixSetup::new(file, request, recorded)?),
            _ => What::Head(HeadSetup::new(file, unit, request, recorded)?),
        };
        Ok(Setup { unit, what })
    }

    /// The layer of keys and values; `None` for weights.
    pub fn layer(&self) -> Option<u32> {
        match &self.what {
            What::Head(setup) => Some(setup.layer),
            What::Matrix(_) => None,
        }
    }

    /// How often [`Setup::run`] tells that it goes on.
    pub fn steps(&self) -> usize {
        match &self.what {
            What::Head(setup) if self.unit == Unit::Encoder => 2 * setup.count,
            What::Head(setup) => setup.count,
            What::Matrix(setup) => setup.count(),
        }
    }

    /// Simulates it.
    ///
    /// # Errors
    /// The simulation does not end; differences from the model are no error, but counted.
    pub fn run(&self, progress: &dyn Fn()) -> Result<Results, RunError> {
        match (&self.what, self.unit) {
            (What::Head(setup), Unit::Head) => head::run(setup, progress),
            (What::Head(setup), Unit::Scores) => scores::run(setup, progress),
            (What::Head(setup), Unit::Values) => values::run(setup, progress),
            (What::Head(setup), _) => encoder::run(setup, progress),
            (What::Matrix(setup), _) => setup.run(progress),
        }
    }
}

/// An error if something is set that means nothing to the unit.
fn settings(unit: Unit, request: &Request) -> Result<(), RunError> {
    let Request { layer, head, tensor, tokens, .. } = request;
    let of_heads = [("layer", layer.is_some()), ("head", head.is_some()), ("tokens", tokens.is_some())];
    let (meaningless, wanted) = match unit {
        Unit::Matrix => (of_heads.iter().find(|setting| setting.1), "tensor, count"),
        _ => (Some(&("tensor", true)).filter(|_| tensor.is_some()), "layer, head, tokens, count"),
    };
    match meaningless {
        Some((setting, _)) => Err(RunError::Setting { setting, unit, wanted }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
