//! A unit that makes weighted sums of values.

use super::*;

/// A unit that makes weighted sums of values.
#[derive(Clone, Debug)]
pub struct ValuesBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// Copies of the sums of weights.
    pub copies: usize,
    /// Tokens have scales.
    pub scaled: bool,
    /// `command`, `weight` and `words`.
    pub sources: [StreamPorts; 3],
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

impl ValuesBench {
    /// Runs commands one after the other. All streams stall, in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        jobs: &[Job],
        stalls: [Stalls; 5],
        seed: u64,
    ) -> Result<TableTimes, String> {
        let played = self.play(engine, jobs, stalls, seed, Until::Reports(&mut || ()))?;
        self.check(jobs, &played)?;
        Ok(played.times)
    }

    /// The same without a check.
    ///
    /// # Errors
    /// What did not come.
    pub fn play<C: Borrow<Job>>(
        &self,
        engine: &mut dyn Engine,
        jobs: impl IntoIterator<Item = C>,
        stalls: [Stalls; 5],
        seed: u64,
        until: Until,
    ) -> Result<TablePlayed, String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let [m, report] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[3 + i]));
        command_feed::reset(&mut bench, &self.sources, &self.sinks, seed)?;
        let send = |bench: &mut Bench, job: C| {
            let job: &Job = job.borrow();
            let TableCommand { first, tokens, query, words } = &job.command;
            bench.send(sources[0], [[u64::from(*first), *tokens as u64]]);
            bench.send(sources[2], word_beats(words));
            let weight = |token: usize| {
                let (scale, last) = (self.scaled.then(|| job.scales[token]), u16::from(token + 1 == query.len()));
                Beat(std::iter::once(query[token]).chain(scale).chain([last]).map(BigUint::from).collect())
            };
            bench.send(sources[1], (0..query.len()).map(weight));
            2 * words.len() + 40 * self.unit.entries * self.unit.positions
        };
        command_feed::play(&mut bench, report, jobs, send, until)?;
        Ok(TablePlayed::of(&bench, [sources[0], sources[2]], [m, report]))
    }

    /// The beats of each command: those before its report.
    pub fn by_command<'p>(&self, played: &'p TablePlayed) -> Vec<&'p [Beat]> {
        let mut from = 0;
        let mut of_command = |report: &u64| {
            let to = played.times.scores.partition_point(|cycle| cycle < report);
            &played.out[std::mem::replace(&mut from, to)..to]
        };
        played.times.reports.iter().map(&mut of_command).collect()
    }

    fn check(&self, jobs: &[Job], played: &TablePlayed) -> Result<(), String> {
        let result = |job: &Job| self.unit.values(&job.command, self.scaled.then_some(&job.scales[..]), self.copies);
        let results: Vec<_> = jobs.iter().map(result).collect();
        let end = |result: &Result<Vec<Vec<u16>>, TableFault>| report_of(result.as_ref().map(|_| ()).map_err(|f| *f));
        compare_reports(&played.reports, results.iter().map(end))?;
        for (i, (result, got)) in results.iter().zip(self.by_command(played)).enumerate() {
            // of a command that failed, the numbers are worth nothing
            let Ok(expected) = result else { continue };
            let beat = |(group, numbers): (usize, &Vec<u16>)| {
                let last = u32::from(group + 1 == expected.len());
                Beat(numbers.iter().map(|x| BigUint::from(*x)).chain([BigUint::from(last)]).collect())
            };
            let expected: Vec<Beat> = expected.iter().enumerate().map(beat).collect();
            if got != expected {
                let differs = got.iter().zip(&expected).position(|(got, expected)| got != expected);
                let what = differs.map(|at| format!("group {at}: {:x?}, not {:x?}", got[at], expected[at]));
                let what = what.unwrap_or(format!("{} groups, not {}", got.len(), expected.len()));
                return Err(format!("command {i}: {what}"));
            }
        }
        Ok(())
    }
}
