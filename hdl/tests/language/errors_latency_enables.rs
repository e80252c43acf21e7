//! Stated latencies of modules that an input holds: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::latency::states;
use hdl::*;

/// What holds the registers is no way of the data to the output, whoever names it: the fewest registers are counted without it.
#[test]
fn an_enable_is_no_way_to_the_output() {
    states("latency_under_an_enable", 1, |m, io| {
        m.enabled_by(io.go);
        let (one, two) = (m.reg(bits(8)), m.reg(bits(8)));
        one.set(io.x);
        two.set(one);
        io.y.set(two);
    });
    states("latency_of_registers_with_an_enable", 2, |m, io| {
        let delay = |x: Signal| {
            let r = m.reg(bits(8)).enable(io.go);
            r.set(x);
            r
        };
        io.y.set(delay(delay(delay(io.x))));
    });
    states("latency_of_inputs_under_an_enable", 1, |m, io| {
        m.enabled_by(io.go);
        let (one, two) = (m.reg(bits(8)), m.reg(bits(8)));
        one.set(io.x);
        two.set(one);
        let p = m.pipeline("sum");
        io.y.set(p.leave((p.enter(io.x) ^ p.enter(two)).next()));
    });
}

/// An enable that an output also reads is data there.
#[test]
fn an_enable_that_is_data() {
    states("latency_of_an_enable_that_is_data", 1, |m, io| {
        m.enabled_by(io.go);
        let last = m.reg_reset(bits(8), 0);
        last.set(io.x);
        io.y.set(last & io.go.repeat(8));
    });
    states("latency_of_registers_behind_an_enable", 0, |m, io| {
        io.x.unused();
        m.enabled_by(io.go);
        let late = (0..3).fold(io.go.zext(8), |x, _| {
            let r = m.reg(bits(8));
            r.set(x);
            r
        });
        io.y.set(late);
    });
    states("latency_under_two_enables", 1, |m, io| {
        let both = io.go & io.x.bit(0);
        let [one, two] = [0, 1].map(|_| m.reg(bits(8)).enable(io.go));
        one.set(io.x);
        two.set(one);
        io.y.set(two ^ m.in_enabled(both, || m.lit(0u32, 8)));
    });
}

/// A register that holds counts as every other: only one that reads itself may show what the items before left.
#[test]
#[module]
fn a_register_that_holds_counts() {
    common::mistakes::reports("latency_over_a_held_register", |m, io| {
        m.latency(1);
        let (held, behind) = (m.reg(bits(8)).enable(io.c), m.reg(bits(8)));
        held.set(io.a);
        behind.set(held);
        io.y.set(behind);
        io.b.unused();
    });
}
