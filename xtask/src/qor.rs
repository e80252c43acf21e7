//! `cargo xtask qor`: size and speed of configurations on a Lattice ECP5-85k.

use crate::lint::{self, Design};
use crate::tools;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Options of `cargo xtask qor`.
#[derive(clap::Args)]
pub struct Options {
    /// Configurations: folders of rtl_out (all of them when none is named)
    names: Vec<String>,
    /// Place and route with nextpnr as well, and report the clock frequency (minutes)
    #[arg(long)]
    pnr: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Cells that are counted, in the order of the table.
const CELLS: &[&str] = &["LUT4", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF", "MULT18X18D", "DP16KD"];

/// LUT4 sites of one cell: a carry cell takes two, a 16x4 LUT RAM four and two more for its write port.
const LUT_SITES: &[(&str, u64)] = &[("LUT4", 1), ("CCU2C", 2), ("TRELLIS_DPR16X4", 6)];

/// Figures of one configuration.
struct Figures {
    name: String,
    /// Numbers of cells, as in [`CELLS`].
    cells: Vec<u64>,
    lut_sites: u64,
    fmax_mhz: Option<f64>,
}

/// Synthesizes the configurations and prints their figures.
pub fn report(options: &Options) -> Result<()> {
    let designs = lint::designs()?;
    let known = || designs.iter().map(|design| design.name.as_str()).collect::<Vec<_>>().join(", ");
    for name in &options.names {
        ensure!(designs.iter().any(|design| design.name == *name), "rtl_out has no {name}; it has: {}", known());
    }
    let wanted = |design: &&Design| options.names.is_empty() || options.names.contains(&design.name);
    let figures: Vec<Figures> =
        designs.iter().filter(wanted).map(|design| measure(design, options.pnr)).collect::<Result<_>>()?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&figures.iter().map(to_json).collect::<Vec<_>>())?);
    } else {
        print_table(&figures);
    }
    Ok(())
}

/// Synthesizes one design and, if asked for, places and routes it.
fn measure(design: &Design, pnr: bool) -> Result<Figures> {
    let dir = tools::root().join("target/qor").join(&design.name);
    fs::create_dir_all(&dir)?;
    let read: Vec<_> = design.files.iter().map(|file| format!("read_verilog {}", file.display())).collect();
    let script = format!(
        "{}; synth_ecp5 -top {} -json netlist.json; tee -q -o cells.json stat -json",
        read.join("; "),
        design.top
    );
    run(&dir, "yosys", &["-q", "-p", &script])?;
    let stat = read_json(&dir.join("cells.json"))?;
    let counts = &stat["design"]["num_cells_by_type"];
    ensure!(counts.is_object(), "Yosys' statistics of {} hold no cell counts", design.top);
    let count = |cell: &str| counts[cell].as_u64().unwrap_or(0);
    Ok(Figures {
        name: design.name.clone(),
        cells: CELLS.iter().map(|cell| count(cell)).collect(),
        lut_sites: LUT_SITES.iter().map(|(cell, sites)| sites * count(cell)).sum(),
        fmax_mhz: if pnr { Some(place_and_route(&dir)?) } else { None },
    })
}

/// Runs nextpnr on `netlist.json` and returns the lowest clock frequency in MHz.
///
/// The design is placed out of context, without pins: most configurations have more ports than the package.
fn place_and_route(dir: &Path) -> Result<f64> {
    let device = ["--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--seed", "1"];
    // The wanted frequency only steers the effort: the one that is reached is reported.
    let files = ["--json", "netlist.json", "--report", "report.json", "--freq", "200", "--timing-allow-fail", "-q"];
    run(dir, "nextpnr-ecp5", &[&device[..], &files[..]].concat())?;
    let report = read_json(&dir.join("report.json"))?;
    let clocks = report["fmax"].as_object().context("nextpnr reports no clock")?;
    let lowest = clocks.values().filter_map(|clock| clock["achieved"].as_f64()).reduce(f64::min);
    lowest.context("nextpnr reports no clock frequency")
}

/// Runs one of the pinned tools in `dir`; its log is shown when it fails.
fn run(dir: &Path, tool: &str, arguments: &[&str]) -> Result<()> {
    let output = Command::new(tools::path(tool)).args(arguments).current_dir(dir).output();
    let output = output.with_context(|| format!("cannot run {tool}: run `cargo xtask setup` first"))?;
    if !output.status.success() {
        bail!("{tool} failed ({}):\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn read_json(file: &Path) -> Result<Value> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

fn to_json(figures: &Figures) -> Value {
    let cells: serde_json::Map<_, _> =
        CELLS.iter().zip(&figures.cells).map(|(cell, count)| (cell.to_string(), json!(count))).collect();
    json!({
        "name": figures.name,
        "cells": cells,
        "lut_sites": figures.lut_sites,
        "fmax_mhz": figures.fmax_mhz,
    })
}

fn print_table(figures: &[Figures]) {
    let width = figures.iter().map(|f| f.name.len()).max().unwrap_or(0).max("configuration".len());
    print!("{:width$} {:>9}", "configuration", "LUT sites");
    CELLS.iter().for_each(|cell| print!(" {cell:>w$}", w = cell.len().max(6)));
    println!(" {:>8}", "Fmax MHz");
    for f in figures {
        print!("{:width$} {:>9}", f.name, f.lut_sites);
        CELLS.iter().zip(&f.cells).for_each(|(cell, count)| print!(" {count:>w$}", w = cell.len().max(6)));
        println!(" {:>8}", f.fmax_mhz.map_or("-".to_string(), |fmax| format!("{fmax:.1}")));
    }
    println!("LUT sites = LUT4 + 2 per CCU2C + 6 per TRELLIS_DPR16X4. ECP5-85k, speed grade 6, placed without pins.");
}
