//! `cargo xtask coverage`: what the tests of the hardware reach, into docs/coverage.md.

use crate::{setup, test};
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
    let example = ["run", "--release", "--quiet", "--package", "kvforge-testbenches", "--example", "coverage"];
    if options.check {
        return test::cargo(&[&example[..], &["--", "--check"]].concat());
    }
    setup::setup()?;
    test::cargo(&example)
}
