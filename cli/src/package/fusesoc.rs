//! A core file of FuseSoC (CAPI2).

use super::sources::{Sources, commented};
use crate::configuration::Configuration;

/// How every core file begins.
pub const BEGIN: &str = "CAPI=2:\n# ";

/// The core `kvforge:generated:NAME`. Who depends on it gets its Verilog; its timing constraints are of its own targets alone, because
/// they make clocks.
pub fn core(configuration: &Configuration, sources: &Sources, header: &[String], vivado: bool) -> String {
    let Configuration { name, block, .. } = configuration;
    let version = env!("CARGO_PKG_VERSION");
    let files: String = sources.files.iter().map(|file| format!("      - {file}\n")).collect();
    let timing =
        |set: &str, file: &str, kind: &str| format!("  {set}:\n    files:\n      - {file}\n    file_type: {kind}\n");
    let xdc = if vivado { format!("{name}.xdc") } else { format!("{name}.sdc") };
    let timing = timing("sdc", &format!("{name}.sdc"), "SDC") + &timing("xdc", &xdc, "xdc");
    format!(
        "CAPI=2:\n{}name: kvforge:generated:{name}:{version}
description: {}

filesets:
  rtl:
    files:
{files}    file_type: verilogSource-2005
{timing}
targets:
  default:
    filesets: [rtl]
  lint:
    description: reads it with Verilator, all warnings on
    default_tool: verilator
    filesets: [rtl]
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
    toplevel: {top}
  synth:
    description: the module as the top, with its clocks; name a tool
    filesets: [rtl, \"tool_vivado? (xdc)\", \"!tool_vivado? (sdc)\"]
    toplevel: {top}
",
        commented("# ", header),
        quoted(block.summary),
        top = sources.top,
    )
}

/// A string of YAML, which JSON's are.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
