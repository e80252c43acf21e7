//! One result of several that attend to parts of the tokens (section 7, merging).

use super::softmax::{exact_sum, exp, larger};
use crate::golden::vq::decode::{B16, add, multiply};
use half::f16;

/// What is known of a part of the tokens.
#[derive(Clone, Debug)]
pub struct Partial {
    /// Its largest score.
    pub largest: u16,
    /// The sum of its exponentials.
    pub sum: u16,
    /// Its weighted sum of values.
    pub vector: Vec<u16>,
}

/// An eighth.
const EIGHTH: u16 = 0x3000;

impl Partial {
    /// Its largest score or its sum is none that a softmax has.
    pub fn is_wrong(&self) -> bool {
        let sum = f16::from_bits(self.sum).to_f64();
        !f16::from_bits(self.largest).is_finite() || !(1.0..16384.0).contains(&sum)
    }
}

/// The weights of the parts, none of which is wrong.
pub fn weights(parts: &[Partial]) -> Vec<u16> {
    let largest = parts.iter().map(|part| part.largest).reduce(larger).expect("a part");
    let term = |part: &Partial| multiply(multiply(part.sum, EIGHTH), exp(add(part.largest, largest ^ 0x8000)));
    let terms: Vec<u16> = parts.iter().map(term).collect();
    let factor = B16.recip(exact_sum(&terms).into()) as u16;
    terms.iter().map(|term| multiply(*term, factor)).collect()
}

/// The result, and the first part that is wrong.
pub fn merge(parts: &[Partial]) -> (Vec<u16>, Option<usize>) {
    let numbers = parts[0].vector.len();
    let wrong = parts.iter().position(Partial::is_wrong);
    if wrong.is_some() {
        return (vec![B16.nan() as u16; numbers], wrong);
    }
    let weights = weights(parts);
    let number = |k: usize| {
        let terms = parts.iter().zip(&weights).map(|(part, weight)| multiply(*weight, part.vector[k]));
        terms.reduce(add).expect("a part")
    };
    ((0..numbers).map(number).collect(), None)
}

#[cfg(test)]
mod tests;
