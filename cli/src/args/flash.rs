//! The command line of `kvforge flash`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct FlashOptions {
    /// The board (see `kvforge board list`)
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// The bitstream; without it, what `kvforge build --board BOARD` made here
    pub file: Option<PathBuf>,
    /// Into the flash, where the board can also be loaded until its power goes
    #[arg(long)]
    pub permanent: bool,
    /// Only look at the bitstream, and say what would be run
    #[arg(long)]
    pub dry_run: bool,
}
