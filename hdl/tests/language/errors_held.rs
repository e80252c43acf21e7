//! Errors of what would go on, or be lost, while a pipeline stands: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::reports;
use hdl::*;

ports! {
    pub struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        input c: Signal = bits(1),
        output m: Stream = stream(bits(8)),
        output y: Signal = bits(8),
    }
}

#[track_caller]
pub fn between(name: &str, build: impl FnOnce(Module, StreamPorts)) {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.c.unused();
    build(m, io);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

/// It would be written from the first edge on, whatever the pipeline does.
#[test]
#[module]
fn a_way_back_of_literals() {
    reports("feedback_of_literals", |m, io| {
        let p = m.pipeline_enabled("flag", io.c);
        let x = p.enter(io.a);
        let flag = p.feedback(m.reg_reset(bits(8), 0), x);
        flag.set(1);
        io.y.set(p.leave(x + flag));
    });
    reports("state_of_another_setting", |m, io| {
        let (p, q) = (m.pipeline_enabled("first", io.c), m.pipeline("second"));
        let x = p.enter(io.a);
        let held = p.state(m.reg_reset(bits(8), 0), x);
        held.set(q.constant(io.b.zext(8)));
        io.y.set(p.leave(x + held));
    });
}

#[test]
#[module]
fn ends_of_streams_under_conditions() {
    between("stream_leaves_in_when", |m, io| {
        io.m.valid.set(0);
        io.m.payload.set(0);
        io.y.set(0);
        let (p, x) = m.pipeline_stream("add", io.s, Elastic::default());
        m.when(io.c, || p.leave_stream(x.next(), io.m));
    });
    between("stream_begins_in_when", |m, io| {
        io.y.set(0);
        let inner = m.wire(stream(bits(8)));
        inner.valid.set(io.s.valid);
        inner.payload.set(io.s.payload);
        io.s.ready.set(inner.ready);
        m.switch(io.c, |s| {
            s.case(1u32, || {
                let (p, x) = m.pipeline_stream("add", inner, Elastic::default());
                p.leave_stream(x.next(), io.m);
            });
        });
    });
}

#[test]
#[module]
fn registers_beyond_the_end_of_a_stream() {
    between("stream_register_beyond_its_end", |m, io| {
        let (p, x) = m.pipeline_stream("add", io.s, Elastic { collapse: true, ..Elastic::default() });
        let x = x.next();
        p.leave_stream(x, io.m);
        let (first, second) = (m.reg(bits(8)), m.reg(bits(8)));
        first.set(x);
        second.set(first);
        io.y.set(p.leave(second));
    });
}

mod memories {
    use super::*;

    #[test]
    #[module]
    fn written_under_another_enable() {
        reports("memory_written_under_another_enable", |m, io| {
            let p = m.pipeline("count");
            let (b, x) = p.enter((io.b, io.a));
            let words = m.memory(bits(8), 16);
            m.in_enabled(io.c, || words.write(b, x, m.lit(1u32, 1)));
            io.y.set(p.leave(words.read(b)));
        });
    }

    /// The port does not know of the pipeline yet.
    #[test]
    #[module]
    fn written_before_its_signals_are_assigned() {
        reports("memory_written_before", |m, io| {
            let p = m.pipeline_enabled("count", io.c);
            let (b, x) = p.enter((io.b, io.a));
            let (to, data) = (m.wire(bits(4)), m.wire(bits(8)));
            let words = m.memory(bits(8), 16);
            words.write(to, data, m.lit(1u32, 1));
            to.set(b);
            data.set(x);
            io.y.set(p.leave(words.read(b)));
        });
    }
}

ports! {
    struct LinePorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(8),
        input at: Signal = bits(4),
        output y: Signal = bits(8),
    }
}

/// Words go in whatever `go` is; only what comes out stands.
#[module]
fn line(how: u32) -> Result<Design<LinePorts>, Errors> {
    let m = Module::new(format!("line{how}"));
    let io = LinePorts::new(m);
    m.latency(1);
    let words = m.memory(bits(8), 16);
    let one = m.lit(1u32, 1);
    match how {
        0 => words.write(io.at, io.x, one),
        1 => words.write(io.at, io.x, io.go & io.x.any()),
        _ => words.write_lanes(io.at, io.x, (io.go & io.x.any()).repeat(4)),
    }
    io.y.set(words.read_sync_enabled(io.at, io.go));
    m.finish(io)
}

#[test]
#[module]
fn what_holds_a_module_holds_its_memories() {
    reports("instance_with_a_memory_that_goes_on", |m, io| {
        let p = m.pipeline_enabled("outer", io.c);
        let unit = m.instance(&line(0).unwrap());
        unit.x.set(p.enter(io.a));
        unit.at.set(p.enter(io.b));
        io.y.set(p.leave(unit.y));
    });
    for how in [1, 2] {
        let m = Module::new("outer");
        let io = LinePorts::new(m);
        let p = m.pipeline_enabled("outer", io.go);
        let unit = m.instance(&line(how).unwrap());
        unit.x.set(p.enter(io.x));
        unit.at.set(p.enter(io.at));
        io.y.set(p.leave(unit.y));
        assert!(m.finish(io).is_ok(), "its memory holds");
    }
}

/// Whatever stands before them in the list.
#[test]
#[module]
fn settings_of_two_pipelines_beside_a_stage() {
    reports("settings_of_two_pipelines", |m, io| {
        let (p, q) = (m.pipeline("first"), m.pipeline("second"));
        let (one, other) = (p.constant(io.c), q.constant(io.b.zext(7)));
        let late = p.enter(io.a).next();
        let all = cat(&[one, other, late]);
        io.y.set(all.trunc(8));
    });
    reports("settings_before_two_stages", |m, io| {
        let (p, q) = (m.pipeline("first"), m.pipeline("second"));
        let (one, other) = (p.constant(io.c), q.constant(io.c));
        let x = p.enter(io.a);
        let chosen = m.wire(bits(8));
        chosen.set(0);
        m.when(one, || m.when(other, || m.when(x.any(), || chosen.set(x.next()))));
        io.y.set(chosen);
    });
}

ports! {
    struct GatedPorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Shows nothing while it stands.
#[module]
fn gated(around: bool) -> Design<GatedPorts> {
    let m = Module::new(if around { "gated_within" } else { "gated" });
    let io = GatedPorts::new(m);
    m.latency(0);
    m.enabled_by(io.go);
    if around {
        let unit = m.instance(&gated(false));
        unit.x.set(io.x);
        io.y.set(unit.y);
    } else {
        let count = m.reg_reset(bits(8), 0);
        count.set(count + 1);
        io.y.set(io.go.mux(io.x ^ count, 0));
    }
    m.finish(io).unwrap()
}

/// The payload would follow `ready` within the cycle.
#[test]
#[module]
fn an_instance_that_shows_whether_it_stands() {
    for around in [false, true] {
        let name = if around { "instance_shows_its_enable_within" } else { "instance_shows_its_enable" };
        between(name, |m, io| {
            io.y.set(0);
            let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
            let unit = m.instance(&gated(around));
            unit.x.set(x.next());
            p.leave_stream(unit.y, io.m);
        });
    }
}

/// A register that keeps its value while `go` is 0, of which nobody says that this holds the module; and one of which it is said.
#[module]
fn sampler(declared: u32) -> Design<GatedPorts> {
    let m = Module::new("sampler");
    let io = GatedPorts::new(m);
    m.latency(1);
    if declared == 1 {
        m.enabled_by(io.go);
    }
    let last = m.reg_reset(bits(8), 0);
    match declared {
        0 => last.enable(io.go).set(io.x),
        1 => last.set(io.x),
        _ => {
            let p = m.pipeline_enabled("last", io.go);
            last.set(p.enter(io.x));
            io.y.set(p.leave(last));
            return m.finish(io).unwrap();
        }
    }
    io.y.set(last);
    m.finish(io).unwrap()
}

/// Where nothing stands, an input is 1 in silence only if its module says that it holds all of it.
#[test]
#[module]
fn an_enable_that_is_forgotten() {
    reports("enable_that_is_forgotten", |m, io| {
        let p = m.pipeline("outer");
        let unit = m.instance(&sampler(0));
        unit.x.set(p.enter(io.a));
        io.y.set(p.leave(unit.y));
    });
    for declared in [1, 2] {
        let m = Module::new("example");
        let io = GatedPorts::new(m);
        io.go.unused();
        let p = m.pipeline("outer");
        let unit = m.instance(&sampler(declared));
        unit.x.set(p.enter(io.x));
        io.y.set(p.leave(unit.y));
        m.finish(io).unwrap();
    }
}

ports! {
    pub struct PassingPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

#[module]
pub fn passing() -> Design<PassingPorts> {
    let m = Module::new("passing");
    let io = PassingPorts::new(m);
    io.m.set(io.s);
    m.finish(io).unwrap()
}

/// Its pipeline alone says when an item is at the end: it takes `ready` with that for a transfer.
#[test]
#[module]
fn the_end_of_a_stream_assigned_again() {
    between("payload_assigned_behind_the_end", |m, io| {
        io.y.set(0);
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        p.leave_stream(x.next(), io.m);
        m.when(io.m.ready, || io.m.payload.set(0));
    });
    for (name, before) in [("valid_assigned_behind_the_end", false), ("valid_assigned_before_the_end", true)] {
        between(name, |m, io| {
            io.y.set(0);
            let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
            if before {
                io.m.valid.set(0);
            }
            p.leave_stream(x.next(), io.m);
            if !before {
                m.when(io.c, || io.m.valid.set(0));
            }
        });
    }
    between("part_assigned_behind_the_end", |m, io| {
        io.y.set(0);
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        let out = m.wire(bits(9));
        p.leave_stream(x.next(), Stream { valid: out.bit(8), ready: io.m.ready, payload: out.bits(7, 0) });
        m.when(io.c, || out.bits(8, 7).set(0));
        io.m.valid.set(out.bit(8));
        io.m.payload.set(out.bits(7, 0));
    });
}

/// A register takes a cycle more, of which the pipeline knows nothing.
#[test]
#[module]
fn a_register_at_the_end_of_a_stream() {
    between("register_at_the_end", |m, io| {
        io.y.set(0);
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        let (valid, payload) = (m.reg_reset(bits(1), 0), m.reg(bits(8)));
        p.leave_stream(x.next(), Stream { valid, ready: io.m.ready, payload });
        io.m.valid.set(valid & io.c);
        io.m.payload.set(payload);
    });
    // a value of the input stream goes elsewhere, too: that is no end
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
    io.y.set(io.s.valid.zext(8));
    m.when(io.c, || io.y.set(0));
    p.leave_stream(x, io.m);
    m.finish(io).unwrap();
}

/// A stream that a signal chooses: the others have what was assigned to all of them before, and nobody assigns behind the end.
#[test]
#[module]
fn the_chosen_end_of_a_stream() {
    for wrong in [false, true] {
        let chosen = |m: Module, io: StreamPorts| {
            let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
            let ends = m.wire(vector(stream(bits(8)), 2));
            for end in ends {
                end.valid.set(0);
                end.payload.set(0);
                end.ready.set(io.m.ready);
            }
            p.leave_stream(x.next(), ends.at(io.c));
            if wrong {
                m.when(io.m.ready, || ends[1].valid.set(0));
            }
            io.m.valid.set(ends[0].valid | ends[1].valid);
            io.m.payload.set(ends.at(io.c).payload);
            io.y.set(0);
        };
        if wrong {
            between("chosen_end_assigned_behind_it", chosen);
        } else {
            let m = Module::new("example");
            let io = StreamPorts::new(m);
            chosen(m, io);
            m.finish(io).unwrap();
        }
    }
}
