//! A design as a running model.

use super::{Domain, Model, ModelSpec, VerilatorError};
use hdl::{Design, Options, Pads, Reset, verilog};

/// The Verilog of a design, with its properties and with the models of its black boxes, as one text.
pub fn verilog_with_models<P>(design: &Design<P>, reset: Reset) -> String {
    let pads = Pads::Signals;
    verilog(design, &Options { reset, properties: true, models: true, pads, ..Options::default() }).single()
}

impl Model {
    /// A running model of a design's own Verilog, printed with this reset and with its properties.
    ///
    /// # Errors
    /// If Verilator is not there, or refuses the Verilog.
    pub fn of<P>(design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
        Model::of_text(&verilog_with_models(design, reset), design, reset)
    }
    /// A running model of Verilog text that has the ports, clocks and resets of `design`.
    ///
    /// # Errors
    /// If Verilator is not there, or refuses the Verilog.
    pub fn of_text<P>(verilog: &str, design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
        compiled(verilog, design, reset, false)
    }
    /// As [`Model::of_text`] for a few cycles only: compiled quickly.
    ///
    /// # Errors
    /// If Verilator is not there, or refuses the Verilog.
    pub fn quick<P>(verilog: &str, design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
        compiled(verilog, design, reset, true)
    }
}

fn compiled<P>(verilog: &str, design: &Design<P>, reset: Reset, quick: bool) -> Result<Model, VerilatorError> {
    let port = |name: &str| if reset.active_low { format!("{name}_n") } else { name.to_string() };
    let domain = |(clock, name): (&str, Option<&str>)| Domain {
        clock: clock.to_string(),
        reset: name.map(|name| super::Reset { port: port(name), active_high: !reset.active_low }),
    };
    let (ports, domains) = (design.port_list(), design.clocks().map(domain).collect::<Vec<_>>());
    let (trace, coverage) = (false, false);
    Model::build(&ModelSpec { verilog, top: design.name(), ports: &ports, domains: &domains, trace, coverage, quick })
}
