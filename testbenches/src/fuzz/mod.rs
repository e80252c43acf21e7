//! Random modules, the same on every engine: the built-in simulators, Verilator, and Verilator on what Yosys made of the
//! Verilog. Tests run a few batches with fixed seeds; `cargo xtask fuzz` runs them for as long as one likes.

pub mod expressions;
mod large_switch;
mod others;
mod pipelines;
mod random;
pub mod sequential;
mod unit;

pub use others::Others;

use crate::yosys::Netlist;
use hdl::Reset;
use std::time::{Duration, Instant};

/// All kinds of reset.
pub const RESETS: [Reset; 4] = [
    Reset { asynchronous: false, active_low: false },
    Reset { asynchronous: false, active_low: true },
    Reset { asynchronous: true, active_low: false },
    Reset { asynchronous: true, active_low: true },
];

/// The fuzzers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuzzer {
    /// [`expressions`].
    Expressions,
    /// [`sequential`].
    Sequential,
    /// Both, on the built-in simulators alone: many more modules in the same time.
    Simulators,
}

impl Fuzzer {
    /// The fuzzer of this name.
    pub fn named(name: &str) -> Option<Fuzzer> {
        [Fuzzer::Expressions, Fuzzer::Sequential, Fuzzer::Simulators].into_iter().find(|f| f.name() == name)
    }
    /// Its name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Fuzzer::Expressions => "expressions",
            Fuzzer::Sequential => "sequential",
            Fuzzer::Simulators => "simulators",
        }
    }
    /// One batch of modules: (how many, what was found).
    fn batch(self, seed: u64) -> (u64, Result<(), String>) {
        match self {
            Fuzzer::Expressions => (40, expressions::batch(seed, 40, Others::Netlist(Netlist::Words))),
            Fuzzer::Sequential => {
                let netlist = if seed % 8 == 7 { (6, Netlist::Gates) } else { (25, Netlist::Words) };
                (netlist.0, sequential::batch(seed, netlist.0, RESETS[(seed % 4) as usize], Others::Netlist(netlist.1)))
            }
            Fuzzer::Simulators => {
                let sequential = sequential::batch(seed, 40, RESETS[0], Others::None);
                (80, sequential.and_then(|()| expressions::batch(seed, 40, Others::None)))
            }
        }
    }
}

/// What a run of a fuzzer came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Random modules that ran.
    pub modules: u64,
    /// Batches that failed, each with its message; the seed in it brings it back.
    pub findings: Vec<String>,
}

/// Runs batches from `seed` upwards until the time is over, and tells of each as it ends.
pub fn run(fuzzer: Fuzzer, seed: u64, time: Duration, mut tell: impl FnMut(u64, &Result<(), String>)) -> Outcome {
    let (start, mut outcome) = (Instant::now(), Outcome::default());
    for seed in seed.. {
        if start.elapsed() >= time {
            break;
        }
        let (modules, result) = fuzzer.batch(seed);
        tell(seed, &result);
        outcome.modules += modules;
        outcome.findings.extend(result.err());
    }
    outcome
}
