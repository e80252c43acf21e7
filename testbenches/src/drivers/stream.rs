//! A test for whatever has streams on both sides.

use super::Effort;
use fastrand::Rng;
use hdl::BigUint;
use hdl::engine::Engine;
use sim::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts};

/// Beats for each source, or of each sink.
pub type Traffic = Vec<Vec<Beat>>;

/// Something to send.
pub type Feed = fn(&mut Rng, &Streams) -> Traffic;

/// A part with streams on both sides, and what it must do.
pub struct Streams {
    /// Where beats go in.
    pub sources: Vec<StreamPorts>,
    /// Where they come out.
    pub sinks: Vec<StreamPorts>,
    /// Something to send.
    pub feed: Feed,
    /// What must come out of what was sent.
    pub model: Box<dyn Fn(&Traffic) -> Traffic + Send + Sync>,
    /// Cycles from the first transfer in to the first transfer out, when nothing stalls.
    pub latency: Option<u64>,
    /// Number of a sink, or `sinks.len()` plus number of a source: it has a transfer in every cycle when nothing stalls.
    pub full_rate: Option<usize>,
    /// Beats that it takes while nothing leaves.
    pub capacity: Option<usize>,
    /// An output that shows how many beats are inside; then the part is ready while there are fewer than `capacity`.
    pub level: Option<usize>,
}

/// How the neighbours stall: sources, sinks.
const STALLS: [(Stalls, Stalls); 6] = [
    (Stalls::Percent(30), Stalls::Percent(60)),
    (Stalls::Never, Stalls::Never),
    (Stalls::Percent(80), Stalls::Percent(10)),
    (Stalls::Never, Stalls::Percent(70)),
    (Stalls::Percent(70), Stalls::Never),
    (Stalls::Runs(9), Stalls::Runs(13)),
];

impl Streams {
    /// Random words that come out as they went in; of everything else nothing is known.
    pub fn new(sources: Vec<StreamPorts>, sinks: Vec<StreamPorts>) -> Streams {
        let model = Box::new(|sent: &Traffic| sent.clone());
        Streams { sources, sinks, feed: words, model, latency: None, full_rate: None, capacity: None, level: None }
    }

    /// Runs the part under all stalls; each run starts with a reset in the midst of the traffic of the one before.
    pub fn test(&self, engine: &mut dyn Engine, effort: Effort) -> Result<(), String> {
        let rounds = if effort.long { 20 } else { 1 };
        for round in 0..rounds {
            let seed = effort.seed + 100 * round;
            for (i, stalls) in STALLS.into_iter().enumerate() {
                self.round(engine, seed + i as u64, stalls).map_err(|e| format!("{stalls:?}, seed {seed}: {e}"))?;
                self.fill(engine, seed + i as u64)?;
            }
        }
        Ok(())
    }

    fn bench<'e>(&self, engine: &'e mut dyn Engine, seed: u64, stalls: (Stalls, Stalls)) -> Ends<'e> {
        let mut bench = Bench::new(engine, seed);
        let sources = self.sources.iter().map(|ports| bench.source_at(ports.clone(), stalls.0)).collect();
        let sinks = self.sinks.iter().map(|ports| bench.sink_at(ports.clone(), stalls.1)).collect();
        Ends { bench, sources, sinks }
    }

    /// One run: what comes out must be what the model says, and nothing more.
    fn round(&self, engine: &mut dyn Engine, seed: u64, stalls: (Stalls, Stalls)) -> Result<(), String> {
        let mut ends = self.bench(engine, seed, stalls);
        ends.bench.reset().map_err(|e| e.to_string())?;
        self.steps(&mut ends, 20, |_| false)?;
        let traffic = (self.feed)(&mut Rng::with_seed(seed), self);
        let expected = (self.model)(&traffic);
        let beats = traffic.iter().chain(&expected).map(Vec::len).sum::<usize>();
        ends.send(&traffic);
        let all = |ends: &Ends| ends.received().zip(&expected).all(|(got, expected)| got.len() >= expected.len());
        self.steps(&mut ends, 200 + 40 * beats as u64, all)?;
        self.steps(&mut ends, 30, |_| false)?;
        for (number, (got, expected)) in ends.received().zip(&expected).enumerate() {
            same(&self.sinks[number], got, expected)?;
        }
        if ends.sources.iter().any(|source| ends.bench.unsent(*source) > 0) {
            return Err("not everything was taken".into());
        }
        if stalls == (Stalls::Never, Stalls::Never) { self.timing(&ends) } else { Ok(()) }
    }

    /// So many cycles, or until `done`; the level is checked in each.
    fn steps(&self, ends: &mut Ends, cycles: u64, done: impl Fn(&Ends) -> bool) -> Result<(), String> {
        for _ in 0..cycles {
            if done(ends) {
                break;
            }
            self.check_level(ends)?;
            ends.bench.step().map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Level and ready fit to what is inside.
    fn check_level(&self, ends: &mut Ends) -> Result<(), String> {
        let Some(level) = self.level else { return Ok(()) };
        let inside = ends.sent() - ends.got();
        let (shown, ready) = (ends.bench.engine.peek(level), ends.bench.engine.peek(self.sources[0].ready) == 1);
        if shown != inside as u64 {
            return Err(format!("level is {shown} with {inside} beats inside"));
        }
        let room = self.capacity.is_some_and(|capacity| inside < capacity);
        if room == ready { Ok(()) } else { Err(format!("ready is {ready} with {inside} beats inside")) }
    }

    /// Latency and rate of a run without stalls.
    fn timing(&self, ends: &Ends) -> Result<(), String> {
        let first = |cycles: &[u64]| cycles.first().copied().unwrap_or(0);
        let (start, end) = (first(ends.bench.sent_at(ends.sources[0])), first(ends.bench.received_at(ends.sinks[0])));
        if self.latency.is_some_and(|latency| end - start != latency) {
            return Err(format!("latency {} cycles, not {:?}", end - start, self.latency));
        }
        let Some(busy) = self.full_rate else { return Ok(()) };
        let cycles = match busy.checked_sub(ends.sinks.len()) {
            None => ends.bench.received_at(ends.sinks[busy]),
            Some(source) => ends.bench.sent_at(ends.sources[source]),
        };
        let gap = cycles.windows(2).find(|pair| pair[1] != pair[0] + 1);
        gap.map_or(Ok(()), |pair| Err(format!("no transfer between cycles {} and {}", pair[0], pair[1])))
    }

    /// Fills the part while nothing leaves: words must come to the output though nobody is ready. Then a part whose capacity is
    /// known is emptied, and filled again; it is left full.
    fn fill(&self, engine: &mut dyn Engine, seed: u64) -> Result<(), String> {
        let mut ends = self.bench(engine, seed, (Stalls::Never, Stalls::Always));
        ends.bench.reset().map_err(|e| e.to_string())?;
        ends.send(&(self.feed)(&mut Rng::with_seed(seed), self));
        // beats of a single word may have to fill one of many
        let words = self.sinks[0].payload.get(1).map_or(0, |keep| keep.width);
        let enough = 40 + 2 * self.capacity.unwrap_or(0) as u64 + 4 * u64::from(words);
        self.steps(&mut ends, enough, |_| false)?;
        let taken = ends.sent();
        if !self.sinks.iter().any(|sink| ends.bench.engine.peek(sink.valid) == 1) {
            return Err(format!("valid waits for ready, after {taken} beats"));
        }
        match self.capacity {
            None => Ok(()),
            Some(capacity) if taken != capacity => Err(format!("takes {taken} beats, not {capacity}")),
            Some(_) => self.empty(ends, enough),
        }
    }

    /// Lets a full part run nearly empty, and full again: at first nothing new comes, then nothing leaves.
    fn empty(&self, mut ends: Ends, enough: u64) -> Result<(), String> {
        let (sources, sinks) = (ends.sources.clone(), ends.sinks.clone());
        let stall = |ends: &mut Ends, source: Stalls, sink: Stalls| {
            sources.iter().for_each(|s| ends.bench.stall_source(*s, source));
            sinks.iter().for_each(|m| ends.bench.stall_sink(*m, sink));
            self.steps(ends, enough, |_| false)
        };
        stall(&mut ends, Stalls::Always, Stalls::Percent(50))?;
        stall(&mut ends, Stalls::Never, Stalls::Always)
    }
}

/// A bench with its sources and sinks.
struct Ends<'e> {
    bench: Bench<'e>,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
}

impl Ends<'_> {
    fn send(&mut self, traffic: &Traffic) {
        for (source, beats) in self.sources.iter().zip(traffic) {
            self.bench.send(*source, beats.iter().cloned());
        }
    }

    fn received(&self) -> impl Iterator<Item = &[Beat]> {
        self.sinks.iter().map(|sink| self.bench.beats(*sink))
    }

    /// Beats that went in at the first source.
    fn sent(&self) -> usize {
        self.bench.sent_at(self.sources[0]).len()
    }

    /// Beats that came out of the first sink.
    fn got(&self) -> usize {
        self.bench.received_at(self.sinks[0]).len()
    }
}

/// Are the beats those expected? Of beats with `data` and `keep`, only what is kept counts.
fn same(ports: &StreamPorts, got: &[Beat], expected: &[Beat]) -> Result<(), String> {
    if got.len() != expected.len() {
        return Err(format!("`{}`: {} beats, not {}", ports.name, got.len(), expected.len()));
    }
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        if kept(ports, got) != kept(ports, expected) {
            return Err(format!("`{}`: beat {i} is {got:x?}, not {expected:x?}", ports.name));
        }
    }
    Ok(())
}

/// A beat with zeros where its data is not kept.
fn kept(ports: &StreamPorts, beat: &Beat) -> Vec<BigUint> {
    let place = |name: &str| ports.payload.iter().position(|field| field.name.trim_start_matches('t') == name);
    let mut fields = beat.0.clone();
    if let (Some(data), Some(keep)) = (place("data"), place("keep")) {
        let word = ports.payload[data].width / ports.payload[keep].width;
        let ones = (BigUint::from(1u32) << word) - 1u32;
        let lanes = (0..ports.payload[keep].width).filter(|lane| beat.0[keep].bit((*lane).into()));
        let mask = lanes.fold(BigUint::ZERO, |mask, lane| mask | (&ones << (lane * word)));
        fields[data] = &fields[data] & mask;
    }
    fields
}

/// Random beats for all sources.
fn words(rng: &mut Rng, streams: &Streams) -> Traffic {
    let count = streams.capacity.unwrap_or(0) + rng.usize(60..100);
    let beat = |ports: &StreamPorts, rng: &mut Rng| Beat(ports.payload.iter().map(|f| random(rng, f.width)).collect());
    streams.sources.iter().map(|ports| (0..count).map(|_| beat(ports, rng)).collect()).collect()
}

/// Random packets for the source of a width converter: of 1 to 40 words, or of up to three beats where those are more. An end behind full
/// beats comes without a word now and then, and where no word is, is anything.
pub fn packets(rng: &mut Rng, streams: &Streams) -> Traffic {
    let [data, keep, _] = &streams.sources[0].payload[..] else { panic!("a packet is data, keep and last") };
    let (lanes, word) = (keep.width as usize, data.width / keep.width);
    let lanes_out = streams.sinks[0].payload[1].width as usize;
    let most = 40.max(3 * lanes.max(lanes_out));
    let mut all = vec![];
    for _ in 0..40 {
        let count = rng.usize(1..=most);
        let whole = rng.u8(0..4) == 0;
        let count = if whole { count.next_multiple_of(lanes) } else { count };
        let words: Vec<BigUint> = (0..count).map(|_| random(rng, word)).collect();
        let mut beats = in_beats(&words, lanes, word);
        if whole && rng.bool() {
            beats.last_mut().expect("a packet has a word").0[2] = 0u32.into();
            beats.push(Beat(vec![0u32.into(), 0u32.into(), 1u32.into()]));
        }
        all.extend(beats.into_iter().map(|beat| with_anything(rng, beat, (lanes, word))));
    }
    vec![all]
}

/// A beat with anything in the places without words.
fn with_anything(rng: &mut Rng, mut beat: Beat, (lanes, word): (usize, u32)) -> Beat {
    let keep = beat.0[1].clone();
    for lane in (0..lanes as u32).filter(|lane| !keep.bit((*lane).into())) {
        beat.0[0] |= random(rng, word) << (lane * word);
    }
    beat
}

/// A packet of words as beats of so many.
pub fn in_beats(words: &[BigUint], lanes: usize, word: u32) -> Vec<Beat> {
    let count = words.len().div_ceil(lanes);
    let beat = |(i, chunk): (usize, &[BigUint])| {
        let data = chunk.iter().rev().fold(BigUint::ZERO, |data, w| (data << word) | w);
        let keep = (BigUint::from(1u32) << chunk.len()) - 1u32;
        Beat(vec![data, keep, u32::from(i + 1 == count).into()])
    };
    words.chunks(lanes).enumerate().map(beat).collect()
}

/// The kept words of whole packets.
pub fn packet_words(beats: &[Beat], word: u32) -> Vec<Vec<BigUint>> {
    let (mut packets, mut words) = (vec![], vec![]);
    let ones = (BigUint::from(1u32) << word) - 1u32;
    for Beat(fields) in beats {
        let lanes = (0..fields[1].bits()).filter(|lane| fields[1].bit(*lane));
        words.extend(lanes.map(|lane| (&fields[0] >> (lane * u64::from(word))) & &ones));
        if fields[2].bit(0) {
            packets.push(std::mem::take(&mut words));
        }
    }
    packets
}

/// A random number of so many bits.
pub fn random(rng: &mut Rng, width: u32) -> BigUint {
    let number = (0..width.div_ceil(32)).fold(BigUint::ZERO, |n, _| (n << 32) | BigUint::from(rng.u32(..)));
    number & ((BigUint::from(1u32) << width) - 1u32)
}
