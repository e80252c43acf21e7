//! How long units take: those by table and matrix-vector units by their own formulas, the latter held to the bus.

use super::area;
use super::machine::Machine;
use super::task::{Attention, Matrix};
use crate::golden::vq::Algorithm;
use hw::vq::cache_types::WORD_NUMBERS;
use hw::vq::encoder;
use hw::vq::matrix_vector::{self, MatrixParams, MatrixSource, SIDE_BITS};
use hw::vq::scores::{self, ScoresParams};
use hw::vq::table_types::{MAX_TOKENS, TableParams};
use hw::vq::values::{self, ValuesParams};

/// Cycles from a request to the first word of the memory that plans count with, and that `kvforge vq run` simulates.
pub const MEMORY: u64 = 40;

/// Words of the books of all positions.
pub fn book_words(p: TableParams) -> u64 {
    u64::from(p.positions) * (1 + u64::from(p.entries * p.vector / WORD_NUMBERS))
}

/// Words of books and rows, and a cycle for each book.
fn table_cycles(p: TableParams, tokens: u64) -> u64 {
    book_words(p) + u64::from(p.positions) + tokens * u64::from(p.beats())
}

/// Scores of some tokens; more than a command can have are several.
pub fn scores_command(p: ScoresParams, tokens: u64) -> u64 {
    commands(tokens).map(|tokens| table_cycles(p.table, tokens) + u64::from(scores::overhead(p))).sum()
}

/// Values of some tokens.
pub fn values_command(p: ValuesParams, tokens: u64) -> u64 {
    commands(tokens).map(|tokens| table_cycles(p.table, tokens) + u64::from(values::overhead(p))).sum()
}

/// The indices of a new key or value.
pub fn encoder_command(p: TableParams) -> u64 {
    table_cycles(p, 0) + u64::from(encoder::overhead(p))
}

/// The tokens of each command.
fn commands(tokens: u64) -> impl Iterator<Item = u64> {
    let most = u64::from(MAX_TOKENS);
    (0..tokens.div_ceil(most)).map(move |i| most.min(tokens - i * most))
}

/// How many commands these are.
pub fn command_count(tokens: usize) -> usize {
    tokens.div_ceil(MAX_TOKENS as usize)
}

/// Passes over the books and rows of a head.
pub fn passes(a: Attention, queries: usize) -> u64 {
    a.queries.div_ceil(queries) as u64
}

/// All heads, sequences and queries by table.
pub fn attention(a: Attention, machine: &Machine) -> u64 {
    let jobs = (a.heads * a.batch) as u64 * passes(a, machine.queries);
    let turns = jobs.div_ceil((machine.units / machine.together) as u64);
    let tokens = a.tokens.div_ceil(machine.together / machine.split) as u64;
    turns * (scores_command(machine.scores(a), tokens) + values_command(machine.values(a), tokens))
}

/// All heads, sequences and queries by multiplication, in one unit. Scores are those of the matrix-vector unit; values are not built, and taken to be as long.
/// `kept`: books stay in block RAM for all sequences, which is not built either; else each command loads them.
pub fn attention_by_multiplication(a: Attention, machine: &Machine, kept: bool) -> u64 {
    let p = machine.multiplied_scores(a);
    let most = u64::from(MAX_ROWS);
    let (commands, rows) = ((a.tokens as u64).div_ceil(most), a.tokens as u64 * beats(p, a.head));
    let load = tile_load(p, a.head);
    let jobs = a.batch as u64 * passes(a, machine.queries);
    let loads = if kept { 1 } else { jobs * commands };
    2 * a.heads as u64 * (loads * load + jobs * (commands * u64::from(matrix_vector::overhead(p)) + rows))
}

/// The most rows of a command of a matrix-vector unit.
const MAX_ROWS: u32 = (1 << SIDE_BITS) - 1;

/// Cycles of a load of a book of so many words: pieces of words that divide an entry are written.
pub fn load(words: u64, vector: usize, besides: u64) -> u64 {
    let pieces = WORD_NUMBERS / (1 << vector.trailing_zeros().min(WORD_NUMBERS.ilog2()));
    words * u64::from(pieces) + besides
}

/// Beats of a row of a tile.
fn beats(p: MatrixParams, cols: usize) -> u64 {
    (cols as u64).div_ceil(u64::from(p.beat_columns()))
}

/// Words of the books of a tile with so many columns.
fn tile_book_words(p: MatrixParams, cols: usize) -> u64 {
    let words = |entries: u32, vector: u32| u64::from(1 + (entries * vector).div_ceil(WORD_NUMBERS));
    match p.source {
        MatrixSource::Books { entries, vector } => words(entries, vector),
        MatrixSource::Groups { entries, vector } => cols as u64 / u64::from(vector) * words(entries, vector),
        MatrixSource::Residual { entries, vector } => 2 * words(entries, vector),
        MatrixSource::Lattice => 0,
    }
}

/// Cycles of their loads.
fn tile_load(p: MatrixParams, cols: usize) -> u64 {
    let (vector, books) = match p.source {
        MatrixSource::Books { vector, .. } => (vector as usize, 1),
        MatrixSource::Groups { vector, .. } => (vector as usize, cols as u64 / u64::from(vector)),
        MatrixSource::Residual { vector, .. } => (vector as usize, 2),
        MatrixSource::Lattice => return 0,
    };
    load(tile_book_words(p, cols), vector, books * u64::from(matrix_vector::LOAD))
}

/// What lookups take: in the units that are built a beat each cycle, and a book is loaded while the one before is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookups {
    /// Cycles of 1,000 beats.
    pub beats_of_1000: u64,
    /// Of 1,000 lookups, those in memory.
    pub cold_of_1000: u64,
    /// A load waits for the last lookup in the book before.
    pub loads_wait: bool,
}

impl Lookups {
    /// As it is built.
    pub const EACH_CYCLE: Lookups = Lookups { beats_of_1000: 1000, cold_of_1000: 0, loads_wait: false };
    /// Lookups under way in memory, and the cycles of each beside those of its words, as `vq_tiered_cache` has them.
    const OUTSTANDING: u64 = 16;
    const LATENCY: u64 = MEMORY + 3;

    /// Cycles of lookups in memory, of entries of so many words each.
    pub fn memory_cycles(lookups: u64, words: u64) -> u64 {
        (lookups * (Self::LATENCY + words)).div_ceil(Self::OUTSTANDING)
    }
    /// Of so many lookups, those in memory.
    pub fn cold(self, lookups: u64) -> u64 {
        (u128::from(lookups) * u128::from(self.cold_of_1000) / 1000) as u64 // of all, so it fits again
    }
    /// Cycles of so many beats of some lanes.
    fn beats(self, p: MatrixParams, beats: u64) -> u64 {
        let near = (beats * self.beats_of_1000).div_ceil(1000);
        near.max(Self::memory_cycles(self.cold(beats * u64::from(p.lanes)), Self::entry_words(p)))
    }
    /// Words of an entry in memory.
    pub fn entry_words(p: MatrixParams) -> u64 {
        u64::from(area::entries(p).1.div_ceil(WORD_NUMBERS))
    }
    /// Words that come from memory beside those of rows and books.
    fn words(self, p: MatrixParams, beats: u64) -> u64 {
        self.cold(beats * u64::from(p.lanes)) * Self::entry_words(p)
    }
}

/// A command of a matrix-vector unit: the first book, then for each tile its rows or the next tile's book, whichever takes longer. `one_bus`: both
/// come by a bus that gives a word a cycle; else by two.
pub fn matrix_command(p: MatrixParams, tiles: &[(usize, usize, usize)], one_bus: bool) -> u64 {
    matrix_command_with(p, tiles, one_bus, Lookups::EACH_CYCLE)
}

/// The same with other lookups.
fn matrix_command_with(p: MatrixParams, tiles: &[(usize, usize, usize)], one_bus: bool, lookups: Lookups) -> u64 {
    let all_beats = |(rows, cols, _): (usize, usize, usize)| rows as u64 * beats(p, cols);
    let rows = |tile| lookups.beats(p, all_beats(tile));
    let with_next = |tile: (usize, usize, usize)| {
        let words = tile.0 as u64 * u64::from(p.row_words(tile.1 as u32)) + lookups.words(p, all_beats(tile));
        let load = tile_load(p, tile.1);
        let moved = if one_bus { words + tile_book_words(p, tile.1) } else { 0 };
        if lookups.loads_wait { (rows(tile) + load).max(moved) } else { rows(tile).max(load).max(moved) }
    };
    let (Some(first), Some(last)) = (tiles.first(), tiles.last()) else { return 0 };
    let all: u64 = tiles.iter().map(|tile| tile.2 as u64 * with_next(*tile)).sum();
    // behind the last tile there is no book
    tile_load(p, first.1) + all - with_next(*last) + rows(*last) + u64::from(matrix_vector::overhead(p))
}

/// A matrix with all its vectors: of the units that work together, the one with most to do.
pub fn matrix(m: Matrix, machine: &Machine) -> u64 {
    matrix_with(m, machine, Lookups::EACH_CYCLE)
}

/// The same with other lookups.
pub fn matrix_with(m: Matrix, machine: &Machine, lookups: Lookups) -> u64 {
    let passes = m.batch.div_ceil(machine.queries) as u64;
    let tiles = m.tiles();
    if machine.split > 1 {
        let each = tiles.iter().flat_map(|t| std::iter::repeat_n(alone(m, machine, (t.0, t.1, 1), lookups), t.2));
        return passes * fullest(each.collect(), machine.split);
    }
    // each unit has a part of the rows of each tile
    let parts: Vec<_> = tiles.iter().map(|t| (t.0.div_ceil(machine.together), t.1, t.2)).collect();
    let whole: u64 = match machine.matrix_vector(m) {
        Some(p) => matrix_command_with(p, &parts, true, lookups),
        None => parts.iter().map(|t| t.2 as u64 * alone(m, machine, *t, lookups)).sum(),
    };
    passes * whole
}

/// What the fullest unit has, when tasks are dealt out: the longest first, each to the unit that has least.
pub fn fullest(mut tasks: Vec<u64>, units: usize) -> u64 {
    tasks.sort_unstable_by(|a, b| b.cmp(a));
    let mut filled = vec![0; units];
    for task in tasks {
        if let Some(least) = filled.iter_mut().min() {
            *least += task;
        }
    }
    filled.into_iter().max().unwrap_or(0)
}

/// A tile in a command of its own.
fn alone(m: Matrix, machine: &Machine, tile: (usize, usize, usize), lookups: Lookups) -> u64 {
    let (rows, cols, _) = tile;
    match machine.matrix_vector(m) {
        Some(p) => matrix_command_with(p, &[(rows, cols, 1)], true, lookups),
        None => scores_command(machine.tile_table(Matrix { rows, cols, ..m }), rows as u64),
    }
}

/// Times that an entry is used while its book is there.
pub fn uses(algorithm: Algorithm, tokens_or_rows: usize) -> f64 {
    tokens_or_rows as f64 / algorithm.scheme().max_entries() as f64
}
