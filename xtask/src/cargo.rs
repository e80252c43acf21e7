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

/// The same command at the lowest priority, for what has the time that others leave.
pub fn at_lowest_priority(command: &Command) -> Command {
    let mut nice = Command::new("nice");
    nice.args(["-n", "19"]).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        nice.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => nice.env(name, value),
            None => nice.env_remove(name),
        };
    }
    nice
}

/// Runs a command; that it fails is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}
