use super::*;
use ::sim::golden::vq::cache::book_words;
use fastrand::Rng;
use hdl::BigUint;
use hdl::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts, run_seed};

/// Books of a row, each with as many entries as it has, of 16 bits for each number.
type Books = Vec<Vec<Vec<u16>>>;

struct Run<'e> {
    p: GroupParams,
    bench: Bench<'e>,
    load: Source,
    words: Source,
    s: Source,
    loaded: Sink,
    m: Sink,
}

impl<'e> Run<'e> {
    fn new(
        sim: &'e mut dyn hdl::engine::Engine,
        design: &Design<GroupBooksPorts>,
        p: GroupParams,
        seed: u64,
    ) -> Run<'e> {
        let stalls = if seed.is_multiple_of(2) { Stalls::Never } else { Stalls::Percent(50) };
        let io = &design.ports;
        let mut bench = Bench::new(sim, seed);
        let [load, words, s] =
            [StreamPorts::of(design, &io.load), StreamPorts::of(design, &io.words), StreamPorts::of(design, &io.s)]
                .map(|ports| bench.source_at(ports, stalls));
        let [loaded, m] = [StreamPorts::of(design, &io.loaded), StreamPorts::of(design, &io.m)]
            .map(|ports| bench.sink_at(ports, stalls));
        bench.reset().unwrap();
        Run { p, bench, load, words, s, loaded, m }
    }

    /// Books of any length, one of which comes damaged first.
    fn send_books(&mut self, rng: &mut Rng) -> Books {
        let CacheParams { entries, vector, lanes } = self.p.cache;
        let damaged = rng.u32(0..lanes * self.p.beats);
        let mut all = vec![];
        for position in 0..lanes * self.p.beats {
            let count = rng.usize(1..=entries as usize);
            let book: Vec<u16> = (0..count * vector as usize).map(|_| rng.u16(..) & 0x3fff).collect();
            let words = book_words(position, &book, vector as usize);
            let end = words.len() - 1;
            let mut send = |wrong: u64| {
                self.bench.send(self.load, [u64::from(position)]);
                let word = |(i, word): (usize, &::sim::golden::vq::cache::LoadWord)| {
                    [word.data ^ (wrong << 40), u64::from(i == end), 0]
                };
                self.bench.send(self.words, words.iter().enumerate().map(word));
            };
            if position == damaged {
                send(1);
            }
            send(0);
            all.push(book.chunks(vector as usize).map(<[u16]>::to_vec).collect());
        }
        all
    }

    /// Rows of any indices, some without an entry, the first of which reads these books from now on; what must come.
    fn send_rows(&mut self, rng: &mut Rng, books: &Books, rows: usize) -> Vec<Vec<u64>> {
        let GroupParams { cache: CacheParams { entries, lanes, .. }, beats } = self.p;
        let mut expected = vec![];
        for row in 0..rows {
            for beat in 0..beats {
                let (row_end, last) = (u64::from(beat + 1 == beats), u64::from(rng.bool()));
                let count = rng.u32(0..lanes);
                let index: Vec<usize> = (0..lanes).map(|_| rng.usize(0..entries as usize)).collect();
                let found = |lane: u32| match books[(beat * lanes + lane) as usize].get(index[lane as usize]) {
                    _ if lane > count => (0, false),
                    Some(numbers) => (numbers.iter().rev().fold(0, |all, x| all << 16 | u64::from(*x)), false),
                    None => (0, true),
                };
                let wrong = (0..lanes).map(|lane| u64::from(found(lane).1) << lane).sum();
                let entries = (0..lanes).map(|lane| found(lane).0);
                expected.push(entries.chain([wrong, count.into(), row_end, last]).collect());
                let indices = index.iter().map(|index| *index as u64);
                let fields = indices.chain([count.into(), row_end, last, u64::from(row == 0 && beat == 0)]);
                self.bench.send(self.s, [Beat(fields.map(BigUint::from).collect())]);
            }
        }
        expected
    }
}

/// Books for the next rows are loaded while rows are looked up.
#[test]
fn random_books_and_rows() {
    for (entries, vector, lanes, beats) in [(16, 4, 2, 3), (8, 2, 4, 1), (32, 4, 4, 2)] {
        let p = GroupParams { cache: CacheParams { entries, vector, lanes }, beats };
        let design = group_books(p).unwrap();
        let mut sim = jit::simulator(&design);
        for round in 0..4 {
            let seed = run_seed(round);
            let mut rng = Rng::with_seed(seed);
            let mut run = Run::new(&mut sim, &design, p, seed);
            let (mut loads, mut expected) = (0, vec![]);
            let mut books = run.send_books(&mut rng);
            for _ in 0..5 {
                loads += (lanes * beats) as usize + 1;
                run.bench.run_until_received(run.loaded, loads, 100_000).unwrap();
                let before = run.bench.sent_at(run.s).len();
                let rows = rng.usize(1..6);
                expected.extend(run.send_rows(&mut rng, &books, rows));
                // no book is loaded before the switch was taken
                while run.bench.sent_at(run.s).len() == before {
                    run.bench.step().unwrap();
                }
                books = run.send_books(&mut rng);
            }
            run.bench.run_until_received(run.m, expected.len(), 100_000).unwrap();
            let fields = |beat: &Beat| (0..expected[0].len()).map(|i| beat.field(i)).collect();
            let found: Vec<Vec<u64>> = run.bench.beats(run.m).iter().map(fields).collect();
            assert_eq!(found, expected, "{p:?}, seed {seed}");
        }
    }
}
