//! `kvforge vq pack`: indices for keys and values, or for weights.

use super::info::{LEGEND, Row, rows, rows_table};
use super::{check_out, failure_of, inputs, progress_bar, read, sources_of, write};
use crate::args::VqPackOptions;
use crate::report::{Failure, Problem};
use sim::vq::pack;
use std::io::Write;

/// Choices that are kept after each residual.
const USUAL_BEAM: u32 = 4;

pub fn run(options: &VqPackOptions) -> Result<(), Failure> {
    let books = read(&options.books)?;
    if books.packed {
        let problem = Problem::new(format!("{} holds packed tensors already", options.books.display()));
        return Err(problem.help("give the file of codebooks that `kvforge vq train` wrote").into());
    }
    if options.beam.is_some() && books.scheme.residuals == 1 {
        let problem = Problem::new(format!("--beam has no meaning with {}", books.scheme));
        return Err(problem.note("it is for the sums of several residuals' entries").into());
    }
    let inputs = [inputs(&options.input), vec![&*options.books]].concat();
    check_out(&options.out, &inputs)?;
    let sources = sources_of(&books, &options.input.kv, options.input.weights.as_deref())?;
    let parts = books.tensors.iter().map(|tensor| tensor.part_count()).sum();
    let bar = progress_bar(parts, "packing");
    let file = pack(&books, &sources, options.beam.unwrap_or(USUAL_BEAM) as usize, &|| bar.inc(1));
    let file = file.map_err(|error| failure_of(error, Some(&options.books), &options.input, |_| None))?;
    bar.finish_and_clear();
    write(&options.out, &file)?;

    let rows: Vec<Row> = rows(&file, Some(&sources))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", rows_table(&rows))?;
    writeln!(out, "{LEGEND}")?;
    writeln!(out, "  written: {}", options.out.display())?;
    Ok(())
}
