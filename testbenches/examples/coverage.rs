//! `cargo xtask coverage`: what the tests of the drivers reach, as the table of docs/coverage.md.

use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use testbenches::coverage::{self, Points};
use testbenches::drivers::{Driver, Effort, configuration, dot_of_two, names, small, tree_of_two};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/coverage.md");
const MARKER: &str = "<!-- written by `cargo xtask coverage` -->\n";

fn main() -> ExitCode {
    if !testbenches::have(&["verilator"]) {
        eprintln!("error: Verilator is not set up: run `cargo xtask setup`");
        return ExitCode::FAILURE;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// All drivers with small parameters, the Oaken engines also with four lanes, and the number units of binary16; of the units of
/// vectors small ones.
fn drivers() -> Result<Vec<Driver>, String> {
    let units = names().into_iter().filter(|name| name.starts_with("f16_") && !name.ends_with("dot16"));
    let units = units.chain(["oaken_quantizer_p4", "oaken_dequantizer_p4"].map(String::from));
    let units = units.map(|name| configuration(&name)).collect::<Result<Vec<_>, _>>()?;
    Ok(small(false).into_iter().chain(units).chain([dot_of_two(), tree_of_two()]).collect())
}

fn run() -> Result<(), String> {
    let drivers = drivers()?;
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
    coverage::write(Path::new(DOCUMENT), MARKER, &coverage::table(&all))
}
