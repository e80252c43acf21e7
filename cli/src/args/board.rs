//! The command line of `kvforge board`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum BoardCommand {
    /// Lists the boards
    List(BoardListOptions),
    /// Shows what is on a board, at which pins, and where that is known from
    Show(BoardShowOptions),
    /// Writes the constraints of the boards' pins, as nextpnr reads them
    Constraints(BoardConstraintsOptions),
}

#[derive(Args)]
pub struct BoardListOptions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct BoardShowOptions {
    /// A board (see `kvforge board list`)
    pub name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct BoardConstraintsOptions {
    /// A board; without it, all of them
    pub name: Option<String>,
    /// Folder to write into
    #[arg(long, value_name = "DIR", default_value = "constraints")]
    pub out: PathBuf,
}
