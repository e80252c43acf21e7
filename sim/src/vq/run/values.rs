//! Weighted sums of values by table.

use super::attention::HeadSetup;
use super::error::RunError;
use super::results::{Hardware, Results, Tally, Words};
use super::scores::{end_of, named, part_of, table_parameters};
use crate::bus::{Beat, Stalls};
use crate::golden::attention::softmax::softmax;
use crate::golden::reference::to_f64;
use crate::golden::vq::attention::weighted64;
use crate::golden::vq::product::Way;
use crate::golden::vq::tables::TableCommand;
use crate::vq::plan::values_command;
use crate::vq_benches::command_feed::Until;
use crate::vq_benches::table::{Job, ValuesBench};
use hdl::sim::Simulator;
use hw::vq::values::{ValuesParams, values};

/// The weights are the softmax of the queries' scores, both as the models have them.
pub(super) fn run(setup: &HeadSetup, progress: &dyn Fn()) -> Result<Results, RunError> {
    let part = setup.values();
    let scales = part.scales();
    let p = ValuesParams { table: part.table(), scaled: !scales.is_empty() };
    let design = values(p).map_err(RunError::Hardware)?;
    let bench = ValuesBench::of(&design, p);
    let (books, rows) = (part.books(), part.rows());
    let words = [rows.clone(), books.clone()].concat();
    let job = |query: &Vec<u16>| {
        let (weights, words) = (softmax(&setup.keys().head().scores(query, Way::Table)).0, words.clone());
        let command = TableCommand { first: part.first, tokens: setup.tokens(), query: weights, words };
        Job { command, scales: scales.clone() }
    };
    let jobs = || setup.queries.numbers.iter().map(job);
    let mut simulator = Simulator::new(&design);
    let played = bench.play(&mut simulator, jobs(), [Stalls::Never; 5], 1, Until::Reports(&mut || progress()));
    let played = played.map_err(RunError::Simulation)?;

    let mut tally = Tally::default();
    let (decoded, original) = (part.decoded(), part.original64());
    let vector = p.table.vector as usize;
    let numbers = |beat: &Beat| (0..vector).map(|i| beat.field(i) as u16).collect::<Vec<_>>();
    let found: Vec<u16> = played.out.iter().flat_map(numbers).collect();
    for (i, job) in jobs().enumerate() {
        let expected = bench.unit.values(&job.command, p.scaled.then_some(&scales[..]), bench.copies);
        let end = expected.as_ref().map_or_else(|fault| fault.cause as u64, |_| 0);
        let found = part_of(&found, i, setup.count, part.tensor.cols);
        tally.compare(&format!("query {i}, weighted sum"), found, &expected.unwrap_or_default().concat());
        end_of(&mut tally, i, &played.reports[i], end);
        let (weights, found) = (to_f64(&job.command.query), to_f64(found));
        tally.beside_exact(&weighted64(&weights, &decoded), &found);
        original.iter().for_each(|values| tally.beside_original(&weighted64(&weights, values), &found));
    }
    let count = setup.count;
    let words = Words { books: count * books.len(), indices: count * rows.len(), queries: 0 };
    let plan = count as u64 * values_command(p, setup.tokens() as u64);
    let row = tally.row("weighted sums", played.times.cycles(), words, Some(plan));
    let mut parameters = table_parameters(p.table);
    parameters.push(("scaled", p.scaled.to_string()));
    let configuration = named(p.table, ["vq_values_cq4", "vq_values_cq2"]).filter(|_| !p.scaled);
    let hardware = Hardware { block: "vq_values", configuration, parameters, around: None };
    Ok(setup.results(hardware, vec![row]))
}
