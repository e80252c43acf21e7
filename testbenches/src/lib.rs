//! What the long tests share: designs as running models, Yosys, lint.

pub mod checkers;
pub mod coverage;
pub mod diagram;
pub mod drivers;
pub mod formal;
pub mod four_state;
pub mod fuzz;
pub mod lint;
pub mod mutation;
pub mod netlist;
pub mod outputs;
pub mod pages;
pub mod pictures;
pub mod proofs;
pub mod twins;
pub mod yosys;

pub use sim::tools::have;

use hdl::{Design, Options, Pads, Reset, verilog};
use sim::verilator::{self, Model, ModelSpec, VerilatorError};

/// The Verilog of a design, with its properties and with the models of its black boxes, as one text.
pub fn text<P>(design: &Design<P>, reset: Reset) -> String {
    let pads = Pads::Signals;
    verilog(design, &Options { reset, properties: true, models: true, pads, ..Options::default() }).single()
}

/// A running model of Verilog text that has the ports, clocks and resets of `design`.
pub fn model<P>(verilog: &str, design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
    compiled(verilog, design, reset, false)
}

/// As [`model`] for a few cycles only: compiled quickly.
pub fn quick_model<P>(verilog: &str, design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
    compiled(verilog, design, reset, true)
}

fn compiled<P>(verilog: &str, design: &Design<P>, reset: Reset, quick: bool) -> Result<Model, VerilatorError> {
    let port = |name: &str| if reset.active_low { format!("{name}_n") } else { name.to_string() };
    let domain = |(clock, name): (&str, Option<&str>)| verilator::Domain {
        clock: clock.to_string(),
        reset: name.map(|name| verilator::Reset { port: port(name), active_high: !reset.active_low }),
    };
    let (ports, domains) = (design.port_list(), design.clocks().map(domain).collect::<Vec<_>>());
    let (trace, coverage) = (false, false);
    Model::build(&ModelSpec { verilog, top: design.name(), ports: &ports, domains: &domains, trace, coverage, quick })
}

/// A running model of a design's own Verilog.
pub fn verilated<P>(design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
    model(&text(design, reset), design, reset)
}

/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/language.md")]
pub struct Guide;
