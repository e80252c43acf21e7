//! Three streams of packets to one: the bench of both arbiters.

use super::{STALLS, build};
use crate::stream::arbiter::arbitrate;
use crate::stream::packet_arbiter::arbitrate_packets;
use crate::stream::{Beat, beat};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use sim::bus::{Bench, Sink, Source, Stalls, seed};

ports! {
    pub struct ThreePorts() {
        input s0: Stream<Beat> = stream(beat(16, 1)),
        input s1: Stream<Beat> = stream(beat(16, 1)),
        input s2: Stream<Beat> = stream(beat(16, 1)),
        output m: Stream<(Beat, Signal)> = stream((beat(16, 1), bits(2))),
    }
}

#[module]
fn three(packets: bool) -> Result<Design<ThreePorts>, Errors> {
    let m = Module::new("three");
    let io = ThreePorts::new(m);
    let inputs = [io.s0, io.s1, io.s2];
    let granted = if packets { arbitrate_packets(m, &inputs, |beat| beat.last)? } else { arbitrate(m, &inputs)? };
    io.m.set(granted);
    m.finish(io)
}

/// Data, keep, last.
pub type Word = [u64; 3];

/// Beats of an input, its number in the high bits; packets of 1, 2, ... words.
fn packets_of(input: u64, packets: u64) -> Vec<Word> {
    let lengths = (0..packets).map(|i| (i * 7 + input) % 9 + 1);
    let beats = lengths.enumerate().flat_map(|(p, n)| (0..n).map(move |k| (p as u64, k, k + 1 == n)));
    beats.map(|(p, k, last)| [input << 12 | p << 4 | k, 1, last.into()]).collect()
}

/// Runs a test with the three inputs and the output at a bench.
pub fn with_bench<R>(
    packets: bool,
    (source_stalls, sink_stalls): ([Stalls; 3], Stalls),
    test: impl FnOnce(&mut Bench, [Source; 3], Sink) -> R,
) -> R {
    let design = build(three(packets));
    let ThreePorts { s0, s1, s2, m } = design.ports;
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, seed(4));
    let mut stalls = source_stalls.into_iter();
    let sources = [s0, s1, s2].map(|s| bench.source(&design, &s, stalls.next().expect("one for each")));
    let sink = bench.sink(&design, &m, sink_stalls);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    test(&mut bench, sources, sink)
}

/// The words that came out, each with the number of its input.
pub fn seen(bench: &Bench, sink: Sink) -> Vec<(Word, u64)> {
    bench.beats(sink).iter().map(|b| ([0, 1, 2].map(|i| b.field(i)), b.field(3))).collect()
}

/// Under all stalls every word comes out once, with its source, in the order of its input; `check` sees what came out.
pub fn merges_under_stalls(packets: bool, check: impl Fn(&[(Word, u64)])) {
    let sent = [0, 1, 2].map(|i| packets_of(i, 40));
    let total = sent.iter().map(Vec::len).sum();
    for (source, sink) in STALLS {
        let got = with_bench(packets, ([source, Stalls::Percent(50), source], sink), |bench, sources, sink| {
            sources.iter().zip(&sent).for_each(|(source, words)| bench.send(*source, words.iter().copied()));
            bench.run_until_received(sink, total, 20_000).unwrap_or_else(|e| panic!("{e}"));
            bench.run(20).unwrap_or_else(|e| panic!("{e}"));
            seen(bench, sink)
        });
        assert_eq!(got.len(), total);
        for (i, sent) in sent.iter().enumerate() {
            let from_i = got.iter().filter(|(_, source)| *source == i as u64).map(|(word, _)| *word);
            assert_eq!(from_i.collect::<Vec<_>>(), *sent, "input {i} with {source:?}, {sink:?}");
        }
        check(&got);
    }
}
