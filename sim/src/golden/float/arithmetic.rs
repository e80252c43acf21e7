//! Sums, products and both in one.

use super::{Model, Number};
use Number::{Finite, Infinity, Nan};
use std::cmp::Ordering;

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
    /// `None` if one is NaN.
    fn order(self, other: Number) -> Option<Ordering> {
        // infinities beyond all numbers
        let key = |n| match n {
            Nan => None,
            Infinity(negative) => Some((if negative { -1 } else { 1 }, Finite(false, 0, 0))),
            finite => Some((0, finite)),
        };
        let ((x_class, x), (y_class, y)) = (key(self)?, key(other)?);
        let difference = match x.plus(y.negate()) {
            Finite(_, 0, _) => Ordering::Equal,
            Finite(true, ..) => Ordering::Less,
            _ => Ordering::Greater,
        };
        Some(x_class.cmp(&y_class).then(difference))
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

/// How two numbers compare, and the smaller and the larger of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// `a < b`.
    pub lt: bool,
    /// `a <= b`.
    pub le: bool,
    /// `a = b`; the zeros are equal.
    pub eq: bool,
    /// An operand is NaN; the others are false then.
    pub unordered: bool,
    /// minimumNumber of IEEE 754-2019 section 9.6.
    pub min: u32,
    /// maximumNumber.
    pub max: u32,
}

impl Comparison {
    /// What the unit gives, in the order of its ports.
    pub fn results(self) -> [u32; 6] {
        [self.lt.into(), self.le.into(), self.eq.into(), self.unordered.into(), self.min, self.max]
    }
}

impl Model {
    /// Compares two numbers.
    pub fn compare(self, a: u32, b: u32) -> Comparison {
        let (x, y) = (self.number(a), self.number(b));
        // a number is the same after it went through its meaning, but for subnormals that are flushed
        let bits = |n| self.bits(n);
        let Some(order) = x.order(y) else {
            let other = bits(if x == Nan { y } else { x });
            return Comparison { lt: false, le: false, eq: false, unordered: true, min: other, max: other };
        };
        let negative = |n| matches!(n, Infinity(true) | Finite(true, ..));
        let a_first = order.is_lt() || (order.is_eq() && negative(x));
        let (min, max) = if a_first { (bits(x), bits(y)) } else { (bits(y), bits(x)) };
        Comparison { lt: order.is_lt(), le: order.is_le(), eq: order.is_eq(), unordered: false, min, max }
    }

    /// The sum of a vector: neighbours pairwise, then their sums; a last one without a neighbour goes on as it is.
    pub fn tree(self, x: &[u32]) -> u32 {
        match x {
            [one] => *one,
            _ => self
                .tree(&x.chunks(2).map(|p| if p.len() == 2 { self.add(p[0], p[1]) } else { p[0] }).collect::<Vec<_>>()),
        }
    }

    /// The dot product: rounded products, summed as [`Model::tree`] does.
    pub fn dot(self, a: &[u32], b: &[u32]) -> u32 {
        self.tree(&a.iter().zip(b).map(|(a, b)| self.multiply(*a, *b)).collect::<Vec<_>>())
    }
}
