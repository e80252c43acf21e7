//! Registers that take something wherever the items of a pipeline go on are none of its constants, in whatever form that is written:
//! tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{Io, reports};
use hdl::*;

/// A register that takes `left` where items of `sum` go on, which stands while `c` is 0.
fn advances(how: u32, m: Module, io: &Io) {
    let c = io.c;
    let enable = match how {
        6 | 7 => !c,
        8 | 9 | 12 | 16 | 17 => io.b.ne(0),
        18 => io.b.lt(5),
        10 | 11 => io.b.eq(3),
        13 => !(c | io.b.lt(4)),
        _ => c,
    };
    let p = m.pipeline_enabled("sum", enable);
    let left = p.leave(p.enter(io.a).next());
    let r = m.reg(bits(8));
    let set = || r.set(left);
    match how {
        0 => {
            m.when(!!c, set);
        }
        1 => {
            m.when(c.eq(1), set);
        }
        2 => {
            m.when(c | io.b.bit(0), set);
        }
        3 => {
            m.when(c.ne(0), set);
        }
        4 => m.when(!c, || ()).otherwise(set),
        5 => r.set((!c).mux(r, left)),
        6 => {
            m.when(!c, set);
        }
        7 => {
            m.when(c.eq(0), set);
        }
        8 => {
            m.when(io.b.any(), set);
        }
        9 => m.when(io.b.eq(0), || ()).otherwise(set),
        10 => m.switch(io.b, |s| {
            s.case(3, set);
            s.default(|| ());
        }),
        11 => {
            m.when(io.b.bit(0) & io.b.bit(1), set);
        }
        12 => m.switch(io.b, |s| {
            s.case(0, || ());
            s.default(set);
        }),
        16 => {
            m.when(io.b.gt(0), set);
        }
        17 => {
            m.when(io.b.lt(1), || ()).otherwise(set);
        }
        18 => {
            m.when(io.b.le(4), set);
        }
        13 => {
            m.when(!c & io.b.ge(4), set);
        }
        14 => m.switch(c, |s| {
            s.case(0, || ());
            s.case(1, set);
        }),
        _ => {
            let go = m.wire(bits(1));
            go.set(0);
            m.when(c, || go.set(1));
            m.when(go, set);
        }
    }
    io.y.set(p.leave((p.enter(io.a) + p.constant(r)).next()));
}

/// Conditions that are 1 where the items go on, in any form.
#[test]
#[module]
fn that_advance() {
    for how in 0..19 {
        reports(&format!("constant_that_advances_also_{how}"), |m, io| advances(how, m, &io));
    }
}

/// What says the same in a way that only numbers show.
#[test]
#[module]
fn that_advance_by_other_terms() {
    for how in 0..12 {
        reports(&format!("constant_that_advances_otherwise_{how}"), |m, io| {
            let (b, c, d, n) = (io.b, io.c, io.b.bit(3), io.b.bits(2, 0));
            let enable = match how {
                0 | 1 => c | d,
                2 | 3 => !(c & !d),
                4 | 5 => c ^ d,
                6 => c.mux(d, b.bit(0)),
                7 => c & n.eq(2),
                8 | 9 => n.ne(0),
                _ => n.lt(5),
            };
            let p = m.pipeline_enabled("sum", enable);
            let left = p.leave(p.enter(io.a).next());
            let r = m.reg(bits(8));
            let set = || r.set(left);
            match how {
                0 => m.when(c, set).elsewhen(d, set).otherwise(|| ()),
                1 => m.when(!c & !d, || ()).otherwise(set),
                2 => m.when(!c | d, set).otherwise(|| ()),
                3 => m.when(c, || m.when(d, set).otherwise(|| ())).otherwise(set),
                4 => m.when(c.ne(d), set).otherwise(|| ()),
                5 => m.switch(c.cat(d), |s| {
                    s.case(1, set);
                    s.case(2, set);
                    s.default(|| ());
                }),
                6 => m.when(c, || m.when(d, set).otherwise(|| ())).elsewhen(b.bit(0), set).otherwise(|| ()),
                7 => m.switch(c.cat(n), |s| {
                    s.case(0b1010, set);
                    s.default(|| ());
                }),
                8 => m.when(n.bit(0) | n.bit(1) | n.bit(2), set).otherwise(|| ()),
                9 => r.set(n.zext(5).eq(0).mux(r, left)),
                10 => m.when(n.lt(6), set).otherwise(|| ()),
                _ => {
                    let next = m.wire(bits(8));
                    next.set(r);
                    m.when(n.le(4), || next.set(left));
                    r.set(next);
                }
            }
            io.y.set(p.leave((p.enter(io.a) + p.constant(r)).next()));
        });
    }
}

/// Conditions of the same form, of other signals or numbers, are the user's word.
#[test]
#[module]
fn that_are_not_the_enable() {
    for how in 0..6 {
        let m = Module::new("example");
        let io = Io::new(m);
        [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
        let enable = if how < 2 { io.c } else { io.b.ne(0) };
        let p = m.pipeline_enabled("sum", enable);
        let left = p.leave(p.enter(io.a).next());
        let r = m.reg(bits(8));
        let when = match how {
            0 => !io.b.bit(0),
            1 => io.c & io.b.bit(0),
            2 => io.a.ne(0),
            3 => io.b.ne(1),
            4 => io.b.eq(0),
            _ => io.b.bit(3),
        };
        m.when(when, || r.set(left));
        io.y.set(p.leave((p.enter(io.a) + p.constant(r)).next()));
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}
