//! Mutation: does a driver's test notice when one wire or gate of the design is wrong?
//!
//! Yosys' `mutate` lists mutations (a bit of a cell's pin inverted, stuck, or exchanged with another) and builds all of them into
//! one netlist, where the input `mutation` chooses which one is alive; 0 is the design itself. So any number of mutants costs
//! one compilation by Verilator and one short run each.

mod cells;
mod dead;
mod equivalence;
mod explained;
mod place;
mod rules;
mod source;

pub use explained::{Explanation, Explanations};
pub use place::{Mutation, Place};
pub use source::{rust_place, target};

use crate::drivers::{Driver, Effort, Kind};
use crate::yosys;
use cells::Design;
use hdl::engine::{Engine, PortInfo};
use rayon::prelude::*;
use sim::verilator::VerilatorError;
use std::path::PathBuf;

/// The input that chooses the mutation.
const SELECT: &str = "mutation";

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does the same as the design for this reason, which is seen at the cell alone: it is not run.
    Same(&'static str),
    /// The test failed, with these words.
    Killed(String),
    /// The test passed, and this module is proved to do the same with the mutation as without.
    Equivalent(String),
    /// The test passed, and it is known why the mutant does the same.
    Explained(Explanation),
    /// The test passed.
    Survived,
}

/// All mutants of a design.
pub struct Mutants<'d> {
    driver: &'d Driver,
    mutations: Vec<Mutation>,
    verilog: String,
    /// Bits of the input that chooses.
    width: u32,
    /// The design as Yosys keeps it lies here.
    folder: PathBuf,
}

impl<'d> Mutants<'d> {
    /// Chooses `count` mutations of the driver's design and builds them into one netlist.
    ///
    /// # Errors
    /// Yosys' log, if it fails.
    pub fn new(driver: &'d Driver, count: usize, seed: u64) -> Result<Mutants<'d>, String> {
        let files = driver.files();
        let folder = yosys::folder();
        files.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).expect("a temporary file"));
        let width = hdl::clog2(count + 1).max(1);
        let top = driver.design.name();
        let read: String = files.iter().map(|(name, _)| format!("read_verilog {name}; ")).collect();
        // the initial contents of memories are no gates
        let list = format!(
            "{read}hierarchy -check -top {top}; proc; opt_clean; write_rtlil plain.il; \
             mutate -list {count} -seed {seed} -ctrl {SELECT} {width} 1 -o list.txt * t:$meminit %d t:$meminit_v2 %d"
        );
        yosys::run(&folder, &list)?;
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("Yosys wrote it");
        let (list, plain) = (read("list.txt"), read("plain.il"));
        let mutations: Vec<_> =
            list.lines().enumerate().map(|(i, line)| source::mutation(i + 1, line, &files)).collect();
        // those that are not run are not built: Yosys does not take all of them, such as the enable of a read without a clock
        let design = Design::read(&plain)?;
        let built = mutations.iter().filter(|mutation| rules::same(&design, mutation).is_none());
        let script: Vec<&str> = built.map(|mutation| &mutation.command[..]).collect();
        std::fs::write(folder.join("built.txt"), script.join("\n") + "\n").expect("a temporary file");
        yosys::run(&folder, "read_rtlil plain.il; script built.txt; write_verilog -noattr mutants.v")?;
        let verilog = read("mutants.v");
        Ok(Mutants { driver, mutations, verilog, width, folder })
    }

    /// The mutations.
    pub fn mutations(&self) -> &[Mutation] {
        &self.mutations
    }

    /// Runs the test on every mutant, and looks whether the survivors do the same as the design, unless that is explained.
    ///
    /// # Errors
    /// If Verilator does not take the netlist, or the test fails on the design itself.
    pub fn run(&self, effort: Effort, explained: &Explanations) -> Result<Vec<Fate>, String> {
        self.one(0, effort).map_err(|e| e.to_string())?.map_err(|e| format!("the design itself fails: {e}"))?;
        let plain = std::fs::read_to_string(self.folder.join("plain.il")).map_err(|e| format!("plain.il: {e}"))?;
        let design = Design::read(&plain)?;
        let fate = |mutation: &Mutation| {
            if let Some(rule) = rules::same(&design, mutation).or_else(|| dead::same(&design, mutation)) {
                return Ok(Fate::Same(rule));
            }
            if let Err(words) = self.one(mutation.number, effort).map_err(|e| e.to_string())? {
                return Ok(Fate::Killed(words));
            }
            if let Some(explanation) = explained.find(mutation) {
                return Ok(Fate::Explained(explanation.clone()));
            }
            let proved = equivalence::proved(&self.folder, self.driver, &design, mutation)?;
            Ok(proved.map_or(Fate::Survived, Fate::Equivalent))
        };
        self.mutations.par_iter().map(fate).collect()
    }

    /// Runs the test with one mutation alive; 0 is none.
    fn one(&self, number: usize, effort: Effort) -> Result<Result<(), String>, VerilatorError> {
        let select = PortInfo::new(SELECT, self.width, true);
        let mut model = self.driver.model(&self.verilog, &[select], Kind::Fast)?;
        let port = model.port(SELECT).expect("it is listed above");
        model.poke(port, number as u64);
        Ok(self.driver.run(&mut model, effort))
    }
}

impl Drop for Mutants<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
