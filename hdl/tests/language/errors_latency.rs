//! The latency that a module states, at its borders: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::latency::{LatencyPorts, states};
use common::mistakes::{increment, reports};
use hdl::*;

#[test]
#[module]
fn wrong_latencies() {
    states("latency_of_a_pipeline", 3, |m, io| {
        let p = m.pipeline("square");
        let x = p.enter(io.x).next();
        io.y.set(p.leave((x.trunc(4) * x.trunc(4)).next()));
    });
    states("latency_of_two_pipelines", 2, |m, io| {
        let first = m.pipeline("first");
        let x = first.leave(first.enter(io.x).next());
        let second = m.pipeline("second");
        io.y.set(second.leave(second.enter(x + 1).later(2)));
    });
    states("latency_without_a_register", 1, |_, io| io.y.set(io.x + 1));
    states("latency_with_a_way_around", 1, |m, io| {
        let r = m.reg(bits(8));
        r.set(io.x);
        io.y.set(r ^ io.x);
    });
    states("latency_with_a_setting", 1, |m, io| {
        let p = m.pipeline("add");
        let x = p.enter(io.x).next();
        io.y.set(p.leave(x) + io.go.zext(8));
    });
    states("latency_too_short", 1, |m, io| {
        let (first, second) = (m.reg(bits(8)), m.reg(bits(8)));
        first.set(io.x);
        second.set(first);
        io.y.set(second);
    });
    states("latency_too_long", 2, |m, io| {
        let y = m.reg(bits(8));
        y.set(io.x);
        io.y.set(y);
    });
    states("latency_of_a_rom", 2, |m, io| {
        let squares = m.memory(bits(8), 256).init((0..256u32).map(|i| (i * i) & 255));
        io.y.set(squares.read_sync(io.x));
    });
    states("latency_0_behind_a_register", 0, |m, io| {
        let r = m.reg(bits(8));
        r.set(io.x);
        io.y.set(r);
    });
    states("latency_that_nothing_holds", 1, |m, io| {
        let p = m.pipeline_enabled("add", io.go & io.x.any());
        io.y.set(p.leave(p.enter(io.x).next()));
    });
}

/// Who uses the module gives all inputs in one cycle, and takes all outputs in one.
#[test]
#[module]
fn one_latency_for_all() {
    states("latency_of_late_inputs", 3, |m, io| {
        let p = m.pipeline("sum");
        let x = p.enter(io.x).later(2);
        let go = p.enter_at(2, io.go);
        io.y.set(p.leave((x + go.zext(8)).next()));
    });
    let m = Module::new("example");
    let io = TwoOutputs::new(m);
    m.latency(2);
    let (first, second, early) = (m.reg(bits(8)), m.reg(bits(8)), m.reg(bits(8)));
    first.set(io.x);
    second.set(first);
    early.set(io.x);
    io.y.set(second);
    io.early.set(early);
    let errors = m.finish(io).expect_err("one output comes early");
    compare("errors", "latency_of_an_early_output.txt", &stable(&errors.to_string()));
}

ports! {
    struct TwoOutputs() {
        input x: Signal = bits(8),
        output y: Signal = bits(8),
        output early: Signal = bits(8),
    }
}

ports! {
    struct LimitPorts() {
        input x: Signal = bits(8),
        input limit: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// At most `limit`, which stands still while data is in flight.
#[module]
fn limited() -> Design<LimitPorts> {
    let m = Module::new("limited");
    let io = LimitPorts::new(m);
    m.latency(2);
    let p = m.pipeline("limit");
    let x = p.enter(io.x).later(2);
    let limit = p.constant(io.limit);
    io.y.set(p.leave(x.gt(limit).mux(limit, x)));
    m.finish(io).unwrap()
}

/// An item that brought its own limit would give it to the items before it.
#[test]
fn settings_of_an_instance_stand_still() {
    reports("setting_that_moves", |m, io| {
        let p = m.pipeline("outer");
        let (a, b) = p.enter((io.a, io.b)).next();
        let unit = m.instance(&limited());
        unit.x.set(a);
        unit.limit.set(b.zext(8));
        io.y.set(p.leave(unit.y));
    });
    let m = Module::new("example");
    let io = LimitPorts::new(m);
    let p = m.pipeline("outer");
    let unit = m.instance(&limited());
    unit.x.set(p.enter(io.x).next());
    unit.limit.set(p.constant(io.limit));
    io.y.set(p.leave(unit.y));
    m.finish(io).unwrap();
}

/// In whatever order the inputs of an instance are connected.
#[test]
fn what_is_from_outside_before_the_data() {
    reports("instance_from_outside_first", |m, io| {
        let p = m.pipeline("outer");
        let unit = m.instance(&increment(true));
        unit.hint.set(io.b.zext(8));
        unit.x.set(p.enter(io.a).later(2));
        io.y.set(p.leave(unit.y));
    });
}

#[test]
#[module]
fn instances_in_a_pipeline_that_stands() {
    reports("instance_that_goes_on", |m, io| {
        let p = m.pipeline_enabled("outer", io.c);
        let unit = m.instance(&increment(true));
        unit.x.set(p.enter(io.a));
        unit.hint.set(0);
        io.y.set(p.leave(unit.y));
    });
    reports("foreign_instance_that_goes_on", |m, io| {
        let f = Foreign::black_box("counter");
        f.clock("clk");
        f.latency(2);
        let ports = LatencyPorts::new(f);
        f.advance(ports.y);
        let refused = f.finish(ports).unwrap_err();
        compare("errors", "advance_that_is_no_input.txt", &stable(&refused.to_string()));
        let f = Foreign::black_box("counter");
        f.clock("clk");
        f.latency(2);
        let counter = f.finish(LatencyPorts::new(f)).unwrap();
        let p = m.pipeline_enabled("outer", io.c);
        let unit = m.instance(&counter);
        unit.x.set(p.enter(io.a));
        unit.go.set(1);
        io.y.set(p.leave(unit.y));
    });
    reports("instance_held_by_another", |m, io| {
        let unit = enabled().unwrap();
        let p = m.pipeline_enabled("outer", io.c);
        let unit = m.instance(&unit);
        unit.x.set(p.enter(io.a));
        unit.go.set(io.b.any());
        io.y.set(p.leave(unit.y));
    });
    reports("word_held_by_another", |m, io| {
        let p = m.pipeline_enabled("outer", io.c);
        let table = m.memory(bits(8), 16).init(0u32..16);
        io.y.set(p.leave(table.read_sync_enabled(p.enter(io.b), io.a.any())));
    });
}

#[module]
fn enabled() -> Result<Design<LatencyPorts>, Errors> {
    let m = Module::new("add_one");
    let io = LatencyPorts::new(m);
    m.latency(1);
    let p = m.pipeline_enabled("add_one", io.go);
    io.y.set(p.leave((p.enter(io.x) + 1).next()));
    m.finish(io)
}

/// Who uses the module knows of one input that holds it.
#[test]
#[module]
fn held_by_a_second_input() {
    states("latency_held_twice", 1, |m, io| {
        m.enabled_by(io.go);
        let p = m.pipeline_enabled("own", io.x.any());
        io.y.set(p.leave(p.enter(io.x).next()));
    });
    states("latency_held_inside", 1, |m, io| {
        m.enabled_by(io.go);
        let p = m.in_enabled(io.x.any(), || m.pipeline("own"));
        io.y.set(p.leave(p.enter(io.x).next()));
    });
}

/// What one pipeline delayed meets what comes in at once.
#[test]
#[module]
fn two_pipelines_of_different_cycles() {
    states("latency_of_inputs_behind_a_pipeline", 3, |m, io| {
        let first = m.pipeline("first");
        let x = first.leave(first.enter(io.x).later(2));
        let second = m.pipeline("second");
        let (x, go) = second.enter((x, io.go));
        io.y.set(second.leave((x + go.zext(8)).next()));
    });
}

ports! {
    struct SumPorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// A sum over two stages.
#[module]
fn slow_sum() -> Design<SumPorts> {
    let m = Module::new("slow_sum");
    let io = SumPorts::new(m);
    m.latency(2);
    m.enabled_by(io.go);
    let p = m.pipeline("sum");
    let x = p.enter(io.x).next();
    let total = p.state(m.reg_reset(bits(8), 0), x);
    total.set(total + x);
    io.y.set(p.leave(p.after(total)));
    m.finish(io).unwrap()
}

/// It would take what is in the gaps for items.
#[test]
#[module]
fn a_sum_of_two_stages_between_streams() {
    reports("instance_that_takes_gaps", |m, io| {
        let (from, to) = (m.wire(stream(bits(8))), m.wire(stream(bits(8))));
        from.valid.set(io.c);
        from.payload.set(io.a);
        to.ready.set(1);
        let (p, x) = m.pipeline_stream("items", from, Elastic::default());
        let unit = m.instance(&slow_sum());
        unit.x.set(x);
        p.leave_stream(unit.y, to);
        io.y.set(to.payload & to.valid.repeat(8));
    });
}

/// In whatever order the pipelines begin, and behind an instance as behind a pipeline.
#[test]
#[module]
fn inputs_of_different_cycles() {
    states("latency_of_pipelines_in_another_order", 1, |m, io| {
        let (second, first) = (m.pipeline("second"), m.pipeline("first"));
        let x = first.leave(first.enter(io.x).later(2));
        let (x, go) = second.enter((x, io.go));
        io.y.set(second.leave((x + go.zext(8)).next()));
    });
    states("latency_of_inputs_behind_an_instance", 1, |m, io| {
        let unit = m.instance(&increment(true));
        unit.x.set(io.x);
        unit.hint.set(0);
        let p = m.pipeline("sum");
        let (x, go) = p.enter((unit.y, io.go));
        io.y.set(p.leave((x + go.zext(8)).next()));
    });
}

/// What holds a value on its own terms has no bound: a configuration that is read back, a value that is sampled. So it may be stated.
#[test]
#[module]
fn registers_that_hold_may_state_it() {
    let m = Module::new("sampled");
    let io = LimitPorts::new(m);
    m.latency(2);
    let (sampled, last) = (m.reg_reset(bits(8), 0).enable(io.limit.bit(0)), m.reg_reset(bits(8), 0));
    sampled.set(io.x);
    m.when(io.limit.bit(1), || last.set(io.x));
    io.y.set(sampled ^ last);
    m.finish(io).unwrap();
}

/// A foreign module says that it remembers.
#[test]
#[module]
fn a_foreign_sum_between_streams() {
    let f = Foreign::black_box("SUM");
    f.clock("clk");
    f.latency(2);
    f.remembers();
    let ports = LatencyPorts::new(f);
    f.advance(ports.go);
    let sum = f.finish(ports).unwrap();
    reports("foreign_that_takes_gaps", |m, io| {
        let (from, to) = (m.wire(stream(bits(8))), m.wire(stream(bits(8))));
        from.valid.set(io.c);
        from.payload.set(io.a);
        to.ready.set(1);
        let (p, x) = m.pipeline_stream("items", from, Elastic::default());
        let unit = m.instance(&sum);
        unit.x.set(x);
        p.leave_stream(unit.y, to);
        io.y.set(to.payload & to.valid.repeat(8));
    });
}

/// The last value of which the item said that it is to be kept.
#[module]
fn sampled() -> Design<SumPorts> {
    let m = Module::new("sampled");
    let io = SumPorts::new(m);
    m.latency(1);
    let last = m.reg_reset(bits(8), 0).enable(io.go);
    last.set(io.x);
    io.y.set(last);
    m.finish(io).unwrap()
}

/// In a pipeline that never stands, the items themselves may hold an instance of one cycle; nothing else may.
#[test]
#[module]
fn what_holds_an_instance_where_nothing_stands() {
    let m = Module::new("sampling");
    let io = LatencyPorts::new(m);
    let p = m.pipeline("outer");
    let (x, go) = p.enter((io.x, io.go)).next();
    let unit = m.instance(&sampled());
    unit.x.set(x);
    unit.go.set(go);
    io.y.set(p.leave(unit.y ^ x.next()));
    m.finish(io).unwrap();

    reports("instance_held_from_outside", |m, io| {
        let p = m.pipeline("outer");
        let (one, two) = (m.instance(&sampled()), m.instance(&slow_sum()));
        let (a, c) = p.enter((io.a, io.c));
        one.x.set(a);
        one.go.set(io.b.any());
        two.x.set(a);
        two.go.set(c);
        io.y.set(p.leave(one.y.next() ^ two.y));
    });
}

/// Cycles of one clock are counted: of registers, of memories and of instances.
#[test]
#[module]
fn latency_over_two_clocks() {
    for how in 0..3 {
        reports(&format!("latency_over_two_clocks_{how}"), |m, io| {
            m.latency(2);
            let other = m.clock_domain("other_clk", "other_rst");
            let home = m.current_domain();
            let there = m.in_domain(other, || {
                let x = m.cross(io.a, other, "both clocks are one in this test");
                match how {
                    0 => {
                        let held = m.reg(bits(8));
                        held.set(x);
                        held
                    }
                    1 => m.memory(bits(8), 2).init([3u32, 5]).read_sync(x.bit(0)),
                    _ => {
                        let unit = m.instance(&held().unwrap());
                        unit.a.set(x);
                        unit.y
                    }
                }
            });
            let back = m.reg(bits(8));
            back.set(m.cross(there, home, "both clocks are one in this test"));
            io.y.set(back);
        });
    }
}

ports! {
    struct HeldPorts() {
        input a: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

#[module]
fn held() -> Result<Design<HeldPorts>, Errors> {
    let m = Module::new("held");
    let io = HeldPorts::new(m);
    let y = m.reg(bits(8));
    y.set(io.a);
    io.y.set(y);
    m.finish(io)
}
