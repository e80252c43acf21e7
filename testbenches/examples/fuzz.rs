//! `fuzz FUZZER MINUTES SEED`: what `cargo xtask fuzz` runs.

use std::process::ExitCode;
use std::time::{Duration, Instant};
use testbenches::fuzz::{self, Fuzzer};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, minutes, seed] = &arguments[..] else {
        eprintln!("error: expected three arguments: expressions, sequential or simulators; minutes; seed");
        return ExitCode::from(2);
    };
    let (Some(fuzzer), Ok(minutes), Ok(seed)) = (Fuzzer::named(name), minutes.parse::<f64>(), seed.parse::<u64>())
    else {
        eprintln!(
            "error: `{name} {minutes} {seed}`: expected expressions, sequential or simulators; a number, a whole number"
        );
        return ExitCode::from(2);
    };
    if fuzzer != Fuzzer::Simulators && !testbenches::have(&["verilator", "yosys"]) {
        return ExitCode::from(2);
    }
    let start = Instant::now();
    let time = Duration::from_secs_f64(60.0 * minutes.max(0.0));
    let outcome = fuzz::run(fuzzer, seed, time, |seed, result| {
        let seconds = start.elapsed().as_secs();
        match result {
            Ok(()) => println!("{name}: {seconds:>5} s, seed {seed}: all engines agree"),
            Err(finding) => println!("{name}: {seconds:>5} s, seed {seed}: FOUND\n{finding}"),
        }
    });
    println!("{name}: {} random modules, {} findings", outcome.modules, outcome.findings.len());
    if outcome.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
