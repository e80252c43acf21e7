//! `kvforge vq run`: simulates the unit that consumes a packed file, on the file's own books and indices.

use super::{failure, progress_bar, read, sources_of};
use crate::args::{UnitArgument, VqRunOptions};
use crate::json::json;
use crate::report::{Failure, Problem};
use crate::table::table;
use indicatif::ProgressDrawTarget;
use sim::golden::vq::{TensorKind, VqFile};
use sim::vq::plan::MEMORY;
use sim::vq::run::{Recorded, RecordedQueries, Request, Results, Row, RunError, Setup, Unit};
use std::io::Write;
use std::time::Instant;

pub fn run(options: &VqRunOptions) -> Result<(), Failure> {
    let start = Instant::now();
    let file = read(&options.file)?;
    let failure = |error| run_failure(options, error);
    // first without what was recorded: what is wrong with the rest needs no reading
    let layer = Setup::new(&file, &request(options), &Recorded::default()).map_err(failure)?.layer();
    let recorded = recorded(options, &file, layer)?;
    let setup = Setup::new(&file, &request(options), &recorded).map_err(failure)?;
    let bar = progress_bar(setup.steps(), "simulating");
    if options.json {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let results = setup.run(&|| bar.inc(1)).map_err(failure)?;
    bar.finish_and_clear();
    let mut out = std::io::stdout().lock();
    match options.json {
        true => writeln!(out, "{}", json(&results)?)?,
        false => print(&mut out, &results, start.elapsed().as_secs_f64())?,
    }
    match results.mismatches() {
        0 => Ok(()),
        count => Err(Failure::Internal(format!("{count} mismatches between the hardware and the golden model"))),
    }
}

fn request(options: &VqRunOptions) -> Request {
    let VqRunOptions { layer, tokens, count, seed, .. } = *options;
    let (unit, head) = (options.unit.map(Unit::from), options.head);
    Request { unit, layer, head, tensor: options.tensor.clone(), tokens, count, seed }
}

/// What stands beside the file: the original, and queries.
fn recorded(options: &VqRunOptions, file: &VqFile, layer: Option<u32>) -> Result<Recorded, Failure> {
    if let (Some(UnitArgument::Encoder), Some(path)) = (options.unit, &options.queries) {
        let problem = Problem::new(format!("{}: the encoder has no queries", path.display()));
        return Err(problem.help("--kv gives it the keys and values that were packed").into());
    }
    let original = !options.kv.is_empty() || options.weights.is_some();
    let sources = original.then(|| sources_of(file, &options.kv, options.weights.as_deref())).transpose()?;
    let weights = file.tensors.iter().any(|tensor| tensor.kind == TensorKind::Weight);
    let queries = match (&options.queries, &options.kv[..]) {
        (Some(path), _) if weights => Some(RecordedQueries::read_vectors(path).map_err(failure)?),
        (Some(path), _) => Some(RecordedQueries::read(path).map_err(failure)?),
        // many recordings have no queries, or not of all layers
        (None, [only]) => {
            let queries = RecordedQueries::read_if_any(only).map_err(failure)?;
            queries.filter(|queries| layer.is_some_and(|layer| queries.has_layer(layer)))
        }
        (None, _) => None,
    };
    Ok(Recorded { original: sources.unwrap_or_default(), queries })
}

fn run_failure(options: &VqRunOptions, error: RunError) -> Failure {
    let path = options.file.display();
    let problem = |error: &RunError| Problem::new(format!("{path}: {error}"));
    match error {
        RunError::Original(error) => failure(error),
        RunError::Hardware(errors) => Failure::Hardware(errors),
        RunError::Simulation(text) => Failure::Internal(format!("simulation: {text}")),
        error @ RunError::NotPacked => problem(&error).help("`kvforge vq pack` packs with them").into(),
        RunError::Setting { setting, unit, legal } => {
            let legal: Vec<String> = legal.split(", ").map(|name| format!("--{name}")).collect();
            let problem = Problem::new(format!("{path}: --{setting} means nothing to the unit {unit}"));
            problem.note(format!("legal: {}", legal.join(", "))).into()
        }
        error @ RunError::Kind { .. } => {
            let problem =
                problem(&error).note("legal: head, scores, values, encoder for keys and values; matrix for weights");
            problem.help("without --unit, what suits the file is simulated").into()
        }
        error @ RunError::Scheme { .. } => problem(&error)
            .note("each --algorithm of `kvforge vq train` has a unit, and so have some of their like, for sizes that docs/vq.md lists")
            .into(),
        RunError::Range { what: what @ ("head" | "tokens" | "count"), .. } => {
            problem(&error).help(format!("--{what} says it")).into()
        }
        RunError::Queries { .. } => Problem::new(error).note(format!("they are for {path}")).into(),
        error => problem(&error).into(),
    }
}

fn print(out: &mut impl Write, results: &Results, seconds: f64) -> Result<(), Failure> {
    let Results { hardware, scheme, subject, rows, count, unit, .. } = results;
    let parameters = hardware.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    let named = hardware.configuration.map_or(String::new(), |name| format!(", the configuration {name}"));
    writeln!(out, "  {}: {parameters}{named}", hardware.block)?;
    if let Some(around) = &hardware.around {
        writeln!(out, "  with {around}")?;
    }
    let what = match (unit, rows) {
        (Unit::Matrix, _) => String::new(),
        (_, 1) => ", 1 token".into(),
        _ => format!(", {rows} tokens"),
    };
    writeln!(out, "  {scheme}, {subject}{what}; {}: {}\n", counted(*unit, *count), results.queries_from)?;
    writeln!(out, "{}\n", rows_table(&results.results))?;
    print_legend(out, results)?;
    let numbers: usize = results.results.iter().map(|row| row.numbers).sum();
    writeln!(out, "  {} mismatches in {numbers} numbers; {seconds:.1} s in all", results.mismatches())?;
    for row in &results.results {
        if let Some(first) = &row.first_mismatch {
            writeln!(out, "  first of {}: {first}", row.what)?;
        }
        if let Some(fault) = &row.fault {
            let page = results.hardware.block;
            writeln!(
                out,
                "  {}: {fault}, as the model says; its numbers are worth nothing (docs/blocks/{page}.md)",
                row.what
            )?;
        }
    }
    Ok(())
}

fn counted(unit: Unit, count: usize) -> String {
    let (one, many) = match unit {
        Unit::Encoder => ("new token", "new tokens"),
        Unit::Matrix => ("vector", "vectors"),
        _ => ("query", "queries"),
    };
    format!("{count} {}", if count == 1 { one } else { many })
}

fn rows_table(rows: &[Row]) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let decibels = |db: Option<f64>| or_dash(db.map(|db| format!("{db:.1} dB")));
    let cells = |row: &Row| {
        let counts = [row.words.books, row.words.indices, row.words.queries].map(|words| words.to_string());
        let figures = [
            format!("{:.3}", row.words_per_cycle),
            or_dash(row.plan_cycles.map(|cycles| cycles.to_string())),
            row.numbers.to_string(),
            row.mismatches.to_string(),
            decibels(row.float64_db),
            decibels(row.original_db),
            or_dash(row.nearest.map(|nearest| format!("{:.2} %", 100.0 * nearest as f64 / row.numbers as f64))),
        ];
        [vec![row.what.to_string(), row.cycles.to_string()], counts.to_vec(), figures.to_vec()].concat()
    };
    let headings = [
        "",
        ">cycles",
        ">books",
        ">indices",
        ">queries",
        ">words a cycle",
        ">plan",
        ">numbers",
        ">mismatches",
        ">float64",
        ">original",
        ">nearest",
    ];
    table(&headings, rows.iter().map(cells))
}

fn print_legend(out: &mut impl Write, results: &Results) -> Result<(), Failure> {
    let plan = match results.unit {
        Unit::Head => format!(": with full books, softmax, and a memory of {MEMORY} cycles"),
        Unit::Matrix => ", with full books on a bus of their own".into(),
        _ => ", with full books".into(),
    };
    let plan = format!("cycles by the model of `kvforge vq plan`{plan}");
    let original = match results.unit {
        Unit::Encoder => "of the vectors beside what their indices decode to",
        _ => "the same beside the values before they were quantized, with --kv or --weights",
    };
    let words = match results.unit {
        Unit::Matrix => "words of 64 bits; books have a bus of their own, and words a cycle are those of indices",
        _ => "words of 64 bits that the bus gave; a dash or 0: not on this bus",
    };
    let lines = [
        ("cycles", "from the first command to the last result"),
        ("books, ...", words),
        ("plan", &plan),
        ("mismatches", "numbers that are not bit by bit the golden model's"),
        ("float64", "signal to noise beside float64 on the same dequantized values; a dash: none, or not finite"),
        ("original", original),
        ("nearest", "of an encoder: indices that are those of the nearest entry in float64"),
    ];
    for (name, text) in lines {
        writeln!(out, "  {name:<11} {text}")?;
    }
    writeln!(out)?;
    Ok(())
}
