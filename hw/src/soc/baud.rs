//! Rates of serial lines, as cycles of a clock.

use hdl::Errors;
use std::fmt;

/// Cycles of the shortest bit.
pub const MIN_CLOCKS_PER_BIT: u32 = 16;
/// Cycles of the longest bit: 300 bits a second at 300 MHz.
pub const MAX_CLOCKS_PER_BIT: u32 = 1_000_000;
/// By how much a rate may be off, in parts of 1000. The two ends together may differ by 3 %.
pub const MAX_ERROR_PER_MILLE: u64 = 15;

/// A bit can have so many cycles.
#[track_caller]
pub(super) fn check_clocks_per_bit(module: &str, clocks: u32) -> Result<(), Errors> {
    if (MIN_CLOCKS_PER_BIT..=MAX_CLOCKS_PER_BIT).contains(&clocks) {
        return Ok(());
    }
    let help = format!("from {MIN_CLOCKS_PER_BIT} (fewer find the middle of a bit too badly) to {MAX_CLOCKS_PER_BIT}");
    Err(Errors::parameter(module, format!("clocks_per_bit = {clocks} is out of range"), help))
}

/// A rate that a clock cannot make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuchRate {
    clock_hertz: u32,
    baud: u32,
    /// The nearest rate that the clock makes, as cycles of a bit.
    nearest: u32,
}

/// The whole number of cycles of a bit whose rate is nearest to `baud`: at least [`MIN_CLOCKS_PER_BIT`], and less than
/// [`MAX_ERROR_PER_MILLE`] off.
pub fn clocks_per_bit(clock_hertz: u32, baud: u32) -> Result<u32, NoSuchRate> {
    let (clock, rate) = (u64::from(clock_hertz), u64::from(baud.max(1)));
    let rounded = ((clock + rate / 2) / rate).clamp(MIN_CLOCKS_PER_BIT.into(), MAX_CLOCKS_PER_BIT.into());
    // |clock / clocks - baud| / baud, without fractions
    let off = 1000 * clock.abs_diff(rounded * rate) >= MAX_ERROR_PER_MILLE * rounded * rate;
    let clocks = rounded as u32; // clamped
    if off || baud == 0 { Err(NoSuchRate { clock_hertz, baud, nearest: clocks }) } else { Ok(clocks) }
}

impl fmt::Display for NoSuchRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuchRate { clock_hertz, baud, nearest } = self;
        let rate = (f64::from(*clock_hertz) / f64::from(*nearest)).round();
        write!(f, "a clock of {} MHz makes no {baud} bits/s: ", f64::from(*clock_hertz) / 1e6)?;
        write!(f, "with at least {MIN_CLOCKS_PER_BIT} cycles a bit, and less than 1.5 % off, the nearest is {rate}")
    }
}

impl std::error::Error for NoSuchRate {}

#[cfg(test)]
mod tests;
