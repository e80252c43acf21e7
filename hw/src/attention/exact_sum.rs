//! The exact sum of numbers that are not negative, and its reciprocal. Built into the module that calls.

use crate::float::beside::of_one;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::recip::{self, recip};
use crate::float::round::round_to_even;
use hdl::*;

/// Places behind the point: every number of binary16 is a multiple of 2^-24.
pub(super) const PLACES: u32 = 24;
const BIAS: u32 = 15;

/// What is added up.
#[derive(Clone, Copy)]
pub(super) struct SumShape {
    /// Bits before the point of a number: 1, if it is at most 1.
    pub(super) term: u32,
    /// Bits before the point of the sum.
    pub(super) sum: u32,
    /// The sum is at least 2^-`below`.
    pub(super) below: u32,
}

impl SumShape {
    /// The bit of a sum in its register that is the leading one when it has been shifted.
    fn one(self) -> u32 {
        PLACES - self.below
    }
    /// Cycles from the sum to its reciprocal: shifts, rounding, the reciprocal.
    pub(super) fn inverse_latency(self) -> u32 {
        self.sum - 1 + self.below + 1 + recip::natural(BINARY16)
    }
}

/// The sum in units of 2^-24, or what is left of it.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    sum: Signal,
    /// Something was shifted out.
    sticky: Signal,
    /// The stored exponent if the leading one is where it will be.
    exp: Signal,
    shape: SumShape,
}

impl Sum {
    /// Adds numbers up, two cycles after they come; `clear` sets the sum to zero.
    #[module]
    pub(super) fn new(m: Module, clear: Signal, comes: Signal, number: Signal, shape: SumShape) -> Sum {
        let adds = m.reg_reset(bits(1), 0);
        let term = m.reg(bits(PLACES + shape.term)).comment("a number in units of 2^-24");
        adds.set(comes);
        term.set(in_units(number, shape.term));
        let width = PLACES + shape.sum;
        let sum = m.reg_reset(bits(width), 0).comment("numbers in units of 2^-24");
        let sticky = m.reg_reset(bits(1), 0).comment("something was shifted out");
        let least = BIAS - shape.below;
        let exp = m.reg_reset(bits(5), least).comment("the exponent, when the sum has been shifted");
        m.when(adds, || sum.set(sum + term.zext(width)));
        m.when(clear, || {
            sum.set(0);
            sticky.set(0);
            exp.set(least);
        });
        Sum { sum, sticky, exp, shape }
    }

    /// The sum in binary16, or NaN, and its reciprocal, when `inverts` is 1 for so many cycles as the shape says: the sum is shifted, rounded, inverted.
    #[module]
    pub(super) fn inverse(self, m: Module, inverts: Signal, nonfinite: Signal) -> Result<Inverse, Errors> {
        let Sum { sum, sticky, exp, shape } = self;
        let one = shape.one();
        m.when(inverts & sum.drop_low(one + 1).any(), || {
            sum.set(sum >> 1u32);
            sticky.set(sticky | sum.bit(0));
            exp.set(exp + 1);
        });
        let magnitude = exp.cat(sum.bits(one - 1, one - 10));
        let (guard, rest) = (sum.bit(one - 11), sum.trunc(one - 11).any() | sticky);
        let rounded = round_to_even(magnitude, magnitude.zeros(15), guard, rest);
        let denominator = m.reg(bits(16)).comment("the sum in binary16, or NaN");
        denominator.set(nonfinite.zeros(1).cat(nonfinite.mux(rounded.literal(0x7e00u32), rounded)));
        let unit = m.instance(&recip(BINARY16, Subnormals::Keep, recip::natural(BINARY16))?);
        Ok(Inverse { sum: denominator, reciprocal: of_one(m, &unit, denominator) })
    }
}

/// A sum and what it is inverted.
#[derive(Clone, Copy)]
pub(super) struct Inverse {
    /// The sum, rounded.
    pub(super) sum: Signal,
    /// Its reciprocal.
    pub(super) reciprocal: Signal,
}

/// A number below 2^`before` (or 1, if that is 1) in units of 2^-24.
#[module]
fn in_units(x: Signal, before: u32) -> Signal {
    // at most 1: an exponent of 15 is that of 1 alone
    let (exp, fraction) = (x.bits(if before == 1 { 13 } else { 14 }, 10), x.trunc(10));
    let normal = exp.any();
    // an exponent of 0 has the places of 1
    let by = exp - normal.zext(exp.width());
    normal.cat(fraction).zext(PLACES + before) << by
}
