//! What is tried to find out whether a constant moves: numbers that the module names, of whole signals, of some bits and of expressions.
#![allow(missing_docs)]

use super::errors_constants::{EnabledPorts, enabled};
use hdl::*;

/// One number of many that the module names.
#[test]
#[module]
fn a_number_that_a_signal_is_compared_with_is_tried() {
    for wires in 0..30 {
        let loaded = |m: Module, io: EnabledPorts, [_, left]: [Signal; 2]| {
            let others = (0..20).map(|n| io.x.eq(7 * n + 1)).reduce(|a, b| a | b).expect("some");
            m.cover(others, "other numbers of this width");
            let loaded = m.reg(bits(8));
            m.when(io.n.trunc(8).ne(200), || loaded.set(left));
            loaded
        };
        enabled(wires, &|io| io.k.bit(0), &loaded).unwrap_or_else(|e| panic!("{wires}: {e}"));
    }
}

/// Bits that hold on terms of their own, beside bits that do not.
#[test]
#[module]
fn bits_that_hold_are_constants_beside_others() {
    let loaded = |m: Module, io: EnabledPorts, [_, left]: [Signal; 2]| {
        let r = m.reg(bits(8));
        r.bits(3, 0).set(io.k.trunc(4));
        m.when(io.n.bit(0), || r.set(left.bits(3, 0).cat(io.k.trunc(4))));
        r
    };
    enabled(0, &|io| io.k.bit(0), &loaded).unwrap_or_else(|e| panic!("{e}"));
}

ports! {
    struct EqualPorts() {
        input n: Signal = bits(16),
        input j: Signal = bits(16),
        input x: Signal = bits(8),
        input k: Signal = bits(16),
        output y: Signal = bits(8),
    }
}

/// Of several signals that are equal all have one number, in whatever order.
#[test]
#[module]
fn equal_signals_are_equal_in_any_order() {
    let m = Module::new("example");
    let io = EqualPorts::new(m);
    let p = m.pipeline_enabled("items", io.n.eq(io.k) & io.j.eq(io.k));
    let x = p.enter(io.x).next();
    let loaded = m.reg(bits(8));
    m.when(io.n.eq(io.j), || loaded.set(p.leave(x)));
    io.y.set(p.leave((x + p.constant(loaded)).next()));
    let errors = m.finish(io).expect_err("it moves").to_string();
    assert!(errors.contains("moves with its items"), "{errors}");
}

/// An enable over some bits, built a second time for the register: it is the same.
#[test]
#[module]
fn an_enable_over_some_bits_is_known() {
    let conditions: [fn(EnabledPorts) -> Signal; 8] = [
        |io| (io.n ^ io.k).eq(0x1234),
        |io| io.n.eq(io.k + 1),
        |io| (io.n - io.k).eq(5),
        |io| (io.n.bits(7, 0) * io.k.bits(7, 0)).eq(221),
        |io| io.n.bits(15, 4).all(),
        |io| io.n.bits(15, 8).eq(0x12) & io.n.bits(7, 0).eq(0x34),
        |io| io.n.bits(11, 4).eq(0x12) & io.k.bits(11, 4).eq(0x34),
        |io| (!io.n.bits(11, 4)).cat(io.k.bits(9, 2)).eq(0x1234),
    ];
    for (i, condition) in conditions.iter().enumerate() {
        let loaded = |m: Module, io: EnabledPorts, [_, left]: [Signal; 2]| {
            let loaded = m.reg(bits(8));
            m.when(condition(io), || loaded.set(left));
            loaded
        };
        let errors = enabled(0, condition, &loaded).expect_err("it moves").to_string();
        assert!(errors.contains("moves with its items"), "{i}: {errors}");
    }
}

/// A number of some bits is tried, too.
#[test]
#[module]
fn a_number_that_some_bits_are_compared_with_is_tried() {
    let conditions: [fn(EnabledPorts) -> Signal; 3] =
        [|io| io.n.bits(11, 4).ne(0x5a), |io| io.n.cat(io.x).ne(0x12_3456), |io| (!io.n.trunc(8)).ne(7)];
    for (i, condition) in conditions.iter().enumerate() {
        let loaded = |m: Module, io: EnabledPorts, [_, left]: [Signal; 2]| {
            let loaded = m.reg(bits(8));
            m.when(condition(io), || loaded.set(left));
            loaded
        };
        enabled(0, &|io| io.k.bit(0), &loaded).unwrap_or_else(|e| panic!("{i}: {e}"));
    }
}

/// The same of a word of a memory, which is read twice.
#[test]
#[module]
fn a_word_that_is_read_twice_is_one() {
    let m = Module::new("example");
    let io = EnabledPorts::new(m);
    let words = m.memory(bits(16), 16);
    words.write(io.k.trunc(4), io.k, m.lit(1u32, 1));
    let go = || words.read(io.n.trunc(4)).eq(0x1234);
    let p = m.pipeline_enabled("items", go());
    let x = p.enter(io.x).next();
    let loaded = m.reg(bits(8));
    m.when(go(), || loaded.set(p.leave(x)));
    io.y.set(p.leave((x + p.constant(loaded)).next()));
    let errors = m.finish(io).expect_err("it moves").to_string();
    assert!(errors.contains("moves with its items"), "{errors}");
}
