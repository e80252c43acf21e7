//! Registers that reset others as soon as they are 1: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::reports;
use hdl::*;

/// A register that takes a value from `from`, and that `by` resets at once.
fn reset_by(m: Module, by: Signal, to: u32, from: Signal) -> Signal {
    let r = m.reg(bits(1)).asynchronous_reset(by, to);
    r.set(from);
    r
}

/// What rises at an edge and falls within it may or may not reset others.
#[test]
#[module]
fn resets_that_may_end_at_once() {
    reports("reset_that_ends_at_once", |m, io| {
        let first = m.reg_reset(bits(1), 0);
        first.set(io.c);
        let second = reset_by(m, first, 0, io.a.bit(0));
        let count = m.reg(bits(8)).asynchronous_reset(second, 5);
        count.set(io.a);
        io.y.set(count);
    });
    // active at 0, a bit of several, through a wire and into an instance
    reports("reset_that_ends_at_once_inverted", |m, io| {
        let first = m.reg_reset(bits(4), 0);
        first.set(io.b);
        let second = m.reg(bits(2)).asynchronous_reset(!first.bit(2), 2);
        second.set(io.b.bits(1, 0));
        let third = m.wire(bits(1));
        third.set(!second.bit(1));
        let unit = m.instance(&cleared());
        unit.clear.set(third);
        unit.x.set(io.a);
        io.y.set(unit.y);
    });
}

/// Logic may be 1 for a moment: as such, in a domain's reset, through a wire or a bit that a signal chooses, out of an instance, and for an
/// instance that resets with it.
#[test]
#[module]
fn resets_out_of_logic() {
    for how in 0..11 {
        reports(&format!("reset_out_of_logic_{how}"), |m, io| {
            let (first, second) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
            first.set(io.c);
            second.set(!io.c);
            let either = first ^ !second;
            let wire = m.wire(bits(1));
            wire.set(false);
            m.when(first, || wire.set(second));
            let unit = m.instance(&both());
            unit.a.set(first);
            unit.b.set(second);
            let reset = match how {
                1 => !wire,
                2 => io.a.part(io.a.trunc(3), 1),
                3 => unit.out_of_logic,
                4 => unit.first & first,
                7 => !(first | io.c),
                8 => unit.assigned_twice,
                9 => !unit.assigned_twice | first,
                10 => unit.reset,
                _ => either,
            };
            if how == 5 {
                m.reset_from(m.current_domain(), reset);
            }
            let count = m.reg_reset(bits(8), 0);
            count.set(io.a);
            let at_once = m.reg(bits(8));
            if !(5..7).contains(&how) {
                at_once.asynchronous_reset(reset, 5);
            }
            at_once.set(count);
            let cleared = m.instance(&cleared());
            cleared.clear.set(if how == 6 { reset } else { first });
            cleared.x.set(at_once);
            io.y.set(cleared.y);
        });
    }
}

ports! {
    struct BothPorts() {
        input a: Signal = bits(1),
        input b: Signal = bits(1),
        output first: Signal = bits(1),
        output out_of_logic: Signal = bits(1),
        output assigned_twice: Signal = bits(1),
        output reset: Signal = bits(1),
    }
}

/// One output is an input, one comes out of logic, and two are registers that may rise and fall at one edge.
#[module]
fn both() -> Design<BothPorts> {
    let m = Module::new("both");
    let io = BothPorts::new(m);
    io.first.set(!io.a);
    io.out_of_logic.set(io.a ^ !io.b);
    let twice = m.reg_reset(bits(1), 0);
    twice.set(io.a);
    m.when(io.b, || twice.set(false));
    io.assigned_twice.set(twice);
    let reset = m.reg(bits(1)).asynchronous_reset(io.b, 0);
    reset.set(io.a);
    io.reset.set(reset);
    m.finish(io).unwrap()
}

/// A port, a register, a bit, the complement, also out of a concatenation or an instance.
#[test]
#[module]
fn resets_that_change_once() {
    for how in 0..7 {
        let m = Module::new("changes_once");
        let io = ClearedPorts::new(m);
        let state = m.reg_reset(bits(2), 0);
        state.set(io.x.trunc(2));
        let unit = m.instance(&both());
        unit.a.set(state.bit(1));
        unit.b.set(io.clear);
        [unit.out_of_logic, unit.assigned_twice, unit.reset].into_iter().for_each(Signal::unused);
        let reset = match how {
            0 => !io.clear,
            1 => state.bit(1),
            2 => state.bit(0).cat(io.clear).bit(1),
            3 => !unit.first,
            // a reset as several ask for it, active at 1 or at 0
            4 => io.clear | !unit.first | state.any(),
            5 => !(io.clear & state.all()),
            _ => m.in_reset(),
        };
        let count = m.reg(bits(8)).asynchronous_reset(reset, 5);
        count.set(io.x);
        io.y.set(count ^ unit.first.zext(8));
        io.clear.unused();
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}

/// What resets the reset leaves it as it resets the others, or comes in by a port.
#[test]
fn resets_that_last() {
    (0..3).for_each(|kind| drop(lasting(kind).unwrap()));
}

#[module]
fn lasting(kind: u32) -> Result<Design<ClearedPorts>, Errors> {
    let m = Module::new("lasting");
    let io = ClearedPorts::new(m);
    let first = m.reg_reset(bits(1), 0);
    first.set(io.clear);
    let reset = match kind {
        // a reset synchronizer
        0 => reset_by(m, reset_by(m, first, 1, m.lit(0u32, 1)), 1, m.lit(0u32, 1)),
        1 => !reset_by(m, first, 0, m.lit(1u32, 1)),
        _ => reset_by(m, io.clear, 0, io.x.bit(0)),
    };
    let count = m.reg(bits(8)).asynchronous_reset(reset, 5);
    count.set(io.x);
    io.y.set(count ^ first.zext(8));
    m.finish(io)
}

/// A register of the module around, or of the one around that, ends the reset inside.
#[test]
#[module]
fn resets_that_end_in_an_instance() {
    #[module]
    fn around() -> Design<ClearedPorts> {
        let m = Module::new("around");
        let io = ClearedPorts::new(m);
        let unit = m.instance(&lasting(2).unwrap());
        unit.clear.set(io.clear);
        unit.x.set(io.x);
        io.y.set(unit.y);
        m.finish(io).unwrap()
    }
    for (name, inner) in [("reset_that_ends_inside", lasting(2).unwrap()), ("reset_that_ends_further_inside", around())]
    {
        reports(name, |m, io| {
            let first = m.reg_reset(bits(1), 0);
            first.set(io.c);
            let unit = m.instance(&inner);
            unit.clear.set(!first);
            unit.x.set(io.a);
            io.y.set(unit.y);
        });
    }
}

ports! {
    struct ClearedPorts() {
        input clear: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

#[module]
fn cleared() -> Design<ClearedPorts> {
    let m = Module::new("cleared");
    let io = ClearedPorts::new(m);
    let count = m.reg(bits(8)).asynchronous_reset(io.clear, 9);
    count.set(io.x);
    io.y.set(count);
    m.finish(io).unwrap()
}

ports! {
    struct ItemPorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(8),
        input clear: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// A delay or a sum that an input resets: at the edge, a cycle later, at once, or inside of an instance; whatever `go` is.
#[module]
fn cleared_by(how: u32) -> Design<ItemPorts> {
    let m = Module::new(format!("cleared_by_{how}"));
    let io = ItemPorts::new(m);
    m.latency(u32::from(how != 2));
    m.enabled_by(io.go);
    match how {
        0 | 1 => {
            let later = m.reg(bits(1));
            later.set(io.clear);
            m.reset_from(m.current_domain(), if how == 0 { io.clear } else { later });
            let last = m.reg_reset(bits(8), 0);
            last.set(io.x);
            io.y.set(last);
        }
        2 => {
            let sum = m.reg(bits(8)).asynchronous_reset(io.clear, 0);
            sum.set(sum + io.x);
            io.y.set(sum);
        }
        _ => {
            m.reset_from(m.current_domain(), io.clear);
            let unit = m.instance(&delayed());
            unit.x.set(io.x);
            unit.clear.set(0);
            io.y.set(unit.y);
        }
    }
    m.finish(io).unwrap()
}

#[module]
fn delayed() -> Design<ItemPorts> {
    let m = Module::new("delayed");
    let io = ItemPorts::new(m);
    io.clear.unused();
    m.latency(1);
    m.enabled_by(io.go);
    let last = m.reg_reset(bits(8), 0);
    last.set(io.x);
    io.y.set(last);
    m.finish(io).unwrap()
}

/// An item that waits would reset what the one before it left.
#[test]
#[module]
fn an_item_resets_no_instance() {
    for how in 0..4 {
        reports(&format!("reset_by_an_item_{how}"), |m, io| {
            let p = m.pipeline_enabled("items", io.c);
            let (x, clear) = p.enter((io.a, io.b.bit(0)));
            let unit = m.instance(&cleared_by(how));
            unit.x.set(x);
            unit.clear.set(clear);
            io.y.set(p.leave(unit.y));
        });
    }
}

/// Resets that are gathered in a wire bit by bit, each from a register, and bits of it: only what they come from counts.
#[test]
#[module]
fn resets_gathered_bit_by_bit() {
    for wrong in [false, true] {
        let gathered = |m: Module, io: common::mistakes::Io| {
            let [first, second] = [(); 2].map(|_| m.reg_reset(bits(1), 0));
            first.set(io.c);
            second.set(!io.c);
            let clear = m.wire(bits(3));
            clear.bit(0).set(first);
            clear.bits(2, 1).set(second.cat(io.c));
            if wrong {
                m.when(io.a.bit(0), || clear.bit(2).set(0));
            }
            let count = m.reg(bits(8)).asynchronous_reset(clear.bit(2) | clear.bit(0), 5);
            count.set(io.a);
            io.y.set(count ^ clear.zext(8));
            io.b.unused();
        };
        if wrong {
            reports("reset_gathered_under_a_condition", gathered);
        } else {
            let m = Module::new("example");
            let io = common::mistakes::Io::new(m);
            gathered(m, io);
            let text = verilog(&m.finish(io).unwrap(), &Options::default()).single();
            assert!(text.contains("posedge"), "{text}");
        }
    }
}
