//! State enums of every encoding on every engine: with every code that the bits can hold, those of a register that powered up
//! with them among them.
#![allow(missing_docs)]

use ::sim::verilator::{Model, verilog_with_models};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use testbenches::yosys::{self, Netlist};
use testbenches::{have, lint};

#[derive(Clone, Copy, State)]
enum Three {
    Idle,
    Run,
    Flush,
}
#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
enum Hot {
    Idle,
    Load,
    Run,
    Stop,
}
#[derive(Clone, Copy, State)]
#[state(encoding = "gray")]
enum Gray {
    A,
    B,
    C,
    D,
    E,
}
#[derive(Clone, Copy, State)]
#[state(width = 4)]
enum Opcode {
    Jump = 11,
    Nop = 4,
    Add,
}

tagged! {
    /// A tag that can be illegal, payloads of several widths.
    enum Item() {
        Number { value: Signal = bits(3) },
        State { hot: StateSignal<Hot> = state() },
        Pair { first: Signal = bits(2), second: Signal = bits(3) },
    }
}

ports! {
    struct Ports() {
        /// Puts the codes below into the registers: what a power-up may do.
        input load: Signal = bits(1),
        input three_code: Signal = bits(2),
        input hot_code: Signal = bits(4),
        input gray_code: Signal = bits(3),
        input opcode_code: Signal = bits(4),
        input item: TaggedSignal<Item> = Item::shape(),
        output three: StateSignal<Three> = state(),
        output hot: StateSignal<Hot> = state(),
        output gray: StateSignal<Gray> = state(),
        output opcode: StateSignal<Opcode> = state(),
        output legal: Signal = bits(4),
        output seen: Signal = bits(4),
        output value: Signal = bits(5),
    }
}

/// Registers without reset that step through their states.
#[module]
fn steps() -> Result<Design<Ports>, Errors> {
    let m = Module::new("steps");
    let io = Ports::new(m);
    let (three, hot, gray, opcode) =
        (m.reg(state::<Three>()), m.reg(state::<Hot>()), m.reg(state::<Gray>()), m.reg(state::<Opcode>()));
    m.switch(three, |s| {
        s.case(Three::Idle, || three.set(Three::Run));
        s.case(Three::Run, || three.set(Three::Flush));
        s.case(Three::Flush, || three.set(Three::Idle)); // and the code 3
    });
    m.switch(hot, |s| {
        s.case_any([Hot::Load, Hot::Idle], || hot.set(Hot::Run));
        s.case(Hot::Run, || hot.set(Hot::Stop));
        s.case(Hot::Stop, || m.when(three.is(Three::Run), || hot.set(Hot::Load)));
    });
    m.switch(gray, |s| {
        s.case(Gray::E, || gray.set(Gray::A));
        s.case(Gray::A, || gray.set(Gray::B));
        s.case(Gray::B, || gray.set(Gray::C));
        s.case(Gray::D, || ());
        s.case(Gray::C, || gray.set(Gray::D));
    });
    m.switch(opcode, |s| {
        s.case(Opcode::Nop, || opcode.set(Opcode::Add));
        s.case(Opcode::Add, || opcode.set(Opcode::Jump));
        s.default(|| opcode.set(Opcode::Nop));
    });
    m.when(io.load, || {
        three.code().set(io.three_code);
        hot.code().set(io.hot_code);
        gray.code().set(io.gray_code);
        opcode.code().set(io.opcode_code);
    });
    io.three.set(three);
    io.hot.set(hot);
    io.gray.set(gray);
    io.opcode.set(opcode);
    io.legal.set(cat(&[three.is_legal(), hot.is_legal(), gray.is_legal(), opcode.is_legal()]));
    io.seen.set(cat(&[three.is(Three::Flush), hot.is(Hot::Load), gray.is(Gray::E), opcode.is(Opcode::Jump)]));
    m.match_tag(io.item, |item| match item {
        Item::Number { value } => io.value.set(value.zext(5)),
        Item::State { hot } => io.value.set(hot.is(Hot::Stop).zext(5)),
        Item::Pair { first, second } => io.value.set(first.cat(second)),
    });
    m.finish(io)
}

/// The outputs of every engine after loading each code, and in the cycles behind it.
fn run(engine: &mut dyn Engine) -> Vec<Vec<u64>> {
    let port = |engine: &dyn Engine, name: &str| engine.ports().iter().position(|p| p.name == name).unwrap();
    let outputs = ["three", "hot", "gray", "opcode", "legal", "seen", "value"].map(|name| port(engine, name));
    let inputs = ["three_code", "hot_code", "gray_code", "opcode_code", "item_tag", "item_payload"];
    let inputs = inputs.map(|name| port(engine, name));
    let load = port(engine, "load");
    let mut seen = vec![];
    for code in 0..128 {
        engine.poke(load, 1);
        for (input, mask) in inputs.into_iter().zip([3, 15, 7, 15, 3, 31]) {
            engine.poke(input, (code ^ code >> 2) & mask);
        }
        engine.step();
        engine.poke(load, 0);
        for _ in 0..6 {
            seen.push(outputs.map(|o| engine.peek(o)).to_vec());
            engine.step();
        }
    }
    seen
}

#[test]
fn every_code_on_every_engine() {
    let design = steps().unwrap();
    let expected = run(&mut Simulator::new(&design));
    // all codes came, and after a step each state is a legal one, but for the gray register, which may hold
    let all: std::collections::BTreeSet<&[u64]> = expected.iter().map(|row| &row[..4]).collect();
    assert!(all.len() >= 32, "{}", all.len());
    for row in expected.chunks(6).map(|chunk| &chunk[1]) {
        assert_eq!(row[4] & 0b1001, 0b1001, "{row:?}");
    }
    assert_eq!(run(&mut jit::compiled(&design)), expected, "machine code");
    if !have(&["verilator", "yosys"]) {
        return;
    }
    let reset = Reset::default();
    assert_eq!(run(&mut Model::of(&design, reset).unwrap()), expected, "Verilator");
    for netlist in [Netlist::Words, Netlist::Gates] {
        let gates = yosys::reemit(&verilog_with_models(&design, reset), design.name(), netlist).unwrap();
        assert_eq!(run(&mut Model::of_text(&gates, &design, reset).unwrap()), expected, "{netlist:?}");
    }
}

#[test]
fn the_text_passes_every_tool() {
    if !have(&lint::TOOLS) {
        return;
    }
    let source = verilog(&steps().unwrap(), &Options::default());
    let folder = yosys::folder();
    std::fs::write(folder.join("steps.v"), source.single()).unwrap();
    assert_eq!(lint::complaints(&folder, &["steps.v".into()], source.top()), "");
    std::fs::remove_dir_all(folder).unwrap();
}
