//! What multiplies vector-quantized matrices with vectors.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any};
use crate::vq::matrix_vector::{
    self, MAX_COLUMNS, MAX_TILE_ROWS, MAX_VECTORS, MatrixParams, MatrixScales, MatrixSource, matrix_vector,
};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of a matrix-vector unit.
pub fn matrix_params(v: &Values) -> MatrixParams {
    let source = match v.choice("source") {
        "lattice" => MatrixSource::Lattice,
        "groups" => MatrixSource::Groups { entries: v.number("entries"), vector: v.number("vector") },
        "residual" => MatrixSource::Residual { entries: v.number("entries"), vector: v.number("vector") },
        _ => MatrixSource::Books { entries: v.number("entries"), vector: v.number("vector") },
    };
    let scales = match v.choice("scales") {
        "matrix" => MatrixScales::Tensor,
        "row" => MatrixScales::Row,
        _ => MatrixScales::None,
    };
    MatrixParams {
        source,
        lanes: v.number("lanes"),
        vectors: v.number("vectors"),
        tile_rows: v.number("tile_rows"),
        tile_columns: v.number("tile_columns"),
        max_columns: v.number("max_columns"),
        scales,
    }
}

/// Lanes divide a word, and tiles are whole words.
fn fits(v: &Values) -> Result<(), Box<Mistake>> {
    let p = matrix_params(v);
    lanes_fit(p)?;
    tiles_fit(p)
}

/// A beat is whole groups of a word.
fn lanes_fit(p: MatrixParams) -> Result<(), Box<Mistake>> {
    let (lanes, most) = (p.lanes, p.word_indices());
    if p.source == MatrixSource::Lattice && !(2..=most).contains(&lanes) {
        let what = format!("{lanes} lanes of the lattice");
        let why = "a group has two indices, a word four";
        return Err(Mistake::together(&["source", "lanes"], what, "lanes 2 or 4".into(), why));
    }
    if let MatrixSource::Residual { entries, .. } = p.source
        && !(2..=most).contains(&lanes)
    {
        let what = format!("{lanes} lanes with two residuals and {entries} entries");
        let legal = if most < 8 { "lanes 2 or 4" } else { "lanes 2, 4 or 8" };
        let why = "a group has two indices, and those of a cycle are not more than a word";
        return Err(Mistake::together(&["source", "entries", "lanes"], what, legal.into(), why));
    }
    if let MatrixSource::Books { entries, .. } | MatrixSource::Groups { entries, .. } = p.source
        && entries > 256
    {
        let what = format!("books of {entries} entries");
        let names = ["source", "entries"];
        return Err(Mistake::together(&names, what, "entries up to 256".into(), "an index is a byte"));
    }
    if !(4..=64).contains(&p.beat_columns()) {
        let what = format!("{} columns in a cycle", p.beat_columns());
        let why = "a word of a vector has four numbers, and a tree up to 64";
        let legal = match p.source {
            MatrixSource::Residual { .. } => "lanes / 2 * vector from 4 to 64",
            _ => "lanes * vector from 4 to 64",
        };
        return Err(Mistake::together(&["source", "vector", "lanes"], what, legal.into(), why));
    }
    Ok(())
}

/// Tiles are whole words, and no larger than the matrix.
fn tiles_fit(p: MatrixParams) -> Result<(), Box<Mistake>> {
    let word = p.word_columns();
    for (name, columns) in [("tile_columns", p.tile_columns), ("max_columns", p.max_columns)] {
        if columns % word != 0 {
            let what = format!("{columns} columns");
            let names = ["source", "entries", "vector", name];
            let legal = format!("{name} a multiple of {word}");
            return Err(Mistake::together(&names, what, legal, "a row of a tile is whole words of indices"));
        }
    }
    let one_tile = (p.tile_rows, p.tile_columns) == (MAX_TILE_ROWS, p.max_columns);
    if matches!(p.source, MatrixSource::Groups { .. } | MatrixSource::Residual { .. }) && !one_tile {
        let what = format!("tiles of {} x {} with books of groups or residuals", p.tile_rows, p.tile_columns);
        let legal = format!("tile_rows = {MAX_TILE_ROWS} and tile_columns = max_columns");
        let names = ["source", "tile_rows", "tile_columns", "max_columns"];
        return Err(Mistake::together(&names, what, legal, "the books are those of one tile"));
    }
    if p.tile_columns > p.max_columns {
        let (what, legal) =
            (format!("tiles of {} columns", p.tile_columns), format!("tile_columns up to {}", p.max_columns));
        let names = ["tile_columns", "max_columns"];
        return Err(Mistake::together(&names, what, legal, "a tile has no more columns than a matrix"));
    }
    Ok(())
}

pub(super) const MATRIX_VECTOR: Block = Block {
    name: "vq_matrix_vector",
    summary: "matrix times vector: indices are looked up, and their values multiplied with up to four vectors in the cycle in which they come",
    parameters: &[
        Parameter {
            name: "source",
            doc: "where values come from: a book for each tile, a book for each group of columns, a book for each of two residuals of the matrix, or QuiP#'s lattice with two residuals",
            unit: "",
            default: Some(Preset::Name("tiles")),
            legal: Legal::Choice(&["tiles", "groups", "residual", "lattice"]),
            why: "the algorithms of the format have no more",
        },
        Parameter {
            name: "entries",
            doc: "the most entries of a book; of the lattice it means nothing",
            unit: "entries",
            default: Some(Preset::Number(256)),
            legal: any(2, 4096),
            why: "an index has 12 bits at most; it is a byte, but with residuals and more than 256 entries",
        },
        Parameter {
            name: "vector",
            doc: "numbers of an entry; of the lattice it means nothing",
            unit: "numbers",
            default: Some(Preset::Number(4)),
            legal: Legal::OneOf(&[1, 2, 4, 8, 16]),
            why: "a beat is a power of two",
        },
        Parameter {
            name: "lanes",
            doc: "indices that are looked up in a cycle",
            unit: "indices",
            default: Some(Preset::Number(8)),
            legal: Legal::OneOf(&[1, 2, 4, 8]),
            why: "they are a part of a word",
        },
        Parameter {
            name: "vectors",
            doc: "vectors that a matrix is multiplied with",
            unit: "vectors",
            default: Some(Preset::Number(1)),
            legal: any(1, MAX_VECTORS as i128),
            why: "more are several units",
        },
        Parameter {
            name: "tile_rows",
            doc: "rows of a tile",
            unit: "rows",
            default: Some(Preset::Number(256)),
            legal: any(1, MAX_TILE_ROWS as i128),
            why: "a matrix has 65535, so this is all of them",
        },
        Parameter {
            name: "tile_columns",
            doc: "columns of a tile",
            unit: "columns",
            default: Some(Preset::Number(256)),
            legal: any(8, MAX_COLUMNS as i128),
            why: "those of a word of indices or more",
        },
        Parameter {
            name: "max_columns",
            doc: "the most columns of a matrix",
            unit: "columns",
            default: Some(Preset::Number(4096)),
            legal: any(8, MAX_COLUMNS as i128),
            why: "block RAM has two vectors of them",
        },
        Parameter {
            name: "scales",
            doc: "what has a scale: nothing, the matrix or each row",
            unit: "",
            default: Some(Preset::Name("none")),
            legal: Legal::Choice(&["none", "matrix", "row"]),
            why: "those of the format",
        },
    ],
    check: fits,
    latency: |v| {
        format!("{} cycles from the last word of a row to its products", matrix_vector::latency(matrix_params(v)))
    },
    throughput: |v| {
        let p = matrix_params(v);
        format!("{} lookups and {} products a cycle, from row to row and from tile to tile", p.lanes, p.products())
    },
    function: || type_name_of_val(&matrix_vector),
    build: |_, v| matrix_vector(matrix_params(v)).map(Design::erase),
};
