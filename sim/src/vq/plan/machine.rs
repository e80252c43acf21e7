//! What can be chosen: units that exist, how many of them, and how they share a task.

use super::task::{Attention, Free, Matrix, Task};
use crate::golden::vq::{Algorithm, Scales};
use hw::vq::matrix_vector::{MAX_TILE_ROWS, MAX_VECTORS, MatrixParams, MatrixScales, MatrixSource};
use hw::vq::scores::ScoresParams;
use hw::vq::table_types::{LANES, MAX_QUERIES, TableParams};
use hw::vq::values::ValuesParams;
use serde::Serialize;

/// How numbers that were quantized meet those that were not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Each entry's product once; then lookups and additions.
    Table,
    /// Each index becomes its entry, which is multiplied.
    Multiply,
}

/// Where the books are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Store {
    /// They stream by.
    Streamed,
    /// A copy in block RAM for each lane, beside one of the next book.
    Copies,
    /// A copy of each book in block RAM for two lanes: those of the next command come behind the last word.
    Pairs,
    /// 256 points in block RAM that nobody loads.
    Lattice,
}

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// By table, or by multiplication.
    pub way: Way,
    /// Where the books are.
    pub store: Store,
    /// Units, each with 64 bits of the bus.
    pub units: usize,
    /// Indices a cycle and unit.
    pub lanes: usize,
    /// Queries, or vectors, side by side in a unit.
    pub queries: usize,
    /// Units that work on the same head, or on the same matrix.
    pub together: usize,
    /// Parts of the index positions, or of the tiles, that these are dealt out to (the paper's split factor); units with the same part have a part of the
    /// tokens, or rows, each.
    pub split: usize,
}

impl Machine {
    /// The scores of its part of a head.
    pub fn scores(&self, a: Attention) -> ScoresParams {
        ScoresParams { table: self.table(a, self.queries), scaled: false }
    }
    /// The values of its part of a head; a unit for each query.
    pub fn values(&self, a: Attention) -> ValuesParams {
        ValuesParams { table: self.table(a, 1), scaled: false }
    }
    fn table(&self, a: Attention, queries: usize) -> TableParams {
        let [entries, vector, queries] = [a.entries(), a.vector(), queries].map(|n| n as u32);
        TableParams { entries, vector, positions: (a.positions() / self.split) as u32, residuals: 1, queries }
    }
    /// The matrix-vector unit that multiplies a matrix; none by table. Units that have whole tiles have a command for each.
    pub fn matrix_vector(&self, m: Matrix) -> Option<MatrixParams> {
        let scheme = m.algorithm.scheme();
        let [entries, vector] = [scheme.max_entries(), scheme.vector].map(|n| n as u32);
        let source = match m.algorithm {
            _ if self.way == Way::Table => return None,
            Algorithm::Gptvq2 => MatrixSource::Books { entries, vector },
            Algorithm::Aqlm3 => MatrixSource::Residual { entries, vector },
            Algorithm::QuipSharp4 => MatrixSource::Lattice,
            Algorithm::Cq4 | Algorithm::Cq2 => return None,
        };
        let scales = matrix_scales(scheme.scales);
        let (rows, columns) = m.tile();
        let (tile_rows, max_columns) = match source {
            // the books are those of the matrix, however many rows of it a unit has
            MatrixSource::Residual { .. } => (MAX_TILE_ROWS as usize, m.cols),
            _ if self.split > 1 => (rows, columns),
            _ => (rows.div_ceil(self.together), m.cols),
        };
        let [lanes, vectors, tile_rows, tile_columns, max_columns] =
            [self.lanes, self.queries, tile_rows, columns, max_columns].map(|n| n as u32);
        Some(MatrixParams { source, lanes, vectors, tile_rows, tile_columns, max_columns, scales })
    }
    /// The matrix-vector unit that multiplies the keys of a head.
    pub fn multiplied_scores(&self, a: Attention) -> MatrixParams {
        let [entries, vector, lanes, vectors, head] =
            [a.entries(), a.vector(), self.lanes, self.queries, a.head].map(|n| n as u32);
        let source = MatrixSource::Groups { entries, vector };
        let (tile_rows, scales) = (MAX_TILE_ROWS, MatrixScales::None);
        MatrixParams { source, lanes, vectors, tile_rows, tile_columns: head, max_columns: head, scales }
    }
    /// A tile of a matrix by table: its book is sent for each index position.
    pub fn tile_table(&self, m: Matrix) -> ScoresParams {
        let scheme = m.algorithm.scheme();
        let positions = (m.tile().1 / scheme.vector).next_multiple_of(LANES as usize) as u32;
        let [entries, vector, queries] = [scheme.max_entries(), scheme.vector, self.queries].map(|n| n as u32);
        ScoresParams { table: TableParams { entries, vector, positions, residuals: 1, queries }, scaled: false }
    }
}

/// The scales of a matrix-vector unit for a file with these.
pub fn matrix_scales(scales: Scales) -> MatrixScales {
    match scales {
        Scales::None => MatrixScales::None,
        Scales::Tensor => MatrixScales::Tensor,
        Scales::Row => MatrixScales::Row,
    }
}

/// All machines for a task, whether they fit or not.
pub fn machines(task: &Task, free: &Free) -> Vec<Machine> {
    let units = 1..=free.ports();
    match *task {
        Task::Attention(a) => units.flat_map(|units| of_attention(a, units)).collect(),
        Task::Matrix(m) => units.flat_map(|units| of_matrix(m, units)).collect(),
    }
}

fn of_attention(a: Attention, units: usize) -> Vec<Machine> {
    let (way, store, lanes) = (Way::Table, Store::Streamed, LANES as usize);
    let mut all = vec![];
    for queries in 1..=a.queries.min(MAX_QUERIES as usize) {
        for together in divisors(units) {
            for split in divisors(together).filter(|split| splits_positions(a, *split)) {
                all.push(Machine { way, store, units, lanes, queries, together, split });
            }
        }
    }
    all
}

/// Whether a unit can have this part of the positions, and partial sums are those of the whole: a part is a power of two.
pub fn splits_positions(a: Attention, split: usize) -> bool {
    let part = a.positions() / split;
    split == 1 || (a.positions().is_multiple_of(split) && part.is_power_of_two() && part >= LANES as usize)
}

fn of_matrix(m: Matrix, units: usize) -> Vec<Machine> {
    let stores: &[(Way, Store, usize)] = match m.algorithm {
        Algorithm::Gptvq2 => &[
            (Way::Table, Store::Streamed, 8),
            (Way::Multiply, Store::Copies, 1),
            (Way::Multiply, Store::Copies, 2),
            (Way::Multiply, Store::Copies, 4),
            (Way::Multiply, Store::Copies, 8),
        ],
        Algorithm::Aqlm3 => &[(Way::Multiply, Store::Pairs, 2), (Way::Multiply, Store::Pairs, 4)],
        _ => &[(Way::Multiply, Store::Lattice, 2), (Way::Multiply, Store::Lattice, 4)],
    };
    let queries = |way| 1..=m.batch.min(if way == Way::Table { MAX_QUERIES } else { MAX_VECTORS } as usize);
    // each unit has rows of all tiles, or whole tiles
    let splits: &[usize] = if units > 1 && m.tile_count() >= units { &[1, units] } else { &[1] };
    let mut all = vec![];
    for &(way, store, lanes) in stores {
        for queries in queries(way) {
            all.extend(splits.iter().map(|&split| Machine {
                way,
                store,
                units,
                lanes,
                queries,
                together: units,
                split,
            }));
        }
    }
    all
}

/// The numbers that divide it.
pub fn divisors(number: usize) -> impl Iterator<Item = usize> {
    (1..=number).filter(move |divisor| number.is_multiple_of(*divisor))
}
