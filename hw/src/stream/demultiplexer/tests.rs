use super::*;
use crate::stream::testing::*;
use hdl::engine::Engine;
use sim::bus::{Bench, Stalls, seed};

ports! {
    struct ThreePorts() {
        input s: Stream<Routed> = stream(routed(16, 3)),
        output m0: Stream = stream(bits(16)),
        output m1: Stream = stream(bits(16)),
        output m2: Stream = stream(bits(16)),
        output illegal: Signal = bits(1),
    }
}

/// Three outputs, of which a select of two bits can miss all.
#[module]
fn three() -> Result<Design<ThreePorts>, Errors> {
    let m = Module::new("three");
    let io = ThreePorts::new(m);
    let s = io.s.with(io.s.payload.payload);
    let demultiplexed = demultiplex(m, s, io.s.payload.select, 3)?;
    for (to, from) in [io.m0, io.m1, io.m2].into_iter().zip(&demultiplexed.outputs) {
        to.set(*from);
    }
    io.illegal.set(demultiplexed.illegal);
    m.finish(io)
}

/// Words with a select that jumps about, `selects` of them.
fn words(selects: u64) -> Vec<(u64, u64)> {
    (0..300).map(|i| (i * i / 7 % selects, i)).collect()
}

#[test]
fn every_word_leaves_where_it_belongs_and_only_there() {
    let design = build(three());
    let ThreePorts { s, m0, m1, m2, .. } = design.ports;
    for (stall, sink_stalls) in STALLS {
        for selects in [3, 4] {
            let mut engine = jit::simulator(&design);
            let mut bench = Bench::new(&mut engine, seed(4));
            let source = bench.source(&design, &s, stall);
            let sinks = [m0, m1, m2].map(|m| bench.sink(&design, &m, sink_stalls));
            bench.reset().unwrap();
            bench.send(source, words(selects).into_iter().map(|(select, word)| [select, word]));
            bench.run(6000).unwrap();
            assert_eq!(bench.unsent(source), 0, "words without an output do not hold up the others");
            for (i, sink) in sinks.into_iter().enumerate() {
                let expected: Vec<_> =
                    words(selects).into_iter().filter(|w| w.0 == i as u64).map(|w| w.1.into()).collect();
                assert_eq!(bench.beats(sink), expected, "output {i} with {stall:?}, {sink_stalls:?}");
            }
        }
    }
}

#[test]
fn a_select_without_an_output_is_reported() {
    let design = build(three());
    let port = |signal| design.port_index(signal).unwrap();
    let ThreePorts { s, m0, illegal, .. } = design.ports;
    let mut engine = jit::simulator(&design);
    engine.reset(2);
    for (valid, select, expected) in [(0, 3, 0), (1, 3, 1), (1, 0, 0), (0, 0, 0)] {
        engine.poke(port(s.valid), valid);
        engine.poke(port(s.payload.select), select);
        assert_eq!(engine.peek(port(illegal)), expected);
        assert_eq!(engine.peek(port(s.ready)), u64::from(select == 3), "no output is ready");
        assert_eq!(engine.peek(port(m0.valid)), u64::from(valid == 1 && select == 0));
    }
}

#[test]
fn passes_a_word_in_every_cycle() {
    let design = build(three());
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let s = bench.source(&design, &design.ports.s, Stalls::Never);
    let ThreePorts { m0, m1, m2, .. } = design.ports;
    let sinks = [m0, m1, m2].map(|m| bench.sink(&design, &m, Stalls::Never));
    bench.reset().unwrap();
    bench.send(s, words(3).into_iter().map(|(select, word)| [select, word]));
    bench.run(300).unwrap();
    assert_eq!(bench.sent_at(s).len(), 300);
    assert_eq!(sinks.map(|m| bench.beats(m).len()).iter().sum::<usize>(), 300, "latency 0");
}

#[test]
fn has_the_paths_that_it_states() {
    let design = build(demultiplexer(8, 3));
    let mut paths = design.combinational_paths();
    let mut expected = vec![("s_payload", "m_payload"), ("m_ready", "s_ready"), ("s_select", "s_ready")];
    for to in ["m_valid", "illegal"] {
        expected.extend([("s_valid", to), ("s_select", to)]);
    }
    paths.sort();
    expected.sort();
    assert_eq!(paths, expected);
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(demultiplexer(8, 1)), "outputs = 1 is out of range");
    assert_eq!(message(demultiplexer(8, 65)), "outputs = 65 is out of range");
    assert_eq!(message(demultiplexer(0, 2)), "width = 0 is out of range");
}
