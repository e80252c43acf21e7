//! Signals of other modules where only their number was looked at, ports of foreign modules, and shapes: tests/errors/NAME.txt.
//! `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::{Io, increment, panics, reports};
use hdl::*;

/// The ports of another module, which has more signals than the one in question.
fn other() -> Io {
    let m = Module::new("other");
    let _more: Vec<Signal> = (0..100).map(|_| m.wire(bits(8))).collect();
    Io::new(m)
}

mod memories {
    use super::*;

    #[test]
    #[module]
    fn enables() {
        reports("strange_read_enable", |m, io| {
            let table = m.memory(bits(8), 16).init([1u32]);
            io.y.set(table.read_sync_enabled(io.b, other().c));
        });
    }

    #[test]
    #[module]
    fn addresses() {
        reports("strange_address", |m, io| {
            let table = m.memory(bits(8), 16);
            table.write(other().b, io.a, io.c);
            io.y.set(table.read(other().b));
        });
    }
}

mod conditions {
    use super::*;

    #[test]
    #[module]
    fn of_assignments() {
        reports("strange_condition", |m, io| {
            io.y.set(io.a);
            let there = other();
            m.when(there.c, || io.y.set(1)).elsewhen(there.c, || io.y.set(2)).otherwise(|| io.y.set(3));
        });
    }
}

mod pipelines {
    use super::*;

    #[test]
    #[module]
    fn valid_bits() {
        reports("strange_valid", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            p.valid(other().c);
            assert_eq!(p.stage_of(other().a), None);
            io.y.set(p.leave(x));
        });
    }

    #[test]
    #[module]
    fn places_of_state() {
        reports("strange_state", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let state = p.state(m.reg_reset(bits(8), 0), other().a);
            let back = p.feedback(m.reg_reset(bits(8), 0), (x, other().a));
            io.y.set(p.leave(x));
            state.set(io.a);
            back.set(io.a);
        });
    }

    #[test]
    #[module]
    fn what_is_met() {
        reports("strange_meet", |m, io| {
            let p = m.pipeline("sum");
            let (x, y) = p.enter((io.a, io.b)).meet(other().a);
            io.y.set(p.leave(x ^ y.zext(8)));
        });
    }

    #[test]
    #[module]
    fn what_leaves() {
        reports("strange_leaves", |m, io| {
            let p = m.pipeline("sum");
            let x = p.leave((p.enter(io.a), other().a));
            io.y.set(x.0 ^ x.1);
        });
    }

    /// What was refused at the gate of a pipeline stands in this module all the same.
    #[test]
    #[module]
    fn what_enters() {
        reports("strange_enters", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(other().a);
            io.y.set(p.leave(x.next()));
        });
    }

    #[test]
    fn what_is_told() {
        for (name, moves) in [("strange_occupied", false), ("strange_moves", true)] {
            let m = Module::new("stream");
            let io = StreamPorts::new(m);
            let (p, x) = m.pipeline_stream("stream", io.s, Elastic::default());
            let told = if moves { p.moves(other().a) } else { p.occupied(other().a) };
            io.there.set(p.leave(told));
            p.leave_stream(x.next(), io.m);
            let errors = m.finish(io).expect_err("a signal is of another module");
            compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
        }
    }

    /// The stream behind the end of a pipeline.
    #[test]
    fn ends() {
        let m = Module::new("stream");
        let io = StreamPorts::new(m);
        let (p, x) = m.pipeline_stream("stream", io.s, Elastic::default());
        io.there.set(0);
        let stranger = Module::new("strange");
        let _more: Vec<Signal> = (0..100).map(|_| stranger.wire(bits(8))).collect();
        p.leave_stream(x.next(), StreamPorts::new(stranger).m);
        let errors = m.finish(io).expect_err("the stream is of another module");
        compare("errors", "strange_end.txt", &stable(&errors.to_string()));
    }

    ports! {
        struct StreamPorts() {
            input s: Stream = stream(bits(8)),
            output m: Stream = stream(bits(8)),
            output there: Signal = bits(1),
        }
    }
}

mod foreign {
    use super::*;

    fn black_box(name: &str, promise: impl FnOnce(Foreign, Io)) {
        let f = Foreign::black_box("DSP48");
        f.clock("clk");
        let io = Io::new(f);
        promise(f, io);
        let errors = f.finish(io).expect_err("the promise is wrong");
        compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
    }

    #[test]
    fn paths() {
        black_box("foreign_path_reversed", |f, io| f.combinational(io.y, io.a));
        black_box("foreign_path_strange", |f, io| f.combinational((io.a, other().a), (io.y, other().y)));
        black_box("foreign_path_of_no_port", |f, io| f.combinational(bits(8), io.y));
    }
}

mod shapes {
    use super::*;

    #[test]
    fn flipped() {
        reports("flipped_reset", |m, io| {
            let held = m.reg_reset(stream(bits(8)), 0);
            io.y.set(held.payload);
        });
        reports("flipped_words", |m, io| {
            let words = m.memory(stream(bits(8)), 16).init([0u32]);
            io.y.set(words.read(io.b).payload);
        });
    }

    tagged! {
        enum Inner(low: u32, high: u32) {
            Only { high: Signal = bits(high), low: Signal = bits(low) },
        }
    }
    tagged! {
        enum Outer(low: u32, high: u32) {
            One { inner: TaggedSignal<Inner> = Inner::shape(low, high) },
        }
    }
    tagged! {
        enum Lists(first: usize, second: usize) {
            Both { first: Vector = vector(bits(4), first), second: Vector = vector(bits(4), second) },
        }
    }
    tagged! {
        enum Either(first: usize, second: usize) {
            One { words: Vector = vector(bits(4), first) },
            Other { words: Vector = vector(bits(4), second) },
        }
    }

    #[test]
    fn unions_in_unions() {
        reports("union_shapes_inside", |m, io| {
            let (narrow, wide) = (m.reg(Outer::shape(1, 4)), m.reg(Outer::shape(4, 1)));
            narrow.set(wide);
            wide.set(wide);
            io.y.set(narrow.payload().zext(8));
        });
    }

    #[test]
    fn unions_with_vectors() {
        reports("union_shapes_of_vectors", |m, io| {
            let (narrow, wide) = (m.reg(Lists::shape(1, 2)), m.reg(Lists::shape(2, 1)));
            narrow.set(wide);
            wide.set(wide);
            io.y.set(narrow.payload().trunc(8));
        });
        reports("union_shapes_of_variants", |m, io| {
            let (narrow, wide) = (m.reg(Either::shape(1, 2)), m.reg(Either::shape(2, 1)));
            narrow.set(wide);
            wide.set(wide);
            io.y.set(narrow.payload().trunc(8));
        });
    }
}

mod sizes {
    use super::*;

    tagged! {
        enum Large(width: u32) {
            None,
            Two { first: Signal = bits(width), second: Signal = bits(width) },
        }
    }

    #[test]
    fn memories() {
        reports("too_many_words", |m, io| {
            let words = m.memory(bits(8), (1 << 32) + 16).init([0u32]);
            io.y.set(words.read(io.b));
        });
        reports("too_wide_words", |m, io| {
            let words = m.memory([bits(1 << 24); 1 << 10], 16).init([0u32]);
            io.y.set(words.read(io.b)[0].trunc(8));
        });
    }

    #[test]
    fn signals() {
        reports("too_wide", |m, io| {
            let (wire, register) = (m.wire(bits(u32::MAX)), m.reg(bits((1 << 24) + 1)));
            wire.set(0);
            register.set(0);
            io.y.set(wire.trunc(8) ^ register.trunc(8));
        });
        reports("too_wide_union", |m, io| {
            let large = m.reg(Large::shape(u32::MAX));
            large.set(Large::None);
            io.y.set(large.payload().trunc(8));
        });
        reports("too_wide_product", |m, io| {
            let wire = m.wire(bits(1 << 24));
            wire.set(0);
            io.y.set((wire * wire).trunc(8) ^ wire.mul_signed(wire).trunc(8));
        });
    }
}

/// A mistake in a shape is one of the module that is being built, not of the next one that is finished.
mod homes {
    use super::*;

    #[test]
    #[module]
    fn around_an_instance() {
        reports("shape_of_the_outer_module", |m, io| {
            let none = vector(bits(8), 0);
            let unit = m.instance(&increment(false)); // is finished meanwhile, and has no mistake
            unit.x.set(io.a);
            unit.hint.set(0);
            let held = m.reg(none);
            held[0].set(unit.y);
            io.y.set(held[0]);
        });
    }

    #[module]
    fn given_up() -> Result<Design<Io>, Errors> {
        let m = Module::new("given_up");
        let _io = Io::new(m);
        Err(Errors::parameter("given_up", "this cannot be built", "build another"))
    }

    /// A module that was given up is not there any more.
    #[test]
    fn given_up_modules() {
        given_up().unwrap_err();
        panics("shape_after_a_module_was_given_up", || vector(bits(8), 0));
    }
}

#[test]
fn ports_of_another_module() {
    let outer = Module::new("outer");
    let io = Io::new(outer);
    let inner = Module::new("inner");
    let ports = Io::new(inner);
    [ports.a, ports.b, ports.c].into_iter().for_each(Signal::unused);
    ports.y.set(5);
    let errors = inner.finish(io).expect_err("`io` is the ports of `outer`");
    common::golden::compare("errors", "finish_with_other_ports.txt", &common::golden::stable(&errors.to_string()));
}
