//! What a model is built from.

use hdl::engine::PortInfo;

/// What a model is built from.
#[derive(Clone, Debug)]
pub struct ModelSpec<'a> {
    /// Verilog of the whole hierarchy.
    pub verilog: &'a str,
    /// Name of the top module.
    pub top: &'a str,
    /// Ports of the top module, without clocks and resets.
    pub ports: &'a [PortInfo],
    /// Clock domains, at most 64.
    pub domains: &'a [Domain],
    /// Can the model write VCD waves? It runs slower then, even when it does not write.
    pub trace: bool,
    /// Does the model count which lines ran and which bits toggled? It runs slower then.
    pub coverage: bool,
    /// Compiled without optimisation: in less than half the time, for models that run for few cycles.
    pub quick: bool,
}

/// A clock and the reset that goes with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Name of the clock port; everything happens at its rising edge.
    pub clock: String,
    /// The reset, if the domain has one.
    pub reset: Option<Reset>,
}

/// A reset port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reset {
    /// Name of the port.
    pub port: String,
    /// Is it active when it is 1?
    pub active_high: bool,
}
