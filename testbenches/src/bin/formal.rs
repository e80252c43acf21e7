//! Runs proofs and prints a table: `cargo xtask formal [--write | --short] [NAMES]`. Without names all that are to hold; `--short`
//! looks at those that take long for some cycles only. `--write` renews the rows of those that ran in docs/formal.md.

use std::path::Path;
use std::process::ExitCode;
use testbenches::{formal, proofs};

/// Where the table stands.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formal.md");
const MARKER: &str = "<!-- written by `cargo xtask formal --write` -->\n";

fn main() -> ExitCode {
    let (options, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let given = |option: &str| options.iter().any(|o| o == option);
    match run(given("--write"), given("--short"), &names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(write: bool, short: bool, names: &[String]) -> Result<(), String> {
    if write && short {
        return Err("--write renews the table with what is proved: not with --short".into());
    }
    let mut list = proofs::all().map_err(|e| e.to_string())?;
    if !names.is_empty() {
        list.extend(proofs::broken().map_err(|e| e.to_string())?);
        let known: Vec<&str> = list.iter().map(|p| p.name.as_str()).collect();
        if let Some(name) = names.iter().find(|n| !known.iter().any(|k| k.starts_with(n.as_str()))) {
            return Err(format!("no proof begins with `{name}`; there are {}", known.join(", ")));
        }
        list.retain(|p| names.iter().any(|n| p.name.starts_with(n.as_str())));
    }
    if short {
        list = list.into_iter().map(proofs::Proof::short).collect();
    }
    let folder = std::env::temp_dir().join(format!("kvforge-formal-{}", std::process::id()));
    let outcomes = formal::run_all(&list, &folder, |o| {
        println!("{:<24} {:>6.1} s  {:<32} {}", o.name, o.seconds, o.engine, o.result());
    });
    println!("\n{}", formal::table(&outcomes));
    let failed: Vec<String> = (outcomes.iter().filter(|o| !o.problems.is_empty()))
        .map(|o| format!("{}\n  {}", o.name, o.problems.join("\n  ")))
        .collect();
    if !failed.is_empty() {
        return Err(format!("{} of {} proofs failed:\n{}", failed.len(), outcomes.len(), failed.join("\n")));
    }
    let _ = std::fs::remove_dir_all(&folder);
    if write { put_into_document(&outcomes) } else { Ok(()) }
}

/// Renews the rows of these in the table of docs/formal.md, which stands behind the marker.
fn put_into_document(outcomes: &[formal::Outcome]) -> Result<(), String> {
    let file = Path::new(DOCUMENT);
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let table = formal::renewed(&text, &proofs::all().map_err(|e| e.to_string())?, outcomes)?;
    let (before, _) = text.split_once(MARKER).ok_or(format!("{} has no line {MARKER}", file.display()))?;
    std::fs::write(file, format!("{before}{MARKER}\n{table}")).map_err(|e| format!("{}: {e}", file.display()))
}
