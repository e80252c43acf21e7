//! Instances that remember what went through them, between streams: they see items only.

use super::streams::{Bench, StreamPorts, UnitPorts};
use crate::common::numbers::Random;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::collections::VecDeque;

ports! {
    struct HeldPorts() {
        input s: Stream<(Signal, Signal)> = stream((bits(8), bits(1))),
        output m: Stream<(Signal, Signal, Signal)> = stream((bits(8), bits(8), bits(8))),
    }
}

/// The sum of what went through, in a module of its own.
#[module]
fn sum() -> Design<UnitPorts> {
    let m = Module::new("sum");
    let io = UnitPorts::new(m);
    m.latency(1);
    m.enabled_by(io.go);
    let total = m.reg_reset(bits(8), 0);
    total.set(total + io.x);
    io.y.set(total);
    m.finish(io).unwrap()
}

/// The last of those numbers that were to be kept, in a module of its own.
#[module]
fn kept() -> Design<KeptPorts> {
    let m = Module::new("kept");
    let io = KeptPorts::new(m);
    m.latency(1);
    m.enabled_by(io.go);
    let last = m.reg_reset(bits(8), 7);
    m.when(io.keep, || last.set(io.x));
    io.y.set(last);
    m.finish(io).unwrap()
}

/// The number less the one before, in each way that a module can keep it.
#[module]
fn difference(kind: u32) -> Design<UnitPorts> {
    let m = Module::new(format!("difference_{kind}"));
    let io = UnitPorts::new(m);
    m.latency(u32::from(kind != 0));
    if kind < 3 {
        m.enabled_by(io.go);
    }
    let follows = |x: Signal| {
        let before = m.reg_reset(bits(8), 0);
        before.set(x);
        before
    };
    match kind {
        0 => io.y.set(io.x - follows(io.x)),
        1 => {
            let before = follows(io.x);
            io.y.set(before - follows(before));
        }
        // two modules, and a pipeline beside that another input holds
        2 => {
            let beside = m.pipeline_enabled("beside", io.x.bit(0));
            m.cover(beside.leave(beside.enter(io.x).next()).eq(3), "three");
            let unit = m.instance(&difference(0));
            unit.x.set(io.x);
            io.y.set(follows(unit.y));
        }
        _ => {
            let p = m.pipeline_enabled("difference", io.go);
            let x = p.enter(io.x);
            let before = p.state(m.reg_reset(bits(8), 0), x);
            before.set(x);
            io.y.set(p.leave((x - before).next()));
        }
    }
    m.finish(io).unwrap()
}

/// A module that takes two items together remembers one of them: it sees items only, no gaps.
#[test]
fn differences_of_items() {
    #[module]
    fn between_streams(kind: u32, collapse: bool) -> Design<StreamPorts> {
        let m = Module::new("differences");
        let io = StreamPorts::new(m);
        io.flush.unused();
        let (p, x) = m.pipeline_stream("items", io.s, Elastic { collapse, flush: None });
        let unit = m.instance(&difference(kind));
        unit.x.set(x.next());
        p.leave_stream(unit.y.next(), io.m);
        m.finish(io).unwrap()
    }
    for (kind, collapse) in (0..4).flat_map(|kind| [(kind, false), (kind, true)]) {
        let mut sim = Simulator::new(&between_streams(kind, collapse));
        let [s_valid, s_payload, s_ready, m_valid, m_payload, m_ready] =
            ["s_valid", "s_payload", "s_ready", "m_valid", "m_payload", "m_ready"].map(|n| sim.port(n).unwrap());
        let (mut random, mut queue, mut last, mut given) = (Random::new(3), VecDeque::new(), 0, 0);
        sim.poke(s_payload, 99);
        sim.reset(2);
        for cycle in 0..2000 {
            let [offered, x, ready] = [2, 256, 2].map(|n| random.below(n));
            [(s_valid, offered), (s_payload, x), (m_ready, ready)].into_iter().for_each(|(port, v)| sim.poke(port, v));
            if sim.peek(m_valid) == 1 && ready == 1 {
                assert_eq!(
                    Some(sim.peek(m_payload)),
                    queue.pop_front(),
                    "kind {kind}, collapse {collapse}, cycle {cycle}"
                );
                given += 1;
            }
            if offered == 1 && sim.peek(s_ready) == 1 {
                queue.push_back((x + 256 - last) % 256);
                last = x;
            }
            sim.step();
        }
        assert!(given > 400, "{given}");
    }
}

/// A module may show what the items before left, in the same cycle or a register later.
#[test]
fn sums_of_the_items_before() {
    #[module]
    fn sum_before(latency: u32) -> Design<UnitPorts> {
        let m = Module::new("sum_before");
        let io = UnitPorts::new(m);
        m.latency(latency);
        m.enabled_by(io.go);
        let sum = m.reg_reset(bits(8), 0);
        sum.set(sum + io.x);
        let late = m.reg(bits(8));
        late.set(sum);
        io.y.set(if latency == 0 { sum } else { late });
        if latency == 0 {
            late.unused();
        }
        m.finish(io).unwrap()
    }
    #[module]
    fn between_streams(latency: u32) -> Design<StreamPorts> {
        let m = Module::new("sums");
        let io = StreamPorts::new(m);
        io.flush.unused();
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        let unit = m.instance(&sum_before(latency));
        unit.x.set(x.next());
        p.leave_stream(unit.y.next(), io.m);
        m.finish(io).unwrap()
    }
    for latency in [0, 1] {
        let mut bench = Bench::new(&between_streams(latency));
        let (mut random, mut queue, mut sum) = (Random::new(4), VecDeque::new(), 0);
        for cycle in 0..2000 {
            let offered = random.percent(50).then(|| random.below(256));
            let (accepted, out) = bench.cycle(offered, random.percent(60), false);
            if let (true, Some(x)) = (accepted, offered) {
                queue.push_back(sum);
                sum = (sum + x) % 256;
            }
            if let Some(out) = out {
                assert_eq!(Some(out), queue.pop_front(), "latency {latency}, cycle {cycle}");
            }
        }
        assert!(queue.len() < 5);
    }
}

ports! {
    struct KeptPorts() {
        input x: Signal = bits(8),
        input keep: Signal = bits(1),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Instances alone ask for what tells items from gaps.
#[module]
fn held_by_instances(collapse: bool) -> Design<HeldPorts> {
    let m = Module::new("held");
    let io = HeldPorts::new(m);
    let (p, (a, keep)) = m.pipeline_stream("held", io.s, Elastic { collapse, flush: None });
    let (sum, last) = (m.instance(&sum()), m.instance(&kept()));
    sum.x.set(a);
    last.x.set(a);
    last.keep.set(keep);
    p.leave_stream((a.next(), last.y, sum.y), io.m);
    m.finish(io).unwrap()
}

#[test]
fn instances_remember_items_only() {
    for collapse in [false, true] {
        let mut sim = Simulator::new(&held_by_instances(collapse));
        sim.reset(2);
        let (mut random, mut queue) = (Random::new(9), VecDeque::<[u64; 3]>::new());
        let [s_valid, s_ready, m_ready, m_valid] =
            ["s_valid", "s_ready", "m_ready", "m_valid"].map(|n| sim.port(n).unwrap());
        let (mut last, mut sum, mut given) = (7, 0, 0);
        for cycle in 0..3000 {
            let [offered, x, keep, ready] = [2, 256, 2, 2].map(|n| random.below(n));
            sim.poke(s_valid, offered);
            sim.poke("s_payload_0", x);
            sim.poke("s_payload_1", keep);
            sim.poke(m_ready, ready);
            if sim.peek(m_valid) == 1 && ready == 1 {
                let got = ["m_payload_0", "m_payload_1", "m_payload_2"].map(|name| sim.peek(name));
                assert_eq!(Some(got), queue.pop_front(), "collapse {collapse}, cycle {cycle}");
                given += 1;
            }
            if offered == 1 && sim.peek(s_ready) == 1 {
                last = if keep == 1 { x } else { last };
                sum = (sum + x) % 256;
                queue.push_back([x, last, sum]);
            }
            sim.step();
        }
        assert!(given > 600, "{given}");
    }
}

/// Words that are read now and then, and a sum of all items: in cycles without an item neither changes.
#[test]
fn gaps_change_nothing() {
    for collapse in [false, true] {
        #[module]
        fn held(collapse: bool) -> Design<HeldPorts> {
            let m = Module::new("held");
            let io = HeldPorts::new(m);
            let (p, (a, read)) = m.pipeline_stream("held", io.s, Elastic { collapse, flush: None });
            let word = m.memory(bits(8), 256).init((0..256u32).map(|i| 255 - i)).read_sync_enabled(a, read);
            let unit = m.instance(&sum());
            unit.x.set(a);
            p.leave_stream((a.next(), word, unit.y), io.m);
            m.finish(io).unwrap()
        }
        let mut sim = Simulator::new(&held(collapse));
        sim.reset(2);
        let (mut random, mut queue) = (Random::new(9), VecDeque::<(u64, Option<u64>, u64)>::new());
        let [s_valid, s_ready, a, read, m_valid, m_ready, item, word, total] = [
            "s_valid",
            "s_ready",
            "s_payload_0",
            "s_payload_1",
            "m_valid",
            "m_ready",
            "m_payload_0",
            "m_payload_1",
            "m_payload_2",
        ]
        .map(|n| sim.port(n).unwrap());
        let (mut last, mut sum, mut given) = (None, 0, 0);
        for cycle in 0..3000 {
            // what is not valid may be anything
            let [offered, x, asked, ready] = [2, 256, 2, 2].map(|n| random.below(n));
            [(s_valid, offered), (a, x), (read, asked), (m_ready, ready)]
                .into_iter()
                .for_each(|(port, v)| sim.poke(port, v));
            if sim.peek(m_valid) == 1 && ready == 1 {
                let (x, held, total_so_far) = queue.pop_front().expect("an item");
                assert_eq!([sim.peek(item), sim.peek(total)], [x, total_so_far], "collapse {collapse}, cycle {cycle}");
                assert!(held.is_none_or(|held| held == sim.peek(word)), "collapse {collapse}, cycle {cycle}");
                given += 1;
            }
            if offered == 1 && sim.peek(s_ready) == 1 {
                last = if asked == 1 { Some(255 - x) } else { last };
                sum = (sum + x) % 256;
                queue.push_back((x, last, sum));
            }
            sim.step();
        }
        assert!(given > 600, "{given}");
    }
}
