//! `cargo xtask test`: every check of the project, one after the other but for the proofs, which run beside the tests.
//!
//! `--long` sets the environment variable `KVFORGE_LONG` to 1 for the tests, which then run their long forms, and measures the
//! committed figures again.

use crate::cargo::{FEATURES, TESTS, cargo, cargo_command, run};
use crate::programs::{self, KVFORGE};
use crate::{boards, coverage, formal, lint, qor, setup, tools};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One check: its heading, and what it does; it is told whether the run is a long one.
type Step = (&'static str, fn(bool) -> Result<()>);

const STEPS: &[Step] = &[
    ("set up the tools", |_| setup::setup()),
    ("cargo fmt --check", |_| cargo(&["fmt", "--all", "--check"])),
    ("cargo clippy", |_| clippy()),
    ("cargo doc", |_| documentation()),
    ("cargo test, and the proofs beside it", tests_and_proofs),
    ("lint of rtl_out", |_| lint::lint_all()),
    ("rtl_out is what the generator writes", |_| regenerate()),
    ("constraints are what the boards say", |_| constraints()),
    ("docs/coverage.md is of this hardware", |_| coverage::run(&coverage::Options { check: true })),
    ("bitstreams of the boards", |long| if long { boards::run(&boards::Options::all()) } else { Ok(()) }),
    ("size of the configurations", |long| qor::run(&qor::Options::check(long))),
];

/// Runs all steps, also after a failed one, and returns true when all have passed.
pub fn run_all(long: bool) -> bool {
    let start = Instant::now();
    let mut failed = Vec::new();
    for (heading, step) in STEPS {
        println!("== {heading}");
        let step_start = Instant::now();
        let outcome = step(long);
        let seconds = step_start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!("== {heading}: passed in {seconds:.1} s"),
            Err(error) => {
                println!("== {heading}: FAILED after {seconds:.1} s: {error:#}");
                failed.push(*heading);
            }
        }
    }
    println!("total time {:.0} s", start.elapsed().as_secs_f64());
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
    }
    println!("{} passed, {} failed", STEPS.len() - failed.len(), failed.len());
    failed.is_empty()
}

fn clippy() -> Result<()> {
    cargo(&["clippy", "--workspace", FEATURES, "--all-targets", "--quiet", "--", "-D", "warnings"])
}

/// All tests of the workspace; the checks behind them take the programs that were built with them. The proofs have the time that the tests
/// leave: while the last long test of a file runs, the other cores would be idle.
fn tests_and_proofs(long: bool) -> Result<()> {
    programs::build_with_tests()?;
    let proofs = formal::Beside::start(long);
    let mut command = cargo_command(TESTS);
    if long {
        command.env("KVFORGE_LONG", "1");
    }
    let tests = run(&mut command);
    let proofs = proofs.and_then(formal::Beside::finish);
    match (tests, proofs) {
        (Err(tests), Err(proofs)) => bail!("{tests:#}, and {proofs:#}"),
        (tests, proofs) => tests.and(proofs),
    }
}

/// Builds the documentation; a broken link is an error.
fn documentation() -> Result<()> {
    run(cargo_command(&["doc", "--workspace", FEATURES, "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Generates every named configuration anew and compares it byte for byte with rtl_out.
fn regenerate() -> Result<()> {
    let fresh = tools::root().join("target/rtl_out");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    generate_all(&fresh)?;
    compare("rtl_out", &fresh, "cargo run --release -- generate --all")
}

/// Writes the constraints of every board anew and compares them byte for byte with constraints.
fn constraints() -> Result<()> {
    let fresh = tools::root().join("target/constraints");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    let out = fresh.to_str().context("the path of the project is not valid UTF-8")?;
    KVFORGE.run_quietly(&["board", "constraints", "--out", out])?;
    compare("constraints", &fresh, "cargo run --release -- board constraints")
}

/// Compares a committed folder byte for byte with what was written anew; `renew` is what writes it.
fn compare(folder: &str, fresh: &Path, renew: &str) -> Result<()> {
    let (committed, fresh) = (contents(&tools::root().join(folder))?, contents(fresh)?);
    let all = committed.keys().chain(fresh.keys()).collect::<std::collections::BTreeSet<_>>();
    let mut differences = Vec::new();
    for file in all {
        match (committed.get(file), fresh.get(file)) {
            (Some(old), Some(new)) if old == new => {}
            (Some(_), Some(_)) => differences.push(format!("{} differs", file.display())),
            (None, _) => differences.push(format!("{} is missing", file.display())),
            (_, None) => differences.push(format!("{} is not generated any more", file.display())),
        }
    }
    let shown = differences.iter().take(8).cloned().collect::<Vec<_>>().join("; ");
    let help = format!("`{renew}` renews it");
    ensure!(differences.is_empty(), "{} files of {folder} are out of date, {help}: {shown}", differences.len());
    println!("{} files are identical", committed.len());
    Ok(())
}

/// Writes the Verilog of all named configurations into `dir`, a folder for each.
fn generate_all(dir: &Path) -> Result<()> {
    KVFORGE.run_quietly(&[
        "generate",
        "--all",
        "--out",
        dir.to_str().context("the path of the project is not valid UTF-8")?,
    ])
}

/// All files below `dir` with their contents, by path relative to `dir`.
fn contents(dir: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                files.insert(path.strip_prefix(dir)?.to_path_buf(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}
