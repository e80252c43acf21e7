//! Quotients, reciprocals, roots and conversions: exact to far beyond the last place, what remains as one more bit, rounded once.

use super::{Model, Number, round_shift};
use Number::{Finite, Infinity, Nan};

/// `a / b` with 64 bits behind the point and a last bit that says whether anything remains.
fn quotient(a: u128, b: u128) -> u128 {
    let wide = a << 64;
    (wide / b) << 1 | u128::from(!wide.is_multiple_of(b))
}

impl Number {
    fn over(self, other: Number) -> Number {
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinity(_), Infinity(_)) | (Finite(_, 0, _), Finite(_, 0, _)) => Nan,
            (Infinity(a), Finite(b, ..)) | (Finite(a, ..), Finite(b, 0, _)) => Infinity(a != b),
            (Finite(a, ..), Infinity(b)) => Finite(a != b, 0, 0),
            (Finite(a, m, e), Finite(b, n, g)) => Finite(a != b, quotient(m, n), e - g - 65),
        }
    }
    fn root(self) -> Number {
        match self {
            Finite(_, 0, _) | Infinity(false) => self,
            Nan | Infinity(true) | Finite(true, ..) => Nan,
            Finite(false, m, e) => {
                let odd = e & 1;
                let wide = m << (odd + 64);
                let root = wide.isqrt();
                Finite(false, root << 1 | u128::from(root * root != wide), (e - odd) / 2 - 33)
            }
        }
    }
}

impl Model {
    /// `a / b`.
    pub fn divide(self, a: u32, b: u32) -> u32 {
        self.bits(self.number(a).over(self.number(b)))
    }
    /// `1 / a`.
    pub fn recip(self, a: u32) -> u32 {
        self.bits(Finite(false, 1, 0).over(self.number(a)))
    }
    /// The square root of `a`.
    pub fn sqrt(self, a: u32) -> u32 {
        self.bits(self.number(a).root())
    }
    /// The nearest number of this format.
    pub fn from_integer(self, x: i64) -> u32 {
        self.bits(Finite(x < 0, u128::from(x.unsigned_abs()), 0))
    }
    /// The nearest integer, ties to even, of `bits` bits, two's complement or unsigned; beyond them the last one, 0 for NaN.
    pub fn to_integer(self, a: u32, bits: u32, signed: bool) -> i64 {
        let (least, greatest) = match signed {
            true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        match self.number(a) {
            Nan => 0,
            Infinity(negative) => {
                if negative {
                    least
                } else {
                    greatest
                }
            }
            Finite(negative, m, e) => {
                // beyond 2^60 all of them saturate
                let size = if e > 0 { m << e.min(60) } else { round_shift(m, -e) }.min(1 << 60) as i64;
                (if negative { -size } else { size }).clamp(least, greatest)
            }
        }
    }
    /// The nearest number of the format `to`.
    pub fn convert(self, a: u32, to: Model) -> u32 {
        to.bits(self.number(a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `m * 2^e` of a finite positive number of at most 16 bits, and of the points half way to its neighbours, in halves.
    fn bounds(f: Model, y: u32) -> [(u128, i32); 2] {
        let least_exponent = 2 - (1 << (f.exp - 1)) - f.frac as i32;
        let whole = |y: u32| match (y >> f.frac, u128::from(y & ((1 << f.frac) - 1))) {
            (0, m) => (m << 1, least_exponent - 1),
            (s, m) => ((m | 1 << f.frac) << 1, least_exponent + s as i32 - 2),
        };
        let (m, e) = whole(y);
        // the number below is nearer where the exponent changes; at this finer scale both are whole
        let (below, g) = if y == 0 { (0, e) } else { whole(y - 1) };
        let (m, below) = (m << (e - g.min(e)), below << (g - g.min(e)));
        let next = 1u128 << (1 + e - g.min(e));
        [((m + below), g.min(e) - 1), (2 * m + next, g.min(e) - 1)]
    }

    /// `a / b` compared with `m * 2^e`, in integers.
    fn compare(a: u128, a_exp: i32, m: u128, e: i32) -> std::cmp::Ordering {
        let top = |x: u128, e: i32| 128 - x.leading_zeros() as i32 + e;
        if a == 0 || m == 0 || top(a, a_exp) != top(m, e) {
            return (a != 0, top(a, a_exp)).cmp(&(m != 0, top(m, e)));
        }
        let low = a_exp.min(e);
        (a << (a_exp - low)).cmp(&(m << (e - low)))
    }

    /// Is the exact result between the points half way to the neighbours of `y`? `less` compares it with `m * 2^e`.
    fn nearest(f: Model, y: u32, exact: impl Fn(u128, i32) -> std::cmp::Ordering) -> bool {
        use std::cmp::Ordering::*;
        let [low, high] = bounds(f, y);
        let even = y & 1 == 0;
        let above = matches!((exact(low.0, low.1), even), (Greater, _) | (Equal, true)) || y == 0;
        let below = matches!((exact(high.0, high.1), even), (Less, _) | (Equal, true));
        above && below
    }

    /// By integers alone: no other number is nearer to the exact reciprocal or root than the model's.
    #[test]
    fn every_reciprocal_and_root_is_the_nearest_number() {
        for f in [Model::BINARY16, Model::BFLOAT16] {
            for a in 1..f.infinity(false) {
                let Finite(_, m, e) = f.number(a) else { panic!("{a:#x} is finite") };
                // 1/a <> n * 2^g as 1 <> a * n * 2^g
                let recip = f.recip(a);
                let largest = f.infinity(false) - 1;
                if recip > largest {
                    let [_, high] = bounds(f, largest);
                    assert!(compare(1, 0, m * high.0, e + high.1).is_ge(), "1 / {a:#x} is not infinite");
                } else {
                    assert!(nearest(f, recip, |n, g| compare(1, 0, m * n, e + g)), "1 / {a:#x} = {recip:#x}");
                }
                let root = f.sqrt(a);
                assert!(nearest(f, root, |n, g| compare(m, e, n * n, 2 * g)), "sqrt({a:#x}) = {root:#x}");
                assert_eq!(f.recip(a | f.zero(true)), recip | f.zero(true));
                assert_eq!(f.sqrt(a | f.zero(true)), f.nan());
            }
            let (zero, infinity) = (f.zero(false), f.infinity(false));
            assert_eq!([f.recip(zero), f.recip(infinity)], [infinity, zero]);
            assert_eq!(
                [f.sqrt(f.zero(true)), f.sqrt(infinity), f.sqrt(f.infinity(true))],
                [f.zero(true), infinity, f.nan()]
            );
            assert_eq!([f.recip(f.nan()), f.sqrt(f.nan())], [f.nan(); 2]);
        }
    }

    #[test]
    fn conversions_of_all_numbers_are_as_in_another_library() {
        let (binary16, bfloat16) = (Model::BINARY16, Model::BFLOAT16);
        let single = Model { exp: 8, frac: 23, flush: false };
        for a in 0..1u32 << 16 {
            let (half, bfloat) = (half::f16::from_bits(a as u16), half::bf16::from_bits(a as u16));
            if !half.is_nan() {
                assert_eq!(binary16.convert(a, bfloat16), u32::from(half::bf16::from_f32(half.to_f32()).to_bits()));
                assert_eq!(binary16.convert(a, single), half.to_f32().to_bits());
                for (bits, signed) in [(2, true), (8, true), (8, false), (16, true), (32, true), (32, false)] {
                    let x = half.to_f64().round_ties_even();
                    let want = match (bits, signed) {
                        (2, _) => (x as i64).clamp(-2, 1),
                        (8, true) => (x as i8).into(),
                        (8, false) => (x as u8).into(),
                        (16, _) => (x as i16).into(),
                        (_, true) => (x as i32).into(),
                        (_, false) => (x as u32).into(),
                    };
                    assert_eq!(binary16.to_integer(a, bits, signed), want, "{a:#x} to {bits} bits");
                }
            }
            if !bfloat.is_nan() {
                assert_eq!(bfloat16.convert(a, binary16), u32::from(half::f16::from_f32(bfloat.to_f32()).to_bits()));
                let want: i64 = (bfloat.to_f32().round_ties_even() as i32).into();
                assert_eq!(bfloat16.to_integer(a, 32, true), want);
            }
            let x = i64::from(a as i16);
            assert_eq!(binary16.from_integer(x), u32::from(half::f16::from_f32(x as f32).to_bits()));
            assert_eq!(bfloat16.from_integer(x), u32::from(half::bf16::from_f32(x as f32).to_bits()));
        }
        assert_eq!(binary16.convert(0x7d01, bfloat16), bfloat16.nan());
        assert_eq!(binary16.to_integer(binary16.nan(), 8, true), 0);
        let mut r = fastrand::Rng::with_seed(crate::bus::seed(5));
        for _ in 0..100_000 {
            let x = r.i32(..) >> r.u32(..32);
            assert_eq!(single.from_integer(x.into()), (x as f32).to_bits());
            let y = f32::from_bits(r.u32(..));
            if !y.is_nan() {
                assert_eq!(single.convert(y.to_bits(), binary16), u32::from(half::f16::from_f32(y).to_bits()), "{y:?}");
            }
        }
    }
}
