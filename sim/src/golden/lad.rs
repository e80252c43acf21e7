//! LAD attention (docs/lad.md): bit-exact models of what the hardware does, and the mathematics in float64.
//!
//! - [`Group`]: one key head with its query heads, step by step; [`Settings`]: what it is built and loaded with
//! - [`KeyHead`]: keys, values and centres; [`QueryHead`]: modes, counters and [`Caches`]
//! - [`discrepancy`]: a pass of MD by itself; [`count`] and [`mode_count`]: rows of [`Counters`]
//! - [`Lines`] and [`Table`]: the piecewise linear exponential, in float64 and as it is stored
//! - [`traffic`]: bytes that a step moves
//! - [`plain`]: the plain tile beside it, with online softmax
//! - [`real`]: plain attention, piecewise linear attention and LAD in float64, from the paper's equations

mod caches;
mod counts;
pub mod discrepancy;
mod head;
mod intervals;
mod keys;
pub mod number;
pub mod plain;
pub mod real;
mod settings;
mod step;
pub mod traffic;

pub use caches::Caches;
pub use counts::{Counters, count, mode_count};
pub use head::QueryHead;
pub use intervals::{Coefficient, Fit, LOWEST, Lines, MAX_INTERVALS, Table};
pub use keys::{KeyHead, KeyRecord, to_f64};
pub use settings::{LATEST, NO_CENTRES, Settings, SettingsError};
pub use step::{Active, Group, GroupStep, HeadStep, Operand, Overflow, Pass, Refusal};

#[cfg(test)]
mod tests;
