use super::*;
use crate::stream::testing::*;
use hdl::engine::Engine;
use sim::bus::{Bench, Stalls};
use std::collections::VecDeque;

const STYLES: [Style; 2] = [Style::Block, Style::Distributed];

#[test]
fn passes_every_word_once_and_in_order() {
    for style in STYLES {
        for (width, depth) in [(1, 2), (8, 3), (16, 4), (36, 7), (70, 16)] {
            let design = build(fifo(width, depth, style));
            let words = counting(300, width);
            check_stream(&design, &design.ports.s, &design.ports.m, &words, &words);
        }
    }
}

#[test]
fn moves_a_word_in_every_cycle() {
    for (style, latency) in [(Style::Block, 2), (Style::Distributed, 1)] {
        for depth in [3, 4, 64] {
            let design = build(fifo(16, depth, style));
            let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
            assert_eq!(t.sent, (0..100).collect::<Vec<_>>(), "{style:?} {depth}");
            assert_eq!(t.received, (latency..100 + latency).collect::<Vec<_>>(), "{style:?} {depth}");
            assert_eq!(design.combinational_paths(), []);
        }
    }
}

/// Against a queue, cycle by cycle, with phases in which it fills up and runs empty.
#[test]
fn level_and_flags_are_those_of_a_queue() {
    for style in STYLES {
        for depth in [2, 3, 5, 8] {
            let design = build(fifo(16, depth, style));
            let mut engine = jit::simulator(&design);
            let port = |signal| design.port_index(signal).expect("a port");
            let FifoPorts { s, m, level } = design.ports;
            let (mut queue, mut next, mut was_full, mut was_empty) = (VecDeque::new(), 0, false, false);
            let mut waited = 0;
            engine.reset(2);
            for cycle in 0..2000 {
                let phase = (cycle / 40) % 3;
                let (valid, ready) = (phase != 1 && cycle % 7 != 0, phase != 0 && cycle % 5 != 0);
                engine.poke(port(s.valid), valid.into());
                engine.poke(port(s.payload), next);
                engine.poke(port(m.ready), ready.into());
                assert_eq!(engine.peek(port(level)), queue.len() as u64, "{style:?} {depth}");
                assert_eq!(engine.peek(port(s.ready)) == 1, queue.len() < depth, "{style:?} {depth}");
                was_full |= queue.len() == depth;
                was_empty |= next > 0 && queue.is_empty();
                // a word that fell into an empty FIFO may take one cycle more through block RAM, never two
                let shown = engine.peek(port(m.valid)) == 1;
                waited = if queue.is_empty() || shown { 0 } else { waited + 1 };
                assert!(waited <= u32::from(style == Style::Block), "{style:?} {depth}: a bubble");
                let taken = valid && queue.len() < depth;
                if shown {
                    assert_eq!(queue.front(), Some(&engine.peek(port(m.payload))), "{style:?} {depth}");
                    if ready {
                        queue.pop_front();
                    }
                }
                if taken {
                    queue.push_back(next);
                    next += 1;
                }
                engine.step();
            }
            assert!(was_full && was_empty && next > 300, "the test reached both ends: {next} words");
        }
    }
}

/// What the contract says of the smallest FIFO.
#[test]
fn two_words_of_block_ram_are_too_few_for_the_full_rate() {
    let design = build(fifo(16, 2, Style::Block));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
    assert_eq!(t.received, (0..100).map(|i| 2 + 3 * (i / 2) + i % 2).collect::<Vec<_>>());
    let design = build(fifo(16, 2, Style::Distributed));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
    assert_eq!(t.received, (1..101).collect::<Vec<_>>());
}

#[test]
fn takes_depth_words_when_the_output_is_stuck() {
    for style in STYLES {
        for depth in [2, 3, 8, 13] {
            let design = build(fifo(16, depth, style));
            let mut engine = jit::simulator(&design);
            let mut bench = Bench::new(&mut engine, sim::bus::seed(1));
            let s = bench.source(&design, &design.ports.s, Stalls::Never);
            let m = bench.sink(&design, &design.ports.m, Stalls::Always);
            bench.reset().unwrap();
            bench.send(s, counting(40, 16));
            bench.run(30).unwrap();
            assert_eq!(bench.sent_at(s).len(), depth, "{style:?}");
            bench.stall_sink(m, Stalls::Never);
            bench.run_until_received(m, 40, 200).unwrap();
            assert_eq!(bench.beats(m), counting(40, 16));
        }
    }
}

/// The comment at `no_rw_check` claims it: with the attribute, hardware may give anything on a collision.
#[test]
fn block_ram_is_never_read_where_it_is_written() {
    for depth in [2, 3, 4, 8] {
        let design = build(fifo(16, depth, Style::Block));
        let mut engine = jit::simulator(&design);
        let signal = |name: &str| engine.find(name).unwrap_or_else(|| panic!("no signal `{name}`"));
        let [head, tail, push, fetch] = ["head", "tail", "push", "fetch"].map(signal);
        let port = |s: Signal| design.port_index(s).unwrap();
        let (s_valid, m_ready) = (port(design.ports.s.valid), port(design.ports.m.ready));
        engine.reset(2);
        let (mut both, mut rng) = (0, fastrand::Rng::with_seed(sim::bus::seed(3)));
        for cycle in 0..4000 {
            let busy = if (cycle / 100) % 2 == 0 { (90, 30) } else { (30, 90) };
            engine.poke(s_valid, (rng.u8(0..100) < busy.0).into());
            engine.poke(m_ready, (rng.u8(0..100) < busy.1).into());
            if engine.value(push) == 1 && engine.value(fetch) == 1 {
                both += 1;
                assert_ne!(engine.value(head), engine.value(tail), "depth {depth}, cycle {cycle}");
            }
            engine.step();
        }
        assert!(both > 100, "the test reached it");
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(fifo(8, 1, Style::Block)), "depth = 1 is out of range");
    assert_eq!(message(fifo(8, MAX_DEPTH + 1, Style::Block)), "depth = 1048577 is out of range");
    assert_eq!(message(fifo(0, 4, Style::Distributed)), "width = 0 is out of range");
}
