//! Size and speed of Verilog that is not ours, in the same flow: to compare with.

use super::measure::{self, ECP5};
use super::record::{Figures, Fmax, Record, Versions};
use crate::tools;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;

/// Files to measure.
#[derive(clap::Args, Default)]
pub struct Others {
    /// Instead of configurations: Verilog files of others (SystemVerilog where one ends in .sv), with registers at the edges
    #[arg(long, num_args = 1.., requires = "top", conflicts_with_all = ["names", "blocks", "check", "update"])]
    pub files: Vec<PathBuf>,
    /// The top module of --files
    #[arg(long, requires = "files")]
    top: Option<String>,
    /// Folders in which --files look for what they include
    #[arg(long, num_args = 1.., requires = "files")]
    include: Vec<PathBuf>,
}

/// The figures on the ECP5, under the name of the top module; placed with `seed`, where there is one.
pub fn figures(others: &Others, seed: Option<u32>, versions: &Versions) -> Result<Record> {
    let top = others.top.as_deref().context("--top is missing")?;
    let read = read(others, top)?;
    let dir = tools::root().join("target/qor/others").join(top);
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    ECP5.synthesize(&dir, &read, top).with_context(|| format!("synthesis of {top}"))?;
    let verilog = String::new();
    let fmax = match seed {
        Some(seed) => measure::place(&dir, versions, seed)?,
        None => None,
    };
    let fmax = fmax.map(|mhz| Fmax { mhz, verilog: verilog.clone() });
    let figures = Figures { verilog, ecp5: ECP5.counted(&dir)?, ice40: None, gowin: None, fmax, blocks: None };
    Ok(Record { tools: versions.clone(), configurations: [(top.to_string(), figures)].into() })
}

/// The command of Yosys that reads the files.
fn read(others: &Others, top: &str) -> Result<String> {
    let absolute = |path: &PathBuf| -> Result<String> {
        let path = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
        let path = path.to_str().context("a path is not valid UTF-8")?;
        ensure!(
            !path.contains(char::is_whitespace),
            "{path} has white space in it, which commands of Yosys cannot take"
        );
        Ok(path.to_string())
    };
    let paths = |paths: &[PathBuf]| paths.iter().map(absolute).collect::<Result<Vec<_>>>();
    let (files, folders) = (paths(&others.files)?.join(" "), paths(&others.include)?);
    let is_system = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "sv");
    let folders: String = folders.iter().map(|folder| format!("-I {folder} ")).collect();
    Ok(match others.files.iter().any(is_system) {
        true => format!("read_slang {folders}--top {top} {files}"),
        false => format!("read_verilog {folders}{files}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: &str =
        "module delay (input wire clk, input wire d, output reg q);\n    `include \"body.vh\"\nendmodule\n";
    const BODY: &str =
        "reg middle;\n    always @(posedge clk) begin\n        middle <= d;\n        q <= !middle;\n    end\n";

    #[test]
    fn verilog_and_system_verilog_of_others_are_measured() {
        if !tools::have("yosys") {
            return;
        }
        let dir = tools::root().join("target/qor/test_of_others");
        fs::create_dir_all(dir.join("include")).unwrap();
        fs::write(dir.join("include/body.vh"), BODY).unwrap();
        for name in ["delay.v", "delay.sv"] {
            fs::write(dir.join(name), DELAY).unwrap();
            let others =
                Others { files: vec![dir.join(name)], top: Some("delay".into()), include: vec![dir.join("include")] };
            let record = figures(&others, None, &measure::versions().unwrap()).unwrap();
            let figures = &record.configurations["delay"];
            assert_eq!((figures.count("LUT4"), figures.count("TRELLIS_FF")), (1, 2), "{name}");
        }
        fs::write(dir.join("white space.v"), DELAY).unwrap();
        let error = |file: &str| {
            let others = Others { files: vec![dir.join(file)], top: Some("delay".into()), include: vec![] };
            figures(&others, None, &Versions::default()).unwrap_err().to_string()
        };
        assert!(
            error("gone.v").starts_with("cannot read ") && error("gone.v").ends_with("gone.v"),
            "{}",
            error("gone.v")
        );
        let expected = "white space.v has white space in it, which commands of Yosys cannot take";
        assert!(error("white space.v").ends_with(expected), "{}", error("white space.v"));
    }
}
