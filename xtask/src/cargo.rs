//! Cargo, in the root of the workspace.

use crate::tools;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// Everything that is off by default is checked with the rest, in one build.
pub const FEATURES: &str = "--features=kvforge-hdl-rust-hdl/rust-hdl";

/// What builds and runs all tests of the workspace.
pub const TESTS: &[&str] = &["test", "--workspace", FEATURES, "--no-fail-fast"];

/// Runs cargo in the root of the workspace, with the tools at hand.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    run(&mut cargo_command(arguments))
}

/// Cargo in the root of the workspace, with the tools at hand.
pub fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(tools::root()).env("KVFORGE_TOOLS", tools::bin());
    command
}

/// Runs a command; that it fails is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}
