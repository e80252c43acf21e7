//! What is foreign about a module: its Verilog, and how that calls what is used of it.

use super::def::{Def, Port};
use super::node::{Id, Loc};
use num_bigint::BigUint;
use std::sync::Arc;

/// The value of a parameter of a foreign module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A number of 32 bits, signed; printed in decimal.
    Integer(i64),
    /// A text; printed in quotes.
    Text(String),
    /// A bit vector: value, width in bits; printed as `12'hfed`.
    Bits(BigUint, u32),
}

macro_rules! integer {
    ($($t:ty),*) => {$(impl From<$t> for Parameter {
        fn from(value: $t) -> Parameter { Parameter::Integer(i64::from(value)) }
    })*};
}
integer!(i32, u32, i64, u8, u16, bool);

impl From<&str> for Parameter {
    fn from(text: &str) -> Parameter {
        Parameter::Text(text.into())
    }
}

impl From<String> for Parameter {
    fn from(text: String) -> Parameter {
        Parameter::Text(text)
    }
}

impl<V: Into<BigUint>> From<(V, u32)> for Parameter {
    /// A bit vector of so many bits.
    fn from((value, width): (V, u32)) -> Parameter {
        Parameter::Bits(value.into(), width)
    }
}

impl std::fmt::Display for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Parameter::Integer(v) => write!(f, "{v}"),
            Parameter::Text(text) => write!(f, "\"{text}\""),
            Parameter::Bits(v, width) => write!(f, "{width}'h{v:x}"),
        }
    }
}

/// How a port is called in the Verilog, where that differs from its name in Rust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pin {
    Named(String),
    /// A port of one bit for each bit: name and number.
    PerBit(String),
}

/// What is foreign about a module.
#[derive(Clone, Debug)]
pub(crate) struct ForeignDef {
    pub loc: Loc,
    /// `None`: a black box.
    pub text: Option<Arc<String>>,
    /// The modules of the text, or the black box.
    pub modules: Vec<String>,
    pub parameters: Vec<(String, Parameter, Loc)>,
    pub pins: Vec<(Id, Pin)>,
    /// For each domain: is it a clock of the module, its reset, and is that active at 0?
    pub clocks: Vec<Clock>,
    /// Outputs and the inputs that reach them.
    pub paths: Vec<(Id, Id)>,
    pub model: Option<Arc<Def>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub name: String,
    pub reset: Option<(String, bool)>,
    pub loc: Loc,
}

impl ForeignDef {
    /// How the Verilog calls a port.
    pub fn pin(&self, port: &Port) -> Pin {
        let named = self.pins.iter().find(|(node, _)| *node == port.node);
        named.map_or_else(|| Pin::Named(port.name.clone()), |(_, pin)| pin.clone())
    }
    /// The names of a port in the Verilog, each with its width in bits.
    pub fn pin_names(&self, port: &Port) -> Vec<(String, u32)> {
        match self.pin(port) {
            Pin::Named(name) => vec![(name, port.width)],
            Pin::PerBit(name) => (0..port.width).map(|bit| (format!("{name}{bit}"), 1)).collect(),
        }
    }
}
