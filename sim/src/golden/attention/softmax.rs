//! Weights of the tokens from the scores of a query (section 7, softmax).

use crate::golden::float::Number;
use crate::golden::vq::decode::{B16, add, multiply};

/// The most scores of a query.
pub const MAX_SCORES: usize = 8192;
/// Segments of the exponential.
const SEGMENTS: u32 = 32;
/// Places behind the point of the exact sum.
const PLACES: i32 = 24;

/// `e^x` of a number that is not positive, as the page has it.
pub fn exp(x: u16) -> u16 {
    B16.exp(x.into(), SEGMENTS) as u16
}

/// The weights of the tokens, and whether they are all NaN.
pub fn softmax(scores: &[u16]) -> (Vec<u16>, bool) {
    let Some((exponentials, [_, sum])) = exponentials(scores) else {
        return (vec![B16.nan() as u16; scores.len()], true);
    };
    let factor = B16.recip(sum.into()) as u16;
    (exponentials.iter().map(|e| multiply(*e, factor)).collect(), false)
}

/// The largest score, +0 if there are -0 and +0, and the sum of the exponentials; nothing if a score is NaN or +infinity, or all are -infinity.
pub fn largest_and_sum(scores: &[u16]) -> Option<[u16; 2]> {
    exponentials(scores).map(|(_, state)| state)
}

fn exponentials(scores: &[u16]) -> Option<(Vec<u16>, [u16; 2])> {
    assert!((1..=MAX_SCORES).contains(&scores.len()), "1 to {MAX_SCORES} scores, not {}", scores.len());
    let is = |x: u16, test: fn(Number) -> bool| test(B16.number(x.into()));
    let bad = scores.iter().any(|x| is(*x, |x| matches!(x, Number::Nan | Number::Infinity(false))));
    let finite = scores.iter().any(|x| is(*x, |x| matches!(x, Number::Finite(..))));
    if bad || !finite {
        return None;
    }
    let largest = scores.iter().copied().reduce(larger).expect("a score");
    let exponentials: Vec<u16> = scores.iter().map(|x| exp(add(*x, largest ^ 0x8000))).collect();
    let sum = exact_sum(&exponentials);
    Some((exponentials, [largest, sum]))
}

/// The larger one of two numbers; of -0 and +0 this one.
pub(super) fn larger(a: u16, b: u16) -> u16 {
    let less = B16.compare(a.into(), b.into()).lt;
    if less || (a == 0x8000 && b == 0) { b } else { a }
}

/// The sum of numbers that are not negative, rounded once.
pub(super) fn exact_sum(numbers: &[u16]) -> u16 {
    let units = |x: &u16| match B16.number((*x).into()) {
        Number::Finite(false, magnitude, exponent) => magnitude << (exponent + PLACES),
        other => panic!("a term of {other:?}"),
    };
    B16.bits(Number::Finite(false, numbers.iter().map(units).sum(), -PLACES)) as u16
}

/// The same in float64.
pub fn softmax64(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = scores.iter().map(|x| (x - largest).exp()).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|e| e / sum).collect()
}

#[cfg(test)]
mod tests;
