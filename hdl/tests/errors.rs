//! Every kind of error that the language reports, as the user reads it: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

mod common;

use common::Phase;
use common::golden::{compare, stable};
use hdl::*;

ports! {
    struct Io() {
        input a: Signal = bits(8),
        input b: Signal = bits(4),
        input c: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Builds a module with mistakes and compares what `finish` says with the file.
#[track_caller]
fn reports(name: &str, build: impl FnOnce(Module, Io)) {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
    build(m, io);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

/// Adds 1 in the same cycle, or in the next.
#[module]
fn increment(registered: bool) -> Design<IncrementPorts> {
    let m = Module::new(if registered { "increment_r" } else { "increment" });
    let io = IncrementPorts::new(m);
    if registered {
        let p = m.pipeline("increment");
        let sum = p.enter(io.x + 1).next();
        m.latency(1);
        io.y.set(p.leave(sum));
    } else {
        io.y.set(io.x + 1);
    }
    io.hint.unused();
    m.finish(io).unwrap()
}

ports! {
    struct IncrementPorts() {
        input x: Signal = bits(8),
        input hint: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

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
                s.case(Phase::Load, || phase.set(Phase::Idle));
                s.case(Phase::Load, || phase.set(Phase::Load));
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

mod memories {
    use super::*;

    #[test]
    #[module]
    fn addresses() {
        reports("memory_address", |m, io| {
            let table = m.memory(bits(8), 100).init(0u32..100);
            table.write(io.a, io.a, io.c);
            io.y.set(table.read(io.b));
        });
    }

    #[test]
    #[module]
    fn not_used() {
        reports("memory_not_used", |m, io| {
            let written = m.memory(bits(8), 16);
            written.write(io.b, io.a, io.c);
            let read = m.memory(bits(8), 16);
            io.y.set(read.read(io.b));
        });
    }

    #[test]
    #[module]
    fn contents() {
        reports("memory_depth", |m, io| {
            let one = m.memory(bits(8), 1);
            one.write(io.c, io.a, io.c);
            io.y.set(one.read(io.c));
        });
        reports("memory_init", |m, io| {
            let long = m.memory(bits(8), 16).init(0u32..17);
            let wide = m.memory(bits(8), 16).init([255u32, 256, 257]);
            io.y.set(long.read(io.b) ^ wide.read(io.b));
        });
    }

    #[test]
    #[module]
    fn writes() {
        reports("memory_mask", |m, io| {
            let lanes = m.memory(bits(8), 16);
            lanes.write_lanes(io.b, io.a, io.a.trunc(3));
            io.y.set(lanes.read(io.b));
        });
        reports("memory_data", |m, io| {
            let words = m.memory(bits(8), 16);
            words.write(io.b, io.b, io.c);
            io.y.set(words.read(io.b));
        });
        reports("memory_write_in_when", |m, io| {
            let words = m.memory(bits(8), 16);
            m.when(io.c, || words.write(io.b, io.a, io.c));
            io.y.set(words.read(io.b));
        });
        reports("memory_enable", |m, io| {
            let words = m.memory(bits(8), 16);
            words.write(io.b, io.a, io.c);
            io.y.set(words.read_sync_enabled(io.b, io.a));
        });
    }
}

mod pipelines {
    use super::*;

    #[test]
    #[module]
    fn stages_differ() {
        reports("stages_differ", |m, io| {
            let p = m.pipeline("mac");
            let (a, b) = p.enter((io.a, io.b));
            let square = (a.trunc(4) * b).next().next();
            let sum = square + a;
            io.y.set(p.leave(sum));
        });
        reports("stages_differ_in_mux", |m, io| {
            let p = m.pipeline("choose");
            let (a, c) = p.enter((io.a, io.c));
            io.y.set(p.leave(c.mux(a.next(), a.next() + 1)));
        });
        reports("stages_differ_in_when", |m, io| {
            let p = m.pipeline("gate");
            let (a, c) = p.enter((io.a, io.c));
            let gated = m.wire(bits(8));
            gated.set(a.next());
            m.when(c, || gated.set(a.next() + 1));
            io.y.set(p.leave(gated));
        });
        reports("stages_differ_on_leaving", |m, io| {
            let p = m.pipeline("both");
            let (a, b) = p.enter((io.a, io.b));
            let (a, b) = p.leave((a.next(), b));
            io.y.set(a ^ b.zext(8));
        });
        reports("stages_differ_in_memory", |m, io| {
            let p = m.pipeline("table");
            let (a, b, c) = p.enter((io.a, io.b, io.c));
            let table = m.memory(bits(8), 16);
            table.write(b, a.next(), c);
            io.y.set(p.leave(table.read(b)));
        });
    }

    #[test]
    #[module]
    fn two_pipelines() {
        reports("two_pipelines", |m, io| {
            let a = m.pipeline("first").enter(io.a);
            let b = m.pipeline("second").enter(io.b);
            io.y.set(a ^ b.zext(8));
        });
    }

    #[test]
    #[module]
    fn meeting_earlier() {
        reports("meet_earlier", |m, io| {
            let p = m.pipeline("mac");
            let (a, b) = p.enter((io.a, io.b));
            let late = a.later(3);
            let sum = late.meet(b) + b.zext(8);
            io.y.set(p.leave(sum));
        });
    }

    #[test]
    #[module]
    fn outside() {
        reports("not_in_a_pipeline", |_, io| {
            let sum = io.a + 1;
            io.y.set(sum.next());
        });
        reports("entered_twice", |m, io| {
            let p = m.pipeline("twice");
            let a = p.enter(io.a);
            io.y.set(p.leave(p.enter(a.next())));
        });
        reports("output_without_leave", |m, io| {
            let p = m.pipeline("short");
            let a = p.enter(io.a).next();
            io.y.set(a);
        });
    }

    #[test]
    #[module]
    fn instances() {
        reports("instance_without_latency", |m, io| {
            let p = m.pipeline("outer");
            let unit = m.instance(&increment(false));
            unit.x.set(p.enter(io.a));
            unit.hint.set(0);
            io.y.set(p.leave(unit.y));
        });
        reports("instance_inputs", |m, io| {
            let p = m.pipeline("outer");
            let a = p.enter(io.a);
            let unit = m.instance(&increment(true));
            unit.x.set(a.next());
            unit.hint.set(a);
            io.y.set(p.leave(unit.y));
        });
        reports("instance_output", |m, io| {
            let p = m.pipeline("outer");
            let a = p.enter(io.a);
            let unit = m.instance(&increment(true));
            unit.x.set(a);
            unit.hint.set(a);
            io.y.set(p.leave(unit.y ^ a));
        });
    }
}

mod strangers {
    use super::*;

    #[test]
    #[module]
    fn another_module() {
        let other = Module::new("other");
        let foreign = other.wire(bits(8));
        reports("another_module", |_, io| io.y.set(io.a + foreign));
        reports("another_module_first", |_, io| io.y.set(foreign + io.a));
    }

    #[test]
    #[module]
    fn a_finished_module() {
        let done = increment(false);
        reports("finished_module", |_, io| io.y.set(io.a ^ done.ports.y));
        reports("finished_module_first", |_, io| {
            let twice = done.ports.y + done.ports.y;
            io.y.set((twice + 1) ^ io.a);
        });
    }

    #[test]
    #[module]
    fn a_shape() {
        reports("shape", |_, io| io.y.set(io.a + bits(8)));
        reports("shape_first", |_, io| {
            let sum = bits(8) + io.a;
            io.y.set((sum + 1) ^ io.a);
        });
    }

    #[test]
    fn finished_twice() {
        let m = Module::new("twice");
        let io = Io::new(m);
        [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
        io.y.set(0);
        m.finish(io).unwrap();
        let errors = m.finish(io).unwrap_err();
        compare("errors", "finished_twice.txt", &stable(&errors.to_string()));
    }
}

mod properties {
    use super::*;

    #[test]
    fn a_wide_condition() {
        reports("assert_wide", |m, io| {
            io.y.set(io.a);
            m.assert(io.a, "never 0");
            m.when(io.c, || m.assume(io.b, "never 0"));
        });
    }

    #[test]
    fn no_words() {
        reports("assert_message", |m, io| {
            io.y.set(io.a);
            m.assert(io.c, " ");
            m.cover(io.c, "it is \"1\"");
        });
    }

    #[test]
    fn of_another_module() {
        let other = Module::new("other");
        let foreign = Io::new(other);
        reports("assert_foreign", |m, io| {
            io.y.set(io.a);
            m.assert(foreign.c, "of another module");
            m.past(foreign.a);
        });
    }

    #[test]
    #[module]
    fn stages() {
        reports("assert_stages", |m, io| {
            let p = m.pipeline("gate");
            let (a, c) = p.enter((io.a, io.c));
            let sum = (a + 1).next();
            m.when(c, || m.assert(sum.ne(0), "no wrap"));
            io.y.set(p.leave(sum));
        });
    }

    #[test]
    fn a_free_value_cannot_be_assigned() {
        reports("assign_anyconst", |m, io| {
            let tag = m.anyconst(8);
            tag.set(io.a);
            io.y.set(tag);
        });
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
