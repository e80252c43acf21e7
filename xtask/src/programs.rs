//! The project's own programs: as `cargo run --release` builds them, or those that the tests have built already.

use crate::cargo::{self, TESTS, cargo_command};
use crate::tools;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A program of the workspace: its name, its package, and the option of cargo that names it.
#[derive(Clone, Copy)]
pub struct Program(&'static str, &'static str, &'static str);

/// The command `kvforge`.
pub const KVFORGE: Program = Program("kvforge", "kvforge-cli", "--bin");
/// Runs the proofs.
pub const FORMAL: Program = Program("formal", "kvforge-testbenches", "--bin");
/// Measures what the tests reach.
pub const COVERAGE: Program = Program("coverage", "kvforge-testbenches", "--example");

/// The programs that the tests have built.
static BUILT: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();

/// Builds all tests, and with them the programs: from now on [`Program::command`] gives these, so that `cargo xtask test` compiles the
/// workspace once.
pub fn build_with_tests() -> Result<()> {
    let mut command = cargo_command(TESTS);
    let output = command
        .args(["--no-run", "--quiet", "--message-format=json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the tests cannot be built");
    let text = String::from_utf8(output.stdout).context("cargo's messages are not UTF-8")?;
    let messages = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>()?;
    BUILT.get_or_init(|| messages.iter().filter_map(program).collect());
    Ok(())
}

/// The name and the file of a program, if a message of cargo is about one; tests of programs are not.
fn program(message: &Value) -> Option<(String, PathBuf)> {
    let file = message["executable"].as_str().filter(|_| message["profile"]["test"] == false)?;
    Some((message["target"]["name"].as_str()?.into(), file.into()))
}

impl Program {
    /// The program, to be given arguments, with the tools at hand.
    pub fn command(self) -> Command {
        let Program(name, package, kind) = self;
        match BUILT.get().and_then(|built| built.get(name)) {
            Some(file) => {
                let mut command = Command::new(file);
                command.current_dir(tools::root()).env("KVFORGE_TOOLS", tools::bin());
                command
            }
            None => cargo_command(&["run", "--release", "--quiet", "--package", package, kind, name, "--"]),
        }
    }
    /// Runs it, and shows what it says only where it fails.
    pub fn run_quietly(self, arguments: &[&str]) -> Result<()> {
        let output = self.command().args(arguments).output().with_context(|| format!("cannot run {}", self.0))?;
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} {} ended with {}:\n{log}", self.0, arguments.join(" "), output.status);
        Ok(())
    }
    /// Runs it.
    pub fn run(self, arguments: &[&str]) -> Result<()> {
        cargo::run(self.command().args(arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_cargos_messages() {
        let message = |test: bool, executable: &str| {
            let text = format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"formal"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            );
            program(&serde_json::from_str(&text).unwrap())
        };
        assert_eq!(message(false, "\"debug/formal\""), Some(("formal".into(), "debug/formal".into())));
        assert_eq!(message(true, "\"debug/deps/formal-1\""), None);
        assert_eq!(message(false, "null"), None);
    }
}
