//! Instances that a bit of the item itself holds, between streams: what is kept is kept over gaps, too.

use crate::common::numbers::Random;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::collections::VecDeque;

ports! {
    struct KeptPorts() {
        input go: Signal = bits(1),
        input x: Signal = bits(8),
        input keep: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

ports! {
    struct ItemPorts() {
        input s: Stream<(Signal, Signal)> = stream((bits(8), bits(1))),
        output m: Stream = stream(bits(8)),
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

/// The last number that was to be kept, in each way to say so.
#[module]
fn kept(kind: u32) -> Design<KeptPorts> {
    let m = Module::new(format!("kept_{kind}"));
    let io = KeptPorts::new(m);
    m.latency(1);
    if kind == 1 || kind == 2 {
        let unit = m.instance(&register());
        unit.x.set(io.x);
        unit.keep.set(0);
        match kind {
            1 => unit.go.set(io.go & io.keep),
            _ => {
                unit.go.set(0);
                m.when(io.keep, || unit.go.set(io.go));
            }
        }
        io.y.set(unit.y);
        return m.finish(io).unwrap();
    }
    m.enabled_by(io.go);
    match kind {
        0 => {
            let unit = m.in_enabled(io.keep, || m.instance(&register()));
            unit.x.set(io.x);
            unit.keep.set(0);
            io.y.set(unit.y);
        }
        // through a further module
        3 => {
            let unit = m.instance(&kept(0));
            unit.x.set(io.x);
            unit.keep.set(io.keep);
            io.y.set(unit.y);
        }
        // what a register of the module itself does
        _ => {
            let r = m.reg_reset(bits(8), 0).enable(io.keep);
            r.set(io.x);
            io.y.set(r);
        }
    }
    m.finish(io).unwrap()
}

#[module]
fn between_streams(kind: u32, collapse: bool) -> Result<Design<ItemPorts>, Errors> {
    let m = Module::new("between_streams");
    let io = ItemPorts::new(m);
    let (p, items) = m.pipeline_stream("items", io.s, Elastic { collapse, flush: None });
    let (x, keep) = items.next();
    let unit = m.instance(&kept(kind));
    unit.x.set(x);
    unit.keep.set(keep);
    p.leave_stream(unit.y.next(), io.m);
    m.finish(io)
}

#[test]
fn gaps_do_not_touch_what_is_kept() {
    for (kind, collapse) in [0, 1, 3, 4].into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let mut sim = Simulator::new(&between_streams(kind, collapse).unwrap());
        let [s_valid, s_ready, x, keep, m_valid, m_ready, m_payload] =
            ["s_valid", "s_ready", "s_payload_0", "s_payload_1", "m_valid", "m_ready", "m_payload"]
                .map(|name| sim.port(name).unwrap());
        sim.reset(2);
        let (mut random, mut queue, mut last, mut given) = (Random::new(11), VecDeque::new(), 0, 0);
        for cycle in 0..2000 {
            // what is not valid may be anything
            let [offered, number, kept, ready] = [2, 256, 2, 2].map(|n| random.below(n));
            [(s_valid, offered), (x, number), (keep, kept), (m_ready, ready)]
                .into_iter()
                .for_each(|(port, value)| sim.poke(port, value));
            if sim.peek(m_valid) == 1 && ready == 1 {
                let got = sim.peek(m_payload);
                assert_eq!(Some(got), queue.pop_front(), "kind {kind}, collapse {collapse}, cycle {cycle}");
                given += 1;
            }
            if offered == 1 && sim.peek(s_ready) == 1 {
                last = if kept == 1 { number } else { last };
                queue.push_back(last);
            }
            sim.step();
        }
        assert!(given > 400, "{given}");
    }
}

/// Nothing is known to hold a module of which an instance is enabled under a condition.
#[test]
fn an_enable_under_a_condition() {
    let errors = between_streams(2, false).unwrap_err().to_string();
    assert!(errors.contains("`kept_2` has registers or memories that go on while pipeline `items` stands"), "{errors}");
}
