//! Errors of what was taken in silence once, and would be other hardware than the text says: tests/errors/NAME.txt. `BLESS=1` renews the
//! files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::{Io, reports};
use hdl::*;

#[derive(Clone, Copy, State)]
#[state(encoding = "one_hot")]
enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, Bundle)]
struct Entry {
    side: StateSignal<Side>,
    value: Signal,
}

fn entry() -> Entry {
    Entry { side: state(), value: bits(4) }
}

tagged! {
    enum Order() {
        Turn { side: StateSignal<Side> = state() },
        Stop,
    }
}

/// What an item brings does not stand still, also where it goes around the pipeline.
#[test]
#[module]
fn data_as_a_constant() {
    reports("constant_at_a_stage", |m, io| {
        let p = m.pipeline("sum");
        let a = p.enter(io.a).next();
        let late = a.next();
        io.y.set(p.leave(p.constant(a) + late));
    });
    reports("constant_that_left", |m, io| {
        let p = m.pipeline("sum");
        let a = p.enter(io.a).next();
        let way_around = m.wire(bits(8));
        way_around.set(p.leave(a) + 1);
        io.y.set(p.leave(p.constant(way_around) + a.next()));
    });
    reports("constant_that_left_and_waited", |m, io| {
        let p = m.pipeline("sum");
        let a = p.enter(io.a).next();
        let after = m.reg(bits(8));
        after.set(p.leave(a));
        io.y.set(p.leave(p.constant(after) + a.next()));
    });
}

/// A register that holds a value of an item on terms of its own is the user's word, and so is an input.
#[test]
#[module]
fn a_setting_that_an_item_loads() {
    let m = Module::new("example");
    let io = Io::new(m);
    let p = m.pipeline("sum");
    let (a, load) = p.enter((io.a, io.c));
    io.b.unused();
    let setting = m.reg_reset(bits(8), 0);
    m.when(p.leave(load.next()), || setting.set(p.leave(a.next())));
    io.y.set(p.leave(a.next() + p.constant(setting)));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input live: Signal = bits(8),
    }
}

#[track_caller]
fn streams(name: &str, build: impl FnOnce(Module, StreamPorts)) {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.live.unused();
    build(m, io);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

#[test]
#[module]
fn the_stream_itself_as_a_constant() {
    streams("constant_of_the_stream", |m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        p.leave_stream(x.next() + p.constant(io.s.payload), io.m);
    });
}

/// The payload stands still until it is taken.
#[test]
#[module]
fn what_enters_where_a_stream_leaves() {
    streams("enters_where_it_leaves", |m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        p.leave_stream(x.next() + p.enter_at(1, io.live), io.m);
    });
    streams("enters_and_leaves_at_once", |m, io| {
        let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
        p.leave_stream(x + p.enter(io.live), io.m);
    });
}

/// In a register it stands with the item; state of the last stage and what items take from there may look at anything.
#[test]
#[module]
fn what_enters_before_and_stands() {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("sum", io.s, Elastic::default());
    let seen = p.enter(io.live).next();
    let sum = p.state(m.reg_reset(bits(8), 0), seen);
    sum.set(sum + p.enter_at(1, io.live));
    p.leave_stream(x.next() + seen + sum, io.m);
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

/// A function that makes a register, as every other.
fn delayed(m: Module, x: Signal) -> Signal {
    let r = m.reg(bits(x.width()));
    r.set(x);
    r
}

/// The same with a wire.
fn larger(m: Module, a: Signal, b: Signal) -> Signal {
    let y = m.wire(bits(a.width()));
    y.set(b);
    m.when(a.gt(b), || y.set(a));
    y
}

#[test]
#[module]
fn declared_under_a_condition() {
    reports("register_declared_under_a_condition", |m, io| {
        io.y.set(0);
        m.when(io.c, || io.y.set(delayed(m, io.a)));
    });
    reports("register_declared_in_a_case", |m, io| {
        io.y.set(0);
        m.switch(io.b.bits(1, 0), |s| {
            s.case(1, || m.when(io.c, || io.y.set(delayed(m, io.a) + delayed(m, io.b.zext(8)))))
        });
    });
    reports("wire_declared_under_a_condition", |m, io| {
        io.y.set(0);
        m.when(io.c, || io.y.set(larger(m, io.a, io.b.zext(8))));
    });
    reports("instance_under_a_condition", |m, io| {
        io.y.set(0);
        m.when(io.c, || {
            let unit = m.instance(&common::mistakes::increment(false));
            unit.x.set(io.a);
            unit.hint.set(0);
            io.y.set(unit.y);
        });
    });
}

/// Delays do not depend on conditions, and what is declared under one may be assigned outside.
#[test]
#[module]
fn declared_under_a_condition_and_assigned_outside() {
    let m = Module::new("example");
    let io = Io::new(m);
    io.b.unused();
    let mut late = None;
    io.y.set(0);
    m.when(io.c, || {
        let r = m.reg(bits(8));
        io.y.set(r);
        late = Some(r);
    });
    late.unwrap().set(io.a);
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

/// A code that no variant has would go its own way in `switch`.
#[test]
#[module]
fn contents_that_are_no_states() {
    reports("contents_of_no_state", |m, io| {
        let sides = m.memory(entry(), 4).init([0b01_0000u32, 0b10_0001, 0b11_0010, 0b01_0011]);
        let read = sides.read(io.b.bits(1, 0));
        io.y.set(read.side.code().cat(read.value).zext(8));
    });
    reports("contents_that_are_not_given", |m, io| {
        let sides = m.memory(state::<Side>(), 4).init([1u32, 2]);
        io.y.set(sides.read(io.b.bits(1, 0)).code().zext(8));
    });
    reports("contents_of_no_variant", |m, io| {
        let orders = m.memory(Order::shape(), 2).init([0b0_01u32, 0b0_11]);
        let order = orders.read(io.c);
        io.y.set(order.payload().zext(8) + order.is(OrderTag::Stop).zext(8));
    });
}

#[test]
#[module]
fn contents_that_are_states() {
    let m = Module::new("example");
    let io = Io::new(m);
    io.a.unused();
    let sides = m.memory(entry(), 4).init([0b01_0000u32, 0b10_0001, 0b01_0010, 0b01_0011]);
    let orders = m.memory(Order::shape(), 2).init([0b0_01u32, 0b1_00]);
    let (read, order) = (sides.read(io.b.bits(1, 0)), orders.read(io.c));
    io.b.unused();
    io.y.set(read.side.code().cat(read.value).zext(8) + order.payload().zext(8) + order.is(OrderTag::Stop).zext(8));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
#[module]
fn resets_to_no_state() {
    reports("union_reset_to_a_number", |m, io| {
        let order = m.reg_reset(Order::shape(), 0);
        order.set(Order::Stop);
        io.y.set(order.payload().zext(8) + order.is(OrderTag::Stop).zext(8));
    });
    reports("asynchronous_reset_to_no_state", |m, io| {
        let side = m.reg(state::<Side>());
        side.code().asynchronous_reset(io.c, 3);
        side.set(Side::Left);
        io.y.set(side.code().zext(8));
    });
}

/// A number that is the code of the tag and of its fields is one.
#[test]
#[module]
fn resets_to_a_state() {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.a, io.b].into_iter().for_each(Signal::unused);
    let order = m.reg_reset(Order::shape(), 1);
    order.set(Order::Turn { side: m.lit_state(Side::Right) });
    let side = m.reg(state::<Side>());
    side.code().asynchronous_reset(io.c, 2);
    side.set(Side::Left);
    io.y.set(order.payload().zext(8) + order.is(OrderTag::Stop).zext(8) + side.code().zext(8));
    m.finish(io).unwrap_or_else(|e| panic!("{e}"));
}

/// Their tools warn of them; a stage is seen all the same.
#[test]
#[module]
fn comparisons_that_a_number_decides() {
    let m = Module::new("example");
    let io = Io::new(m);
    [io.b, io.c].into_iter().for_each(Signal::unused);
    let never_less = io.a.ge(0);
    let r = m.reg_reset(bits(8), 0);
    m.when(io.a.le(255), || r.set(io.a)).otherwise(|| r.set(1));
    io.y.set(r + (never_less.zext(8) ^ 1));
    let design = m.finish(io).unwrap();
    let text = verilog(&design, &Options::default()).single();
    assert!(text.contains("wire never_less = 1'h1; // always true: a >= 0 | "), "{text}");
    assert!(!text.contains(">=  ") && !text.contains("<= 8'hff)"), "{text}");
    let mut sim = hdl::sim::Simulator::new(&design);
    use hdl::engine::Engine;
    sim.reset(1);
    sim.poke(design.ports.a, 7);
    sim.step();
    assert_eq!(sim.peek(design.ports.y), 7);

    reports("comparison_of_another_stage", |m, io| {
        let p = m.pipeline("choose");
        let (a, b) = p.enter((io.a, io.b.zext(8)));
        io.y.set(p.leave(a.ge(0).mux(b.next(), 1)));
    });
}

/// A condition is one of the two signals that do not fit.
#[test]
#[module]
fn a_condition_of_another_stage() {
    reports("condition_of_another_stage", |m, io| {
        let p = m.pipeline("gate");
        let (a, go) = p.enter((io.a, io.c));
        let y = m.wire(bits(8));
        y.set(a.next());
        m.when(go, || y.set(a.next() + 1));
        io.y.set(p.leave(y));
    });
}
