use super::*;
use fastrand::Rng;
use hdl::engine::{Engine, PowerUp};
use sim::bus::{Bench, Stalls, seed};
use std::collections::VecDeque;

fn params(style: Style) -> RamParams {
    RamParams { width: 16, depth: 13, lanes: 2, style, collision: Collision::Old }
}

fn build(p: RamParams) -> Design<RamPorts> {
    ram(p).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Against an array, with writes, reads and stalls at random, often at the same address.
#[test]
fn reads_what_was_written_whatever_stalls() {
    for style in [Style::Block, Style::Distributed] {
        let design = build(params(style));
        let port = |signal| design.port_index(signal).unwrap();
        let RamPorts { write_enable, write_address, write_data, s, m } = design.ports;
        let mut engine = jit::simulator(&design);
        engine.power_up(PowerUp::Zero);
        let mut rng = Rng::with_seed(seed(2));
        let (mut words, mut waiting) = ([0u64; 13], VecDeque::new());
        let (mut offered, mut met, mut read) = (None, 0, 0);
        engine.reset(2);
        for cycle in 0..6000 {
            let (enable, at, data) = (rng.u64(0..4), rng.usize(0..13), rng.u64(0..1 << 16));
            let busy = if cycle / 100 % 2 == 0 { 90 } else { 40 };
            if offered.is_none() && rng.u8(0..100) < 80 {
                offered = Some(if rng.bool() { at } else { rng.usize(0..13) });
            }
            let ready = rng.u8(0..100) < busy;
            engine.poke(port(write_enable), enable);
            engine.poke(port(write_address), at as u64);
            engine.poke(port(write_data), data);
            engine.poke(port(s.valid), offered.is_some().into());
            engine.poke(port(s.payload), offered.unwrap_or(0) as u64);
            engine.poke(port(m.ready), ready.into());
            assert_eq!(engine.peek(port(m.valid)) == 1, !waiting.is_empty(), "cycle {cycle}");
            if let Some(word) = waiting.front() {
                assert_eq!(engine.peek(port(m.payload)), *word, "{style:?}, cycle {cycle}");
                if ready {
                    waiting.pop_front();
                    read += 1;
                }
            }
            if offered.is_some() && engine.peek(port(s.ready)) == 1 {
                let from = offered.take().unwrap();
                met += u32::from(from == at && enable > 0);
                waiting.push_back(words[from]); // the word from before the write
            }
            let mask = [0, 0xff, 0xff00, 0xffff][enable as usize];
            words[at] = (words[at] & !mask) | (data & mask);
            engine.step();
        }
        assert!(met > 100 && read > 2000, "the test met collisions: {met} in {read}");
    }
}

#[test]
fn reads_a_word_in_every_cycle() {
    for style in [Style::Block, Style::Distributed] {
        let design = build(params(style));
        let mut engine = jit::simulator(&design);
        let mut bench = Bench::new(&mut engine, seed(1));
        let s = bench.source(&design, &design.ports.s, Stalls::Never);
        let m = bench.sink(&design, &design.ports.m, Stalls::Never);
        bench.reset().unwrap();
        bench.send(s, (0..100).map(|i| i % 13));
        bench.run_until_received(m, 100, 101).unwrap();
        assert_eq!(bench.received_at(m)[0], bench.sent_at(s)[0] + 1, "latency");
        assert_eq!(bench.bubbles(m), 0);
        assert_eq!(design.combinational_paths(), [("m_ready", "s_ready")]);
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    let message = |p| ram(p).expect_err("parameters out of range").0[0].message.clone();
    let legal = params(Style::Block);
    assert_eq!(message(RamParams { width: 0, ..legal }), "width = 0 is out of range");
    assert_eq!(message(RamParams { depth: 1, ..legal }), "depth = 1 is out of range");
    assert_eq!(message(RamParams { lanes: 3, ..legal }), "lanes = 3 with width = 16");
    assert_eq!(message(RamParams { lanes: 0, ..legal }), "lanes = 0 with width = 16");
}
