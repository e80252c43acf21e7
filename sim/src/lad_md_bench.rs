//! LAD's MD with everything that answers it: scores that are there, scores of keys, rows of counters; and a check of all that it gives.

mod passes;

pub use passes::{Kind, random_row, recorded_passes};

use crate::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts};
use crate::golden::lad::discrepancy::{Candidates, Cause, Outcome, discrepancy};
use crate::golden::lad::{Coefficient, Counters, Table};
use hdl::BigUint;
use hdl::engine::Engine;

/// MD: its parameters and its streams.
#[derive(Clone, Debug)]
pub struct MdBench {
    /// Intervals.
    pub intervals: usize,
    /// The most positions.
    pub max_positions: usize,
    /// The most changes of a pass.
    pub max_changes: usize,
    /// `bound`, `command`, `s`, `known`, `score` and `row`.
    pub sources: [StreamPorts; 6],
    /// `look_up`, `fetch`, `found`, `row_read`, `row_write`, `m` and `report`.
    pub sinks: [StreamPorts; 7],
}

/// A pass, and the bounds that are written before it.
#[derive(Clone, Debug, Default)]
pub struct MdPass {
    /// Lower bounds from interval 1 on; none: they stay as they are, and the pass does not wait for the one before.
    pub bounds: Vec<i32>,
    /// Its list, and what it is looked at with.
    pub candidates: Candidates,
    /// The end of the list comes by itself.
    pub end_alone: bool,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct MdTimes {
    /// The cycle in which each command was taken.
    pub commands: Vec<u64>,
    /// The cycle in which each position came out.
    pub positions: Vec<u64>,
    /// The cycle in which each report came.
    pub reports: Vec<u64>,
    /// What each report says: cause, maximum, saturated, active, asked, outside, changed, postponed.
    pub told: Vec<[u64; 8]>,
}

/// All that comes out, stream by stream, in numbers: scores that were found, rows with their positions, positions, reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Given {
    look_up: Vec<u64>,
    fetch: Vec<u64>,
    found: Vec<[u64; 2]>,
    row_read: Vec<u64>,
    row_write: Vec<(u64, BigUint, [u64; 2])>,
    m: Vec<[u64; 7]>,
    report: Vec<[u64; 8]>,
    /// How many of `found`, `row_write` and `m` are there before each report.
    before: Vec<[usize; 3]>,
}

/// What answers what MD asks for, in order.
#[derive(Clone, Debug, Default)]
struct Answers {
    known: Vec<[u64; 1]>,
    score: Vec<[u64; 3]>,
    row: Vec<BigUint>,
}

/// A table of bounds alone.
fn table_of(bounds: &[i32]) -> Table {
    let zeros = vec![Coefficient::default(); bounds.len() + 1];
    Table { bounds: bounds.to_vec(), a: zeros.clone(), b: zeros }
}

/// A number in two's complement.
fn cut(x: i32, bits: u32) -> u64 {
    u64::from(x as u32) & ((1 << bits) - 1)
}

fn packed(row: &Counters, intervals: usize) -> BigUint {
    let bytes: Vec<u8> = row[..intervals].iter().flat_map(|counter| counter.to_le_bytes()).collect();
    BigUint::from_bytes_le(&bytes)
}

impl Answers {
    fn add(&mut self, candidates: &Candidates, outcome: &Outcome, intervals: usize) {
        let of = |position: usize| candidates.list.iter().find(|x| x.position == position).expect("it is in the list");
        for (position, asked) in &outcome.asked {
            let candidate = of(*position);
            let score = cut(candidate.score, 28);
            match asked {
                true => self.score.push([score, candidate.saturated.into(), candidate.faulty.into()]),
                false => self.known.push([score]),
            }
        }
        self.row.extend(outcome.outside.iter().map(|position| packed(&of(*position).row, intervals)));
    }
}

impl Given {
    fn add(&mut self, outcome: &Outcome, intervals: usize) {
        for (position, asked) in &outcome.asked {
            if *asked { &mut self.fetch } else { &mut self.look_up }.push(*position as u64);
        }
        self.found.extend(outcome.found.iter().map(|(position, score)| [*position as u64, cut(*score, 28)]));
        self.row_read.extend(outcome.outside.iter().map(|position| *position as u64));
        for (i, listed) in outcome.listed.iter().enumerate() {
            let [position, mode, interval] = [listed.position as u64, listed.mode.into(), listed.interval.into()];
            let last = i + 1 == outcome.listed.len();
            self.m.push([position, mode, interval, cut(listed.x, 29), listed.changed.into(), 1, last.into()]);
            if let Some(row) = &listed.row {
                let mode = if listed.changed { interval } else { mode };
                self.row_write.push((position, packed(row, intervals), [mode, listed.changed.into()]));
            }
        }
        let counted = matches!(outcome.cause, Cause::Done | Cause::Inconsistent);
        if counted && outcome.listed.is_empty() {
            self.m.push([0, 0, 0, 0, 0, 0, 1]);
        }
        let count = |f: &dyn Fn(usize) -> bool| (0..outcome.listed.len()).filter(|i| f(*i)).count() as u64;
        self.report.push([
            outcome.cause as u64,
            if outcome.cause == Cause::NotFinite { 0 } else { cut(outcome.maximum, 28) },
            outcome.saturated.into(),
            outcome.asked.len() as u64,
            outcome.found.len() as u64,
            count(&|i| outcome.listed[i].row.is_some()),
            count(&|i| outcome.listed[i].changed),
            outcome.postponed as u64,
        ]);
        self.before.push([self.found.len(), self.row_write.len(), self.m.len()]);
    }

    /// What the sinks got. An end without a position says nothing else, nor does a score that is none.
    fn of(run: &Run) -> Given {
        let [look_up, fetch, found, row_read, row_write, m, report] = run.sinks.map(|sink| run.bench.beats(sink));
        let one = |beats: &[Beat]| beats.iter().map(|beat| beat.field(0)).collect();
        let report = report.iter().map(|beat| {
            let mut fields = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| beat.field(i));
            fields[1] = if fields[0] == Cause::NotFinite as u64 { 0 } else { fields[1] };
            fields
        });
        let m = m.iter().map(|beat| match [0, 1, 2, 3, 4, 5, 6].map(|i| beat.field(i)) {
            [.., 0, last] => [0, 0, 0, 0, 0, 0, last],
            fields => fields,
        });
        let row_write = row_write.iter().map(|beat| (beat.field(0), beat.0[1].clone(), [beat.field(2), beat.field(3)]));
        Given {
            look_up: one(look_up),
            fetch: one(fetch),
            found: found.iter().map(|beat| [beat.field(0), beat.field(1)]).collect(),
            row_read: one(row_read),
            row_write: row_write.collect(),
            m: m.collect(),
            report: report.collect(),
            before: vec![],
        }
    }

    fn compare(&self, expected: &Given) -> Result<(), String> {
        first_difference("look_up", &self.look_up, &expected.look_up)?;
        first_difference("fetch", &self.fetch, &expected.fetch)?;
        first_difference("found", &self.found, &expected.found)?;
        first_difference("row_read", &self.row_read, &expected.row_read)?;
        first_difference("m", &self.m, &expected.m)?;
        first_difference("row_write", &self.row_write, &expected.row_write)?;
        first_difference("report", &self.report, &expected.report)
    }
}

fn first_difference<T: PartialEq + std::fmt::Debug>(name: &str, got: &[T], expected: &[T]) -> Result<(), String> {
    let length = got.len().max(expected.len());
    match (0..length).find(|i| got.get(*i) != expected.get(*i)) {
        Some(i) => Err(format!("{name}, beat {i}: {:x?} came, not {:x?}", got.get(i), expected.get(i))),
        None => Ok(()),
    }
}

/// A run under way.
struct Run<'e> {
    bench: Bench<'e>,
    sources: [Source; 6],
    sinks: [Sink; 7],
    answers: Answers,
    /// How many of each were given.
    answered: [usize; 3],
}

impl Run<'_> {
    /// A cycle; what was asked for in it is there in the next one.
    fn step(&mut self) -> Result<(), String> {
        self.bench.step().map_err(|e| e.to_string())?;
        let [_, _, _, known, score, row] = self.sources;
        let [look_up, fetch, _, row_read, ..] = self.sinks;
        let asked = [look_up, fetch, row_read].map(|sink| self.bench.beats(sink).len());
        let answers = &self.answers;
        // of what was asked for too much, the comparison tells
        let there = [answers.known.len(), answers.score.len(), answers.row.len()];
        let [knows, scores, rows] = [0, 1, 2].map(|i| self.answered[i]..asked[i].min(there[i]));
        self.answered = [knows.end, scores.end, rows.end];
        self.bench.send(known, answers.known[knows].iter().copied());
        self.bench.send(score, answers.score[scores].iter().copied());
        self.bench.send(row, answers.row[rows].iter().map(|row| Beat(vec![row.clone()])));
        Ok(())
    }
}

impl MdBench {
    /// Sends passes after a reset, for so many cycles at most.
    fn start<'e>(
        &self,
        engine: &'e mut dyn Engine,
        passes: &[MdPass],
        (stalls, seed): ([Stalls; 13], u64),
        cycles: u64,
    ) -> Result<(Run<'e>, Given), String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2, 3, 4, 5].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let sinks = [0, 1, 2, 3, 4, 5, 6].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[6 + i]));
        bench.reset().map_err(|e| e.to_string())?;
        let mut run = Run { bench, sources, sinks, answers: Answers::default(), answered: [0; 3] };
        let (mut expected, mut table) = (Given::default(), table_of(&[]));
        let end = run.bench.cycle() + cycles;
        for (i, pass) in passes.iter().enumerate() {
            if !pass.bounds.is_empty() {
                table = table_of(&pass.bounds);
                self.settle(&mut run, i, end)?;
                let bounds = (1u64..).zip(&pass.bounds).map(|(interval, bound)| [interval, cut(*bound, 28)]);
                run.bench.send(sources[0], bounds.chain([[pass.bounds.len() as u64 + 1, 0]]));
                while run.bench.unsent(sources[0]) > 0 && run.bench.cycle() < end {
                    run.step()?;
                }
            }
            let outcome = discrepancy(&table, self.max_changes, &pass.candidates);
            run.answers.add(&pass.candidates, &outcome, self.intervals);
            expected.add(&outcome, self.intervals);
            let Candidates { positions, maximum, period, .. } = pass.candidates;
            run.bench.send(sources[1], [[positions as u64, cut(maximum, 28), period as u64]]);
            run.bench.send(sources[2], beats(pass));
        }
        self.settle(&mut run, passes.len(), end)?;
        Ok((run, expected))
    }

    /// Until so many reports came, or the end.
    fn settle(&self, run: &mut Run, reports: usize, end: u64) -> Result<(), String> {
        while run.bench.beats(run.sinks[6]).len() < reports && run.bench.cycle() < end {
            run.step()?;
        }
        Ok(())
    }

    /// Runs passes after a reset, and compares all that comes with the model. Stalls in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        passes: &[MdPass],
        stalls: [Stalls; 13],
        seed: u64,
    ) -> Result<MdTimes, String> {
        let positions: usize = passes.iter().map(|pass| 20 + pass.candidates.list.len()).sum();
        let (mut run, expected) = self.start(engine, passes, (stalls, seed), 1000 + 100 * positions as u64)?;
        (0..40).try_for_each(|_| run.step())?;
        let given = Given::of(&run);
        given.compare(&expected)?;
        self.is_behind_all(&run, &expected.before)?;
        let unsent: Vec<usize> = run.sources.iter().map(|source| run.bench.unsent(*source)).collect();
        if unsent.iter().any(|beats| *beats > 0) {
            return Err(format!("beats of the sources that were not taken: {unsent:?}"));
        }
        Ok(MdTimes {
            commands: run.bench.sent_at(run.sources[1]).to_vec(),
            positions: run.bench.received_at(run.sinks[5]).to_vec(),
            reports: run.bench.received_at(run.sinks[6]).to_vec(),
            told: given.report,
        })
    }

    /// Reports come behind all else of their passes.
    fn is_behind_all(&self, run: &Run, before: &[[usize; 3]]) -> Result<(), String> {
        let [_, _, found, _, row_write, m, report] = run.sinks.map(|sink| run.bench.received_at(sink));
        for (i, (counts, at)) in before.iter().zip(report).enumerate() {
            for (name, times, count) in
                [("found", found, counts[0]), ("row_write", row_write, counts[1]), ("m", m, counts[2])]
            {
                if times[..count].last().is_some_and(|last| last > at) {
                    return Err(format!("report {i} came in cycle {at}, before the last of `{name}`"));
                }
            }
        }
        Ok(())
    }

    /// Runs passes for so many cycles, and leaves all as it is then.
    ///
    /// # Errors
    /// A stream that breaks its rules.
    pub fn run_for(
        &self,
        engine: &mut dyn Engine,
        passes: &[MdPass],
        stalls: [Stalls; 13],
        (seed, cycles): (u64, u64),
    ) -> Result<(), String> {
        self.start(engine, passes, (stalls, seed), cycles).map(|_| ())
    }
}

/// The beats of a list: position, mode, whether its score is accurate, keep, last.
fn beats(pass: &MdPass) -> Vec<[u64; 5]> {
    let list = &pass.candidates.list;
    let alone = pass.end_alone || list.is_empty();
    let beat = |(i, x): (usize, &crate::golden::lad::discrepancy::Candidate)| {
        [x.position as u64, x.mode.into(), x.accurate.into(), 1, (!alone && i + 1 == list.len()).into()]
    };
    list.iter().enumerate().map(beat).chain(alone.then_some([3, 1, 0, 0, 1])).collect()
}
