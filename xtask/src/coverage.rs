//! `cargo xtask coverage`: what the tests of the hardware reach, into docs/coverage.md.

use crate::{setup, test};
use anyhow::Result;

/// Sets up the tools, runs the tests of all drivers, and renews the table.
pub fn run() -> Result<()> {
    setup::setup()?;
    test::cargo(&["run", "--release", "--quiet", "--package", "kvforge-testbenches", "--example", "coverage"])
}
