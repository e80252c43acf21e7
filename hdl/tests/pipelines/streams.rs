//! Pipelines between two streams: nothing is lost under stalls, the rate is full, gaps close where that is asked for.

use crate::numbers::Random;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::collections::VecDeque;

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input flush: Signal = bits(1),
    }
}

/// `stages` registers between the streams.
#[module]
fn delay(stages: u32, collapse: bool, flush: bool) -> Design<StreamPorts> {
    let m = Module::new("delay");
    let io = StreamPorts::new(m);
    if !flush {
        io.flush.unused();
    }
    let (p, x) = m.pipeline_stream("delay", io.s, Elastic { collapse, flush: flush.then_some(io.flush) });
    p.leave_stream(x.later(stages), io.m);
    m.finish(io).unwrap()
}

/// The two streams of a simulation.
struct Bench {
    sim: Simulator,
}

impl Bench {
    fn new<P>(design: &Design<P>) -> Bench {
        let mut sim = Simulator::new(design);
        sim.reset(2);
        Bench { sim }
    }
    fn port(&self, name: &str) -> usize {
        self.sim.port(name).unwrap()
    }
    /// A cycle: what is offered, whether the end takes, whether all is thrown away. What was accepted, and what came out.
    fn cycle(&mut self, offered: Option<u64>, ready: bool, flush: bool) -> (bool, Option<u64>) {
        let [s_valid, s_payload, m_ready, flushes] =
            ["s_valid", "s_payload", "m_ready", "flush"].map(|name| self.port(name));
        let sim = &mut self.sim;
        sim.poke(s_valid, u64::from(offered.is_some()));
        sim.poke(s_payload, offered.unwrap_or(0xaa));
        sim.poke(m_ready, u64::from(ready));
        sim.poke(flushes, u64::from(flush));
        let [s_ready, m_valid, m_payload] =
            ["s_ready", "m_valid", "m_payload"].map(|name| sim.port(name).unwrap()).map(|port| sim.peek(port));
        sim.step();
        (offered.is_some() && s_ready == 1, (m_valid == 1 && ready).then_some(m_payload))
    }
}

#[test]
fn what_goes_in_comes_out_once_and_in_order() {
    for stages in 0..5 {
        for (collapse, flush) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut bench = Bench::new(&delay(stages, collapse, flush));
            let mut random = Random::new(u64::from(stages));
            let (mut queue, mut offered, mut given) = (VecDeque::new(), None, 0);
            for cycle in 0..4000u64 {
                // long times of plenty and of want, on either side
                let (fill, drain) =
                    ([90, 20, 50][(cycle / 300 % 3) as usize], [50, 95, 15][(cycle / 500 % 3) as usize]);
                offered = offered.or(random.percent(fill).then(|| random.below(256)));
                let throw = flush && random.percent(5);
                let (accepted, out) = bench.cycle(offered, random.percent(drain), throw);
                let at = format!("{stages} stages, collapse {collapse}, cycle {cycle}");
                if accepted {
                    assert!(!throw, "nothing enters while all is thrown away: {at}");
                    queue.push_back(offered.take().unwrap());
                }
                if let Some(out) = out {
                    assert_eq!(Some(out), queue.pop_front(), "{at}");
                    given += 1;
                }
                if throw {
                    queue.clear();
                }
                assert!(queue.len() as u64 <= u64::from(stages), "{at}: {} items under way", queue.len());
            }
            assert!(given > 500, "{stages} stages: only {given} items");
        }
    }
}

#[test]
fn the_rate_is_full_in_cycles() {
    for stages in 0..5u64 {
        for collapse in [false, true] {
            let mut bench = Bench::new(&delay(stages as u32, collapse, false));
            let mut out = vec![];
            for cycle in 0..100 + stages {
                let (accepted, item) = bench.cycle(Some(cycle % 256), true, false);
                assert!(accepted, "a bubble at the beginning in cycle {cycle}");
                out.extend(item);
            }
            // the first after as many cycles as there are stages, then one in each
            assert_eq!(out, (0..100).collect::<Vec<u64>>(), "{stages} stages, collapse {collapse}");
        }
    }
}

/// Every second cycle brings an item, and the end waits: with collapsing as many are taken as there are stages, without it the
/// gaps stay.
#[test]
fn gaps_close_where_that_is_asked_for() {
    for (collapse, held) in [(true, 4), (false, 2)] {
        let mut bench = Bench::new(&delay(4, collapse, false));
        let mut accepted = 0;
        for cycle in 0..20 {
            accepted += u32::from(bench.cycle((cycle % 2 == 0).then_some(cycle), false, false).0);
        }
        assert_eq!(accepted, held, "collapse {collapse}");
        // and they leave without a gap, or with it
        let out: Vec<bool> = (0..4).map(|_| bench.cycle(None, true, false).1.is_some()).collect();
        assert_eq!(out, [true, collapse, true, collapse]);
    }
}

ports! {
    struct CountPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        input flush: Signal = bits(1),
        output seen: Signal = bits(16),
        output stored: Signal = bits(16),
        output gone: Signal = bits(16),
    }
}

/// State at the first and at the last stage, a count in a memory, and counts of what moves and stands there.
#[module]
fn counting(collapse: bool) -> Design<CountPorts> {
    let m = Module::new("counting");
    let io = CountPorts::new(m);
    let (p, x) = m.pipeline_stream("count", io.s, Elastic { collapse, flush: Some(io.flush) });
    let seen = p.state(m.reg_reset(bits(16), 0), x);
    seen.set(seen + 1);
    let x = x.later(2);
    let stored = m.memory(bits(16), 2).init([0u32]);
    let zero = m.lit(0u32, 1);
    let read = stored.read(p.enter(zero).meet(x)) + 1;
    stored.write(p.constant(zero), read, p.occupied(x));
    let x = x.next();
    let gone = p.state(m.reg_reset(bits(16), 0), x);
    m.when(p.moves(x), || gone.set(gone + 1));
    p.leave_stream(x, io.m);
    io.seen.set(p.leave(seen));
    io.stored.set(stored.read(zero));
    io.gone.set(p.leave(gone));
    m.finish(io).unwrap()
}

/// Each item changes state once, whatever waits; what is thrown away changes nothing from then on.
#[test]
fn state_counts_items() {
    for collapse in [false, true] {
        let mut bench = Bench::new(&counting(collapse));
        let mut random = Random::new(3);
        // what the stages held before the reset may have been counted in the memory
        let at_first = bench.sim.peek("stored");
        let (mut offered, mut entered, mut left, mut under_way) = (None, 0, 0, 0);
        for cycle in 0..3000 {
            offered = offered.or(random.percent(60).then(|| random.below(256)));
            let throw = random.percent(2);
            let (accepted, out) = bench.cycle(offered, random.percent(60), throw);
            if accepted {
                offered = None;
                entered += 1;
                under_way += 1;
            }
            left += u64::from(out.is_some());
            under_way = if throw { 0 } else { under_way - u64::from(out.is_some()) };
            let [seen, stored, gone] =
                ["seen", "stored", "gone"].map(|name| bench.port(name)).map(|port| bench.sim.peek(port));
            assert_eq!((seen, gone), (entered, left), "collapse {collapse}, cycle {cycle}");
            let stored = stored.wrapping_sub(at_first) & 0xffff;
            // in the memory counts who went on from stage 2: between the two
            assert!(stored >= left && stored <= entered, "cycle {cycle}: {stored} of {entered}, {left} left");
            // one that left the memory is gone, in the last stage, or thrown away there
            assert!(under_way <= 3);
        }
        assert!(left > 1000, "{left} left");
    }
}

ports! {
    struct PayloadPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream<(Signal, Signal)> = stream((bits(8), bits(8))),
    }
}

ports! {
    struct UnitPorts() {
        input x: Signal = bits(8),
        input go: Signal = bits(1),
        output y: Signal = bits(8),
    }
}

/// Inverts, in so many cycles of its own pipeline.
#[module]
fn invert(cycles: u32) -> Design<UnitPorts> {
    let m = Module::new(format!("invert{cycles}"));
    let io = UnitPorts::new(m);
    m.latency(cycles);
    let p = m.pipeline_enabled("invert", io.go);
    io.y.set(p.leave(!p.enter(io.x).later(cycles)));
    m.finish(io).unwrap()
}

/// An instance between registers before and behind it; what it gives beside what it was given.
#[module]
fn spans(collapse: bool, cycles: u32, before: u32, after: u32) -> Design<PayloadPorts> {
    let m = Module::new("spans");
    let io = PayloadPorts::new(m);
    let (p, x) = m.pipeline_stream("spans", io.s, Elastic { collapse, flush: None });
    let x = x.later(before);
    let unit = m.instance(&invert(cycles));
    unit.x.set(x);
    let y = unit.y.later(after);
    p.leave_stream((x.meet(y), y), io.m);
    m.finish(io).unwrap()
}

/// An instance of several stages moves in one piece, also where gaps close around it.
#[test]
fn an_instance_moves_in_one_piece() {
    for (collapse, cycles, before, after) in
        [(false, 3, 1, 1), (true, 3, 1, 1), (true, 1, 0, 2), (true, 2, 0, 0), (true, 4, 2, 0)]
    {
        let mut sim = Simulator::new(&spans(collapse, cycles, before, after));
        sim.reset(2);
        let (mut random, mut queue, mut given) = (Random::new(7), VecDeque::new(), 0);
        let [s_valid, s_ready, s, m_valid, m_ready, x, y] =
            ["s_valid", "s_ready", "s_payload", "m_valid", "m_ready", "m_payload_0", "m_payload_1"]
                .map(|n| sim.port(n).unwrap());
        for cycle in 0..3000u64 {
            let (valid, item, ready) = (random.below(2), random.below(256), random.percent(40 + cycle / 500 * 10));
            sim.poke(s_valid, valid);
            sim.poke(s, item);
            sim.poke(m_ready, u64::from(ready));
            if sim.peek(m_valid) == 1 && ready {
                let item = queue.pop_front().expect("an item");
                assert_eq!([sim.peek(x), sim.peek(y)], [item, item ^ 0xff], "{cycles} cycles, collapse {collapse}");
                given += 1;
            }
            if valid == 1 && sim.peek(s_ready) == 1 {
                queue.push_back(item);
            }
            sim.step();
        }
        assert!(given > 800, "{given}");
    }
}

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
