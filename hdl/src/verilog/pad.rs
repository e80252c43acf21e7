//! Ports of both directions of the top: declarations and cells.

use super::render::Render;
use super::text::range;
use crate::ir::names::pad_cell;
use crate::ir::*;

/// How the Verilog of a top module makes its ports of both directions ([`Pad`](crate::Pad)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pads {
    /// An `inout` port and plain Verilog, `sda = sda_enable ? sda_out : 1'bz`: for Icarus, Vivado, Quartus, and for Yosys, which makes
    /// the cells of the family of it.
    #[default]
    Generic,
    /// Three ports, as an instance has them: for simulators without wires of several drivers (Verilator, and every test that drives a
    /// design by the ports of an [`Engine`](crate::engine::Engine)), provers, and where pads are made elsewhere.
    Signals,
    /// Cells `SB_IO` of Lattice iCE40.
    Ice40,
    /// Cells `BB` of Lattice ECP5 (and its relatives): what Yosys and Diamond make a `TRELLIS_IO` and its like of.
    Ecp5,
    /// Cells `IOBUF` of Gowin.
    Gowin,
}

impl Render<'_> {
    /// The pad of the Verilog that a port is a part of; it is no port there.
    pub fn pad_of(&self, port: Id) -> Option<&PadDef> {
        let pads = if self.pads == Pads::Signals { &[][..] } else { &self.def.pads };
        pads.iter().find(|pad| [pad.out, pad.enable, pad.input].contains(&port))
    }
    /// The three signals of each pad, and its cells.
    pub fn pad_lines(&self) -> Vec<String> {
        let mut lines = vec![];
        for pad in self.def.pads.iter().filter(|_| self.pads != Pads::Signals) {
            for id in [pad.out, pad.enable, pad.input] {
                let kind = if self.reg_ports.contains(&id) { "reg" } else { "wire" };
                lines.push(format!("{kind} {}{};", range(pad.width), self.t(id)));
            }
            lines.extend(self.pad_cells(pad));
        }
        lines
    }
    fn pad_cells(&self, pad: &PadDef) -> Vec<String> {
        let (name, out, enable, input) = (&pad.name, self.t(pad.out), self.t(pad.enable), self.t(pad.input));
        let (cell, pins) = match self.pads {
            Pads::Signals | Pads::Generic => {
                let bit = |i: u32| if pad.width == 1 { String::new() } else { format!("[{i}]") };
                let bits = (0..pad.width).map(bit);
                let drive = bits.map(|bit| format!("assign {name}{bit} = {enable}{bit} ? {out}{bit} : 1'bz;"));
                return drive.chain([format!("assign {input} = {name};")]).collect();
            }
            // an output with an enable, and a plain input
            Pads::Ice40 => ("SB_IO #(.PIN_TYPE(6'b101001))", ["PACKAGE_PIN", "D_OUT_0", "OUTPUT_ENABLE", "D_IN_0"]),
            Pads::Ecp5 => ("BB", ["B", "I", "T", "O"]),
            Pads::Gowin => ("IOBUF", ["IO", "I", "OEN", "O"]),
        };
        // all but iCE40 have an enable that is active at 0
        let enable = if self.pads == Pads::Ice40 { enable.to_string() } else { format!("~{enable}") };
        let [wire, drive, tristate, see] = pins;
        let each = if pad.width == 1 { String::new() } else { range(pad.width) };
        let pins = format!("(.{wire}({name}), .{drive}({out}), .{tristate}({enable}), .{see}({input}))");
        vec![format!("{cell} {} {each}{pins};", pad_cell(name))]
    }
}
