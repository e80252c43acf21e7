//! `cargo xtask fuzz`: the fuzzers of the language, for as long as one likes.

use crate::{setup, tools};
use anyhow::{Context, Result, ensure};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Options of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub struct Options {
    /// Which fuzzer (all, one after the other, when none is named)
    #[arg(value_parser = ["expressions", "sequential", "simulators"])]
    fuzzer: Option<String>,
    /// How long each runs
    #[arg(long, default_value_t = 1.0, value_parser = minutes)]
    minutes: f64,
    /// First seed; batches take the numbers from it upwards (default: a new one each second)
    #[arg(long)]
    seed: Option<u64>,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes| (0.0..=10_000.0).contains(minutes));
    minutes.ok_or_else(|| "legal are numbers from 0 to 10000".into())
}

/// Runs the fuzzers; an error when one of them found something.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (seed, minutes) = (options.seed.unwrap_or(now).to_string(), options.minutes.to_string());
    let mut found = vec![];
    for fuzzer in ["simulators", "expressions", "sequential"] {
        if options.fuzzer.as_deref().is_some_and(|requested| requested != fuzzer) {
            continue;
        }
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(program)
            .args(["run", "--release", "--quiet", "--package", "kvforge-testbenches", "--example", "fuzz", "--"])
            .args([fuzzer, &minutes, &seed])
            .current_dir(tools::root())
            .env("KVFORGE_TOOLS", tools::bin())
            .status()
            .context("cannot run cargo")?;
        found.extend((!status.success()).then_some(fuzzer));
    }
    ensure!(found.is_empty(), "the fuzzer found something, or did not run: {}", found.join(", "));
    Ok(())
}
