//! `elsewhen` and `otherwise` away from their `when`: right where they can be, else an error (tests/errors/NAME.txt; `BLESS=1` renews
//! the files).
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{Io, reports};
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct Conditions() {
        input c: Signal = bits(1),
        input d: Signal = bits(1),
        input e: Signal = bits(1),
        output x: Signal = bits(4),
        output z: Signal = bits(4),
    }
}

/// Simulates for all conditions, and compares `x` and `z` with what Rust makes of the same text.
#[track_caller]
fn behaves(build: impl Fn(Module, Conditions), expected: impl Fn(bool, bool, bool) -> (u64, u64)) {
    let m = Module::new("conditions");
    let io = Conditions::new(m);
    [io.c, io.d, io.e].into_iter().for_each(Signal::unused);
    build(m, io);
    let design = m.finish(io).unwrap();
    let mut sim = Simulator::new(&design);
    let port = |signal| design.port_index(signal).unwrap();
    for inputs in 0..8u64 {
        let [c, d, e] = [0, 1, 2].map(|bit| inputs >> bit & 1);
        [(io.c, c), (io.d, d), (io.e, e)].into_iter().for_each(|(signal, value)| sim.poke(port(signal), value));
        let found = (sim.peek(port(io.x)), sim.peek(port(io.z)));
        assert_eq!(found, expected(c == 1, d == 1, e == 1), "c {c}, d {d}, e {e}\n{}", text(&design));
    }
}

fn text(design: &Design<Conditions>) -> String {
    verilog(design, &Options::default()).single()
}

#[test]
fn in_one_piece() {
    let build = |m: Module, io: Conditions| {
        io.z.set(0);
        m.when(io.c, || io.x.set(1))
            .elsewhen(io.d, || io.x.set(2))
            .elsewhen(io.e, || io.x.set(3))
            .otherwise(|| io.x.set(4));
    };
    behaves(build, |c, d, e| {
        (
            if c {
                1
            } else if d {
                2
            } else if e {
                3
            } else {
                4
            },
            0,
        )
    });
}

/// What stands in between is overridden by what comes after it.
#[test]
fn after_an_assignment_of_the_same() {
    let build = |m: Module, io: Conditions| {
        io.z.set(0);
        io.x.set(0);
        let when = m.when(io.c, || io.z.set(1));
        io.x.set(5);
        when.otherwise(|| io.x.set(6));
    };
    // the default of `x` would have no effect
    let m = Module::new("conditions");
    let io = Conditions::new(m);
    [io.d, io.e].into_iter().for_each(Signal::unused);
    build(m, io);
    assert!(m.finish(io).unwrap_err().0[0].message.contains("never has an effect"));

    let build = |m: Module, io: Conditions| {
        io.z.set(0);
        let when = m.when(io.c, || io.z.set(1));
        io.x.set(5);
        when.otherwise(|| io.x.set(6));
    };
    behaves(build, |c, _, _| if c { (5, 1) } else { (6, 0) });
}

#[test]
fn a_chain_with_assignments_in_between() {
    let build = |m: Module, io: Conditions| {
        io.x.set(0);
        io.z.set(0);
        let when = m.when(io.c, || io.x.set(1));
        m.when(io.e, || io.x.set(7));
        let when = when.elsewhen(io.d, || io.x.set(2)); // overrides 7
        m.when(io.e, || io.z.set(9)); // nothing that follows assigns it
        let when = when.elsewhen(io.e, || io.x.set(3));
        m.when(io.d, || io.x.set(8));
        when.otherwise(|| io.x.set(4));
    };
    behaves(build, |c, d, e| {
        let mut x = 0;
        x = if c { 1 } else { x };
        x = if e { 7 } else { x };
        x = if !c && d { 2 } else { x };
        x = if !c && !d && e { 3 } else { x };
        x = if d { 8 } else { x };
        x = if !c && !d && !e { 4 } else { x };
        (x, if e { 9 } else { 0 })
    });
}

/// Conditions that need assignments of their own do not count as something in between.
#[test]
#[module]
fn a_condition_with_a_wire() {
    let build = |m: Module, io: Conditions| {
        let either = |m: Module, a: Signal, b: Signal| {
            let wire = m.wire(bits(1));
            wire.set(a);
            m.when(b, || wire.set(1));
            wire
        };
        io.z.set(0);
        m.when(io.c, || io.x.set(1)).elsewhen(either(m, io.d, io.e), || io.x.set(2)).otherwise(|| io.x.set(3));
        assert_eq!(m.when(io.c, || ()).elsewhen(io.d, || ()).otherwise(|| ()), ());
    };
    behaves(build, |c, d, e| {
        (
            if c {
                1
            } else if d | e {
                2
            } else {
                3
            },
            0,
        )
    });
}

#[test]
fn in_another_block() {
    reports("when_inner_block", |m, io| {
        io.y.set(0);
        let when = m.when(io.c, || io.y.set(1));
        m.when(io.a.any(), || when.otherwise(|| io.y.set(2)));
    });
    reports("when_outer_block", |m, io| {
        io.y.set(0);
        let mut when = None;
        m.when(io.c, || when = Some(m.when(io.a.any(), || io.y.set(1))));
        when.unwrap().elsewhen(io.b.any(), || io.y.set(2)).otherwise(|| io.y.set(3));
    });
    reports("when_arm", |m, io| {
        io.y.set(0);
        let mut when = None;
        m.switch(io.b, |s| {
            s.case(0, || when = Some(m.when(io.c, || io.y.set(1))));
            s.case(1, || when.take().unwrap().otherwise(|| io.y.set(2)));
        });
    });
}

/// The condition is one of a module; the assignment, of another, would not stand under it.
#[test]
fn of_another_module() {
    let other = Module::new("other");
    let theirs = Io::new(other);
    reports("when_other_module", |m, io| {
        io.y.set(0);
        let words = m.memory(bits(8), 16).init([1u32]);
        other.when(theirs.c, || {
            io.y.set(words.read(io.b));
            words.write(io.b, io.a, io.c);
            m.assert(io.c, "it is so");
        });
        other.switch(theirs.b, |s| s.case(0, || m.when(io.c, || io.y.set(2))));
    });
}

/// A module that is built inside a `when` of another one is none of its parts.
#[test]
#[module]
fn a_module_inside_a_when() {
    let m = Module::new("parent");
    let io = Io::new(m);
    [io.a, io.b].into_iter().for_each(Signal::unused);
    io.y.set(0);
    m.when(io.c, || {
        let child = Module::new("child");
        let ports = Io::new(child);
        ports.b.unused();
        ports.y.set(0);
        child.when(ports.c, || ports.y.set(ports.a));
        let child = m.instance(&child.finish(ports).unwrap());
        io.y.set(child.y);
        child.a.set(0);
        child.b.set(0);
        child.c.set(0);
    });
    // the inputs of the instance are assigned under a condition
    let errors = m.finish(io).unwrap_err();
    assert!(errors.0.iter().all(|e| e.message.contains("not assigned on every path")), "{errors}");
}

/// An arm inside of another block would lose the condition of that.
#[test]
#[module]
fn arms_stand_in_their_switch() {
    let m = Module::new("example");
    let a = m.port("a", "", true, bits(2));
    let c = m.port("c", "", true, bits(1));
    let y = m.reg_reset(bits(1), 0);
    m.port("y", "", false, bits(1)).set(y);
    m.switch(a, |s| {
        m.when(c, || s.case(0, || y.set(1)));
        m.when(c, || s.default(|| y.set(0)));
    });
    let errors = m.finish(()).expect_err("two arms stand elsewhere").to_string();
    for word in ["case", "default"] {
        assert!(errors.contains(&format!("`{word}` stands in another block than its `switch`")), "{errors}");
    }
}

/// In the closure of a `switch`, but in none of its cases: what would it depend on?
#[test]
fn outside_of_the_cases() {
    reports("switch_outside_of_cases", |m, io| {
        io.y.set(0);
        m.switch(io.b, |s| {
            io.y.set(io.a);
            s.case(1, || io.y.set(2));
            m.when(io.c, || io.y.set(3)).otherwise(|| io.y.set(4));
            m.assert(io.c, "c is 1");
        });
    });
}
