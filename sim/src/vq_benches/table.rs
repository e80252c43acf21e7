//! The units that work by table with everything around them: books, rows and queries, good ones and damaged ones, and a check of all that comes out.

mod encoder;
mod jobs;
mod of_hardware;
mod products;
mod scores;
mod values;

pub use encoder::{EncoderBench, random_encoding};
pub use jobs::*;
pub use products::ProductsBench;
pub use scores::ScoresBench;
pub use values::ValuesBench;

use crate::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts};
use crate::golden::vq::cache::LoadWord;
use crate::golden::vq::tables::{Score, TableCommand, TableFault, TableUnit, Tables};
use crate::vq_benches::command_feed::{self, Until};
use hdl::BigUint;
use hdl::engine::Engine;
use std::borrow::Borrow;

/// When things happened.
#[derive(Clone, Debug)]
pub struct TableTimes {
    /// The cycle in which each word was taken.
    pub words: Vec<u64>,
    /// The cycle in which each command was taken.
    pub commands: Vec<u64>,
    /// The cycle in which each score was there.
    pub scores: Vec<u64>,
    /// The cycle in which each report was there.
    pub reports: Vec<u64>,
}

impl TableTimes {
    /// From the first command to the last report.
    pub fn cycles(&self) -> u64 {
        self.end() - self.commands.first().unwrap_or(&0)
    }

    /// The cycle of the last report.
    pub fn end(&self) -> u64 {
        self.reports.last().copied().unwrap_or(0)
    }
}

/// What came out of a unit, and when.
#[derive(Clone, Debug)]
pub struct TablePlayed {
    /// When.
    pub times: TableTimes,
    /// Scores, values, or words of indices.
    pub out: Vec<Beat>,
    /// How each command ended: outcome, in rows, position.
    pub reports: Vec<Beat>,
}

impl TablePlayed {
    fn of(bench: &Bench, [commands, words]: [Source; 2], [out, reports]: [Sink; 2]) -> TablePlayed {
        let times = TableTimes {
            words: bench.sent_at(words).to_vec(),
            commands: bench.sent_at(commands).to_vec(),
            scores: bench.received_at(out).to_vec(),
            reports: bench.received_at(reports).to_vec(),
        };
        TablePlayed { times, out: bench.beats(out).to_vec(), reports: bench.beats(reports).to_vec() }
    }
}

/// What stands in a report.
const REPORT: &str = "outcome, in rows, position";

fn compare_reports(got: &[Beat], ends: impl ExactSizeIterator<Item = [u64; 3]>) -> Result<(), String> {
    command_feed::compare_reports(got, ends, REPORT)
}

fn query_beats(query: &[u16]) -> Vec<Beat> {
    let words = query.len() / 4;
    let word = |(i, numbers): (usize, &[u16])| {
        let data = numbers.iter().rev().fold(0, |word, x| word << 16 | u64::from(*x));
        Beat::from([data, u64::from(i + 1 == words)])
    };
    query.chunks(4).enumerate().map(word).collect()
}

fn word_beats(words: &[LoadWord]) -> Vec<Beat> {
    let last = |i: usize| u64::from(i + 1 == words.len());
    words.iter().enumerate().map(|(i, word)| Beat::from([word.data, last(i), u64::from(word.failed)])).collect()
}

fn report_of(end: Result<(), TableFault>) -> [u64; 3] {
    match end {
        Ok(()) => [0; 3],
        Err(fault) => [fault.cause as u64, u64::from(fault.in_rows), u64::from(fault.position)],
    }
}

#[cfg(test)]
mod tests;
