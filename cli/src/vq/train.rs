//! `kvforge vq train`: codebooks.

use super::{check_out, failure_of, inputs, progress_bar, sources, write};
use crate::args::VqTrainOptions;
use crate::report::{Failure, Problem};
use crate::table::table;
use sim::golden::vq::{Algorithm, Books, Scheme, SchemeError, Tensor, VqFile, inverse_ratio};
use sim::vq::{Source, TrainOptions, VqError, steps_of_part, train};
use std::io::Write;

pub fn run(options: &VqTrainOptions) -> Result<(), Failure> {
    let scheme = scheme(options)?;
    check_out(&options.out, &inputs(&options.input))?;
    let sources = sources(&options.input.kv, &options.layers, options.input.weights.as_deref(), &options.tensor)?;
    let training = training(options);
    let bar = progress_bar(steps(&scheme, &sources, &training), "training");
    let file = train(&scheme, &sources, &training, &|| bar.inc(1));
    let file = file.map_err(|error| failure_of(error, None, &options.input, option_of))?;
    bar.finish_and_clear();
    write(&options.out, &file)?;

    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", tensors_table(&file, &sources))?;
    writeln!(out, "  {scheme}, {} bits a value without books; seed {}", scheme.bits_per_value(), options.seed)?;
    writeln!(out, "  written: {}", options.out.display())?;
    Ok(())
}

fn scheme(options: &VqTrainOptions) -> Result<Scheme, Failure> {
    let kv = options.input.weights.is_none();
    let scheme = match (options.algorithm, options.vector, options.bits) {
        (Some(algorithm), ..) => {
            if algorithm.is_for_kv() != kv {
                return Err(wrong_input(algorithm));
            }
            let scheme = algorithm.scheme();
            let given = options.ratio.map(inverse_ratio);
            if given.is_some() && scheme.books != Books::Lattice {
                return Err(Problem::new(format!("--ratio has no meaning with {algorithm}")).into());
            }
            Scheme { inverse_ratio: given.unwrap_or(scheme.inverse_ratio), ..scheme }
        }
        (None, Some(vector), Some(bits)) => {
            let books = options.books.map_or(if kv { Books::Group } else { Books::Tile }, Books::from);
            let (residuals, scales) = (options.residuals, options.scales.into());
            Scheme { vector, bits, residuals, books, scales, inverse_ratio: 0 }
        }
        _ => {
            let problem = Problem::new("it is not said how values become indices");
            return Err(problem.note("legal: --algorithm, or --vector and --bits").into());
        }
    };
    scheme.check().map_err(|error| Problem::new(&error).help(format!("{} says it", option(&error))))?;
    if options.rounds.is_some() && (scheme.residuals == 1 || scheme.books == Books::Lattice) {
        let problem = Problem::new(format!("--rounds has no meaning with {scheme}"));
        return Err(problem.note("rounds are for the books of several residuals").into());
    }
    Ok(scheme)
}

/// The option that says what the format does not know.
fn option(error: &SchemeError) -> &'static str {
    match error {
        SchemeError::Vector(_) => "--vector",
        SchemeError::Bits(_) => "--bits",
        SchemeError::Residuals(_) => "--residuals",
        SchemeError::InverseRatio(_) => "--ratio",
    }
}

/// The option that says what does not fit the tensors, if one does.
fn option_of(error: &VqError) -> Option<&'static str> {
    match error {
        VqError::Scheme(error) => Some(option(error)),
        VqError::Heads { .. } | VqError::Parts { what: "heads", .. } => Some("--head"),
        VqError::Parts { .. } => Some("--tile"),
        _ => None,
    }
}

fn wrong_input(algorithm: Algorithm) -> Failure {
    let (what, option) = if algorithm.is_for_kv() { ("keys and values", "--kv") } else { ("weights", "--weights") };
    let problem = Problem::new(format!("{algorithm} is for {what}")).help(format!("give them with {option}"));
    problem.note("any other VQ<vector, bits, residuals> is given by --vector, --bits and --residuals").into()
}

fn training(options: &VqTrainOptions) -> TrainOptions {
    let usual = options.algorithm.map(TrainOptions::of).unwrap_or_default();
    let tile = options.tile.map(|tile| (tile.rows, tile.cols)).or(usual.tile);
    let (seed, head) = (options.seed, options.head);
    let (iterations, rounds) = (options.iterations as usize, options.rounds.map_or(usual.rounds, |n| n as usize));
    TrainOptions { seed, iterations, rounds, head, tile, ..usual }
}

/// About as many steps as the progress bar will count.
fn steps(scheme: &Scheme, sources: &[Source], options: &TrainOptions) -> usize {
    let of = |source: &Source| match (source.kind, options.tile) {
        (sim::golden::vq::TensorKind::Weight, Some((rows, cols))) => {
            source.rows.div_ceil(rows) * source.cols.div_ceil(cols)
        }
        (sim::golden::vq::TensorKind::Weight, None) => 1,
        _ => source.cols.div_ceil(options.head.max(1)),
    };
    steps_of_part(scheme, options) * sources.iter().map(of).sum::<usize>()
}

fn tensors_table(file: &VqFile, sources: &[Source]) -> String {
    let row = |(tensor, source): (&Tensor, &Source)| {
        let entries: usize = tensor.books.iter().map(|book| book.count()).sum();
        let shape = [source.rows.to_string(), source.cols.to_string()];
        let books = [tensor.books.len(), entries, tensor.book_bits() as usize / 8].map(|number| number.to_string());
        [vec![tensor.name.clone(), tensor.kind.to_string()], shape.to_vec(), books.to_vec()].concat()
    };
    let headings = ["tensor", "kind", ">rows", ">columns", ">books", ">entries", ">bytes"];
    table(&headings, file.tensors.iter().zip(sources).map(row))
}
