//! Modules that remember what goes through them, where there are gaps between items: tests/errors/NAME.txt. `BLESS=1` renews the
//! files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::reports;
use hdl::*;

ports! {
    struct KeptPorts() {
        input x: Signal = bits(8),
        input keep: Signal = bits(1),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// A register that an input holds.
#[module]
fn register() -> Design<KeptPorts> {
    let m = Module::new("one_register");
    let io = KeptPorts::new(m);
    io.keep.unused();
    m.latency(1);
    m.enabled_by(io.go);
    let r = m.reg_reset(bits(8), 0);
    r.set(io.x);
    io.y.set(r);
    m.finish(io).unwrap()
}

/// The last number that was to be kept: an instance holds it, which a bit that came with the number enables.
#[module]
fn kept_late(depth: u32) -> Design<KeptPorts> {
    let m = Module::new(format!("kept_late_{depth}"));
    let io = KeptPorts::new(m);
    m.latency(2);
    m.enabled_by(io.go);
    if depth == 0 {
        let (x, keep) = (m.reg(bits(8)), m.reg(bits(1)));
        x.set(io.x);
        keep.set(io.keep);
        let unit = m.in_enabled(keep, || m.instance(&register()));
        unit.x.set(x);
        unit.keep.set(0);
        io.y.set(unit.y);
    } else {
        let unit = m.instance(&kept_late(depth - 1));
        unit.x.set(io.x);
        unit.keep.set(io.keep);
        io.y.set(unit.y);
    }
    m.finish(io).unwrap()
}

/// It would keep what is in the gaps.
#[test]
#[module]
fn kept_over_two_stages() {
    for depth in [0, 1] {
        reports(&format!("instance_that_an_item_holds_{depth}"), |m, io| {
            let (from, to) = (m.wire(stream((bits(8), bits(1)))), m.wire(stream(bits(8))));
            from.valid.set(io.c);
            from.payload.set((io.a, io.b.bit(0)));
            to.ready.set(1);
            let (p, (x, keep)) = m.pipeline_stream("items", from, Elastic::default());
            let unit = m.instance(&kept_late(depth));
            unit.x.set(x);
            unit.keep.set(keep);
            p.leave_stream(unit.y, to);
            io.y.set(to.payload & to.valid.repeat(8));
        });
    }
}

/// What only delays may be as long as it likes.
#[test]
#[module]
fn delayed_over_two_stages() {
    #[module]
    fn delayed() -> Design<KeptPorts> {
        let m = Module::new("delayed");
        let io = KeptPorts::new(m);
        io.keep.unused();
        m.latency(2);
        let p = m.pipeline_enabled("delay", io.go);
        let unit = m.instance(&register());
        unit.x.set(p.enter(io.x).next());
        unit.keep.set(0);
        io.y.set(p.leave(unit.y));
        m.finish(io).unwrap()
    }
    let m = Module::new("example");
    let io = ItemPorts::new(m);
    let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
    let unit = m.instance(&delayed());
    unit.x.set(x);
    unit.keep.set(0);
    p.leave_stream(unit.y, io.m);
    m.finish(io).unwrap();
}

ports! {
    struct ItemPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
    }
}
