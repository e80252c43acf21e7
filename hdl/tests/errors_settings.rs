//! Settings of a module are settings for who uses it: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

mod common;

use common::mistakes::reports;
use hdl::*;

ports! {
    struct LimitsPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        output y: Signal = bits(8),
        output seen: Signal = bits(8),
    }
}

/// A setting that also goes out again.
#[module]
fn limited_and_seen() -> Design<LimitsPorts> {
    let m = Module::new("limited_and_seen");
    let io = LimitsPorts::new(m);
    m.latency(1);
    let p = m.pipeline("limit");
    let x = p.enter(io.x).next();
    let limit = p.constant(io.limit);
    io.y.set(p.leave(x.gt(limit).mux(limit, x)));
    io.seen.set(p.leave(p.enter(io.limit).next()));
    m.finish(io).unwrap()
}

#[test]
fn a_setting_is_one_also_where_it_is_read_otherwise() {
    reports("setting_that_is_also_data", |m, io| {
        let p = m.pipeline("outer");
        let (a, b) = p.enter((io.a, io.b)).next();
        let unit = m.instance(&limited_and_seen());
        unit.x.set(a);
        unit.limit.set(b.zext(8));
        io.y.set(p.leave(unit.y ^ unit.seen));
    });
}

ports! {
    struct HeldLimitPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Whose limit the last stage alone reads.
#[module]
fn limited_late() -> Design<HeldLimitPorts> {
    let m = Module::new("limited_late");
    let io = HeldLimitPorts::new(m);
    m.latency(2);
    let p = m.pipeline_enabled("limit", io.go);
    let x = p.enter(io.x).later(2);
    io.y.set(p.leave(x ^ p.constant(io.limit)));
    m.finish(io).unwrap()
}

/// The same, in a module that has no pipeline.
#[module]
fn limited_within() -> Design<HeldLimitPorts> {
    let m = Module::new("limited_within");
    let io = HeldLimitPorts::new(m);
    m.latency(2);
    let unit = m.instance(&limited_late());
    unit.x.set(io.x);
    unit.limit.set(io.limit);
    unit.go.set(io.go);
    io.y.set(unit.y);
    m.finish(io).unwrap()
}

/// A setting of an instance is one of the module around it.
#[test]
fn a_setting_is_one_also_through_another_module() {
    reports("setting_through_a_module", |m, io| {
        let p = m.pipeline_enabled("outer", io.c);
        let (a, b) = p.enter((io.a, io.b)).next();
        let unit = m.instance(&limited_within());
        unit.x.set(a);
        unit.limit.set(b.zext(8));
        io.y.set(p.leave(unit.y));
    });
}
