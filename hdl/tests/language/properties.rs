//! Properties: where they are looked at, what becomes of one that fails, and how they are printed.
#![allow(missing_docs)]

use crate::common;

use common::golden::compare;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Clone, Copy, State)]
enum Door {
    Open,
    Shut,
}

ports! {
    struct CounterPorts() {
        input up: Signal = bits(1),
        input shut: Signal = bits(1),
        output count: Signal = bits(4),
    }
}

/// Counts to 9, or past it if it is broken; a door that one cannot count through when it is shut.
#[module]
fn counter(limit: u32) -> Result<Design<CounterPorts>, Errors> {
    let m = Module::new("counter");
    let io = CounterPorts::new(m);
    let count = m.reg_reset(bits(4), 0);
    m.when(io.up, || count.set(count.eq(limit).mux(count.literal(0u32), count + 1)));
    io.count.set(count);

    m.assert(count.le(9), "the count has one digit");
    m.cover(count.eq(9), "the count reaches 9");
    let door = m.state(Door::Open);
    m.when(io.shut, || door.set(Door::Shut)).otherwise(|| door.set(Door::Open));
    m.switch(door, |s| {
        s.case(Door::Shut, || {
            m.when(io.up, || m.assume(count.ne(5), "nobody counts 5 through the door")).otherwise(|| {})
        });
        s.default(|| {});
    });
    let before = m.past(count);
    let settled = m.past_valid();
    m.when(settled, || m.assert(count.eq(before) | count.eq(before + 1) | count.eq(0), "the count moves by 1 or to 0"));
    let tag = m.anyconst(4);
    m.cover(count.eq(tag) & io.up, "100% of all values are reached");
    m.finish(io)
}

fn run(limit: u32) -> (Design<CounterPorts>, Simulator) {
    let design = counter(limit).unwrap();
    let mut sim = Simulator::new(&design);
    sim.reset(2);
    (design, sim)
}

#[test]
fn what_holds_is_silent_and_covers_are_counted() {
    let (_, mut sim) = run(9);
    sim.choose("tag", 3u32.into());
    sim.poke(0, 1);
    (0..25).for_each(|_| sim.step());
    assert!(sim.failures().is_empty());
    let covers: Vec<(String, u64)> = sim.covers().iter().map(|(p, _, n)| (p.message.clone(), *n)).collect();
    assert_eq!(covers, [("the count reaches 9".into(), 2), ("100% of all values are reached".into(), 3)]);
}

#[test]
fn a_broken_assert_fails_at_its_edge_with_message_and_line() {
    let (design, mut sim) = run(12);
    sim.poke(0, 1);
    // 2 edges of reset, 10 edges to count to 10; the edge after that sees it
    (0..10).for_each(|_| sim.step());
    let panic = catch_unwind(AssertUnwindSafe(|| sim.step())).expect_err("the assert fails");
    let line = design.properties()[0].span.line;
    let text = panic.downcast_ref::<String>().unwrap();
    let wanted = format!("cycle 12: failed assert \"the count has one digit\" at {}:{line}:7", file!());
    assert_eq!(*text, wanted);
    assert!(line > 20 && include_str!("properties.rs").lines().nth(line as usize - 1).unwrap().contains("m.assert"));
}

#[test]
fn failures_are_kept_where_that_is_wanted() {
    let (_, mut sim) = run(12);
    sim.keep_failures(true);
    sim.poke(0, 1);
    (0..14).for_each(|_| sim.step());
    let failures: Vec<String> = sim.failures().iter().map(|f| format!("{} {}", f.cycle, f.property.message)).collect();
    assert_eq!(failures, ["12 the count has one digit"], "each once");
    sim.poke(1, 1);
    (0..10).for_each(|_| sim.step());
    let last = sim.failures().last().unwrap();
    assert_eq!(
        (last.property.kind, last.property.message.as_str()),
        (PropertyKind::Assume, "nobody counts 5 through the door")
    );
}

#[test]
fn nothing_is_checked_in_reset_or_without_an_edge_of_the_clock() {
    let (_, mut sim) = run(12);
    sim.poke(0, 1);
    (0..10).for_each(|_| sim.step());
    sim.edge(0);
    sim.set_reset(0, true);
    sim.step();
    sim.set_reset(0, false);
    sim.step();
    assert!(sim.failures().is_empty());
}

ports! {
    struct PairPorts() {
        input up: Signal = bits(1),
        output equal: Signal = bits(1),
    }
}

/// Two counters, one in another clock domain.
#[module]
fn pair() -> Result<Design<PairPorts>, Errors> {
    let m = Module::new("pair");
    let io = PairPorts::new(m);
    let (left, right) = (m.instance(&counter(9)?), m.instance(&counter(12)?));
    left.up.set(io.up);
    right.up.set(io.up);
    left.shut.set(0);
    right.shut.set(0);
    io.equal.set(left.count.eq(right.count));
    m.finish(io)
}

#[test]
fn the_instance_is_named() {
    let mut sim = Simulator::new(&pair().unwrap());
    sim.keep_failures(true);
    sim.reset(1);
    sim.poke(0, 1);
    (0..30).for_each(|_| sim.step());
    assert_eq!(sim.failures().len(), 1);
    assert!(sim.failures()[0].to_string().ends_with(" in right"), "{}", sim.failures()[0]);
}

/// A property in another clock domain; only that clock counts.
#[test]
#[module]
fn domains() {
    let m = Module::new("domains");
    let io = PairPorts::new(m);
    let slow = m.domain("clk_b", "rst_b", || {
        let slow = m.reg_reset(bits(2), 0);
        slow.set(slow + 1);
        m.assert(slow.ne(3), "slow is not 3");
        slow
    });
    let fast = m.reg_reset(bits(1), 0);
    m.when(io.up, || fast.set(true));
    io.equal.set(m.cross(slow, m.current_domain(), "a test").eq(0) & fast);
    let design = m.finish(io).unwrap();
    let clocks: Vec<_> = design.clocks().collect();
    assert_eq!(clocks, [("clk", Some("rst")), ("clk_b", Some("rst_b"))]);
    let mut sim = Simulator::new(&design);
    sim.keep_failures(true);
    sim.reset(1);
    (0..3).for_each(|_| sim.edge(2));
    (0..5).for_each(|_| sim.edge(1));
    assert!(sim.failures().is_empty());
    sim.edge(2);
    assert_eq!(sim.failures()[0].cycle, 9);
}

/// Without registers of its own, a module gets the clock for its property; it stays when the property is left out.
#[test]
#[module]
fn printed() {
    let m = Module::new("combinational");
    let io = PairPorts::new(m);
    io.equal.set(io.up);
    m.assert(io.equal.eq(io.up), "out is in");
    let wire = m.finish(io).unwrap();
    let print = |folder: &str, design: &Design<()>, reset: Reset, properties: bool| {
        let source = verilog(design, &Options { reset, properties, ..Options::default() });
        let names: Vec<String> = source.files().map(|(name, _)| name).collect();
        compare("verilog", &format!("{folder}/files.txt"), &(names.join("\n") + "\n"));
        source.files().for_each(|(name, text)| compare("verilog", &format!("{folder}/{name}"), &text));
        source.single()
    };
    let low = Reset { active_low: true, ..Reset::default() };
    let (wire, pair) = (wire.erase(), pair().unwrap().erase());
    print("property_omitted", &wire, Reset::default(), false);
    print("property_printed", &wire, low, true);
    print("properties_omitted", &pair, Reset::default(), false);
    let text = print("properties_printed", &pair, Reset::default(), true);
    // what a tool reports a failure with is found again
    let found: Vec<Property> = text.lines().filter_map(Property::find).collect();
    assert!(!found.is_empty() && counter(9).unwrap().properties().iter().all(|p| found.contains(p)));
}
