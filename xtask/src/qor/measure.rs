//! Synthesis and place and route.

use super::blocks::blocks;
use super::record::{Counts, Versions};
use super::subject::{Subject, digest};
use crate::tools;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Synthesis for one family of devices.
pub struct Flow {
    pub name: &'static str,
    /// Commands of Yosys between reading the Verilog and counting.
    script: &'static str,
    /// The device has LUT RAM.
    lut_ram: bool,
    /// What is counted: a name, and the cells that it adds up, by the beginnings of their types.
    cells: &'static [(&'static str, &'static [&'static str])],
    /// What the device of our tables has.
    capacity: &'static [(&'static str, u64)],
}

/// Lattice ECP5.
pub const ECP5: Flow = Flow {
    name: "ecp5",
    script: "synth_ecp5 -json netlist.json",
    lut_ram: true,
    cells: &[
        ("LUT4", &["LUT4"]),
        ("CCU2C", &["CCU2C"]),
        ("TRELLIS_DPR16X4", &["TRELLIS_DPR16X4"]),
        ("TRELLIS_FF", &["TRELLIS_FF"]),
        ("MULT18X18D", &["MULT18X18D"]),
        ("DP16KD", &["DP16KD"]),
    ],
    capacity: &[],
};

/// Lattice iCE40UP5K. The family has no LUT RAM: memories that would ask for it become what Yosys finds best.
pub const ICE40: Flow = Flow {
    name: "ice40",
    script: "synth_ice40 -dsp -device u",
    lut_ram: false,
    cells: &[("LUT", &["SB_LUT4"]), ("FF", &["SB_DFF"]), ("BRAM", &["SB_RAM40_4K"]), ("DSP", &["SB_MAC16"])],
    capacity: &[("LUT", 5280), ("BRAM", 30), ("DSP", 8)],
};

/// Gowin GW1NR-9 (Tang Nano 9K).
pub const GOWIN: Flow = Flow {
    name: "gowin",
    script: "synth_gowin -family gw1n",
    lut_ram: true,
    cells: &[
        ("LUT", &["LUT", "ALU"]),
        ("FF", &["DFF"]),
        ("SSRAM", &["RAM16"]),
        ("BRAM", &["SDP", "DP", "SP", "pROM"]),
        ("DSP", &["MULT"]),
    ],
    capacity: &[("LUT", 8640), ("BRAM", 26), ("DSP", 20)],
};

impl Flow {
    /// Does a design with these counts fit on the device?
    pub fn fits(&self, counts: &Counts) -> bool {
        self.capacity.iter().all(|(cell, most)| counts.get(*cell).is_none_or(|count| count <= most))
    }

    /// Synthesizes a subject and counts its cells.
    pub fn counts(&self, subject: &Subject, versions: &Versions) -> Result<Counts> {
        self.counted(&self.synthesized(subject, versions)?)
    }

    /// The folder of a subject's netlist, with its `design.v`. What is there is not synthesized again: the folder's name holds a hash
    /// of all that the netlist depends on.
    fn synthesized(&self, subject: &Subject, versions: &Versions) -> Result<PathBuf> {
        let text = subject.text(self.lut_ram);
        let hash = digest(&format!("{} {} {} {text}", versions.yosys, self.script, subject.top));
        let folder = format!("{}-{hash}", subject.name.replace(' ', "_"));
        let dir = tools::root().join("target/qor").join(self.name).join(&folder);
        if !dir.exists() {
            let unfinished = dir.with_file_name(folder + ".part");
            fs::create_dir_all(&unfinished)?;
            fs::write(unfinished.join("design.v"), text)?;
            self.synthesize(&unfinished, "read_verilog design.v", &subject.top)
                .with_context(|| format!("synthesis of {}", subject.name))?;
            fs::rename(&unfinished, &dir)?;
        }
        Ok(dir)
    }

    /// Synthesizes what the command `read` of Yosys reads, and leaves netlist and statistics in `dir`.
    pub fn synthesize(&self, dir: &Path, read: &str, top: &str) -> Result<()> {
        let script = format!("{read}; hierarchy -check -top {top}; {}; tee -q -o cells.json stat -json", self.script);
        run(dir, "yosys", &["-q", "-p", &script])
    }

    /// Counts the cells of the netlist in `dir`.
    pub fn counted(&self, dir: &Path) -> Result<Counts> {
        let stat = read_json(&dir.join("cells.json"))?;
        let by_type = serde_json::from_value(stat["design"]["num_cells_by_type"].clone());
        let by_type = by_type.with_context(|| format!("Yosys' statistics in {} hold no cells", dir.display()))?;
        Ok(self.named(&by_type))
    }

    /// What is counted, from counts by type of cell.
    fn named(&self, by_type: &Counts) -> Counts {
        let sum = |prefixes: &[&str]| {
            let counted = by_type.iter().filter(|(cell, _)| prefixes.iter().any(|prefix| cell.starts_with(prefix)));
            counted.map(|(_, count)| count).sum()
        };
        self.cells.iter().map(|(name, prefixes)| (name.to_string(), sum(prefixes))).collect()
    }
}

/// Synthesizes, places and routes for ECP5; the lowest clock frequency in MHz, none without a path between registers.
pub fn fmax(subject: &Subject, versions: &Versions, seed: u32) -> Result<Option<f64>> {
    place(&ECP5.synthesized(subject, versions)?, versions, seed)
}

/// The placement of the committed frequencies.
pub const SEED: u32 = 1;

/// Designs of more LUT4 have the static placer: nextpnr's own choice leaves the wires of 64 lanes so long that they take most of a cycle.
pub const LARGE: u64 = 20_000;

/// Places and routes the netlist in `dir` for ECP5-85k, speed grade 6, unless its report is there.
///
/// The design is placed out of context, without pins: most configurations have more ports than the package.
pub fn place(dir: &Path, versions: &Versions, seed: u32) -> Result<Option<f64>> {
    let seed = seed.to_string();
    let device = ["--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--seed", &seed];
    // The requested frequency only steers the effort: the one that is reached is reported.
    let effort = ["--freq", "200", "--timing-allow-fail", "-q"];
    let large = ECP5.counted(dir)?.get("LUT4").is_some_and(|count| *count > LARGE);
    let placer: &[&str] = if large { &["--placer", "static"] } else { &[] };
    let flow = [&device[..], &effort[..], placer].concat();
    let report = format!("report-{}.json", digest(&format!("{} {flow:?}", versions.nextpnr)));
    if !dir.join(&report).exists() {
        let files = ["--json", "netlist.json", "--report", "unfinished.json"];
        run(dir, "nextpnr-ecp5", &[&flow[..], &files[..]].concat())?;
        fs::rename(dir.join("unfinished.json"), dir.join(&report))?;
    }
    let report = read_json(&dir.join(report))?;
    let clocks = report["fmax"].as_object().context("nextpnr's report has no clocks")?;
    let lowest = clocks.values().filter_map(|clock| clock["achieved"].as_f64()).reduce(f64::min);
    Ok(lowest.map(|mhz| (mhz * 10.0).round() / 10.0))
}

/// Synthesizes for ECP5, and counts the cells by source file.
pub fn by_file(subject: &Subject, versions: &Versions) -> Result<BTreeMap<String, Counts>> {
    let dir = ECP5.synthesized(subject, versions)?;
    let files = blocks(&read_json(&dir.join("netlist.json"))?, &subject.verilog)?;
    Ok(files.into_iter().map(|(file, counts)| (file, ECP5.named(&counts))).collect())
}

/// The versions of the pinned tools.
pub fn versions() -> Result<Versions> {
    let ask = |tool: &str| {
        let output = Command::new(tools::path(tool)).arg("-V").output();
        let output = output.with_context(|| format!("cannot run {tool}: run `cargo xtask setup` first"))?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).trim().to_string();
        ensure!(!text.is_empty(), "{tool} -V says nothing");
        Ok(text)
    };
    let nextpnr = ask("nextpnr-ecp5")?;
    let nextpnr = nextpnr
        .rsplit_once("Version ")
        .map_or(nextpnr.as_str(), |(_, v)| v.trim_start_matches("nextpnr-").trim_end_matches(')'));
    Ok(Versions { yosys: ask("yosys")?, nextpnr: nextpnr.to_string() })
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
