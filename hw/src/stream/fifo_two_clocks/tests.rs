use super::*;
use crate::stream::testing::{STALLS, build, counting, message};
use hdl::engine::Engine;
use sim::bus::{Bench, Stalls, Ticks, seed, span};

const STYLES: [Style; 2] = [Style::Block, Style::Distributed];

/// Sends words from clock to clock; the instants (edges of any clock) of the transfers in and out.
fn run(
    design: &Design<FifoTwoClocksPorts>,
    ticks: Ticks,
    (source, sink): (Stalls, Stalls),
    words: u64,
    run: u64,
) -> (Vec<u64>, Vec<u64>) {
    let mut engine = jit::simulator(design);
    assert_eq!(engine.clocks(), ["s_clk", "m_clk"]);
    let mut bench = Bench::new(&mut engine, seed(run));
    let s = bench.source(design, &design.ports.s, source);
    let m = bench.sink(design, &design.ports.m, sink);
    bench.source_clock(s, 0);
    bench.sink_clock(m, 1);
    let sent = counting(words, design.ports.s.payload.width());
    let result = bench.reset().and_then(|()| {
        bench.send(s, sent.iter().cloned());
        let mut ticks = ticks.clone();
        for _ in 0..20_000 * words {
            if bench.beats(m).len() == sent.len() {
                break;
            }
            bench.edge(ticks.next().expect("without end"))?;
        }
        ticks.take(100).try_for_each(|edges| bench.edge(edges))
    });
    result.unwrap_or_else(|e| panic!("{} {ticks:?} {source:?} {sink:?}: {e}", design.name()));
    assert_eq!(bench.beats(m), sent, "{} {ticks:?} {source:?} {sink:?}", design.name());
    (bench.sent_at(s).to_vec(), bench.received_at(m).to_vec())
}

#[test]
fn passes_every_word_once_and_in_order_between_unrelated_clocks() {
    let periods = [(10, 10), (10, 11), (100, 37), (7, 100), (1000, 1), (3, 997), (64, 63)];
    for style in STYLES {
        for (width, depth, stages) in [(16, 4, 2), (9, 8, 3), (32, 16, 2), (12, 4, 4)] {
            let design = build(fifo_two_clocks(width, depth, style, stages));
            assert_eq!(design.combinational_paths(), []);
            for (i, stalls) in STALLS.into_iter().enumerate() {
                let (s, m) = periods[(i + depth) % periods.len()];
                let words = if s.max(m) > 50 * s.min(m) { 40 } else { 200 };
                run(&design, Ticks::new(&[s, m], 0, 1), stalls, words, 1);
                run(&design, Ticks::new(&[s, m], s.min(m), 2 + i as u64), stalls, words, 2);
            }
        }
    }
}

#[test]
fn random_ratios_of_the_clocks() {
    let design = build(fifo_two_clocks(16, 8, Style::Distributed, 2));
    let mut rng = fastrand::Rng::with_seed(seed(3));
    for i in 0..40 {
        let periods = [rng.u64(20..200), rng.u64(20..200)];
        let stalls = STALLS[i % STALLS.len()];
        run(&design, Ticks::new(&periods, rng.u64(0..20), rng.u64(..)), stalls, 100, i as u64);
    }
}

#[test]
fn a_word_arrives_after_the_stages_and_one_edge() {
    for style in STYLES {
        for stages in 2..=4 {
            let design = build(fifo_two_clocks(16, 16, style, stages));
            // both clocks at the same instants: the edge that takes the word in does not count
            let (sent, received) = run(&design, Ticks::new(&[1, 1], 0, 1), (Stalls::Never, Stalls::Never), 1, 1);
            assert_eq!(received[0] - sent[0], u64::from(stages) + 2, "the transfer is an edge after the word is there");
        }
    }
}

#[test]
fn moves_a_word_in_every_cycle_of_the_slower_clock() {
    let gaps = |cycles: &[u64]| span(cycles) - cycles.len() as u64;
    for style in STYLES {
        for (depth, stages) in [(8, 2), (16, 2), (16, 3), (16, 4)] {
            let design = build(fifo_two_clocks(16, depth, style, stages));
            let (sent, received) = run(&design, Ticks::new(&[1, 1], 0, 1), (Stalls::Never, Stalls::Never), 200, 1);
            assert_eq!((gaps(&sent), gaps(&received)), (0, 0), "{depth} {stages}");
        }
    }
    // 4 words in the time that a place needs until it is used again
    let design = build(fifo_two_clocks(16, 4, Style::Distributed, 2));
    let (sent, _) = run(&design, Ticks::new(&[1, 1], 0, 1), (Stalls::Never, Stalls::Never), 200, 1);
    assert!(gaps(&sent) > 0, "{} gaps", gaps(&sent));
}

/// Without a reader it takes as many words as it has places, and not one more.
#[test]
fn takes_as_many_words_as_it_has_places() {
    for style in STYLES {
        for depth in [4, 8, 32] {
            let design = build(fifo_two_clocks(8, depth, style, 2));
            let mut engine = jit::simulator(&design);
            let port = |signal| design.port_index(signal).expect("a port");
            let FifoTwoClocksPorts { s, m } = design.ports;
            engine.reset(4);
            engine.poke(port(s.valid), 1);
            let mut taken = 0;
            for _ in 0..100 {
                taken += engine.peek(port(s.ready)) as usize;
                engine.step();
            }
            assert_eq!(taken, depth, "{style:?}");
            assert_eq!(engine.peek(port(m.valid)), 1);
        }
    }
}

#[test]
fn its_crossings_are_declared() {
    let design = build(fifo_two_clocks(8, 8, Style::Block, 2));
    let crossings = design.crossings();
    let ways: Vec<(Option<&str>, &str)> = crossings.iter().map(|c| (c.from.as_deref(), c.to.as_str())).collect();
    assert_eq!(ways, [(Some("s_clk"), "m_clk"), (Some("m_clk"), "s_clk"), (Some("s_clk"), "m_clk")]);
}

#[test]
fn parameters_are_checked() {
    for depth in [0, 2, 3, 12, 1 << 21] {
        assert_eq!(message(fifo_two_clocks(8, depth, Style::Block, 2)), format!("depth = {depth} is not legal"));
    }
    assert_eq!(message(fifo_two_clocks(0, 8, Style::Block, 2)), "width = 0 is out of range");
    assert_eq!(message(fifo_two_clocks(8, 8, Style::Block, 5)), "stages = 5 is out of range");
}
