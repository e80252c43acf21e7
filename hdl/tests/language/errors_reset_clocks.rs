//! Registers that reset clocks, or that are reset with them: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{Io, reports};
use hdl::*;

/// A register that takes a value from `from`, and that `by` resets at once.
pub fn reset_by(m: Module, by: Signal, to: u32, from: Signal) -> Signal {
    let r = m.reg(bits(1)).asynchronous_reset(by, to);
    r.set(from);
    r
}

/// Printed with asynchronous resets, the reset of a clock acts at once, too.
#[test]
#[module]
fn resets_that_end_with_their_clock() {
    let child = clocked(0).unwrap();
    for how in 0..8 {
        reports(&format!("reset_that_ends_with_its_clock_{how}"), |m, io| {
            let clk = m.current_domain();
            let first = m.reg(bits(1));
            first.set(io.c);
            let count = m.reg_reset(bits(1), how / 6);
            count.set(io.a.bit(0));
            let unit = || {
                let unit = m.instance(&child);
                unit.clear.set(io.c);
                unit.x.set(io.a);
                unit
            };
            match how {
                // it resets the clock in which it stands: itself, the other by the other, or in an instance
                0 | 7 => m.reset_from(clk, count),
                1 | 6 => {
                    let fast = m.clock_domain("fast", "fast_rst");
                    let crossed = m.cross(count, fast, "a reset");
                    m.reset_from(fast, crossed);
                    let other = m.in_domain(fast, || {
                        let other = m.reg_reset(bits(1), how / 6);
                        other.set(!other);
                        other
                    });
                    m.reset_from(clk, m.cross(other, clk, "a reset"));
                }
                2 => m.reset_from(clk, unit().first),
                // an instance, in which something is reset that resets others
                3 => {
                    unit();
                    m.reset_from(clk, first);
                }
                4 => {
                    m.reset_from(clk, first);
                    m.reg(bits(1)).asynchronous_reset(count, 0).set(1);
                }
                _ => {
                    let around = m.instance(&around_clocked());
                    around.clear.set(io.c);
                    around.x.set(io.a);
                    m.reset_from(clk, first);
                }
            }
            io.y.set(count.zext(8));
        });
    }
}

#[module]
fn around_clocked() -> Design<ClearedPorts> {
    let m = Module::new("around_clocked");
    let io = ClearedPorts::new(m);
    let unit = m.instance(&clocked(0).unwrap());
    unit.clear.set(io.clear);
    unit.x.set(io.x);
    io.y.set(unit.y ^ unit.first.zext(8));
    m.finish(io).unwrap()
}

/// A register resets another at once, and is reset with the clock.
#[module]
fn clocked(to: u32) -> Result<Design<ClockedPorts>, Errors> {
    let m = Module::new("clocked");
    let io = ClockedPorts::new(m);
    let first = m.reg_reset(bits(1), to);
    first.set(io.clear);
    let count = m.reg(bits(8)).asynchronous_reset(first, 5);
    count.set(io.x);
    io.y.set(count);
    io.first.set(first);
    m.finish(io)
}

/// What resets stays as it resets, when its clock is reset.
#[test]
#[module]
fn resets_that_last_with_their_clock() {
    let child = clocked(1).unwrap();
    let m = Module::new("lasting_with_its_clock");
    let io = ClearedPorts::new(m);
    let first = m.reg(bits(1));
    first.set(io.clear);
    m.reset_from(m.current_domain(), first);
    let unit = m.instance(&child);
    unit.clear.set(io.clear);
    unit.x.set(io.x);
    let count = m.reg(bits(8)).asynchronous_reset(unit.first, 0);
    count.set(io.x);
    io.y.set(unit.y ^ count);
    m.finish(io).unwrap();
}

/// A register that a port resets, and which resets what its module is given a reset for.
#[module]
fn soft(to: u32) -> Design<ClockedPorts> {
    let m = Module::new("soft_reset");
    let io = ClockedPorts::new(m);
    m.reset_from(m.current_domain(), io.clear);
    let first = m.reg_reset(bits(1), to);
    first.set(io.x.bit(0));
    io.first.set(first);
    io.y.set(io.x);
    m.finish(io).unwrap()
}

/// By way of an instance, of another register, or of what says that a clock is in reset.
#[test]
#[module]
fn resets_in_a_circle() {
    for how in 0..6 {
        reports(&format!("reset_in_a_circle_{how}"), |m, io| {
            let clk = m.current_domain();
            let unit = |to| {
                let unit = m.instance(&soft(to));
                unit.x.set(io.a);
                unit
            };
            let count = m.reg_reset(bits(8), 0);
            count.set(io.a);
            match how {
                0 => {
                    let unit = unit(1);
                    unit.clear.set(unit.first);
                }
                1 => {
                    let (one, other) = (unit(1), unit(1));
                    one.clear.set(other.first);
                    other.clear.set(one.first);
                }
                2 => {
                    let unit = unit(0);
                    unit.clear.set(!unit.first);
                }
                3 | 4 => {
                    let first = m.reg_reset(bits(1), how - 3);
                    first.set(io.c);
                    let second = m.reg(bits(1)).asynchronous_reset(if how == 3 { !first } else { first }, 1);
                    second.set(0);
                    m.reset_from(clk, second);
                }
                _ => {
                    let fast = m.clock_domain("fast", "fast_rst");
                    let first = m.in_domain(fast, || m.reg_reset(bits(1), 1));
                    first.set(0);
                    m.reset_from(fast, m.cross(m.in_reset(), fast, "a reset"));
                    m.reset_from(clk, m.cross(first, clk, "a reset"));
                }
            }
            io.y.set(count);
        });
    }
}

ports! {
    struct PassingPorts() {
        input i: Signal = bits(1),
        output o: Signal = bits(1),
    }
}

#[module]
fn inverter() -> Design<PassingPorts> {
    let m = Module::new("inverter");
    let io = PassingPorts::new(m);
    io.o.set(!io.i);
    m.finish(io).unwrap()
}

/// As [`reset_by`] twice: it begins with `i`, and ends at an edge.
#[module]
fn synchronized_reset() -> Design<PassingPorts> {
    let m = Module::new("synchronized_reset");
    let io = PassingPorts::new(m);
    let first = reset_by(m, io.i, 1, m.lit(0u32, 1));
    let second = reset_by(m, io.i, 1, first);
    io.o.set(second);
    m.finish(io).unwrap()
}

/// A soft reset in a clock whose reset begins with a port alone: by a synchronizer, by one in an instance, or through an instance.
#[test]
#[module]
fn soft_resets() {
    for how in 0..4 {
        let m = Module::new(format!("soft_{how}"));
        let io = ClearedPorts::new(m);
        let clk = m.current_domain();
        let instance = |design: &Design<PassingPorts>| {
            let unit = m.instance(design);
            unit.i.set(io.clear);
            unit.o
        };
        match how {
            0 => m.reset_from(clk, reset_by(m, io.clear, 1, reset_by(m, io.clear, 1, m.lit(0u32, 1)))),
            1 => m.reset_from(clk, instance(&synchronized_reset())),
            2 => m.reset_from(clk, instance(&inverter())),
            _ => {}
        }
        let by = if how == 3 { instance(&inverter()) } else { io.clear };
        let soft = if how == 3 { reset_by(m, by, 0, io.x.bit(0)) } else { m.reg_reset(bits(1), 0) };
        if how < 3 {
            soft.set(io.x.bit(0));
        }
        let core = m.clock_domain("core", "core_rst");
        m.reset_from(core, m.cross(soft, core, "it goes through a synchronizer"));
        let count = m.in_domain(core, || m.reg_reset(bits(8), 0));
        count.set(count + 1);
        m.port_domain(io.y, core);
        io.y.set(count);
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}

/// A reset controller: its clock is reset by a synchronizer, and it gives out a soft reset.
#[module]
fn controller() -> Design<ClockedPorts> {
    let m = Module::new("controller");
    let io = ClockedPorts::new(m);
    m.reset_from(m.current_domain(), reset_by(m, io.clear, 1, m.lit(0u32, 1)));
    let first = m.reg_reset(bits(1), 0);
    first.set(io.x.bit(0));
    io.first.set(first);
    io.y.set(io.x);
    m.finish(io).unwrap()
}

/// Active at 0: it ends a reset that `x` begins.
#[module]
fn active_low() -> Design<ClearedPorts> {
    let m = Module::new("active_low");
    let io = ClearedPorts::new(m);
    let first = reset_by(m, !io.clear, 0, io.x.bit(0));
    let count = m.reg(bits(8)).asynchronous_reset(first, 5);
    count.set(io.x);
    io.y.set(count);
    m.finish(io).unwrap()
}

/// Resets of which it is known, in an instance or by their polarity, that they begin with a port.
#[test]
#[module]
fn resets_that_begin_in_an_instance() {
    for how in 0..3 {
        let m = Module::new(format!("begun_{how}"));
        let io = ClearedPorts::new(m);
        if how == 0 {
            let unit = m.instance(&controller());
            unit.clear.set(io.clear);
            unit.x.set(io.x);
            let count = m.reg(bits(8)).asynchronous_reset(unit.first, 0);
            count.set(io.x);
            io.y.set(count ^ unit.y);
        } else {
            let unit = m.instance(&active_low());
            // both begin with a port: by a register that lets go at an edge, or at once
            let both = io.clear & io.x.bit(1);
            unit.clear.set(if how == 1 { reset_by(m, !io.clear, 0, m.lit(1u32, 1)) } else { both });
            unit.x.set(io.x);
            io.y.set(unit.y);
        }
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}

/// What begins at an edge, by its polarity or by another register's reset; and what does not, through logic that shares all its parts.
#[test]
#[module]
fn resets_that_begin_at_an_edge() {
    reports("reset_that_begins_by_polarity", |m, io| {
        let unit = m.instance(&active_low());
        unit.clear.set(reset_by(m, io.c, 1, m.lit(0u32, 1)));
        unit.x.set(io.a);
        io.y.set(unit.y);
    });
    reports("reset_that_begins_with_another", |m, io| {
        let first = reset_by(m, io.a.bit(0), 1, m.lit(0u32, 1));
        let second = reset_by(m, io.c, 1, first);
        let ended = reset_by(m, second, 0, io.a.bit(1));
        let count = m.reg(bits(8)).asynchronous_reset(ended, 5);
        count.set(io.a);
        io.y.set(count);
    });
    // logic that shares all its parts, of what has the same reset: it never begins at an edge
    let m = Module::new("example");
    let io = Io::new(m);
    let first = reset_by(m, io.c, 1, m.lit(0u32, 1));
    let shared = (0..64).fold(first, |x, _| x | x);
    let ended = reset_by(m, reset_by(m, io.c, 1, shared), 0, io.a.bit(1));
    let count = m.reg(bits(8)).asynchronous_reset(ended, 5);
    count.set(io.a);
    io.y.set(count ^ io.b.zext(8));
    m.finish(io).unwrap();
}

ports! {
    struct ClockedPorts() {
        input clear: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
        output first: Signal = bits(1),
    }
}

ports! {
    struct ClearedPorts() {
        input clear: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// The reset of a clock as a reset: what is behind it counts. Its complement is none, since several things may end it.
#[test]
#[module]
fn resets_of_clocks_as_resets() {
    for how in 0..3 {
        reports(&format!("reset_of_a_clock_as_reset_{how}"), |m, io| {
            let (a, b) = (io.a.bit(0), io.a.bit(1));
            let clear = match how {
                0 => {
                    let s = reset_by(m, a, 1, m.lit(0u32, 1));
                    m.reset_from(m.current_domain(), s);
                    reset_by(m, !m.in_reset(), 0, b)
                }
                1 => !m.in_reset(),
                _ => {
                    let s = m.reg(bits(1));
                    s.set(b);
                    m.reset_from(m.current_domain(), s);
                    reset_by(m, m.in_reset(), 0, b)
                }
            };
            let count = m.reg(bits(8)).asynchronous_reset(clear, 9);
            count.set(count + 1);
            io.y.set(count ^ io.b.cat(io.c.zext(4)));
        });
    }
}
