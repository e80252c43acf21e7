//! Exponential and reciprocal square root by straight lines: the algorithm of the units in integers, with tables of its own.

use super::{Model, Number};
use Number::{Finite, Infinity, Nan};

/// Points of a segment that a fit looks at, at most.
const POINTS: u32 = 256;

/// Least squares of `curve` over `steps` abscissae in [0, 1), each of which stands for `centre` steps more: value at 0 and rise to
/// 1 in units of 2^-places. The rise is rounded first; `lost` is what the later product loses by being cut off.
fn fit(curve: impl Fn(f64) -> f64, steps: u32, centre: f64, places: u32, lost: f64) -> (i64, i64) {
    let n = steps.min(POINTS);
    let (mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..n {
        let t = f64::from(i) / f64::from(n);
        let v = curve(t + centre / f64::from(steps)) * f64::powi(2.0, places as i32);
        (x, y, xx, xy) = (x + t, y + v, xx + t * t, xy + t * v);
    }
    let count = f64::from(n);
    let rise = ((count * xy - x * y) / (count * xx - x * x)).round();
    (((y - rise * x) / count + lost).round() as i64, rise as i64)
}

impl Model {
    /// `e^a` by so many segments.
    pub fn exp(self, a: u32, segments: u32) -> u32 {
        let places = self.frac + 3;
        let (negative, m, e) = match self.number(a) {
            Nan => return self.nan(),
            Infinity(true) => return self.zero(false),
            Infinity(false) => return self.infinity(false),
            Finite(negative, m, e) => (negative, m as i128, e),
        };
        // beyond the least power of two that the result does not allow, it is 0 or infinity
        let bias = (1 << (self.exp - 1)) - 1;
        let mut limit = 0;
        while 1 << limit < bias + self.frac + 3 {
            limit += 1;
        }
        let leading = 127 - (m.max(1) as u128).leading_zeros() as i32 + e;
        if m != 0 && leading >= limit {
            return if negative { self.zero(false) } else { self.infinity(false) };
        }
        let log2_e = (std::f64::consts::LOG2_E * f64::powi(2.0, 17)).round() as i128;
        let shift = e - 17 + places as i32;
        let magnitude = if shift <= -127 { 0 } else { (m * log2_e) >> -shift };
        // one's complement: a unit below the negative number
        let power = if negative { -1 - magnitude } else { magnitude };
        let (whole, fraction) = (power >> places, (power & ((1 << places) - 1)) as u32);
        let steps = (1 << places) / segments;
        let (i, t) = (fraction / steps, i64::from(fraction % steps));
        let curve = |t: f64| ((f64::from(i) + t) / f64::from(segments)).exp2() - 1.0;
        let (start, rise) = fit(curve, steps, 0.5, places, 0.5);
        let last = rise * i64::from(steps - 1) / i64::from(steps);
        let start = start.max(0).min((1 << places) - 1 - last);
        let sum = (1 << places) + start + rise * t / i64::from(steps);
        self.bits(Finite(false, sum as u128, whole as i32 - places as i32))
    }
    /// `1 / sqrt(a)` by so many segments, half of them for each power of two.
    pub fn rsqrt(self, a: u32, segments: u32) -> u32 {
        let (m, e) = match self.number(a) {
            Nan | Infinity(true) => return self.nan(),
            Infinity(false) => return self.zero(false),
            Finite(negative, 0, _) => return self.infinity(negative),
            Finite(true, ..) => return self.nan(),
            Finite(false, m, e) => (m, e),
        };
        // 1.fraction * 2^exponent
        let length = 128 - m.leading_zeros();
        let exponent = e + length as i32 - 1;
        let fraction = (m << (self.frac + 1 - length)) as u32 & ((1 << self.frac) - 1);
        let odd = exponent.rem_euclid(2);
        let octave = segments / 2;
        let steps = (1 << self.frac) / octave;
        let (i, t) = (fraction / steps, i64::from(fraction % steps));
        let curve = |t: f64| {
            let m = f64::powi(2.0, odd) * (1.0 + (f64::from(i) + t) / f64::from(octave));
            1.0 / m.sqrt()
        };
        let places = self.frac + 4;
        let (start, rise) = fit(curve, steps, 0.0, places, -0.5);
        let half = 1i64 << (places - 1);
        let fall = -rise * i64::from(steps - 1) / i64::from(steps);
        let start = (start + 4).max(half + fall).min(2 * half + 7);
        let sum = start - -rise * t / i64::from(steps);
        // three bits are cut off
        self.bits(Finite(false, (sum >> 3) as u128, 3 - places as i32 - (exponent - odd) / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest error over all operands, in units of the last place of the exact result.
    fn largest_error(m: Model, got: impl Fn(u32) -> u32, exact: impl Fn(f64) -> f64) -> f64 {
        let to_f64 = |a: u32| match m.number(a) {
            Nan => None,
            Infinity(_) => Some(f64::powi(2.0, 1 << (m.exp - 1))),
            Finite(negative, n, e) => {
                let size = n as f64 * f64::powi(2.0, e);
                Some(if negative { -size } else { size })
            }
        };
        let least = 2 - (1 << (m.exp - 1));
        let finite = |a: &u32| !matches!(m.number(*a), Nan | Infinity(_));
        let error = |a: u32| {
            let want = exact(to_f64(a)?);
            if want.is_nan() {
                return None;
            }
            let want = want.min(f64::powi(2.0, 1 << (m.exp - 1)));
            let binade = (want.log2().floor() as i32).clamp(least, (1 << (m.exp - 1)) - 1);
            Some((to_f64(got(a))? - want).abs() / f64::powi(2.0, binade - m.frac as i32))
        };
        (0..1 << 16).filter(finite).filter_map(error).fold(0.0, f64::max)
    }

    #[test]
    fn the_stated_errors_of_the_exponential_are_those_of_all_operands() {
        for (m, segments, stated) in [(Model::BINARY16, 32, 0.742), (Model::BFLOAT16, 16, 0.647)] {
            let worst = largest_error(m, |a| m.exp(a, segments), f64::exp);
            assert!((worst - stated).abs() < 0.0005, "{m:?} with {segments} segments: {worst}");
            assert_eq!([m.exp(0, segments), m.exp(m.zero(true), segments)], [m.from_integer(1); 2]);
        }
    }

    #[test]
    fn the_stated_errors_of_the_reciprocal_root_are_those_of_all_operands() {
        let exact = |a: f64| if a > 0.0 { 1.0 / a.sqrt() } else { f64::NAN };
        for (m, segments, stated) in
            [(Model::BINARY16, 64, 0.612), (Model::BINARY16, 32, 0.852), (Model::BFLOAT16, 16, 0.663)]
        {
            let worst = largest_error(m, |a| m.rsqrt(a, segments), exact);
            assert!((worst - stated).abs() < 0.0005, "{m:?} with {segments} segments: {worst}");
        }
    }

    /// Flushing as it is defined, without the rounding of flushed formats: the same lines in a format of the same fraction with
    /// more exponents, of whose results those below the smallest normal number are zeros of their sign.
    #[test]
    fn flushed_subnormals_are_zeros_before_and_after() {
        for kept in [Model::BINARY16, Model::BFLOAT16] {
            let (flushed, wide) = (Model { flush: true, ..kept }, Model { exp: kept.exp + 2, ..kept });
            let normal = |x: u32| x & kept.infinity(false) != 0;
            let least = kept.convert(1 << kept.frac, wide);
            let result = |y: u32| {
                let sign = y & wide.zero(true);
                let tiny = y ^ sign < least;
                if tiny { kept.zero(sign != 0) } else { wide.convert(y, kept) }
            };
            for a in 0..1u32 << kept.width() {
                let x = kept.convert(if normal(a) { a } else { a & kept.zero(true) }, wide);
                assert_eq!(flushed.exp(a, 16), result(wide.exp(x, 16)), "exp({a:#x}) in {flushed:?}");
                assert_eq!(flushed.rsqrt(a, 16), result(wide.rsqrt(x, 16)), "1 / sqrt({a:#x}) in {flushed:?}");
            }
        }
    }
}
