//! The paper's ladder of optimizations (Table IV) in cycles of an FPGA: a bus of 64 bits, a memory of eight banks that eight lanes share, and as many
//! multipliers as a beat needs. Latencies are hidden; what moves on the bus, and lanes that wait for each other, are not.
//!
//! - GC: each entry comes from memory, a burst of 16 bytes.
//! - SC: all books of a tile of 128 tokens or columns are loaded anew for it.
//! - O1: of each book only the first entries are loaded, as many as make the tile fastest; the others come from memory.
//! - O2: of these, the first 32 are in registers and need no bank.
//! - O3: books are loaded whole, for a split factor of tiles; partial sums are written and read for each of these.
//! - O4: entries go straight into products. Until then those of values and weights go through a buffer in the banks: a cycle in, a cycle out.

use super::lookups::{BURST_WORDS, TILE, Tile};
use crate::vq::plan::{Attention, Split, best_split};

/// Entries in registers.
pub const REGISTERS: usize = 32;

/// A tensor that is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Words of a book.
    pub book_words: usize,
    /// Cycles in which a book comes into copies.
    pub copy_cycles: usize,
    /// Bytes of an entry.
    pub entry_bytes: usize,
    /// Entries of a book.
    pub entries: usize,
    /// Bytes of the partial sums of all that shares books; 0 where what is split is no sum.
    pub output: usize,
    /// Whether entries go through a buffer.
    pub buffered: bool,
    /// Sequences that share books, each with as many lookups.
    pub sequences: usize,
}

/// Cycles of each rung.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    /// Every lookup from memory.
    pub gc: usize,
    /// All entries in block RAM.
    pub sc: usize,
    /// The first entries in block RAM.
    pub o1: usize,
    /// The first of these in registers.
    pub o2: usize,
    /// Books loaded for several tiles.
    pub o3: usize,
    /// Straight into products.
    pub o4: usize,
    /// A copy of the books for each lane, loaded once: no paper's, but what block RAM allows.
    pub copies: usize,
}

impl Ladder {
    /// The sum of two tensors.
    pub fn and(self, other: Ladder) -> Ladder {
        let sum = |of: fn(&Ladder) -> usize| of(&self) + of(&other);
        Ladder {
            gc: sum(|l| l.gc),
            sc: sum(|l| l.sc),
            o1: sum(|l| l.o1),
            o2: sum(|l| l.o2),
            o3: sum(|l| l.o3),
            o4: sum(|l| l.o4),
            copies: sum(|l| l.copies),
        }
    }
    /// The same many times.
    pub fn times(self, factor: f64) -> Ladder {
        let scaled = |cycles: usize| (cycles as f64 * factor).round() as usize;
        let [gc, sc, o1, o2, o3, o4, copies] =
            [self.gc, self.sc, self.o1, self.o2, self.o3, self.o4, self.copies].map(scaled);
        Ladder { gc, sc, o1, o2, o3, o4, copies }
    }
}

/// All rungs for tiles that share their books.
pub fn ladder(tiles: &[Tile], shape: Shape) -> Ladder {
    let buffer = |tile: &Tile| if shape.buffered { 2 * tile.beats.len() } else { 0 };
    let books = |tile: &Tile| tile.books * shape.book_words;
    let first = |tile: &Tile, registers: usize| {
        let counts = std::iter::successors(Some(shape.entries), |count| (*count > 8).then_some(count / 2));
        let cycles = counts.map(|shared| {
            let left_out = (shape.entries - shared) * shape.entry_bytes / 8;
            let loaded = tile.books * (shape.book_words - left_out);
            let looked_up = tile.words.max(tile.bank_cycles(registers.min(shared), shared));
            loaded + tile.misses(shared) * BURST_WORDS + looked_up
        });
        cycles.min().unwrap_or(0) + buffer(tile)
    };
    let sum = |of: &dyn Fn(&Tile) -> usize| shape.sequences * tiles.iter().map(of).sum::<usize>();
    let in_registers = sum(&|tile| tile.words.max(tile.bank_cycles(REGISTERS, shape.entries)));
    let loads = loads(tiles, shape);
    let o4 = loads + in_registers;
    Ladder {
        gc: sum(&|tile| tile.words + tile.lookups() * shape.entry_bytes.div_ceil(8).max(BURST_WORDS) + buffer(tile)),
        sc: sum(&|tile| books(tile) + tile.words.max(tile.bank_cycles(0, shape.entries)) + buffer(tile)),
        o1: sum(&|tile| first(tile, 0)),
        o2: sum(&|tile| first(tile, REGISTERS)),
        o3: o4 + sum(&buffer),
        o4,
        copies: tiles.first().map_or(0, |tile| tile.books * shape.copy_cycles)
            + sum(&|tile| tile.words.max(tile.beats.len())),
    }
}

/// The split factor of the scores of all tiles of a head that share books: how many tiles there are, and the best divisor.
pub fn score_split(a: Attention) -> (usize, Split) {
    let tiles = a.tokens / TILE * a.batch;
    let divisors = (1..=tiles).filter(|factor| tiles.is_multiple_of(*factor));
    (tiles, best_split(tiles, 2 * a.tokens * a.batch, a.book_bytes(), divisors))
}

/// Words of books and of partial sums with the best split factor.
fn loads(tiles: &[Tile], shape: Shape) -> usize {
    let (number, books) =
        (tiles.len() * shape.sequences, tiles.first().map_or(0, |tile| 8 * tile.books * shape.book_words));
    let divisors = (1..=number).filter(|factor| number.is_multiple_of(*factor));
    match shape.output {
        // nothing is added up: each book once
        0 => books.div_ceil(8),
        output => best_split(number, output, books, divisors).bytes.div_ceil(8),
    }
}
