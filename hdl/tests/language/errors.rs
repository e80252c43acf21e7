//! Every kind of error that the language reports, as the user reads it: tests/errors/NAME.txt. `BLESS=1` renews the files.
//! Memories, pipelines, signals of other modules and properties: errors_parts.rs.
#![allow(missing_docs)]

use crate::common;

use common::Phase;
use common::golden::{compare, stable};
use common::mistakes::{Io, increment, reports};
use hdl::*;

mod widths {
    use super::*;

    #[test]
    #[module]
    fn operator() {
        reports("width_operator", |_, io| {
            let nibble = io.b ^ 3;
            io.y.set(io.a + nibble);
        });
    }

    #[test]
    #[module]
    fn comparison() {
        reports("width_comparison", |m, io| {
            io.y.set(io.a);
            m.when(io.a.lt_signed(io.b), || io.y.set(0));
        });
    }

    #[test]
    fn mux() {
        reports("width_mux", |_, io| io.y.set(io.c.mux(io.a, io.b)));
    }

    #[test]
    fn set() {
        reports("width_set", |_, io| io.y.set(io.b));
    }

    #[test]
    #[module]
    fn set_of_a_part() {
        reports("width_set_part", |m, io| {
            let word = m.wire(bits(8));
            word.bits(7, 4).set(io.a.trunc(3));
            word.bits(3, 0).set(io.b);
            io.y.set(word);
        });
    }

    #[test]
    fn number() {
        reports("number_too_big", |_, io| {
            io.y.set(io.a + 256);
        });
        reports("number_too_negative", |_, io| io.y.set(io.a + -129));
        reports("literal_too_big", |m, io| io.y.set(io.b.cat(m.lit(16u32, 4))));
    }

    #[test]
    fn slice() {
        reports("slice_outside", |_, io| io.y.set(io.a.bits(8, 1)));
        reports("slice_reversed", |_, io| io.y.set(io.a.bits(0, 7)));
        reports("bit_outside", |_, io| io.y.set(io.a ^ io.b.bit(4).zext(8)));
        reports("drop_all", |_, io| io.y.set(io.a.drop_low(8).zext(8)));
    }

    #[test]
    fn cut_and_extend() {
        reports("trunc_wider", |_, io| io.y.set(io.b.trunc(8)));
        reports("trunc_to_nothing", |_, io| io.y.set(io.b.trunc(0).zext(8)));
        reports("zext_narrower", |_, io| io.y.set(io.a.zext(4).cat(io.b)));
        reports("sext_narrower", |_, io| io.y.set(io.a.sext(4).cat(io.b)));
    }

    #[test]
    fn repeat_and_lanes() {
        reports("repeat_0", |_, io| io.y.set(io.c.repeat(0).zext(8)));
        reports("lanes", |_, io| io.y.set(io.a.lanes(3).into_iter().fold(io.b, |x, lane| x ^ lane.zext(4)).zext(8)));
    }

    #[test]
    fn unpack() {
        #[derive(Clone, Copy, Bundle)]
        struct Pixel {
            red: Signal,
            green: Signal,
        }
        let pixel = Pixel { red: bits(5), green: bits(6) };
        reports("unpack_wide", |_, io| io.y.set(pixel.unpack(io.a.cat(io.b)).red.zext(8)));
        reports("unpack_narrow", |_, io| io.y.set(pixel.unpack(io.a).green.zext(8)));
    }

    #[test]
    fn shift() {
        reports("shift_negative", |_, io| io.y.set(io.a << -1));
    }

    #[test]
    #[module]
    fn condition() {
        reports("condition_wide", |m, io| {
            io.y.set(0);
            m.when(io.a, || io.y.set(1));
        });
        reports("condition_of_mux", |_, io| io.y.set(io.b.mux(io.a, io.a + 1)));
        reports("enable_wide", |m, io| {
            let held = m.reg(bits(8)).enable(io.b);
            held.set(io.a);
            io.y.set(held);
        });
    }

    #[test]
    fn part() {
        reports("part_index_width", |_, io| io.y.set(io.a.part(io.b, 4).zext(8)));
        reports("part_past_the_end", |_, io| io.y.set(io.a.part(io.b.trunc(3), 4).zext(8)));
    }

    #[test]
    fn zero() {
        reports("no_bits", |m, io| io.y.set(m.wire(bits(0)).zext(8)));
    }
}

mod control {
    use super::*;

    #[test]
    fn case_twice() {
        reports("case_twice", |m, io| {
            io.y.set(0);
            m.switch(io.b, |s| {
                s.case_any([1, 2], || io.y.set(1));
                s.case(2, || io.y.set(2));
            });
        });
        reports("state_twice", |m, io| {
            let phase = m.state(Phase::Idle);
            m.switch(phase, |s| {
                s.default(|| phase.set(Phase::Idle));
                s.case_any([Phase::Load, Phase::Load], || phase.set(Phase::Load));
            });
            io.y.set(phase.code().zext(8));
        });
    }

    #[test]
    fn case_not_constant() {
        reports("case_not_constant", |m, io| {
            io.y.set(0);
            m.switch(io.a, |s| s.case(io.b.zext(8), || io.y.set(1)));
        });
    }

    #[test]
    fn case_too_big() {
        reports("case_too_big", |m, io| {
            io.y.set(0);
            m.switch(io.b, |s| s.case(16, || io.y.set(1)));
        });
    }
}

mod registers {
    use super::*;

    #[test]
    fn reset_not_constant() {
        reports("reset_not_constant", |m, io| {
            let start = io.a + 1;
            let value = m.reg_reset(bits(8), start);
            value.set(io.a);
            io.y.set(value);
        });
    }

    #[test]
    fn reset_too_big() {
        reports("reset_too_big", |m, io| {
            let value = m.reg_reset(bits(8), 1000);
            value.set(io.a);
            io.y.set(value);
        });
    }

    #[test]
    #[module]
    fn enable_of_a_wire() {
        reports("enable_of_a_wire", |m, io| {
            let value = m.wire(bits(8)).enable(io.c);
            value.set(io.a);
            io.y.set(value);
        });
    }

    #[test]
    fn flipped() {
        reports("stream_in_a_register", |m, io| {
            let held = m.reg(stream(bits(8)));
            held.payload.set(io.a);
            io.y.set(held.payload);
        });
    }
}

mod assignments {
    use super::*;

    #[test]
    #[module]
    fn to_what_cannot_be_assigned() {
        reports("assign_expression", |_, io| {
            let sum = io.a + 1;
            sum.set(io.a);
            io.y.set(sum);
        });
        reports("assign_input", |_, io| io.a.set(io.y));
        reports("assign_instance_output", |m, io| {
            let add = m.instance(&increment(false));
            add.y.set(io.a);
        });
    }

    #[test]
    #[module]
    fn never() {
        reports("never_assigned", |m, io| {
            let spare = m.wire(bits(3));
            let state = m.reg(bits(8));
            let unit = m.instance(&increment(false));
            unit.x.set(io.a);
            spare.unused();
            state.unused();
        });
    }

    #[test]
    #[module]
    fn latch() {
        reports("latch", |m, io| {
            m.when(io.c, || io.y.set(io.a));
        });
        reports("latch_of_a_part", |m, io| {
            let word = m.wire(bits(8));
            word.bits(3, 0).set(io.b);
            m.switch(io.b, |s| {
                s.case(0, || word.bits(7, 4).set(1));
                s.case(1, || word.bits(7, 4).set(2));
            });
            io.y.set(word);
        });
        reports("latch_at_a_place", |m, io| {
            let word = m.wire(bits(16));
            word.part(io.b, 1).set(io.c);
            io.y.set(word.trunc(8));
        });
    }

    #[test]
    #[module]
    fn combinational_loop() {
        reports("loop", |m, io| {
            let forward = m.wire(bits(8));
            let back = forward + io.a;
            forward.set(back ^ 1);
            io.y.set(back);
        });
        reports("loop_through_an_instance", |m, io| {
            let unit = m.instance(&increment(false));
            unit.x.set(unit.y ^ io.a);
            unit.hint.set(0);
            io.y.set(unit.y);
        });
        reports("loop_of_itself", |_, io| io.y.set(io.y + 1));
    }

    #[test]
    fn unused_input() {
        let m = Module::new("example");
        let io = Io::new(m);
        io.y.set(io.a);
        let errors = m.finish(io).unwrap_err();
        compare("errors", "unused_input.txt", &stable(&errors.to_string()));
    }
}

mod names {
    use super::*;

    #[test]
    fn of_ports() {
        ports! {
            struct Odd() {
                input reg: Signal = bits(1),
                input double: Signal = bits(1),
                input clk: Signal = bits(1),
                input s_valid: Signal = bits(1),
                input s: Stream = stream(bits(8)),
                output y: Signal = bits(1),
            }
        }
        let m = Module::new("odd");
        let io = Odd::new(m);
        let errors = m.finish(io).unwrap_err();
        compare("errors", "port_names.txt", &stable(&errors.to_string()));
    }

    #[test]
    fn of_the_module() {
        let m = Module::new("8-bit adder");
        let io = Io::new(m);
        let errors = m.finish(io).unwrap_err();
        compare("errors", "module_name.txt", &stable(&errors.to_string()));
    }
}

/// All mistakes of a module are reported, and none that only follows from another one.
#[test]
#[module]
fn several() {
    reports("several", |m, io| {
        let sum = io.a + io.b;
        let doubled = sum + sum;
        let high = doubled.bits(7, 4);
        let flag = doubled.eq(high.zext(8)) & io.c;
        let total = m.reg_reset(bits(4), 99);
        m.when(io.a, || total.set(io.b)).elsewhen(flag, || total.set(io.a));
        let table = m.memory(bits(8), 16);
        let word = table.read(io.a);
        let p = m.pipeline("late");
        let (x, y) = p.enter((word, io.a));
        io.y.set(p.leave((x.next() ^ y).next() + sum));
    });
}

/// Parameters that are out of range.
#[test]
fn parameter() {
    let errors = Errors::parameter("quantizer", "`lanes` is 3", "a power of two from 1 to 64");
    compare("errors", "parameter.txt", &stable(&errors.to_string()));
}
