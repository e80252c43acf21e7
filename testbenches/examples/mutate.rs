//! `cargo xtask mutate`: mutants of a configuration or part, and which of them its test does not notice.
//!
//! `cargo run --release -p kvforge-testbenches --example mutate -- NAME COUNT SEED...`

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;
use testbenches::drivers::{self, Driver, Effort};
use testbenches::mutation::{Explanations, Fate, Mutants, Mutation};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, seeds @ ..] = &arguments[..] else { return usage() };
    let seeds: Result<Vec<u64>, _> = seeds.iter().map(|seed| seed.parse()).collect();
    let (Ok(count), Ok(seeds)) = (count.parse(), seeds) else { return usage() };
    if seeds.is_empty() {
        return usage();
    }
    match mutate(name, count, &seeds) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: mutate NAME COUNT SEED...");
    ExitCode::FAILURE
}

/// What became of all mutants together.
#[derive(Default)]
struct Tally {
    mutants: usize,
    killed: usize,
    same: usize,
    proved: usize,
    explained: usize,
    /// Killed, though it is explained why they are the same.
    wrong: usize,
    reasons: BTreeMap<String, usize>,
}

/// Runs the mutants and prints what became of them; true if at least 95 % of those that are not the same by a rule or a proof are killed, and
/// no explanation is wrong or stale.
fn mutate(name: &str, count: usize, seeds: &[u64]) -> Result<bool, String> {
    let driver = drivers::configuration(name)?;
    if !testbenches::have(&["yosys", "verilator"]) {
        return Err("the tools are not set up: run `cargo xtask setup`".into());
    }
    // a mutant that makes a model panic is killed, silently
    std::panic::set_hook(Box::new(|_| ()));
    let start = Instant::now();
    let explanations = Explanations::of(name)?;
    let mut tally = Tally::default();
    for seed in seeds {
        run(&driver, (count, *seed), &explanations, &mut tally)?;
    }
    println!("killed by:");
    tally.reasons.iter().for_each(|(reason, count)| println!("  {count:5}  {reason}"));
    let stale = explanations.stale(&driver.files());
    for one in &stale {
        println!("STALE: no line of the design is `{}`, of `{}`", one.line, one.mutation);
    }
    let Tally { mutants, killed, same, proved, explained, wrong, .. } = tally;
    let survived = mutants - killed - same - proved - explained;
    // what people explain counts as not killed
    let differ = mutants - same - proved;
    let percent = 100.0 * killed as f64 / differ.max(1) as f64;
    println!(
        "| configuration | mutants | killed | the same by a rule | proved equivalent | explained | survivors | killed of those that \
         are not the same | seconds |"
    );
    println!(
        "| {name} | {mutants} | {killed} | {same} | {proved} | {explained} | {survived} | {percent:.1} % | {:.0} |",
        start.elapsed().as_secs_f64()
    );
    Ok(20 * killed >= 19 * differ && stale.is_empty() && wrong == 0)
}

/// The mutants of one seed.
fn run(driver: &Driver, run: (usize, u64), explanations: &Explanations, tally: &mut Tally) -> Result<(), String> {
    let mutants = Mutants::new(driver, run.0, run.1)?;
    println!("{}: {} mutants of {}, seed {}", driver.name, mutants.mutations().len(), driver.design.name(), run.1);
    let fates = mutants.run(Effort { seed: 1, long: false }, explanations)?;
    for (mutation, fate) in mutants.mutations().iter().zip(&fates) {
        tally.mutants += 1;
        match fate {
            Fate::Same(_) => {
                tally.same += 1;
                continue;
            }
            Fate::Killed(words) => {
                tally.killed += 1;
                *tally.reasons.entry(kind(words)).or_default() += 1;
                let Some(explanation) = explanations.find(mutation) else { continue };
                tally.wrong += 1;
                println!("WRONG, since it is killed: {}\n    {}", mutation.what, explanation.reason);
            }
            Fate::Equivalent(module) => {
                tally.proved += 1;
                println!("equivalent (proved in {module}): {}", mutation.what);
            }
            Fate::Explained(explanation) => {
                tally.explained += 1;
                println!("explained: {}\n    {}", mutation.what, explanation.reason);
            }
            Fate::Survived => println!("SURVIVED: {}", mutation.what),
        }
        show_place(mutation);
    }
    Ok(())
}

fn show_place(mutation: &Mutation) {
    if let Some(place) = &mutation.place {
        let rust = place.rust.as_deref().unwrap_or("no Rust line is known");
        println!("    mutation {}: {}, {rust}\n        {}", mutation.number, place.verilog, place.text);
    }
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
