//! The ports of a design.

use crate::ir::{Def, Signal};

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
#[derive(Clone, Debug)]
pub struct PortInfo {
    /// Name in the Verilog.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Is it an input?
    pub input: bool,
    /// The signal in the struct of the ports, if the port comes from a design.
    pub(crate) signal: Option<Signal>,
}

/// Alike are ports of the same name, width and direction, whatever design they come from.
impl PartialEq for PortInfo {
    fn eq(&self, other: &PortInfo) -> bool {
        (&self.name, self.width, self.input) == (&other.name, other.width, other.input)
    }
}

impl Eq for PortInfo {}

impl PortInfo {
    /// A port of what is not a design of this language: engines know it by name and index, not by a signal.
    pub fn new(name: impl Into<String>, width: u32, input: bool) -> PortInfo {
        PortInfo { name: name.into(), width, input, signal: None }
    }

    /// The ports of a module.
    pub(crate) fn of(def: &Def) -> Vec<PortInfo> {
        let signal = |p: &crate::ir::Port| Some(Signal { key: def.key, id: p.node, width: p.width });
        let info = |p: &crate::ir::Port| PortInfo { signal: signal(p), ..PortInfo::new(&p.name, p.width, p.input) };
        def.ports.iter().map(info).collect()
    }

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
    /// The `inout` port of the Verilog that it is a part of: what is driven, the enable, or what is seen.
    pub pad: Option<&'a str>,
    /// What it is; the doc of a bundle stands at its first field, the others have an empty one.
    pub doc: &'a str,
}
