//! Forms of reset synchronizers, and what is none: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use crate::errors_reset_clocks::reset_by;
use common::mistakes::{Io, reports};
use hdl::*;

ports! {
    struct OnePorts() {
        output o: Signal = bits(1),
    }
}

#[module]
fn constant_one() -> Design<OnePorts> {
    let m = Module::new("constant_one");
    let io = OnePorts::new(m);
    io.o.set(1);
    m.finish(io).unwrap()
}

/// Reset synchronizers in their usual forms, and registers that spread a reset: they begin with a port and end at an edge, so a
/// register that they release may reset others.
#[test]
#[module]
fn forms_of_reset_synchronizers() {
    for how in 0..9 {
        let m = Module::new("example");
        let io = Io::new(m);
        let arst = io.a.bit(0);
        let reset = match how {
            // a shift register of several bits
            0 => {
                let s = m.reg(bits(3)).asynchronous_reset(arst, 7);
                s.set(s.bits(1, 0).cat(m.lit(0u32, 1)));
                s.msb()
            }
            1 => {
                let s = m.reg(bits(2)).asynchronous_reset(arst, 0);
                s.bit(0).set(1);
                s.bit(1).set(s.bit(0));
                !s.bit(1)
            }
            // a leaf of a tree takes what resets it
            2 => {
                let root = reset_by(m, arst, 1, m.lit(0u32, 1));
                reset_by(m, root, 1, root)
            }
            3 => {
                let root = reset_by(m, arst, 1, m.lit(0u32, 1));
                !reset_by(m, root, 0, !root)
            }
            // stages that go on now and then
            4 => {
                let first = reset_by(m, arst, 1, m.lit(0u32, 1));
                let second = m.reg(bits(1)).asynchronous_reset(arst, 1);
                m.when(io.a.bit(1), || second.set(first));
                second
            }
            5 => {
                let s = m.reg(bits(3)).asynchronous_reset(arst, 7);
                m.when(io.a.bit(1), || s.set(s.bits(1, 0).cat(m.lit(0u32, 1))));
                s.msb()
            }
            // a reset that is active at 0, its complement written anew at each stage; and compared with a number
            6 => reset_by(m, !arst, 1, reset_by(m, !arst, 1, m.lit(0u32, 1))),
            7 => reset_by(m, arst.eq(0), 1, reset_by(m, !arst, 1, m.lit(0u32, 1))),
            _ => reset_by(m, arst.eq(1), 1, reset_by(m, arst.ne(0), 1, m.lit(0u32, 1))),
        };
        let soft = reset_by(m, reset, 0, io.c);
        let count = m.reg(bits(8)).asynchronous_reset(soft, 9);
        count.set(count + 1);
        io.y.set(count ^ io.b.zext(8));
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
    // one that may begin again at an edge: by a constant, a signal, an output of an instance, at a place that a signal gives
    for how in 0..7 {
        reports(&format!("reset_synchronizer_that_begins_again_{how}"), |m, io| {
            let s = m.reg(bits(2)).asynchronous_reset(io.a.bit(0), 3);
            match how {
                0 => s.set(s.bit(0).cat(m.lit(1u32, 1))),
                1 => s.set(s.bit(0).cat(io.a.bit(1))),
                2 => {
                    s.set(0);
                    let one = m.instance(&constant_one());
                    m.when(io.a.bit(1), || s.set(one.o.repeat(2)));
                }
                3 => {
                    s.set(0);
                    s.part(io.a.bit(1), 1).set(1);
                }
                // a stage that takes from one and from another; a stage with the opposite reset before it; data now and then
                4 => {
                    let other = reset_by(m, io.a.bit(0), 1, m.lit(0u32, 1));
                    s.bit(0).set(0);
                    m.when(io.a.bit(1), || s.bit(1).set(s.bit(0))).otherwise(|| s.bit(1).set(other));
                }
                5 => s.set(reset_by(m, io.a.bit(0).eq(0), 1, m.lit(0u32, 1)).repeat(2)),
                _ => {
                    m.when(io.b.bit(0), || s.set(s.bit(0).cat(io.a.bit(1))));
                }
            }
            let soft = reset_by(m, s.msb(), 0, io.c);
            let count = m.reg(bits(8)).asynchronous_reset(soft, 9);
            count.set(count + 1);
            io.y.set(count ^ io.b.zext(8));
        });
    }
}
