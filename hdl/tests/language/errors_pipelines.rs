//! Errors of pipelines that would be wrong hardware: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::{increment, reports};
use hdl::*;

mod outside {
    use super::*;

    #[test]
    #[module]
    fn beside_what_entered() {
        reports("outside_input", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let sum = x.next() + io.b.zext(8);
            io.y.set(p.leave(sum));
        });
        reports("outside_register", |m, io| {
            let counter = m.reg_reset(bits(8), 0);
            counter.set(counter + 1);
            let adder = m.pipeline("sum");
            let x = adder.enter(io.a);
            let sum = x.next() + counter;
            io.y.set(adder.leave(sum));
        });
        reports("outside_condition", |m, io| {
            let p = m.pipeline("gate");
            let x = p.enter(io.a).next();
            let gated = m.wire(bits(8));
            gated.set(x);
            m.when(io.c, || gated.set(x + 1));
            io.y.set(p.leave(gated));
        });
        reports("outside_assigned", |m, io| {
            let p = m.pipeline("gate");
            let x = p.enter(io.a).next();
            let wire = m.wire(bits(8));
            wire.set(io.a);
            m.when(x.any(), || wire.set(x));
            io.y.set(p.leave(wire));
        });
        reports("outside_meets", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a).next();
            let b = io.b.zext(8).meet(x);
            io.y.set(p.leave(x + b));
        });
        reports("outside_memory", |m, io| {
            let p = m.pipeline("table");
            let b = p.enter(io.b);
            let table = m.memory(bits(8), 16);
            table.write(b, io.a, p.constant(io.c));
            io.y.set(p.leave(table.read(b)));
        });
    }

    #[test]
    #[module]
    fn what_left_or_was_never_in() {
        reports("outside_left", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let late = p.leave(x.next());
            io.y.set(p.leave(x.later(2) + late));
        });
        reports("outside_leaves", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            io.y.set(p.leave(x) ^ p.leave(io.a));
        });
        reports("leaves_another", |m, io| {
            let (p, q) = (m.pipeline("first"), m.pipeline("second"));
            let x = p.enter(io.a).next();
            io.y.set(q.leave(x));
        });
    }

    #[test]
    #[module]
    fn instances() {
        reports("outside_of_an_instance", |m, io| {
            let p = m.pipeline("outer");
            let unit = m.instance(&increment(true));
            unit.x.set(p.enter(io.a));
            unit.hint.set(io.b.zext(8));
            io.y.set(p.leave(unit.y));
        });
        reports("outside_of_an_instance_first", |m, io| {
            let p = m.pipeline("outer");
            let unit = m.instance(&increment(true));
            let early = unit.y + 1;
            unit.x.set(p.enter(io.a));
            unit.hint.set(0);
            io.y.set(p.leave(unit.y) + early);
        });
    }

    #[test]
    #[module]
    fn constants_of_another_pipeline() {
        reports("constant_of_another_pipeline", |m, io| {
            let (first, second) = (m.pipeline("first"), m.pipeline("second"));
            let b = first.constant(io.b.zext(8));
            let x = second.enter(io.a).next();
            io.y.set(second.leave(x + b));
        });
        reports("constant_that_moves", |m, io| {
            let p = m.pipeline("first");
            let x = p.enter(io.a).next();
            io.y.set(p.leave(p.constant(x)));
        });
    }
}

mod registers {
    use super::*;

    #[test]
    #[module]
    fn a_stage_apart() {
        reports("register_beside_its_value", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let r = m.reg(bits(8));
            r.set(x);
            io.y.set(p.leave(x + r));
        });
        reports("register_of_itself", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a).next();
            let total = m.reg_reset(bits(8), 0);
            total.set(total + x);
            io.y.set(p.leave(total));
        });
        reports("register_of_two_stages", |m, io| {
            let p = m.pipeline("sum");
            let (x, c) = p.enter((io.a, io.c));
            let r = m.reg(bits(8));
            r.set(x);
            m.when(c.next(), || r.set(x.next()));
            io.y.set(p.leave(r));
        });
        reports("register_enabled_from_outside", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let r = m.reg(bits(8)).enable(io.c);
            r.set(x);
            io.y.set(p.leave(r));
        });
    }

    #[test]
    #[module]
    fn before_they_are_assigned() {
        reports("wire_before_it_is_assigned", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a).next();
            let wire = m.wire(bits(8));
            let sum = x + wire;
            wire.set(x);
            io.y.set(p.leave(sum));
        });
        reports("wire_enters_before_it_is_assigned", |m, io| {
            let p = m.pipeline("sum");
            let wire = m.wire(bits(8));
            let x = p.enter(io.a + 1) + p.enter(wire);
            wire.set(x.later(2));
            io.y.set(p.leave(wire));
        });
        reports("register_read_before_it_is_assigned", |m, io| {
            let p = m.pipeline("sum");
            let r = m.reg(bits(8));
            let inverted = !r;
            let x = p.enter(io.a);
            r.set(x);
            io.y.set(inverted);
        });
    }

    #[test]
    #[module]
    fn state() {
        reports("state_of_another_stage", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let total = p.state(m.reg_reset(bits(8), 0), x);
            total.set((total + x).next());
            io.y.set(p.leave(total));
        });
        reports("state_that_is_no_register", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let b = p.state(io.b.zext(8), x);
            io.y.set(p.leave(x + b));
        });
        reports("state_marked_late", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let r = m.reg(bits(8));
            r.set(x);
            let r = p.state(r, x);
            io.y.set(p.leave(r));
        });
        reports("state_of_no_stage", |m, io| {
            let p = m.pipeline("sum");
            let r = p.state(m.reg(bits(8)), io.a);
            r.set(io.a);
            io.y.set(r);
        });
        reports("after_what_is_no_state", |m, io| {
            let p = m.pipeline("sum");
            let r = m.reg(bits(8));
            r.set(p.enter(io.a));
            io.y.set(p.leave(p.after(r)));
        });
        reports("feedback_forwards", |m, io| {
            let p = m.pipeline("sum");
            let x = p.enter(io.a);
            let later = x.later(2);
            let r = p.feedback(m.reg(bits(8)), later);
            r.set(x);
            io.y.set(p.leave(r));
        });
        reports("memory_of_two_stages", |m, io| {
            let p = m.pipeline("count");
            let (b, c) = p.enter((io.b, io.c));
            let counts = m.memory(bits(8), 16);
            let more = (counts.read(b) + 1).next();
            counts.write(b.next(), more, c.next());
            io.y.set(p.leave(more));
        });
    }
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        input c: Signal = bits(1),
        output m: Stream = stream(bits(8)),
        output y: Signal = bits(8),
    }
}

#[track_caller]
fn between(name: &str, build: impl FnOnce(Module, StreamPorts)) {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.c.unused();
    build(m, io);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

mod streams {
    use super::*;

    #[test]
    #[module]
    fn ends() {
        between("stream_without_end", |m, io| {
            let (p, x) = m.pipeline_stream("add", io.s, Elastic::default());
            io.y.set(p.leave(x.next()));
        });
        between("stream_with_two_ends", |m, io| {
            let (p, x) = m.pipeline_stream("add", io.s, Elastic::default());
            p.leave_stream(x.next(), io.m);
            p.leave_stream(x.next(), io.m);
            io.y.set(p.leave(x));
        });
        between("stream_beyond_its_end", |m, io| {
            let (p, x) = m.pipeline_stream("add", io.s, Elastic { collapse: true, ..Elastic::default() });
            p.leave_stream(x.next(), io.m);
            io.y.set(p.leave(x.later(3)));
        });
        between("stream_of_a_plain_pipeline", |m, io| {
            let p = m.pipeline("add");
            let x = p.enter(io.s.payload);
            p.leave_stream(x.next(), io.m);
            io.y.set(p.leave(p.occupied(x).zext(8)));
        });
        between("stream_that_goes_out", |m, io| {
            let x = io.s.with(io.s.payload + 1);
            let (p, x) = m.pipeline_stream("add", Stream { ready: x.valid, ..x }, Elastic::default());
            p.leave_stream(x.next(), io.m);
        });
        between("stream_with_a_latency", |m, io| {
            m.latency(1);
            let (p, x) = m.pipeline_stream("add", io.s, Elastic::default());
            p.leave_stream(x.next(), io.m);
            io.y.set(0);
        });
    }
}
