//! What a machine costs.

use super::area::{self, Area, arithmetic};
use super::cycles;
use super::machine::{Machine, Way};
use super::task::{Attention, Matrix, Task};
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
    let jobs = a.heads * a.batch;
    let passes = cycles::passes(a, machine.queries) as usize;
    // each command has the books of its positions
    let commands = cycles::command_count(a.tokens.div_ceil(parts));
    let sums = |parts: usize, numbers: usize| if parts == 1 { 0 } else { 2 * parts * numbers * a.queries };
    let bytes = Bytes {
        books: 2 * jobs * passes * parts * commands * a.book_bytes(),
        indices: 2 * jobs * passes * a.tokens * a.positions(),
        sums: jobs * (sums(machine.split, a.tokens) + sums(parts, a.head)),
    };
    let area = unit * machine.units as u32 + arithmetic((joined + values) as u32, 0);
    // values take one query, and nothing adds the sums of several units
    let estimate = machine.queries > 1 || machine.split > 1 || parts > 1;
    Cost { area, cycles: cycles::attention(a, machine), bytes, estimate }
}

/// A matrix-vector unit for scores that also has sums for values, and keeps the books of a head for all sequences: neither is built.
fn multiplied_attention(a: Attention, machine: &Machine) -> Cost {
    let p = machine.multiplied_scores(a);
    let passes = cycles::passes(a, machine.queries) as usize;
    let bytes = Bytes {
        books: 2 * a.heads * a.book_bytes(),
        indices: 2 * a.heads * a.batch * passes * a.tokens * a.positions(),
        sums: 0,
    };
    // the multipliers serve both, the adders do not: a tree for scores, sums of their own for values
    let area = area::matrix_vector(p) + arithmetic(p.products(), 0);
    Cost { area, cycles: cycles::attention_by_multiplication(a, machine, true), bytes, estimate: true }
}

fn of_matrix(m: Matrix, machine: &Machine) -> Cost {
    let passes = m.batch.div_ceil(machine.queries);
    let parts = machine.together / machine.split;
    let tiles = m.tile_count();
    let indices: usize = m.tiles().iter().map(|(rows, cols, many)| many * rows * m.row_bytes(*cols)).sum();
    let sent = if machine.way == Way::Table { machine.tile_table(m).table.positions as usize } else { 1 };
    // a row has sums of as many units as have tiles of it
    let summed = machine.split.min(m.tiles_across());
    let bytes = Bytes {
        books: passes * parts * tiles * sent * m.book_bytes(),
        indices: passes * indices,
        sums: if summed == 1 { 0 } else { 2 * summed * m.rows * m.batch },
    };
    let joined = machine.queries * (machine.split - 1);
    let area = matrix_unit(m, machine) * machine.units as u32 + arithmetic(joined as u32, 0);
    // nothing adds the sums of several units
    Cost { area, cycles: cycles::matrix(m, machine), bytes, estimate: summed > 1 }
}

/// A unit for a matrix.
fn matrix_unit(m: Matrix, machine: &Machine) -> Area {
    match machine.matrix_vector(m) {
        Some(p) => area::matrix_vector(p),
        None => area::scores(machine.tile_table(m)),
    }
}
