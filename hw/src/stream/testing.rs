//! What the tests of the stream modules share.

pub mod slices;
pub mod three_inputs;

use hdl::{Bundle, Design, Errors, Stream};
use sim::bus::{Beat, Bench, Stalls, run_seed, seed};

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
    under_stalls(design, (s, m), sent, expected.len(), |received| assert_eq!(received, expected, "{}", design.name()));
}

/// As [`check_stream`] for beats of a packet (data, keep, last): data of words that are not kept may be anything.
#[track_caller]
pub fn check_packets<P>(design: &Design<P>, (s, m): (&Packets, &Packets), sent: &[Beat], expected: &[Beat]) {
    let words = m.payload.keep.width();
    let word_width = u64::from(m.payload.data.width() / words);
    under_stalls(design, (s, m), sent, expected.len(), |received| {
        assert_eq!(clean(received, word_width), clean(expected, word_width), "{}", design.name());
    });
}

/// A stream of beats of packets.
pub type Packets = Stream<crate::stream::Beat>;

/// Beats with 0 in all words that are not kept.
pub fn clean(beats: &[Beat], word_width: u64) -> Vec<Beat> {
    let clean = |beat: &Beat| {
        let [mut data, keep, last] = <[hdl::BigUint; 3]>::try_from(beat.0.clone()).unwrap();
        for bit in (0..data.bits()).filter(|bit| !keep.bit(bit / word_width)) {
            data.set_bit(bit, false);
        }
        Beat(vec![data, keep, last])
    };
    beats.iter().map(clean).collect()
}

/// Sends beats under all stalls until `expected` have come out and a while longer; `check` sees what came out.
#[track_caller]
fn under_stalls<P, S: Bundle, M: Bundle>(
    design: &Design<P>,
    (s, m): (&S, &M),
    sent: &[Beat],
    expected: usize,
    check: impl Fn(&[Beat]),
) {
    let ready = jit::simulator(design);
    for (i, (source, sink)) in STALLS.into_iter().enumerate() {
        println!("{} with {source:?}, {sink:?}", design.name());
        let mut engine = ready.clone();
        let mut bench = Bench::new(&mut engine, run_seed(10 + i as u64));
        let s = bench.source(design, s, source);
        let m = bench.sink(design, m, sink);
        let result = bench.reset().and_then(|()| {
            bench.send(s, sent.iter().cloned());
            bench.run_until_received(m, expected, 200 + 40 * (sent.len() + expected) as u64)?;
            bench.run(50)
        });
        result.unwrap_or_else(|error| panic!("{} with {source:?}, {sink:?}: {error}", design.name()));
        assert_eq!(bench.unsent(s), 0, "{}", design.name());
        check(bench.beats(m));
    }
}

/// The words that a stream module takes while its output is stuck.
#[track_caller]
pub fn held<P, S: Bundle, M: Bundle>(design: &Design<P>, s: &S, m: &M) -> usize {
    let mut engine = jit::simulator(design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let s = bench.source(design, s, Stalls::Never);
    let _stuck = bench.sink(design, m, Stalls::Always);
    bench.reset().unwrap();
    bench.send(s, (0..100).map(Beat::from));
    bench.run(100).unwrap();
    bench.sent_at(s).len()
}

/// When beats go in and come out while nothing stalls: the cycles, counted from the first transfer in.
pub struct Timing {
    /// Of the transfers in.
    pub sent: Vec<u64>,
    /// Of the transfers out.
    pub received: Vec<u64>,
}

/// Sends beats without stalls until `expected` have come out.
#[track_caller]
pub fn timing<P, S: Bundle, M: Bundle>(design: &Design<P>, s: &S, m: &M, sent: &[Beat], expected: usize) -> Timing {
    let mut engine = jit::simulator(design);
    let mut bench = Bench::new(&mut engine, seed(1));
    let s = bench.source(design, s, Stalls::Never);
    let m = bench.sink(design, m, Stalls::Never);
    let result = bench.reset().and_then(|()| {
        bench.send(s, sent.iter().cloned());
        bench.run_until_received(m, expected, 10 * (sent.len() + expected) as u64)
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

/// Packets of so many words each, as beats.
pub fn packets(lengths: &[u64], word_width: u32, words_of_beat: u32) -> Vec<Beat> {
    let packets = packets_of_words(lengths, word_width);
    packets.iter().flat_map(|p| word_packet(p, word_width, words_of_beat as usize)).collect()
}

/// Packets of so many words each, as words.
pub fn packets_of_words(lengths: &[u64], word_width: u32) -> Vec<Vec<u64>> {
    let mask = (1 << word_width) - 1;
    let words = |(i, n): (usize, &u64)| (0..*n).map(|k| (k * 7 + i as u64) & mask).collect();
    lengths.iter().enumerate().map(words).collect()
}
