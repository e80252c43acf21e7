//! Errors of constants that move, and are hard to see: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::*;

ports! {
    pub struct EnabledPorts() {
        input n: Signal = bits(16),
        input k: Signal = bits(16),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// What a pipeline takes as its constant: made of its enable, and of what left it.
pub type Kept<'k> = &'k dyn Fn(Module, EnabledPorts, [Signal; 2]) -> Signal;

pub fn enabled(wires: u32, go: &dyn Fn(EnabledPorts) -> Signal, kept: Kept) -> Result<Design<EnabledPorts>, Errors> {
    let m = Module::new("example");
    let io = EnabledPorts::new(m);
    io.n.unused();
    io.k.unused();
    // numbers are tried by the numbers of signals: these move them
    (0..wires).for_each(|_| m.lit(0u32, 1).named("spare").unused());
    let go = go(io);
    let p = m.pipeline_enabled("items", go);
    let x = p.enter(io.x).next();
    let left = p.leave(x);
    let k = kept(m, io, [go, left]);
    io.y.set(p.leave((x + p.constant(k)).next()));
    m.finish(io)
}

/// Whatever stands beside it.
#[test]
#[module]
fn what_is_loaded_at_a_seldom_tick_moves_in_every_module() {
    let loaded = |m: Module, _: EnabledPorts, [go, left]: [Signal; 2]| {
        let loaded = m.reg(bits(8));
        m.when(go, || loaded.set(left));
        loaded
    };
    for wires in 0..60 {
        let errors = enabled(wires, &|io| io.n.eq(io.k - 1), &loaded).expect_err("it moves");
        assert!(errors.to_string().contains("moves with its items"), "{wires}: {errors}");
    }
}

/// And what holds in a third of the cases does not.
#[test]
#[module]
fn what_holds_on_terms_of_its_own_is_legal_in_every_module() {
    let loaded = |m: Module, io: EnabledPorts, _: [Signal; 2]| {
        let loaded = m.reg(bits(8));
        m.when(!(io.n.bits(3, 0).ge(8) & io.k.bits(3, 0).ge(5)), || loaded.set(io.x));
        loaded
    };
    for wires in 0..60 {
        enabled(wires, &|io| io.n.bits(7, 4).eq(io.k.bits(7, 4) + 1), &loaded)
            .unwrap_or_else(|e| panic!("{wires}: {e}"));
    }
}

/// Where no numbers are found with which items go on.
#[test]
#[module]
fn what_takes_something_at_every_edge_moves_under_any_enable() {
    let seldom = |io: EnabledPorts| (io.n.cat(io.n) + io.k.cat(io.x).cat(io.x)).eq(0x1234_5678);
    let register = |m: Module, under: Signal, left: Signal| {
        let loaded = m.reg(bits(8));
        m.when(under, || loaded.set(left));
        loaded
    };
    let kept: [(&str, Kept); 5] = [
        ("memory", &|m, _, [_, left]| {
            let words = m.memory(bits(8), 4);
            words.write(left.trunc(2), left, m.lit(1u32, 1));
            words.read(m.lit(2u32, 2))
        }),
        ("literal", &|m, _, [_, left]| register(m, m.lit(1u32, 1), left)),
        ("enable", &|m, _, [go, left]| register(m, go, left)),
        ("wire", &|m, _, [go, left]| {
            let also = m.wire(bits(1));
            also.set(go | go);
            register(m, also, left)
        }),
        ("enabled register", &|m, _, [_, left]| {
            let loaded = m.reg(bits(8)).enable(m.lit(1u32, 1));
            loaded.set(left);
            loaded
        }),
    ];
    for (name, kept) in kept {
        let errors = enabled(0, &seldom, kept).expect_err(name);
        assert!(errors.to_string().contains("moves with its items"), "{name}: {errors}");
    }
    // and what holds stands still
    enabled(0, &seldom, &|m, io, _| register(m, io.n.bit(0), io.x)).unwrap_or_else(|errors| panic!("{errors}"));
}

/// The enable says what a signal is, and that another one is equal to it.
#[test]
#[module]
fn equal_signals_have_one_number() {
    for which in 0..2 {
        let go = |io: EnabledPorts| io.n.eq(io.k) & [io.n, io.k][which].eq(0xbeef);
        let loaded = |m: Module, io: EnabledPorts, [_, left]: [Signal; 2]| {
            let loaded = m.reg(bits(8));
            m.when(io.n.eq(0xbeef) & io.k.eq(0xbeef), || loaded.set(left));
            loaded
        };
        let errors = enabled(0, &go, &loaded).expect_err("it moves");
        assert!(errors.to_string().contains("moves with its items"), "{which}: {errors}");
    }
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

/// A register slice of a register and its flag.
#[module]
fn held(m: Module, s: Stream) -> Stream {
    let (full, data) = (m.reg_reset(bits(1), 0), m.reg(bits(8)));
    let out = m.wire(stream(bits(8)));
    s.ready.set(!full | out.ready);
    m.when(out.ready, || full.set(0));
    m.when(s.transfer(), || {
        full.set(1);
        data.set(s.payload);
    });
    out.valid.set(full);
    out.payload.set(data);
    out
}

/// Of the pipeline before the one before, over what keeps items, and of the stream in front of all.
#[test]
#[module]
fn what_comes_before_a_buffer_is_no_constant() {
    for (of_the_stream, buffers) in [(false, 0), (false, 1), (false, 2), (true, 1), (true, 2)] {
        let m = Module::new("example");
        let io = StreamPorts::new(m);
        let (p, x) = m.pipeline_stream("first", io.s, Elastic::default());
        let between = m.wire(stream(bits(8)));
        p.leave_stream(x.next(), between);
        let behind = (0..buffers).fold(between, |s, _| held(m, s));
        let (q, y) = m.pipeline_stream("second", behind, Elastic::default());
        let (name, k) = match of_the_stream {
            false => ("constant_of_a_pipeline_before", p.leave(x.next())),
            true => ("constant_of_a_stream_before", io.s.payload),
        };
        q.leave_stream((y + q.constant(k)).next(), io.m);
        let errors = m.finish(io).expect_err("it moves with the items");
        compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
    }
}

/// And of the stream of an instance; but not of one with which the items have nothing to do.
#[test]
#[module]
fn streams_of_other_items_may_bring_constants() {
    ports! {
        struct ForkedPorts() {
            input s: Stream = stream(bits(8)),
            input other: Stream = stream(bits(8)),
            output m: Stream = stream(bits(8)),
        }
    }
    let passes = || {
        let m = Module::new("passes");
        let io = StreamPorts::new(m);
        io.m.set(held(m, io.s));
        m.finish(io)
    };
    for own in [false, true] {
        let m = Module::new("example");
        let io = ForkedPorts::new(m);
        let (one, two) = (
            m.instance(&passes().unwrap_or_else(|e| panic!("{e}"))),
            m.instance(&passes().unwrap_or_else(|e| panic!("{e}"))),
        );
        one.s.set(io.s);
        two.s.set(io.other);
        two.m.ready.set(two.m.valid);
        let (p, x) = m.pipeline_stream("items", held(m, one.m), Elastic::default());
        let k = if own { one.m.payload } else { two.m.payload };
        p.leave_stream((x + p.constant(k)).next(), io.m);
        match (m.finish(io), own) {
            (Ok(_), false) => {}
            (Err(errors), true) => {
                assert!(errors.to_string().contains("is of a stream of which items come"), "{errors}")
            }
            (Err(errors), false) => panic!("{errors}"),
            (Ok(_), true) => panic!("it moves with the items"),
        }
    }
}

ports! {
    struct CounterPorts() {
        input en: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Counters of cycles, counters of what comes over `en`, and a register.
#[module]
fn counter(form: u32) -> Result<Design<CounterPorts>, Errors> {
    let m = Module::new(format!("counter_{form}"));
    let io = CounterPorts::new(m);
    io.en.unused();
    io.x.unused();
    let count = m.reg_reset(bits(8), 0);
    match form {
        0 => count.set(count + 1),
        1 => drop(m.when(io.en, || count.set(count + 1))),
        2 => count.set(count + io.en.zext(8)),
        _ => count.set(io.x),
    }
    io.y.set(count);
    m.finish(io)
}

/// In an instance, and over one.
#[test]
#[module]
fn counters_in_instances_are_no_constants() {
    for form in 0..4 {
        let m = Module::new("example");
        let io = StreamPorts::new(m);
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        let counts = m.instance(&counter(form).unwrap_or_else(|errors| panic!("{errors}")));
        counts.en.set(io.s.transfer());
        counts.x.set(counts.y + 1);
        p.leave_stream((x + p.constant(counts.y)).next(), io.m);
        let errors = m.finish(io).expect_err("it counts").to_string();
        assert!(
            errors.contains("`counts_y` (8 bits) is marked as constant of pipeline `items`, and moves"),
            "{form}: {errors}"
        );
        if form == 0 {
            compare("errors", "constant_that_counts_in_an_instance.txt", &stable(&errors));
        }
    }
}

ports! {
    struct LimitedPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input limit: Signal = bits(8),
    }
}

/// A register that `limit` resets at once: a constant, or at a stage.
#[module]
fn limited(of_a_stage: bool) -> Result<Design<LimitedPorts>, Errors> {
    let m = Module::new("limited");
    let io = LimitedPorts::new(m);
    let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
    let level = m.reg(bits(8)).asynchronous_reset(io.limit.bit(0), 4);
    if of_a_stage {
        level.set(x);
        p.leave_stream((level + x.next()).next(), io.m);
    } else {
        level.set(1);
        p.leave_stream((x + p.constant(level)).next(), io.m);
    }
    m.finish(io)
}

/// What resets them is a setting for who uses the module.
#[test]
#[module]
fn what_resets_a_constant_is_no_item() {
    for of_a_stage in [false, true] {
        let m = Module::new("example");
        let io = StreamPorts::new(m);
        let inner = m.instance(&limited(of_a_stage).unwrap_or_else(|errors| panic!("{errors}")));
        inner.s.set(io.s);
        io.m.set(inner.m);
        inner.limit.set(io.s.payload);
        let errors = m.finish(io).expect_err("it moves").to_string();
        assert!(errors.contains("takes its input `limit` as a setting"), "{of_a_stage}: {errors}");
    }
}
