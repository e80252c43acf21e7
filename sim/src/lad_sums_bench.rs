//! LAD's sums with everything around them: starts, coefficients and values, and a check of outputs and reports.

mod jobs;

pub use jobs::{Kind, recorded_jobs};

use crate::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts};
use crate::golden::lad::number::{Half, SUM_BITS, SUM_FRACTION, WEIGHT_FRACTION, is_finite, quotient, shifted};
use hdl::BigUint;
use hdl::engine::Engine;

/// Bits of a coefficient.
const COEFFICIENT_BITS: u32 = 36;

/// Sums: their parameters and their streams.
#[derive(Clone, Debug)]
pub struct SumsBench {
    /// Elements of a value.
    pub head: usize,
    /// Elements of a beat.
    pub lanes: usize,
    /// The most positions of a job.
    pub max_positions: usize,
    /// `command`, `start`, `s` and `value`.
    pub sources: [StreamPorts; 4],
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SumJob {
    /// Numerator and denominator that it begins with; none: zeros.
    pub start: Option<(Vec<i64>, i64)>,
    /// Coefficients with their values; none: nothing is added.
    pub positions: Vec<(i64, Option<Vec<u16>>)>,
}

/// Why there is no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumCause {
    /// There is one.
    Done,
    /// There were too many positions.
    Positions,
    /// An element is infinite or NaN.
    NotFinite,
    /// A sum does not fit.
    Sum,
    /// The denominator is not positive.
    Denominator,
}

/// What comes of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumOutcome {
    /// How it ends.
    pub cause: SumCause,
    /// The first position, and its first element, that is infinite or NaN.
    pub fault: Option<(usize, usize)>,
    /// The output, if there is one.
    pub output: Vec<u16>,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct SumTimes {
    /// The cycle in which each command was taken.
    pub commands: Vec<u64>,
    /// The cycle in which each beat of a value was taken.
    pub values: Vec<u64>,
    /// The cycle in which each beat of an output came.
    pub outputs: Vec<u64>,
    /// The cycle in which each report came.
    pub reports: Vec<u64>,
    /// What each report says.
    pub causes: Vec<SumCause>,
}

impl SumJob {
    /// Numerator and denominator, exact.
    pub fn sums(&self, head: usize) -> (Vec<i128>, i128) {
        let (numerator, denominator) = self.start.clone().unwrap_or((vec![0; head], 0));
        let mut numerator: Vec<i128> = numerator.into_iter().map(i128::from).collect();
        let mut denominator = i128::from(denominator);
        let places = SUM_FRACTION as i32 - WEIGHT_FRACTION as i32;
        for (coefficient, value) in &self.positions {
            let Some(value) = value else { continue };
            for (sum, bits) in numerator.iter_mut().zip(value) {
                let v = Half::new(*bits);
                *sum += shifted(i128::from(*coefficient) * i128::from(v.significand), v.exponent + places);
            }
            denominator += i128::from(*coefficient) << places;
        }
        (numerator, denominator)
    }

    /// What comes of it.
    pub fn outcome(&self, head: usize, max_positions: usize) -> SumOutcome {
        let values: Vec<&Vec<u16>> = self.positions.iter().filter_map(|(_, value)| value.as_ref()).collect();
        let bad = |value: &&Vec<u16>| value.iter().position(|bits| !is_finite(*bits));
        let fault = values.iter().enumerate().find_map(|(position, value)| Some((position, bad(value)?)));
        let without = |cause| SumOutcome { cause, fault, output: vec![] };
        if values.len() > max_positions {
            return without(SumCause::Positions);
        }
        if fault.is_some() {
            return without(SumCause::NotFinite);
        }
        let (numerator, denominator) = self.sums(head);
        let limit = 1i128 << (SUM_BITS - 1);
        if numerator.iter().chain([&denominator]).any(|sum| !(-limit..limit).contains(sum)) {
            return without(SumCause::Sum);
        }
        if denominator <= 0 {
            return without(SumCause::Denominator);
        }
        let output = numerator.into_iter().map(|sum| quotient(sum as i64, denominator as i64)).collect();
        SumOutcome { cause: SumCause::Done, fault, output }
    }
}

/// A number in two's complement.
fn cut(x: i64, bits: u32) -> u64 {
    x as u64 & ((1 << bits) - 1)
}

fn packed(elements: impl DoubleEndedIterator<Item = u64>, bits: u32) -> BigUint {
    elements.rev().fold(BigUint::default(), |word, element| word << bits | BigUint::from(element))
}

/// A run under way.
struct Run<'e> {
    bench: Bench<'e>,
    sources: [Source; 4],
    sinks: [Sink; 2],
}

impl SumsBench {
    /// Beats of a vector.
    pub fn beats(&self) -> usize {
        self.head / self.lanes
    }

    /// Sends jobs after a reset, for so many cycles at most.
    fn start<'e>(
        &self,
        engine: &'e mut dyn Engine,
        jobs: &[SumJob],
        (stalls, seed): ([Stalls; 6], u64),
        cycles: u64,
    ) -> Result<Run<'e>, String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2, 3].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let sinks = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[4 + i]));
        bench.reset().map_err(|e| e.to_string())?;
        for job in jobs {
            bench.send(sources[0], [[u64::from(job.start.is_some())]]);
            bench.send(sources[1], self.start_beats(job));
            bench.send(sources[2], coefficients(job));
            let values = job.positions.iter().filter_map(|(_, value)| value.as_ref());
            let beats = values.flat_map(|value| value.chunks(self.lanes));
            bench.send(sources[3], beats.map(|beat| packed(beat.iter().map(|x| u64::from(*x)), 16)));
        }
        let end = bench.cycle() + cycles;
        while bench.beats(sinks[1]).len() < jobs.len() && bench.cycle() < end {
            bench.step().map_err(|e| e.to_string())?;
        }
        Ok(Run { bench, sources, sinks })
    }

    /// Beats of a start; the denominator stands beside the last one, and beside the others anything.
    fn start_beats(&self, job: &SumJob) -> Vec<Beat> {
        let Some((numerator, denominator)) = &job.start else { return vec![] };
        let beat = |(i, beat): (usize, &[i64])| {
            let denominator = if i + 1 == self.beats() { *denominator } else { !denominator ^ i as i64 };
            let numerator = packed(beat.iter().map(|x| cut(*x, SUM_BITS)), SUM_BITS);
            Beat(vec![numerator, cut(denominator, SUM_BITS).into()])
        };
        numerator.chunks(self.lanes).enumerate().map(beat).collect()
    }

    /// Runs jobs after a reset, and compares all that comes with the model. Stalls in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        jobs: &[SumJob],
        stalls: [Stalls; 6],
        seed: u64,
    ) -> Result<SumTimes, String> {
        let positions: usize = jobs.iter().map(|job| 4 + job.positions.len()).sum();
        let limit = 1000 + 40 * (positions * self.beats() + jobs.len() * (self.head + 60)) as u64;
        let Run { mut bench, sources, sinks: [m, report] } = self.start(engine, jobs, (stalls, seed), limit)?;
        bench.run(40).map_err(|e| e.to_string())?;
        let (mut outputs, mut causes) = (0, vec![]);
        for (i, job) in jobs.iter().enumerate() {
            let expected = job.outcome(self.head, self.max_positions);
            let at = |what: String| format!("job {i}: {what}");
            let count = if expected.cause == SumCause::Done { self.beats() } else { 0 };
            let beats = outputs..outputs + count;
            outputs += count;
            let Some(told) = bench.beats(report).get(i) else {
                return Err(at(format!("no report came; {expected:?}")));
            };
            let fields = [0, 1, 2].map(|field| told.field(field));
            let of_fault = expected.fault.filter(|_| expected.cause == SumCause::NotFinite);
            let wanted = of_fault.map_or([expected.cause as u64, fields[1], fields[2]], |(position, element)| {
                [expected.cause as u64, position as u64, element as u64]
            });
            if fields != wanted {
                return Err(at(format!("the report says {fields:?}, not {wanted:?}")));
            }
            let came = bench.beats(m).get(beats.clone()).unwrap_or_default();
            self.check_output(came, &expected.output).map_err(at)?;
            let told_at = bench.received_at(report)[i];
            if bench.received_at(m)[beats].last().is_some_and(|last| *last > told_at) {
                return Err(at(format!("its report came in cycle {told_at}, before its output")));
            }
            if bench.received_at(m).get(outputs).is_some_and(|next| *next <= told_at) {
                return Err(at(format!("its report came in cycle {told_at}, behind the next output")));
            }
            causes.push(expected.cause);
        }
        let (came, told) = (bench.beats(m).len(), bench.beats(report).len());
        if (came, told) != (outputs, jobs.len()) {
            return Err(format!("{came} beats and {told} reports came, not {outputs} and {}", jobs.len()));
        }
        let unsent = sources.map(|source| bench.unsent(source));
        if unsent != [0; 4] {
            return Err(format!("beats of the sources that were not taken: {unsent:?}"));
        }
        Ok(SumTimes {
            commands: bench.sent_at(sources[0]).to_vec(),
            values: bench.sent_at(sources[3]).to_vec(),
            outputs: bench.received_at(m).to_vec(),
            reports: bench.received_at(report).to_vec(),
            causes,
        })
    }

    fn check_output(&self, came: &[Beat], expected: &[u16]) -> Result<(), String> {
        let beats = expected.chunks(self.lanes).enumerate().map(|(i, beat)| {
            let last = i + 1 == self.beats();
            Beat(vec![packed(beat.iter().map(|x| u64::from(*x)), 16), u64::from(last).into()])
        });
        for (i, beat) in beats.enumerate() {
            match came.get(i) {
                Some(found) if *found == beat => {}
                found => return Err(format!("beat {i} of the output: {found:x?} came, not {beat:x?}")),
            }
        }
        Ok(())
    }

    /// Runs jobs for so many cycles, and leaves all as it is then.
    ///
    /// # Errors
    /// A stream that breaks its rules.
    pub fn run_for(
        &self,
        engine: &mut dyn Engine,
        jobs: &[SumJob],
        stalls: [Stalls; 6],
        (seed, cycles): (u64, u64),
    ) -> Result<(), String> {
        self.start(engine, jobs, (stalls, seed), cycles).map(|_| ())
    }
}

/// The beats of `s`: coefficient, keep, last. An end without a position comes where there is none at the end.
fn coefficients(job: &SumJob) -> Vec<[u64; 3]> {
    let count = job.positions.len();
    let beat = |(i, (coefficient, value)): (usize, &(i64, Option<Vec<u16>>))| {
        [cut(*coefficient, COEFFICIENT_BITS), value.is_some().into(), (i + 1 == count).into()]
    };
    job.positions.iter().enumerate().map(beat).collect()
}
