//! Drivers: for a design, a test that runs on whatever Verilog stands in for it, against a model of what it must do.
//!
//! One driver serves the plain Verilog, netlists after synthesis ([`crate::netlist`]) and mutants ([`crate::mutation`]). A driver
//! knows every port of its design and looks at it: an output that no driver checks lets mutants live.

mod axi_arbiters;
mod built;
mod bursts;
mod cache;
mod clocks;
mod configuration;
mod dequantizer;
mod dequantizer_counts;
mod dequantizer_levels;
mod dequantizer_lost;
mod dequantizer_records;
mod dequantizer_ring;
mod float;
pub mod float_stream;
mod frames;
mod h2m2_events;
mod h2m2_migration;
mod h2m2_mmu;
mod lad;
mod lanes;
mod many;
mod memory;
mod merge;
mod oaken;
mod oaken_mmu;
mod parts;
mod records;
mod registers;
mod regroup;
mod routing;
mod sdram;
mod settings;
mod several;
mod several_mistakes;
mod slices;
mod softmax;
mod stream;
pub mod system;
pub mod system_paths;
mod uart;
mod vq;
mod vq_head;
mod vq_matrix;
mod vq_tables;

pub use cache::cache_board_pins_driver;
pub use configuration::{configuration, names};
pub use float::{dot_of_two, tree_of_two};
pub use oaken::{random_thresholds, random_vector, there_and_back};
pub use parts::{engines_of_settings, parts, sizes, small, widths};
pub use sdram::sdram_driver;
pub use vq_head::{head_driver, tiles_driver};

use hdl::engine::{Engine, PortInfo};
use hdl::{Design, Options, verilog};
use sim::verilator::{self, Model, ModelSpec, VerilatorError};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a test is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Seed of everything random.
    pub seed: u64,
    /// Long forms of what has one.
    pub long: bool,
}

impl Effort {
    /// What this run of the tests asks for: the seed of `KVFORGE_SEED`, long if `KVFORGE_LONG` is 1.
    pub fn from_environment() -> Effort {
        Effort { seed: sim::bus::seed(1), long: sim::bus::long() }
    }
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Many cycles.
    Fast,
    /// Few cycles of large Verilog: compiled quickly.
    Quick,
    /// As [`Kind::Quick`], and it counts what ran.
    Coverage,
}

type Test = Box<dyn Fn(&mut dyn Engine, Effort) -> Result<(), String> + Send + Sync>;

/// A design with its test.
pub struct Driver {
    /// Name of the configuration, or of the part with its parameters.
    pub name: String,
    /// The design, without its types: name, ports, Verilog.
    pub design: Design<()>,
    test: Test,
}

impl Driver {
    /// A driver of `design`.
    pub fn new<P>(
        name: impl Into<String>,
        design: Design<P>,
        test: impl Fn(&mut dyn Engine, Effort) -> Result<(), String> + Send + Sync + 'static,
    ) -> Driver {
        Driver { name: name.into(), design: design.erase(), test: Box::new(test) }
    }

    /// The modules of the design: file name and Verilog of each.
    pub fn files(&self) -> Vec<(String, String)> {
        verilog(&self.design, &Options::default()).files().collect()
    }

    /// A model of Verilog that has the ports of the design and then `more` inputs.
    pub fn model(&self, verilog: &str, more: &[PortInfo], kind: Kind) -> Result<Model, VerilatorError> {
        let domain = |(clock, reset): (&str, Option<&str>)| verilator::Domain {
            clock: clock.to_string(),
            reset: reset.map(|port| verilator::Reset { port: port.to_string(), active_high: true }),
        };
        let domains: Vec<_> = self.design.clocks().map(domain).collect();
        let ports = [&self.design.port_list()[..], more].concat();
        let (top, trace) = (self.design.name(), false);
        let (coverage, quick) = (kind == Kind::Coverage, kind != Kind::Fast);
        Model::build(&ModelSpec { verilog, top, ports: &ports, domains: &domains, trace, coverage, quick })
    }

    /// Runs the test. A panic on the way (an assertion of the Verilog, a value that no model can have) is a failure too.
    pub fn run(&self, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.test)(engine, effort)));
        outcome.unwrap_or_else(|panic| Err(message(&*panic)))
    }
}

/// What a panic says.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without words"))
}
