//! Loops within a cycle where other checks follow signals, and expressions that share all their parts: tests/errors/NAME.txt.
//! `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::reports;
use hdl::*;

/// What looks for the source of a reset does not go round in a loop.
#[test]
#[module]
fn loops_in_a_reset() {
    for how in 0..4 {
        reports(&format!("loop_in_a_reset_{how}"), |m, io| {
            let (v, w) = (m.wire(bits(1)), m.wire(bits(1)));
            match how {
                0 => v.set(v),
                1 => {
                    v.set(w | io.c);
                    w.set(v);
                }
                _ => {
                    v.set(w);
                    w.set(v);
                }
            }
            if how == 3 {
                let unit = m.instance(&cleared());
                unit.clear.set(v);
            } else if how == 2 {
                m.reset_from(m.current_domain(), v);
            }
            let count = m.reg_reset(bits(8), 0);
            let last = if how < 2 { m.reg(bits(8)).asynchronous_reset(v, 0) } else { m.reg_reset(bits(8), 0) };
            count.set(io.a);
            last.set(count);
            io.y.set(last);
        });
    }
}

ports! {
    struct ClearedPorts() {
        input clear: Signal = bits(1),
        output y: Signal = bits(1),
    }
}

#[module]
fn cleared() -> Design<ClearedPorts> {
    let m = Module::new("cleared");
    let io = ClearedPorts::new(m);
    let y = m.reg(bits(1)).asynchronous_reset(io.clear, 0);
    y.set(1);
    io.y.set(y);
    m.finish(io).unwrap()
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}

/// Nor does what looks for the `ready` of a stream.
#[test]
#[module]
fn a_loop_of_ready() {
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    let out = m.wire(stream(bits(8)));
    let (p, x) = m.pipeline_stream("p", io.s, Elastic::default());
    p.leave_stream(x.next(), out);
    out.ready.set(out.ready);
    io.m.valid.set(out.valid);
    io.m.payload.set(out.payload);
    io.m.ready.unused();
    let errors = m.finish(io).expect_err("`ready` is a loop");
    compare("errors", "loop_of_ready.txt", &stable(&errors.to_string()));
}

ports! {
    struct SharedPorts() {
        input a: Signal = bits(1),
        input b: Signal = bits(1),
        input x: Signal = bits(8),
        output y: Signal = bits(8),
    }
}

/// Each level uses the one before twice: what walks through it without looking where it has been takes twice as long for each.
#[test]
#[module]
fn shared_expressions() {
    for how in 0..4 {
        let m = Module::new(format!("shared_{how}"));
        let io = SharedPorts::new(m);
        let twice = |start: Signal, join: fn(Signal, Signal, &SharedPorts) -> Signal| {
            (0..64).fold(start, |e, _| join(e, e, &io))
        };
        let both = |e: Signal, f: Signal, io: &SharedPorts| (e & io.b) & (io.a & f);
        io.b.unused();
        match how {
            0 => {
                m.latency(1);
                let y = m.reg(bits(8)).enable(twice(io.a, both));
                y.set(io.x);
                io.y.set(y);
            }
            1 => {
                m.latency(2);
                m.enabled_by(io.a);
                let memory = m.memory(bits(8), 4);
                memory.write(io.x.trunc(2), io.x, twice(io.a, both));
                let y = m.reg(bits(8));
                y.set(memory.read_sync(io.x.trunc(2)));
                io.y.set(y);
            }
            2 => {
                let reset = twice(io.a, |e, f, io| (e | io.b) | (io.b | f));
                let y = m.reg(bits(8)).asynchronous_reset(reset, 0);
                y.set(io.x);
                io.y.set(y);
            }
            _ => {
                let some = (0..64).fold(m.anyconst(8), |e, _| e + e);
                io.a.unused();
                let y = m.reg_reset(bits(8), 0);
                y.set(io.x);
                io.y.set(y);
                m.cover(y.eq(some), "it is met");
            }
        }
        m.finish(io).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}

/// An expression may be as deep as memory allows: nothing goes down in it by calling itself.
#[test]
#[module]
fn deep_expressions() {
    let m = Module::new("deep");
    let io = SharedPorts::new(m);
    [io.a, io.b].into_iter().for_each(Signal::unused);
    io.y.set((0..100_000u32).fold(io.x, |sum, i| sum + (i & 255)));
    let design = m.finish(io).unwrap();
    let mut sim = sim::Simulator::new(&design);
    sim.poke(design.ports.x, 1);
    assert_eq!(sim.peek(design.ports.y), u64::from((0..100_000u32).fold(1u8, |sum, i| sum.wrapping_add(i as u8))));
    assert!(verilog(&design, &Options::default()).single().lines().count() > 1000);
}
