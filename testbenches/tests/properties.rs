//! Properties of a design on all engines: a broken one fails with the user's message and line, covers are counted, and the test
//! chooses what a prover would.
#![allow(missing_docs)]

use ::sim::verilator::Model;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testbenches::{have, lint};

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
    let model = || Box::new(Model::of(&design, reset).unwrap());
    vec![both(Box::new(Simulator::new(&design)), Box::new(Simulator::new(&design))), both(model(), model())]
}

const RESETS: [Reset; 2] =
    [Reset { asynchronous: false, active_low: false }, Reset { asynchronous: true, active_low: true }];

#[test]
fn a_broken_property_fails_with_message_and_line() {
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

ports! {
    struct CellPorts() {
        input step: Signal = bits(4),
        output count: Signal = bits(4),
        output mixed: Signal = bits(8),
        output wide: Signal = bits(100),
    }
}

/// A counter with every kind of property, and with free values that reach the outputs.
#[module]
fn cell() -> Result<Design<CellPorts>, Errors> {
    let m = Module::new("counting_cell");
    let io = CellPorts::new(m);
    let count = m.reg_reset(bits(4), 0);
    count.set(count + io.step);
    let (tag, noise, base) = (m.anyconst(4), m.anyseq(8), m.anyconst(100));
    io.count.set(count);
    io.mixed.set(noise ^ tag.zext(8));
    io.wide.set(base + count.zext(100));
    m.assert(count.ne(13), "the count passes 13 by");
    m.assume(io.step.le(3), "small steps");
    m.cover(count.eq(tag), "the chosen count");
    m.cover(count.eq(13) & count.eq(14), "two counts at once");
    m.when(io.step.ne(0), || m.cover(count.all(), "a step from the last count"));
    m.finish(io)
}

ports! {
    struct PairPorts() {
        input step: Signal = bits(4),
        output mixed: Signal = bits(8),
        output same: Signal = bits(1),
        output wide: Signal = bits(101),
    }
}

/// The same module twice, one of them deeper; the second one counts twice as fast.
#[module]
fn pair() -> Result<Design<PairPorts>, Errors> {
    let m = Module::new("pair");
    let io = PairPorts::new(m);
    let (left, right) = (m.instance(&cell()?).named("a__left"), m.instance(&shell()?));
    left.step.set(io.step);
    right.step.set(io.step);
    io.mixed.set(left.mixed + right.mixed);
    io.same.set(left.count.eq(right.count));
    io.wide.set(left.wide.zext(101) + right.wide.zext(101));
    m.cover(io.same, "both counts are the same");
    m.finish(io)
}

#[module]
fn shell() -> Result<Design<CellPorts>, Errors> {
    let m = Module::new("shell");
    let io = CellPorts::new(m);
    let inner = m.instance(&cell()?);
    inner.step.set(io.step + io.step);
    io.count.set(inner.count);
    io.mixed.set(inner.mixed);
    io.wide.set(inner.wide);
    m.finish(io)
}

/// The interpreter, machine code, Verilator.
fn engines<P>(design: &Design<P>, reset: Reset) -> [Box<dyn Engine>; 3] {
    let native = jit::compiled(design);
    [Box::new(Simulator::new(design)), Box::new(native), Box::new(Model::of(design, reset).unwrap())]
}

/// What an engine says about a run: outputs, covers, failures.
#[derive(PartialEq, Debug)]
struct Story {
    outputs: Vec<BigUint>,
    covers: Vec<(Property, String, u64)>,
    failures: Vec<Failure>,
}

fn story(mut engine: Box<dyn Engine>, drive: impl Fn(&mut dyn Engine, u64)) -> Story {
    engine.keep_failures(true);
    engine.reset(3);
    let mut outputs = vec![];
    for cycle in 0..40 {
        drive(&mut *engine, cycle);
        outputs.extend((1..4).map(|port| engine.peek_big(port)));
        engine.step();
    }
    let covers = engine.covers().into_iter().map(|(p, instance, n)| (p.clone(), instance.to_string(), n)).collect();
    Story { outputs, covers, failures: engine.failures().to_vec() }
}

/// The one story that all engines tell.
fn same_story(drive: impl Fn(&mut dyn Engine, u64)) -> Story {
    let design = pair().unwrap();
    let mut stories = RESETS.into_iter().flat_map(|reset| engines(&design, reset)).map(|engine| story(engine, &drive));
    let first = stories.next().unwrap();
    stories.enumerate().for_each(|(i, other)| assert_eq!(first, other, "engine {}", i + 1));
    first
}

fn counts(story: &Story) -> Vec<(&str, &str, u64)> {
    story.covers.iter().map(|(p, instance, count)| (instance.as_str(), p.message.as_str(), *count)).collect()
}

#[test]
fn a_design_without_properties_has_none_in_modules_below_either() {
    let text = |design| verilog(&design, &Options { properties: true, ..Options::default() }).single();
    assert!(text(pair().unwrap()).contains("// property: "));
    assert!(!text(pair().unwrap().without_properties()).contains("// property: "));
}

#[test]
fn covers_are_counted_alike_on_all_engines() {
    if !have(&["verilator"]) {
        return;
    }
    let story = same_story(|engine, _| engine.poke(0, 1));
    let expected = [
        ("", "both counts are the same", 3),
        ("a__left", "the chosen count", 3),
        ("a__left", "two counts at once", 0),
        ("a__left", "a step from the last count", 2),
        ("right.inner", "the chosen count", 5),
        ("right.inner", "two counts at once", 0),
        ("right.inner", "a step from the last count", 0),
    ];
    assert_eq!(counts(&story), expected);
    for (property, ..) in &story.covers {
        assert_eq!((property.kind, property.span.file.as_str()), (PropertyKind::Cover, file!()));
        let text = include_str!("properties.rs").lines().nth(property.span.line as usize - 1).unwrap();
        assert!(text.contains("m.cover(") && text.contains(&property.message), "{property} is {text}");
    }
}

#[test]
fn failures_name_their_instance_on_all_engines() {
    if !have(&["verilator"]) {
        return;
    }
    let story = same_story(|engine, cycle| engine.poke(0, [1, 3][usize::from(cycle > 20)]));
    let seen: Vec<_> = story.failures.iter().map(|f| (f.cycle, f.property.message.as_str(), &f.instance[..])).collect();
    assert_eq!(seen, [(16, "the count passes 13 by", "a__left"), (24, "small steps", "right.inner")]);
}

#[test]
fn what_a_prover_would_choose_the_test_chooses_on_all_engines() {
    if !have(&["verilator"]) {
        return;
    }
    let wide = BigUint::from(5u64 | 1 << 63) << 36u32;
    let story = same_story(|engine, cycle| match cycle {
        0 => engine.choose("right.inner.base", wide.clone()),
        4 => engine.choose("right.inner.tag", 9u32.into()),
        6 => engine.poke(0, 1),
        10 => engine.choose("a__left.noise", 0xf0u32.into()),
        11 => engine.choose("a__left.noise", 0x0fu32.into()),
        12 => engine.choose("right.inner.base", 1u32.into()),
        _ => {}
    });
    let output = |cycle: usize, port: usize| story.outputs[3 * cycle + port].clone();
    assert_eq!([output(0, 2), output(5, 2)], [wide.clone(), wide], "before the counters count");
    assert_eq!([3, 5, 9, 10, 11, 12].map(|cycle| output(cycle, 0)), [0u32, 9, 9, 0xf9, 0x18, 0x18].map(BigUint::from));
    assert_eq!(output(12, 2), BigUint::from(1u32 + 6 + 12));
    let chosen: Vec<u64> = counts(&story).iter().filter(|c| c.1 == "the chosen count").map(|c| c.2).collect();
    assert_eq!(chosen, [7 + 2, 4], "the second counts in steps of two and skips 9");
}

#[test]
fn a_choice_that_cannot_be_is_refused_alike_on_all_engines() {
    if !have(&["verilator"]) {
        return;
    }
    for mut engine in engines(&pair().unwrap(), RESETS[0]) {
        let mut message = |name: &str, value: u32| {
            let panic = catch_unwind(AssertUnwindSafe(|| engine.choose(name, value.into()))).unwrap_err();
            panic.downcast_ref::<String>().unwrap().clone()
        };
        let names = "a__left.base, a__left.noise, a__left.tag, right.inner.base, right.inner.noise, right.inner.tag";
        assert_eq!(message("right.tag", 0), format!("no anyconst or anyseq `right.tag`, there are: {names}"));
        let expected = "cannot choose `a__left.tag`: the value has 5 bits, `a__left.tag` has 4";
        assert_eq!(message("a__left.tag", 16), expected);
    }
    for mut engine in engines(&level(false).unwrap(), RESETS[0]) {
        let panic = catch_unwind(AssertUnwindSafe(|| engine.choose("tag", 0u32.into()))).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), "no anyconst or anyseq `tag`, the design has none");
        assert!(engine.covers().is_empty());
    }
}

/// Covers that cannot hold, and a free value that comes to nothing.
#[module]
fn idle() -> Result<Design<QueuePorts>, Errors> {
    let m = Module::new("idle");
    let io = QueuePorts::new(m);
    let tag = m.anyconst(3);
    io.level.set((io.push & io.pop).repeat(3) & (tag & tag.literal(0u32)));
    m.cover(tag.ne(tag), "a value is not itself");
    m.cover(tag.bit(0) & !tag.bit(0), "a bit is both");
    m.finish(io)
}

#[test]
fn tools_read_counters_and_free_values_without_a_warning() {
    if !have(&lint::TOOLS) {
        return;
    }
    for design in [pair().unwrap().erase(), idle().unwrap().erase()] {
        let folder = std::env::temp_dir().join(format!("kvforge-properties-{}-{}", design.name(), std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let source = verilog(&design, &Options { properties: true, ..Options::default() });
        source.files().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
        let files: Vec<_> = source.files().map(|(name, _)| name.into()).collect();
        let complaints = lint::complaints(&folder, &files, source.top());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(complaints.is_empty(), "{complaints}");
    }
    for mut engine in engines(&idle().unwrap(), RESETS[0]) {
        engine.choose("tag", 7u32.into());
        (0..5).for_each(|_| engine.step());
        assert_eq!(engine.covers().iter().map(|c| c.2).collect::<Vec<_>>(), [0, 0]);
    }
}
