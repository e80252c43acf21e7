//! Sums, products and both in one.

use super::{Model, Number};
use Number::{Finite, Infinity, Nan};

/// Beyond this distance the smaller of two numbers only says on which side of the larger one the sum lies.
const FAR: i32 = 60;

impl Number {
    fn negate(self) -> Number {
        match self {
            Nan => Nan,
            Infinity(negative) => Infinity(!negative),
            Finite(negative, magnitude, exponent) => Finite(!negative, magnitude, exponent),
        }
    }
    fn times(self, other: Number) -> Number {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinity(_), Finite(_, 0, _)) | (Finite(_, 0, _), Infinity(_)) => Nan,
            (Infinity(a), Infinity(b) | Finite(b, ..)) | (Finite(a, ..), Infinity(b)) => Infinity(a != b),
            (Finite(a, m, e), Finite(b, n, g)) => Finite(a != b, m * n, e + g),
        }
    }
    fn plus(self, other: Number) -> Number {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinity(a), Infinity(b)) if a != b => Nan,
            (Infinity(a), _) | (_, Infinity(a)) => Infinity(a),
            // a sum of zeros is negative only if both are
            (Finite(a, 0, e), Finite(b, 0, _)) => Finite(a && b, 0, e),
            (Finite(_, 0, _), x) | (x, Finite(_, 0, _)) => x,
            (Finite(a, m, e), Finite(b, n, g)) => exact_sum((a, m, e), (b, n, g)),
        }
    }
}

fn exact_sum(x: (bool, u128, i32), y: (bool, u128, i32)) -> Number {
    let top = |(_, m, e): (bool, u128, i32)| 127 - m.leading_zeros() as i32 + e;
    let (x, y) = if top(x) >= top(y) { (x, y) } else { (y, x) };
    // a smaller number that is far away: any magnitude as far below does
    let y = if top(x) - top(y) > FAR { (y.0, 1, x.2.min(top(x) - FAR)) } else { y };
    let place = x.2.min(y.2);
    let whole = |(negative, m, e): (bool, u128, i32)| {
        let m = (m << (e - place)) as i128;
        if negative { -m } else { m }
    };
    let sum = whole(x) + whole(y);
    Finite(sum < 0, sum.unsigned_abs(), place)
}

impl Model {
    /// `a + b`.
    pub fn add(self, a: u32, b: u32) -> u32 {
        self.bits(self.number(a).plus(self.number(b)))
    }
    /// `a - b`.
    pub fn sub(self, a: u32, b: u32) -> u32 {
        self.bits(self.number(a).plus(self.number(b).negate()))
    }
    /// `a * b`.
    pub fn multiply(self, a: u32, b: u32) -> u32 {
        self.bits(self.number(a).times(self.number(b)))
    }
    /// `a * b + c`, rounded once.
    pub fn multiply_add(self, a: u32, b: u32, c: u32) -> u32 {
        self.bits(self.number(a).times(self.number(b)).plus(self.number(c)))
    }
}
