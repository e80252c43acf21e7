//! Pipelines between two streams: nothing is lost under stalls, the rate is full, gaps close where that is asked for.

use crate::common::numbers::Random;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::*;
use std::collections::VecDeque;

ports! {
    pub struct StreamPorts() {
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
pub struct Bench {
    sim: Simulator,
}

impl Bench {
    pub fn new<P>(design: &Design<P>) -> Bench {
        let mut sim = Simulator::new(design);
        sim.reset(2);
        Bench { sim }
    }
    fn port(&self, name: &str) -> usize {
        self.sim.port(name).unwrap()
    }
    /// A cycle: what is offered, whether the end takes, whether all is thrown away. What was accepted, and what came out.
    pub fn cycle(&mut self, offered: Option<u64>, ready: bool, flush: bool) -> (bool, Option<u64>) {
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
    pub struct UnitPorts() {
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
