//! `cargo xtask coverage`: what the tests of the drivers reach, as the table of docs/coverage.md; with `--check` only whether
//! the page is of this hardware.

use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use testbenches::coverage::{self, Points};
use testbenches::drivers::{Driver, Effort};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/coverage.md");
const MARKER: &str = "<!-- written by `cargo xtask coverage` -->\n";

fn main() -> ExitCode {
    let check = std::env::args().any(|argument| argument == "--check");
    if !check && !testbenches::have(&["verilator"]) {
        eprintln!("error: Verilator is not set up: run `cargo xtask setup`");
        return ExitCode::FAILURE;
    }
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(check: bool) -> Result<(), String> {
    let drivers = coverage::drivers()?;
    let state = coverage::state(&drivers);
    if check {
        return coverage::check(Path::new(DOCUMENT), &state);
    }
    let one = |driver: &Driver| {
        let points = coverage::run(driver, Effort { seed: 1, long: false });
        println!("{}", driver.name);
        points.map_err(|e| format!("{}: {e}", driver.name))
    };
    let runs: Vec<Result<Points, String>> = drivers.par_iter().with_max_len(1).map(one).collect();
    let mut all = Points::new();
    for points in runs {
        coverage::merge(&mut all, points?);
    }
    let table = coverage::table(&all)?;
    println!("{} points, each with a place", all.len());
    coverage::write(Path::new(DOCUMENT), MARKER, &state, &table)?;
    let unreached = coverage::unreached(&all);
    if unreached.is_empty() { Ok(()) } else { Err(format!("not reached: {}", unreached.join(", "))) }
}
