//! Properties of a design on both engines: a broken one fails with the user's message and line.
#![allow(missing_docs)]

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testbenches::{have, verilated};

ports! {
    struct QueuePorts() {
        input push: Signal = bits(1),
        input pop: Signal = bits(1),
        output level: Signal = bits(3),
    }
}

/// The level of a queue of 4 words whose full flag comes one word late if it is broken.
#[module]
fn level(broken: bool) -> Result<Design<QueuePorts>, Errors> {
    let m = Module::new("queue_level");
    let io = QueuePorts::new(m);
    let level = m.reg_reset(bits(3), 0);
    let (push, pop) = (io.push & level.ne(if broken { 5 } else { 4 }), io.pop & level.ne(0));
    m.when(push & !pop, || level.set(level + 1)).elsewhen(pop & !push, || level.set(level - 1));
    io.level.set(level);
    m.assert(level.le(4), "at most 4 words");
    m.when(push, || m.assert(level.lt(4), "room for what comes"));
    m.when(io.pop, || m.assume(level.ne(0), "nobody takes from an empty queue"));
    m.finish(io)
}

/// What each engine says about the same run: the panic and the failures that are kept.
fn runs(broken: bool, reset: Reset, drive: &[(u64, u64)]) -> Vec<(Option<String>, Vec<Failure>)> {
    let design = level(broken).unwrap();
    let all = |engine: &mut dyn Engine| {
        engine.reset(2);
        drive.iter().for_each(|(push, pop)| {
            engine.poke(0, *push);
            engine.poke(1, *pop);
            engine.step();
        });
    };
    let both = |mut first: Box<dyn Engine>, mut second: Box<dyn Engine>| {
        let panic = catch_unwind(AssertUnwindSafe(|| all(&mut *first))).err();
        second.keep_failures(true);
        all(&mut *second);
        (panic.map(|p| p.downcast_ref::<String>().unwrap().clone()), second.failures().to_vec())
    };
    let model = || Box::new(verilated(&design, reset).unwrap());
    vec![both(Box::new(Simulator::new(&design)), Box::new(Simulator::new(&design))), both(model(), model())]
}

const RESETS: [Reset; 2] =
    [Reset { asynchronous: false, active_low: false }, Reset { asynchronous: true, active_low: true }];

#[test]
fn a_broken_property_fails_alike_on_both_engines() {
    if !have(&["verilator"]) {
        return;
    }
    for reset in RESETS {
        let [built_in, verilator] = &runs(true, reset, &[(1, 0); 8])[..] else { panic!("two engines") };
        assert_eq!(built_in, verilator);
        let (panic, failures) = built_in;
        let seen: Vec<(u64, &str)> = failures.iter().map(|f| (f.cycle, f.property.message.as_str())).collect();
        assert_eq!(seen, [(6, "room for what comes"), (7, "at most 4 words")]);
        let line = failures[0].property.span.line;
        assert_eq!(failures[0].property.span.file, file!());
        let text = include_str!("properties.rs").lines().nth(line as usize - 1).unwrap();
        assert!(text.contains("room for what comes"), "line {line} is {text}");
        let panic = panic.as_ref().expect("the first failure ends the test");
        assert!(panic.starts_with("cycle 6: failed assert \"room for what comes\" at "), "{panic}");
    }
}

#[test]
fn surroundings_that_break_an_assumption_are_reported() {
    if !have(&["verilator"]) {
        return;
    }
    let [built_in, verilator] = &runs(false, RESETS[0], &[(1, 0), (0, 1), (0, 1), (0, 0)])[..] else { panic!("two") };
    assert_eq!(built_in, verilator);
    assert_eq!(built_in.1.len(), 1);
    assert_eq!((built_in.1[0].property.kind, built_in.1[0].cycle), (PropertyKind::Assume, 4));
}

#[test]
fn what_holds_is_silent() {
    if !have(&["verilator"]) {
        return;
    }
    let drive = [[(1, 0); 7].as_slice(), &[(1, 1); 9], &[(0, 1); 3], &[(0, 0); 2]].concat();
    for run in runs(false, RESETS[1], &drive) {
        assert_eq!(run, (None, vec![]));
    }
}
