//! The parameters of a matrix-vector unit, what is legal, and how long it takes.

use super::super::cache_types::{CacheParams, WORD_NUMBERS};
use super::super::group_books::GroupParams;
use super::super::residual_books::{self, ResidualParams};
use super::super::{codebook_cache, e8p};
use crate::float::{add, multiply, tree};
use hdl::*;

/// The most vectors of a command.
pub const MAX_VECTORS: u32 = 4;
/// The most columns of a matrix.
pub const MAX_COLUMNS: u32 = 16384;
/// The most rows of a tile.
pub const MAX_TILE_ROWS: u32 = 65536;
/// Bits of a number of rows or columns.
pub const SIDE_BITS: u32 = 16;
/// Bits of a word of indices.
pub(super) const WORD_BITS: u32 = 64;
/// Bits of an index of a book, where it has no more entries than a byte numbers.
const BYTE: u32 = 8;
/// Columns of a beat at most.
const MAX_BEAT: u32 = 64;

/// Where values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixSource {
    /// A book for each tile; an index is a byte.
    Books {
        /// The most entries, 2 to 256.
        entries: u32,
        /// Numbers of an entry: 1, 2, 4, 8 or 16.
        vector: u32,
    },
    /// A book for each group of a row, of a matrix of one tile, as keys have it; an index is a byte.
    Groups {
        /// The most entries, 2 to 256.
        entries: u32,
        /// Numbers of an entry: 1, 2, 4, 8 or 16.
        vector: u32,
    },
    /// A book for each of two residuals, whose entries are added, of a matrix of one tile. An index is a byte, or of more than 256 entries as many
    /// bits as number them.
    Residual {
        /// The most entries, 2 to 4096.
        entries: u32,
        /// Numbers of an entry: 1, 2, 4, 8 or 16.
        vector: u32,
    },
    /// The lattice E8P with two residuals.
    Lattice,
}

/// What products are multiplied with at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixScales {
    /// Nothing.
    None,
    /// A number of the command.
    Tensor,
    /// A number for each row.
    Row,
}

/// The parameters of a matrix-vector unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixParams {
    /// Where values come from.
    pub source: MatrixSource,
    /// Indices that are looked up in a cycle: those of a word, or a half, a quarter or an eighth of them.
    pub lanes: u32,
    /// Vectors of a command, 1 to [`MAX_VECTORS`].
    pub vectors: u32,
    /// Rows of a tile, 1 to [`MAX_TILE_ROWS`].
    pub tile_rows: u32,
    /// Columns of a tile: whole words of indices.
    pub tile_columns: u32,
    /// The most columns of a matrix: whole words of indices.
    pub max_columns: u32,
    /// Scales.
    pub scales: MatrixScales,
}

impl MatrixParams {
    pub(super) fn is_lattice(self) -> bool {
        self.source == MatrixSource::Lattice
    }
    /// The cache of books.
    pub(super) fn cache(self) -> Option<CacheParams> {
        match self.source {
            MatrixSource::Books { entries, vector }
            | MatrixSource::Groups { entries, vector }
            | MatrixSource::Residual { entries, vector } => Some(CacheParams { entries, vector, lanes: self.lanes }),
            MatrixSource::Lattice => None,
        }
    }
    /// The books of groups, if these have some.
    pub(super) fn groups(self) -> Option<GroupParams> {
        let groups = matches!(self.source, MatrixSource::Groups { .. });
        self.cache().filter(|_| groups).map(|cache| GroupParams { cache, beats: self.tile_beats() })
    }
    /// The books of residuals, if these have some.
    pub(super) fn residual_books(self) -> Option<ResidualParams> {
        let residual = matches!(self.source, MatrixSource::Residual { .. });
        self.cache().filter(|_| residual).map(|cache| ResidualParams { cache, residuals: self.residuals() })
    }
    /// The books are those of one tile, for which all of them are loaded.
    pub(super) fn one_tile(self) -> bool {
        self.groups().is_some() || self.residual_books().is_some()
    }
    /// Numbers of an entry or a point.
    pub(super) fn vector(self) -> u32 {
        self.cache().map_or(e8p::SIZE as u32, |cache| cache.vector)
    }
    /// Indices of a group.
    pub(super) fn residuals(self) -> u32 {
        if matches!(self.source, MatrixSource::Lattice | MatrixSource::Residual { .. }) { 2 } else { 1 }
    }
    /// Sums that are kept by themselves.
    pub(super) fn sums(self) -> u32 {
        if self.is_lattice() { 2 } else { 1 }
    }
    /// Bits of an index.
    pub(super) fn index_bits(self) -> u32 {
        self.cache().map_or(e8p::CODE_BITS, |cache| cache.index_bits().max(BYTE))
    }
    /// Indices that are in a word whole.
    pub fn word_indices(self) -> u32 {
        WORD_BITS / self.index_bits()
    }
    /// Bits of the indices of a beat.
    pub(super) fn beat_bits(self) -> u32 {
        self.lanes * self.index_bits()
    }
    /// Words have beats that lie in two of them.
    pub(super) fn beats_cross(self) -> bool {
        !WORD_BITS.is_multiple_of(self.beat_bits())
    }
    /// Beats of a word; 1 where some lie in two words.
    pub(super) fn parts(self) -> u32 {
        if self.beats_cross() { 1 } else { WORD_BITS / self.beat_bits() }
    }
    /// Beats behind the one with which a row's last word is taken.
    pub(super) fn beats_behind(self) -> u32 {
        if self.beats_cross() { WORD_BITS.div_ceil(self.beat_bits()) - 1 } else { 0 }
    }
    /// Columns of a beat.
    pub fn beat_columns(self) -> u32 {
        self.lanes / self.residuals() * self.vector()
    }
    /// The fewest columns whose indices are whole words.
    pub fn word_columns(self) -> u32 {
        let low = self.index_bits().trailing_zeros();
        (WORD_BITS >> low) / self.residuals() * self.vector()
    }
    /// Words of a row of so many columns, a multiple of those.
    pub fn row_words(self, columns: u32) -> u32 {
        columns / self.vector() * self.residuals() * self.index_bits() / WORD_BITS
    }
    /// Numbers that are multiplied in a cycle.
    pub fn products(self) -> u32 {
        self.vectors * self.sums() * self.beat_columns()
    }
    /// A row has several tiles.
    pub(super) fn several_tiles(self) -> bool {
        self.max_columns > self.tile_columns
    }
    /// Beats of a row of a tile.
    pub(super) fn tile_beats(self) -> u32 {
        self.tile_columns / self.beat_columns()
    }
    /// Bits of the number of a beat in a row of a tile.
    pub(super) fn number_bits(self) -> u32 {
        clog2(self.tile_beats() as usize).max(1)
    }
    /// Levels of sums behind those of a beat.
    pub(super) fn levels(self) -> u32 {
        clog2(self.tile_beats() as usize)
    }
    /// Bits of the number of a beat in a row of the matrix.
    pub(super) fn place_bits(self) -> u32 {
        clog2((self.max_columns / self.beat_columns()) as usize).max(1)
    }
    /// Bits of the number of a row in a tile.
    pub(super) fn row_bits(self) -> u32 {
        clog2(self.tile_rows as usize).max(1)
    }
    /// Bits of a position in a report: the number of a row, or a byte of a book.
    pub(super) fn position_bits(self) -> u32 {
        self.cache().map_or(SIDE_BITS, |cache| cache.position_bits().max(SIDE_BITS))
    }
    /// Words of a vector.
    pub(super) fn vector_words(self) -> u32 {
        self.max_columns / WORD_NUMBERS
    }
    /// Rows that are on their way, or whose products wait.
    pub(super) fn depth(self) -> u32 {
        (latency(self) + 4).next_power_of_two()
    }

    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        if let Some(cache) = self.cache() {
            cache.check(module)?;
        }
        match self.mistake() {
            None => Ok(()),
            Some((what, help)) => Err(Errors::parameter(module, what, help)),
        }
    }

    /// What is wrong with the parameters, and what is legal.
    fn mistake(self) -> Option<(String, String)> {
        let MatrixParams { source, lanes, vectors, tile_rows, tile_columns, max_columns, .. } = self;
        let indices = self.word_indices();
        if let MatrixSource::Books { entries, .. } | MatrixSource::Groups { entries, .. } = source
            && entries > 1 << BYTE
        {
            return Some((format!("entries = {entries}"), "up to 256: an index is a byte".into()));
        }
        if !self.vector().is_power_of_two() {
            let help = "1, 2, 4, 8 or 16: a beat is a power of two";
            return Some((format!("vector = {}", self.vector()), help.into()));
        }
        if !lanes.is_power_of_two() || lanes > indices || lanes < self.residuals() {
            let help = format!("a power of two from {} to {indices}: a word has {indices} indices", self.residuals());
            return Some((format!("lanes = {lanes}"), help));
        }
        let columns = self.beat_columns();
        if !(WORD_NUMBERS..=MAX_BEAT).contains(&columns) {
            let help =
                format!("{WORD_NUMBERS} to {MAX_BEAT} columns a beat: the words of a vector have {WORD_NUMBERS}");
            return Some((format!("lanes = {lanes} with {columns} columns a beat"), help));
        }
        if !(1..=MAX_VECTORS).contains(&vectors) {
            let help = format!("from 1 to {MAX_VECTORS}: more are several units");
            return Some((format!("vectors = {vectors} is out of range"), help));
        }
        if !(1..=MAX_TILE_ROWS).contains(&tile_rows) {
            let help = format!("from 1 to {MAX_TILE_ROWS}: a matrix has 65535, so this is all of them");
            return Some((format!("tile_rows = {tile_rows} is out of range"), help));
        }
        for (name, value) in [("tile_columns", tile_columns), ("max_columns", max_columns)] {
            if value == 0 || value > MAX_COLUMNS || !value.is_multiple_of(self.word_columns()) {
                let help = format!("a multiple of {} up to {MAX_COLUMNS}: whole words of indices", self.word_columns());
                return Some((format!("{name} = {value}"), help));
            }
        }
        if self.one_tile() && (tile_rows, tile_columns) != (MAX_TILE_ROWS, max_columns) {
            let help =
                format!("{MAX_TILE_ROWS} x {max_columns}: the books of groups or residuals are those of one tile");
            return Some((format!("tiles of {tile_rows} x {tile_columns} with books of groups or residuals"), help));
        }
        (tile_columns > max_columns).then(|| {
            let what = format!("tile_columns = {tile_columns} with max_columns = {max_columns}");
            (what, "a tile has no more columns than a matrix".into())
        })
    }
}

/// Cycles from a beat in registers to its values.
pub(super) fn look_up_latency(p: MatrixParams) -> u32 {
    match p.source {
        MatrixSource::Lattice => e8p::LATENCY,
        MatrixSource::Residual { .. } => residual_books::LATENCY + add::NATURAL,
        MatrixSource::Books { .. } | MatrixSource::Groups { .. } => codebook_cache::LATENCY,
    }
}

/// Cycles from the last word of a row to its products.
pub fn latency(p: MatrixParams) -> u32 {
    let sums = multiply::NATURAL + tree::natural(p.beat_columns()) + add::NATURAL * p.levels();
    let two = if p.is_lattice() { multiply::NATURAL + add::NATURAL } else { 0 };
    let tiles = if p.several_tiles() { 2 + add::NATURAL } else { 0 };
    let scale = if p.scales == MatrixScales::None { 0 } else { multiply::NATURAL };
    // out of its words, into registers, values, sums; out of the FIFO
    p.beats_behind() + 1 + look_up_latency(p) + sums + two + tiles + scale + FIFO_LATENCY
}

/// Cycles through the FIFO of the products.
const FIFO_LATENCY: u32 = 2;

/// Cycles of a command in which no index is looked up, besides the loads of the books of its first tile.
pub fn overhead(p: MatrixParams) -> u32 {
    latency(p) - p.beats_behind() + 3
}

/// Cycles of the load of a book besides those of its words: one each, with vectors of 2 numbers two.
pub const LOAD: u32 = 3;
