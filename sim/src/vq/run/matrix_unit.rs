//! The unit for a matrix: its parameters, and what no unit does.

use super::error::RunError;
use super::request::in_range;
use super::results::Hardware;
use super::unit::Unit;
use crate::golden::vq::{Books, Scheme, Tensor};
use crate::vq::plan::matrix_scales;
use hw::vq::matrix_vector::{MAX_COLUMNS, MAX_TILE_ROWS, MatrixParams, MatrixScales, MatrixSource, SIDE_BITS};

/// Columns of the named configurations; wider matrices take a larger unit.
const USUAL_COLUMNS: usize = 4096;
/// The most rows of a command.
const MAX_ROWS: usize = (1 << SIDE_BITS) - 1;

/// The named configurations that take one vector.
const NAMED: [(&str, MatrixParams); 3] = [
    (
        "vq_matrix_vector_gptvq2",
        MatrixParams {
            source: MatrixSource::Books { entries: 256, vector: 4 },
            lanes: 8,
            vectors: 1,
            tile_rows: 256,
            tile_columns: 256,
            max_columns: 4096,
            scales: MatrixScales::None,
        },
    ),
    (
        "vq_matrix_vector_aqlm3",
        MatrixParams {
            source: MatrixSource::Residual { entries: 4096, vector: 8 },
            lanes: 4,
            vectors: 1,
            tile_rows: MAX_TILE_ROWS,
            tile_columns: 4096,
            max_columns: 4096,
            scales: MatrixScales::Row,
        },
    ),
    (
        "vq_matrix_vector_quip4",
        MatrixParams {
            source: MatrixSource::Lattice,
            lanes: 4,
            vectors: 1,
            tile_rows: MAX_TILE_ROWS,
            tile_columns: 4096,
            max_columns: 4096,
            scales: MatrixScales::Tensor,
        },
    ),
];

/// The unit for a matrix, if there is one.
pub(super) fn params(scheme: &Scheme, tensor: &Tensor) -> Result<MatrixParams, RunError> {
    if let Some((what, legal)) = mistake(scheme, tensor) {
        return Err(RunError::Scheme { scheme: scheme.to_string(), what, unit: Unit::Matrix, legal });
    }
    in_range("rows", tensor.rows, MAX_ROWS, || "the most of a command".into())?;
    in_range("columns", tensor.cols, MAX_COLUMNS as usize, || "the most of the unit".into())?;
    let max_columns = USUAL_COLUMNS.max(tensor.cols.next_power_of_two());
    let (source, lanes) = source(scheme);
    let (tile_rows, tile_columns) = match source {
        // without books a row of one tile is a row of any
        MatrixSource::Lattice | MatrixSource::Residual { .. } if across(tensor) => (MAX_TILE_ROWS, max_columns),
        _ => {
            let columns = tensor.tile_cols.next_multiple_of(scheme.word_columns()).min(max_columns);
            (rows_of_tile(tensor), columns)
        }
    };
    let [tile_columns, max_columns] = [tile_columns, max_columns].map(|n| n as u32);
    let scales = matrix_scales(scheme.scales);
    Ok(MatrixParams { source, lanes, vectors: 1, tile_rows, tile_columns, max_columns, scales })
}

/// Where values come from, and how many indices of them are looked up in a cycle.
fn source(scheme: &Scheme) -> (MatrixSource, u32) {
    let [entries, vector] = [scheme.max_entries(), scheme.vector].map(|n| n as u32);
    match (scheme.books, scheme.residuals) {
        (Books::Lattice, _) => (MatrixSource::Lattice, 4),
        (_, 2) => (MatrixSource::Residual { entries, vector }, if scheme.bits == 8 { 8 } else { 4 }),
        _ => (MatrixSource::Books { entries, vector }, 8.min(64 / vector)),
    }
}

/// A tile has all columns.
fn across(tensor: &Tensor) -> bool {
    tensor.tile_cols >= tensor.cols
}

fn rows_of_tile(tensor: &Tensor) -> u32 {
    match tensor.tile_rows {
        0 => MAX_TILE_ROWS,
        rows => rows.min(MAX_TILE_ROWS as usize) as u32,
    }
}

/// What the unit does not do, and what it does.
fn mistake(scheme: &Scheme, tensor: &Tensor) -> Option<(String, String)> {
    let Scheme { vector, bits, residuals, books, .. } = *scheme;
    let Tensor { rows, cols, tile_rows, tile_cols, .. } = *tensor;
    let (lattice, pairs) = (books == Books::Lattice, residuals == 2);
    let one_tile = across(tensor) && (tile_rows == 0 || tile_rows >= rows);
    let uneven = |cols: usize| !cols.is_multiple_of(scheme.word_columns());
    Some(match () {
        () if books == Books::Group => ("books for each group".into(), "books for each tile, or the lattice".into()),
        () if lattice && !pairs => (format!("{residuals} point of the lattice"), "2".into()),
        () if !lattice && residuals > 2 => (format!("{residuals} residuals"), "1 or 2".into()),
        () if !lattice && pairs && !(8..=12).contains(&bits) => {
            (format!("indices of {bits} bits with 2 residuals"), "8 to 12 bits".into())
        }
        () if !lattice && !pairs && bits != 8 => {
            (format!("indices of {bits} bits"), "8 bits, up to 12 with 2 residuals, or the 16 of the lattice".into())
        }
        () if !vector.is_power_of_two() => (format!("vectors of {vector} values"), "1, 2, 4, 8, 16".into()),
        () if pairs && bits > 8 && vector == 1 => {
            (format!("vectors of 1 value with 2 indices of {bits} bits"), "2, 4, 8, 16".into())
        }
        () if !lattice && pairs && !one_tile => {
            let tile = if tile_rows == 0 { rows } else { tile_rows };
            (format!("2 residuals in tiles of {tile} x {tile_cols}"), "one tile, the whole matrix".into())
        }
        () if uneven(cols) || (!across(tensor) && uneven(tile_cols)) => {
            let what = format!("{cols} columns in tiles of {tile_cols}");
            (what, format!("multiples of {}, which are whole words of indices", scheme.word_columns()))
        }
        () => return None,
    })
}

/// What is told of a unit.
pub(super) fn hardware(p: MatrixParams) -> Hardware {
    let (source, book) = match p.source {
        MatrixSource::Lattice => ("lattice", None),
        MatrixSource::Books { entries, vector } => ("tiles", Some((entries, vector))),
        MatrixSource::Groups { entries, vector } => ("groups", Some((entries, vector))),
        MatrixSource::Residual { entries, vector } => ("residual", Some((entries, vector))),
    };
    let scales = match p.scales {
        MatrixScales::None => "none",
        MatrixScales::Tensor => "matrix",
        MatrixScales::Row => "row",
    };
    let book = book.map(|(entries, vector)| [("entries", entries), ("vector", vector)]);
    let numbers = book.into_iter().flatten().chain([
        ("lanes", p.lanes),
        ("tile_rows", p.tile_rows),
        ("tile_columns", p.tile_columns),
        ("max_columns", p.max_columns),
    ]);
    let numbers = numbers.map(|(name, n)| (name, n.to_string()));
    let parameters = std::iter::once(("source", source.into())).chain(numbers).chain([("scales", scales.into())]);
    let configuration = NAMED.iter().find(|named| named.1 == p).map(|named| named.0);
    Hardware { block: "vq_matrix_vector", configuration, parameters: parameters.collect(), around: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every parameter that a named configuration sets is the one that is told of its unit.
    #[test]
    fn named_units_are_those_of_the_configurations() {
        for (name, p) in NAMED {
            let path = format!("{}/../configs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let parameters = hardware(p).parameters;
            let lines =
                text.lines().skip_while(|line| *line != "[parameters]").filter_map(|line| line.split_once(" = "));
            let set: Vec<(&str, String)> = lines.map(|(key, value)| (key, value.trim_matches('"').into())).collect();
            assert!(set.len() > 4, "{name}: {set:?}");
            assert!(set.iter().all(|parameter| parameters.contains(parameter)), "{name}: {set:?}, told {parameters:?}");
        }
    }
}
