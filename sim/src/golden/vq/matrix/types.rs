//! The matrix-vector unit's parameters, what it is asked for, and what it answers.

use crate::golden::vq::cache::LoadWord;
use crate::golden::vq::e8p::DIMENSIONS;
use crate::golden::vq::scheme::Scales;

/// Bits of a word.
const WORD_BITS: usize = 64;

/// Where values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixSource {
    /// A book for each tile; an index is a byte.
    Books {
        /// The most entries.
        entries: usize,
        /// Numbers of an entry.
        vector: usize,
    },
    /// A book for each group of a row, of a matrix of one tile; an index is a byte.
    Groups {
        /// The most entries.
        entries: usize,
        /// Numbers of an entry.
        vector: usize,
    },
    /// A book for each of two residuals, whose entries are added, of a matrix of one tile. An index is a byte, or of more than 256 entries as
    /// many bits as number them.
    Residual {
        /// The most entries.
        entries: usize,
        /// Numbers of an entry.
        vector: usize,
    },
    /// The lattice E8P with two residuals.
    Lattice,
}

/// A unit: its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixUnit {
    /// Where values come from.
    pub source: MatrixSource,
    /// Vectors of a command.
    pub vectors: usize,
    /// Rows of a tile.
    pub tile_rows: usize,
    /// Columns of a tile.
    pub tile_columns: usize,
    /// The most columns of a matrix.
    pub max_columns: usize,
    /// Scales.
    pub scales: Scales,
}

/// Why a command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixCause {
    /// A word came with an error of the bus.
    Bus = 1,
    /// A book has more entries than the unit.
    Large = 2,
    /// The words end too early.
    Short = 3,
    /// There are words behind the last one.
    Long = 4,
    /// The CRC-32 is not that of the book.
    Crc = 5,
    /// It is another book than the next one.
    Id = 6,
    /// A number of a book is infinite or NaN.
    Number = 7,
    /// What fills the last word of a book is not zero.
    Padding = 8,
    /// An index has no entry.
    Index = 9,
    /// A vector has too few or too many words.
    Vector = 10,
    /// There are no rows.
    NoRows = 11,
    /// There are no columns, too many, or not whole words of indices.
    Columns = 12,
    /// There are fewer or more books than tiles, groups or residuals.
    Books = 13,
    /// There are fewer or more scales than rows.
    Scales = 14,
}

/// A command that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixFault {
    /// Why.
    pub cause: MatrixCause,
    /// It is in a book; the position is a byte of it then, else a row of the tile.
    pub in_book: bool,
    /// The number of the tile; where groups or residuals have books and it is in one, that of the book.
    pub tile: u32,
    /// Where.
    pub position: u32,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct MatrixCommand {
    /// The number of the first book.
    pub first: u32,
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub columns: usize,
    /// What the second points of the lattice are multiplied with.
    pub ratio: u16,
    /// The scale of all rows, where there is one.
    pub scale: u16,
    /// The vectors, or as much of each as came.
    pub vectors: Vec<Vec<u16>>,
    /// The books.
    pub books: Vec<Vec<LoadWord>>,
    /// Indices of the rows.
    pub words: Vec<LoadWord>,
    /// Scales of rows, where they have some, or as many as came.
    pub scales: Vec<u16>,
}

/// The products of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowProducts {
    /// One for each vector. Where an index has no entry they mean nothing.
    pub sums: Vec<u16>,
    /// An index has no entry.
    pub wrong: bool,
    /// It is the last row.
    pub last: bool,
}

impl MatrixUnit {
    /// Bits of an index.
    pub fn index_bits(&self) -> usize {
        match self.source {
            MatrixSource::Books { .. } | MatrixSource::Groups { .. } => 8,
            MatrixSource::Residual { entries, .. } => {
                (2..=12).find(|bits| entries <= 1 << bits).map_or(12, |bits| bits.max(8))
            }
            MatrixSource::Lattice => 16,
        }
    }

    /// Indices of a row of so many columns.
    pub fn row_indices(&self, columns: usize) -> usize {
        match self.source {
            MatrixSource::Books { vector, .. } | MatrixSource::Groups { vector, .. } => columns / vector,
            MatrixSource::Residual { vector, .. } => 2 * (columns / vector),
            MatrixSource::Lattice => 2 * (columns / DIMENSIONS),
        }
    }

    /// Words of a row of so many columns.
    pub fn row_words(&self, columns: usize) -> usize {
        self.row_indices(columns) * self.index_bits() / WORD_BITS
    }

    /// The fewest columns whose indices are whole words. More are a multiple of these.
    pub fn word_columns(&self) -> usize {
        let whole = |columns: &usize| {
            let indices = self.row_indices(*columns);
            indices > 0 && (indices * self.index_bits()).is_multiple_of(WORD_BITS)
        };
        (0..12).map(|log2| 1 << log2).find(whole).expect("64 indices are whole words")
    }

    /// The most entries of a book, and the numbers of each.
    pub fn book_size(&self) -> Option<(usize, usize)> {
        match self.source {
            MatrixSource::Books { entries, vector }
            | MatrixSource::Groups { entries, vector }
            | MatrixSource::Residual { entries, vector } => Some((entries, vector)),
            MatrixSource::Lattice => None,
        }
    }

    /// Tiles of so many rows and columns.
    pub fn tiles(&self, rows: usize, columns: usize) -> usize {
        rows.div_ceil(self.tile_rows) * columns.div_ceil(self.tile_columns)
    }

    /// Books of a tile of so many columns.
    pub fn books_of_tile(&self, columns: usize) -> usize {
        match self.source {
            MatrixSource::Books { .. } => 1,
            MatrixSource::Groups { vector, .. } => columns / vector,
            MatrixSource::Residual { .. } => 2,
            MatrixSource::Lattice => 0,
        }
    }
}
