//! State of a stage, however it is assigned and whatever it is made of: it stands while the pipeline does.

use crate::common::numbers::Random;
use hdl::engine::{Engine, PowerUp};
use hdl::sim::Simulator;
use hdl::*;

ports! {
    struct FlagPorts() {
        input advance: Signal = bits(1),
        input x: Signal = bits(4),
        output first: Signal = bits(1),
    }
}

/// Is this the first item that ever came? A flag that is assigned a literal says so.
#[module]
fn first_item(kind: u32) -> Design<FlagPorts> {
    let m = Module::new("first_item");
    let io = FlagPorts::new(m);
    let p = m.pipeline_enabled("first_item", io.advance);
    let x = p.enter(io.x);
    let seen = p.state(m.reg_reset(bits(1), 0), x);
    match kind {
        0 => seen.set(1),
        1 => seen.set(p.constant(m.lit(1u32, 1))),
        _ => {
            let both = [seen];
            both[0].set(m.lit(3u32, 2).bit(0));
        }
    }
    let first = !seen & x.any() | !seen & !x.any();
    io.first.set(p.leave(first.next()));
    m.finish(io).unwrap()
}

#[test]
fn a_literal_is_written_by_items_only() {
    for kind in 0..3 {
        let mut sim = Simulator::new(&first_item(kind));
        sim.reset(2);
        for (advance, wanted) in [(0, None), (0, None), (1, Some(1)), (0, Some(1)), (1, Some(0)), (1, Some(0))] {
            sim.poke(0, advance);
            sim.step();
            wanted.into_iter().for_each(|first| assert_eq!(sim.peek(2), first, "kind {kind}"));
        }
    }
}

ports! {
    struct StreamPorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(1)),
    }
}

/// Between streams: the first item is the first, however late it comes.
#[module]
fn first_of_stream() -> Design<StreamPorts> {
    let m = Module::new("first_of_stream");
    let io = StreamPorts::new(m);
    let (p, x) = m.pipeline_stream("first", io.s, Elastic { collapse: true, ..Elastic::default() });
    let x = x.next();
    let seen = p.state(m.reg_reset(bits(1), 0), x);
    seen.set(1);
    p.leave_stream((!seen & x.eq(x)).next(), io.m);
    m.finish(io).unwrap()
}

#[test]
fn the_first_item_comes_late() {
    let design = first_of_stream();
    let io = design.ports;
    let mut sim = Simulator::new(&design);
    let mut random = Random::new(1);
    sim.reset(2);
    let mut out = vec![];
    for cycle in 0..200 {
        sim.poke(io.s.valid, u64::from(cycle > 5 && random.percent(50)));
        sim.poke(io.m.ready, random.below(2));
        if sim.peek(io.m.valid) == 1 && sim.peek_bundle(io.m)[1] == 1 {
            out.push(sim.peek(io.m.payload));
        }
        sim.step();
    }
    assert!(out.len() > 20 && out[0] == 1 && out[1..].iter().all(|first| *first == 0), "{out:?}");
}

ports! {
    struct FilePorts() {
        input advance: Signal = bits(1),
        input way: Signal = bits(2),
        input x: Signal = bits(4),
        output older: Signal = bits(4),
        output newer: Signal = bits(4),
        output first: Signal = bits(4),
    }
}

/// The last number of each way, in a register file or in registers of their own.
#[module]
fn last_of_ways(file: bool) -> Design<FilePorts> {
    let m = Module::new("last_of_ways");
    let io = FilePorts::new(m);
    let p = m.pipeline_enabled("last", io.advance);
    let (way, x) = p.enter((io.way, io.x)).next();
    let registers = if file { m.reg_file_reset(bits(4), 4, 0) } else { m.reg_reset(vector(bits(4), 4), 0) };
    let last = p.state(registers, x);
    let before = last.at(way);
    let first = last[0] + 0;
    last.at(way).set(x);
    let after = p.after(last);
    io.older.set(p.leave(before.next()));
    io.first.set(p.leave(first.next()));
    io.newer.set(p.leave(after.at(way.next())));
    m.finish(io).unwrap()
}

#[test]
fn a_register_file_is_state() {
    for file in [false, true] {
        let design = last_of_ways(file);
        let io = design.ports;
        let mut sim = Simulator::new(&design);
        let mut random = Random::new(3);
        let (mut last, mut at_1, mut at_2) = ([0u64; 4], (0, 0), None);
        sim.power_up(PowerUp::Zero); // without a valid, what the stages hold from power-up counts too
        sim.reset(2);
        for cycle in 0..500 {
            let (advance, way, x) = (random.below(2), random.below(4), random.below(16));
            [(io.advance, advance), (io.way, way), (io.x, x)]
                .into_iter()
                .for_each(|(port, value)| sim.poke(port, value));
            if let Some(wanted) = at_2 {
                assert_eq!([io.older, io.first, io.newer].map(|port| sim.peek(port)), wanted, "{file} {cycle}");
            }
            if advance == 1 {
                let (to, value): (usize, u64) = at_1;
                let (before, first) = (last[to], last[0]);
                last[to] = value;
                at_2 = Some([before, first, value]);
                at_1 = (way as usize, x);
            }
            sim.step();
        }
    }
}
