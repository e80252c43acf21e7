//! `cargo xtask mutate`: mutants of a configuration or part, and which of them its test does not notice.
//!
//! `cargo run --release -p kvforge-testbenches --example mutate -- NAME COUNT SEED`

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;
use testbenches::drivers::{self, Effort};
use testbenches::mutation::{Explanation, Explanations, Fate, Mutants};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, seed] = &arguments[..] else { return usage() };
    let (Ok(count), Ok(seed)) = (count.parse(), seed.parse()) else { return usage() };
    match mutate(name, count, seed) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: mutate NAME COUNT SEED");
    ExitCode::FAILURE
}

/// Runs the mutants and prints what became of them; true if at least 95 % of those that are not proved equivalent are killed and every explained
/// mutant of this run lives.
fn mutate(name: &str, count: usize, seed: u64) -> Result<bool, String> {
    let driver = drivers::configuration(name)?;
    if !testbenches::have(&["yosys", "verilator"]) {
        return Err("the tools are not set up: run `cargo xtask setup`".into());
    }
    // a mutant that makes a model panic is killed, silently
    std::panic::set_hook(Box::new(|_| ()));
    let start = Instant::now();
    let mutants = Mutants::new(&driver, count, seed)?;
    println!("{name}: {} mutants of {}, seed {seed}", mutants.mutations().len(), driver.design.name());
    let effort = Effort { seed: 1, long: false };
    let explanations = Explanations::of(name)?;
    let fates = mutants.run(effort, &explanations)?;
    let mut explained: Vec<&Explanation> = vec![];
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut killed, mut equivalent) = (0, 0);
    for (mutation, fate) in mutants.mutations().iter().zip(&fates) {
        match fate {
            Fate::Killed(words) => {
                killed += 1;
                *reasons.entry(kind(words)).or_default() += 1;
                continue;
            }
            Fate::Equivalent(module) => {
                equivalent += 1;
                println!("equivalent (proved in {module}): {}", mutation.what);
            }
            Fate::Explained(explanation) => {
                explained.push(explanation);
                println!("explained: {}\n    {}", mutation.what, explanation.reason);
            }
            Fate::Survived => println!("SURVIVED: {}", mutation.what),
        }
        if let Some(place) = &mutation.place {
            let rust = place.rust.as_deref().unwrap_or("no Rust line is known");
            println!("    mutation {}: {}, {rust}\n        {}", mutation.number, place.verilog, place.text);
        }
    }
    println!("killed by:");
    reasons.iter().for_each(|(reason, count)| println!("  {count:5}  {reason}"));
    let complete = explanations.run == (count, seed);
    // one living mutant each: an explanation is of no other
    let matches = |one: &Explanation| explained.iter().filter(|other| **other == one).count();
    let stale: Vec<_> = explanations.all.iter().filter(|one| complete && matches(one) != 1).collect();
    for one in &stale {
        println!("STALE: {} living mutants are `{}` in `{}`, not 1", matches(one), one.mutation, one.line);
    }
    let survived = fates.len() - killed - equivalent - explained.len();
    // what people explain counts as not killed
    let differ = fates.len() - equivalent;
    let percent = 100.0 * killed as f64 / differ.max(1) as f64;
    println!(
        "| configuration | mutants | killed | proved equivalent | explained | survivors | killed of those not proved | seconds |"
    );
    println!(
        "| {name} | {} | {killed} | {equivalent} | {} | {survived} | {percent:.1} % | {:.0} |",
        fates.len(),
        explained.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(20 * killed >= 19 * differ && stale.is_empty())
}

/// A failure without its numbers, to count alike ones together.
fn kind(words: &str) -> String {
    let words = words.split(" changed from ").next().unwrap_or(words).rsplit("seed ").next().unwrap_or(words);
    let words = words.split_once(": ").map_or(words, |(_, after)| after);
    let words = words.split(['[', '(']).next().unwrap_or(words);
    let mut kind: String = words.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    while kind.contains("##") {
        kind = kind.replace("##", "#");
    }
    kind.chars().take(90).collect()
}
