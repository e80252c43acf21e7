//! Piecewise linear functions: tables of straight lines, by least squares.
//!
//! Everything here is computed with `+ - * /` and square roots of 64-bit floats, which IEEE 754 defines to the last bit: the
//! tables, and with them the Verilog, are the same on every machine.

use hdl::*;

/// Segments of a table: a power of two.
pub const SEGMENTS: std::ops::RangeInclusive<u32> = 4..=256;

/// The line of a segment in units of the table's last place: `intercept + slope * t` for t in [0, 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Value at the segment's beginning.
    pub intercept: i64,
    /// What is added over the whole segment.
    pub slope: i64,
}

/// The curve on a segment and the abscissae that the hardware can tell apart.
pub(super) struct Segment<C: Fn(f64) -> f64> {
    /// The curve over the segment, from 0 to 1.
    pub curve: C,
    /// Abscissae `0/steps, 1/steps, ...`
    pub steps: u32,
    /// Each of them stands for this much more, in steps: 0.5 where the abscissa was rounded down.
    pub centre: f64,
    /// Places behind the point.
    pub places: u32,
}

impl<C: Fn(f64) -> f64> Segment<C> {
    /// The line with the least sum of squared errors. Its slope is rounded first, then the intercept fitted to that.
    pub fn line(&self) -> Line {
        let unit = (1u64 << self.places) as f64;
        let points = f64::from(self.steps.min(256));
        let at = |i: u32| f64::from(i) / points;
        let value = |i: u32| (self.curve)(at(i) + self.centre / f64::from(self.steps)) * unit;
        let count = self.steps.min(256);
        let mean_at = (points - 1.0) / (2.0 * points);
        let mean_value = (0..count).map(value).sum::<f64>() / points;
        let above: f64 = (0..count).map(|i| (at(i) - mean_at) * (value(i) - mean_value)).sum();
        let below: f64 = (0..count).map(|i| (at(i) - mean_at) * (at(i) - mean_at)).sum();
        let slope = (above / below + 0.5).floor();
        // the product with the slope is rounded down: half a unit on average
        let lost = if slope < 0.0 { -0.5 } else { 0.5 };
        let intercept = (mean_value - slope * mean_at + lost + 0.5).floor();
        Line { intercept: intercept as i64, slope: slope as i64 }
    }
}

/// `2^x` for x in [0, 1], by its series.
pub(super) fn exp2(x: f64) -> f64 {
    let x = x * std::f64::consts::LN_2;
    (1..24).rev().fold(1.0, |sum, n| 1.0 + sum * x / f64::from(n))
}

/// Legal numbers of segments.
pub(super) fn check_segments(at: &str, segments: u32, most: u32) -> Result<(), Errors> {
    let most = most.min(*SEGMENTS.end());
    if segments.is_power_of_two() && (*SEGMENTS.start()..=most).contains(&segments) {
        return Ok(());
    }
    let help = format!("powers of two from {} to {most} are legal with these fraction bits", SEGMENTS.start());
    Err(Errors::parameter(at, format!("{segments} segments"), &help))
}

/// Formats for which straight lines are good for something.
pub(super) fn check_short(at: &str, frac: u32) -> Result<(), Errors> {
    if (2..=12).contains(&frac) {
        return Ok(());
    }
    let help = "2 to 12 are legal: straight lines are no more accurate";
    Err(Errors::parameter(at, format!("{frac} fraction bits of a piecewise linear function"), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_as_in_the_standard_library() {
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            assert!((exp2(x) - x.exp2()).abs() < 1e-15, "2^{x}");
        }
    }

    #[test]
    fn a_line_comes_back_and_a_parabola_lies_on_both_sides() {
        let line = Segment { curve: |t| 1.0 + 0.25 * t, steps: 64, centre: 0.0, places: 10 }.line();
        assert_eq!(line, Line { intercept: 1025, slope: 256 }, "half a unit more, rounded up");
        let line = Segment { curve: |t| t * t, steps: 256, centre: 0.0, places: 20 }.line();
        let error = |t: f64| t * t - (line.intercept as f64 + line.slope as f64 * t) / f64::from(1 << 20);
        // least squares: 1/6 above the line at both ends, 1/12 below in the middle
        assert!((error(0.0) - 1.0 / 6.0).abs() < 0.005 && (error(0.5) + 1.0 / 12.0).abs() < 0.005);
    }
}
