//! Delays of pipelines, and what holds while they stand: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{Io, reports};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

/// A delay is shared by all that ask for it, and stands as its pipeline does.
mod delays {
    use super::*;

    #[test]
    #[module]
    fn have_no_enable() {
        reports("delay_enabled", |m, io| {
            let p = m.pipeline_enabled("hold", io.c);
            let x = p.enter(io.a);
            let late = x.next().enable(p.enter(io.b.bit(0)));
            io.y.set(p.leave(late));
        });
    }

    #[test]
    #[module]
    fn have_no_reset_of_their_own() {
        reports("delay_reset", |m, io| {
            let p = m.pipeline("hold");
            let x = p.enter(io.a);
            let late = x.next().asynchronous_reset(io.c, 0);
            io.y.set(p.leave(late));
        });
    }

    #[test]
    #[module]
    fn are_not_assigned() {
        reports("delay_assigned", |m, io| {
            let p = m.pipeline("hold");
            let (x, c) = p.enter((io.a, io.c));
            let y = x.next();
            m.when(c, || y.set(0));
            y.bits(3, 0).set(0);
            x.later(2).set(0);
            io.y.set(p.leave(y ^ x.next()));
        });
    }
}

mod valid_bits {
    use super::*;

    #[test]
    #[module]
    fn what_is_none() {
        reports("valid_outside", |m, io| {
            let p = m.pipeline("sum");
            p.valid(io.c);
            p.valid(p.enter(io.a));
            p.valid(p.constant(io.c));
            p.valid(m.pipeline("other").enter(io.c));
            io.y.set(p.leave(p.enter(io.a)));
        });
    }

    ports! {
        struct ValidPorts() {
            input valid: Signal = bits(1),
            output late: Signal = bits(1),
        }
    }

    /// Copies that are there already are reset too.
    #[test]
    #[module]
    fn marked_late() {
        let m = Module::new("marked_late");
        let io = ValidPorts::new(m);
        let p = m.pipeline("marked_late");
        let valid = p.enter(io.valid);
        let late = valid.later(2);
        p.valid(valid);
        io.late.set(p.leave(late.next()));
        let mut sim = Simulator::new(&m.finish(io).unwrap());
        sim.poke(0, 1);
        sim.reset(5);
        for (cycle, late) in [0, 0, 0, 1, 1].into_iter().enumerate() {
            assert_eq!(sim.peek(1), late, "cycle {cycle}");
            sim.step();
        }
    }
}

mod memories {
    use super::*;

    /// Only the mask says at which stage a memory is written.
    #[test]
    #[module]
    fn stage_of_a_mask() {
        reports("memory_written_by_its_mask", |m, io| {
            let p = m.pipeline("table");
            let (b, c) = p.enter((io.b, io.c));
            let table = m.memory(bits(8), 16);
            table.write(p.constant(io.b), p.constant(io.a), c.next());
            io.y.set(p.leave(table.read(b)));
        });
    }

    ports! {
        struct WrittenPorts() {
            input advance: Signal = bits(1),
            input on: Signal = bits(1),
            input at: Signal = bits(4),
            input x: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }

    /// It writes while `advance` is 0.
    #[module]
    fn written() -> Design<WrittenPorts> {
        let m = Module::new("written");
        let io = WrittenPorts::new(m);
        m.latency(1);
        let p = m.pipeline("settings");
        let table = m.memory(bits(8), 16);
        table.write(io.at, io.x, p.constant(io.on));
        io.y.set(table.read_sync_enabled(io.at, io.advance));
        m.finish(io).unwrap()
    }

    #[test]
    #[module]
    fn a_setting_holds_no_memory() {
        reports("memory_enabled_by_a_setting", |m, io| {
            let p = m.pipeline_enabled("outer", io.c);
            let unit = m.instance(&written());
            unit.on.set(p.constant(io.c));
            unit.at.set(p.enter(io.b));
            unit.x.set(p.enter(io.a));
            io.y.set(p.leave(unit.y));
        });
    }
}

/// What holds a pipeline, or a part beside it, is none of the pipeline's data.
mod from_outside {
    use super::*;

    #[test]
    fn enables_and_flushes() {
        reports("enable_of_a_stage", |m, io| {
            let p = m.pipeline("first");
            let late = p.enter(io.c).later(2);
            let held = m.in_enabled(late, || m.reg(bits(8)));
            held.set(io.a);
            let second = m.pipeline_enabled("second", late);
            io.y.set(second.leave(second.enter(held).next()));
        });
        reports("flush_of_a_stage", |m, io| {
            let p = m.pipeline("first");
            let late = p.enter(io.c).later(2);
            let from = m.wire(stream(bits(8)));
            from.valid.set(1);
            from.payload.set(io.a);
            let options = Elastic { flush: Some(late), ..Elastic::default() };
            let (second, x) = m.pipeline_stream("second", from, options);
            let to = m.wire(stream(bits(8)));
            to.ready.set(1);
            second.leave_stream(x.next(), to);
            io.y.set(to.payload & to.valid.repeat(8));
        });
        reports("reset_of_a_stage", |m, io| {
            let p = m.pipeline("first");
            let late = p.enter(io.c).later(2);
            let r = m.reg(bits(8)).asynchronous_reset(late, 1);
            r.set(io.a);
            m.reset_from(m.current_domain(), late);
            io.y.set(r);
        });
        reports("handshakes_of_a_stage", |m, io| {
            let p = m.pipeline("first");
            let late = p.enter(io.c).later(2);
            let (from, to) = (m.wire(stream(bits(8))), m.wire(stream(bits(8))));
            from.valid.set(late);
            from.payload.set(io.a);
            to.ready.set(late);
            let (second, x) = m.pipeline_stream("second", from, Elastic::default());
            second.leave_stream(x.next(), to);
            io.y.set(to.payload & to.valid.repeat(8));
        });
    }

    #[test]
    fn the_address_of_a_read_with_an_enable_of_a_stage() {
        reports("read_enabled_of_a_stage", |m, io| {
            let p = m.pipeline("first");
            let late = p.enter(io.c).later(2);
            let words = m.memory(bits(8), 16).init(0u32..16);
            io.y.set(words.read_sync_enabled(io.b, late));
        });
    }
}

/// A pipeline stands as a whole: a part of it cannot stand alone.
#[test]
fn delays_inside_of_an_enable() {
    reports("delay_inside_of_an_enable", |m, io| {
        let p = m.pipeline("outside");
        let a = p.enter(io.a);
        let x = m.in_enabled(io.c, || a.later(2));
        io.y.set(p.leave(x) + io.c.zext(8));
    });
    let m = Module::new("inner");
    let io = Io::new(m);
    io.b.unused();
    let p = m.in_enabled(io.c, || m.in_enabled(io.a.any(), || m.pipeline("inside")));
    let a = p.enter(io.a);
    io.y.set(p.leave(m.in_enabled(io.c, || a.next())));
    m.finish(io).unwrap();
}

/// A clock edge is no step of the items where they may stand.
#[test]
#[module]
fn past_of_what_may_stand() {
    reports("past_in_a_pipeline_that_stands", |m, io| {
        let p = m.pipeline_enabled("hold", io.c);
        let a = p.enter(io.a).next();
        io.y.set(p.leave(m.past(a)));
    });
    reports("past_between_streams", |m, io| {
        let from = m.wire(stream(bits(8)));
        from.valid.set(io.c);
        from.payload.set(io.a);
        let (p, x) = m.pipeline_stream("items", from, Elastic::default());
        let to = m.wire(stream(bits(8)));
        to.ready.set(1);
        p.leave_stream(m.past(x).next(), to);
        io.y.set(to.payload & to.valid.repeat(8));
    });
}

/// A number that was computed wrong, and not a memory full of registers.
#[test]
fn far_too_late() {
    reports("enter_at_too_many", |m, io| {
        let p = m.pipeline("long");
        let a = p.enter_at(u32::MAX, io.a);
        io.y.set(p.leave(a.next()));
    });
    reports("later_by_too_many", |m, io| {
        let p = m.pipeline("long");
        io.y.set(p.leave(p.enter(io.a).later(3_000_000_000)));
    });
}

/// What counts does not stand still, whatever it counts with.
#[test]
#[module]
fn a_setting_that_counts() {
    reports("setting_that_counts", |m, io| {
        let p = m.pipeline("sum");
        let (x, step) = (p.enter(io.a), p.constant(io.a));
        let count = m.reg_reset(bits(8), 0);
        count.set(step);
        m.when(step.bit(0), || count.set(count + step));
        io.y.set(p.leave(x.next() + count));
    });
}

/// No delay brings a signal to a stage of another pipeline.
#[test]
fn a_meeting_of_two_pipelines() {
    reports("meet_of_another_pipeline", |m, io| {
        let (first, second) = (m.pipeline("first"), m.pipeline("second"));
        let a = first.enter(io.a).next();
        let b = second.enter(io.b.zext(8)).later(2);
        io.y.set(second.leave(a.meet(b) + b));
    });
}

/// `ready` of the stream with which a pipeline begins is the pipeline's, under a condition, too.
#[test]
fn a_ready_that_is_the_pipelines() {
    for (case, conditional) in [("ready_beside_a_pipeline", false), ("ready_beside_a_pipeline_in_a_when", true)] {
        reports(case, |m, io| {
            let from = m.wire(stream(bits(8)));
            from.valid.set(io.c);
            from.payload.set(io.a);
            let to = m.wire(stream(bits(8)));
            to.ready.set(io.c);
            let (p, x) = m.pipeline_stream("delay", from, Elastic::default());
            p.leave_stream(x.next(), to);
            if conditional {
                m.when(io.c, || from.ready.set(1));
            } else {
                from.ready.set(1);
            }
            io.y.set(to.payload & to.valid.repeat(8));
        });
    }
}
