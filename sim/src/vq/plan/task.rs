//! What is to be computed, and what is free for it.

use super::area::Area;
use crate::golden::vq::Algorithm;
use hw::vq::matrix_vector::{MAX_COLUMNS, SIDE_BITS};
use thiserror::Error;

/// Bits of the words that the units take.
pub const WORD_BITS: usize = 64;
/// The most of anything that a task counts.
const MOST: usize = 1 << 20;

/// A step of attention in one layer: a new token's queries with all keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attention {
    /// CQ-4 or CQ-2.
    pub algorithm: Algorithm,
    /// Tokens whose keys and values there are.
    pub tokens: usize,
    /// Numbers of a head.
    pub head: usize,
    /// Key-value heads.
    pub heads: usize,
    /// Query heads that share a key-value head.
    pub queries: usize,
    /// Sequences.
    pub batch: usize,
}

impl Attention {
    /// Numbers of an entry.
    pub fn vector(self) -> usize {
        self.algorithm.scheme().vector
    }
    /// Indices of a token, each with a book of its own.
    pub fn positions(self) -> usize {
        self.head / self.vector()
    }
    /// Entries of a book.
    pub fn entries(self) -> usize {
        self.algorithm.scheme().max_entries()
    }
    /// Bytes of the books of the keys of a head, or of its values.
    pub fn book_bytes(self) -> usize {
        self.positions() * self.algorithm.scheme().book_bytes()
    }
}

/// A matrix times a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// GPTVQ-2, AQLM-3 or QuiP#-4.
    pub algorithm: Algorithm,
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// Vectors.
    pub batch: usize,
}

/// Rows and columns of tiles, and how many there are of them; from left to right, then down.
pub type Tiles = Vec<(usize, usize, usize)>;

/// The tiles of a matrix; those at its right and lower edges are smaller.
pub fn tiles(matrix: (usize, usize), tile: (usize, usize)) -> Tiles {
    let sides = |whole: usize, tile: usize| {
        let rest = whole % tile;
        [(tile, whole / tile), (rest, usize::from(rest > 0))]
    };
    let (rows, cols) = (sides(matrix.0, tile.0), sides(matrix.1, tile.1));
    let all = rows.into_iter().flat_map(|(r, many)| cols.map(|(c, times)| (r, c, many * times)));
    all.filter(|tile| tile.2 > 0).collect()
}

impl Matrix {
    /// Rows and columns of what has books of its own.
    pub fn tile(self) -> (usize, usize) {
        match self.algorithm {
            Algorithm::Gptvq2 => (self.rows.min(Algorithm::GPTVQ_TILE), self.cols.min(Algorithm::GPTVQ_TILE)),
            _ => (self.rows, self.cols),
        }
    }
    /// Rows and columns of all tiles, and how many of them there are.
    pub fn tiles(self) -> Tiles {
        tiles((self.rows, self.cols), self.tile())
    }
    /// How many there are.
    pub fn tile_count(self) -> usize {
        self.tiles().iter().map(|tile| tile.2).sum()
    }
    /// Indices of a row of so many columns.
    pub fn indices(self, cols: usize) -> usize {
        let scheme = self.algorithm.scheme();
        cols / scheme.vector * scheme.residuals
    }
    /// Bytes of a row of indices of so many columns.
    pub fn row_bytes(self, cols: usize) -> usize {
        (self.indices(cols) * self.algorithm.scheme().bits as usize).div_ceil(8)
    }
    /// Bytes of the books of a tile.
    pub fn book_bytes(self) -> usize {
        let scheme = self.algorithm.scheme();
        scheme.residuals * scheme.book_bytes()
    }
    /// Tiles side by side, whose sums are added.
    pub fn tiles_across(self) -> usize {
        self.cols.div_ceil(self.tile().1)
    }
}

/// What is to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// With keys and values.
    Attention(Attention),
    /// With weights.
    Matrix(Matrix),
}

/// What is free of a device, and how much memory gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free {
    /// LUT4, block RAM, multipliers.
    pub area: Area,
    /// Bits that the bus gives in a cycle: a multiple of 64.
    pub bus_bits: usize,
}

/// Devices, and all that they have.
pub const DEVICES: [(&str, Area); 3] = [
    ("ecp5-25k", Area { lut4: 24_288, dp16kd: 56, dsp: 28 }),
    ("ecp5-45k", Area { lut4: 43_848, dp16kd: 108, dsp: 72 }),
    ("ecp5-85k", Area { lut4: 83_640, dp16kd: 208, dsp: 156 }),
];

/// Why there is no plan.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// A number is out of range.
    #[error("{what} = {found}: legal is {legal}")]
    Range {
        /// Which.
        what: &'static str,
        /// What was given.
        found: usize,
        /// What could be.
        legal: String,
    },
    /// The algorithm is for something else.
    #[error("{algorithm} is for {}", if algorithm.is_for_kv() { "keys and values" } else { "weights" })]
    Algorithm {
        /// Which.
        algorithm: Algorithm,
    },
    /// Nothing fits.
    #[error("no unit fits into {free}: the smallest in LUT sites takes {smallest}")]
    Full {
        /// What is free.
        free: Area,
        /// What would be needed.
        smallest: Area,
    },
}

/// A multiple of `step` from `step` to `most`.
fn check(what: &'static str, found: usize, step: usize, most: usize) -> Result<(), PlanError> {
    if found > 0 && found <= most && found.is_multiple_of(step) {
        return Ok(());
    }
    let legal = match step {
        1 => format!("1 to {most}"),
        _ => format!("a multiple of {step} from {step} to {most}"),
    };
    Err(PlanError::Range { what, found, legal })
}

impl Task {
    /// Whether units exist for it.
    pub fn check(&self) -> Result<(), PlanError> {
        match *self {
            Task::Attention(a) if !a.algorithm.is_for_kv() => Err(PlanError::Algorithm { algorithm: a.algorithm }),
            Task::Attention(a) => {
                use hw::vq::table_types::{LANES, MAX_POSITIONS};
                check("tokens", a.tokens, 1, MOST)?;
                check("head", a.head, LANES as usize * a.vector(), MAX_POSITIONS as usize * a.vector())?;
                [("heads", a.heads), ("queries", a.queries), ("batch", a.batch)]
                    .into_iter()
                    .try_for_each(|(what, found)| check(what, found, 1, 1024))
            }
            Task::Matrix(m) if m.algorithm.is_for_kv() => Err(PlanError::Algorithm { algorithm: m.algorithm }),
            Task::Matrix(m) => {
                check("rows", m.rows, 1, (1 << SIDE_BITS) - 1)?;
                check("cols", m.cols, m.algorithm.scheme().word_columns(), MAX_COLUMNS as usize)?;
                check("batch", m.batch, 1, 1024)
            }
        }
    }
    /// What the numbers are quantized with.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Task::Attention(a) => a.algorithm,
            Task::Matrix(m) => m.algorithm,
        }
    }
    /// Numbers of the task that come from memory.
    pub fn numbers(&self) -> usize {
        match *self {
            Task::Attention(a) => 2 * a.tokens * a.head * a.heads * a.batch,
            Task::Matrix(m) => m.rows * m.cols,
        }
    }
}

impl Free {
    /// Whether the bus is one that units can stand at.
    pub fn check(&self) -> Result<(), PlanError> {
        check("bus-bits", self.bus_bits, WORD_BITS, 4096)
    }
    /// Units that can each have a word of the bus in a cycle.
    pub fn ports(&self) -> usize {
        self.bus_bits / WORD_BITS
    }
}
