//! `cargo xtask formal`: the proofs, with SymbiYosys.

use crate::{programs::FORMAL, setup};
use anyhow::Result;

/// Options of `cargo xtask formal`.
#[derive(clap::Args)]
pub struct Options {
    /// Proofs whose names begin so (default: all that are to hold)
    names: Vec<String>,
    /// Renew the rows of these proofs in docs/formal.md
    #[arg(long)]
    write: bool,
    /// Look at those that take long for some cycles only, as `cargo xtask test` does
    #[arg(long, conflicts_with = "write")]
    short: bool,
}

/// Sets up the tools and runs the proofs; an error names each property that failed, and its source line.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    prove(options)
}

/// Runs all proofs; in the short form those that take long only begin.
pub fn all(long: bool) -> Result<()> {
    prove(&Options { names: vec![], write: false, short: !long })
}

fn prove(options: &Options) -> Result<()> {
    let switches = [(options.write, "--write"), (options.short, "--short")];
    let switches = switches.into_iter().filter_map(|(given, switch)| given.then_some(switch));
    FORMAL.run(&switches.chain(options.names.iter().map(String::as_str)).collect::<Vec<_>>())
}
