//! Scores by table.

use super::attention::HeadSetup;
use super::error::RunError;
use super::results::{Hardware, Results, Tally, Words};
use crate::bus::{Beat, Stalls};
use crate::golden::reference::to_f64;
use crate::golden::vq::attention::scores64;
use crate::golden::vq::tables::TableCommand;
use crate::vq::plan::scores_command;
use crate::vq_benches::command_feed::Until;
use crate::vq_benches::table::{Job, ScoresBench};
use hdl::sim::Simulator;
use hw::vq::scores::{ScoresParams, scores};
use hw::vq::table_types::TableParams;

/// The parameters as a configuration has them.
pub(super) fn table_parameters(p: TableParams) -> Vec<(&'static str, String)> {
    [("entries", p.entries), ("vector", p.vector), ("positions", p.positions)]
        .map(|(name, n)| (name, n.to_string()))
        .into()
}

/// Which of two names, of CQ-4 and CQ-2 with heads of 64, is the unit's.
pub(super) fn named(p: TableParams, names: [&'static str; 2]) -> Option<&'static str> {
    match (p.entries, p.vector, p.positions, p.residuals, p.queries) {
        (256, 2, 32, 1, 1) => Some(names[0]),
        (256, 4, 16, 1, 1) => Some(names[1]),
        _ => None,
    }
}

pub(super) fn run(setup: &HeadSetup, progress: &dyn Fn()) -> Result<Results, RunError> {
    let keys = setup.keys();
    let scales = keys.scales();
    let p = ScoresParams { table: keys.table(), scaled: !scales.is_empty() };
    let design = scores(p).map_err(RunError::Hardware)?;
    let bench = ScoresBench::of(&design, p);
    let (books, rows) = (keys.books(), keys.rows());
    let words = [books.clone(), rows.clone()].concat();
    let job = |query: &Vec<u16>| {
        let (query, words) = (query.clone(), words.clone());
        Job {
            command: TableCommand { first: keys.first, tokens: setup.tokens(), query, words },
            scales: scales.clone(),
        }
    };
    let jobs = || setup.queries.numbers.iter().map(job);
    let mut simulator = Simulator::new(&design);
    let played = bench.play(&mut simulator, jobs(), &[Stalls::Never; 6], 1, Until::Reports(&mut || progress()));
    let played = played.map_err(RunError::Simulation)?;

    let mut tally = Tally::default();
    let (decoded, original) = (keys.decoded(), keys.original64());
    let found: Vec<u16> = played.out.iter().map(|beat| beat.field(0) as u16).collect();
    for (i, job) in jobs().enumerate() {
        let (expected, end) = bench.unit.scores(&job.command, p.scaled.then_some(&scales[..]));
        let expected: Vec<u16> = expected.iter().map(|score| score.scores[0]).collect();
        let found = part_of(&found, i, setup.count, setup.tokens());
        tally.compare(&format!("query {i}, scores"), found, &expected);
        end_of(&mut tally, i, &played.reports[i], end.map_or_else(|fault| fault.cause as u64, |()| 0));
        let (query, found) = (to_f64(&job.command.query), to_f64(found));
        tally.beside_exact(&scores64(&query, &decoded), &found);
        original.iter().for_each(|keys| tally.beside_original(&scores64(&query, keys), &found));
    }
    let count = setup.count;
    let words = Words { books: count * books.len(), indices: count * rows.len(), queries: 0 };
    let plan = count as u64 * scores_command(p, setup.tokens() as u64);
    let row = tally.row("scores", played.times.cycles(), words, Some(plan));
    let mut parameters = table_parameters(p.table);
    parameters.extend([("residuals", p.table.residuals.to_string()), ("scaled", p.scaled.to_string())]);
    let configuration = named(p.table, ["vq_scores_cq4", "vq_scores_cq2"]).filter(|_| !p.scaled);
    let hardware = Hardware { block: "vq_scores", configuration, parameters, around: None };
    Ok(setup.results(hardware, vec![row]))
}

/// The numbers of one of several commands, each of which should have so many; the last one has what is too many.
pub(super) fn part_of(all: &[u16], i: usize, count: usize, size: usize) -> &[u16] {
    let from = (i * size).min(all.len());
    let to = if i + 1 == count { all.len() } else { (from + size).min(all.len()) };
    &all[from..to]
}

/// Counts a command that ended otherwise than the model.
pub(super) fn end_of(tally: &mut Tally, i: usize, report: &Beat, expected: u64) {
    let found = report.field(0);
    if found != expected {
        tally.mismatch(|| format!("command {i} ended with outcome {found}, not {expected}"));
    } else if expected != 0 {
        tally.fault(|| format!("command {i} ended with outcome {expected}"));
    }
}
