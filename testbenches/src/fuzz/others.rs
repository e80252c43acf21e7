//! What random modules are compared with.

use crate::{have, yosys::Netlist};

/// What the built-in simulators (the interpreter and machine code) are compared with, where it is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Nothing: with each other.
    None,
    /// Verilator.
    Verilator,
    /// Verilator, and Verilator on what Yosys made of the Verilog.
    Netlist(Netlist),
}

impl Others {
    pub(super) fn verilator(self) -> bool {
        self != Others::None && have(&["verilator", "yosys"])
    }
    pub(super) fn netlist(self) -> Option<Netlist> {
        match self {
            Others::Netlist(netlist) => Some(netlist),
            _ => None,
        }
    }
}
