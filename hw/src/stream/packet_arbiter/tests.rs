use super::*;
use crate::stream::testing::*;
use crate::stream::{Beat, beat};
use hdl::sim::Simulator;
use sim::bus::{Bench, Stalls, seed};

ports! {
    struct ThreePorts() {
        input s0: Stream<Beat> = stream(beat(16, 1)),
        input s1: Stream<Beat> = stream(beat(16, 1)),
        input s2: Stream<Beat> = stream(beat(16, 1)),
        output m: Stream<(Beat, Signal)> = stream((beat(16, 1), bits(2))),
    }
}

#[module]
fn three() -> Result<Design<ThreePorts>, Errors> {
    let m = Module::new("three");
    let io = ThreePorts::new(m);
    let granted = arbitrate_packets(m, &[io.s0, io.s1, io.s2], |beat| beat.last)?;
    io.m.set(granted);
    m.finish(io)
}

/// Beats of an input, its number in the high bits; packets of 1, 2, ... words.
fn packets_of(input: u64, packets: u64) -> Vec<[u64; 3]> {
    let lengths = (0..packets).map(|i| (i * 7 + input) % 9 + 1);
    let beats = lengths.enumerate().flat_map(|(p, n)| (0..n).map(move |k| (p as u64, k, k + 1 == n)));
    beats.map(|(p, k, last)| [input << 12 | p << 4 | k, 1, last.into()]).collect()
}

#[test]
fn packets_stay_whole_and_inputs_keep_their_order() {
    let design = build(three());
    let ThreePorts { s0, s1, s2, m } = design.ports;
    for (source_stalls, sink_stalls) in STALLS {
        let mut engine = Simulator::new(&design);
        let mut bench = Bench::new(&mut engine, seed(4));
        let inputs = [(s0, source_stalls), (s1, Stalls::Percent(50)), (s2, source_stalls)];
        let sources = inputs.map(|(s, stalls)| bench.source(&design, &s, stalls));
        let sink = bench.sink(&design, &m, sink_stalls);
        let sent = [0, 1, 2].map(|i| packets_of(i, 40));
        let total = sent.iter().map(Vec::len).sum();
        bench.reset().unwrap();
        for (source, beats) in sources.iter().zip(&sent) {
            bench.send(*source, beats.iter().copied());
        }
        bench.run_until_received(sink, total, 20_000).unwrap();
        bench.run(20).unwrap();
        // data, keep, last, source
        let received: Vec<[u64; 4]> = bench.beats(sink).iter().map(|b| [0, 1, 2, 3].map(|i| b.field(i))).collect();
        assert_eq!(received.len(), total);
        for pair in received.windows(2) {
            assert!(pair[0][2] == 1 || pair[0][3] == pair[1][3], "a packet is interrupted: {pair:?}");
        }
        for (i, sent) in sent.iter().enumerate() {
            let from_i = received.iter().filter(|b| b[3] == i as u64);
            assert_eq!(from_i.map(|b| [b[0], b[1], b[2]]).collect::<Vec<_>>(), *sent, "input {i}");
        }
    }
}

#[test]
fn packets_take_turns_without_a_bubble() {
    let design = build(three());
    let ThreePorts { s0, s1, s2, m } = design.ports;
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, 1);
    let sources = [s0, s1, s2].map(|s| bench.source(&design, &s, Stalls::Never));
    let sink = bench.sink(&design, &m, Stalls::Never);
    bench.reset().unwrap();
    sources.iter().for_each(|s| bench.send(*s, (0..40u64).map(|i| [i, 1, u64::from(i % 4 == 3)])));
    bench.run_until_received(sink, 120, 121).unwrap();
    let order: Vec<u64> = bench.beats(sink).iter().map(|beat| beat.field(3)).collect();
    assert_eq!(order, (0..120).map(|i| i / 4 % 3).collect::<Vec<_>>());
}

#[test]
fn an_input_that_pauses_within_its_packet_keeps_the_output() {
    let design = build(three());
    let ThreePorts { s0, s1, m, .. } = design.ports;
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, 1);
    let [first, second] = [s0, s1].map(|s| bench.source(&design, &s, Stalls::Never));
    let sink = bench.sink(&design, &m, Stalls::Never);
    bench.reset().unwrap();
    bench.send(first, [[1, 1, 0], [2, 1, 0]]);
    bench.send(second, [[0x1000, 1, 1]]);
    bench.run(20).unwrap();
    assert_eq!(bench.beats(sink).len(), 2, "the packet is not over");
    bench.send(first, [[3, 1, 1]]);
    bench.run(20).unwrap();
    assert_eq!(bench.beats(sink).iter().map(|b| b.field(0)).collect::<Vec<_>>(), [1, 2, 3, 0x1000]);
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(packet_arbiter(8, 1)), "inputs = 1 is out of range");
    assert_eq!(message(packet_arbiter(0, 2)), "width = 0 is out of range");
    assert_eq!(message(packet_arbiter(2048, 64)), "the words of all inputs have 131072 bits");
}
