//! Runs Verilog through [Verilator](https://verilator.org): a model is compiled to a shared library, loaded into this
//! process and driven through the trait [`Engine`](hdl::engine::Engine), at the speed of the same loop in C++.
//!
//! Compiled models are kept by content in `target/verilator-cache` (or in the folder that the environment variable
//! `KVFORGE_VERILATOR_CACHE` names): only the first run pays for the compiler. Any number of threads and processes may
//! build and run models at the same time; two that want the same model build it once.

mod binding;
mod build;
mod cache;
mod design;
mod engine;
mod error;
mod header;
mod inner;
mod shim;
mod spec;
#[cfg(test)]
mod tests;

use binding::Binding;
pub use build::Calls;
pub use cache::cached;
pub use design::verilog_with_models;
pub use error::VerilatorError;
use hdl::engine::{Began, PortInfo, PowerUp};
use hdl::{Failure, Property};
use inner::Inner;
pub use inner::open_memories;
pub use spec::{Domain, ModelSpec, Reset};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A running model. Inputs start as 0, registers and memories with random contents ([`PowerUp::of_environment`]).
///
/// It is driven through [`Engine`](hdl::engine::Engine). A property of the design that fails (in Verilog printed with its
/// properties) makes the edge panic with its message and source line, or is kept; any other assertion of the Verilog
/// (`$error`, `$stop`, `$fatal`) makes the edge panic with its line in the Verilog. Covers are counted, and what a prover would
/// choose is chosen, by counters and registers of that Verilog: see `inner`.
pub struct Model {
    binding: Binding,
    /// The compiled model, to start it again.
    library: PathBuf,
    all_ports: Vec<PortInfo>,
    /// Ports that tests see; then follow clocks and resets, which only the binding knows.
    ports: Vec<PortInfo>,
    clocks: Vec<String>,
    /// Name of the top module.
    top: String,
    /// Their indices are those behind all ports.
    inner: Inner,
    /// For each domain, the index of its reset in the binding, and its active level.
    resets: Vec<Option<(usize, bool)>>,
    /// Was an input written since the model was last evaluated?
    stale: bool,
    /// Was the model evaluated with its clocks low since the last edge?
    low: bool,
    cycles: u64,
    trace: bool,
    coverage: bool,
    /// The properties in the Verilog, by its line.
    properties: HashMap<u32, Property>,
    failures: Vec<Failure>,
    keep_failures: bool,
    began: Began,
}

impl Model {
    /// Builds the model, or takes it from the cache, and starts it.
    pub fn build(spec: &ModelSpec) -> Result<Model, VerilatorError> {
        let all_ports = all_ports(spec)?;
        let library = build::library(spec, &all_ports)?;
        let began = Began(PowerUp::of_environment());
        let (binding, publics) = Binding::open(&library, &all_ports, seed(began.0))?;
        let position = |name: &str| all_ports.iter().position(|port| port.name == name);
        let mut model = Model {
            binding,
            library,
            ports: spec.ports.to_vec(),
            top: spec.top.to_string(),
            inner: Inner::new(spec.verilog, spec.top, &publics, all_ports.len()),
            clocks: spec.domains.iter().map(|domain| domain.clock.clone()).collect(),
            resets: (spec.domains.iter())
                .map(|domain| domain.reset.as_ref().and_then(|r| Some((position(&r.port)?, r.active_high))))
                .collect(),
            stale: true,
            low: false,
            cycles: 0,
            trace: spec.trace,
            coverage: spec.coverage,
            properties: (spec.verilog.lines().zip(1..))
                .filter_map(|(line, number)| Some((number, Property::find(line)?)))
                .collect(),
            failures: vec![],
            keep_failures: false,
            began,
            all_ports,
        };
        model.release();
        Ok(model)
    }

    /// Inputs and clocks are 0, resets released, whatever level that is.
    fn release(&mut self) {
        for at in 0..self.all_ports.len() {
            let PortInfo { width, input, .. } = self.all_ports[at];
            if input {
                self.write(at, width, &[]);
            }
        }
        for domain in 0..self.resets.len() {
            self.write_reset(domain, false);
        }
    }

    /// Starts to write a VCD wave; 10 ns of it are one edge. Ends when the model is dropped or [`Model::close_vcd`].
    pub fn open_vcd(&mut self, path: &Path) -> Result<(), VerilatorError> {
        if !self.trace {
            return Err(VerilatorError::BuiltWithout("`trace`"));
        }
        // Verilator reports no reason: the file system does.
        std::fs::File::create(path).map_err(VerilatorError::file(path))?;
        self.settle();
        let opened = self.binding.open_trace(path);
        opened.then_some(()).ok_or_else(|| cannot_write(path))
    }

    /// Ends the wave, if one is being written.
    pub fn close_vcd(&mut self) {
        if self.trace {
            self.binding.close_trace();
        }
    }

    /// Writes the coverage counted so far, in the format that `verilator_coverage` reads.
    pub fn write_coverage(&self, path: &Path) -> Result<(), VerilatorError> {
        if !self.coverage {
            return Err(VerilatorError::BuiltWithout("`coverage`"));
        }
        // Verilator ends the process when it cannot write: find that out before.
        std::fs::File::create(path).map_err(VerilatorError::file(path))?;
        let written = self.binding.write_coverage(path);
        written.then_some(()).ok_or_else(|| cannot_write(path))
    }

    /// Lets combinational logic settle after inputs were written.
    fn settle(&mut self) {
        if self.stale {
            self.stale = false;
            self.low = true;
            if self.binding.eval() {
                self.take_failures(self.cycles);
            }
        }
    }

    /// Writes a port, or a register inside, by its index in the binding.
    fn write(&mut self, at: usize, width: u32, limbs: &[u64]) {
        if width <= 64 {
            self.binding.write(at, limbs.first().copied().unwrap_or(0));
        } else {
            self.binding.write_limbs(at, limbs);
        }
        self.stale = true;
    }

    fn write_reset(&mut self, domain: usize, active: bool) {
        if let Some((port, active_high)) = self.resets[domain] {
            self.binding.write(port, u64::from(active == active_high));
            self.stale = true;
        }
    }

    /// Ends the test at a failed assertion of the Verilog, unless it is a property whose failure is to be kept.
    #[cold]
    fn take_failures(&mut self, cycle: u64) {
        for text in self.binding.failures().lines() {
            let place = text.split_once("model.v:").and_then(|(_, rest)| rest.split_once(' '));
            let property = place.and_then(|(line, _)| self.properties.get(&line.parse().ok()?));
            let Some(property) = property.cloned() else { panic!("after {} edges: {text}", self.cycles) };
            // the check has printed `top.instance: ...`
            let scope = place.and_then(|(_, said)| said.split(':').next()).unwrap_or("");
            let failure = Failure { property, instance: inner::path(scope, &self.top).into(), cycle };
            let text = failure.to_string();
            let same = |f: &Failure| (&f.property, &f.instance) == (&failure.property, &failure.instance);
            if !self.failures.iter().any(same) {
                self.failures.push(failure);
            }
            assert!(self.keep_failures, "{text}");
        }
    }
}

/// What the shim takes: 0 stands for zeros.
fn seed(contents: PowerUp) -> u32 {
    match contents {
        PowerUp::Zero => 0,
        PowerUp::Random(seed) => (seed % 0x7fff_ffff) as u32 + 1,
    }
}

fn cannot_write(path: &Path) -> VerilatorError {
    VerilatorError::file(path)(std::io::Error::other("Verilator cannot write it"))
}

/// The ports of the specification, then its clocks, then its resets.
fn all_ports(spec: &ModelSpec) -> Result<Vec<PortInfo>, VerilatorError> {
    let bit = |name: &String| PortInfo::new(name, 1, true);
    let mut ports = spec.ports.to_vec();
    ports.extend(spec.domains.iter().map(|domain| bit(&domain.clock)));
    for reset in spec.domains.iter().filter_map(|domain| domain.reset.as_ref()) {
        // Two domains may share a reset.
        if !ports.iter().any(|port| port.name == reset.port) {
            ports.push(bit(&reset.port));
        }
    }
    let problem = |problem: String| Err(VerilatorError::Ports { top: spec.top.to_string(), problem });
    if spec.domains.len() > 64 {
        return problem(format!("{} clock domains, at most 64 are possible", spec.domains.len()));
    }
    for (index, port) in ports.iter().enumerate() {
        if ports[..index].iter().any(|other| other.name == port.name) {
            return problem(format!("`{}` is listed twice", port.name));
        }
    }
    Ok(ports)
}
