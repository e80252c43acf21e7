//! When a vector has left an engine: when its last beats are taken at the ports, neither before nor much later. `finished` tells of each
//! once, and `busy` is 1 as long as there is one that has begun and has not left.

use super::*;

/// Pauses with which vectors wait at the outputs: at each of them, and at all.
const WAITS: [Pauses; 4] = [
    NEVER,
    OFTEN,
    Pauses { dense: Stalls::Percent(95), ..NEVER },
    Pauses { input: Stalls::Percent(90), dense: Stalls::Never, sparse: Stalls::Percent(90) },
];

/// Cycles from the first beat of a vector to `busy`.
const BEGINS: u64 = 3;
/// Cycles from the last beat of a vector to `finished`, and to `busy` 0.
const LEAVES: u64 = 2;
/// Cycles that an engine is looked at behind its last vector.
const BEHIND: usize = 100;

/// What was seen, cycle by cycle.
#[derive(Default)]
struct Seen {
    /// Vectors that had begun, and of these those that had left, behind each cycle.
    begun: Vec<u64>,
    left: Vec<u64>,
    /// Cycles in which `finished` was 1.
    finished: u64,
}

impl Seen {
    /// So many behind the cycle `ago` before this one.
    fn before(counts: &[u64], ago: u64) -> u64 {
        counts.len().checked_sub(1 + ago as usize).map_or(0, |i| counts[i])
    }
    /// So many have left, since a while.
    fn all_left(&self, number: u64) -> bool {
        self.left.iter().rev().take_while(|left| **left == number).take(BEHIND).count() == BEHIND
    }
    fn cycle(&mut self, [begun, left]: [u64; 2], [finished, busy]: [u64; 2], what: &str) {
        self.begun.push(begun);
        self.left.push(left);
        self.finished += finished;
        let least = Self::before(&self.left, LEAVES);
        assert!((least..=left).contains(&self.finished), "{} finished, {least} to {left} left, {what}", self.finished);
        let inside = Self::before(&self.begun, BEGINS) > left;
        assert!(!inside || busy == 1, "{} began, {left} left, and the engine is idle, {what}", self.begun.len());
        let empty = begun == least;
        assert!(!empty || busy == 0, "{begun} began, {least} left, and the engine is busy, {what}");
    }
}

/// Packets that have ended, of beats that become more.
#[derive(Default)]
struct Ends {
    looked_at: usize,
    number: u64,
}

impl Ends {
    fn of(&mut self, beats: &[Beat]) -> u64 {
        let ends = |beat: &&Beat| beat.field(beat.0.len() - 1) == 1;
        self.number += beats[self.looked_at..].iter().filter(ends).count() as u64;
        self.looked_at = beats.len();
        self.number
    }
}

/// Vectors with different numbers of outliers in a chunk.
fn vectors(p: EngineParams, length: usize) -> Vec<Vec<u16>> {
    let mut rng = Rng::with_seed(sim::bus::seed(u64::from(p.lanes) + length as u64));
    (0..if p.lanes > 4 { 40 } else { 6 }).map(|i| with_outliers(&mut rng, length, [0, 8, 64, 3][i % 4])).collect()
}

/// Engines that hold vectors of 64 and of 128 elements.
fn engines() -> impl Iterator<Item = EngineParams> {
    let four = [1, 4, 16, 64].map(|lanes| params(lanes, 128));
    let other = [(4, 5), (16, 5), (64, 3), (64, 5)].map(|(lanes, dense_bits)| EngineParams {
        lanes,
        max_length: 128,
        dense_bits,
        settings: 1,
    });
    let each = [4, 64].map(|lanes| EngineParams { settings: 2, ..params(lanes, 128) });
    four.into_iter().chain(other).chain(each)
}

/// The lengths of vectors and the pauses with which each engine runs.
fn runs() -> impl Iterator<Item = (usize, Pauses)> {
    [64, 128].into_iter().flat_map(|length| WAITS.map(|pauses| (length, pauses)))
}

fn thresholds() -> oaken::Thresholds {
    oaken::Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal")
}

#[test]
fn a_vector_is_in_the_quantizer_until_both_parts_are_taken() {
    for p in engines() {
        let built = Built::quantizer(p);
        runs().for_each(|(length, pauses)| leaves_the_quantizer(&built, length, pauses));
    }
}

fn leaves_the_quantizer(built: &Built<QuantizerPorts>, length: usize, pauses: Pauses) {
    let Built { p, ref design, .. } = *built;
    let io = &design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    let (finished, busy) = (port(io.finished), port(io.busy));
    let mut engine = built.simulator.clone();
    let mut bench = Bench::new(&mut engine, sim::bus::seed(4));
    let s = bench.source(design, &io.s, Stalls::Never);
    let dense = bench.sink(design, &io.dense, pauses.dense);
    let sparse = bench.sink(design, &io.sparse, pauses.sparse);
    set_thresholds(bench.engine, design, io.setting.thresholds, &thresholds());
    bench.engine.poke(port(io.setting.chunks_minus_1), length as u64 / 64 - 1);
    bench.engine.poke(port(io.enable), 1);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    let vectors = vectors(p, length);
    let beats = length / p.lanes as usize;
    let what = format!("{p:?}, {length} elements, {:?}", pauses.dense);
    let mut seen = Seen::default();
    let (mut sent, mut dense_ends, mut sparse_ends) = (0, Ends::default(), Ends::default());
    // the last one alone, into an empty engine
    for some in [&vectors[1..], &vectors[..1]] {
        for v in some {
            let values: Vec<u64> = v.iter().map(|x| u64::from(*x)).collect();
            bench.send(s, super::beats(&values, 16, p.lanes as usize));
        }
        sent += some.len() as u64;
        for _ in 0..400 + 30 * some.len() * beats {
            bench.step().unwrap_or_else(|e| panic!("{e}"));
            let begun = bench.sent_at(s).len().div_ceil(beats) as u64;
            let left = dense_ends.of(bench.beats(dense)).min(sparse_ends.of(bench.beats(sparse)));
            let says = [finished, busy].map(|at| bench.engine.peek(at));
            seen.cycle([begun, left], says, &what);
            if seen.all_left(sent) {
                break;
            }
        }
    }
    assert_eq!(seen.finished, vectors.len() as u64, "{p:?}");
}

#[test]
fn a_vector_is_in_the_dequantizer_until_its_last_beat_is_taken() {
    for p in engines() {
        let built = Built::dequantizer(p);
        runs().for_each(|(length, pauses)| leaves_the_dequantizer(&built, length, pauses));
    }
}

fn leaves_the_dequantizer(built: &Built<DequantizerPorts>, length: usize, pauses: Pauses) {
    let Built { p, ref design, .. } = *built;
    let io = &design.ports;
    let port = |signal| design.port_index(signal).expect("a port");
    let (finished, busy) = (port(io.finished), port(io.busy));
    let mut engine = built.simulator.clone();
    let mut bench = Bench::new(&mut engine, sim::bus::seed(4));
    let dense = bench.source(design, &io.dense, Stalls::Never);
    let sparse = bench.source(design, &io.sparse, Stalls::Never);
    let m = bench.sink(design, &io.m, pauses.dense);
    set_thresholds(bench.engine, design, io.thresholds, &thresholds());
    io.length.iter().for_each(|at| bench.engine.poke(port(*at), length as u64));
    io.chunks_minus_1.iter().for_each(|at| bench.engine.poke(port(*at), length as u64 / 64 - 1));
    bench.engine.poke(port(io.enable), 1);
    bench.reset().unwrap_or_else(|e| panic!("{e}"));
    let vectors = vectors(p, length);
    let what = format!("{p:?}, {length} elements, {:?}", pauses.dense);
    let mut seen = Seen::default();
    let (mut firsts, mut words) = (vec![], 0);
    let (mut sent, mut ends) = (0, Ends::default());
    for some in [&vectors[1..], &vectors[..1]] {
        for v in some {
            let record = oaken::encode(v, width(p), &thresholds());
            bench.send(dense, dense_packet(p, &record.dense));
            let part = packet(&record.sparse, p.sparse_bytes() as usize);
            firsts.push(words);
            words += part.len();
            bench.send(sparse, part);
        }
        sent += some.len() as u64;
        for _ in 0..400 + 30 * some.len() * length / p.lanes as usize {
            bench.step().unwrap_or_else(|e| panic!("{e}"));
            let taken = bench.sent_at(sparse).len();
            let begun = firsts.iter().filter(|first| **first < taken).count() as u64;
            let says = [finished, busy].map(|at| bench.engine.peek(at));
            seen.cycle([begun, ends.of(bench.beats(m))], says, &what);
            if seen.all_left(sent) {
                break;
            }
        }
    }
    assert_eq!(seen.finished, vectors.len() as u64, "{p:?}");
}
