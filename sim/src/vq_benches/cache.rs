//! A codebook cache with everything around it: books that are loaded, good ones and damaged ones, indices, and a check of all that comes out.

mod of_hardware;

use crate::bus::{Beat, Bench, Stalls, StreamPorts};
use crate::golden::vq::cache::{CodebookCache, LoadFault, LoadWord, book_words};
use crate::vq_benches::command_feed;
use fastrand::Rng;
use hdl::BigUint;
use hdl::engine::Engine;

/// A cache: its parameters and its streams.
#[derive(Clone, Debug)]
pub struct CacheBench {
    /// The most entries of a book.
    pub entries: usize,
    /// Indices of a beat.
    pub lanes: usize,
    /// Numbers of an entry.
    pub vector: usize,
    /// Places for books: with two, one is loaded while the other is read.
    pub places: usize,
    /// `load`, `words` and `s`.
    pub sources: [StreamPorts; 3],
    /// `loaded`, `m` and `fault`.
    pub sinks: [StreamPorts; 3],
}

/// Loads, of which the last one counts, a switch, and what is looked up then.
#[derive(Clone, Debug, Default)]
pub struct Episode {
    /// The numbers that are asked for, and what comes. All but the last one are damaged.
    pub loads: Vec<(u32, Vec<LoadWord>)>,
    /// Indices of each beat, one lane or more. The first beat switches.
    pub beats: Vec<Vec<u16>>,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct Times {
    /// The cycle in which each beat was taken.
    pub taken: Vec<u64>,
    /// The cycle in which each beat was answered.
    pub answered: Vec<u64>,
    /// The cycle in which each load was announced.
    pub announced: Vec<u64>,
    /// The cycle in which each load was reported.
    pub reported: Vec<u64>,
}

/// What must come out.
#[derive(Default)]
pub(crate) struct Expected {
    /// Number, outcome and position of each load.
    pub(crate) reports: Vec<[u64; 3]>,
    pub(crate) answers: Vec<Beat>,
    /// Cause, beat and lane.
    pub(crate) faults: Vec<[u64; 3]>,
}

/// Why a run ends before all is there.
enum End {
    /// As was asked for.
    Stopped,
    /// Something came out wrong, or did not come.
    Wrong(String),
}

impl From<String> for End {
    fn from(what: String) -> End {
        End::Wrong(what)
    }
}

impl Expected {
    /// How a load must end.
    pub(crate) fn report(&mut self, id: u32, ended: Result<(), LoadFault>) {
        let (cause, position) = match ended {
            Ok(()) => (0, 0),
            Err(LoadFault { cause, position }) => (cause as u64, u64::from(position)),
        };
        self.reports.push([u64::from(id), cause, position]);
    }
}

impl CacheBench {
    /// Runs episodes, one after the other, after a reset: the loads of each while the beats of the one before are looked up. All six streams
    /// stall, in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        episodes: &[Episode],
        stalls: [Stalls; 6],
        seed: u64,
    ) -> Result<Times, String> {
        self.play(engine, episodes, stalls, seed, u64::MAX).map_err(|end| match end {
            End::Stopped => "it was stopped".into(),
            End::Wrong(what) => what,
        })
    }

    /// The same for so many cycles, whatever is under way then and without a check: the reset of the next run comes in the middle of it.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn stop(
        &self,
        engine: &mut dyn Engine,
        episodes: &[Episode],
        stalls: [Stalls; 6],
        seed: u64,
        cycles: u64,
    ) -> Result<(), String> {
        match self.play(engine, episodes, stalls, seed, cycles) {
            Err(End::Wrong(what)) => Err(what),
            _ => Ok(()),
        }
    }

    fn play(
        &self,
        engine: &mut dyn Engine,
        episodes: &[Episode],
        stalls: [Stalls; 6],
        seed: u64,
        stop: u64,
    ) -> Result<Times, End> {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(engine, seed);
        let [load, words, s] = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let [loaded, m, fault] = [0, 1, 2].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[3 + i]));
        command_feed::reset(&mut bench, &self.sources, &self.sinks, seed)?;
        let work: usize =
            episodes.iter().map(|e| e.beats.len() + e.loads.iter().map(|l| l.1.len()).sum::<usize>()).sum();
        let limit = bench.cycle() + 1000 + 100 * (work + 20 * episodes.len()) as u64;
        let step = |bench: &mut Bench| step(bench, limit, stop);
        let (mut loads, mut beats) = (0, 0);
        for episode in episodes {
            // nothing is announced before the last switch was taken, which would wait for it
            let first_of_last = beats;
            while self.places == 1 && bench.unsent(s) > 0 {
                step(&mut bench)?;
            }
            for (id, book) in &episode.loads {
                bench.send(load, [u64::from(*id)]);
                bench.send(words, packet(book));
            }
            loads += episode.loads.len();
            while bench.sent_at(load).len() < loads {
                step(&mut bench)?;
            }
            step(&mut bench)?;
            let sent: Vec<Beat> =
                episode.beats.iter().enumerate().map(|(i, beat)| self.beat(beat, i == 0, &mut rng)).collect();
            beats += sent.len();
            bench.send(s, sent);
            while bench.sent_at(s).len() <= first_of_last {
                step(&mut bench)?;
            }
        }
        let expected = self.expected(episodes);
        while bench.unsent(words) > 0
            || bench.beats(m).len() < expected.answers.len()
            || bench.beats(loaded).len() < expected.reports.len()
        {
            step(&mut bench)?;
        }
        (0..60).try_for_each(|_| step(&mut bench))?;
        self.compare(&expected, bench.beats(loaded), bench.beats(m), bench.beats(fault), stalls[5] == Stalls::Never)?;
        let [taken, announced] = [s, load].map(|source| bench.sent_at(source).to_vec());
        let [answered, reported] = [m, loaded].map(|sink| bench.received_at(sink).to_vec());
        Ok(Times { taken, answered, announced, reported })
    }

    /// A beat as it is sent: the lanes without an index have anything.
    pub(crate) fn beat(&self, indices: &[u16], switch: bool, rng: &mut Rng) -> Beat {
        let widths: Vec<u32> = self.sources[2].payload.iter().map(|field| field.width).collect();
        let mut fields: Vec<u64> = indices.iter().map(|index| u64::from(*index)).collect();
        fields.resize_with(self.lanes, || u64::from(rng.u16(..)) & ((1 << widths[0]) - 1));
        fields.extend([indices.len() as u64 - 1, row_end(indices), last(indices), u64::from(switch)]);
        Beat(fields.into_iter().map(BigUint::from).collect())
    }

    /// What the model says.
    fn expected(&self, episodes: &[Episode]) -> Expected {
        let mut cache = CodebookCache::new(self.entries, self.vector).with_places(self.places);
        let mut expected = Expected::default();
        for episode in episodes {
            for (id, book) in &episode.loads {
                expected.report(*id, cache.load(*id, book));
            }
            cache.switch();
            for beat in &episode.beats {
                let answer = cache.access(beat);
                if let Some((cause, lane)) = answer.fault {
                    expected.faults.push([cause as u64, expected.answers.len() as u64, lane as u64]);
                }
                expected.answers.push(self.answer(beat, &answer.entries, &answer.wrong));
            }
        }
        expected
    }

    /// A beat of entries, as it must come out.
    pub(crate) fn answer(&self, beat: &[u16], entries: &[Vec<u16>], wrong: &[bool]) -> Beat {
        let number = |entry: &Vec<u16>| entry.iter().rev().fold(BigUint::ZERO, |x, n| x << 16 | BigUint::from(*n));
        let mut fields: Vec<BigUint> = entries.iter().map(number).collect();
        fields.resize(self.lanes, BigUint::ZERO);
        let wrong = wrong.iter().rev().fold(0u64, |bits, wrong| bits << 1 | u64::from(*wrong));
        fields.extend([wrong, beat.len() as u64 - 1, row_end(beat), last(beat)].map(BigUint::from));
        Beat(fields)
    }

    pub(crate) fn compare(
        &self,
        expected: &Expected,
        reports: &[Beat],
        answers: &[Beat],
        faults: &[Beat],
        all_faults: bool,
    ) -> Result<(), String> {
        let fields = |beat: &Beat| [0, 1, 2].map(|i| beat.field(i));
        for (i, (got, expected)) in reports.iter().zip(&expected.reports).enumerate() {
            // of a book that is well, the position means nothing
            let got = fields(got);
            if got[..2] != expected[..2] || (expected[1] != 0 && got != *expected) {
                return Err(format!("load {i}: {got:?} (id, outcome, position), not {expected:?}"));
            }
        }
        if let Some(i) = (0..answers.len()).find(|i| expected.answers.get(*i) != Some(&answers[*i])) {
            return Err(format!("beat {i}: {:x?}, not {:x?}", answers[i], expected.answers.get(i)));
        }
        if (reports.len(), answers.len()) != (expected.reports.len(), expected.answers.len()) {
            let what = format!("{} reports and {} answers", reports.len(), answers.len());
            return Err(format!("{what}, not {} and {}", expected.reports.len(), expected.answers.len()));
        }
        // those that come while one waits are not told
        let mut left = expected.faults.iter();
        let told = |fault: &Beat| left.any(|expected| fields(fault) == *expected);
        let first = faults.first().map(fields);
        if !faults.iter().all(told) || first != expected.faults.first().copied() {
            return Err(format!("faults (cause, beat, lane) {faults:?}, of {:?}", expected.faults));
        }
        match all_faults && faults.len() != expected.faults.len() {
            true => Err(format!("{} faults, not {}", faults.len(), expected.faults.len())),
            false => Ok(()),
        }
    }

    /// Random episodes: books of any length, damaged in every way, missing books, wrong indices.
    pub fn random_episodes(&self, rng: &mut Rng, number: usize) -> Vec<Episode> {
        (0..number).map(|_| self.episode(rng)).collect()
    }

    fn episode(&self, rng: &mut Rng) -> Episode {
        let count = if rng.u8(0..4) == 0 { self.entries } else { rng.usize(1..=self.entries) };
        let (damaged, good) =
            [(0, true), (0, true), (0, true), (1, true), (2, true), (1, false), (0, false)][rng.usize(0..7)];
        let mut loads: Vec<_> = (0..damaged).map(|_| self.damaged(rng)).collect();
        if good {
            let id = rng.u32(0..1 << 20);
            loads.push((id, book_words(id, &self.values(rng, count), self.vector)));
        }
        let most = self.sources[2].payload[0].width;
        let wrongs = [0, 0, 20][rng.usize(0..3)];
        let mut index =
            || if rng.u8(0..100) < wrongs { rng.u16(..) & ((1 << most) - 1) } else { rng.u16(0..count as u16) };
        let lanes: Vec<Vec<u16>> = (0..60).map(|_| (0..self.lanes).map(|_| index()).collect()).collect();
        let beats = lanes.into_iter().take(rng.usize(1..=60));
        let beats = beats.map(|mut beat| {
            beat.truncate(if rng.bool() { self.lanes } else { rng.usize(1..=self.lanes) });
            beat
        });
        Episode { loads, beats: beats.collect() }
    }

    /// Finite numbers.
    pub(crate) fn values(&self, rng: &mut Rng, count: usize) -> Vec<u16> {
        let number = |rng: &mut Rng| rng.u16(..) & 0x83ff | rng.u16(0..31) << 10;
        (0..count * self.vector).map(|_| number(rng)).collect()
    }

    /// A book that must not be taken, whatever is wrong with it.
    fn damaged(&self, rng: &mut Rng) -> (u32, Vec<LoadWord>) {
        loop {
            let (id, count) = (rng.u32(0..1 << 20), rng.usize(1..=self.entries));
            let mut values = self.values(rng, count);
            let way = rng.u8(0..9);
            if way == 0 {
                let at = rng.usize(0..values.len());
                values[at] |= 0x7c00;
            }
            if way == 1 {
                let too_many = self.entries + rng.usize(1..10);
                values = self.values(rng, too_many);
            }
            let mut words = book_words(id, &values, self.vector);
            let (at, bit) = (rng.usize(0..words.len()), rng.u32(0..64));
            match way {
                2 => words[at].failed = true,
                3 => words.truncate(at.max(1)),
                4 => words.extend((0..rng.usize(1..5)).map(|_| LoadWord { data: rng.u64(..), failed: rng.bool() })),
                5 => words[at].data ^= 1 << bit,
                6 => words[0].data ^= 1 << bit,
                7 => words.last_mut().expect("a book has words").data ^= 1 << 63,
                _ => {}
            }
            let asked = if way == 8 { id ^ 1 << rng.u32(0..20) } else { id };
            if CodebookCache::new(self.entries, self.vector).load(asked, &words).is_err() {
                return (asked, words);
            }
        }
    }
}

fn step(bench: &mut Bench, limit: u64, stop: u64) -> Result<(), End> {
    if bench.cycle() >= stop {
        return Err(End::Stopped);
    }
    if bench.cycle() > limit {
        return Err(End::Wrong("it hangs".into()));
    }
    bench.step().map_err(|e| End::Wrong(e.to_string()))
}

/// The words of a load as they are sent.
pub(crate) fn packet(book: &[LoadWord]) -> Vec<Beat> {
    let last = |i: usize| u64::from(i + 1 == book.len());
    book.iter().enumerate().map(|(i, word)| Beat::from([word.data, last(i), u64::from(word.failed)])).collect()
}

/// Flags that travel with a beat: here they follow from its indices.
fn row_end(indices: &[u16]) -> u64 {
    u64::from(indices.iter().fold(0, |x, i| x ^ i) & 1)
}

fn last(indices: &[u16]) -> u64 {
    u64::from(indices[0] >> 1 & 1)
}
