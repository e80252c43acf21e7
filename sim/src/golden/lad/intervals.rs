//! Intervals of the exponential, and the line of each (docs/lad.md, section 4).

use super::number::{SCORE_FRACTION, WEIGHT_FRACTION};

/// Where the lowest interval but one begins, unless the bounds are given.
pub const LOWEST: f64 = -10.0;
/// The most intervals.
pub const MAX_INTERVALS: usize = 16;

/// How the lines are fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Neighbouring lines meet at the bound between them.
    #[default]
    Joined,
    /// Each line has the least squared error in its own interval.
    Free,
}

/// Lines in float64: interval 0 is zero, interval `i` is `a[i] x + b[i]` from above `bounds[i - 1]` up to `bounds[i]`, the last up to 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Lower bounds of the intervals from 1 on, rising, below 0.
    pub bounds: Vec<f64>,
    /// Slopes; that of interval 0 is 0.
    pub a: Vec<f64>,
    /// Values at 0.
    pub b: Vec<f64>,
}

impl Lines {
    /// So many intervals, whose bounds are equal steps of `e^(x/4)` from -10 to 0.
    pub fn new(intervals: usize, fit: Fit) -> Lines {
        let lowest = (LOWEST / 4.0).exp();
        let step = (1.0 - lowest) / (intervals - 1) as f64;
        Lines::with_bounds((0..intervals - 1).map(|i| 4.0 * (lowest + i as f64 * step).ln()).collect(), fit)
    }

    /// The paper's five intervals.
    pub fn of_the_paper(fit: Fit) -> Lines {
        Lines::with_bounds(vec![-10.0, -6.0, -3.0, -1.0], fit)
    }

    /// With these lower bounds, as scores can hold them.
    pub fn with_bounds(bounds: Vec<f64>, fit: Fit) -> Lines {
        let one = f64::from(1 << SCORE_FRACTION);
        let bounds: Vec<f64> = bounds.iter().map(|x| (x * one).round() / one).collect();
        let knots: Vec<f64> = bounds.iter().copied().chain([0.0]).collect();
        let lines: Vec<(f64, f64)> = match fit {
            Fit::Free => knots.windows(2).map(|k| free(k[0], k[1])).collect(),
            Fit::Joined => joined(&knots),
        };
        let with_zero = |part: fn(&(f64, f64)) -> f64| [0.0].into_iter().chain(lines.iter().map(part)).collect();
        Lines { a: with_zero(|line| line.0), b: with_zero(|line| line.1), bounds }
    }

    /// How many intervals, interval 0 among them.
    pub fn count(&self) -> usize {
        self.a.len()
    }

    /// The interval of a score less the maximum; above 0 as many as there are intervals.
    pub fn interval(&self, x: f64) -> usize {
        if x > 0.0 { self.count() } else { self.bounds.iter().filter(|bound| x > **bound).count() }
    }

    /// The value of an interval's line.
    pub fn value(&self, interval: usize, x: f64) -> f64 {
        self.a[interval] * x + self.b[interval]
    }
}

/// Integrals of `e^x` and of `x e^x`.
fn integrals(low: f64, high: f64) -> [f64; 2] {
    let at = |x: f64| [x.exp(), (x - 1.0) * x.exp()];
    let (low, high) = (at(low), at(high));
    [high[0] - low[0], high[1] - low[1]]
}

/// Slope and value at 0 of the line with the least squared error against `e^x`.
fn free(low: f64, high: f64) -> (f64, f64) {
    // around the middle, constant and slope do not depend on each other
    let (middle, width) = ((low + high) / 2.0, high - low);
    let [sum, moment] = integrals(low, high);
    let slope = (moment - middle * sum) / (width.powi(3) / 12.0);
    (slope, sum / width - slope * middle)
}

/// The same for lines that meet at the knots: the values at the knots solve a tridiagonal system.
fn joined(knots: &[f64]) -> Vec<(f64, f64)> {
    let count = knots.len();
    let (mut diagonal, mut beside, mut right) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    for (i, k) in knots.windows(2).enumerate() {
        let width = k[1] - k[0];
        let [sum, moment] = integrals(k[0], k[1]);
        // the hat functions of both ends: they fall from 1 to 0 and rise from 0 to 1
        let rising = (moment - k[0] * sum) / width;
        diagonal[i] += width / 3.0;
        diagonal[i + 1] += width / 3.0;
        beside[i] = width / 6.0;
        right[i] += sum - rising;
        right[i + 1] += rising;
    }
    for i in 1..count {
        let factor = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut values = vec![0.0; count];
    for i in (0..count).rev() {
        let next = if i + 1 < count { beside[i] * values[i + 1] } else { 0.0 };
        values[i] = (right[i] - next) / diagonal[i];
    }
    let line = |i: usize| {
        let slope = (values[i + 1] - values[i]) / (knots[i + 1] - knots[i]);
        (slope, values[i] - slope * knots[i])
    };
    (0..count - 1).map(line).collect()
}

/// A coefficient as it is stored: `mantissa * 2^-(15 + exponent)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coefficient {
    /// 16 bits, the highest set unless the exponent is the largest.
    pub mantissa: u16,
    /// At most 15.
    pub exponent: u8,
}

impl Coefficient {
    /// The nearest, ties upwards, of a number from 0 to below 2.
    pub fn new(x: f64) -> Option<Coefficient> {
        // a number that rounds up to the next power of two has the exponent of that
        let fitting =
            (0..=15u8).rev().map(|exponent| (exponent, (x * f64::from(1u32 << (15 + exponent)) + 0.5).floor()));
        let (exponent, mantissa) = fitting.into_iter().find(|(_, mantissa)| (0.0..65536.0).contains(mantissa))?;
        Some(Coefficient { mantissa: mantissa as u16, exponent })
    }

    /// Places behind the point.
    pub fn fraction(self) -> i32 {
        15 + i32::from(self.exponent)
    }
}

/// Bounds and lines as the hardware is loaded with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Lower bounds of the intervals from 1 on, with [`SCORE_FRACTION`] places, rising, below 0.
    pub bounds: Vec<i32>,
    /// Slopes, one for each interval; 0 for interval 0.
    pub a: Vec<Coefficient>,
    /// Values at 0.
    pub b: Vec<Coefficient>,
}

impl Table {
    /// The nearest that can be stored; none if a slope or value is negative, or not below 2.
    pub fn new(lines: &Lines) -> Option<Table> {
        let bounds = lines.bounds.iter().map(|x| (x * f64::from(1 << SCORE_FRACTION)).round() as i32).collect();
        let stored = |values: &[f64]| values.iter().map(|x| Coefficient::new(*x)).collect::<Option<Vec<_>>>();
        Some(Table { bounds, a: stored(&lines.a)?, b: stored(&lines.b)? })
    }

    /// How many intervals.
    pub fn count(&self) -> usize {
        self.a.len()
    }

    /// The interval of a score less the maximum: how many lower bounds are below it. Above 0, [`count`](Self::count).
    pub fn interval(&self, x: i32) -> usize {
        if x > 0 { self.count() } else { self.bounds.iter().filter(|bound| x > **bound).count() }
    }

    /// The value of an interval's line, exact, then rounded to [`WEIGHT_FRACTION`] places, halves upwards.
    pub fn weight(&self, interval: usize, x: i32) -> i64 {
        let (a, b) = (self.a[interval], self.b[interval]);
        // 46 places hold both exactly
        let slope = (i128::from(a.mantissa) * i128::from(x)) << (30 - a.fraction());
        let value = i128::from(b.mantissa) << (46 - b.fraction());
        super::number::shifted(slope + value, WEIGHT_FRACTION as i32 - 46) as i64
    }
}
