//! Errors of modules that combine inputs of different cycles, and state a latency: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::{engine::Engine, sim::Simulator, *};

ports! {
    struct TwoPorts() {
        input a: Signal = bits(8),
        input b: Signal = bits(8),
        input load: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

fn delayed(m: Module, x: Signal, cycles: u32) -> Signal {
    (0..cycles).fold(x, |x, _| {
        let r = m.reg(bits(x.width()));
        r.set(x);
        r
    })
}

/// Combines `a` and `b`, each behind so many registers.
#[module]
fn combined(stated: Option<u32>, a: u32, b: u32) -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("combined");
    let io = TwoPorts::new(m);
    io.load.unused();
    if let Some(cycles) = stated {
        m.latency(cycles);
    }
    io.y.set(delayed(m, io.a, a) + delayed(m, io.b, b));
    m.finish(io)
}

/// The same by way of an instance that states nothing, and one that states what is right.
#[module]
fn around(stated: u32, a: u32, b: u32, aligned: bool) -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("around");
    let io = TwoPorts::new(m);
    io.load.unused();
    m.latency(stated);
    let unit = if aligned { combined(Some(1), 1, 1) } else { combined(None, a, b) };
    let unit = m.instance(&unit?);
    unit.load.set(0);
    unit.a.set(if aligned { delayed(m, io.a, a) } else { io.a });
    unit.b.set(if aligned { delayed(m, io.b, b) } else { io.b });
    io.y.set(unit.y);
    m.finish(io)
}

#[track_caller]
fn refused(name: &str, module: Result<Design<TwoPorts>, Errors>) {
    let errors = module.expect_err("its inputs are apart");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

/// Whatever is stated of them.
#[test]
fn inputs_of_different_cycles() {
    for stated in 1..=2 {
        refused(&format!("inputs_of_different_cycles_{stated}"), combined(Some(stated), 2, 1));
        refused(&format!("inputs_of_different_cycles_in_an_instance_{stated}"), around(stated, 2, 1, false));
    }
    refused("inputs_of_different_cycles_before_an_instance", around(2, 0, 1, true));
    refused("inputs_of_different_cycles_and_at_once", combined(Some(0), 0, 1));
    for cycles in 1..3 {
        combined(Some(cycles), cycles, cycles).unwrap();
        around(cycles, cycles, cycles, false).unwrap();
    }
    around(3, 2, 2, true).unwrap();
    // who states nothing may combine what he likes
    combined(None, 2, 1).unwrap();
}

/// What is no data of the item comes when it likes: a setting, or what a register holds on terms of its own. And of an input that is itself
/// read in two cycles the module's word is all there is.
#[test]
#[module]
fn what_is_believed() {
    for how in 0..4 {
        let m = Module::new("example");
        let io = TwoPorts::new(m);
        io.load.unused();
        m.latency(2);
        let a = delayed(m, io.a, 2);
        let b = match how {
            0 => m.pipeline("settings").constant(io.b),
            1 => {
                let held = m.reg_reset(bits(8), 0);
                m.when(io.load, || held.set(io.b));
                held
            }
            2 => {
                let sum = m.reg_reset(bits(8), 0);
                sum.set(sum + io.b);
                sum
            }
            _ => delayed(m, io.b, 1) ^ delayed(m, io.b, 2),
        };
        io.y.set(a + b);
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}

/// The rule is about what an engine shows: with 1 and 2 registers, two items are mixed.
#[test]
fn what_the_rule_prevents() {
    let design = combined(None, 2, 1).unwrap();
    let TwoPorts { a, b, y, .. } = design.ports;
    let mut sim = Simulator::new(&design);
    let mut seen = vec![];
    for x in [1, 2, 4, 8, 16] {
        sim.poke(a, x);
        sim.poke(b, (16 * x) & 0xff);
        sim.step();
        seen.push(sim.peek(y));
    }
    assert_eq!(seen[1..], [1 + 0x20, 2 + 0x40, 4 + 0x80, 8], "`a` of one item, `b` of the next");
}
