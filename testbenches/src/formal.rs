//! Runs proofs with SymbiYosys: for each a run that proves the asserts, and one that shows every cover (so that assumptions
//! which contradict each other do not go unseen).

mod resets;

use crate::proofs::{Engine, Proof};
use hdl::{Options, Pads, Property, PropertyKind, verilog};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The tools that [`run_all`] calls.
pub const TOOLS: [&str; 3] = ["yosys", "sby", "yices-smt2"];

/// What came of a proof.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the proof.
    pub name: String,
    /// The part that was proved.
    pub part: String,
    /// What it says, each message once.
    pub asserts: Vec<String>,
    /// What was shown to be possible.
    pub covers: usize,
    /// The engine, and how deep it went.
    pub engine: String,
    /// The cycles that were looked at from a reset on; `None`: all there are.
    pub cycles: Option<u32>,
    /// Seconds for both runs.
    pub seconds: f64,
    /// What failed, for the user; empty if nothing did.
    pub problems: Vec<String>,
}

impl Outcome {
    /// The result in a few words.
    pub fn result(&self) -> String {
        match self.cycles {
            _ if !self.problems.is_empty() => "FAILED".into(),
            Some(cycles) => format!("holds for {cycles} cycles"),
            None => "proved".into(),
        }
    }
}

/// Runs proofs in `folder` on all cores, and tells of each when it is done. The outcomes are in the order given.
pub fn run_all(proofs: &[Proof], folder: &Path, tell: impl Fn(&Outcome) + Sync) -> Vec<Outcome> {
    proofs.par_iter().map(|proof| run(proof, folder)).inspect(|outcome| tell(outcome)).collect()
}

/// Runs one proof.
fn run(proof: &Proof, folder: &Path) -> Outcome {
    let start = Instant::now();
    let Prepared { text, top } = prepare(proof);
    let folder = folder.join(&proof.name);
    let (mode, engine, depth) = match proof.engine {
        Engine::Pdr => ("prove", "abc pdr", None),
        Engine::Bounded(cycles) => ("bmc", "abc bmc3", Some(cycles)),
    };
    let mut problems = sby(&folder, "prove", &text, &top, (mode, engine, depth));
    problems.extend(match proof.engine {
        Engine::Bounded(_) => covered(&folder, &text, &top, proof.cover_depth),
        _ => sby(&folder, "cover", &text, &top, ("cover", "smtbmc yices", Some(proof.cover_depth))),
    });
    let (asserts, covers) = stated(&text);
    if asserts.is_empty() {
        problems.push("nothing is asserted".into());
    }
    let (engine, cycles) = match proof.engine {
        Engine::Pdr => ("abc pdr, unbounded".into(), None),
        Engine::Bounded(cycles) => (format!("abc bmc3, to {cycles} cycles"), Some(cycles)),
    };
    let seconds = start.elapsed().as_secs_f64();
    Outcome { name: proof.name.clone(), part: proof.part.clone(), asserts, covers, engine, cycles, seconds, problems }
}

/// What the prover gets.
struct Prepared {
    text: String,
    top: String,
}

fn prepare(proof: &Proof) -> Prepared {
    let source = verilog(&proof.design, &Options { properties: true, pads: Pads::Signals, ..Options::default() });
    let once = matches!(proof.engine, Engine::Bounded(_));
    Prepared { text: resets::surrounded(&source.single(), &proof.design, once), top: source.top().into() }
}

/// The messages of the asserts, each once, and the number of covers.
fn stated(text: &str) -> (Vec<String>, usize) {
    let mut asserts: Vec<String> = vec![];
    for p in proved(text, PropertyKind::Assert) {
        if !asserts.contains(&p.message) {
            asserts.push(p.message);
        }
    }
    (asserts, proved(text, PropertyKind::Cover).len())
}

/// The properties of a kind that a prover sees: its statements `assert (...)`, not what the text has for simulators.
fn proved(text: &str, kind: PropertyKind) -> Vec<Property> {
    let statement = format!("{kind} (");
    text.lines()
        .filter(|line| line.contains(&statement))
        .filter_map(Property::find)
        .filter(|p| p.kind == kind)
        .collect()
}

/// The covers of a part that is large, each by a run of `abc bmc3` that finds a way to it: the way is a counterexample to the claim that
/// there is none.
fn covered(folder: &Path, text: &str, top: &str, depth: u32) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let covers =
        (0..lines.len()).filter(|at| lines[*at].contains("cover (") && lines[*at].contains("// property: cover"));
    let run = |at: usize| {
        let claim = |(i, line): (usize, &&str)| match line.split_once(" (") {
            Some((kind, rest)) if i == at && kind.trim() == "cover" => {
                let (cond, comment) = rest.rsplit_once("); // property: ").unwrap_or((rest, ""));
                format!("assert (!({cond})); // property: {comment}")
            }
            Some((kind, _)) if ["assert", "cover"].contains(&kind.trim()) => String::new(),
            _ => line.to_string(),
        };
        let text = lines.iter().enumerate().map(claim).collect::<Vec<_>>().join("\n");
        let task = format!("cover_{}", at + 1);
        let found = !sby(&folder.join(&task), &task, &text, top, ("bmc", "abc bmc3", Some(depth))).is_empty();
        let log = std::fs::read_to_string(folder.join(&task).join(&task).join("logfile.txt")).unwrap_or_default();
        match found && log.contains("returned FAIL") {
            true => None,
            false => Some(Property::find(lines[at]).map_or(lines[at].into(), |p| format!("not reached: {p}"))),
        }
    };
    covers.collect::<Vec<_>>().into_par_iter().filter_map(run).collect()
}

/// One run of SymbiYosys; what went wrong, for the user.
fn sby(
    folder: &Path,
    task: &str,
    text: &str,
    top: &str,
    (mode, engine, depth): (&str, &str, Option<u32>),
) -> Vec<String> {
    let depth = depth.map(|d| format!("depth {d}\n")).unwrap_or_default();
    let script = format!(
        "[options]\nmode {mode}\n{depth}[engines]\n{engine}\n[script]\nread_verilog -formal {top}.v\nprep -top {top}\n\
         [files]\n{top}.v\n"
    );
    let write = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{top}.v")), text)?;
        let file = folder.join(format!("{task}.sby"));
        std::fs::write(&file, script)?;
        Ok(file)
    };
    if let Err(error) = write() {
        return vec![format!("{}: {error}", folder.display())];
    }
    let Some(program) = sim::tools::find("sby") else {
        return vec!["sby is not set up: run `cargo xtask setup`".into()];
    };
    let output = Command::new(program).current_dir(folder).args(["-f", &format!("{task}.sby")]).output();
    match output {
        Err(error) => vec![format!("sby cannot be run: {error}")],
        Ok(output) if output.status.success() => vec![],
        Ok(output) => {
            let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            explain(&log, text, top, &folder.join(task))
        }
    }
}

/// The properties that a log of SymbiYosys names by their lines in the Verilog; else the end of the log.
fn explain(log: &str, text: &str, top: &str, folder: &Path) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<String> = vec![];
    for line in log.lines().filter(|l| l.contains("summary") || l.contains("Assert failed") || l.contains("Unreached"))
    {
        let number = line.split(&format!("{top}.v:")).nth(1).and_then(|rest| rest.split(['.', ' ', '-']).next());
        let property = number.and_then(|n| lines.get(n.parse::<usize>().ok()?.checked_sub(1)?)).copied();
        if let Some(property) = property.and_then(Property::find) {
            let what = if property.kind == PropertyKind::Cover { "not reached" } else { "failed" };
            let text = format!("{what}: {property}");
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    if found.is_empty() {
        let end: Vec<&str> = log.lines().rev().take(6).collect();
        found.push(end.into_iter().rev().collect::<Vec<_>>().join("\n"));
    }
    found.push(format!("log and counterexample: {}", folder.display()));
    found
}

const HEAD: &str =
    "| part | asserts | covers | engine | seconds | result |\n| --- | ---: | ---: | --- | ---: | --- |\n";

/// The row of a table, without what the prover found.
fn row_of(part: &str, asserts: usize, covers: usize) -> String {
    format!("| {part} | {asserts} | {covers} |")
}

impl Outcome {
    fn row(&self) -> String {
        let row = row_of(&self.part, self.asserts.len(), self.covers);
        format!("{row} {} | {:.1} | {} |\n", self.engine, self.seconds, self.result())
    }
}

/// The outcomes as a Markdown table, with the properties of each part below.
pub fn table(outcomes: &[Outcome]) -> String {
    let rows: String = outcomes.iter().map(Outcome::row).collect();
    let stated = outcomes.iter().map(|o| (&o.part[..], o.asserts.clone()));
    format!("{HEAD}{rows}\n{}", properties(stated))
}

/// The table of all proofs: rows of those that ran, and of the others the rows that `page` has of them.
///
/// # Errors
/// Names proofs that did not run and have no row, or the row of another number of properties.
pub fn renewed(page: &str, proofs: &[Proof], outcomes: &[Outcome]) -> Result<String, String> {
    let (mut rows, mut all, mut missing) = (String::new(), vec![], vec![]);
    for proof in proofs {
        let (asserts, covers) = stated(&prepare(proof).text);
        let old = row_of(&proof.part, asserts.len(), covers);
        let ran = outcomes.iter().find(|o| o.name == proof.name).map(Outcome::row);
        let kept = || page.lines().find(|line| line.starts_with(&old)).map(|row| format!("{row}\n"));
        match ran.or_else(kept) {
            Some(row) => rows += &row,
            None => missing.push(&proof.name[..]),
        }
        all.push((&proof.part[..], asserts));
    }
    if !missing.is_empty() {
        return Err(format!("the page has no rows of these as they are, run them, too: {}", missing.join(" ")));
    }
    Ok(format!("{HEAD}{rows}\n{}", properties(all.into_iter())))
}

/// What is proved, once for each kind of part.
fn properties<'p>(stated: impl Iterator<Item = (&'p str, Vec<String>)>) -> String {
    let mut kinds: Vec<(&str, Vec<String>)> = vec![];
    for (part, asserts) in stated {
        let kind = part.split(',').next().unwrap_or(part);
        let at = kinds.iter().position(|(k, _)| *k == kind).unwrap_or_else(|| {
            kinds.push((kind, vec![]));
            kinds.len() - 1
        });
        let new: Vec<String> = asserts.into_iter().filter(|a| !kinds[at].1.contains(a)).collect();
        kinds[at].1.extend(new);
    }
    kinds.into_iter().map(|(kind, asserts)| format!("- {kind}: {}\n", asserts.join("; "))).collect()
}
