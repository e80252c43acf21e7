//! `kvforge vq info`: what a file holds, and what it is worth.

use super::{failure, read, sources_of};
use crate::args::VqInfoOptions;
use crate::json::json;
use crate::report::{Failure, Problem};
use crate::table::table;
use serde::Serialize;
use sim::golden::vq::{Books, Tensor, VqFile};
use sim::vq::{Access, Source, access, measure};
use std::io::Write;

/// What columns mean.
pub const LEGEND: &str = "  bits: of a value, without and with books, scales and signs
  SQNR: beside the values in binary16, where those below 2^-25 are 0; a dash: nothing was lost, or nothing measured";

/// First entries whose share of the lookups is shown.
const FIRST: [usize; 2] = [16, 32];

pub fn run(options: &VqInfoOptions) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let original = !options.kv.is_empty() || options.weights.is_some();
    if original && !file.packed {
        let problem =
            Problem::new(format!("{} holds codebooks only: there is nothing to measure", options.file.display()));
        return Err(problem.help("`kvforge vq pack` packs with them").into());
    }
    let sources = original.then(|| sources_of(&file, &options.kv, options.weights.as_deref())).transpose()?;
    let rows = rows(&file, sources.as_deref())?;
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(&Info::of(&file, &rows))?)?);
    }
    writeln!(out, "  {}, {}", file.scheme, books_in_words(file.scheme.books))?;
    writeln!(out, "{}", rows_table(&rows))?;
    writeln!(out, "{LEGEND}")?;
    if file.packed {
        writeln!(
            out,
            "  first {}, {}: the share of lookups that the first entries of the books have",
            FIRST[0], FIRST[1]
        )?;
    }
    Ok(())
}

fn books_in_words(books: Books) -> &'static str {
    match books {
        Books::Lattice => "no books: points of the lattice E8P",
        Books::Tile => "books for each tile",
        Books::Group => "books for each group of columns",
    }
}

#[derive(Serialize)]
struct Info<'a> {
    vector: usize,
    bits: u32,
    residuals: usize,
    packed: bool,
    tensors: &'a [Row],
}

impl<'a> Info<'a> {
    fn of(file: &VqFile, tensors: &'a [Row]) -> Self {
        let scheme = &file.scheme;
        let (vector, bits, residuals) = (scheme.vector, scheme.bits, scheme.residuals);
        Info { vector, bits, residuals, packed: file.packed, tensors }
    }
}

/// A tensor of a file.
#[derive(Serialize)]
pub struct Row {
    name: String,
    kind: String,
    rows: usize,
    columns: usize,
    books: usize,
    entries: usize,
    bits_without_books: f64,
    /// `None` without indices.
    bits_with_books: Option<f64>,
    /// Against the original, of binary16 values; `None` without it, or if nothing was lost.
    sqnr_db: Option<f64>,
    uses: Option<Uses>,
}

#[derive(Serialize)]
struct Uses {
    lookups: u64,
    /// Shares of the first 16 and 32 entries.
    share_of_first_16: f64,
    share_of_first_32: f64,
    unused_entries: usize,
    /// Lookups of each entry, book by book; of the lattice those of the stored vectors, the most used first.
    of_entries: Vec<Vec<u64>>,
}

impl Uses {
    fn of(access: Access) -> Self {
        let [share_of_first_16, share_of_first_32] = FIRST.map(|entries| access.share_of_first(entries));
        let (lookups, unused_entries) = (access.total(), access.unused());
        Uses { lookups, share_of_first_16, share_of_first_32, unused_entries, of_entries: access.uses }
    }
}

/// What there is to say of each tensor.
pub fn rows(file: &VqFile, sources: Option<&[Source]>) -> Result<Vec<Row>, Failure> {
    let row = |tensor: &Tensor| {
        let measured = sources.map(|sources| measure(file, tensor, sources)).transpose().map_err(failure)?;
        let values = (tensor.rows * tensor.cols) as f64;
        let all_bits = (tensor.index_bits() + tensor.book_bits()) as f64;
        Ok(Row {
            name: tensor.name.clone(),
            kind: tensor.kind.to_string(),
            rows: tensor.rows,
            columns: tensor.cols,
            books: tensor.books.len(),
            entries: tensor.books.iter().map(|book| book.count()).sum(),
            bits_without_books: if file.packed {
                tensor.index_bits() as f64 / values
            } else {
                file.scheme.bits_per_value()
            },
            bits_with_books: file.packed.then(|| all_bits / values),
            sqnr_db: measured.map(|measured| measured.binary16_db).filter(|db| db.is_finite()),
            uses: file.packed.then(|| Uses::of(access(&file.scheme, tensor))),
        })
    };
    file.tensors.iter().map(row).collect()
}

/// All of them as a table.
pub fn rows_table(rows: &[Row]) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let cells = |row: &Row| {
        let uses = row.uses.as_ref();
        let numbers = [row.rows, row.columns, row.books, row.entries].map(|number| number.to_string());
        let figures = [
            format!("{:.3}", row.bits_without_books),
            or_dash(row.bits_with_books.map(|bits| format!("{bits:.3}"))),
            or_dash(row.sqnr_db.map(|db| format!("{db:.2} dB"))),
            or_dash(uses.map(|uses| uses.lookups.to_string())),
            or_dash(uses.map(|uses| percent(uses.share_of_first_16))),
            or_dash(uses.map(|uses| percent(uses.share_of_first_32))),
            or_dash(uses.map(|uses| uses.unused_entries.to_string())),
        ];
        [vec![row.name.clone(), row.kind.clone()], numbers.to_vec(), figures.to_vec()].concat()
    };
    let headings = [
        "tensor",
        "kind",
        ">rows",
        ">columns",
        ">books",
        ">entries",
        ">bits",
        ">with books",
        ">SQNR",
        ">lookups",
        ">first 16",
        ">first 32",
        ">unused",
    ];
    table(&headings, rows.iter().map(cells))
}
