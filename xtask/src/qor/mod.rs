//! `cargo xtask qor`: size and speed of configurations, compared with the committed figures.
//!
//! `docs/qor.json` holds the figures, `docs/qor.md` shows them. Counts depend on nothing but the Verilog and Yosys' version,
//! so what has not changed since it was measured is not measured again.

mod blocks;
mod measure;
mod others;
mod page;
mod peers;
mod record;
mod subject;

use crate::setup;
use anyhow::{Result, bail, ensure};
use measure::{ECP5, Flow, GOWIN, ICE40};
use rayon::prelude::*;
use record::{Blocks, Counts, Family, Figures, Fmax, Record, Versions};
use std::collections::BTreeMap;
use std::fs;
use subject::Subject;

/// Options of `cargo xtask qor`.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Configurations: folders of rtl_out (all of them when none is named)
    names: Vec<String>,
    /// Place and route with nextpnr as well, and report the clock frequency (minutes)
    #[arg(long)]
    pnr: bool,
    /// With --pnr: nextpnr's seed [default: 1, that of the committed frequencies]
    #[arg(long, requires = "pnr", conflicts_with = "update")]
    seed: Option<u32>,
    /// Count also by source file
    #[arg(long)]
    blocks: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Only synthesize what has changed, and fail where a count has grown by more than 2 %
    #[arg(long, conflicts_with_all = ["pnr", "blocks", "json", "update"])]
    check: bool,
    /// Write the figures to docs/qor.json and docs/qor.md
    #[arg(long)]
    update: bool,
    /// With --check: measure also what has not changed
    #[arg(long, requires = "check")]
    again: bool,
    #[command(flatten)]
    others: others::Others,
}

impl Options {
    /// The seed of the placement, if there is one.
    fn seed(&self) -> Option<u32> {
        self.pnr.then_some(self.seed.unwrap_or(measure::SEED))
    }
    /// The check of `cargo xtask test`.
    pub fn check(again: bool) -> Options {
        Options { check: true, again, ..Options::default() }
    }
}

/// Measures, then prints, checks or keeps the figures.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    let (versions, old) = (measure::versions()?, Record::read()?);
    if !options.others.files.is_empty() {
        return print(&others::figures(&options.others, options.seed(), &versions)?, options.json);
    }
    let subjects = subject::subjects(&options.names)?;
    if options.update && !options.names.is_empty() {
        let (committed, here) = (&old.tools, &versions);
        ensure!(*committed == *here, "docs/qor.json was measured with {committed}, here are {here}: update all of it");
    }
    if options.check {
        return check(&subjects, &old, &versions, options);
    }
    let all = subjects.par_iter().map(|subject| figures(subject, &old, &versions, options));
    let figures = all.collect::<Result<Vec<_>>>()?;
    let named = subjects.iter().map(|subject| subject.name.clone()).zip(figures);
    let mut new = Record { tools: versions, configurations: named.collect() };
    print(&new, options.json)?;
    if options.update {
        if !options.names.is_empty() {
            // the others stay as they were
            let others = old.configurations.into_iter().filter(|(name, _)| !new.configurations.contains_key(name));
            new.configurations.extend(others.collect::<BTreeMap<_, _>>());
        }
        fs::write(record::path(), new.text()?)?;
        fs::write(page::path(), page::page(&new))?;
    }
    Ok(())
}

/// Prints figures as JSON or as a table.
fn print(record: &Record, json: bool) -> Result<()> {
    print!("{}", if json { record.text()? } else { page::table(record) });
    Ok(())
}

/// All figures of one subject. What takes longer and is not asked for stays as it was measured before.
fn figures(subject: &Subject, old: &Record, versions: &Versions, options: &Options) -> Result<Figures> {
    let same_tools = old.tools == *versions;
    let old = old.configurations.get(&subject.name);
    let verilog = subject.hash();
    let fmax = match options.seed() {
        Some(seed) => measure::fmax(subject, versions, seed)?.map(|mhz| Fmax { mhz, verilog: verilog.clone() }),
        None => old.and_then(|figures| figures.fmax.clone()).filter(|_| same_tools),
    };
    let blocks = match options.blocks {
        true => Some(Blocks { files: measure::by_file(subject, versions)?, verilog: verilog.clone() }),
        false => old.and_then(|figures| figures.blocks.clone()).filter(|_| same_tools),
    };
    let mut figures =
        Figures { verilog, ecp5: ECP5.counts(subject, versions)?, ice40: None, gowin: None, fmax, blocks };
    // One that is far too large needs minutes to be found so.
    let small = figures.lut_sites() < 12_000;
    let other = |flow: &Flow| -> Result<Option<Counts>> {
        Ok(if small { Some(flow.counts(subject, versions)?).filter(|counts| flow.fits(counts)) } else { None })
    };
    (figures.ice40, figures.gowin) = (other(&ICE40)?, other(&GOWIN)?);
    Ok(figures)
}

/// Fails where a count has grown, where figures are missing, and where figures are of a configuration that is gone.
fn check(subjects: &[Subject], old: &Record, versions: &Versions, options: &Options) -> Result<()> {
    let known = |subject: &&Subject| {
        let figures = old.configurations.get(&subject.name);
        !options.again && old.tools.yosys == versions.yosys && figures.is_some_and(|f| f.verilog == subject.hash())
    };
    let (same, changed): (Vec<&Subject>, Vec<&Subject>) = subjects.iter().partition(known);
    let growth = changed.par_iter().map(|subject| {
        let mut grown = vec![];
        for (family, flow) in [(Family::Ecp5, &ECP5), (Family::Ice40, &ICE40), (Family::Gowin, &GOWIN)] {
            if old.measures(&subject.name, family) {
                grown.extend(old.growth(&subject.name, family, &flow.counts(subject, versions)?));
            }
        }
        Ok(grown)
    });
    let mut wrong = growth.collect::<Result<Vec<Vec<String>>>>()?.concat();
    if options.names.is_empty() {
        let gone = old.configurations.keys().filter(|name| subjects.iter().all(|subject| subject.name != **name));
        wrong.extend(gone.map(|name| format!("{name} is no configuration any more")));
    }
    println!("{} configurations have not changed, {} were synthesized", same.len(), changed.len());
    changed.iter().for_each(|subject| println!("synthesized {}", subject.name));
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{}\n`cargo xtask qor --update` takes the new counts into docs/qor.json, if they are meant", wrong.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    fn subject(lines: usize) -> Subject {
        let body: String = (0..lines).map(|i| format!("    assign y[{i}] = a[{i}] & b[{i}];\n")).collect();
        let ports = format!("input wire [{0}:0] a, input wire [{0}:0] b, output wire [{0}:0] y", lines - 1);
        Subject {
            name: "ands".into(),
            top: "ands".into(),
            verilog: format!("module ands ({ports});\n{body}endmodule\n"),
            without_lut_ram: None,
        }
    }

    #[test]
    fn the_check_synthesizes_and_fails_on_growth() {
        if !tools::have("yosys") {
            return;
        }
        let versions = measure::versions().unwrap();
        let of = |subject: &Subject| figures(subject, &Record::default(), &versions, &Options::default()).unwrap();
        let configurations = BTreeMap::from([("ands".to_string(), of(&subject(10)))]);
        let record = Record { tools: versions.clone(), configurations };
        assert_eq!(record.configurations["ands"].count("LUT4"), 10);
        assert_eq!(record.configurations["ands"].ice40.as_ref().unwrap()["LUT"], 10);
        let check = |subject: Subject, again: bool| check(&[subject], &record, &versions, &Options::check(again));
        check(subject(10), false).unwrap();
        check(subject(10), true).unwrap();
        check(subject(9), false).unwrap();
        let error = check(subject(11), false).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "ands: LUT4 has grown from 10 to 11 on ECP5\nands: LUT has grown from 10 to 11 on iCE40\n"
            ),
            "{error}"
        );
        let other = Subject { name: "other".into(), ..subject(2) };
        let error = super::check(&[other], &record, &versions, &Options::check(false)).unwrap_err().to_string();
        assert!(error.starts_with("other has no figures for ECP5\nands is no configuration any more\n"), "{error}");
    }

    /// Each configuration that a row names in a `cargo xtask qor` stands there with its LUT4 or its LUT sites.
    #[test]
    fn the_readme_says_the_committed_counts() {
        let readme = fs::read_to_string(tools::root().join("README.md")).unwrap();
        let record = Record::read().unwrap();
        let (mut wrong, mut rows) = (vec![], 0);
        for row in readme.lines().filter(|line| line.starts_with('|')) {
            let commands = row.split("`cargo xtask qor ").skip(1).filter_map(|rest| rest.split('`').next());
            let numbers: Vec<&str> = row.split(|c: char| !c.is_ascii_digit()).collect();
            for name in commands.flat_map(str::split_whitespace) {
                let Some(figures) = record.configurations.get(name) else { continue };
                let counts = [figures.count("LUT4"), figures.lut_sites()];
                rows += 1;
                if !counts.iter().any(|count| numbers.contains(&&count.to_string()[..])) {
                    wrong.push(format!("{name}: {} LUT4, {} LUT sites", counts[0], counts[1]));
                }
            }
        }
        assert!(rows > 20, "{rows} configurations in README.md");
        assert!(wrong.is_empty(), "README.md has other counts than docs/qor.json:\n{}", wrong.join("\n"));
    }

    #[test]
    fn the_page_shows_the_committed_figures() {
        let committed = std::fs::read_to_string(page::path()).unwrap();
        let expected = page::page(&Record::read().unwrap());
        assert!(committed == expected, "docs/qor.md is not what `cargo xtask qor --update` writes");
    }
}
