//! Pipelines between streams, clock enables and pads on every engine, in one module: each cycle of random inputs gives the same outputs.
#![allow(missing_docs)]

use ::sim::verilator::{Model, verilog_with_models};
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;
use testbenches::have;
use testbenches::yosys::{self, Netlist};

ports! {
    struct ScopePorts() {
        input s: Stream<(Signal, Signal)> = stream((bits(4), bits(8))),
        output m: Stream = stream(bits(16)),
        /// Items may leave that nothing pushes.
        input flush: Signal = bits(1),
        input tick: Signal = bits(1),
        input word: Signal = bits(8),
        output ticks: Signal = bits(8),
        output kept: Signal = bits(8),
        inout sda: Pad = pad(2),
        output on_wire: Signal = bits(2),
    }
}

/// The sum of squares so far, of a table that the items write.
#[module]
fn squares(m: Module, io: ScopePorts) {
    let (p, (at, value)) = m.pipeline_stream("squares", io.s, Elastic { collapse: true, flush: Some(io.flush) });
    let table = m.memory(bits(8), 16).init((0..16u32).map(|i| 3 * i));
    table.write(at, value, value.bit(0));
    let before = table.read_sync(at);
    let square = (before * value.next()).next();
    let total = m.reg_reset(bits(16), 0);
    let sum = p.state(total, square) + square;
    total.set(sum);
    p.leave_stream(sum.next(), io.m);
}

/// What happens at enabled edges only.
#[module]
fn ticking(m: Module, io: ScopePorts) {
    m.in_enabled(io.tick, || {
        let ticks = m.reg_reset(bits(8), 0);
        ticks.set(ticks + 1);
        let history = m.memory(bits(8), 8);
        history.write(ticks.trunc(3), io.word, io.word.bit(7));
        let started = m.reg_reset(bits(1), 0);
        m.when(ticks.gt(8), || started.set(1));
        io.ticks.set(ticks);
        io.kept.set(started.mux(history.read_sync(ticks.trunc(3)), 0));
    });
}

#[module]
fn scopes() -> Result<Design<ScopePorts>, Errors> {
    let m = Module::new("scopes");
    let io = ScopePorts::new(m);
    squares(m, io);
    ticking(m, io);
    let line = m.reg_reset(bits(2), 0);
    line.set(line + 1);
    io.sda.open_drain(line);
    let on_wire = m.reg_reset(bits(2), 3);
    on_wire.set(io.sda.input);
    io.on_wire.set(on_wire);
    m.finish(io)
}

/// All outputs in every cycle, and how many items left.
fn run(engine: &mut dyn Engine) -> (Vec<Vec<u64>>, usize) {
    let mut random = fastrand::Rng::with_seed(::sim::bus::seed(5));
    let ports = engine.ports().to_vec();
    let (inputs, outputs): (Vec<usize>, Vec<usize>) = (0..ports.len()).partition(|i| ports[*i].input);
    let [valid, ready] = ["m_valid", "m_ready"].map(|name| ports.iter().position(|p| p.name == name).unwrap());
    engine.power_up(PowerUp::Zero); // memories, and registers without reset, are looked at
    engine.reset(2);
    let (mut seen, mut left) = (vec![], 0);
    let mut go = [true; 4];
    for cycle in 0..3000 {
        for &i in &inputs {
            let value = random.u64(..) & (u64::MAX >> (64 - ports[i].width));
            engine.poke(i, value);
        }
        // each of the handshakes rests for a while
        go = if cycle % 50 == 0 { std::array::from_fn(|_| random.u8(0..3) > 0) } else { go };
        let handshakes = ["s_valid", "m_ready", "flush", "tick"].into_iter().zip(go);
        for (name, _) in handshakes.filter(|(_, go)| !go) {
            engine.poke(ports.iter().position(|p| p.name == name).unwrap(), 0);
        }
        seen.push(outputs.iter().map(|o| engine.peek(*o)).collect::<Vec<_>>());
        left += usize::from(engine.peek(valid) == 1 && engine.peek(ready) == 1);
        engine.step();
    }
    (seen, left)
}

/// A payload without its valid means nothing.
fn meant(rows: &[Vec<u64>], valid: usize) -> Vec<Vec<u64>> {
    let payload = valid + 1;
    rows.iter()
        .map(|row| row.iter().enumerate().map(|(i, x)| if i == payload && row[valid] == 0 { 0 } else { *x }).collect())
        .collect()
}

#[test]
fn scopes_on_every_engine() {
    let design = scopes().unwrap_or_else(|e| panic!("{e}"));
    let outputs: Vec<String> = design.port_list().iter().filter(|p| !p.input).map(|p| p.name.clone()).collect();
    let valid = outputs.iter().position(|name| name == "m_valid").unwrap();
    assert_eq!(outputs[valid + 1], "m_payload");
    let (rows, left) = run(&mut Simulator::new(&design));
    assert!(left > 150, "only {left} items left");
    let expected = meant(&rows, valid);
    let same = |name: &str, engine: &mut dyn Engine| {
        let got = meant(&run(engine).0, valid);
        let first = got.iter().zip(&expected).position(|(got, expected)| got != expected);
        if let Some(cycle) = first {
            panic!("{name}, cycle {cycle}: {outputs:?} are {:x?}, not {:x?}", got[cycle], expected[cycle]);
        }
    };
    same("machine code", &mut jit::compiled(&design));
    if !have(&["verilator", "yosys"]) {
        return;
    }
    for reset in [Reset::default(), Reset { asynchronous: false, active_low: true }] {
        same("Verilator", &mut Model::of(&design, reset).unwrap());
    }
    let gates = yosys::reemit(&verilog_with_models(&design, Reset::default()), design.name(), Netlist::Gates).unwrap();
    same("gates", &mut Model::of_text(&gates, &design, Reset::default()).unwrap());
}

/// A module with nothing but a line of two wires.
#[module]
fn line() -> Design<LinePorts> {
    let m = Module::new("line");
    let io = LinePorts::new(m);
    io.sda.open_drain(io.low);
    io.seen.set(io.sda.input);
    m.finish(io).unwrap()
}

ports! {
    struct LinePorts() {
        input low: Signal = bits(2),
        output seen: Signal = bits(2),
        inout sda: Pad = pad(2),
    }
}

/// The synthesis of each family keeps the cells of its pads, one for each wire; of the plain text that of ECP5 makes them itself.
#[test]
fn the_families_take_their_pads() {
    if !have(&["yosys"]) {
        return;
    }
    // with pads for all, there are four more: those of the inputs and outputs
    let cases = [
        (Pads::Ice40, "synth_ice40", "SB_IO", 2),
        (Pads::Ecp5, "synth_ecp5", "TRELLIS_IO", 2),
        (Pads::Gowin, "synth_gowin -noiopads", "IOBUF", 2),
        (Pads::Generic, "synth_ecp5 -iopad", "TRELLIS_IO", 6),
    ];
    for (pads, synthesis, cell, count) in cases {
        let folder = yosys::folder();
        std::fs::write(folder.join("line.v"), verilog(&line(), &Options { pads, ..Options::default() }).single())
            .unwrap();
        let script = format!("read_verilog line.v; {synthesis} -top line; select -assert-count {count} t:{cell}");
        yosys::run(&folder, &script).unwrap_or_else(|error| panic!("{pads:?}: {error}"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
