//! A small, strict hardware language embedded in Rust.
//!
//! A module is a function from its parameters to a [`Design`]. It declares its ports with [`ports!`], combines [`Signal`]s with
//! Rust's operators, and ends with [`Module::finish`], which checks it and returns all its errors together. Under
//! `#[module]` every `let` names its signal in the Verilog and in waves. Widths are numbers at run time.
//!
//! [`verilog()`] prints a hierarchy as Verilog-2005; [`Simulator`](sim::Simulator) runs the same graph without any tool, and
//! [`bus`] feeds and checks its streams.

// the derive macros name the crate `::hdl`, also inside it
extern crate self as hdl;

mod build;
pub mod bus;
mod check;
mod design;
pub mod engine;
mod foreign_text;
mod ir;
pub mod logic;
pub mod sim;
mod verilog;
pub mod wave;

#[doc(hidden)]
pub use build::naming;
pub use build::{
    Amount, BlockEnd, Bundle, ClockDomain, Elastic, Elements, Foreign, Instance, Memory, Module, Pad, Pipeline,
    RamStyle, Selector, Staged, State, StateSignal, Stream, Switch, Tagged, TaggedSignal, Value, Vector, When, bits,
    cat, clog2, pad, ports, state, stream, vector,
};
pub use design::{Crossing, Design, PortRow, Ports, constraints, vivado_constraints};
pub use hdl_macros::{Bundle, State, module, tagged};
pub use ir::names::legal_module_name;
pub use ir::{Diagnostic, Encoding, Errors, Failure, Parameter, Property, PropertyKind, Signal, Span, StateEnum};
pub use num_bigint::BigUint;
pub use verilog::{Options, Pads, Reset, Source, verilog, verilog_code};

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
