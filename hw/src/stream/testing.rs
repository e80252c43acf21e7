//! What the tests of the stream modules share.

use hdl::sim::Simulator;
use hdl::{Bundle, Design, Errors};
use sim::bus::{Beat, Bench, Stalls, seed};

/// The module, or its errors.
#[track_caller]
pub fn build<P>(design: Result<Design<P>, Errors>) -> Design<P> {
    design.unwrap_or_else(|errors| panic!("{errors}"))
}

/// Words 0, 1, 2, ... so that a word that is lost, doubled or out of order is seen.
pub fn counting(words: u64, width: u32) -> Vec<Beat> {
    (0..words).map(|i| (i & ((1 << width.min(63)) - 1)).into()).collect()
}

/// How the neighbours of a stream module stall: source, sink.
pub const STALLS: [(Stalls, Stalls); 6] = [
    (Stalls::Never, Stalls::Never),
    (Stalls::Percent(30), Stalls::Percent(60)),
    (Stalls::Percent(80), Stalls::Percent(10)),
    (Stalls::Never, Stalls::Percent(70)),
    (Stalls::Percent(70), Stalls::Never),
    (Stalls::Runs(9), Stalls::Runs(13)),
];

/// Sends beats under all stalls: what comes out must be `expected`, and nothing more.
#[track_caller]
pub fn check_stream<P, S: Bundle, M: Bundle>(design: &Design<P>, s: &S, m: &M, sent: &[Beat], expected: &[Beat]) {
    let ready = Simulator::new(design);
    for (i, (source, sink)) in STALLS.into_iter().enumerate() {
        let mut engine = ready.clone();
        let mut bench = Bench::new(&mut engine, seed(10 + i as u64));
        let s = bench.source(design, s, source);
        let m = bench.sink(design, m, sink);
        let result = bench.reset().and_then(|()| {
            bench.send(s, sent.iter().cloned());
            bench.run_until_received(m, expected.len(), 200 + 40 * (sent.len() + expected.len()) as u64)?;
            bench.run(50)
        });
        result.unwrap_or_else(|error| panic!("{} with {source:?}, {sink:?}: {error}", design.name()));
        assert_eq!(bench.unsent(s), 0, "{}", design.name());
        assert_eq!(bench.beats(m), expected, "{} with {source:?}, {sink:?}", design.name());
    }
}

/// When beats go in and come out while nothing stalls: the cycles, counted from the first transfer in.
pub struct Timing {
    /// Of the transfers in.
    pub sent: Vec<u64>,
    /// Of the transfers out.
    pub received: Vec<u64>,
}

/// Sends beats without stalls until `wanted` have come out.
#[track_caller]
pub fn timing<P, S: Bundle, M: Bundle>(design: &Design<P>, s: &S, m: &M, sent: &[Beat], wanted: usize) -> Timing {
    let mut engine = Simulator::new(design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let s = bench.source(design, s, Stalls::Never);
    let m = bench.sink(design, m, Stalls::Never);
    let result = bench.reset().and_then(|()| {
        bench.send(s, sent.iter().cloned());
        bench.run_until_received(m, wanted, 10 * (sent.len() + wanted) as u64)
    });
    result.unwrap_or_else(|error| panic!("{}: {error}", design.name()));
    let start = bench.sent_at(s)[0];
    let from_start = |cycles: &[u64]| cycles.iter().map(|cycle| cycle - start).collect();
    Timing { sent: from_start(bench.sent_at(s)), received: from_start(bench.received_at(m)) }
}

/// The message of a parameter error.
#[track_caller]
pub fn message<P>(design: Result<Design<P>, Errors>) -> String {
    design.expect_err("parameters out of range").0[0].message.clone()
}

/// A packet of words as beats: the keep bits say which words of the last one are there.
fn word_packet(words: &[u64], word_width: u32, words_of_beat: usize) -> Vec<Beat> {
    let beats = words.chunks(words_of_beat);
    let count = beats.len();
    let beat = |(i, chunk): (usize, &[u64])| {
        let shifted = |(at, word): (usize, &u64)| hdl::BigUint::from(*word) << (at * word_width as usize);
        let data: hdl::BigUint = chunk.iter().enumerate().map(shifted).sum();
        let keep = (hdl::BigUint::from(1u32) << chunk.len()) - 1u32;
        Beat(vec![data, keep, u64::from(i + 1 == count).into()])
    };
    beats.enumerate().map(beat).collect()
}

/// Packets of so many words each.
pub fn packets(lengths: &[u64], word_width: u32, words_of_beat: u32) -> Vec<Beat> {
    let mask = (1 << word_width) - 1;
    let words = |(i, n): (usize, &u64)| (0..*n).map(|k| (k * 7 + i as u64) & mask).collect::<Vec<_>>();
    let packets = lengths.iter().enumerate().map(words);
    packets.flat_map(|p| word_packet(&p, word_width, words_of_beat as usize)).collect()
}
