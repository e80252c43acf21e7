//! The errors about crossings and asynchronous inputs: tests/errors/clock_NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::errors_clocks::{PairPorts, counter, reports};
use hdl::*;

/// What is computed from two clocks does not cross.
#[test]
#[module]
fn crossing_of_two_clocks() {
    reports("crossing_of_two", |m, io, rx| {
        let here = m.reg_reset(bits(8), 0);
        here.set(here + 1);
        let there = counter(m, rx);
        let either = here ^ there;
        let seen = m.reg(bits(8));
        seen.set(m.cross(either, m.current_domain(), "a test"));
        io.y.set(seen);
    });
}

/// Takes two inputs of any clock, together.
#[module]
fn taker(asynchronous: bool) -> Design<PairPorts> {
    let m = Module::new("taker");
    let io = PairPorts::new(m);
    let taken = m.reg(bits(8));
    if asynchronous {
        m.port_domain(io.x, m.asynchronous());
        io.z.unused();
        taken.set(m.cross(io.x, m.current_domain(), "a test"));
    } else {
        taken.set(m.cross(io.x.cat(io.z).bits(11, 4), m.current_domain(), "a test"));
    }
    io.y.set(taken);
    m.finish(io).unwrap()
}

#[test]
#[module]
fn crossing_of_two_clocks_in_an_instance() {
    reports("crossing_in_instance", |m, io, rx| {
        let here = m.reg_reset(bits(8), 0);
        here.set(here + 1);
        let unit = m.instance(&taker(false));
        unit.x.set(here);
        unit.z.set(counter(m, rx));
        let other = m.instance(&taker(true));
        other.x.set(here & counter(m, rx));
        other.z.set(0);
        io.y.set(unit.y ^ other.y);
    });
}

/// An asynchronous input is taken up by nothing but a crossing.
#[test]
#[module]
fn asynchronous_inputs() {
    reports("asynchronous_input", |m, io, rx| {
        m.port_domain((io.a, io.c), m.asynchronous());
        let (seen, held) = (m.reg(bits(8)), m.reg(bits(8)).enable(io.c));
        seen.set(io.a + 1);
        held.set(seen);
        let there = m.in_domain(rx, || m.reg(bits(1)));
        there.set(io.c);
        let mixed = m.reg(bits(8));
        mixed.set(held & io.c.repeat(8));
        let table = m.memory(bits(8), 256);
        table.write(held, seen, m.lit(1u32, 1));
        io.y.set(table.read(io.a) ^ mixed ^ m.cross(there, m.current_domain(), "a test").zext(8));
    });
    reports("asynchronous_together", |m, io, rx| {
        m.port_domain((io.a, io.c), m.asynchronous());
        let seen = m.in_domain(rx, || m.reg(bits(1)));
        seen.set(m.cross(io.a.any() & io.c, rx, "a test"));
        m.port_domain(io.y, rx);
        io.y.set(seen.zext(8));
    });
}

ports! {
    struct TakerPorts() {
        input d: Signal = bits(1),
        output q: Signal = bits(1),
    }
}

/// Takes up a bit of another clock, which it declares.
#[module]
fn declared_taker() -> Design<TakerPorts> {
    let m = Module::new("declared_taker");
    let io = TakerPorts::new(m);
    m.port_domain(io.d, m.clock_domain("rx_clk", "rx_rst"));
    let taken = m.reg(bits(1));
    taken.set(m.cross(io.d, m.current_domain(), "a test"));
    io.q.set(taken);
    m.finish(io).unwrap()
}

/// Logic in front of a crossing: in an instance that declares the clock of its input, and where it resets something besides.
#[test]
#[module]
fn logic_in_front_of_crossings() {
    reports("crossing_of_logic_in_a_declared_input", |m, io, rx| {
        let [a, b] = [counter(m, rx), counter(m, rx)];
        let unit = m.instance(&declared_taker());
        unit.connect_clock("rx_clk", rx);
        unit.d.set(a.any() & b.all());
        io.y.set(unit.q.zext(8) ^ io.a ^ io.c.zext(8));
    });
    reports("crossing_of_logic_that_also_resets", |m, io, rx| {
        m.port_domain((io.a, io.c), rx);
        let either = m.cross(io.a.bit(0) | io.c, m.current_domain(), "a test");
        let cleared = m.reg(bits(1)).asynchronous_reset(either, 1);
        cleared.set(0);
        let seen = m.reg(bits(1));
        seen.set(either);
        io.y.set(cleared.cat(seen).zext(8));
    });
}

/// An item crosses when it has left: cycles of two clocks are no stages.
#[test]
#[module]
fn crossing_inside_of_a_pipeline() {
    reports("crossing_at_a_stage", |m, io, rx| {
        let p = m.pipeline("sum");
        let x = p.enter(io.a);
        let there = m.in_domain(rx, || m.cross(x, rx, "a test").next());
        io.y.set(p.leave(m.cross(there, m.current_domain(), "a test") + x.next()) ^ io.c.zext(8));
    });
}

/// The reason stands in the constraints.
#[test]
#[module]
fn reasons_of_memories() {
    reports("memory_crossing_without_a_reason", |m, io, _| {
        let [one, other] =
            ["safe\nset_false_path -from [all_inputs]", " "].map(|reason| m.memory(bits(8), 16).crossing(reason));
        one.write(io.a.bits(3, 0), io.a, io.c);
        other.write(io.a.bits(3, 0), io.a, io.c);
        io.y.set(one.read(io.a.bits(7, 4)) ^ other.read(io.a.bits(7, 4)));
    });
}

ports! {
    struct SeenPorts() {
        input a: Signal = bits(8),
        output y: Signal = bits(8),
        output seen: Signal = bits(8),
    }
}

/// One output within the cycle and one a cycle later are two items, also where no register gives the first.
#[test]
#[module]
fn outputs_at_once_and_later() {
    let m = Module::new("example");
    let io = SeenPorts::new(m);
    let p = m.pipeline("sum");
    let x = p.enter(io.a);
    io.y.set(p.leave(x));
    io.seen.set(p.leave(x.next()));
    let errors = m.finish(io).expect_err("they are apart").to_string();
    assert!(errors.contains("outputs `y` and `seen` come 0 and 1 cycles after stage 0 of pipeline `sum`"), "{errors}");
}

/// What leaves a pipeline is seen by another clock later: cycles of two clocks are not compared.
#[test]
#[module]
fn a_result_for_two_clocks() {
    let m = Module::new("example");
    let io = SeenPorts::new(m);
    let rx = m.clock_domain("rx_clk", "rx_rst");
    m.port_domain(io.seen, rx);
    let p = m.pipeline("sum");
    let y = p.leave(p.enter(io.a).next());
    io.y.set(y);
    let [first, second] = m.in_domain(rx, || [m.reg(bits(8)), m.reg(bits(8))]);
    first.set(m.cross(y, rx, "a second register follows"));
    second.set(first);
    io.seen.set(second);
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
}
