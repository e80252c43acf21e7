//! The ports of a design.

use crate::ir::Signal;

/// A struct of ports; the [`ports!`](crate::ports!) macro makes one.
pub trait Ports: Copy + Send + Sync + 'static {
    /// The struct with every signal replaced.
    fn map_ports(&self, f: &mut dyn FnMut(Signal) -> Signal) -> Self;
}

/// The ports of an erased design, which is elaborated and printed but not connected by name.
impl Ports for () {
    fn map_ports(&self, _: &mut dyn FnMut(Signal) -> Signal) -> Self {}
}

/// A port of a design. Clocks and resets are not ports: see [`Engine::clocks`](crate::engine::Engine::clocks) and [`Engine::set_reset`](crate::engine::Engine::set_reset).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortInfo {
    /// Name in the Verilog.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Is it an input?
    pub input: bool,
}

impl PortInfo {
    /// 64-bit limbs that a value of this port takes.
    pub fn limbs(&self) -> usize {
        self.width.div_ceil(64) as usize
    }
}

/// A row of [`Design::port_table`](super::Design::port_table).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortRow<'a> {
    /// Name in the Verilog.
    pub name: &'a str,
    /// Bits.
    pub width: u32,
    /// Is it an input?
    pub input: bool,
    /// What it is; the doc of a bundle stands at its first field, the others have an empty one.
    pub doc: &'a str,
}
