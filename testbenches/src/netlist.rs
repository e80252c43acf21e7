//! Designs as the FPGA gets them: synthesized for a device, its cells replaced by their models, as Verilog again.
//!
//! The models are those of Yosys; `testbenches/cells/ecp5.v` has the two that it leaves empty.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

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

    /// Yosys' command for synthesis.
    fn synthesis(self) -> &'static str {
        match self {
            Family::Ice40 => "synth_ice40",
            Family::Ecp5 => "synth_ecp5",
        }
    }
    /// Yosys' commands that read the models of its cells.
    fn models(self) -> &'static str {
        match self {
            Family::Ice40 => "read_verilog -D NO_ICE40_DEFAULT_ASSIGNMENTS +/ice40/cells_sim.v",
            Family::Ecp5 => "read_verilog -overwrite +/ecp5/cells_sim.v; read_verilog -overwrite cells.v",
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

/// Synthesizes Verilog for a family and puts the models of the cells in their places. The error is Yosys' log.
pub fn synthesize(verilog: &str, top: &str, family: Family) -> Result<Netlist, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("kvforge-netlist-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(unique);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join("in.v"), verilog).map_err(failed)?;
    std::fs::write(folder.join("cells.v"), include_str!("../cells/ecp5.v")).map_err(failed)?;
    let script = format!(
        "read_verilog in.v; {} -top {top}; tee -q -o cells.txt stat; write_verilog -noattr netlist.v; design -reset; \
         {}; read_verilog netlist.v; hierarchy -check -top {top}; flatten; proc; memory_collect; opt_expr; opt_clean; \
         write_verilog -noattr out.v",
        family.synthesis(),
        family.models(),
    );
    let yosys = sim::tools::find("yosys").ok_or("Yosys is not set up")?;
    let output = Command::new(yosys).current_dir(&folder).args(["-q", "-p", &script]).output().map_err(failed)?;
    let text = std::fs::read_to_string(folder.join("out.v")).unwrap_or_default();
    if !output.status.success() || text.is_empty() {
        let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        return Err(format!("Yosys fails on `{top}` for {family:?} (see {}):\n{log}", folder.display()));
    }
    let cells = std::fs::read_to_string(folder.join("cells.txt")).map_err(failed)?;
    let _ = std::fs::remove_dir_all(&folder);
    Ok(Netlist { verilog: text, cells: counts(&cells) })
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
