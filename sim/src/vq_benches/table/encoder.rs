//! A unit that encodes vectors.

use super::jobs::{damage, finite};
use super::*;
use crate::golden::vq::cache::book_words;
use crate::golden::vq::tables::LANES;
use fastrand::Rng;

/// A command with a vector and books of random numbers: of any size, or small ones, or large ones, or few different ones so that many entries are equally
/// near. `damaged`: something may be wrong.
pub fn random_encoding(unit: &TableUnit, rng: &mut Rng, full: bool, damaged: bool) -> TableCommand {
    let kind = rng.u8(0..6);
    let number = |rng: &mut Rng| match kind {
        0 | 1 => finite(rng),
        2 => rng.u16(..) & 0x83ff | rng.u16(0..12) << 10,
        3 => rng.u16(..) & 0x83ff | rng.u16(20..31) << 10,
        4 => [0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0xc000][rng.usize(0..6)],
        // entries close to each other: their differences cancel
        _ => 0x4400 | rng.u16(0..0x60),
    };
    let first = rng.u32(0..1 << 20);
    let mut words = vec![];
    for position in 0..unit.positions {
        let count = if full { unit.entries } else { rng.usize(1..=unit.entries) };
        let values: Vec<u16> = (0..count * unit.vector).map(|_| number(rng)).collect();
        words.extend(book_words((first + position as u32) & 0xf_ffff, &values, unit.vector));
    }
    // now and then anything, infinities and NaN too
    let wild = rng.u8(0..6) == 0;
    let query = (0..unit.query_numbers()).map(|_| if wild && rng.bool() { rng.u16(..) | 0x7800 } else { number(rng) });
    let mut command = TableCommand { first, tokens: 0, query: query.collect(), words };
    if damaged {
        damage(unit, rng, &mut command, false);
    }
    command
}

/// A unit that encodes vectors.
#[derive(Clone, Debug)]
pub struct EncoderBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// `command`, `query` and `words`.
    pub sources: [StreamPorts; 3],
    /// `m` and `done`.
    pub sinks: [StreamPorts; 2],
}

impl EncoderBench {
    /// Runs commands one after the other; all streams stall. The times of `scores` are those of the words of indices.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        commands: &[TableCommand],
        stalls: [Stalls; 5],
        seed: u64,
    ) -> Result<TableTimes, String> {
        let played = self.play(engine, commands, stalls, seed, Until::Reports(&mut || ()))?;
        self.check(commands, &played)?;
        Ok(played.times)
    }

    /// The same without a check.
    ///
    /// # Errors
    /// What did not come.
    pub fn play<C: Borrow<TableCommand>>(
        &self,
        engine: &mut dyn Engine,
        commands: impl IntoIterator<Item = C>,
        stalls: [Stalls; 5],
        seed: u64,
        until: Until,
    ) -> Result<TablePlayed, String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let [m, done] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[3 + i]));
        command_feed::reset(&mut bench, &self.sources, &self.sinks, seed)?;
        let send = |bench: &mut Bench, command: C| {
            let command: &TableCommand = command.borrow();
            bench.send(sources[0], [[u64::from(command.first)]]);
            bench.send(sources[1], query_beats(&command.query));
            bench.send(sources[2], word_beats(&command.words));
            command.words.len() + self.unit.positions * (40 + self.unit.entries * self.unit.vector)
        };
        command_feed::play(&mut bench, done, commands, send, until)?;
        Ok(TablePlayed::of(&bench, [sources[0], sources[2]], [m, done]))
    }

    fn check(&self, commands: &[TableCommand], played: &TablePlayed) -> Result<(), String> {
        let (mut expected, mut ends) = (vec![], vec![]);
        for command in commands {
            let indices = self.unit.encode(command);
            expected.extend(row_beats(indices.as_deref().unwrap_or(&[])));
            ends.push((expected.len(), report_of(indices.map(|_| ()))));
        }
        compare_rows(&played.out, &expected)?;
        compare_reports(&played.reports, ends.iter().map(|(_, end)| *end))?;
        let TableTimes { scores, reports, .. } = &played.times;
        for (i, ((end, _), at)) in ends.iter().zip(reports).enumerate() {
            if scores[..*end].last().is_some_and(|last| last >= at) || scores.get(*end).is_some_and(|next| next <= at) {
                return Err(format!("report {i} does not stand between its row and the next one"));
            }
        }
        Ok(())
    }
}

/// A row as words of eight indices, with `last` at its last one.
fn row_beats(indices: &[u16]) -> Vec<Beat> {
    let words = indices.len() / LANES;
    let word = |(i, indices): (usize, &[u16])| {
        let data = indices.iter().rev().fold(0, |word, index| word << 8 | u64::from(*index));
        Beat::from([data, u64::from(i + 1 == words)])
    };
    indices.chunks(LANES).enumerate().map(word).collect()
}

fn compare_rows(got: &[Beat], expected: &[Beat]) -> Result<(), String> {
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        Some(i) => Err(format!("word {i} of indices: {:x?}, not {:x?}", got[i], expected[i])),
        None if got.len() != expected.len() => Err(format!("{} words of indices, not {}", got.len(), expected.len())),
        None => Ok(()),
    }
}
