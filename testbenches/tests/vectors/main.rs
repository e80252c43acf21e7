//! Vectors, places that a signal gives, lengths of 1 and the logic of `hdl::logic` on every engine: the built-in simulator, machine
//! code, Verilator, and Verilator on the gates that Yosys makes of the Verilog.
#![allow(missing_docs)]

mod decoded;

use ::sim::verilator::{Model, verilog_with_models};
use fastrand::Rng;
use hdl::engine::{Engine, PowerUp};
use hdl::logic::*;
use hdl::sim::Simulator;
use hdl::*;
use testbenches::have;
use testbenches::yosys::{self, Netlist};

const SIZES: [usize; 7] = [1, 2, 3, 5, 8, 16, 33];

#[derive(Clone, Copy, Bundle)]
struct Entry {
    valid: Signal,
    tag: Signal,
}

fn entry(width: u32) -> Entry {
    Entry { valid: bits(1), tag: bits(width) }
}

ports! {
    struct TablePorts(width: u32, length: usize) {
        input write: Signal = bits(1),
        input clear: Signal = bits(1),
        input to: Signal = bits(clog2(length)),
        input from: Signal = bits(clog2(length)),
        input data: Entry = entry(width),
        output apart: Entry = entry(width),
        output file: Entry = entry(width),
        output all: Vector<Entry> = vector(entry(width), length),
        output same: Signal = bits(1),
    }
}

/// Two tables that do the same: of registers apart, and of registers for all elements.
#[module]
fn tables(width: u32, length: usize) -> Result<Design<TablePorts>, Errors> {
    let m = Module::new(format!("tables_{length}x{width}"));
    let io = TablePorts::new(m, width, length);
    let apart = m.reg_reset(vector(entry(width), length), 0);
    let file = m.reg_file_reset(entry(width), length, 0);
    for entries in [apart, file] {
        m.when(io.write, || entries.at(io.to).set(io.data));
        m.when(io.clear, || entries.at(io.to).valid.set(0));
        m.when(io.clear & io.write, || entries.at(io.to).tag.msb().set(1));
    }
    io.apart.set(apart.at(io.from));
    io.file.set(file.at(io.from));
    io.all.set(apart);
    io.same.set(apart.pack().eq(file.pack()));
    m.finish(io)
}

ports! {
    struct LogicPorts(size: usize) {
        input x: Signal = bits(size as u32),
        input index: Signal = bits(clog2(size)),
        input up: Signal = bits(1),
        input down: Signal = bits(1),
        output count: Signal = bits(clog2(size + 1)),
        output first: Found = Found { any: bits(1), index: bits(clog2(size)) },
        output last: Found = Found { any: bits(1), index: bits(clog2(size)) },
        output only: Signal = bits(size as u32),
        output decoded: Signal = bits(size as u32),
        output encoded: Signal = bits(clog2(size)),
        output level: Signal = bits(clog2(size + 1)),
        output wrong: Signal = bits(1),
        output victim: Signal = bits(clog2(size.next_power_of_two())),
        output word: Signal = bits(4),
        output chosen: Signal = bits(1),
        output held: Signal = bits(1),
    }
}

/// All of the logic, a memory of one word and a bit of a single bit.
#[module]
fn logic(size: usize) -> Result<Design<LogicPorts>, Errors> {
    let m = Module::new(format!("logic_{size}"));
    let io = LogicPorts::new(m, size);
    io.count.set(popcount(io.x));
    io.first.set(first_one(io.x));
    io.last.set(last_one(io.x));
    io.only.set(only_first_one(io.x));
    io.decoded.set(one_hot(io.index, size));
    io.encoded.set(index_of_one_hot(io.x));
    let level = UpDown::new(m, size as u32);
    io.wrong.set(level.checked(io.up, io.down));
    io.level.set(level.level);
    let plru = TreePlru::new(size.next_power_of_two());
    let ages = m.reg_reset(plru.state(), 0);
    m.when(io.up, || ages.set(plru.used(ages, io.index)));
    io.victim.set(plru.victim(ages));
    let words = m.memory(bits(4), 1);
    // a write to the address that there is not does nothing
    words.write(io.index.trunc(1), level.level.zext(8).trunc(4) ^ 5, !m.in_reset());
    io.word.set(words.read(io.index.trunc(1) & m.lit(0u32, 1)));
    io.chosen.set(io.up.part(io.down, 1));
    let held = m.reg_reset(bits(1), 0);
    held.part(io.down, 1).set(io.up);
    io.held.set(held);
    m.finish(io)
}

/// An instance of a design whose ports are ports of the module around it.
fn outside<P: Ports>(m: Module, design: &Design<P>) {
    let (mut inner, mut outer) = (vec![], vec![]);
    design.ports.map_ports(&mut |s| {
        inner.push(s);
        s
    });
    m.instance(design).named(format!("u_{}", design.name())).ports.map_ports(&mut |s| {
        outer.push(s);
        s
    });
    for (inner, pin) in inner.into_iter().zip(outer) {
        let port = &design.port_list()[design.port_index(inner).expect("a port")];
        let here = m.port(&format!("{}_{}", design.name(), port.name), "", port.input, bits(port.width));
        if port.input { pin.set(here) } else { here.set(pin) }
    }
}

/// All of them side by side, so that each engine is built once.
fn top(sizes: &[usize]) -> Result<Design<()>, Errors> {
    let m = Module::new("vectors_top");
    for &size in sizes {
        outside(m, &tables([1, 4, 5, 8][size % 4], size)?);
        outside(m, &logic(size)?);
    }
    outside(m, &decoded::decoded()?);
    m.finish(())
}

/// Runs the built-in simulator beside other engines with the same random inputs.
fn agree(design: &Design<()>, engines: &mut [(&str, Box<dyn Engine>)]) {
    let (mut simulator, mut r) = (Simulator::new(design), Rng::with_seed(::sim::bus::seed(1)));
    simulator.power_up(PowerUp::Zero);
    engines.iter_mut().for_each(|(_, e)| e.power_up(PowerUp::Zero));
    let ports = design.port_list();
    for cycle in 0..600 {
        let reset = cycle < 2 || r.u32(..60) == 0;
        simulator.set_reset(0, reset);
        engines.iter_mut().for_each(|(_, e)| e.set_reset(0, reset));
        for (i, port) in ports.iter().enumerate().filter(|(_, p)| p.input) {
            let value = BigUint::from(r.u64(..)) & ((BigUint::from(1u32) << port.width) - 1u32);
            simulator.poke_big(i, &value);
            engines.iter_mut().for_each(|(_, e)| e.poke_big(i, &value));
        }
        for (i, port) in ports.iter().enumerate().filter(|(_, p)| cycle >= 2 && !p.input) {
            let want = simulator.peek_big(i);
            for (name, engine) in engines.iter_mut() {
                assert_eq!(engine.peek_big(i), want, "{name}: {} in cycle {cycle}", port.name);
            }
            if port.name.ends_with("_same") {
                assert_eq!(want, BigUint::from(1u32), "{} in cycle {cycle}", port.name);
            }
        }
        simulator.edge(1);
        engines.iter_mut().for_each(|(_, e)| e.edge(1));
    }
}

#[test]
fn every_length_on_every_engine() {
    let design = top(&SIZES).unwrap_or_else(|e| panic!("{e}"));
    let mut engines: Vec<(&str, Box<dyn Engine>)> = vec![("machine code", Box::new(jit::compiled(&design)))];
    if have(&["verilator"]) {
        let running = Model::of_text(&verilog_with_models(&design, Reset::default()), &design, Reset::default());
        engines.push(("Verilator", Box::new(running.unwrap_or_else(|e| panic!("{e}")))));
    }
    agree(&design, &mut engines);
}

#[test]
fn short_ones_as_gates() {
    if !have(&["verilator", "yosys"]) {
        return;
    }
    let design = top(&[1, 2, 3, 5]).unwrap_or_else(|e| panic!("{e}"));
    let verilog = verilog_with_models(&design, Reset::default());
    let gates = yosys::reemit(&verilog, design.name(), Netlist::Gates).unwrap_or_else(|e| panic!("{e}"));
    let running = Model::of_text(&gates, &design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
    agree(&design, &mut [("gates", Box::new(running))]);
}
