//! What the long tests share: designs as running models, Yosys, lint.

pub mod checkers;
pub mod coverage;
pub mod diagram;
pub mod drivers;
pub mod formal;
pub mod four_state;
pub mod fuzz;
pub mod lint;
pub mod mutation;
pub mod netlist;
pub mod outputs;
pub mod pages;
pub mod pictures;
pub mod proofs;
pub mod twins;
pub mod yosys;

pub use sim::tools::have;
pub use sim::verilator::text;

use hdl::{Design, Reset};
use sim::verilator::{Model, VerilatorError};

/// A running model of Verilog text that has the ports, clocks and resets of `design`.
pub fn model<P>(verilog: &str, design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
    Model::of_text(verilog, design, reset, false)
}

/// As [`model`] for a few cycles only: compiled quickly.
pub fn quick_model<P>(verilog: &str, design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
    Model::of_text(verilog, design, reset, true)
}

/// A running model of a design's own Verilog.
pub fn verilated<P>(design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
    Model::of(design, reset)
}

/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/language.md")]
pub struct Guide;
