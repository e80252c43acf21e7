//! `cargo xtask mutate`: mutants of a configuration or part, and which of them its test does not notice.
//!
//! `cargo run --release -p kvforge-testbenches --example mutate -- NAME COUNT SEED`

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;
use testbenches::drivers::{self, Effort};
use testbenches::mutation::{Fate, Mutants};

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

/// Runs the mutants and prints what became of them; true if at least 95 % of those that differ are killed.
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
    let fates = mutants.run(effort)?;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (mutation, fate) in mutants.mutations().iter().zip(&fates) {
        match fate {
            Fate::Killed(words) => *reasons.entry(kind(words)).or_default() += 1,
            Fate::Equivalent => println!("equivalent (proved): {}", mutation.what),
            Fate::Survived => println!("SURVIVED: {}", mutation.what),
        }
        if let (Fate::Equivalent | Fate::Survived, Some(place)) = (fate, &mutation.place) {
            let rust = place.rust.as_deref().unwrap_or("no Rust line is known");
            println!("    mutation {}: {}, {rust}\n        {}", mutation.number, place.verilog, place.text);
        }
    }
    println!("killed by:");
    reasons.iter().for_each(|(reason, count)| println!("  {count:5}  {reason}"));
    let of = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let (killed, equivalent) = (of(|fate| matches!(fate, Fate::Killed(_))), of(|fate| *fate == Fate::Equivalent));
    let survived = fates.len() - killed - equivalent;
    let differ = killed + survived;
    println!(
        "{name}: {killed} of {} killed, {equivalent} proved equivalent, {survived} survived: {:.1} % of those that differ are killed; {:.0} s",
        fates.len(),
        100.0 * killed as f64 / differ.max(1) as f64,
        start.elapsed().as_secs_f64()
    );
    Ok(20 * killed >= 19 * differ)
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
