//! Why a packed file cannot be run.

use super::unit::Unit;
use crate::vq::VqError;
use thiserror::Error;

/// What is wrong with what was asked for; or the simulation did not end.
#[derive(Debug, Error)]
pub enum RunError {
    /// There are no indices.
    #[error("it holds codebooks only, and no indices")]
    NotPacked,
    /// The unit does not do such tensors.
    #[error("the unit {unit} is for {legal}, and it holds {found}")]
    Kind {
        /// Which.
        unit: Unit,
        /// What it does.
        legal: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// Something is set that means nothing to the unit.
    #[error("{setting} means nothing to the unit {unit}: legal are {legal}")]
    Setting {
        /// Which.
        setting: &'static str,
        /// Which unit.
        unit: Unit,
        /// What may be set.
        legal: &'static str,
    },
    /// No unit does this.
    #[error("{scheme}: {what}, and the unit {unit} takes {legal}")]
    Scheme {
        /// The parameters of the file.
        scheme: String,
        /// What the unit does not do.
        what: String,
        /// Which unit.
        unit: Unit,
        /// What it does.
        legal: String,
    },
    /// A layer that is not there.
    #[error("it has no {missing} of layer {layer}; its layers with {missing}: {present}")]
    Layer {
        /// Which.
        layer: u32,
        /// Keys or values.
        missing: &'static str,
        /// Which there are.
        present: String,
    },
    /// A matrix that is not there.
    #[error("it has no matrix {name}: there is {present}")]
    Tensor {
        /// Which.
        name: String,
        /// Which there are.
        present: String,
    },
    /// A number that is out of range.
    #[error("{what} = {found}: legal is {legal}, {why}")]
    Range {
        /// Of what.
        what: &'static str,
        /// What was given.
        found: usize,
        /// What could be.
        legal: String,
        /// Why.
        why: String,
    },
    /// Recorded queries that do not suit.
    #[error("{name}: {what}")]
    Queries {
        /// The recording.
        name: String,
        /// What is wrong, and what is legal.
        what: String,
    },
    /// The original.
    #[error(transparent)]
    Original(#[from] VqError),
    /// The hardware cannot be described.
    #[error("the hardware: {0}")]
    Hardware(hdl::Errors),
    /// It does not end, or a bus does what it should not.
    #[error("simulation: {0}")]
    Simulation(String),
}
