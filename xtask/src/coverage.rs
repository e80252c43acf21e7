//! `cargo xtask coverage`: what the tests of the hardware reach, into docs/coverage.md.

use crate::{programs::COVERAGE, setup};
use anyhow::Result;

/// Options of `cargo xtask coverage`.
#[derive(clap::Args)]
pub struct Options {
    /// Measure nothing: only see whether docs/coverage.md is of the hardware as it is now
    #[arg(long)]
    pub check: bool,
}

/// Sets up the tools, runs the tests of all drivers, and renews the table.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return COVERAGE.run(&["--check"]);
    }
    setup::setup()?;
    COVERAGE.run(&[])
}
