//! What a machine costs.

use super::area::{self, Area, arithmetic};
use super::cycles;
use super::machine::{Machine, Store, Way};
use super::task::{Attention, Matrix, Task};
use crate::golden::vq::Algorithm;
use serde::Serialize;

/// Bytes of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// Of books, from memory.
    pub books: usize,
    /// Of indices, from memory.
    pub indices: usize,
    /// Of partial sums, between units.
    pub sums: usize,
}

impl Bytes {
    /// What comes from memory.
    pub fn memory(self) -> usize {
        self.books + self.indices
    }
}

/// What a machine takes for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// Of all units.
    pub area: Area,
    /// Of a step.
    pub cycles: u64,
    /// Of a step.
    pub bytes: Bytes,
    /// A part of it is not built, so that area and cycles are estimates.
    pub estimate: bool,
}

/// What a machine takes for a task.
pub fn cost(task: &Task, machine: &Machine) -> Cost {
    match *task {
        Task::Attention(a) => of_attention(a, machine),
        Task::Matrix(m) => of_matrix(m, machine),
    }
}

fn of_attention(a: Attention, machine: &Machine) -> Cost {
    if machine.way == Way::Multiply {
        return multiplied_attention(a, machine);
    }
    let parts = machine.together / machine.split;
    // what is split over positions has scores to be added, what is split over tokens has values
    let joined = machine.queries * (machine.units - machine.units / machine.split);
    let values = machine.queries * (machine.units - machine.units / parts);
    let unit = area::scores(machine.scores(a)) + area::values(machine.values(a)) * machine.queries as u32;
    let jobs = a.heads * a.batch * cycles::passes(a, machine.queries) as usize;
    let sums = |parts: usize, numbers: usize| if parts == 1 { 0 } else { 2 * parts * numbers * machine.queries };
    let bytes = Bytes {
        books: 2 * jobs * parts * a.book_bytes(),
        indices: 2 * jobs * a.tokens * a.positions(),
        sums: jobs * (sums(machine.split, a.tokens) + sums(parts, a.head)),
    };
    let area = unit * machine.units as u32 + arithmetic((joined + values) as u32, 0);
    Cost { area, cycles: cycles::attention(a, machine), bytes, estimate: false }
}

/// A unit that keeps the books of a head for all sequences: its lanes have those of their positions.
fn multiplied_attention(a: Attention, machine: &Machine) -> Cost {
    let [entries, vector, lanes] =
        [a.entries() * a.positions() / machine.lanes, a.vector(), machine.lanes].map(|n| n as u32);
    let products = lanes * vector * machine.queries as u32;
    let passes = cycles::passes(a, machine.queries) as usize;
    let bytes = Bytes {
        books: 2 * a.heads * a.book_bytes(),
        indices: 2 * a.heads * a.batch * passes * a.tokens * a.positions(),
        sums: 0,
    };
    // the multipliers serve both, the adders do not: a tree for scores, sums of their own for values
    let area = area::copies(entries, vector, lanes) + arithmetic(2 * products, products);
    Cost { area, cycles: cycles::attention_by_multiplication(a, machine.queries, true), bytes, estimate: true }
}

fn of_matrix(m: Matrix, machine: &Machine) -> Cost {
    let passes = m.batch.div_ceil(machine.queries);
    let parts = machine.together / machine.split;
    let tiles = m.tile_count();
    let indices: usize = m.tiles().iter().map(|(rows, cols, many)| many * rows * m.row_bytes(*cols)).sum();
    let sent = if machine.way == Way::Table { machine.tile_table(m).table.positions as usize } else { 1 };
    let bytes = Bytes {
        books: passes * parts * tiles * sent * m.book_bytes(),
        indices: passes * indices,
        sums: if machine.split == 1 { 0 } else { 2 * machine.split * m.rows * m.batch },
    };
    let joined = machine.queries * (machine.split - 1);
    let area = matrix_unit(m, machine) * machine.units as u32 + arithmetic(joined as u32, 0);
    Cost { area, cycles: cycles::matrix(m, machine), bytes, estimate: machine.way == Way::Multiply }
}

/// What decodes, and for each vector what multiplies: a multiplier for each number of a cycle, a tree of adders and the row's sum.
fn matrix_unit(m: Matrix, machine: &Machine) -> Area {
    if machine.way == Way::Table {
        return area::scores(machine.tile_table(m));
    }
    decoder(m, machine) + multiplier(m, machine) * machine.queries as u32
}

/// From words to entries, or to sums of entries.
pub fn decoder(m: Matrix, machine: &Machine) -> Area {
    let scheme = m.algorithm.scheme();
    let [lanes, vector, residuals] = [machine.lanes, scheme.vector, scheme.residuals].map(|n| n as u32);
    let entries = 1 << scheme.bits.min(12);
    // each residual's book has the lanes of its indices
    let books = match machine.store {
        Store::Lattice => area::e8p(lanes),
        Store::Banks(banks) => area::banked(entries, vector, lanes / residuals, banks) * residuals,
        Store::Copies | Store::Streamed => area::copies(entries, vector, lanes / residuals) * residuals,
    };
    let joined = if m.algorithm == Algorithm::Aqlm3 { lanes / 2 * vector } else { 0 };
    area::unpacker(lanes, scheme.bits) + books + arithmetic(joined, 0)
}

fn multiplier(m: Matrix, machine: &Machine) -> Area {
    let scheme = m.algorithm.scheme();
    // both points of the lattice are multiplied; entries of books are added before
    let added = if m.algorithm == Algorithm::Aqlm3 { 2 } else { 1 };
    let products = (machine.lanes * scheme.vector / added) as u32;
    arithmetic(products, products)
}
