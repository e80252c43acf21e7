//! The lookups of a packed tensor, as eight lanes make them tile by tile.

use crate::golden::vq::{Books, Part, Tensor, VqFile};
use crate::vq::banks::busiest;

/// Lanes, and banks of the memory that they share.
pub const LANES: usize = 8;
/// Tokens or columns of the paper's tiles.
pub const TILE: usize = 128;
/// Words of 8 bytes that an access to memory moves at least: a DDR3 burst of eight beats of 16 bits.
pub const BURST_WORDS: usize = 2;

/// What a tile looks up: in each beat up to eight entries, book by book numbered through.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The beats: book and entry of each lane.
    pub beats: Vec<Vec<(usize, usize)>>,
    /// Words of the bus with its indices.
    pub words: usize,
    /// The books that it looks up in; of the lattice its 256 stored vectors.
    pub books: usize,
}

impl Tile {
    /// Cycles of the lookups in eight banks, entry `e` in bank `e mod 8`; all lanes wait for each other. Entries below `registers` and from `shared` on need no
    /// bank.
    pub fn bank_cycles(&self, registers: usize, shared: usize) -> usize {
        let of_beat = |beat: &Vec<(usize, usize)>| {
            let in_banks = beat.iter().filter(|(_, entry)| (registers..shared).contains(entry));
            busiest(in_banks.map(|(_, entry)| entry % LANES), LANES)
        };
        self.beats.iter().map(of_beat).sum()
    }
    /// All lookups.
    pub fn lookups(&self) -> usize {
        self.beats.iter().map(Vec::len).sum()
    }
    /// Lookups of entries from `shared` on.
    pub fn misses(&self, shared: usize) -> usize {
        self.beats.iter().flatten().filter(|(_, entry)| *entry >= shared).count()
    }
}

/// The tiles of a part of a tensor: of 128 tokens of keys and values, of 128 columns of weights.
pub fn tiles(file: &VqFile, tensor: &Tensor, number: usize, part: &Part) -> Vec<Tile> {
    let scheme = &file.scheme;
    let lattice = scheme.books == Books::Lattice;
    let lookup = |(position, index): (usize, u16)| match part.book_of(scheme, position) {
        Some(book) => (book, usize::from(index)),
        None => (position % scheme.residuals, usize::from(index >> 8)),
    };
    let rows: Vec<Vec<(usize, usize)>> = (0..part.rows.len())
        .map(|row| tensor.row_indices(scheme, number, part, row).into_iter().enumerate().map(lookup).collect())
        .collect();
    let cut: Vec<Vec<&[(usize, usize)]>> = if scheme.books == Books::Group {
        rows.chunks(TILE).map(|rows| rows.iter().map(|row| &row[..]).collect()).collect()
    } else {
        let width = TILE / scheme.vector * scheme.residuals;
        let columns = part.groups * scheme.residuals;
        (0..columns)
            .step_by(width)
            .map(|at| rows.iter().map(|row| &row[at..(at + width).min(columns)]).collect())
            .collect()
    };
    let tile = |rows: Vec<&[(usize, usize)]>| {
        let beats: Vec<Vec<_>> = rows.iter().flat_map(|row| row.chunks(LANES).map(<[_]>::to_vec)).collect();
        let bits: usize = rows.iter().map(|row| (row.len() * scheme.bits as usize).next_multiple_of(8)).sum();
        let books = if lattice { 1 } else { part.books };
        Tile { beats, words: bits.div_ceil(64), books }
    };
    cut.into_iter().map(tile).collect()
}
