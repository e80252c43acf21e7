//! Designs as the FPGA gets them: synthesized for a device, its cells replaced by their models, as Verilog again.
//!
//! The models are those of Yosys; `testbenches/cells/ecp5.v` has the two that it leaves empty.

use crate::yosys;
use hdl::Options;
use sim::verilator::{self, VerilatorError};
use std::path::Path;

/// A family of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Lattice iCE40.
    Ice40,
    /// Lattice ECP5.
    Ecp5,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 2] = [Family::Ice40, Family::Ecp5];

    /// How the Verilog for it is printed: iCE40 has no LUT RAM.
    pub fn options(self) -> Options {
        Options { lut_ram: self != Family::Ice40, ..Options::default() }
    }

    /// Yosys' commands for synthesis.
    fn synthesis(self) -> &'static str {
        match self {
            Family::Ice40 => "synth_ice40",
            Family::Ecp5 => "synth_ecp5",
        }
    }
    /// What the models need behind them: the block RAM of iCE40 has ports that never write, with unknown addresses.
    fn defined(self) -> &'static str {
        match self {
            Family::Ice40 => "setundef -zero; ",
            Family::Ecp5 => "",
        }
    }

    /// Yosys' commands that read the models of its cells; deferred, because only those that the netlist uses are worth the time.
    fn models(self) -> &'static str {
        match self {
            Family::Ice40 => "read_verilog -defer -D NO_ICE40_DEFAULT_ASSIGNMENTS +/ice40/cells_sim.v",
            Family::Ecp5 => "read_verilog -defer -overwrite +/ecp5/cells_sim.v; read_verilog -defer -overwrite cells.v",
        }
    }
}

/// A netlist that any simulator runs, and what it was made of.
#[derive(Clone, Debug)]
pub struct Netlist {
    /// Verilog with the ports of the design.
    pub verilog: String,
    /// How many cells of each kind the synthesis came to.
    pub cells: Vec<(String, u64)>,
}

impl Netlist {
    /// How many cells of this kind there are.
    pub fn count(&self, cell: &str) -> u64 {
        self.cells.iter().filter(|(name, _)| name == cell).map(|(_, count)| count).sum()
    }
}

/// Synthesizes Verilog (printed with [`Family::options`]) for a family and puts the models of the cells in their places. Netlists are kept by content, as the
/// models of Verilator are.
///
/// # Errors
/// Yosys' log.
pub fn synthesize(verilog: &str, top: &str, family: Family) -> Result<Netlist, VerilatorError> {
    let script = format!(
        "read_verilog in.v; {} -top {top}; tee -q -o cells.txt stat; write_verilog -noattr netlist.v; design -reset; \
         {}; read_verilog netlist.v; hierarchy -check -top {top}; proc; flatten; memory_collect; {}opt_expr; opt_clean; \
         write_verilog -noattr out.v",
        family.synthesis(),
        family.models(),
        family.defined(),
    );
    let models = include_str!("../cells/ecp5.v");
    let key = [verilog, &script, models, &yosys::version()];
    let netlist = verilator::cached("netlist", &key, "out.v", |folder| {
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            std::fs::write(&file, text).map_err(VerilatorError::file(&file))
        };
        write("in.v", verilog)?;
        write("cells.v", models)?;
        let failed = |log| VerilatorError::Program(format!("Yosys fails on `{top}` for {family:?}:\n{log}"));
        yosys::run(folder, &script).map_err(failed)
    })?;
    let read = |file: &Path| std::fs::read_to_string(file).map_err(VerilatorError::file(file));
    Ok(Netlist { verilog: read(&netlist)?, cells: counts(&read(&netlist.with_file_name("cells.txt"))?) })
}

/// The lines `17   LUT4` of Yosys' statistics, either way round.
fn counts(text: &str) -> Vec<(String, u64)> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [first, second, ..] = words[..] else { return None };
        let count = first.parse().ok().map(|n| (second.to_string(), n));
        count.or_else(|| second.parse().ok().map(|n| (first.to_string(), n)))
    };
    text.lines().filter_map(line).collect()
}
