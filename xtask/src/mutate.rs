//! `cargo xtask mutate`: does the test of a configuration notice when one gate of it is wrong?

use crate::{setup, test};
use anyhow::Result;

/// Options of `cargo xtask mutate`.
#[derive(clap::Args)]
pub struct Options {
    /// A named configuration, or a part that is none (a wrong name lists them)
    name: String,
    /// Mutants
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Which ones are chosen
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Makes and tests the mutants; an error when less than 95 % of those that are not proved equivalent are killed, or an explanation
/// of `testbenches/mutants` fits no living mutant any more.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    let (count, seed) = (options.count.to_string(), options.seed.to_string());
    let example = ["run", "--release", "--quiet", "--package", "kvforge-testbenches", "--example", "mutate", "--"];
    test::cargo(&[&example[..], &[&options.name, &count, &seed]].concat())
}
