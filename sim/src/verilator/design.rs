//! A design as a running model.

use super::{Domain, Model, ModelSpec, VerilatorError};
use hdl::{Design, Options, Pads, Reset, verilog};

/// The Verilog of a design, with its properties and with the models of its black boxes, as one text.
pub fn text<P>(design: &Design<P>, reset: Reset) -> String {
    let pads = Pads::Signals;
    verilog(design, &Options { reset, properties: true, models: true, pads, ..Options::default() }).single()
}

impl Model {
    /// A running model of a design's own Verilog, printed with this reset and with its properties.
    ///
    /// # Errors
    /// If Verilator is not there, or refuses the Verilog.
    pub fn of<P>(design: &Design<P>, reset: Reset) -> Result<Model, VerilatorError> {
        Model::of_text(&text(design, reset), design, reset, false)
    }
    /// A running model of Verilog text that has the ports, clocks and resets of `design`; with `quick` compiled quickly, for few cycles.
    ///
    /// # Errors
    /// If Verilator is not there, or refuses the Verilog.
    pub fn of_text<P>(verilog: &str, design: &Design<P>, reset: Reset, quick: bool) -> Result<Model, VerilatorError> {
        let port = |name: &str| if reset.active_low { format!("{name}_n") } else { name.to_string() };
        let domain = |(clock, name): (&str, Option<&str>)| Domain {
            clock: clock.to_string(),
            reset: name.map(|name| super::Reset { port: port(name), active_high: !reset.active_low }),
        };
        let (ports, domains) = (design.port_list(), design.clocks().map(domain).collect::<Vec<_>>());
        let (trace, coverage) = (false, false);
        Model::build(&ModelSpec {
            verilog,
            top: design.name(),
            ports: &ports,
            domains: &domains,
            trace,
            coverage,
            quick,
        })
    }
}
