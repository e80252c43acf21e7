use super::super::guard::GuardedBeat;
use super::super::types::{Beat, beat};
use super::*;
use crate::stream::fifo::{Style, fifo};
use ::sim::bus::{Bench, Sink, Source, Stalls};
use fastrand::Rng;
use hdl::sim::Simulator;

ports! {
    struct QueuedPorts() {
        input s: Stream<Beat> = stream(beat(8)),
        input lengths: Stream = stream(bits(4)),
        input flush: Signal = bits(1),
        output m: Stream<GuardedBeat> = stream(GuardedBeat { data: bits(8), first: bits(1), last: bits(1) }),
        output early: Signal = bits(16),
        output late: Signal = bits(16),
    }
}

/// A guard for packets whose lengths, less one, wait in a queue, and how often its flags were 1 at a clock edge.
#[module]
fn queued() -> Result<Design<QueuedPorts>, Errors> {
    let m = Module::new("queued");
    let io = QueuedPorts::new(m);
    let guard = m.instance(&vector_guard(8, 16)?);
    let lengths = m.instance(&fifo(4, 16, Style::Distributed)?);
    lengths.s.set(io.lengths);
    lengths.m.ready.set(guard.m.transfer() & guard.m.payload.last);
    guard.s.set(io.s);
    guard.beats_minus_1.set(lengths.m.payload);
    guard.start.set(lengths.m.valid);
    guard.flush.set(io.flush);
    io.m.set(guard.m);
    for (flag, out) in [(guard.early, io.early), (guard.late, io.late)] {
        let count = m.reg_reset(bits(16), 0);
        m.when(flag, || count.set(count + 1));
        out.set(count);
    }
    m.finish(io)
}

struct Guarded<'e> {
    bench: Bench<'e>,
    s: Source,
    lengths: Source,
    m: Sink,
    design: &'e Design<QueuedPorts>,
}

impl<'e> Guarded<'e> {
    fn new(engine: &'e mut Simulator, design: &'e Design<QueuedPorts>, [s, lengths, m]: [Stalls; 3]) -> Self {
        let mut bench = Bench::new(engine, ::sim::bus::seed(5));
        let s = bench.source(design, &design.ports.s, s);
        let lengths = bench.source(design, &design.ports.lengths, lengths);
        let m = bench.sink(design, &design.ports.m, m);
        let mut guarded = Self { bench, s, lengths, m, design };
        guarded.poke(design.ports.flush, 0);
        guarded.bench.reset().unwrap_or_else(|e| panic!("{e}"));
        guarded
    }
    fn poke(&mut self, port: Signal, value: u64) {
        let port = self.design.port_index(port).expect("a port");
        self.bench.engine.poke(port, value);
    }
    fn peek(&mut self, port: Signal) -> u64 {
        let port = self.design.port_index(port).expect("a port");
        self.bench.engine.peek(port)
    }
    fn run(&mut self, cycles: u64) {
        self.bench.run(cycles).unwrap_or_else(|e| panic!("{e}"));
    }
    fn send(&mut self, data: &[u64]) {
        self.bench.send(self.s, data.iter().enumerate().map(|(i, x)| [*x, u64::from(i + 1 == data.len())]));
    }
    fn received(&self) -> Vec<[u64; 3]> {
        self.bench.beats(self.m).iter().map(|b| [b.field(0), b.field(1), b.field(2)]).collect()
    }
}

/// A packet of `length` beats, with these at its beginning and zeros behind them.
fn packet(data: &[u64], length: usize) -> Vec<[u64; 3]> {
    let at = |i: usize| data.get(i).copied().unwrap_or(0);
    (0..length).map(|i| [at(i), u64::from(i == 0), u64::from(i + 1 == length)]).collect()
}

/// What comes out for packets of these beats and these lengths; how many packets were replaced behind each.
fn guarded(sent: &[Vec<u64>], lengths: &[usize]) -> Vec<[u64; 3]> {
    let (mut lengths, mut all) = (lengths.iter().copied().peekable(), vec![]);
    for data in sent {
        let Some(length) = lengths.next() else { break };
        all.extend(packet(data, length));
        let mut surplus = data.len().saturating_sub(length);
        while let Some(length) = lengths.next_if(|length| *length <= surplus) {
            all.extend(packet(&[], length));
            surplus -= length;
        }
    }
    all
}

const NEVER: [Stalls; 3] = [Stalls::Never; 3];

#[test]
fn every_packet_gets_its_own_length() {
    let some = Stalls::Percent(35);
    // lengths long before the beats, beside them, and long after them
    let late = [Stalls::Never, Stalls::Percent(95), Stalls::Never];
    let first = [Stalls::Percent(80), Stalls::Never, Stalls::Never];
    let design = queued().unwrap_or_else(|e| panic!("{e}"));
    for stalls in [NEVER, [some; 3], late, first] {
        let mut engine = jit::simulator(&design);
        let mut guard = Guarded::new(&mut engine, &design, stalls);
        let mut rng = Rng::with_seed(::sim::bus::seed(1));
        let lengths: Vec<usize> = (0..300)
            .map(|_| {
                let most = [1, 4, 16][rng.usize(0..3)];
                rng.usize(1..=most)
            })
            .collect();
        // packets that hang on to each other, surplus, what is missing
        let (mut sent, mut at) = (vec![], 0);
        while at < lengths.len() {
            let together = if rng.u32(0..3) == 0 { rng.usize(1..=4) } else { 1 }.min(lengths.len() - at);
            let whole: usize = lengths[at..at + together].iter().sum();
            let beats = match rng.u32(0..8) {
                0 => whole + rng.usize(0..4),
                1 if together == 1 => rng.usize(1..=whole),
                _ => whole,
            };
            sent.push((0..beats).map(|_| rng.u64(1..256)).collect::<Vec<_>>());
            at += together;
        }
        let expected = guarded(&sent, &lengths);
        lengths.iter().for_each(|length| guard.bench.send(guard.lengths, [[*length as u64 - 1]]));
        sent.iter().for_each(|data| guard.send(data));
        while guard.bench.beats(guard.m).len() < expected.len() && guard.bench.cycle() < 60_000 {
            guard.run(1);
        }
        assert_eq!(guard.received()[..expected.len()], expected, "{stalls:?}");
    }
}

/// Without a mistake, packets of one beat and of more pass in every cycle.
#[test]
fn a_beat_in_every_cycle() {
    let design = queued().unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let mut guard = Guarded::new(&mut engine, &design, NEVER);
    let lengths: Vec<usize> = (0..200).map(|i| [1, 1, 5, 1, 16, 2][i % 6]).collect();
    lengths.iter().for_each(|length| guard.bench.send(guard.lengths, [[*length as u64 - 1]]));
    guard.run(20);
    lengths.iter().for_each(|length| guard.send(&vec![9; *length]));
    let beats = lengths.iter().sum();
    guard.bench.run_until_received(guard.m, beats, 2000).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(guard.bench.bubbles(guard.m), 0);
    assert_eq!((guard.peek(design.ports.early), guard.peek(design.ports.late)), (0, 0));
}

/// Surplus is dropped in every cycle, although nobody knows how long the next packet is, up to 127 beats (8 of the longest, less one); how
/// many packets it replaces is known later, and what is more than 127 waits for that.
#[test]
fn surplus_waits_for_no_length_up_to_8_of_the_longest() {
    let design = queued().unwrap_or_else(|e| panic!("{e}"));
    for surplus in [1, 4, 5, 9, 10, 127, 128, 1000] {
        let (replaced, mut engine) = (surplus / 5, jit::simulator(&design));
        let mut guard = Guarded::new(&mut engine, &design, NEVER);
        guard.bench.send(guard.lengths, [[2u64]]);
        guard.send(&vec![7; 3 + surplus]);
        guard.run(3 + surplus as u64 + 20);
        let waiting = surplus.saturating_sub(127);
        assert_eq!((guard.bench.unsent(guard.s), guard.peek(design.ports.late)), (waiting, 1), "{surplus} beats");
        guard.send(&[1, 2, 3, 4, 5]);
        (0..=replaced).for_each(|_| guard.bench.send(guard.lengths, [[4u64]]));
        guard.run(400 + 2 * surplus as u64);
        let mut expected = packet(&[7, 7, 7], 3);
        (0..replaced).for_each(|_| expected.extend(packet(&[], 5)));
        expected.extend(packet(&[1, 2, 3, 4, 5], 5));
        assert_eq!(guard.received(), expected, "{surplus} beats");
    }
}

/// What comes while it flushes is dropped and not counted; what is open is completed, and the next packet is right.
#[test]
fn a_flush_ends_the_open_packet() {
    let design = queued().unwrap_or_else(|e| panic!("{e}"));
    for (sent, flushed) in (1..14).flat_map(|sent| [1, 3, 30].map(|flushed| (sent, flushed))) {
        let mut engine = jit::simulator(&design);
        let mut guard = Guarded::new(&mut engine, &design, NEVER);
        guard.bench.send(guard.lengths, [[4u64]]);
        guard.run(3);
        // one that does not end
        guard.bench.send(guard.s, (0..sent).map(|_| [7u64, 0]));
        guard.run(20);
        guard.poke(design.ports.flush, 1);
        guard.bench.send(guard.s, (0..flushed).map(|_| [99u64, 0]));
        guard.run(flushed);
        assert_eq!(guard.bench.unsent(guard.s), 0, "a beat is dropped in every cycle");
        guard.poke(design.ports.flush, 0);
        guard.run(20);
        let mut expected = packet(&vec![7; sent.min(5)], 5);
        assert_eq!(guard.received(), expected, "{sent} beats, {flushed} cycles");
        guard.bench.send(guard.lengths, [[1u64]]);
        guard.send(&[1, 2]);
        guard.run(20);
        expected.extend(packet(&[1, 2], 2));
        assert_eq!(guard.received(), expected, "{sent} beats, {flushed} cycles: the next packet");
        assert_eq!((guard.peek(design.ports.early), guard.peek(design.ports.late)), (0, u64::from(sent >= 5)));
    }
}
