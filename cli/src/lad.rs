//! `kvforge lad`: what LAD attention is worth on a recording.

use crate::args::LadOptions;
use crate::json::json;
use crate::profile::problem;
use crate::report::{Failure, Problem};
use crate::table::table;
use crate::write::write_file;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim::data::DataError;
use sim::lad::report::{Report, ReportTable};
use sim::lad::{Figures, LadError, Recorded, Setup, measure};
use sim::profile::ProfileError;
use std::io::Write;

pub fn run(options: &LadOptions) -> Result<(), Failure> {
    let recorded = Recorded::read(&options.file, options.head, &options.layers, options.tokens);
    let recorded = recorded.map_err(|error| failure(options, error))?;
    let setups = setups(options);
    let heads: usize = recorded.layers.iter().map(|layer| layer.key_heads).sum();
    let bar = ProgressBar::with_draw_target(Some((heads * setups.len()) as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("key heads [{bar:30}] {pos} of {len}, {elapsed}");
    let bar = bar.with_style(style.expect("a legal template"));
    let measured = setups.into_iter().map(|setup| measure(&recorded, setup, &|| bar.inc(1)));
    let measured = measured.collect::<Result<Vec<Figures>, _>>().map_err(|error| failure(options, error))?;
    bar.finish_and_clear();
    let report = Report::new(&recorded, measured);
    if let Some(path) = &options.out {
        write_file(path, report.markdown())?;
    }
    print(options, &report)
}

/// The first of each with all of the other two; each once.
fn setups(options: &LadOptions) -> Vec<Setup> {
    let LadOptions { thresholds, intervals, periods, .. } = options;
    let first = Setup { threshold: thresholds[0], intervals: intervals[0], period: periods[0] };
    let by_threshold = thresholds.iter().map(|threshold| Setup { threshold: *threshold, ..first });
    let by_intervals = intervals.iter().map(|count| Setup { intervals: *count, ..first });
    let by_period = periods.iter().map(|period| Setup { period: *period, ..first });
    let mut setups: Vec<Setup> = vec![];
    for setup in by_threshold.chain(by_intervals).chain(by_period) {
        if !setups.contains(&setup) {
            setups.push(setup);
        }
    }
    setups
}

fn print(options: &LadOptions, report: &Report) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(report)?)?);
    }
    writeln!(out, "  {}", report.subject())?;
    for ReportTable { title, note, headings, rows } in report.tables() {
        writeln!(out, "\n  {title}. {note}\n{}", table(&headings, rows))?;
    }
    if let Some(path) = &options.out {
        writeln!(out, "\n  written: {}", path.display())?;
    }
    Ok(())
}

/// Everything that can be wrong is something that the user gave.
fn failure(options: &LadOptions, error: LadError) -> Failure {
    let path = options.file.display();
    match error {
        LadError::Data(data) => match *data {
            DataError::Read { .. } => Problem::new(&data).note("legal: safetensors files, folders of npy files").into(),
            DataError::NoQueries { .. } => {
                let problem =
                    Problem::new(&data).note("LAD is measured on queries, keys and values of the same tokens");
                problem.help("keys and values without queries: `kvforge profile`, `kvforge vq train`").into()
            }
            data => problem(ProfileError::from(data)),
        },
        error @ (LadError::Heads { .. } | LadError::HeadSize(_)) => {
            Problem::new(format!("{path}: {error}")).help("--head ELEMENTS says how many elements a head has").into()
        }
        error => Problem::new(format!("{path}: {error}")).into(),
    }
}
