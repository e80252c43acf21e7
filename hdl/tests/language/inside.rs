//! Clocks and resets that come from inside a module.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::pll::{PllPorts, pll};
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;

/// A reset of two flip-flops in `domain`, at once while `active` is 1.
#[module]
fn synchronized_reset(m: Module, active: Signal, domain: ClockDomain) {
    let active = m.cross(active, domain, "it sets flip-flops at once");
    let (first, second) = m.in_domain(domain, || (m.reg(bits(1)), m.reg(bits(1))));
    first.asynchronous_reset(active, 1).set(0);
    second.asynchronous_reset(active, 1).set(first);
    m.reset_from(domain, second);
}

ports! {
    pub struct CounterPorts() {
        input button: Signal = bits(1),
        input step: Signal = bits(4),
        output count: Signal = bits(4),
        output running: Signal = bits(1),
    }
}

/// Counts with the clock of a PLL while it is locked and the button is not pressed.
#[module]
fn counter() -> Result<Design<CounterPorts>, Errors> {
    let m = Module::new("pll_counter");
    let io = CounterPorts::new(m);
    let pll = m.instance(&pll()?);
    pll.clkos.unused();
    let fast = m.clock_from("fast_clk", pll.clkop);
    m.port_domain((io.step, io.count, io.running), fast);
    synchronized_reset(m, io.button | m.cross(!pll.lock, m.current_domain(), "a reset"), fast);
    m.in_domain(fast, || {
        let count = m.reg_reset(bits(4), 5);
        count.set(count + io.step);
        io.count.set(count);
        io.running.set(!m.in_reset());
        m.assert(count.ge(5), "it begins with 5");
        m.cover(count.eq(5), "it begins");
    });
    m.finish(io)
}

#[test]
fn is_printed_with_wires_for_clock_and_reset() {
    let design = counter().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(design.clocks().collect::<Vec<_>>(), [("clk", None)]);
    for (folder, active_low) in [("inside", false), ("inside_low", true)] {
        let reset = Reset { asynchronous: active_low, active_low };
        let source = verilog(&design, &Options { reset, ..Options::default() });
        let names: Vec<String> = source.files().map(|(name, _)| name).collect();
        compare("verilog", &format!("{folder}/files.txt"), &(names.join("\n") + "\n"));
        source.files().for_each(|(name, text)| compare("verilog", &format!("{folder}/{name}"), &text));
    }
    let text = constraints(&design, &[]).expect("it has crossings");
    assert!(text.contains("# fast_clk comes from inside"), "{text}");
    assert!(text.contains("-group [get_clocks clk] -group [get_clocks fast_clk]"), "{text}");
}

#[test]
fn runs_with_a_clock_that_the_test_moves() {
    let design = counter().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    let port = |signal| design.port_index(signal).unwrap();
    let [button, step] = [design.ports.button, design.ports.step].map(port);
    let [count, running] = [design.ports.count, design.ports.running].map(port);
    assert_eq!(sim.clocks(), ["clk", "fast_clk"]);
    sim.poke(step, 1);
    for _ in 0..4 {
        sim.edge(0b10); // not locked: in reset
        assert_eq!((sim.peek(count), sim.peek(running)), (5, 0));
    }
    (0..3).for_each(|_| sim.edge(0b01)); // the lock
    assert_eq!(sim.peek(running), 0, "the reset ends with the fast clock");
    let seen: Vec<(u64, u64)> = (0..5)
        .map(|_| {
            sim.edge(0b10);
            (sim.peek(running), sim.peek(count))
        })
        .collect();
    assert_eq!(seen, [(0, 5), (1, 5), (1, 6), (1, 7), (1, 8)]);
    sim.edge(0b01);
    assert_eq!(sim.peek(count), 8, "another clock");
    sim.poke(button, 1);
    assert_eq!((sim.peek(count), sim.peek(running)), (8, 0), "at once, but for the counter");
    sim.edge(0b10);
    assert_eq!(sim.peek(count), 5);
    assert_eq!(sim.covers()[0].2, 1, "not while in reset");
}

ports! {
    pub struct TwoPorts() {
        input button: Signal = bits(1),
        output first: Signal = bits(4),
        output second: Signal = bits(4),
    }
}

/// Two modules with a PLL each: their clocks are two, and neither is one of the module around.
#[module]
fn two_counters(careful: bool) -> Result<Design<TwoPorts>, Errors> {
    let m = Module::new("two_counters");
    let io = TwoPorts::new(m);
    let counter = counter()?;
    let left = m.instance(&counter);
    let right = m.instance(&counter);
    [left.running, right.running].into_iter().for_each(Signal::unused);
    for unit in [left, right] {
        unit.button.set(io.button);
        unit.step.set(3);
    }
    let seen = m.reg(bits(4));
    let count = if careful { m.cross(left.count, m.current_domain(), "nobody minds") } else { left.count };
    seen.set(count);
    io.first.set(seen);
    io.second.set(right.count);
    m.finish(io)
}

#[test]
fn a_clock_from_inside_is_unknown_outside() {
    let errors = two_counters(false).unwrap_err().to_string();
    compare("errors", "inside_outside.txt", &stable(&errors));
    let design = two_counters(true).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(&design);
    let mut clocks = sim.clocks().to_vec();
    clocks.sort();
    assert_eq!(clocks, ["clk", "left.fast_clk", "right.fast_clk"]);
    let edge = |name: &str| 1 << sim.clocks().iter().position(|clock| clock == name).unwrap();
    let (clk, first, second) = (edge("clk"), edge("left.fast_clk"), edge("right.fast_clk"));
    (0..4).for_each(|_| sim.edge(clk));
    (0..4).for_each(|_| sim.edge(first | second));
    sim.edge(second);
    sim.edge(clk);
    let seen = [design.ports.first, design.ports.second].map(|signal| sim.peek(design.port_index(signal).unwrap()));
    assert_eq!(seen, [5 + 2 * 3, 5 + 3 * 3]);
}

/// Builds a module with a PLL and compares what `finish` says with the file.
#[track_caller]
fn reports(name: &str, build: impl FnOnce(Module, CounterPorts, Instance<PllPorts>)) {
    let m = Module::new("example");
    let io = CounterPorts::new(m);
    [io.button, io.step].into_iter().for_each(Signal::unused);
    let pll = m.instance(&pll().unwrap_or_else(|e| panic!("{e}"))).named("pll");
    build(m, io, pll);
    io.running.set(pll.lock);
    let errors = m.finish(io).expect_err("the module has a mistake");
    compare("errors", &format!("inside_{name}.txt"), &stable(&errors.to_string()));
}

#[test]
#[module]
fn mistakes() {
    reports("not_a_clock", |m, io, pll| {
        let toggle = m.reg(bits(1));
        toggle.set(!toggle);
        m.clock_from("slow_clk", toggle);
        m.clock_from("clk", pll.clkop);
        m.clock_from("2_clk", pll.clkop);
        io.count.set(io.step);
    });
    reports("resets", |m, io, pll| {
        let fast = m.clock_from("fast_clk", pll.clkop);
        m.reset_from(fast, io.step);
        m.reset_from(fast, io.button);
        m.reset_from(fast, io.button);
        io.count.set(io.step);
    });
    reports("data", |m, io, pll| {
        m.clock_from("fast_clk", pll.clkop);
        io.count.set(pll.clkop.zext(4));
    });
    reports("without_reset", |m, io, pll| {
        let fast = m.clock_from("fast_clk", pll.clkop);
        let count = m.in_domain(fast, || m.reg_reset(bits(4), 0));
        count.set(count + 1);
        io.count.set(count);
    });
    reports("reset_of_another_clock", |m, io, pll| {
        let fast = m.clock_from("fast_clk", pll.clkop);
        m.reset_from(fast, !pll.lock);
        let count = m.in_domain(fast, || m.reg_reset(bits(4), 0));
        count.set(count + 1);
        io.count.set(count);
    });
    reports("same_name", |m, io, pll| {
        let fast = m.clock_from("fast_clk", pll.clkop);
        let other = m.clock_domain("fast_clk", "fast_rst");
        for domain in [fast, other] {
            let count = m.in_domain(domain, || m.reg(bits(4)));
            count.set(count + 1);
            m.cross(count, m.current_domain(), "a test").unused();
        }
        io.count.set(io.step);
    });
    reports("crossing", |m, io, pll| {
        let fast = m.clock_from("fast_clk", pll.clkop);
        let held = m.in_domain(fast, || m.reg(bits(4)));
        held.set(m.lit(3u32, 4));
        let seen = m.reg(bits(4));
        seen.set(held);
        io.count.set(seen);
    });
}
