//! Areas of units on an ECP5, fitted to `docs/qor.json`.
//!
//! LUT4 are counted as a device has them: LUT4, 2 for each CCU2C, 6 for each DPR16X4 (the page's LUT sites). What a unit is made of is counted, the adders and
//! multipliers with their measured areas; the rest is what the measured configurations leave over.

use hw::vq::matrix_vector::{self, MatrixParams, MatrixScales, MatrixSource};
use hw::vq::scores::ScoresParams;
use hw::vq::table_types::{LANES, TableParams};
use hw::vq::values::ValuesParams;
use serde::Serialize;
use std::fmt;
use std::ops::{Add, Mul};

/// An adder of binary16, `f16_add`.
pub const LUT4_OF_ADDER: u32 = 274;
/// A multiplier of binary16, `f16_mul`.
pub const LUT4_OF_MULTIPLIER: u32 = 197;
/// A multiplier of a number of the lattice, with its part of what travels beside it; fitted.
pub const LUT4_OF_QUARTERS: u32 = 90;
/// A multiplier by a number of a vector that was prepared when it came; fitted.
const LUT4_OF_PREPARED: u32 = 176;
/// What prepares the numbers of a word; fitted.
const LUT4_OF_PREPARING: u32 = 307;
/// The adder of a level of sums of beats, one of whose operands a register with a reset holds; fitted.
const LUT4_OF_LEVEL: u32 = 244;
/// Control of a matrix-vector unit; fitted.
const LUT4_OF_MATRIX_VECTOR: u32 = 800;
/// Numbers of a DP16KD of 18 bits.
const ROWS_OF_18: u32 = 1024;
/// Rows of one of 36 bits.
const ROWS_OF_36: u32 = 512;

/// Parts of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Area {
    /// LUT4.
    pub lut4: u32,
    /// Block RAMs of 18 kbit.
    pub dp16kd: u32,
    /// Multipliers of 18 bits.
    pub dsp: u32,
}

impl Area {
    /// Whether it fits into what is free.
    pub fn fits(self, free: Area) -> bool {
        self.lut4 <= free.lut4 && self.dp16kd <= free.dp16kd && self.dsp <= free.dsp
    }
    /// How often it fits.
    pub fn times_in(self, free: Area) -> u32 {
        let pairs = [(self.lut4, free.lut4), (self.dp16kd, free.dp16kd), (self.dsp, free.dsp)];
        pairs.into_iter().filter_map(|(one, all)| all.checked_div(one)).min().unwrap_or(0)
    }
    /// The rest; nothing where there is less.
    pub fn without(self, other: Area) -> Area {
        Area {
            lut4: self.lut4.saturating_sub(other.lut4),
            dp16kd: self.dp16kd.saturating_sub(other.dp16kd),
            dsp: self.dsp.saturating_sub(other.dsp),
        }
    }
}

impl Add for Area {
    type Output = Area;
    fn add(self, other: Area) -> Area {
        Area { lut4: self.lut4 + other.lut4, dp16kd: self.dp16kd + other.dp16kd, dsp: self.dsp + other.dsp }
    }
}

impl Mul<u32> for Area {
    type Output = Area;
    fn mul(self, times: u32) -> Area {
        Area { lut4: self.lut4 * times, dp16kd: self.dp16kd * times, dsp: self.dsp * times }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} LUT sites, {} DP16KD and {} DSP", self.lut4, self.dp16kd, self.dsp)
    }
}

/// Some adders and multipliers of binary16.
pub fn arithmetic(adders: u32, multipliers: u32) -> Area {
    Area { lut4: adders * LUT4_OF_ADDER + multipliers * LUT4_OF_MULTIPLIER, dp16kd: 0, dsp: multipliers }
}

/// LUT4 alone.
pub fn logic(lut4: u32) -> Area {
    Area { lut4, dp16kd: 0, dsp: 0 }
}

fn block_ram(dp16kd: u32) -> Area {
    Area { lut4: 0, dp16kd, dsp: 0 }
}

/// Multipliers and adders of the products of a word of entries with a query.
fn products_of_word(p: TableParams) -> Area {
    arithmetic(4 - p.entries_of_word(), 4)
}

/// A product pipeline.
pub fn products(p: TableParams) -> Area {
    logic(737) + products_of_word(p) * p.queries
}

/// Scores by table: for each query products, a tree over the lanes, sums over the words of a row, and a table in each lane.
pub fn scores(p: ScoresParams) -> Area {
    let levels = p.table.beats().next_power_of_two().ilog2();
    let tables = LANES * (p.table.beats() * p.table.entries).div_ceil(ROWS_OF_18);
    let query = arithmetic(LANES - 1 + levels, 0) + block_ram(tables);
    products(p.table) + logic(263) + query * p.table.queries
}

/// Values by table: an adder in each lane, what joins copies and entries, products, and sums over the entries.
pub fn values(p: ValuesParams) -> Area {
    let (entries, copies) = (p.table.entries_of_word(), p.copies());
    let joined = entries * (copies - 1) + p.table.vector * (entries - 1);
    let sums = LANES * (p.table.beats() * p.table.entries * copies).div_ceil(ROWS_OF_18);
    logic(1860) + arithmetic(LANES + joined + p.table.vector, 4) + block_ram(sums)
}

/// An encoder of vectors of two or four numbers: products with the vector, and each entry's own square.
pub fn encoder() -> Area {
    logic(950) + arithmetic(0, 12)
}

/// A softmax of up to 8,192 scores, `softmax_8192`.
pub const SOFTMAX: Area = Area { lut4: 1500, dp16kd: 8, dsp: 3 };
/// What reads bursts of 64 bits, `burst_reader_64`.
pub const READER: Area = Area { lut4: 845, dp16kd: 2, dsp: 0 };
/// What writes them, `burst_writer_64`.
pub const WRITER: Area = Area { lut4: 971, dp16kd: 2, dsp: 0 };

/// Block RAMs of a memory that is at least 19 bits wide.
pub fn wide(bits: u32, rows: u32) -> u32 {
    bits.div_ceil(36) * rows.div_ceil(ROWS_OF_36)
}

/// Block RAMs of a memory.
pub fn memory(bits: u32, rows: u32) -> u32 {
    let narrow = bits.div_ceil(18) * rows.div_ceil(ROWS_OF_18);
    narrow.min(wide(bits, rows))
}

/// The vectors of two commands, in words of four numbers that are read side by side.
pub fn vectors(vectors: u32, max_columns: u32, beat_columns: u32) -> Area {
    let beats = max_columns.div_ceil(beat_columns).next_power_of_two();
    block_ram(vectors * beat_columns.div_ceil(4) * wide(64, 2 * beats))
}

/// A matrix-vector unit: what looks up, vectors, products, a tree for the beat and a level for each doubling of beats, sums of tiles, ratio, scale, and
/// a FIFO.
pub fn matrix_vector(p: MatrixParams) -> Area {
    let lattice = p.source == MatrixSource::Lattice;
    let (beats, columns) = (p.tile_columns / p.beat_columns(), p.beat_columns());
    let several = u32::from(p.max_columns > p.tile_columns);
    let levels = beats.next_power_of_two().ilog2();
    let dots = p.products() / columns;
    let joined = if lattice { p.vectors } else { 0 };
    let scaled = if p.scales == MatrixScales::None { 0 } else { p.vectors };
    let adders = dots * (columns - 1) + joined + several * p.vectors;
    let products = match p.source {
        MatrixSource::Books { .. } | MatrixSource::Groups { .. } => prepared(p.products()),
        // the entries of both residuals are added
        MatrixSource::Residual { .. } => arithmetic(columns, 0) + prepared(p.products()),
        MatrixSource::Lattice => quarters(p.products()),
    };
    // beside the numbers: whether an index was wrong, and in the FIFO whether the row is the last one
    let wrong = u32::from(!lattice);
    let numbers = 16 * p.vectors + wrong;
    let sums = several * memory(numbers, p.tile_rows.next_power_of_two());
    let fifo = memory(numbers + 1, (matrix_vector::latency(p) + 4).next_power_of_two());
    logic(LUT4_OF_MATRIX_VECTOR)
        + lookup(p)
        + products
        + arithmetic(adders, joined + scaled)
        + logic(dots * levels * LUT4_OF_LEVEL)
        + block_ram(sums + fifo)
        + vectors(p.vectors, p.max_columns, columns)
}

/// What looks up the entries of a matrix-vector unit.
pub fn lookup(p: MatrixParams) -> Area {
    match p.source {
        MatrixSource::Books { entries, vector } => copies(entries, vector, p.lanes),
        MatrixSource::Groups { entries, vector } => copies_of_groups(entries, vector, p.lanes, group_beats(p)),
        MatrixSource::Residual { entries, vector } => copies_of_residuals(entries, vector, p.lanes),
        MatrixSource::Lattice => e8p(p.lanes),
    }
}

/// Entries of a book, and numbers of an entry.
pub fn entries(p: MatrixParams) -> (u32, u32) {
    match p.source {
        MatrixSource::Books { entries, vector }
        | MatrixSource::Groups { entries, vector }
        | MatrixSource::Residual { entries, vector } => (entries, vector),
        MatrixSource::Lattice => (256, 8),
    }
}

/// Beats of a row that have books of their own.
pub fn group_beats(p: MatrixParams) -> u32 {
    match p.source {
        MatrixSource::Groups { .. } => (p.tile_columns / p.beat_columns()).next_power_of_two(),
        _ => 1,
    }
}

/// So many multipliers by prepared numbers, and what prepares them.
fn prepared(products: u32) -> Area {
    Area { dsp: products, ..logic(products * LUT4_OF_PREPARED + LUT4_OF_PREPARING) }
}

/// Multipliers of numbers of the lattice.
fn quarters(multipliers: u32) -> Area {
    Area { lut4: multipliers * LUT4_OF_QUARTERS, dp16kd: 0, dsp: multipliers }
}

/// What loads and looks up copies of books.
pub fn cache_sites(vector: u32, lanes: u32) -> u32 {
    let piece = 1 << vector.trailing_zeros().min(2);
    283 + 63 * piece + 21 * lanes
}

/// What a codebook cache with a memory tier has beside its block RAM: loading and looking up as in the others, and beats and lookups that wait for memory.
pub fn tier_sites(vector: u32, lanes: u32) -> u32 {
    cache_sites(vector, lanes) + 1630
}

/// A codebook cache with a memory tier: a copy of the first entries of two books for each lane.
#[cfg(test)]
pub fn tiered(shared: u32, vector: u32, lanes: u32) -> Area {
    logic(tier_sites(vector, lanes)) + block_ram(lanes * wide(16 * vector, 2 * shared))
}

/// A codebook cache with a copy of two books for each lane.
pub fn copies(entries: u32, vector: u32, lanes: u32) -> Area {
    copies_of_groups(entries, vector, lanes, 1)
}

/// The same where each beat of a row has books of its own.
pub fn copies_of_groups(entries: u32, vector: u32, lanes: u32, beats: u32) -> Area {
    logic(cache_sites(vector, lanes)) + block_ram(lanes * wide(16 * vector, 2 * entries * beats.next_power_of_two()))
}

/// Books of two residuals: of each a copy for two of its lanes, with a memory for each number of an entry.
fn copies_of_residuals(entries: u32, vector: u32, lanes: u32) -> Area {
    logic(cache_sites(vector, lanes)) + block_ram(2 * (lanes / 2).div_ceil(2) * vector * memory(16, entries))
}

/// A decoder of the lattice.
pub fn e8p(lanes: u32) -> Area {
    logic(36 * lanes) + block_ram(lanes.div_ceil(2))
}
