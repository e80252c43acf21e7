//! The intermediate caches A to F of one query head (equation 5; docs/lad.md, section 6).

use super::intervals::{Coefficient, Table};
use super::number::{Half, SCORE_FRACTION, SUM_FRACTION, shifted};

/// A to F in fixed point. Every term is rounded by itself, so that the caches are the sum of the terms of the modes of
/// the moment, whatever they were before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Places behind the point.
    pub fraction: u32,
    /// Sum of `a k v`: row r has element r of the keys, column c element c of the values.
    pub a: Vec<i64>,
    /// Sum of `a v`.
    pub b: Vec<i64>,
    /// Sum of `b v`.
    pub c: Vec<i64>,
    /// Sum of `a k`.
    pub d: Vec<i64>,
    /// Sum of `a`.
    pub e: i64,
    /// Sum of `b`.
    pub f: i64,
}

impl Caches {
    /// Of no position, for so many elements of a head.
    pub fn new(head: usize, fraction: u32) -> Caches {
        let zeros = || vec![0; head];
        Caches { fraction, a: vec![0; head * head], b: zeros(), c: zeros(), d: zeros(), e: 0, f: 0 }
    }

    /// Adds the terms of a position in an interval, or takes them away.
    pub fn add(&mut self, table: &Table, interval: usize, key: &[Half], value: &[Half], taken_away: bool) {
        let (slope, constant) = (table.a[interval], table.b[interval]);
        let sign = if taken_away { -1 } else { 1 };
        let fraction = self.fraction as i32;
        let term = |coefficient: Coefficient, significand: i64, exponent: i32| {
            let product = i128::from(coefficient.mantissa) * i128::from(significand);
            sign * shifted(product, exponent - coefficient.fraction() + fraction) as i64
        };
        for (row, k) in self.a.chunks_exact_mut(value.len()).zip(key) {
            for (sum, v) in row.iter_mut().zip(value) {
                *sum += term(slope, k.significand * v.significand, k.exponent + v.exponent);
            }
        }
        for (sum, v) in self.b.iter_mut().zip(value) {
            *sum += term(slope, v.significand, v.exponent);
        }
        for (sum, v) in self.c.iter_mut().zip(value) {
            *sum += term(constant, v.significand, v.exponent);
        }
        for (sum, k) in self.d.iter_mut().zip(key) {
            *sum += term(slope, k.significand, k.exponent);
        }
        self.e += term(slope, 1, 0);
        self.f += term(constant, 1, 0);
    }

    /// The name of the first of A to D with an element that does not fit into so many bits. E and F have 48, which hold 65,535
    /// coefficients below 2 with 30 places.
    pub fn overflow(&self, bits: u32) -> Option<char> {
        let limit = 1i64 << (bits - 1);
        let large = |x: &i64| !(-limit..limit).contains(x);
        let parts = [('A', &self.a[..]), ('B', &self.b), ('C', &self.c), ('D', &self.d)];
        parts.into_iter().find(|(_, elements)| elements.iter().any(large)).map(|(name, _)| name)
    }

    /// `qA - mB + C` and `qD - mE + F`, every term rounded to the sums' places by itself, halves upwards.
    pub fn sums(&self, query: &[Half], maximum: i32) -> (Vec<i128>, i128) {
        let places = SUM_FRACTION as i32 - self.fraction as i32;
        let with_query = |q: &Half, x: i64| shifted(i128::from(q.significand) * i128::from(x), q.exponent + places);
        let with_maximum = |x: i64| shifted(-i128::from(maximum) * i128::from(x), places - SCORE_FRACTION as i32);
        let constant = |x: i64| shifted(x.into(), places);
        let rest = |m: i64, c: i64| with_maximum(m) + constant(c);
        let mut numerator: Vec<i128> = self.b.iter().zip(&self.c).map(|(b, c)| rest(*b, *c)).collect();
        for (row, q) in self.a.chunks_exact(self.b.len()).zip(query) {
            for (sum, x) in numerator.iter_mut().zip(row) {
                *sum += with_query(q, *x);
            }
        }
        let denominator = self.d.iter().zip(query).map(|(x, q)| with_query(q, *x)).sum::<i128>() + rest(self.e, self.f);
        (numerator, denominator)
    }
}
