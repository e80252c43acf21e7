//! Synthesis and place and route.

use super::blocks::blocks;
use super::record::{Counts, Versions};
use super::subject::{self, Subject};
use crate::tools;
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
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

    /// Synthesizes a subject and counts its cells. The counts are kept: the same Verilog is not synthesized again.
    pub fn counts(&self, subject: &Subject, versions: &Versions) -> Result<Counts> {
        kept(self.name, &format!("{} {} {}", versions.yosys, self.script, subject.hash()), || {
            let dir = tools::root().join("target/qor").join(self.name).join(subject.name.replace(' ', "_"));
            self.synthesize(subject, &dir)
        })
    }

    /// Synthesizes in `dir` and counts.
    fn synthesize(&self, subject: &Subject, dir: &Path) -> Result<Counts> {
        subject::write(subject, self.lut_ram, dir)?;
        let script = format!(
            "read_verilog design.v; hierarchy -check -top {}; {}; tee -q -o cells.json stat -json",
            subject.top, self.script
        );
        run(dir, "yosys", &["-q", "-p", &script]).with_context(|| format!("synthesis of {}", subject.name))?;
        let stat = read_json(&dir.join("cells.json"))?;
        let by_type = serde_json::from_value(stat["design"]["num_cells_by_type"].clone());
        let by_type = by_type.with_context(|| format!("Yosys' statistics of {} hold no cells", subject.name))?;
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

/// What `measure` gives; kept in `target/qor/kept` under a key that names all that it depends on.
fn kept<T: Serialize + DeserializeOwned>(kind: &str, key: &str, measure: impl FnOnce() -> Result<T>) -> Result<T> {
    let digest = Sha256::digest(key).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
    let kept = tools::root().join(format!("target/qor/kept/{kind}-{digest}.json"));
    if let Ok(text) = fs::read_to_string(&kept) {
        return serde_json::from_str(&text).with_context(|| format!("{} is damaged: remove it", kept.display()));
    }
    let measured = measure()?;
    fs::create_dir_all(kept.parent().context("a file has a folder")?)?;
    fs::write(&kept, serde_json::to_string(&measured)?)?;
    Ok(measured)
}

/// Synthesizes, places and routes for ECP5-85k, speed grade 6; the lowest clock frequency in MHz, none without a path between
/// registers.
///
/// The design is placed out of context, without pins: most configurations have more ports than the package.
pub fn fmax(subject: &Subject, versions: &Versions) -> Result<Option<f64>> {
    let device = ["--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--seed", "1"];
    // The wanted frequency only steers the effort: the one that is reached is reported.
    let files = ["--json", "netlist.json", "--report", "report.json", "--freq", "200", "--timing-allow-fail", "-q"];
    let flow = [&device[..], &files[..]].concat();
    kept("fmax", &format!("{versions:?} {flow:?} {} {}", ECP5.script, subject.hash()), || {
        let dir = tools::root().join("target/qor/fmax").join(subject.name.replace(' ', "_"));
        ECP5.synthesize(subject, &dir)?;
        run(&dir, "nextpnr-ecp5", &flow)?;
        let report = read_json(&dir.join("report.json"))?;
        let clocks = report["fmax"].as_object().context("nextpnr's report has no clocks")?;
        let lowest = clocks.values().filter_map(|clock| clock["achieved"].as_f64()).reduce(f64::min);
        Ok(lowest.map(|mhz| (mhz * 10.0).round() / 10.0))
    })
}

/// Synthesizes for ECP5, and counts the cells by source file.
pub fn by_file(subject: &Subject) -> Result<BTreeMap<String, Counts>> {
    let dir = tools::root().join("target/qor/blocks").join(subject.name.replace(' ', "_"));
    ECP5.synthesize(subject, &dir)?;
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
