//! What a flow is made of: its programs, and what they are told.

use crate::device::Device;

/// The flow of a family: three programs, one after the other, in one folder.
pub(crate) struct Flow {
    /// What places and routes.
    pub place: &'static str,
    /// What makes a bitstream of that.
    pub pack: &'static str,
    /// Ending of the file between the two.
    pub placed: &'static str,
    /// Ending of the bitstream.
    pub bitstream: &'static str,
    /// The command of Yosys that maps the top module to the cells of the device, and writes `netlist.json`.
    pub synthesis: fn(top: &str) -> String,
    pub place_arguments: fn(&Placement) -> Vec<String>,
    /// From a placed design to a bitstream.
    pub pack_arguments: fn(device: &Device, placed: &str, bitstream: &str) -> Vec<String>,
}

/// A run of place and route.
pub(crate) struct Placement<'a> {
    pub device: &'a Device,
    /// File with the constraints.
    pub constraints: &'a str,
    pub seed: &'a str,
    /// File that it writes.
    pub placed: &'a str,
    /// File that it writes: cells and clocks.
    pub report: &'a str,
    /// The clock of the design, in MHz.
    pub clock: f64,
}

/// Arguments of a program.
pub(super) fn texts(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| argument.to_string()).collect()
}
