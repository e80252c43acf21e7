//! How long units take. Those by table by their own formulas; what multiplies is an estimate that is held to the bus and the lookups.

use super::machine::{Machine, Store, Way};
use super::task::{Attention, Matrix, WORD_BYTES};
use crate::golden::vq::Algorithm;
use hw::float::{add, multiply};
use hw::vq::cache_types::WORD_NUMBERS;
use hw::vq::scores::{self, ScoresParams};
use hw::vq::table_types::{MAX_TOKENS, TableParams};
use hw::vq::values::{self, ValuesParams};
use hw::vq::{banked_cache, codebook_cache, e8p};

/// Beats a cycle of a banked cache, in thousandths: what its page promises for any indices.
const BANKED_RATE: u64 = 980;
/// Cycles of a load besides its words (docs/blocks/vq_codebook_cache.md).
pub const LOAD: u64 = 4;

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

/// The tokens of each command.
fn commands(tokens: u64) -> impl Iterator<Item = u64> {
    let most = u64::from(MAX_TOKENS);
    (0..tokens.div_ceil(most)).map(move |i| most.min(tokens - i * most))
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

/// The same by multiplication, in one unit that keeps the books of a head in block RAM while all sequences pass: an estimate, nothing like it is built.
/// `resident`: the books come once for all sequences, else with each.
pub fn attention_by_multiplication(a: Attention, queries: usize, resident: bool) -> u64 {
    let books = (a.book_bytes() / WORD_BYTES) as u64;
    let rows = (a.tokens * a.positions() / WORD_BYTES) as u64;
    let loads = if resident { 1 } else { a.batch as u64 };
    let passes = passes(a, queries);
    2 * a.heads as u64 * (loads * (books + LOAD) + a.batch as u64 * passes * (rows + fill(8 * a.vector())))
}

/// Cycles until the last index has become a part of a sum of so many products.
fn fill(products: usize) -> u64 {
    let levels = products.next_power_of_two().ilog2() + 1;
    u64::from(codebook_cache::LATENCY + multiply::NATURAL + add::NATURAL * levels)
}

/// A matrix with all its vectors: of the units that work together, the one with most to do.
pub fn matrix(m: Matrix, machine: &Machine) -> u64 {
    let passes = m.batch.div_ceil(machine.queries) as u64;
    let of_tile = |rows: usize, cols| tile(m, machine, rows, cols);
    let tiles = m.tiles();
    let cycles = match machine.split {
        // each unit has a part of the rows of each tile
        1 => tiles.iter().map(|t| t.2 as u64 * of_tile(t.0.div_ceil(machine.together), t.1)).sum(),
        // each has whole tiles, dealt out evenly
        split => {
            let whole: u64 = tiles.iter().map(|t| t.2 as u64 * of_tile(t.0, t.1)).sum();
            let longest = tiles.iter().map(|t| of_tile(t.0, t.1)).max().unwrap_or(0);
            whole.div_ceil(split as u64).max(longest)
        }
    };
    passes * (cycles + fill(machine.lanes * m.algorithm.scheme().vector))
}

/// Beats of lookups in a banked cache.
pub fn banked_lookups(beats: u64) -> u64 {
    beats * 1000 / BANKED_RATE + u64::from(banked_cache::LATENCY)
}

/// A tile: its book, then its rows.
pub fn tile(m: Matrix, machine: &Machine, rows: usize, cols: usize) -> u64 {
    let rows = rows as u64;
    if machine.way == Way::Table {
        let cut = Matrix { rows: rows as usize, cols, ..m };
        return scores_command(machine.tile_table(cut), rows);
    }
    let beats = m.indices(cols).div_ceil(machine.lanes) as u64;
    let words = (rows * m.row_bytes(cols) as u64).div_ceil(WORD_BYTES as u64);
    let books = m.book_bytes().div_ceil(WORD_BYTES) as u64;
    match machine.store {
        Store::Banks(_) => books + LOAD + words.max(banked_lookups(rows * beats)),
        Store::Lattice => words.max(rows * beats) + u64::from(e8p::LATENCY),
        Store::Copies | Store::Streamed => books + LOAD + words.max(rows * beats),
    }
}

/// Times that an entry is used while its book is there.
pub fn uses(algorithm: Algorithm, tokens_or_rows: usize) -> f64 {
    tokens_or_rows as f64 / algorithm.scheme().max_entries() as f64
}
