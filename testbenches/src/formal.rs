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
    let source = verilog(&proof.design, &Options { properties: true, pads: Pads::Signals, ..Options::default() });
    let once = matches!(proof.engine, Engine::Bounded(_));
    let text = resets::surrounded(&source.single(), &proof.design, once);
    let folder = folder.join(&proof.name);
    let (mode, engine, depth) = match proof.engine {
        Engine::Pdr => ("prove", "abc pdr", None),
        Engine::Induction(depth) => ("prove", "smtbmc yices", Some(depth)),
        Engine::Bounded(cycles) => ("bmc", "abc bmc3", Some(cycles)),
    };
    let mut problems = sby(&folder, "prove", &text, source.top(), (mode, engine, depth));
    problems.extend(match proof.engine {
        Engine::Bounded(_) => covered(&folder, &text, source.top(), proof.cover_depth),
        _ => sby(&folder, "cover", &text, source.top(), ("cover", "smtbmc yices", Some(proof.cover_depth))),
    });
    let mut asserts: Vec<String> = vec![];
    for p in proved(&text, PropertyKind::Assert) {
        if !asserts.contains(&p.message) {
            asserts.push(p.message);
        }
    }
    if asserts.is_empty() {
        problems.push("nothing is asserted".into());
    }
    let covers = proved(&text, PropertyKind::Cover).len();
    let (engine, cycles) = match proof.engine {
        Engine::Pdr => ("abc pdr, unbounded".into(), None),
        Engine::Induction(depth) => (format!("k-induction with yices, k = {depth}"), None),
        Engine::Bounded(cycles) => (format!("abc bmc3, to {cycles} cycles"), Some(cycles)),
    };
    let seconds = start.elapsed().as_secs_f64();
    Outcome { name: proof.name.clone(), part: proof.part.clone(), asserts, covers, engine, cycles, seconds, problems }
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

/// The outcomes as a Markdown table, with the properties of each part below.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut out = "| part | asserts | covers | engine | seconds | result |\n| --- | ---: | ---: | --- | ---: | --- |\n"
        .to_string();
    for o in outcomes {
        let result = o.result();
        out += &format!(
            "| {} | {} | {} | {} | {:.1} | {result} |\n",
            o.part,
            o.asserts.len(),
            o.covers,
            o.engine,
            o.seconds
        );
    }
    out + "\n" + &properties(outcomes)
}

/// What is proved, once for each kind of part.
fn properties(outcomes: &[Outcome]) -> String {
    let mut kinds: Vec<(&str, Vec<&str>)> = vec![];
    for o in outcomes {
        let kind = o.part.split(',').next().unwrap_or(&o.part);
        let at = kinds.iter().position(|(k, _)| *k == kind).unwrap_or_else(|| {
            kinds.push((kind, vec![]));
            kinds.len() - 1
        });
        let new: Vec<&str> = o.asserts.iter().map(String::as_str).filter(|a| !kinds[at].1.contains(a)).collect();
        kinds[at].1.extend(new);
    }
    let row = |(kind, asserts): (&str, Vec<&str>)| format!("- {kind}: {}\n", asserts.join("; "));
    kinds.into_iter().map(row).collect()
}
