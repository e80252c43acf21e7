//! The run of a driver again in a simulator with unknown values: what a reset defines is known from then on.
//!
//! The driver runs on the built-in simulator, whose registers begin with random contents. What it poked goes into Icarus, where they
//! begin unknown. Once the resets were released, no X may be in a handshake, a status or what a register gives, nor in a payload
//! while it is valid; and what is known is what the built-in simulator had.

mod bench;
mod recorder;

use crate::drivers::{Driver, Effort};
use crate::outputs::{Kind, kinds};
use hdl::engine::{Engine, PortInfo};
use hdl::{BigUint, Options, verilog};
use recorder::{Recorder, Step};
use std::path::Path;

/// The tools that [`check`] calls.
pub const TOOLS: [&str; 2] = ["iverilog", "vvp"];

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// Edges of clocks.
    pub edges: usize,
    /// Values of outputs that had to be known, and were.
    pub values: usize,
}

/// Runs the driver on `engine` and its first edges, at most so many, in Icarus. `settles`: edges after the reset in which a design
/// without valid has not given anything yet.
///
/// # Errors
/// Which output is unknown or differs, and at which edge.
pub fn check(
    driver: &Driver,
    engine: &mut dyn Engine,
    most: usize,
    settles: usize,
    folder: &Path,
) -> Result<Compared, String> {
    let mut recorder = Recorder::new(engine, most);
    driver.run(&mut recorder, Effort::from_environment())?;
    let steps = recorder.steps;
    let (text, words) = bench::text(&driver.design, &steps);
    let dut = verilog(&driver.design, &Options::default()).single();
    for (name, text) in [("bench.v", &text), ("steps.hex", &words), ("dut.v", &dut)] {
        std::fs::write(folder.join(name), text).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    compare(&driver.design.port_list(), &steps, &bench::run(folder)?, settles)
}

fn compare(ports: &[PortInfo], steps: &[Step], lines: &[Vec<String>], settles: usize) -> Result<Compared, String> {
    let kinds = kinds(ports);
    let outputs: Vec<usize> = (0..ports.len()).filter(|port| !ports[*port].input).collect();
    let has_valid = kinds.iter().any(|kind| *kind != Kind::Known);
    let mut resets = steps.iter().enumerate().skip_while(|(_, step)| !step.resets.contains(&true));
    let released = resets.find(|(_, step)| !step.resets.contains(&true)).map_or(0, |(at, _)| at);
    let from = if has_valid { released } else { released + settles };
    let mut values = 0;
    if lines.len() != steps.len() {
        return Err(format!("Icarus gave {} of {} steps", lines.len(), steps.len()));
    }
    for (at, (step, line)) in steps.iter().zip(lines).enumerate().skip(from) {
        for (&port, text) in outputs.iter().zip(line) {
            let known = match kinds[port] {
                Kind::Known => true,
                Kind::While(valid) => step.ports[valid] == BigUint::from(1u32),
            };
            let value = BigUint::parse_bytes(text.as_bytes(), 16);
            if known && value.as_ref() != Some(&step.ports[port]) {
                let name = &ports[port].name;
                return Err(format!("edge {at}: `{name}` is {text}, not {:x}", step.ports[port]));
            }
            values += usize::from(known);
        }
        left_out(ports, &kinds, step).map_err(|error| format!("edge {at}: {error}"))?;
    }
    Ok(Compared { edges: steps.len(), values })
}

/// Bytes that `tkeep` leaves out are 0.
fn left_out(ports: &[PortInfo], kinds: &[Kind], step: &Step) -> Result<(), String> {
    let one = BigUint::from(1u32);
    for (data, port) in ports.iter().enumerate().filter(|(_, port)| !port.input) {
        let keep = port.name.strip_suffix("tdata").map(|stem| format!("{stem}tkeep"));
        let Some(keep) = keep.and_then(|name| ports.iter().position(|port| port.name == name)) else { continue };
        if !matches!(kinds[data], Kind::While(valid) if step.ports[valid] == one) {
            continue;
        }
        let bytes = port.width / 8;
        let set = |byte: u32| !((&step.ports[data] >> (8 * byte)) & BigUint::from(0xffu32)).eq(&BigUint::ZERO);
        if let Some(byte) = (0..bytes).find(|byte| !step.ports[keep].bit((*byte).into()) && set(*byte)) {
            return Err(format!("byte {byte} of `{}` is not 0, and is left out", port.name));
        }
    }
    Ok(())
}
