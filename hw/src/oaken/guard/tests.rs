use super::*;
use ::sim::bus::{Bench, Sink, Source, Stalls};
use fastrand::Rng;
use hdl::sim::Simulator;

ports! {
    struct CountedPorts() {
        input s: Stream<Beat> = stream(beat(8)),
        input start: Signal = bits(1),
        input flush: Signal = bits(1),
        output m: Stream<GuardedBeat> = stream(GuardedBeat { data: bits(8), first: bits(1), last: bits(1) }),
        output early: Signal = bits(16),
        output late: Signal = bits(16),
    }
}

/// A guard for packets of `length` beats, and how often its flags were 1 at a clock edge.
#[module]
fn counted(length: u32) -> Result<Design<CountedPorts>, Errors> {
    let m = Module::new("counted");
    let io = CountedPorts::new(m);
    let guard = m.instance(&length_guard(8, 16)?);
    guard.s.set(io.s);
    guard.beats_minus_1.set(length - 1);
    guard.start.set(io.start);
    guard.flush.set(io.flush);
    io.m.set(guard.m);
    for (flag, out) in [(guard.early, io.early), (guard.late, io.late)] {
        let count = m.reg_reset(bits(16), 0);
        m.when(flag, || count.set(count + 1));
        out.set(count);
    }
    m.finish(io)
}

/// A guard that is driven and watched.
struct Guarded<'e> {
    bench: Bench<'e>,
    s: Source,
    m: Sink,
    design: &'e Design<CountedPorts>,
}

impl<'e> Guarded<'e> {
    fn new(engine: &'e mut Simulator, design: &'e Design<CountedPorts>, stalls: Stalls) -> Self {
        let mut bench = Bench::new(engine, ::sim::bus::seed(5));
        let s = bench.source(design, &design.ports.s, stalls);
        let m = bench.sink(design, &design.ports.m, stalls);
        let mut guarded = Self { bench, s, m, design };
        guarded.poke(design.ports.start, 1);
        guarded.poke(design.ports.flush, 0);
        guarded.bench.reset().unwrap_or_else(|e| panic!("{e}"));
        guarded
    }
    fn index(&self, port: Signal) -> usize {
        self.design.port_index(port).expect("a port")
    }
    fn poke(&mut self, port: Signal, value: u64) {
        let port = self.index(port);
        self.bench.engine.poke(port, value);
    }
    fn peek(&mut self, port: Signal) -> u64 {
        let port = self.index(port);
        self.bench.engine.peek(port)
    }
    fn run(&mut self, cycles: u64) {
        self.bench.run(cycles).unwrap_or_else(|e| panic!("{e}"));
    }
    fn received(&self) -> Vec<[u64; 3]> {
        self.bench.beats(self.m).iter().map(|b| [b.field(0), b.field(1), b.field(2)]).collect()
    }
}

/// A packet of `length` beats, with these at its beginning and zeros behind them.
fn guarded(data: &[u64], length: usize) -> Vec<[u64; 3]> {
    let at = |i: usize| data.get(i).copied().unwrap_or(0);
    (0..length).map(|i| [at(i), u64::from(i == 0), u64::from(i + 1 == length)]).collect()
}

#[test]
fn every_packet_gets_its_length() {
    for (length, stalls) in [1, 2, 5, 8, 16].into_iter().flat_map(|n| [(n, Stalls::Never), (n, Stalls::Percent(35))]) {
        let design = counted(length as u32).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut guard = Guarded::new(&mut engine, &design, stalls);
        let mut rng = Rng::with_seed(::sim::bus::seed(1));
        let (mut expected, mut early, mut late) = (vec![], 0, 0);
        for _ in 0..300 {
            // most are right or nearly; some have two or three packets in one
            let sent = if rng.u32(0..3) > 0 { length } else { rng.usize(1..=3 * length + 2) };
            (early, late) = (early + u64::from(sent < length), late + u64::from(sent > length));
            let data: Vec<u64> = (0..sent).map(|_| rng.u64(1..256)).collect();
            guard.bench.send(guard.s, data.iter().enumerate().map(|(i, x)| [*x, u64::from(i + 1 == sent)]));
            expected.extend(guarded(&data, length));
            let replaced = sent.saturating_sub(length) / length;
            (0..replaced).for_each(|_| expected.extend(guarded(&[], length)));
        }
        while guard.bench.beats(guard.m).len() < expected.len() && guard.bench.cycle() < 60_000 {
            guard.run(1);
        }
        guard.run(50);
        assert_eq!(guard.received(), expected, "{length} beats");
        let (was_early, was_late) = (guard.peek(design.ports.early), guard.peek(design.ports.late));
        assert_eq!((was_early, was_late), (early, late), "{length} beats, {stalls:?}");
        assert_eq!(guard.bench.unsent(guard.s), 0);
    }
}

#[test]
fn a_packet_waits_for_start() {
    let design = counted(2).unwrap_or_else(|e| panic!("{e}"));
    let mut engine = jit::simulator(&design);
    let mut guard = Guarded::new(&mut engine, &design, Stalls::Never);
    guard.poke(design.ports.start, 0);
    guard.bench.send(guard.s, [[1u64, 0], [2, 1]]);
    guard.run(20);
    assert!(guard.received().is_empty());
    guard.poke(design.ports.start, 1);
    guard.bench.run_until_received(guard.m, 1, 5).unwrap_or_else(|e| panic!("{e}"));
    // an open packet goes on without it
    guard.poke(design.ports.start, 0);
    guard.bench.run_until_received(guard.m, 2, 5).unwrap_or_else(|e| panic!("{e}"));
}

/// What comes while it flushes is dropped; what is open is completed, and nothing more begins without `start`.
#[test]
fn a_flush_ends_the_open_packet() {
    for (sent, flushed) in (0..14).flat_map(|sent| [1, 3, 30].map(|flushed| (sent, flushed))) {
        let design = counted(5).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = jit::simulator(&design);
        let mut guard = Guarded::new(&mut engine, &design, Stalls::Never);
        // a packet, and then one that does not end
        let data: Vec<u64> = (1..=sent).collect();
        guard.bench.send(guard.s, data.iter().map(|x| [*x, u64::from(*x == 5)]));
        guard.run(20);
        let late = u64::from(sent >= 10);
        assert_eq!(guard.peek(design.ports.late), late);
        guard.poke(design.ports.start, 0);
        guard.poke(design.ports.flush, 1);
        guard.bench.send(guard.s, (0..flushed).map(|_| [99u64, 0]));
        guard.run(flushed);
        assert_eq!(guard.bench.unsent(guard.s), 0, "a beat is dropped in every cycle");
        guard.poke(design.ports.flush, 0);
        guard.run(20);
        let mut expected: Vec<[u64; 3]> = data.chunks(5).take(2).flat_map(|packet| guarded(packet, 5)).collect();
        assert_eq!(guard.received(), expected, "{sent} beats, {flushed} cycles");
        guard.poke(design.ports.start, 1);
        guard.bench.send(guard.s, (1..=5).map(|x| [x, u64::from(x == 5)]));
        guard.run(20);
        expected.extend(guarded(&[1, 2, 3, 4, 5], 5));
        assert_eq!(guard.received(), expected, "{sent} beats, {flushed} cycles: the next packet");
        assert_eq!((guard.peek(design.ports.early), guard.peek(design.ports.late)), (0, late));
    }
}
