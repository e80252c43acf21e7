//! What a file holds (sections 3 and 4).

use std::fmt;
use std::ops::Range;

use super::scheme::{Books, Scales, Scheme};

/// A file: one scheme, and the tensors quantized with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VqFile {
    /// How values become indices.
    pub scheme: Scheme,
    /// Whether the tensors have indices; otherwise there are books only.
    pub packed: bool,
    /// At most 65,535.
    pub tensors: Vec<Tensor>,
}

/// What a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TensorKind {
    /// Keys of a layer, after rotary embedding: a row is a token, a tile a head.
    Key,
    /// Values of a layer.
    Value,
    /// A matrix of weights `[out, in]`.
    Weight,
}

impl fmt::Display for TensorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            TensorKind::Key => "key",
            TensorKind::Value => "value",
            TensorKind::Weight => "weight",
        })
    }
}

/// A quantized tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Keys, values or weights.
    pub kind: TensorKind,
    /// The layer of keys and values, from 0; 0 for weights.
    pub layer: u32,
    /// 1 to 64 bytes.
    pub name: String,
    /// Tokens, or outputs of a matrix; 0 for keys and values without indices.
    pub rows: usize,
    /// Values of a row, a multiple of the vector size.
    pub cols: usize,
    /// Rows of a tile; 0 if all rows belong together, however many they become.
    pub tile_rows: usize,
    /// Columns of a tile, a multiple of the vector size; of a head for keys and values.
    pub tile_cols: usize,
    /// Part by part, group by group if groups have books of their own, residual by residual.
    pub books: Vec<Book>,
    /// binary16: none, one, or one for each row.
    pub scales: Vec<u16>,
    /// How weights were turned before they were quantized.
    pub rotation: Option<Rotation>,
    /// For each part its rows of indices; empty if the file has none.
    pub indices: Vec<Vec<u8>>,
}

/// A codebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// The values of one entry after the other, binary16, finite.
    pub values: Vec<u16>,
    /// Values of an entry.
    pub vector: usize,
}

/// Signs and Hadamard blocks on both sides of a matrix (section 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// log2 of the rows and columns of a block, 1 to 8.
    pub block_log2: u32,
    /// For each row whether it was negated.
    pub rows: Vec<bool>,
    /// For each column.
    pub cols: Vec<bool>,
}

/// A tile of a tensor: what shares codebooks, and lies together in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The rows of the tensor.
    pub rows: Range<usize>,
    /// The columns.
    pub cols: Range<usize>,
    /// The place of its first book among the tensor's.
    pub first_book: usize,
    /// How many books it has.
    pub books: usize,
    /// Groups of a row.
    pub groups: usize,
}

impl Book {
    /// How many entries it has.
    pub fn count(&self) -> usize {
        self.values.len() / self.vector
    }

    /// An entry.
    pub fn entry(&self, index: usize) -> &[u16] {
        &self.values[index * self.vector..(index + 1) * self.vector]
    }
}

impl Part {
    /// Indices of a row: group by group, residual by residual.
    pub fn indices_per_row(&self, scheme: &Scheme) -> usize {
        self.groups * scheme.residuals
    }

    /// Bytes of a row of indices.
    pub fn row_bytes(&self, scheme: &Scheme) -> usize {
        (self.indices_per_row(scheme) * scheme.bits as usize).div_ceil(8)
    }

    /// The place of the book for an index of a row, among the tensor's; `None` for the lattice.
    pub fn book_of(&self, scheme: &Scheme, position: usize) -> Option<usize> {
        match scheme.books {
            Books::Lattice => None,
            Books::Tile => Some(self.first_book + position % scheme.residuals),
            Books::Group => Some(self.first_book + position),
        }
    }
}

impl Tensor {
    /// How many tiles lie below each other.
    fn bands(&self) -> usize {
        if self.tile_rows == 0 { 1 } else { self.rows.div_ceil(self.tile_rows) }
    }

    /// How many parts it has.
    pub fn part_count(&self) -> usize {
        self.bands() * self.cols.div_ceil(self.tile_cols)
    }

    /// The parts: bands of tiles from top to bottom, the tiles of a band from left to right.
    pub fn parts(&self, scheme: &Scheme) -> impl Iterator<Item = Part> + use<> {
        let (rows, cols, height, width) = (self.rows, self.cols, self.tile_rows, self.tile_cols);
        let (across, scheme) = (cols.div_ceil(width), *scheme);
        let mut first_book = 0;
        (0..self.part_count()).map(move |i| {
            let (band, column) = (i / across, i % across * width);
            let rows = if height == 0 { 0..rows } else { band * height..rows.min((band + 1) * height) };
            let cols = column..cols.min(column + width);
            let groups = cols.len() / scheme.vector;
            let books = match scheme.books {
                Books::Lattice => 0,
                Books::Tile => scheme.residuals,
                Books::Group => groups * scheme.residuals,
            };
            first_book += books;
            Part { rows, cols, first_book: first_book - books, books, groups }
        })
    }

    /// How many scales it has.
    pub fn scale_count(&self, scheme: &Scheme) -> usize {
        match scheme.scales {
            Scales::None => 0,
            Scales::Tensor => 1,
            Scales::Row => self.rows,
        }
    }

    /// The scale of a row; `None` if there are none.
    pub fn scale(&self, row: usize) -> Option<u16> {
        match self.scales.len() {
            0 => None,
            1 => Some(self.scales[0]),
            _ => Some(self.scales[row]),
        }
    }

    /// The indices of one row of a part.
    pub fn row_indices(&self, scheme: &Scheme, number: usize, part: &Part, row: usize) -> Vec<u16> {
        let bytes = part.row_bytes(scheme);
        let row = &self.indices[number][row * bytes..(row + 1) * bytes];
        super::unpack_row(row, part.indices_per_row(scheme), scheme.bits)
    }

    /// Bits of all indices, with what fills their rows.
    pub fn index_bits(&self) -> u64 {
        self.indices.iter().map(|part| 8 * part.len() as u64).sum()
    }

    /// Bits of books, scales and signs, with headers and CRCs.
    pub fn book_bits(&self) -> u64 {
        let books = self.books.iter().map(|book| 64 + 16 * book.values.len() as u64).sum::<u64>();
        let signs = self.rotation.as_ref().map_or(0, |r| r.rows.len() as u64 + r.cols.len() as u64);
        books + 16 * self.scales.len() as u64 + signs
    }
}
