//! A small, strict hardware language embedded in Rust.
//!
//! A module is a function from its parameters to a [`Design`]. It declares its ports with [`ports!`], combines [`Signal`]s with
//! Rust's operators, and ends with [`Module::finish`], which checks it and returns all its errors together. Under
//! `#[module]` every `let` names its signal in the Verilog and in waves. Widths are numbers at run time.
//!
//! [`verilog()`] prints a hierarchy as Verilog-2005; [`Simulator`](sim::Simulator) runs the same graph without any tool.

// the derive macros name the crate `::hdl`, also inside it
extern crate self as hdl;

mod attribute;
mod body;
mod bundle;
mod clock_check;
mod constant;
mod constraints;
mod control;
mod domains;
pub mod engine;
mod error;
mod finish;
mod foreign;
mod inside;
mod ir;
mod label;
mod memory;
mod module;
#[doc(hidden)]
pub mod naming;
mod operators;
mod outline;
mod pipeline;
mod ports;
mod property;
mod register;
mod signal;
pub mod sim;
mod slices;
mod state;
mod stream;
mod verilog;
pub mod wave;
mod widths;

pub use bundle::Bundle;
pub use constraints::constraints;
pub use control::{Switch, When};
pub use domains::{ClockDomain, Crossing};
pub use error::{Diagnostic, Errors, Span};
pub use foreign::{Foreign, Parameter};
pub use hdl_macros::{Bundle, State, module};
pub use memory::{Memory, RamStyle};
pub use module::{Design, Instance, Module, PortRow};
pub use num_bigint::BigUint;
pub use operators::Amount;
pub use pipeline::{Pipeline, Staged};
pub use ports::Ports;
pub use property::{Failure, Property, PropertyKind};
pub use signal::{Signal, Value, bits, clog2};
pub use slices::cat;
pub use state::{State, StateSignal, state};
pub use stream::{Stream, stream};
pub use verilog::{Options, Reset, Source, verilog};

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
