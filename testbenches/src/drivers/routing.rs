//! Parts that lead several streams to one, or one to several. Their ports side by side are taken apart here, so that each is a
//! stream of its own.

use super::parts::{build, one_to_one};
use super::stream::{Streams, Traffic, random};
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use hw::stream::arbiter::arbitrate;
use hw::stream::demultiplexer::demultiplex;
use hw::stream::packet_arbiter::arbitrate_packets;
use hw::stream::{Beat as Words, beat};
use sim::bus::{Beat, Bench, BusError, Stalls, StreamPorts};

ports! {
    struct RoutePorts() {
        input s: Stream<(Signal, Signal)> = stream((bits(2), bits(16))),
        output m0: Stream = stream(bits(16)),
        output m1: Stream = stream(bits(16)),
        output m2: Stream = stream(bits(16)),
        output illegal: Signal = bits(1),
    }
}

#[module]
fn routes() -> Result<Design<RoutePorts>, Errors> {
    let m = Module::new("routes");
    let io = RoutePorts::new(m);
    let (select, word) = io.s.payload;
    let routed = demultiplex(m, io.s.with(word), select, 3)?;
    for (to, from) in [io.m0, io.m1, io.m2].into_iter().zip(routed.outputs) {
        to.set(from);
    }
    io.illegal.set(routed.illegal);
    m.finish(io)
}

/// Words for the three outputs and for the one that is not there.
fn routed_words(rng: &mut Rng, _: &Streams) -> Traffic {
    vec![(0..150).map(|_| Beat(vec![rng.u32(0..4).into(), random(rng, 16)])).collect()]
}

/// A demultiplexer with three outputs; a fourth can be named.
pub fn demultiplexer_driver() -> Driver {
    let design = build(routes());
    let io = &design.ports;
    let sinks = [&io.m0, &io.m1, &io.m2].map(|m| StreamPorts::of(&design, m)).to_vec();
    let plain = one_to_one(&design, (&io.s, &io.m0));
    let model = |sent: &Traffic| {
        let of = |output: u64| sent[0].iter().filter(move |b| b.field(0) == output).map(|b| Beat(vec![b.0[1].clone()]));
        (0..3).map(|output| of(output).collect()).collect()
    };
    let streams = Streams { sinks, feed: routed_words, model: Box::new(model), full_rate: Some(3), ..plain };
    let illegal = design.port_index(io.illegal);
    Driver::new("demultiplexer_3x16", design, move |engine, effort| {
        streams.test(engine, effort)?;
        reports_illegal(engine, &streams.sources[0], illegal)
    })
}

/// A word without an output is taken at once and reported, and none else is.
fn reports_illegal(engine: &mut dyn Engine, s: &StreamPorts, illegal: Option<usize>) -> Result<(), String> {
    let illegal = illegal.ok_or("no port `illegal`")?;
    engine.reset(2);
    for (valid, select) in (0..2).flat_map(|valid| (0..4).map(move |select| (valid, select))) {
        engine.poke(s.valid, valid);
        engine.poke(s.payload[0].port, select);
        let (got, ready) = (engine.peek(illegal), engine.peek(s.ready));
        let dropped = u64::from(select == 3);
        if got != valid & dropped || (valid == 1 && ready < dropped) {
            return Err(format!("illegal is {got}, ready is {ready} with valid = {valid}, select = {select}"));
        }
        engine.step();
    }
    Ok(())
}

ports! {
    struct MergePorts() {
        input s0: Stream<Words> = stream(beat(16, 1)),
        input s1: Stream<Words> = stream(beat(16, 1)),
        input s2: Stream<Words> = stream(beat(16, 1)),
        output m: Stream<(Words, Signal)> = stream((beat(16, 1), bits(2))),
    }
}

#[module]
fn merge(packets: bool) -> Result<Design<MergePorts>, Errors> {
    let m = Module::new(if packets { "merge_packets" } else { "merge_words" });
    let io = MergePorts::new(m);
    let inputs = [io.s0, io.s1, io.s2];
    let merged = if packets { arbitrate_packets(m, &inputs, |beat| beat.last)? } else { arbitrate(m, &inputs)? };
    io.m.set(merged);
    m.finish(io)
}

/// An arbiter of three inputs, word by word or packet by packet.
pub fn arbiter_driver(packets: bool) -> Driver {
    let design = build(merge(packets));
    let MergePorts { s0, s1, s2, m } = &design.ports;
    let sources = [s0, s1, s2].map(|s| StreamPorts::of(&design, s));
    let sink = StreamPorts::of(&design, m);
    let name = if packets { "packet_arbiter_3x18" } else { "arbiter_3x18" };
    Driver::new(name, design, move |engine, effort| {
        let patterns = [
            (Stalls::Never, Stalls::Never),
            (Stalls::Percent(30), Stalls::Percent(50)),
            (Stalls::Percent(80), Stalls::Never),
            (Stalls::Never, Stalls::Runs(12)),
        ];
        for round in 0..if effort.long { 40 } else { 2 } {
            for stalls in patterns {
                let effort = Effort { seed: effort.seed + round, ..effort };
                merges(engine, (&sources, &sink), packets, stalls, effort)?;
            }
        }
        Ok(())
    })
}

/// Every word comes out once, in the order of its input, with the number of its input; packets stay together; without stalls
/// a word moves in every cycle, and no input waits for more than one turn of the others.
fn merges(
    engine: &mut dyn Engine,
    (sources, sink): (&[StreamPorts; 3], &StreamPorts),
    packets: bool,
    stalls: (Stalls, Stalls),
    effort: Effort,
) -> Result<(), String> {
    let mut rng = Rng::with_seed(effort.seed);
    let mut packet = |input: u64| -> Vec<[u64; 3]> {
        let last = |i: usize, rng: &mut Rng| u64::from(i == 119 || rng.u64(0..3 + input) == 0);
        (0..120).map(|i| [rng.u64(0..1 << 16), rng.u64(0..2), last(i, &mut rng)]).collect()
    };
    let sent: Vec<Vec<[u64; 3]>> = (0..3).map(&mut packet).collect();
    let mut bench = Bench::new(engine, effort.seed);
    let inputs: Vec<_> = sources.iter().map(|ports| bench.source_at(ports.clone(), stalls.0)).collect();
    let output = bench.sink_at(sink.clone(), stalls.1);
    let words = |e: BusError| format!("{stalls:?}: {e}");
    bench.reset().map_err(words)?;
    inputs.iter().zip(&sent).for_each(|(source, beats)| bench.send(*source, beats.iter().copied()));
    bench.run_until_received(output, 360, 6000).and_then(|()| bench.run(20)).map_err(words)?;
    let got: Vec<[u64; 4]> = bench.beats(output).iter().map(|b| [0, 1, 2, 3].map(|i| b.field(i))).collect();
    for (input, sent) in sent.iter().enumerate() {
        let from = got.iter().filter(|b| b[3] == input as u64).map(|b| [b[0], b[1], b[2]]);
        if !from.eq(sent.iter().copied()) {
            return Err(format!("{stalls:?}: the words of input {input} are not those that were sent"));
        }
    }
    if packets && got.windows(2).any(|pair| pair[0][2] == 0 && pair[0][3] != pair[1][3]) {
        return Err(format!("{stalls:?}: a packet is interrupted"));
    }
    if stalls != (Stalls::Never, Stalls::Never) {
        return Ok(());
    }
    if bench.bubbles(output) > 0 {
        return Err(format!("{} cycles without a word", bench.bubbles(output)));
    }
    // while all have words to send, each in its turn
    let turns: Vec<u64> = got.iter().filter(|b| !packets || b[2] == 1).map(|b| b[3]).take(30).collect();
    let fair = turns.iter().enumerate().all(|(i, input)| *input == i as u64 % 3);
    if fair { Ok(()) } else { Err(format!("not in turn: {turns:?}")) }
}
