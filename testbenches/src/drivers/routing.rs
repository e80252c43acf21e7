//! Parts that lead several streams to one, or one to several. Their ports stand side by side; [`Lanes`] takes them apart.

use super::built::build;
use super::lanes::Lanes;
use super::stream::{Streams, Traffic, random};
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Signal};
use hw::stream::arbiter::arbiter;
use hw::stream::demultiplexer::demultiplexer;
use hw::stream::packet_arbiter::packet_arbiter;
use hw::stream::several::Streams as SideBySide;
use sim::bus::{Beat, Bench, BusError, Field, Stalls, StreamPorts};

/// Stream `index` of several. Each has a lane of the signals of `payload`, or all of them what is not cut.
pub(super) fn stream_of<P>(
    (design, lanes): (&Design<P>, &Lanes),
    several: &SideBySide,
    payload: &[(&str, Signal)],
    (index, cut): (usize, bool),
) -> StreamPorts {
    let of = |signal, lane| lanes.port(design, signal, lane);
    let field = |(name, signal): &(&str, Signal)| {
        let port = of(*signal, if cut { index } else { 0 });
        Field { name: name.to_string(), port, width: lanes.width(port) }
    };
    let (valid, ready) = (of(several.valid, index), of(several.ready, index));
    let name = design.port_name(design.port_index(several.valid).expect("a port"));
    StreamPorts { name: format!("{name}[{index}]"), valid, ready, payload: payload.iter().map(field).collect() }
}

/// A stream that is no lane, by the ports of the lanes.
pub(super) fn whole<P, B: Bundle>((design, lanes): (&Design<P>, &Lanes), stream: &B) -> StreamPorts {
    let mut ports = StreamPorts::of(design, stream);
    let of = |port: usize| lanes.whole(port);
    (ports.valid, ports.ready) = (of(ports.valid), of(ports.ready));
    ports.payload.iter_mut().for_each(|field| field.port = of(field.port));
    ports
}

/// Words for all outputs, and for those that are not there.
fn routed_words(rng: &mut Rng, streams: &Streams) -> Traffic {
    let [select, word] = &streams.sources[0].payload[..] else { panic!("a select and a word") };
    vec![(0..150).map(|_| Beat(vec![random(rng, select.width), random(rng, word.width)])).collect()]
}

/// A demultiplexer.
pub fn demultiplexer_driver(name: impl Into<String>, width: u32, outputs: u32) -> Driver {
    let design = build(demultiplexer(width, outputs));
    let io = &design.ports;
    let lanes = Lanes::of(&design, &[io.m.valid, io.m.ready], outputs);
    let at = (&design, &lanes);
    let sink = |i| stream_of(at, &io.m, &[("payload", io.m.payload)], (i, false));
    let model = move |sent: &Traffic| {
        let of = |output: u64| sent[0].iter().filter(move |b| b.field(0) == output).map(|b| Beat(vec![b.0[1].clone()]));
        (0..outputs.into()).map(|output| of(output).collect()).collect()
    };
    let sinks: Vec<_> = (0..outputs as usize).map(sink).collect();
    let (model, full_rate) = (Box::new(model), Some(sinks.len()));
    let plain = Streams::new(vec![whole(at, &io.s)], sinks);
    let streams = Streams { feed: routed_words, model, full_rate, ..plain };
    let illegal = lanes.port(&design, io.illegal, 0);
    Driver::new(name, design, move |engine, effort| {
        let mut engine = lanes.on(engine);
        streams.test(&mut engine, effort)?;
        reports_illegal(&mut engine, &streams.sources[0], illegal, outputs)
    })
}

/// A word without an output is taken at once and reported, and none else is.
fn reports_illegal(engine: &mut dyn Engine, s: &StreamPorts, illegal: usize, outputs: u32) -> Result<(), String> {
    engine.reset(2);
    let selects = 1 << s.payload[0].width;
    for (valid, select) in (0..2).flat_map(|valid| (0..selects).map(move |select| (valid, select))) {
        engine.poke(s.valid, valid);
        engine.poke(s.payload[0].port, select);
        let (got, ready) = (engine.peek(illegal), engine.peek(s.ready));
        let dropped = u64::from(select >= outputs.into());
        if got != valid & dropped || (valid == 1 && ready < dropped) {
            return Err(format!("illegal is {got}, ready is {ready} with valid = {valid}, select = {select}"));
        }
        engine.step();
    }
    Ok(())
}

/// The streams of an arbiter.
struct Merge {
    lanes: Lanes,
    sources: Vec<StreamPorts>,
    sink: StreamPorts,
    /// Packets stay together; the second field of a word says that its packet ends.
    packets: bool,
}

/// An arbiter, word by word.
pub fn arbiter_driver(name: impl Into<String>, width: u32, inputs: u32) -> Driver {
    let design = build(arbiter(width, inputs));
    let s = &design.ports.s;
    let lanes = Lanes::of(&design, &[s.valid, s.ready, s.payload], inputs);
    let source = |i| stream_of((&design, &lanes), s, &[("payload", s.payload)], (i, true));
    let sources = (0..inputs as usize).map(source).collect();
    let sink = whole((&design, &lanes), &design.ports.m);
    merge_driver(name, design, Merge { lanes, sources, sink, packets: false })
}

/// An arbiter, packet by packet.
pub fn packet_arbiter_driver(name: impl Into<String>, width: u32, inputs: u32) -> Driver {
    let design = build(packet_arbiter(width, inputs));
    let (s, last) = (&design.ports.s, design.ports.s_last);
    let lanes = Lanes::of(&design, &[s.valid, s.ready, s.payload, last], inputs);
    let source = |i| stream_of((&design, &lanes), s, &[("payload", s.payload), ("last", last)], (i, true));
    let sources = (0..inputs as usize).map(source).collect();
    let sink = whole((&design, &lanes), &design.ports.m);
    merge_driver(name, design, Merge { lanes, sources, sink, packets: true })
}

fn merge_driver<P>(name: impl Into<String>, design: Design<P>, merge: Merge) -> Driver {
    Driver::new(name, design, move |engine, effort| {
        let mut engine = merge.lanes.on(engine);
        let patterns = [
            (Stalls::Never, Stalls::Never),
            (Stalls::Percent(30), Stalls::Percent(50)),
            (Stalls::Percent(80), Stalls::Never),
            (Stalls::Never, Stalls::Runs(12)),
        ];
        for round in 0..if effort.long { 40 } else { 2 } {
            for stalls in patterns {
                let effort = Effort { seed: effort.seed + round, ..effort };
                merge.test(&mut engine, stalls, effort).map_err(|e| format!("{stalls:?}: {e}"))?;
            }
            (0..4).try_for_each(|run| merge.turns(&mut engine, 100 * effort.seed + 4 * round + run))?;
        }
        Ok(())
    })
}

/// Words of each input.
const WORDS: usize = 120;

impl Merge {
    /// Words of an input; packets end at random, with another likelihood from input to input, and with the last word.
    fn words(&self, rng: &mut Rng, input: usize) -> Vec<Beat> {
        let fields = &self.sources[input].payload;
        let last = |i: usize, rng: &mut Rng| u32::from(i + 1 == WORDS || rng.usize(0..3 + input % 3) == 0);
        let word = |i: usize| {
            let mut beat = Beat(fields.iter().map(|field| random(rng, field.width)).collect());
            if self.packets {
                beat.0[1] = last(i, rng).into();
            }
            beat
        };
        (0..WORDS).map(word).collect()
    }

    /// Every word comes out once, in the order of its input, with the number of its input; packets stay together; without
    /// stalls a word moves in every cycle.
    fn test(&self, engine: &mut dyn Engine, stalls: (Stalls, Stalls), effort: Effort) -> Result<(), String> {
        let inputs = self.sources.len();
        let mut rng = Rng::with_seed(effort.seed);
        let sent: Vec<Vec<Beat>> = (0..inputs).map(|input| self.words(&mut rng, input)).collect();
        let mut bench = Bench::new(engine, effort.seed);
        let sources: Vec<_> = self.sources.iter().map(|ports| bench.source_at(ports.clone(), stalls.0)).collect();
        let output = bench.sink_at(self.sink.clone(), stalls.1);
        let words = |e: BusError| e.to_string();
        bench.reset().map_err(words)?;
        sources.iter().zip(&sent).for_each(|(source, beats)| bench.send(*source, beats.iter().cloned()));
        let all = inputs * WORDS;
        bench.run_until_received(output, all, 20 * all as u64).and_then(|()| bench.run(20)).map_err(words)?;
        // what came out: the fields of a word, and its input behind them
        let got = bench.beats(output);
        let source = |beat: &Beat| beat.field(beat.0.len() - 1);
        let ends = |beat: &Beat| !self.packets || beat.field(1) == 1;
        for (input, sent) in sent.iter().enumerate() {
            let from = got.iter().filter(|beat| source(beat) == input as u64).map(|beat| &beat.0[..beat.0.len() - 1]);
            if !from.eq(sent.iter().map(|beat| &beat.0[..])) {
                return Err(format!("the words of input {input} are not those that were sent"));
            }
        }
        if got.len() != all {
            return Err(format!("{} words come out of {all}", got.len()));
        }
        if got.windows(2).any(|pair| !ends(&pair[0]) && source(&pair[0]) != source(&pair[1])) {
            return Err("a packet is interrupted".into());
        }
        let bubbles = bench.bubbles(output);
        if stalls == (Stalls::Never, Stalls::Never) && bubbles > 0 {
            return Err(format!("{bubbles} cycles without a word"));
        }
        Ok(())
    }

    /// In every cycle the one that is granted is the first that asks behind the one granted last, after a reset input 0; within a
    /// packet nobody else; and somebody is, if the output is empty or leaves.
    fn turns(&self, engine: &mut dyn Engine, seed: u64) -> Result<(), String> {
        let inputs = self.sources.len();
        let mut rng = Rng::with_seed(seed);
        let mut asks: Vec<Option<bool>> = vec![None; inputs]; // with the end of a packet, or without
        let (mut last, mut owner) = (inputs - 1, None);
        self.sources.iter().for_each(|s| engine.poke(s.valid, 0));
        engine.reset(2);
        for cycle in 0..500 {
            let often = [9, 1, 4][cycle / 40 % 3]; // of ten
            for (ask, s) in asks.iter_mut().zip(&self.sources) {
                if ask.is_none() && rng.u8(0..10) < often {
                    // in some phases packets of one word: behind long ones all others ask
                    *ask = Some(rng.bool() || cycle / 120 % 2 == 1);
                }
                engine.poke(s.valid, ask.is_some().into());
                s.payload.get(1).into_iter().for_each(|field| engine.poke(field.port, (*ask == Some(true)).into()));
            }
            let ready = rng.bool();
            engine.poke(self.sink.ready, ready.into());
            let moves = ready || engine.peek(self.sink.valid) == 0;
            let in_turn = (1..=inputs).map(|i| (last + i) % inputs);
            let granted = in_turn.filter(|i| owner.is_none_or(|o| o == *i)).find(|i| asks[*i].is_some() && moves);
            let expected: Vec<u64> = (0..inputs).map(|i| u64::from(granted == Some(i))).collect();
            let got: Vec<u64> = self.sources.iter().map(|s| engine.peek(s.ready)).collect();
            if got != expected {
                return Err(format!(
                    "s_ready is {got:?} in cycle {cycle}, not {expected:?}, after a word of input {last}"
                ));
            }
            engine.step();
            if let Some(i) = granted {
                last = i;
                owner = if self.packets && asks[i].take() == Some(false) { Some(i) } else { None };
                asks[i] = None;
            }
        }
        Ok(())
    }
}
