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
/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/language.md")]
pub struct Guide;
