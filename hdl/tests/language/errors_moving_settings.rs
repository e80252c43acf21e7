//! Errors of settings that move with items in ways that a reader of the module may overlook: tests/errors/NAME.txt. `BLESS=1` renews
//! the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use hdl::*;

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input k: Signal = bits(8),
    }
}

/// `k` is what the pipeline takes as its constant.
fn between(k: impl FnOnce(Module, StreamPorts) -> Signal) -> Result<Design<StreamPorts>, Errors> {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.k.unused();
    let k = k(m, io);
    let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
    p.leave_stream((x + p.constant(k)).next(), io.m);
    m.finish(io)
}

#[track_caller]
fn streams(name: &str, k: impl FnOnce(Module, StreamPorts) -> Signal) {
    let errors = between(k).expect_err("the constant moves");
    compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
}

/// Registers that change with the handshake, in whatever form.
#[test]
#[module]
fn registers_that_follow_a_handshake() {
    streams("constant_that_counts_items", |m, io| {
        let count = m.reg_reset(bits(8), 0);
        m.when(io.m.transfer(), || count.set(count + 1));
        count
    });
    streams("constant_that_counts_in_a_memory", |m, io| {
        let (count, at) = (m.memory(bits(8), 4), m.lit(1u32, 2));
        count.write(at, count.read(at) + 1, io.m.transfer());
        count.read(at)
    });
    streams("constant_that_counts_cycles", |m, _| {
        let count = m.reg_reset(bits(8), 0);
        count.set(count + 1);
        count
    });
    streams("constant_under_ready", |m, io| {
        let seen = m.reg_reset(bits(8), 0);
        seen.set(3);
        m.when(io.m.ready, || seen.set(77));
        seen
    });
}

/// What is loaded when items go on, and is no data of them.
#[test]
#[module]
fn what_is_loaded_with_an_item_may_stand_still() {
    for how in 0..7 {
        let loaded = |m: Module, io: StreamPorts| {
            let loaded = m.reg_reset(bits(8), 0);
            match how {
                0 => drop(m.when(io.s.transfer(), || loaded.set(io.k))),
                1 => loaded.set(io.s.transfer().mux(io.k, loaded)),
                2 => drop(m.when(io.s.transfer(), || {
                    m.when(io.k.bit(0), || loaded.set(1)).otherwise(|| loaded.set(2));
                })),
                3 => drop(m.when(io.k.all(), || loaded.set(0)).elsewhen(io.s.transfer(), || loaded.set(io.k))),
                // by a wire with the next value, seldom held
                4 => {
                    let next = m.wire(bits(8));
                    next.set(loaded);
                    m.when(!io.k.all(), || next.set(io.k));
                    loaded.set(next);
                }
                // a timer that stops, up and down
                5 => drop(m.when(!loaded.all(), || loaded.set(loaded + 1))),
                _ => drop(m.when(io.k.bit(7), || loaded.set(io.k)).elsewhen(loaded.any(), || loaded.set(loaded - 1))),
            }
            loaded
        };
        between(loaded).unwrap_or_else(|errors| panic!("{how}: {errors}"));
    }
}

/// Items go on where two signals are equal, which numbers taken at random hardly are.
#[test]
#[module]
fn where_two_signals_are_equal() {
    ports! {
        struct TaggedPorts() {
            input tag: Signal = bits(16),
            input expected: Signal = bits(16),
            input a: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }
    for both in [false, true] {
        let m = Module::new("example");
        let io = TaggedPorts::new(m);
        let equal = io.tag.eq(io.expected);
        let advance = if both { equal & (io.tag + 1).ne(io.expected ^ 0x55) } else { equal };
        let p = m.pipeline_enabled("sum", advance);
        let a = p.enter(io.a).next();
        let after = m.reg(bits(8));
        after.set(p.leave(a));
        io.y.set(p.leave(p.constant(after) + a.next()));
        let errors = m.finish(io).expect_err("it moves").to_string();
        assert!(errors.contains("`after` (8 bits) is marked as constant of pipeline `sum`, and moves"), "{errors}");
    }
}

#[test]
#[module]
fn items_of_the_pipeline_before() {
    // the same register that is the payload with which the second begins, by another way out
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.k.unused();
    let (p, x) = m.pipeline_stream("first", io.s, Elastic::default());
    let between = m.wire(stream(bits(8)));
    let x = x.next();
    p.leave_stream(x.next(), between);
    let (q, y) = m.pipeline_stream("second", between, Elastic::default());
    let k = q.constant(p.leave(x.next()));
    q.leave_stream(y.next() + k, io.m);
    let errors = m.finish(io).expect_err("it moves");
    compare("errors", "constant_of_the_pipeline_before.txt", &stable(&errors.to_string()));
}

/// A reset at once acts on whatever item is there.
#[test]
#[module]
fn resets_by_items() {
    let reset = |name: &str, by: &dyn Fn(Pipeline, Signal, StreamPorts) -> Signal| {
        let m = Module::new("example");
        let io = StreamPorts::new(m);
        io.k.unused();
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        let x = x.next();
        let sum = p.state(m.reg(bits(8)).asynchronous_reset(by(p, x, io), 0), x);
        sum.set(sum + x);
        p.leave_stream((x + sum).next(), io.m);
        let errors = m.finish(io).expect_err("an item resets it");
        compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
    };
    reset("state_reset_by_a_payload", &|_, _, io| io.s.payload.bit(0));
    reset("state_reset_by_what_left", &|p, x, _| p.leave(x).bit(0));
}

/// A stream is what is declared as one, not what is called so.
#[test]
#[module]
fn streams_by_their_declaration() {
    ports! {
        struct NamedPorts() {
            input s: Stream = stream(bits(8)),
            input s_gain: Signal = bits(8),
            input in_valid: Signal = bits(1),
            input in_data: Signal = bits(8),
            output in_ready: Signal = bits(1),
            output m: Stream = stream(bits(8)),
            output n: Stream = stream(bits(8)),
        }
    }
    for wrong in [false, true] {
        let m = Module::new("example");
        let io = NamedPorts::new(m);
        let first = Stream { payload: io.s.payload + io.s_gain, ..io.s };
        let (p, x) = m.pipeline_stream("first", first, Elastic::default());
        p.leave_stream((x + p.constant(io.s_gain)).next(), io.m);
        let second = Stream { valid: io.in_valid, ready: io.in_ready, payload: io.in_data + io.s_gain };
        let (q, y) = m.pipeline_stream("second", second, Elastic::default());
        let k = if wrong { q.constant(io.in_data) } else { m.lit(1u32, 8) };
        q.leave_stream((y + k).next(), io.n);
        match (m.finish(io), wrong) {
            (Ok(_), false) => {}
            (Err(errors), true) => compare("errors", "constant_of_a_stream_by_hand.txt", &stable(&errors.to_string())),
            (Err(errors), false) => panic!("{errors}"),
            (Ok(_), true) => panic!("data of items is no constant"),
        }
    }
}

/// What left is an index as every other.
#[test]
#[module]
fn what_left_chooses_an_element() {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
    p.leave_stream(x.next(), io.m);
    let seen = m.reg_reset(vector(bits(8), 4), 0);
    let flags = m.reg_reset(bits(4), 0);
    let at = p.leave(x.next()).trunc(2);
    m.when(io.m.transfer(), || {
        seen.at(at).set(io.k);
        flags.part(at, 1).set(1);
    });
    seen.pack().unused();
    flags.unused();
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
}

ports! {
    struct ConfiguredPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input cfg: Stream = stream(bits(8)),
    }
}

/// A stream that no pipeline begins with may bring settings.
#[test]
#[module]
fn a_stream_of_settings() {
    let m = Module::new("example");
    let io = ConfiguredPorts::new(m);
    let unit = m.instance(&gain());
    unit.s.set(io.s);
    io.m.set(unit.m);
    io.cfg.ready.set(1);
    io.cfg.valid.unused();
    let held = m.reg_reset(bits(8), 0);
    held.set(io.cfg.payload);
    unit.k.set(held);
    m.finish(io).unwrap_or_else(|errors| panic!("{errors}"));
}

/// A pipeline between streams, with a setting.
#[module]
fn gain() -> Design<StreamPorts> {
    let m = Module::new("gain");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("gain", io.s, Elastic::default());
    p.leave_stream((x + p.constant(io.k)).next(), io.m);
    m.finish(io).unwrap()
}

#[test]
#[module]
fn settings_between_instances() {
    for (name, how) in [("setting_loaded_with_a_transfer", 0), ("setting_of_the_stream_before", 1)] {
        let m = Module::new("example");
        let io = StreamPorts::new(m);
        let (first, second) = (m.instance(&gain()), m.instance(&gain()));
        first.s.set(io.s);
        first.k.set(io.k);
        second.s.set(first.m);
        io.m.set(second.m);
        let loaded = m.reg_reset(bits(8), 0);
        m.when(first.m.transfer(), || loaded.set(first.m.payload));
        second.k.set(if how == 0 { loaded } else { io.s.payload });
        loaded.unused();
        let errors = m.finish(io).expect_err("the setting moves");
        compare("errors", &format!("{name}.txt"), &stable(&errors.to_string()));
    }
}
