//! `cargo xtask formal`: the proofs, with SymbiYosys.

use crate::cargo::at_lowest_priority;
use crate::{programs::FORMAL, setup, tools};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Child;

/// Options of `cargo xtask formal`.
#[derive(clap::Args)]
pub struct Options {
    /// Proofs whose names begin so (default: all that are to hold)
    names: Vec<String>,
    /// Renew the rows of these proofs in docs/formal.md
    #[arg(long)]
    write: bool,
    /// Look at those that take long for some cycles only, as `cargo xtask test` does
    #[arg(long, conflicts_with = "write")]
    short: bool,
}

/// Sets up the tools and runs the proofs; an error names each property that failed, and its source line.
pub fn run(options: &Options) -> Result<()> {
    setup::setup()?;
    let switches = [(options.write, "--write"), (options.short, "--short")];
    let switches = switches.into_iter().filter_map(|(given, switch)| given.then_some(switch));
    FORMAL.run(&switches.chain(options.names.iter().map(String::as_str)).collect::<Vec<_>>())
}

/// All proofs, under way beside something else, at the lowest priority. Dropped, they end.
pub struct Beside {
    proofs: Child,
    log: PathBuf,
}

impl Beside {
    /// Starts them; in the short form those that take long only begin.
    pub fn start(long: bool) -> Result<Beside> {
        let folder = tools::root().join("target");
        let log = folder.join("proofs.log");
        let file = fs::create_dir_all(&folder).and_then(|()| File::create(&log));
        let file = file.with_context(|| format!("cannot write {}", log.display()))?;
        let mut formal = FORMAL.command();
        formal.args((!long).then_some("--short"));
        let mut command = at_lowest_priority(&formal);
        command.stdout(file.try_clone()?).stderr(file);
        Ok(Beside { proofs: command.spawn().context("cannot run `nice`, with which the proofs begin")?, log })
    }
    /// Waits for their end, and prints what they said; the seconds of each are those of a machine that was busy with something else.
    pub fn finish(mut self) -> Result<()> {
        println!("waiting for the proofs, which write {}", self.log.display());
        let status = self.proofs.wait()?;
        print!("{}", String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()));
        ensure!(status.success(), "the proofs ended with {status}");
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.proofs.kill(); // an error says that they have ended
    }
}
