//! Errors of modules that only connect instances: what one gives as data, another takes as a setting: tests/errors/NAME.txt. `BLESS=1`
//! renews the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{Io, reports};
use hdl::*;

ports! {
    struct AveragePorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
        output kept: Signal = bits(8),
    }
}

/// Half of each item; and the last item for which `go` was 1.
#[module]
fn half(how: u32) -> Design<AveragePorts> {
    let m = Module::new(["half", "half_when_told", "half_now_and_then"][how as usize]);
    let io = AveragePorts::new(m);
    let p = match how {
        0 => m.pipeline("half"),
        1 => m.pipeline_enabled("half", io.go),
        _ => m.pipeline_enabled("half", io.go & io.x.bit(0)),
    };
    let y = p.leave((p.enter(io.x) >> 1).next());
    let kept = m.reg_reset(bits(8), 0);
    if how == 1 {
        // `go` holds all of it
        kept.enable(io.go).set(y);
        m.latency_of(io.y, 1);
        m.latency_of(io.kept, 2);
    } else {
        m.when(io.go, || kept.set(y));
    }
    io.y.set(y);
    io.kept.set(kept);
    m.finish(io).unwrap()
}

/// The same, one level deeper.
#[module]
fn half_within(how: u32) -> Design<AveragePorts> {
    let m = Module::new(["half_within", "half_within_when_told"][how as usize]);
    let io = AveragePorts::new(m);
    let unit = m.instance(&half(how));
    unit.x.set(io.x);
    unit.go.set(io.go);
    io.y.set(!unit.y);
    io.kept.set(unit.kept);
    m.finish(io).unwrap()
}

/// Gives the last item of a stream.
#[module]
fn last() -> Design<LastPorts> {
    let m = Module::new("last");
    let io = LastPorts::new(m);
    let (p, x) = m.pipeline_stream("last", io.s, Elastic::default());
    p.leave_stream(x.next(), io.m);
    m.finish(io).unwrap()
}

ports! {
    struct LastPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

ports! {
    struct LimitPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

#[module]
fn limited(held: bool) -> Design<LimitPorts> {
    let m = Module::new(if held { "limited_when_told" } else { "limited" });
    let io = LimitPorts::new(m);
    m.latency(1);
    let p = if held { m.pipeline_enabled("limit", io.go) } else { m.pipeline("limit") };
    if !held {
        io.go.unused();
    }
    let (x, limit) = (p.enter(io.x), p.constant(io.limit));
    io.y.set(p.leave(x.gt(limit).mux(limit, x).next()));
    m.finish(io).unwrap()
}

/// A module of instances alone, in which `limited` takes what another one gives.
fn connects(m: Module, io: Io, give: impl FnOnce() -> Signal) {
    connects_to(m, io, &limited(false), give)
}

fn connects_to(m: Module, io: Io, to: &Design<LimitPorts>, give: impl FnOnce() -> Signal) {
    let unit = m.instance(to);
    unit.x.set(io.a);
    unit.go.set(io.c);
    unit.limit.set(give());
    io.y.set(unit.y);
}

fn given(m: Module, io: Io, by: &Design<AveragePorts>) -> AveragePorts {
    let unit = m.instance(by);
    unit.x.set(io.a);
    unit.go.set(io.c);
    *unit
}

#[test]
#[module]
fn data_of_one_instance_is_no_setting_of_another() {
    for how in 0..7 {
        reports(&format!("setting_out_of_an_instance_{how}"), |m, io| {
            // 6: what holds the one holds the other
            connects_to(m, io, &limited(how == 6), || match how {
                6 => given(m, io, &half(1)).y,
                0 => given(m, io, &half(0)).y,
                1 => {
                    let r = m.reg(bits(8));
                    r.set(given(m, io, &half(0)).y + 1);
                    r
                }
                2 => given(m, io, &half_within(0)).y,
                // what holds all of it is 1
                3 => {
                    let unit = m.instance(&half(1));
                    unit.x.set(io.a);
                    unit.go.set(1);
                    unit.y
                }
                4 => {
                    let unit = m.instance(&half_within(1));
                    unit.x.set(io.a);
                    unit.go.set(1);
                    unit.y
                }
                _ => {
                    let unit = m.instance(&last());
                    unit.s.valid.set(io.c);
                    unit.s.payload.set(io.a);
                    unit.m.ready.set(1);
                    unit.m.payload
                }
            });
        });
    }
}

/// The same, where a `when` says what holds the instance.
#[test]
#[module]
fn what_holds_an_instance_may_be_under_a_condition() {
    reports("setting_out_of_an_instance_7", |m, io| {
        let unit = m.instance(&limited(true));
        unit.x.set(io.a);
        unit.go.set(0);
        m.when(io.c, || unit.go.set(1));
        unit.limit.set(given(m, io, &half(1)).y);
        io.y.set(unit.y);
    });
}

/// What is held stands still by the user's word: in the one instance, between them, or because the one is held as a whole.
#[test]
#[module]
fn what_is_held_may_be_a_setting() {
    for how in 0..6 {
        let m = Module::new("example");
        let io = Io::new(m);
        [io.a, io.b, io.c].into_iter().for_each(Signal::unused);
        connects(m, io, || match how {
            0 => given(m, io, &half(0)).kept,
            1 => given(m, io, &half_within(0)).kept,
            2 => given(m, io, &half(1)).y,
            3 => given(m, io, &half(2)).y,
            4 => {
                let r = m.reg_reset(bits(8), 0);
                let y = given(m, io, &half(0)).y;
                m.when(io.b.any(), || r.set(y));
                r
            }
            _ => io.a,
        });
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}
