//! The graph of a module: what the builder fills, the checks read, the printer prints and the simulator runs. Plain data, and what
//! can be said of it without anything else.
//!
//! A module is a list of [`Node`]s in an order in which every node stands after its operands, except that nets
//! ([`Op::Net`]) get their value from elsewhere: from the statements (wires, registers, output ports, instance
//! inputs), from a memory, from an instance or from outside.

mod def;
mod diagnostic;
mod domain;
mod draft;
pub(crate) mod fold;
mod foreign;
pub(crate) mod names;
mod node;
mod operator;
mod property;
mod signal;
mod statement;
mod states;
pub(crate) mod walk;

pub(crate) use def::*;
pub use diagnostic::{Diagnostic, Errors, Span};
pub(crate) use diagnostic::{counted, list};
pub(crate) use domain::*;
pub(crate) use draft::*;
pub use foreign::Parameter;
pub(crate) use foreign::{Clock, ForeignDef, Pin};
pub(crate) use node::*;
pub use operator::{BinOp, UnOp};
pub(crate) use property::Prop;
pub use property::{Failure, Property, PropertyKind};
pub(crate) use signal::BLANK;
pub use signal::{Signal, Signals};
pub(crate) use statement::*;
pub use states::{Encoding, StateEnum};
pub(crate) use states::{Enum, Variant, prefixes};
