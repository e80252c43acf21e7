//! The Verilog of rtl_out must pass every tool that a user may have, without a warning.

use crate::tools;
use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One configuration in rtl_out: a folder with one module per file.
pub struct Design {
    /// Name of the configuration: that of the folder.
    pub name: String,
    /// The module that no other one instantiates.
    pub top: String,
    /// The Verilog files, sorted.
    pub files: Vec<PathBuf>,
}

/// Primitives of devices, which `primitives.v` has for the tools.
const PRIMITIVES: [&str; 4] = ["EHXPLLL", "IDDRX1F", "ODDRX1F", "rPLL"];

/// What Yosys says of every pin of both directions, before it makes a primitive of it.
const TRI_STATE: &str = "Warning: Yosys has only limited support for tri-state logic at the moment.";

/// Checks every configuration of rtl_out with every tool; the error names all that complained.
pub fn lint_all() -> Result<()> {
    let designs = designs()?;
    ensure!(!designs.is_empty(), "rtl_out holds no configuration");
    let checked = designs.par_iter().with_max_len(1).map(|design| {
        let complaints = lint(design)?;
        let logs: String = complaints.iter().map(|(_, log)| log.as_str()).collect();
        println!("{logs}checked {} ({} files)", design.name, design.files.len());
        Ok(complaints.into_iter().map(|(tool, _)| format!("{tool} on {}", design.name)).collect())
    });
    let from = checked.collect::<Result<Vec<Vec<String>>>>()?.concat();
    ensure!(from.is_empty(), "warnings or errors from {}", from.join(", "));
    Ok(())
}

/// The tools that complain about a design, each with what it says.
fn lint(design: &Design) -> Result<Vec<(&'static str, String)>> {
    let mut complaints = Vec::new();
    for (tool, mut command) in checks(&with_primitives(design)?) {
        let output = command.output().with_context(|| format!("cannot run {tool}"))?;
        let log = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let log: Vec<&str> = log.lines().filter(|line| !line.contains(TRI_STATE)).collect();
        let log = log.iter().map(|line| format!("{line}\n")).collect::<String>();
        if !output.status.success() || log.to_lowercase().contains("warning") {
            complaints.push((tool, log));
        }
    }
    Ok(complaints)
}

/// The configurations of rtl_out, sorted by name.
pub fn designs() -> Result<Vec<Design>> {
    let folder = tools::root().join("rtl_out");
    let mut designs = Vec::new();
    for entry in fs::read_dir(&folder).context("cannot read rtl_out")? {
        let path = entry?.path();
        if path.is_dir() {
            designs.push(design(&path)?);
        }
    }
    designs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(designs)
}

/// The configuration in one folder.
pub fn design(folder: &Path) -> Result<Design> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "v") {
            files.push(path);
        }
    }
    ensure!(!files.is_empty(), "{} holds no Verilog", folder.display());
    files.sort();
    let top = top_module(&files)?;
    Ok(Design { name, top, files })
}

/// The module that no other one instantiates; a file is named after its module.
fn top_module(files: &[PathBuf]) -> Result<String> {
    let text: String = files.iter().map(fs::read_to_string).collect::<std::io::Result<_>>()?;
    let names = files.iter().map(|file| file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let tops: Vec<String> = names.filter(|name| !text.contains(&format!("\n    {name} "))).collect();
    match &tops[..] {
        [top] => Ok(top.clone()),
        _ => anyhow::bail!("one top module is expected, not {tops:?}"),
    }
}

/// Is there a primitive of a device in it?
pub fn has_primitives(design: &Design) -> Result<bool> {
    let text: String = design.files.iter().map(fs::read_to_string).collect::<std::io::Result<_>>()?;
    Ok(PRIMITIVES.iter().any(|name| text.contains(&format!("\n    {name} "))))
}

/// The design, and beside it the primitives of devices if it has any.
fn with_primitives(design: &Design) -> Result<Design> {
    let mut files = design.files.clone();
    if has_primitives(design)? {
        files.push(tools::root().join("xtask/src/primitives.v"));
    }
    Ok(Design { name: design.name.clone(), top: design.top.clone(), files })
}

/// The commands that check one design, each with its tool's name.
fn checks(design: &Design) -> Vec<(&'static str, Command)> {
    let mut verilator = Command::new(tools::path("verilator"));
    verilator.args(["--lint-only", "-Wall", "--top-module", &design.top]).args(&design.files);
    let mut icarus = Command::new(tools::path("iverilog"));
    // As root, an output file /dev/null would be replaced: the null target writes none.
    icarus.args(["-g2005", "-Wall", "-t", "null", "-s", &design.top]).args(&design.files);
    let mut checks = vec![("verilator", verilator), ("iverilog", icarus)];
    for tool in ["yosys-0.23", "yosys"] {
        let mut yosys = Command::new(tools::path(tool));
        let read: Vec<_> = design.files.iter().map(|file| format!("read_verilog {}", file.display())).collect();
        let script = format!("{}; hierarchy -check -top {}; proc; check -assert", read.join("; "), design.top);
        yosys.args(["-q", "-p", &script]);
        checks.push((tool, yosys));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tools that complain about a module `m` with this text.
    fn complaining(name: &str, verilog: &str) -> Vec<&'static str> {
        let folder = std::env::temp_dir().join(format!("kvforge-lint-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("m.v");
        fs::write(&file, verilog).unwrap();
        let complaints = lint(&Design { name: "m".into(), top: "m".into(), files: vec![file] }).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        complaints.into_iter().map(|(tool, _)| tool).collect()
    }

    #[test]
    fn each_tool_sees_what_it_can() {
        if !tools::have("verilator") {
            return;
        }
        let clean = "module m (input wire a, output wire b);\n    assign b = ~a;\nendmodule\n";
        assert!(complaining("clean", clean).is_empty());
        let unused = "module m (input wire a, input wire c, output wire b);\n    assign b = ~a;\nendmodule\n";
        assert_eq!(complaining("unused", unused), ["verilator"]);
        let undriven = "module m (input wire a, output wire b, output wire c);\n    assign b = ~a;\nendmodule\n";
        assert_eq!(complaining("undriven", undriven), ["verilator", "yosys-0.23", "yosys"]);
        let missing = "module m (input wire a, output wire b);\n    other o (.a(a), .b(b));\nendmodule\n";
        assert_eq!(complaining("missing", missing), ["verilator", "iverilog", "yosys-0.23", "yosys"]);
    }
}
