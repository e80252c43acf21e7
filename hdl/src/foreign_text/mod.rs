//! Reads Verilog as far as its modules, parameters and ports.

mod header;
mod tokens;
mod value;

pub(crate) use header::{Range, TextModule, TextParameter, TextPort, modules};
pub(crate) use tokens::{Token, Unreadable, timescale};
pub(crate) use value::{Value, evaluate};
