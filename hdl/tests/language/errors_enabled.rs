//! The errors about clock enables, as the user reads them: tests/errors/enabled_NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::increment;
use hdl::*;

ports! {
    struct Io() {
        input a: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

#[track_caller]
fn reports(name: &str, build: impl FnOnce(Module, Io)) {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.go].into_iter().for_each(Signal::unused);
    build(m, io);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("enabled_{name}.txt"), &stable(&errors.to_string()));
}

#[test]
#[module]
fn not_one_bit_or_of_another_module() {
    reports("enable", |m, io| {
        let other = Module::new("other");
        let stranger = Io::new(other).go;
        let held = m.in_enabled(io.a.trunc(2), || m.reg(bits(8)));
        let strange = m.in_enabled(stranger, || m.reg(bits(8)));
        held.set(io.a);
        strange.set(io.a);
        io.y.set(held ^ strange);
    });
}

/// One mistake for all registers that it holds.
#[test]
#[module]
fn of_another_clock() {
    reports("clock", |m, io| {
        let rx = m.clock_domain("rx_clk", "rx_rst");
        let (first, second) = m.in_enabled(io.go, || m.in_domain(rx, || (m.reg(bits(8)), m.reg(bits(8)))));
        first.set(second);
        second.set(first);
        let there = m.in_domain(rx, || m.reg(bits(1)));
        there.set(!there);
        let (third, table) = m.in_enabled(there, || (m.reg(bits(8)), m.memory(bits(8), 4)));
        let word = m.in_enabled(there, || table.read_sync(io.a.trunc(2)));
        table.write(io.a.trunc(2), io.a, io.go);
        third.set(io.a);
        m.port_domain(io.a, m.current_domain());
        io.y.set(third ^ word ^ m.cross(first, m.current_domain(), "a test"));
    });
}

#[test]
#[module]
fn asynchronous() {
    reports("asynchronous", |m, io| {
        m.port_domain(io.go, m.asynchronous());
        let held = m.in_enabled(io.go, || m.reg(bits(8)));
        held.set(io.a);
        io.y.set(held);
    });
}

#[test]
#[module]
fn an_instance_that_goes_on() {
    reports("instance", |m, io| {
        let (unit, plain) = m.in_enabled(io.go, || (m.instance(&increment(true)), m.instance(&increment(false))));
        for unit in [unit, plain] {
            unit.x.set(io.a);
            unit.hint.set(0);
        }
        io.y.set(unit.y ^ plain.y);
    });
}

/// A module that is held as a whole.
#[module]
fn step() -> Design<Io> {
    let m = Module::new("step");
    let io = Io::new(m);
    m.enabled_by(io.go);
    let held = m.reg(bits(8));
    held.set(io.a);
    io.y.set(held);
    m.finish(io).unwrap()
}

#[test]
#[module]
fn connected_twice() {
    reports("connected", |m, io| {
        let unit = m.in_enabled(io.go, || m.instance(&step())).named("unit");
        unit.a.set(io.a);
        unit.go.set(io.a.bit(0));
        io.y.set(unit.y);
    });
}

#[test]
#[module]
fn the_enable_of_a_module() {
    reports("module", |m, io| {
        m.enabled_by(io.a);
        m.enabled_by(!io.go);
        let held = m.reg(bits(8));
        m.enabled_by(io.go);
        held.set(io.a);
        io.y.set(held);
    });
    reports("module_inside", |m, io| {
        m.in_enabled(io.a.bit(0), || m.enabled_by(io.go));
        io.y.set(io.a);
    });
    reports("module_twice", |m, io| {
        m.enabled_by(io.go);
        m.enabled_by(io.go);
        io.y.set(io.a);
    });
}

/// All of a pipeline stands together.
#[test]
#[module]
fn parts_of_a_pipeline() {
    reports("pipeline", |m, io| {
        let p = m.pipeline("p");
        let x = p.enter(io.a);
        let held = m.in_enabled(io.go, || m.reg(bits(8)));
        held.set(x);
        let table = m.memory(bits(8), 256).init(0..256u32);
        let word = m.in_enabled(io.go, || table.read_sync(x));
        let unit = m.in_enabled(io.go, || m.instance(&late()));
        unit.a.set(x);
        io.y.set(p.leave(held ^ word ^ unit.y));
    });
}

/// One cycle late, and held as a whole.
#[module]
fn late() -> Design<Io> {
    let m = Module::new("late");
    let io = Io::new(m);
    m.enabled_by(io.go);
    m.latency(1);
    let p = m.pipeline("late");
    io.y.set(p.leave(p.enter(io.a).next()));
    m.finish(io).unwrap()
}

ports! {
    struct StreamPorts() {
        input go: Signal = bits(1),
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

#[test]
#[module]
fn streams_of_a_pipeline() {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    m.in_enabled(io.go, || {
        let (p, x) = m.pipeline_stream("p", io.s, Elastic::default());
        p.leave_stream(x.next(), io.m);
    });
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", "enabled_stream.txt", &stable(&errors.to_string()));
}

/// What is given as an enable before it is assigned is looked at when it is.
#[test]
#[module]
fn an_enable_that_is_of_a_stage_later() {
    common::mistakes::reports("enable_that_is_of_a_stage_later", |m, io| {
        let (first, enable) = (m.pipeline("first"), m.wire(bits(1)));
        let second = m.pipeline_enabled("second", enable);
        enable.set(first.enter(io.c).later(2));
        io.y.set(second.leave(second.enter(io.a).next()) ^ io.b.zext(8));
    });
}
