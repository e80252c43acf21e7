//! A unit that makes scores.

use super::*;

/// A unit that makes scores.
#[derive(Clone, Debug)]
pub struct ScoresBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// `command`, `query`, `words`, and `scale` if tokens have scales.
    pub sources: Vec<StreamPorts>,
    /// `m` and `report`.
    pub sinks: [StreamPorts; 2],
}

impl ScoresBench {
    /// Runs commands one after the other. All streams stall, in the order of `sources` and `sinks`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        jobs: &[Job],
        stalls: &[Stalls],
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
        stalls: &[Stalls],
        seed: u64,
        until: Until,
    ) -> Result<TablePlayed, String> {
        let mut bench = Bench::new(engine, seed);
        let sources: Vec<_> =
            self.sources.iter().zip(stalls).map(|(s, stalls)| bench.source_at(s.clone(), *stalls)).collect();
        let [m, report] = [0, 1].map(|i| bench.sink_at(self.sinks[i].clone(), stalls[self.sources.len() + i]));
        command_feed::reset(&mut bench, &self.sources, &self.sinks, seed)?;
        let send = |bench: &mut Bench, job: C| {
            let job: &Job = job.borrow();
            let TableCommand { first, tokens, query, words } = &job.command;
            bench.send(sources[0], [[u64::from(*first), *tokens as u64]]);
            bench.send(sources[1], query_beats(query));
            bench.send(sources[2], word_beats(words));
            if let Some(scale) = sources.get(3) {
                let last = |i: usize| u64::from(i + 1 == job.scales.len());
                bench.send(*scale, job.scales.iter().enumerate().map(|(i, scale)| [u64::from(*scale), last(i)]));
            }
            words.len() + 2 * tokens + 500 + job.scales.len()
        };
        command_feed::play(&mut bench, report, jobs, send, until)?;
        Ok(TablePlayed::of(&bench, [sources[0], sources[2]], [m, report]))
    }

    fn check(&self, jobs: &[Job], played: &TablePlayed) -> Result<(), String> {
        let scaled = self.sources.len() > 3;
        let (mut expected, mut ends) = (vec![], vec![]);
        for job in jobs {
            let (scores, end) = self.unit.scores(&job.command, scaled.then_some(&job.scales[..]));
            expected.extend(scores.iter().map(beat_of));
            ends.push((expected.len(), report_of(end)));
        }
        compare_scores(&played.out, &expected, self.unit.queries)?;
        compare_reports(&played.reports, ends.iter().map(|(_, end)| *end))?;
        let TableTimes { scores, reports, .. } = &played.times;
        for (i, ((end, _), at)) in ends.iter().zip(reports).enumerate() {
            if scores[..*end].last().is_some_and(|last| last >= at) || scores.get(*end).is_some_and(|next| next <= at) {
                return Err(format!("report {i} does not stand between its scores and the next ones"));
            }
        }
        Ok(())
    }
}

fn compare_scores(got: &[Beat], expected: &[Beat], queries: usize) -> Result<(), String> {
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        // of a row with a wrong index the scores mean nothing
        let from = if expected.field(queries) == 1 { queries } else { 0 };
        if got.0[from..] != expected.0[from..] {
            return Err(format!("score {i}: {got:x?}, not {expected:x?}"));
        }
    }
    match got.len() == expected.len() {
        true => Ok(()),
        false => Err(format!("{} scores, not {}", got.len(), expected.len())),
    }
}

fn beat_of(score: &Score) -> Beat {
    let numbers = score.scores.iter().map(|x| BigUint::from(*x));
    Beat(numbers.chain([score.wrong, score.last].map(|flag| BigUint::from(u32::from(flag)))).collect())
}
