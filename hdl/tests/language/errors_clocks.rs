//! The errors about clocks, as the user reads them: tests/errors/clock_NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::*;

ports! {
    pub struct Io() {
        input a: Signal = bits(8),
        input c: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Builds a module with a second clock and compares what `finish` says with the file.
#[track_caller]
pub fn reports(name: &str, build: impl FnOnce(Module, Io, ClockDomain)) {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.c].into_iter().for_each(Signal::unused);
    let rx = m.clock_domain("rx_clk", "rx_rst");
    build(m, io, rx);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("clock_{name}.txt"), &stable(&errors.to_string()));
}

/// A counter of the other clock.
#[module]
pub fn counter(m: Module, domain: ClockDomain) -> Signal {
    let count = m.in_domain(domain, || m.reg_reset(bits(8), 0));
    count.set(count + 1);
    count
}

#[test]
#[module]
fn register() {
    reports("register", |m, io, rx| {
        let count = counter(m, rx);
        let seen = m.reg(bits(8));
        seen.set(count + 3);
        io.y.set(seen);
    });
}

#[test]
#[module]
fn condition_enable_and_place() {
    reports("condition", |m, io, rx| {
        let count = counter(m, rx);
        let (seen, held, parts) = (m.reg(bits(8)), m.reg(bits(8)).enable(count.bit(0)), m.reg(bits(8)));
        m.when(count.eq(7), || seen.set(io.a));
        held.set(seen);
        parts.part(count.trunc(3), 1).set(held.bit(0));
        io.y.set(parts);
    });
}

#[test]
#[module]
fn asynchronous_resets() {
    reports("asynchronous_reset", |m, io, rx| {
        let count = counter(m, rx);
        let other = m.reg(bits(8)).asynchronous_reset(count.bit(7), 1);
        let twice = m.reg_reset(bits(8), 0).asynchronous_reset(io.c, 0);
        let wide = m.reg(bits(8)).asynchronous_reset(io.a, 0);
        let big = m.reg(bits(8)).asynchronous_reset(io.c, 256);
        let changing = m.reg(bits(8)).asynchronous_reset(io.c, io.a);
        [other, twice, wide, big, changing].into_iter().for_each(|reg| reg.set(io.a));
        (io.a + 1).asynchronous_reset(io.c, 0);
        io.y.set(other ^ twice ^ wide ^ big ^ changing);
    });
    reports("asynchronous_reset_crossing", |m, io, rx| {
        let count = counter(m, rx);
        let seen = m.reg(bits(8)).asynchronous_reset(count.bit(7), 1);
        seen.set(io.a);
        io.y.set(seen);
    });
    reports("asynchronous_reset_of_itself", |m, io, _| {
        let count = m.reg(bits(8));
        count.asynchronous_reset(count.bit(7), 0).set(count + 1);
        io.y.set(count);
    });
}

#[test]
#[module]
fn input_of_which_nothing_is_declared() {
    reports("input", |m, io, rx| {
        let seen = m.in_domain(rx, || m.reg(bits(8)));
        seen.set(io.a);
        m.port_domain(io.y, rx);
        io.y.set(seen);
    });
}

#[test]
#[module]
fn mixed_in_an_expression() {
    reports("mixed", |m, io, rx| {
        let here = m.reg_reset(bits(8), 0);
        let there = m.in_domain(rx, || m.reg_reset(bits(8), 0));
        here.set(here + 1);
        there.set(there + 1);
        let sum = here + there;
        let seen = m.reg(bits(8));
        seen.set(sum ^ 1);
        io.y.set(seen);
    });
}

#[test]
#[module]
fn mixed_in_a_wire() {
    reports("mixed_wire", |m, io, rx| {
        let here = m.reg_reset(bits(8), 0);
        let there = m.in_domain(rx, || m.reg_reset(bits(8), 0));
        here.set(here + 1);
        there.set(there + 1);
        let either = m.wire(bits(8));
        either.set(here);
        m.when(io.c, || either.set(there));
        io.y.set(either);
    });
}

#[test]
#[module]
fn output_of_another_clock() {
    reports("output", |m, io, rx| {
        let count = counter(m, m.current_domain());
        m.port_domain(io.y, rx);
        io.y.set(count);
    });
}

/// Adds 1 in the same cycle, or in the next.
#[module]
fn increment(registered: bool) -> Design<IncrementPorts> {
    let m = Module::new(if registered { "increment_r" } else { "increment" });
    let io = IncrementPorts::new(m);
    if registered {
        let sum = m.reg(bits(8));
        sum.set(io.x + 1);
        io.y.set(sum);
    } else {
        io.y.set(io.x + 1);
    }
    m.finish(io).unwrap()
}

ports! {
    struct IncrementPorts() {
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

#[test]
#[module]
fn input_of_an_instance() {
    reports("instance", |m, io, rx| {
        let count = counter(m, rx);
        let unit = m.instance(&increment(true));
        unit.x.set(count);
        io.y.set(unit.y);
    });
}

#[test]
#[module]
fn output_of_an_instance() {
    reports("instance_output", |m, io, rx| {
        let unit = m.instance(&increment(true)).connect_clock("clk", rx);
        unit.x.set(counter(m, rx));
        let seen = m.reg(bits(8));
        seen.set(unit.y);
        io.y.set(seen);
    });
}

/// A module without registers gives on what it gets.
#[test]
#[module]
fn through_an_instance() {
    reports("through_instance", |m, io, rx| {
        let count = counter(m, rx);
        let unit = m.instance(&increment(false));
        unit.x.set(count);
        let seen = m.reg(bits(8));
        seen.set(unit.y);
        io.y.set(seen);
    });
}

#[test]
#[module]
fn memory_of_two_clocks() {
    reports("memory", |m, io, rx| {
        let table = m.memory(bits(8), 256);
        table.write(io.a, io.a, io.c);
        let count = counter(m, rx);
        let word = m.in_domain(rx, || table.read_sync(count));
        m.port_domain(io.y, rx);
        io.y.set(word);
    });
}

#[test]
#[module]
fn memory_ports() {
    reports("memory_ports", |m, io, rx| {
        let table = m.memory(bits(8), 256);
        let count = counter(m, rx);
        table.write(count, io.a, io.c);
        io.y.set(table.read_sync_enabled(io.a, count.bit(0)));
    });
}

#[test]
#[module]
fn memory_read_in_the_same_cycle() {
    reports("memory_asynchronous", |m, io, rx| {
        let table = m.memory(bits(8), 256);
        table.write(io.a, io.a, io.c);
        let seen = m.reg(bits(8));
        seen.set(table.read(counter(m, rx)));
        io.y.set(seen);
    });
}

#[test]
#[module]
fn calls() {
    reports("calls", |m, io, rx| {
        let other = Module::new("other");
        let stranger = other.clock_domain("rx_clk", "rx_rst");
        let count = counter(m, rx);
        m.port_domain(count, rx);
        m.port_domain(io.y, stranger);
        m.clock_domain("rx clk", "rx_rst");
        let unit = m.instance(&increment(true)).connect_clock("clock", rx);
        unit.x.set(m.cross(count, m.current_domain(), " "));
        io.y.set(unit.y);
        let link = m.wire(stream(bits(8)));
        m.cross(link, rx, "none");
    });
}

#[test]
#[module]
fn asynchronous_is_no_clock() {
    reports("asynchronous_calls", |m, io, _| {
        let none = m.asynchronous();
        m.port_domain(io.y, none);
        let seen = m.in_domain(none, || m.reg(bits(8)));
        seen.set(m.cross(io.a, none, "a test"));
        m.reset_from(none, io.c);
        io.y.set(seen);
    });
}

/// Clocks and resets are ports: each name stands for one of them, whatever the polarity of the resets.
#[test]
#[module]
fn names_of_clocks_and_resets() {
    let two = |name: &str, first: [&str; 2], second: [&str; 2]| {
        reports(name, |m, io, _| {
            let held = [first, second].map(|[clock, reset]| m.domain(clock, reset, || m.reg_reset(bits(8), 0)));
            held.into_iter().for_each(|r| r.set(r));
            held.into_iter().for_each(Signal::unused);
            io.y.set(io.a);
        });
    };
    two("names_one_reset", ["a_clk", "a_rst"], ["b_clk", "a_rst"]);
    two("names_as_reset", ["a_clk", "b_clk"], ["b_clk", "b_rst"]);
    two("names_active_low", ["a_clk", "a_rst"], ["a_rst_n", "b_rst"]);
    two("names_twice", ["a_clk", "a_clk"], ["b_clk", "b_rst"]);
    two("names_underscore", ["_clk", "a_rst"], ["b_clk", "_rst"]);
}

ports! {
    pub struct PairPorts() {
        input x: Signal = bits(8),
        input z: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

#[module]
fn delayed() -> Design<PairPorts> {
    let m = Module::new("delayed");
    let io = PairPorts::new(m);
    let taken = m.reg(bits(8));
    taken.set(io.x ^ io.z);
    io.y.set(taken);
    m.finish(io).unwrap()
}

/// At its edges a clock has no value: nothing takes it up as data, also not behind a crossing or in an instance.
#[test]
#[module]
fn clocks_as_data() {
    for how in 0..4 {
        reports(&format!("as_data_{how}"), |m, io, rx| {
            let clock = m.clock();
            let count = m.reg(bits(8));
            count.set(if how == 0 { io.a + clock.zext(8) } else { io.a });
            match how {
                0 => {}
                1 => {
                    let taken = m.in_domain(rx, || m.reg(bits(1)));
                    taken.set(m.cross(clock, rx, "an example"));
                }
                2 => drop(m.when(clock, || count.set(0))),
                _ => {
                    let unit = m.instance(&delayed());
                    unit.x.set(io.a);
                    unit.z.set(clock.zext(8));
                }
            }
            io.y.set(count);
        });
    }
}

ports! {
    struct ForwardedPorts() {
        output ck: Signal = bits(1),
    }
}

#[module]
fn forwarded() -> Design<ForwardedPorts> {
    let m = Module::new("forwarded");
    let io = ForwardedPorts::new(m);
    io.ck.set(m.clock());
    m.finish(io).unwrap()
}

/// Nor out of an instance, as a reset, or in a property.
#[test]
#[module]
fn clocks_out_of_instances() {
    for how in 0..4 {
        reports(&format!("of_an_instance_{how}"), |m, io, _| {
            let unit = m.instance(&forwarded());
            let count = m.reg_reset(bits(8), 0);
            count.set(count + if how == 0 { unit.ck.zext(8) } else { m.lit(1u32, 8) });
            match how {
                1 => m.reset_from(m.current_domain(), m.clock()),
                2 => m.reg(bits(8)).asynchronous_reset(unit.ck, 3).set(count),
                3 => m.assert(m.clock(), "it is 1"),
                _ => {}
            }
            io.y.set(count);
        });
    }
}

/// A clock of an instance is connected once.
#[test]
#[module]
fn clock_connected_twice() {
    reports("connected_twice", |m, io, rx| {
        let unit = m.instance(&delayed()).connect_clock("clk", rx).connect_clock("clk", m.current_domain());
        unit.x.set(io.a);
        unit.z.set(io.a);
        io.y.set(unit.y);
    });
}
