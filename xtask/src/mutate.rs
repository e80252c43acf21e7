//! `cargo xtask mutate`: does the test of a configuration notice when one gate of it is wrong?

use crate::cargo::cargo;
use crate::setup;
use anyhow::Result;

/// Options of `cargo xtask mutate`.
#[derive(clap::Args)]
pub struct Options {
    /// A named configuration, or a part that is none (a wrong name lists them)
    name: String,
    /// Mutants of each seed
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// First seed: it says which ones are chosen
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seeds, one after the other
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
}

/// Makes and tests the mutants; an error when less than 95 % of those that are not the same by a rule or a proof are killed, or an
/// explanation of `testbenches/mutants` is wrong, or of a line that is not there any more.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    let count = options.count.to_string();
    let seeds: Vec<String> = (0..options.seeds).map(|i| options.seed.wrapping_add(i).to_string()).collect();
    let example = ["run", "--release", "--quiet", "--package", "kvforge-testbenches", "--example", "mutate", "--"];
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    cargo(&[&example[..], &[&options.name, &count], &seeds].concat())
}
