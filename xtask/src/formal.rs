//! `cargo xtask formal`: the proofs, with SymbiYosys.

use crate::{programs::FORMAL, setup};
use anyhow::Result;

/// Options of `cargo xtask formal`.
#[derive(clap::Args)]
pub struct Options {
    /// Proofs whose names begin so (default: all that are to hold)
    names: Vec<String>,
    /// Renew the table in docs/formal.md
    #[arg(long, conflicts_with = "names")]
    write: bool,
}

/// Sets up the tools and runs the proofs; an error names each property that failed, and its source line.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    prove(options.write, &options.names)
}

/// Runs all proofs.
pub fn all() -> Result<()> {
    prove(false, &[])
}

fn prove(write: bool, names: &[String]) -> Result<()> {
    let names = names.iter().map(String::as_str);
    FORMAL.run(&write.then_some("--write").into_iter().chain(names).collect::<Vec<_>>())
}
