//! Latencies that a module may state, and errors of those that it may not: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::*;

ports! {
    struct TwoPorts() {
        input a: Signal = bits(8),
        input b: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// So many registers later.
#[module]
fn later(m: Module, x: Signal, cycles: u32) -> Signal {
    (0..cycles).fold(x, |x, _| {
        let r = m.reg(bits(x.width()));
        r.set(x);
        r
    })
}

/// An input's own ways, whatever those of the others are.
#[test]
#[module]
fn a_latency_is_one_of_every_input() {
    let two = |latency: u32| {
        let m = Module::new("example");
        let io = TwoPorts::new(m);
        m.latency(latency);
        let later = |x, cycles| later(m, x, cycles);
        io.y.set(later(io.a, 1) ^ later(io.a, 3) ^ later(io.b, 3) ^ later(io.b, 4));
        m.finish(io)
    };
    two(3).unwrap_or_else(|errors| panic!("{errors}"));
    for latency in [1, 2, 4] {
        let errors = two(latency).expect_err("not of both").to_string();
        compare("errors", &format!("latency_{latency}_of_one_input.txt"), &stable(&errors));
    }
}

/// A ring of the latest items is state of a stage, also in a memory.
#[test]
#[module]
fn a_memory_may_be_state() {
    let m = Module::new("example");
    let io = TwoPorts::new(m);
    io.b.unused();
    m.latency(0);
    let p = m.pipeline("items");
    let x = p.enter(io.a);
    let at = p.state(m.reg_reset(bits(4), 0), x);
    at.set(at + 1);
    let ring = m.memory(bits(8), 16);
    ring.write(at, x, m.lit(1u32, 1));
    io.y.set(p.leave(ring.read(at)));
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
}

/// What gives `y` its value.
type Way = fn(Module, TwoPorts) -> Signal;

/// A name, the latencies that may be stated, and what has them.
type Case = (&'static str, &'static [u32], Way);

#[module]
fn compare_latencies(cases: &[Case]) {
    for (name, legal, way) in cases {
        let stated = |latency: u32| {
            let m = Module::new("example");
            let io = TwoPorts::new(m);
            io.b.unused();
            m.latency(latency);
            let y = way(m, io);
            io.y.set(y);
            m.finish(io)
        };
        for latency in 0..6 {
            let (found, legal) = (stated(latency), legal.contains(&latency));
            assert_eq!(found.is_ok(), legal, "{name}, a latency of {latency}: {:?}", found.err());
            if let Err(errors) = found {
                let about = format!("a latency of {latency} is stated");
                assert!(errors.to_string().contains(&about), "{name}: {errors}");
            }
        }
    }
}

/// The bits of a register that are read, whatever the others are.
#[test]
#[module]
fn a_latency_is_that_of_the_bits_of_a_register_that_are_read() {
    compare_latencies(&[
        ("a register of two parts", &[2], |m, io| {
            let r = m.reg(bits(16));
            r.bits(7, 0).set(later(m, io.a, 1));
            r.bits(15, 8).set(io.a);
            r.bits(7, 0)
        }),
        ("a register file", &[2], |m, io| {
            let file = m.reg_file(bits(8), 2);
            file[0].set(later(m, io.a, 1));
            file[1].set(io.a);
            file[0]
        }),
        ("a register of bits side by side", &[3], |m, io| {
            later(m, later(m, io.a, 2).cat(later(m, io.a, 1)), 1).bits(15, 8)
        }),
        ("a shift register", &[3], |m, io| {
            let r = m.reg(bits(24));
            r.set(r.bits(15, 0).cat(io.a));
            r.bits(23, 16) ^ later(m, io.b, 3)
        }),
        ("a part beside one that holds", &[4], |m, io| {
            let r = m.reg(bits(16));
            r.bits(7, 0).set(later(m, io.a, 3));
            m.when(io.b.bit(0), || r.bits(15, 8).set(io.b));
            r.bits(7, 0)
        }),
        ("a ring", &[2, 3, 4, 5], |m, io| {
            let r = m.reg(bits(16));
            r.set(r.bits(7, 0).cat(r.bits(15, 8) ^ io.a));
            r.bits(15, 8)
        }),
    ]);
}

/// The same of wires.
#[test]
#[module]
fn a_latency_is_that_of_the_bits_of_a_wire_that_are_read() {
    compare_latencies(&[
        ("a wire of two parts", &[2], |m, io| {
            let w = m.wire(bits(16));
            w.bits(7, 0).set(later(m, io.a, 2));
            w.bits(15, 8).set(later(m, io.a, 1));
            w.bits(7, 0)
        }),
        ("a wire of bits side by side", &[2], |m, io| {
            let w = m.wire(bits(16));
            w.set(later(m, io.a, 2).cat(later(m, io.a, 1)));
            w.bits(15, 8)
        }),
        ("another input in the other bits", &[1], |m, io| {
            let w = m.wire(bits(16));
            w.bits(7, 0).set(later(m, io.a, 1));
            w.bits(15, 8).set(io.b);
            w.bits(7, 0)
        }),
        ("both parts", &[], |m, io| {
            let w = m.wire(bits(16));
            w.bits(7, 0).set(later(m, io.a, 1));
            w.bits(15, 8).set(later(m, io.b, 2));
            w.bits(11, 4)
        }),
    ]);
}

/// What is assigned last counts.
#[test]
#[module]
fn a_latency_is_that_of_what_was_assigned_last() {
    compare_latencies(&[
        ("a part that is assigned again", &[1], |m, io| {
            let w = m.wire(bits(8));
            w.set(later(m, io.a, 3));
            w.bits(3, 0).set(later(m, io.a, 1).bits(3, 0));
            w.bits(3, 0).zext(8)
        }),
        ("a part that may be assigned again", &[2], |m, io| {
            let (w, a) = (m.wire(bits(8)), later(m, io.a, 1));
            w.set(later(m, io.a, 3));
            m.when(later(m, io.b, 2).bit(0), || w.bits(3, 0).set(a.bits(3, 0)));
            w.bits(3, 0).zext(8) ^ later(m, io.a, 4)
        }),
        ("a part that is assigned again in pieces", &[1], |m, io| {
            let w = m.wire(bits(16));
            w.set(later(m, io.a, 3).zext(16));
            w.bits(3, 0).set(later(m, io.a, 1).bits(3, 0));
            w.bits(7, 4).set(later(m, io.a, 1).bits(7, 4));
            w.bits(7, 0)
        }),
        ("one part twice", &[1], |m, io| {
            let w = m.wire(bits(16));
            w.bits(7, 0).set(later(m, io.a, 1));
            w.bits(15, 8).set(later(m, io.b, 2));
            let both = w | w;
            both.bits(7, 0)
        }),
        ("under a condition", &[1], |m, io| {
            let r = m.reg(bits(16));
            r.bits(7, 0).set(io.a);
            r.bits(15, 8).set(io.a);
            m.when(io.b.bit(0), || r.bits(7, 0).set(io.b));
            r.bits(7, 0)
        }),
    ]);
}

/// The same, where all branches assign again.
#[test]
#[module]
fn a_latency_is_that_of_what_some_branch_leaves() {
    compare_latencies(&[
        ("both branches of a `when`", &[1], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(later(m, io.a, 3));
            m.when(b.bit(0), || w.set(a)).otherwise(|| w.set(b));
            w
        }),
        ("both branches, of the bits that are read", &[1], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(later(m, io.a, 3));
            m.when(b.bit(0), || w.bits(3, 0).set(a.bits(3, 0))).otherwise(|| w.set(b));
            w.bits(3, 0).zext(8)
        }),
        ("one branch leaves it", &[], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(later(m, io.a, 3));
            m.when(b.bit(0), || w.bits(7, 4).set(a.bits(7, 4))).otherwise(|| w.set(b));
            w.bits(3, 0).zext(8)
        }),
        ("all cases of a `switch`", &[2], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(io.a);
            m.switch(b.bit(0), |s| {
                s.case(0, || w.set(a));
                s.case(1, || w.set(b));
            });
            later(m, w, 1)
        }),
        ("a `switch` without a default", &[], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(io.a);
            m.switch(b.bits(1, 0), |s| {
                s.case(0, || w.set(a));
                s.case(1, || w.set(b));
            });
            w
        }),
        ("pieces in two branches", &[1], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(later(m, io.a, 3));
            m.when(b.bit(0), || {
                w.bits(3, 0).set(a.bits(3, 0));
                w.bits(7, 4).set(b.bits(7, 4));
            })
            .otherwise(|| w.set(b));
            w
        }),
    ]);
}

/// Bits of the whole that a later assignment replaces.
#[test]
#[module]
fn a_latency_is_that_of_the_bits_that_are_left() {
    compare_latencies(&[
        ("a whole wire", &[1], |m, io| {
            let (one, three) = (later(m, io.a, 1), later(m, io.a, 3));
            let w = m.wire(bits(8));
            w.set(one.bits(7, 4).cat(three.bits(3, 0)));
            w.bits(3, 0).set(one.bits(3, 0));
            w
        }),
        ("a whole register", &[2], |m, io| {
            let (one, three) = (later(m, io.a, 1), later(m, io.a, 3));
            let r = m.reg(bits(8));
            r.set(one.bits(7, 4).cat(three.bits(3, 0)));
            r.bits(3, 0).set(one.bits(3, 0));
            r
        }),
        ("another input in the bits that are replaced", &[1], |m, io| {
            let w = m.wire(bits(8));
            w.set(later(m, io.a, 1).bits(7, 4).cat(later(m, io.b, 2).bits(3, 0)));
            w.bits(3, 0).set(later(m, io.a, 1).bits(3, 0));
            w
        }),
        ("a shift register of many bits", &[], |m, io| {
            let r = m.reg(bits(4096));
            r.set(r.bits(4094, 0).cat(io.a.bit(0)));
            r.bit(4095).zext(8)
        }),
        ("a `switch` over all values with a default", &[1], |m, io| {
            let (w, a, b) = (m.wire(bits(8)), later(m, io.a, 1), later(m, io.b, 1));
            w.set(io.a);
            m.switch(b.bit(0), |s| {
                s.case(0, || w.set(a));
                s.case(1, || w.set(b));
                s.default(|| ());
            });
            w
        }),
    ]);
}

/// The same of an instance: an input in bits that are not read does not reach its output.
#[test]
#[module]
fn an_output_of_an_instance_has_the_latency_of_its_bits() {
    let m = Module::new("low_half");
    let io = TwoPorts::new(m);
    m.latency(1);
    let w = m.wire(bits(16));
    w.bits(7, 0).set(later(m, io.a, 1));
    w.bits(15, 8).set(io.b);
    io.y.set(w.bits(7, 0));
    let low_half = m.finish(io).expect("legal by itself");
    let m = Module::new("example");
    let io = TwoPorts::new(m);
    m.latency(1);
    let half = m.instance(&low_half);
    half.a.set(io.a);
    half.b.set(io.b);
    io.y.set(half.y);
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
}

/// A wire that comes back from a later stage is so in all of its bits.
#[test]
#[module]
fn bits_of_a_feedback_wire_come_back() {
    let m = Module::new("example");
    let io = TwoPorts::new(m);
    m.latency(1);
    let p = m.pipeline("items");
    let (a, b) = p.enter((io.a, io.b));
    let back = p.feedback(m.wire(bits(16)), a);
    let late = b.next().next();
    back.bits(7, 0).set(late);
    back.bits(15, 8).set(late);
    io.y.set(p.leave((a ^ back.bits(7, 0)).next()));
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
}

ports! {
    struct HeldPorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// A register that nothing holds, beside one that is held, is seen in whatever bits of it are read.
#[test]
#[module]
fn what_goes_on_in_an_instance_is_seen_by_its_bits() {
    let parts: [fn(Signal) -> Signal; 4] =
        [|p| p, |p| p.bits(3, 0).zext(8), |p| p.bits(7, 4).cat(p.bits(3, 0)), |p| p.bit(2).zext(8)];
    for part in parts {
        let m = Module::new("child");
        let io = HeldPorts::new(m);
        m.latency(1);
        let (goes_on, held) = (m.reg(bits(8)), m.reg(bits(8)).enable(io.go));
        goes_on.set(io.x);
        held.set(io.x);
        io.y.set(part(goes_on) ^ held);
        let child = m.finish(io).expect("legal by itself");
        let m = Module::new("example");
        let io = HeldPorts::new(m);
        let p = m.pipeline_enabled("items", io.go);
        let child = m.instance(&child);
        child.x.set(p.enter(io.x));
        io.y.set(p.leave(child.y));
        let errors = m.finish(io).expect_err("a register goes on").to_string();
        assert!(errors.contains("go on while pipeline `items` stands"), "{errors}");
    }
}

/// A number or a setting is taken at the stage of the register's enable.
#[test]
#[module]
fn a_register_is_at_the_stage_of_its_enable() {
    for setting in [false, true] {
        let m = Module::new("example");
        let io = TwoPorts::new(m);
        m.latency(2);
        let p = m.pipeline("items");
        let x = p.enter(io.a).next();
        let r = m.reg_reset(bits(8), 0).enable(x.bit(0));
        match setting {
            true => r.set(p.constant(io.b)),
            false => {
                io.b.unused();
                r.set(3);
            }
        }
        io.y.set(p.leave(r));
        m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
    }
}
