//! The command line of `kvforge build`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct BuildOptions {
    /// The board to build for (see `kvforge board list`)
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// A configuration file (TOML); without it, the named configuration of the board
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Sets a parameter, `verilog.reset` or `verilog.lut_ram`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Clock of the system in MHz, of a board top: the PLL's dividers and the cycles of a bit go with it
    #[arg(long, value_name = "MHZ")]
    pub clock: Option<f64>,
    /// Placements to try until one is fast enough
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: u32,
    /// Folder to build in: each board gets a folder in it, and each configuration one in that
    #[arg(long, value_name = "DIR", default_value = "build")]
    pub out: PathBuf,
}
