//! What a tile is built and loaded with (docs/lad.md, section 2).

use thiserror::Error;

use super::intervals::{MAX_INTERVALS, Table};

/// As many of the latest positions are outside of the caches; between the steps of a longer period more.
pub const LATEST: usize = 16;
/// A threshold of this value or above: every key is its own centre.
pub const NO_CENTRES: u32 = 1 << 16;

/// Parameters and registers of one key head and its query heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Elements of a head, 16 to 128.
    pub head: usize,
    /// Query heads of a key head, 1 to 8.
    pub group: usize,
    /// Intervals and lines.
    pub table: Table,
    /// Cosine above which a key takes another as its centre, in steps of 2^-16; at least [`NO_CENTRES`]: none does.
    pub threshold: u32,
    /// Positions whose mode is this interval or a higher one get accurate scores.
    pub large_from: usize,
    /// The most positions that change their mode in one step, 1 to 64.
    pub max_changes: usize,
    /// Modes change, and positions come into the caches, in every step, or in every second, fourth, ... only: 1, 2, 4, 8 or 16.
    pub period: usize,
    /// The most positions, 1 to 65,535.
    pub max_positions: usize,
    /// Bits of an element of the caches A to D, 32 or 40. E and F have 48.
    pub cache_bits: u32,
    /// Places behind the point of the caches, 8 to 30.
    pub cache_fraction: u32,
}

/// Why settings are not legal.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// A number is out of its range.
    #[error("{name} is {found}: legal is {legal}")]
    Range {
        /// Which.
        name: &'static str,
        /// What it is.
        found: usize,
        /// What it may be.
        legal: &'static str,
    },
    /// Bounds that do not rise.
    #[error("bound {0} of the intervals: legal bounds rise, are below 0, and not below the lowest score")]
    Bounds(usize),
    /// Another number of coefficients than of intervals.
    #[error("{bounds} bounds with {a} slopes and {b} constants: legal is one bound less than of each")]
    Coefficients {
        /// Lower bounds.
        bounds: usize,
        /// Slopes.
        a: usize,
        /// Constants.
        b: usize,
    },
    /// A slope of 1 or more: weights would need more bits.
    #[error("slope of interval {0}: legal is below 1")]
    Slope(usize),
    /// Interval 0 is not zero.
    #[error("interval 0 has a line other than zero")]
    IntervalZero,
}

impl Settings {
    /// The usual ones: caches of 40 bits with 26 behind the point, 64 changes, accurate scores from the interval on that begins
    /// at -3 or above (but for rounding of the bound), 65,535 positions.
    pub fn new(head: usize, group: usize, table: Table, threshold: f64) -> Settings {
        // a hundredth below -3: the bounds of eight intervals have one at -2.99, those of the paper one at -3
        let lowest_large = -3 * (1 << 16) - (1 << 16) / 100;
        let large_from = 1 + table.bounds.iter().filter(|bound| **bound < lowest_large).count();
        let threshold = (threshold * f64::from(NO_CENTRES)).round() as u32;
        Settings {
            head,
            group,
            table,
            threshold,
            large_from,
            max_changes: 64,
            period: 1,
            max_positions: 65_535,
            cache_bits: 40,
            cache_fraction: 26,
        }
    }

    /// Are they legal?
    pub fn check(&self) -> Result<(), SettingsError> {
        let range = |name, found: usize, legal: &[usize], text| match legal.contains(&found) {
            true => Ok(()),
            false => Err(SettingsError::Range { name, found, legal: text }),
        };
        let between = |name, found: usize, low, high, text| match (low..=high).contains(&found) {
            true => Ok(()),
            false => Err(SettingsError::Range { name, found, legal: text }),
        };
        between("head", self.head, 16, 128, "16 to 128")?;
        between("group", self.group, 1, 8, "1 to 8")?;
        between("intervals", self.table.count(), 4, MAX_INTERVALS, "4 to 16")?;
        between("max_changes", self.max_changes, 1, 64, "1 to 64")?;
        between("max_positions", self.max_positions, 1, 65_535, "1 to 65535")?;
        range("period", self.period, &[1, 2, 4, 8, 16], "1, 2, 4, 8 or 16")?;
        between("cache_fraction", self.cache_fraction as usize, 8, 30, "8 to 30")?;
        range("cache_bits", self.cache_bits as usize, &[32, 40], "32 or 40")?;
        let Table { bounds, a, b } = &self.table;
        if a.len() != bounds.len() + 1 || b.len() != a.len() {
            return Err(SettingsError::Coefficients { bounds: bounds.len(), a: a.len(), b: b.len() });
        }
        let lowest = -(1 << 27);
        let rises = |i: usize| bounds[i] < 0 && bounds[i] >= if i == 0 { lowest } else { bounds[i - 1] + 1 };
        if let Some(wrong) = (0..bounds.len()).find(|i| !rises(*i)) {
            return Err(SettingsError::Bounds(wrong + 1));
        }
        if let Some(interval) = a.iter().position(|a| a.exponent == 0 && a.mantissa >> 15 == 1) {
            return Err(SettingsError::Slope(interval));
        }
        if a[0].mantissa != 0 || b[0].mantissa != 0 {
            return Err(SettingsError::IntervalZero);
        }
        Ok(())
    }
}
