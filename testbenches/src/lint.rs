//! The tools that the Verilog must pass without a warning.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that [`complaints`] calls.
pub const TOOLS: [&str; 4] = ["verilator", "iverilog", "yosys-0.23", "yosys"];

/// What the tools have to say about the files in `folder`; empty if they are content. Panics if a tool cannot be run.
pub fn complaints(folder: &Path, files: &[PathBuf], top: &str) -> String {
    let mut out = String::new();
    for tool in TOOLS {
        let program = sim::tools::find(tool).expect("the caller checks that the tools are there");
        let mut command = Command::new(program);
        command.current_dir(folder);
        match tool {
            "verilator" => command.args(["--lint-only", "-Wall", "--top-module", top]).args(files),
            "iverilog" => command.args(["-g2005", "-Wall", "-t", "null", "-s", top]).args(files),
            _ => {
                let read: String = files.iter().map(|file| format!("read_verilog {}; ", file.display())).collect();
                command.args(["-q", "-p", &format!("{read}hierarchy -check -top {top}; proc; check -assert")])
            }
        };
        let output = command.output().expect("the tool can be run");
        let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || log.to_lowercase().contains("warning") {
            out += &format!("{tool} on {top}:\n{log}\n");
        }
    }
    out
}
