//! Ports, signals and memories as a test reaches them, and what it is told when it reaches for the wrong thing.
#![allow(missing_docs)]

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Clone, Copy, Bundle)]
struct Float {
    sign: Signal,
    exp: Signal,
    frac: Signal,
}

fn float() -> Float {
    Float { sign: bits(1), exp: bits(5), frac: bits(10) }
}

ports! {
    struct NegatePorts() {
        input a: Float = float(),
        input s: Stream<Float> = stream(float()),
        input wide: Signal = bits(128),
        input at: Signal = bits(3),
        output y: Float = float(),
        output m: Stream<Float> = stream(float()),
        output wide_y: Signal = bits(128),
        output now: Signal = bits(70),
        output later: Signal = bits(70),
    }
}

/// Negates two numbers, and has memories that only the back door fills.
#[module]
fn negate() -> Design<NegatePorts> {
    let m = Module::new("negate");
    let io = NegatePorts::new(m);
    let flipped = !io.a.sign;
    io.y.set(Float { sign: flipped, ..io.a });
    io.m.set(io.s.with(Float { sign: !io.s.payload.sign, ..io.s.payload }));
    io.wide_y.set(!io.wide);
    let (words, pairs) = (m.memory(bits(70), 6), m.memory(float(), 4));
    words.write(io.at, io.wide.trunc(70), io.at.all());
    pairs.write(io.at.trunc(2), io.a, io.wide.any());
    io.now.set(words.read(io.at).trunc(54).cat(pairs.read(io.at.trunc(2)).pack()));
    io.later.set(words.read_sync(io.at));
    m.finish(io).unwrap()
}

ports! { struct OuterPorts() { input x: Signal = bits(8), output y: Signal = bits(8) } }

/// An instance of a register of a memory.
#[module]
fn outer() -> Design<OuterPorts> {
    let inner = {
        let m = Module::new("inner");
        let io = OuterPorts::new(m);
        let ring = m.memory(bits(8), 4);
        let at = m.reg_reset(bits(2), 0);
        at.set(at + 1);
        ring.write(at, io.x, m.lit(1u32, 1));
        io.y.set(ring.read(at));
        m.finish(io).unwrap()
    };
    let m = Module::new("outer");
    let io = OuterPorts::new(m);
    let core = m.instance(&inner);
    core.x.set(io.x);
    io.y.set(core.y);
    m.finish(io).unwrap()
}

#[test]
fn by_signal_by_name_and_by_index() {
    let design = outer();
    let mut sim = Simulator::new(&design);
    sim.poke(design.ports.x, 5);
    assert_eq!(sim.peek("x"), 5);
    sim.poke("x", 6);
    assert_eq!((sim.peek(design.ports.x), sim.peek(0)), (6, 6));
    sim.poke_signed(&String::from("x"), -1);
    assert_eq!((sim.peek(0), sim.peek_signed(0), sim.peek_signed("x")), (255, -1, -1));
    sim.poke(0, 1);
    assert_eq!((sim.peek(0), sim.peek_signed(0), sim.peek_big("x")), (1, 1, 1u32.into()));
    // inside, by hierarchical name
    sim.reset(1);
    sim.step();
    sim.step();
    assert_eq!((sim.peek("core.at"), sim.peek_signed("core.at"), sim.peek_big("core.at")), (2, -2, 2u32.into()));
    // the same on any engine
    let engine: &mut dyn Engine = &mut sim;
    engine.poke(design.ports.x, 9);
    assert_eq!((engine.peek(design.ports.x), engine.peek_signed("core.at")), (9, -2));
}

#[test]
fn wide_values() {
    let design = negate();
    let (mut sim, io) = (Simulator::new(&design), design.ports);
    sim.poke_big(io.wide, &(u128::MAX - 1).into());
    assert_eq!(sim.peek_big(io.wide_y), 1u32.into());
    sim.poke_signed(io.wide, -2);
    assert_eq!(sim.peek_big(io.wide_y), 1u32.into());
    sim.poke(io.wide, 0xffff_ffff_ffff_fff0);
    assert_eq!(sim.peek_big("wide"), 0xffff_ffff_ffff_fff0u64.into());
}

#[test]
fn whole_bundles() {
    let design = negate();
    let (mut sim, io) = (Simulator::new(&design), design.ports);
    sim.poke_bundle(io.a, [0, 15, 512]);
    assert_eq!(sim.peek_bundle(io.y), [1, 15, 512]);
    sim.poke_bundle(io.s, [1, 1, 3, 1023]); // valid and payload: ready is an output
    sim.poke(io.m.ready, 0);
    assert_eq!(sim.peek_bundle(io.m), [1, 0, 0, 3, 1023]); // all fields
    sim.poke(io.m.ready, 1);
    assert_eq!((sim.peek(io.s.ready), sim.peek(io.m.valid), sim.peek(io.m.payload.exp)), (1, 1, 3));
    let word = vec![1, 30, 0];
    sim.poke_bundle(io.a, word);
    assert_eq!(sim.peek_bundle((io.y.exp, io.y.sign)), [30, 0]);
}

#[test]
fn memories_by_the_back_door() {
    let design = negate();
    let (mut sim, io) = (Simulator::new(&design), design.ports);
    let mut words = sim.memory("words");
    assert_eq!((words.width(), words.depth()), (70, 6));
    words.load(1, [10, 20, 30]);
    words.write_big(5, &((1u128 << 70) - 1).into());
    assert_eq!(words.read_big(5), (BigUint::from(1u32) << 70) - 1u32);
    assert_eq!((words.read_big(1), words.read_big(2)), (10u32.into(), 20u32.into()));
    sim.memory("pairs").load(0, 0xfc00..0xfc04); // sign 1, exponent 31
    assert_eq!(sim.memory("pairs").read(3), 0xfc03);
    sim.poke(io.at, 2);
    assert_eq!(sim.peek_big(io.now), BigUint::from(20u32) << 16 | BigUint::from(0xfc02u32));
    assert_eq!(sim.peek(io.at), 2);
    sim.step();
    assert_eq!(sim.peek_big(io.later), 20u32.into());
    sim.memory("words").write(2, 21); // from the next edge on
    assert_eq!(sim.peek_big(io.later), 20u32.into());
    sim.step();
    assert_eq!(sim.peek_big(io.later), 21u32.into());

    let design = outer();
    let mut sim = Simulator::new(&design);
    sim.reset(1);
    sim.memory("core.ring").load(0, [1, 2, 3, 4]);
    let mut twin = sim.clone();
    for word in 1..=4 {
        assert_eq!(sim.peek(design.ports.y), word);
        sim.poke(design.ports.x, 100 + word);
        sim.step();
        assert_eq!(sim.memory("core.ring").read(word - 1), 100 + word);
    }
    assert_eq!(twin.memory("core.ring").read(0), 1, "a clone has memories of its own");
}

/// The message of a panic, and the line of this file that it names.
fn message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    *panic.downcast::<String>().expect("a message")
}

#[test]
fn what_no_port_takes_is_told() {
    let (design, other) = (outer(), outer());
    let (mut sim, x) = (Simulator::new(&design), design.ports.x);
    assert_eq!(message(|| sim.poke(x, 256)), "cannot poke `x` (8 bits) with 256: legal is 0 to 255");
    assert_eq!(message(|| sim.poke_big(x, &256u32.into())), "cannot poke `x` (8 bits) with 256: legal is 0 to 255");
    let signed = "legal is -128 to 127 for `poke_signed`";
    assert_eq!(message(|| sim.poke_signed(x, 128)), format!("cannot poke `x` (8 bits) with 128: {signed}"));
    assert_eq!(message(|| sim.poke_signed(x, -129)), format!("cannot poke `x` (8 bits) with -129: {signed}"));
    assert_eq!(message(|| sim.poke(design.ports.y, 0)), "cannot poke `y`: it is an output");
    let ports = "the ports are `x`, `y`";
    assert_eq!(
        message(|| sim.poke(other.ports.x, 0)),
        format!(
            "cannot poke a port: a signal of 8 bits belongs to another module, or to another call of the function that made \
             this one: take the port from `ports` of the very design that runs; {ports}"
        )
    );
    assert_eq!(
        message(|| sim.poke(bits(8), 0)),
        format!("cannot poke a port: `bits(8)` is a shape, not a port: take the port from `design.ports`; {ports}")
    );
    assert_eq!(message(|| sim.poke(2, 0)), format!("cannot poke a port: there is no port 2; {ports}"));
    assert_eq!(message(|| sim.poke("z", 0)), format!("cannot poke `z`: there is no port `z`; {ports}"));
    assert_eq!(
        message(|| sim.poke("core.at", 0)),
        format!("cannot poke `core.at`: there is no port `core.at`; {ports}")
    );
    assert_eq!(
        message(|| _ = sim.peek("core.to")),
        format!("cannot peek at `core.to`: there is no port `core.to`; {ports}")
    );
}

#[test]
fn what_is_inside_or_too_wide_is_told() {
    let mut inside = None;
    let design = {
        let m = Module::new("leak");
        let io = OuterPorts::new(m);
        let sum = io.x + 1;
        inside.replace(sum);
        io.y.set(sum);
        m.finish(io).unwrap()
    };
    let mut sim = Simulator::new(&design);
    assert_eq!(
        message(|| _ = sim.peek(inside.unwrap())),
        "cannot peek at a port: a signal of 8 bits inside the module is no port: look at it by its name; the ports are `x`, `y`"
    );
    let design = negate();
    let (mut sim, io) = (Simulator::new(&design), design.ports);
    assert_eq!(message(|| _ = sim.peek(io.wide)), "`wide` has 128 bits: use `peek_big`");
    assert_eq!(
        message(|| sim.poke_big(io.wide, &(BigUint::from(1u32) << 128))),
        "cannot poke `wide` (128 bits) with 340282366920938463463374607431768211456: legal is 0 to 2^128 - 1"
    );
    assert_eq!(
        message(|| sim.poke_bundle(io.a, [1, 2])),
        "cannot poke a bundle with 2 values: its inputs are `a_sign`, `a_exp`, `a_frac`"
    );
    assert_eq!(message(|| sim.poke_bundle(io.y, [1])), "cannot poke a bundle with 1 values: its inputs are none");
    assert_eq!(message(|| sim.poke_bundle(io.a, [0, 32, 0])), "cannot poke `a_exp` (5 bits) with 32: legal is 0 to 31");
}

#[test]
fn what_no_memory_has_is_told() {
    let mut sim = Simulator::new(&negate());
    assert_eq!(message(|| _ = sim.memory("ring")), "there is no memory `ring`; the memories are `words`, `pairs`");
    assert_eq!(message(|| _ = sim.memory("words").read(0)), "words of `words` have 70 bits: use `read_big`");
    assert_eq!(message(|| _ = sim.memory("words").read_big(6)), "`words` has no word 6: legal is 0 to 5");
    assert_eq!(message(|| sim.memory("pairs").load(2, [0, 0, 0])), "`pairs` has no word 4: legal is 0 to 3");
    assert_eq!(
        message(|| sim.memory("pairs").write(0, 65536)),
        "cannot write 65536 to `pairs` (words of 16 bits): legal is 0 to 65535"
    );
}

/// A panic names the line of the test, not one of this crate.
#[test]
fn panics_name_the_line_of_the_test() {
    let design = outer();
    let mut sim = Simulator::new(&design);
    let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let hook = std::panic::take_hook();
    let place = seen.clone();
    std::panic::set_hook(Box::new(move |info| {
        let location = info.location().map(|l| l.file().to_string());
        let own = "access::panics_name_the_line_of_the_test";
        if let Some(file) = location.filter(|_| std::thread::current().name() == Some(own)) {
            place.lock().unwrap().push_str(&file);
            place.lock().unwrap().push('\n');
        }
    }));
    let _ = message(|| sim.poke(design.ports.x, 256));
    let _ = message(|| sim.poke("nothing", 0));
    let _ = message(|| sim.poke_bundle(bits(1), [1]));
    let _ = message(|| _ = sim.peek("nothing"));
    let _ = message(|| _ = (&mut sim as &mut dyn Engine).peek("nothing"));
    let _ = message(|| sim.poke_bundle(design.ports.x, [1, 2]));
    let _ = message(|| _ = sim.memory("core.ring").read(4));
    std::panic::set_hook(hook);
    let files = seen.lock().unwrap().clone();
    assert_eq!(files.lines().filter(|file| file.ends_with("tests/language/access.rs")).count(), 7, "{files}");
}
