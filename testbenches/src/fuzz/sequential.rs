//! Random modules with state (`unit.rs`): the built-in simulator against machine code, Verilator, and Verilator on what Yosys
//! makes of the Verilog.

use super::Others;
use super::random::{NoPorts, Random, module_text};
use super::unit::{INPUTS, UnitPorts, unit};
use crate::yosys;
use ::sim::verilator::{Model, verilog_with_models};
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

const CYCLES: usize = 120;

/// A top with so many random modules, every fourth of them of foreign Verilog.
fn top(seed: u64, count: u64, reset: hdl::Reset) -> Result<Design<NoPorts>, Errors> {
    let top = Module::new("fuzz_sequential");
    let inputs: Vec<Signal> =
        INPUTS.iter().enumerate().map(|(i, w)| top.port(&format!("i{i}"), "", true, bits(*w))).collect();
    let mut units: Vec<Design<UnitPorts>> = vec![];
    for k in 0..count {
        let is_foreign = k % 4 == 3;
        let children = if is_foreign { &[] } else { &units[units.len().saturating_sub(6)..] };
        let unit = unit(&format!("unit_{k}"), seed.wrapping_mul(1000) + k, children, reset.asynchronous);
        units.push(if is_foreign && unit.clocks().count() == 1 { foreign(&unit, reset)? } else { unit });
    }
    for (k, design) in units.iter().enumerate() {
        let instance = top.instance(design);
        instance.inputs().iter().zip(&inputs).for_each(|(pin, input)| pin.set(*input));
        top.port(&format!("y{k}"), "", false, bits(instance.y.width())).set(instance.y);
    }
    top.finish(NoPorts)
}

/// The same module, of which only the text is known: how it works, the built-in simulators learn from its model.
fn foreign(unit: &Design<UnitPorts>, reset: hdl::Reset) -> Result<Design<UnitPorts>, Errors> {
    // properties stand behind directives, and foreign text has none
    let f = Foreign::text(unit.name(), verilog(unit, &Options { reset, ..Options::default() }).single());
    let clock = f.clock("clk");
    if reset.active_low {
        f.reset_low(clock, "rst_n");
    } else {
        f.reset(clock, "rst");
    }
    let io = UnitPorts::new(f, unit.ports.y.width());
    for input in io.inputs() {
        f.combinational(input, io.y);
    }
    f.model(unit);
    f.finish(io)
}

/// Runs `count` modules, all in one model, on every engine; with `netlist` also on what Yosys makes of them (gates take
/// long to compile). An error says which engine differs where, and shows the module.
pub fn batch(seed: u64, count: u64, reset: hdl::Reset, others: Others) -> Result<(), String> {
    let design = top(seed, count, reset).map_err(|e| format!("seed {seed}\n{e}"))?;
    let mut simulator = Simulator::new(&design);
    let verilog = verilog_with_models(&design, reset);
    let start = |text: &str| Model::quick(text, &design, reset).map_err(|e| format!("seed {seed}\n{e}"));
    let mut engines: Vec<(&str, Box<dyn Engine>)> = vec![("machine code", Box::new(jit::compiled(&design)))];
    if others.verilator() {
        engines.push(("verilator", Box::new(start(&verilog)?)));
        if let Some(netlist) = others.netlist() {
            engines.push(("netlist", Box::new(start(&yosys::reemit(&verilog, design.name(), netlist)?)?)));
        }
    }
    // memories and registers without reset are compared, too
    simulator.power_up(PowerUp::Zero);
    engines.iter_mut().for_each(|(_, engine)| engine.power_up(PowerUp::Zero));
    let mut r = Random::new(seed);
    let domains = design.clocks().count();
    for cycle in 0..CYCLES {
        let stimulus = Stimulus::random(&mut r, cycle, domains, reset);
        stimulus.drive(&mut simulator);
        for (name, other) in &mut engines {
            stimulus.drive(other.as_mut());
            // an asynchronous reset shows before the edge, except in the built-in simulator
            let early = reset.asynchronous && stimulus.resets.contains(&true) && *name != "machine code";
            for k in (0..count as usize).filter(|_| !early && cycle >= 2) {
                let (want, got) = (simulator.peek_big(INPUTS.len() + k), other.peek_big(INPUTS.len() + k));
                if want != got {
                    let unit = module_text(&verilog, &format!("unit_{k}"));
                    let place = format!("seed {seed}, cycle {cycle}, {name}");
                    return Err(format!("{place}: y of unit_{k} is {got:x}, not {want:x}\n{unit}"));
                }
            }
            other.edge(stimulus.clocks);
        }
        simulator.edge(stimulus.clocks);
    }
    Ok(())
}

/// What the inputs, resets and clocks of all modules are in one cycle.
struct Stimulus {
    inputs: [BigUint; INPUTS.len()],
    /// For each domain: in reset.
    resets: Vec<bool>,
    /// A bit for each domain that has an edge.
    clocks: u64,
}

impl Stimulus {
    fn random(r: &mut Random, cycle: usize, domains: usize, reset: hdl::Reset) -> Stimulus {
        let mut resets: Vec<bool> = (0..domains).map(|_| cycle < 2 || r.once_in(15)).collect();
        if reset.asynchronous {
            // one that acts at once would be seen by the registers of the other domain
            let first = resets[0];
            resets.fill(first);
        }
        let some = if cycle < 2 { u64::MAX } else { 1 + u64::from(r.below(3)) };
        let clocks = if reset.asynchronous { u64::MAX } else { some };
        Stimulus { inputs: INPUTS.map(|w| r.bits(w)), resets, clocks }
    }
    fn drive(&self, engine: &mut dyn Engine) {
        self.resets.iter().enumerate().for_each(|(d, active)| engine.set_reset(d, *active));
        self.inputs.iter().enumerate().for_each(|(i, v)| engine.poke_big(i, v));
    }
}
