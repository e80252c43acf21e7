//! A binary16 number is moved to the right by a multiplier block, whose other operand has a single one. Built into the module that calls.

use hdl::*;

/// Bits of the fraction.
pub(super) const FRAC: u32 = 10;

/// The significand and the exponent of a number without its sign; 1 of a subnormal number.
#[module]
pub(super) fn parts(x: Signal) -> (Signal, Signal) {
    let (exp, frac) = (x.drop_low(FRAC), x.trunc(FRAC));
    let normal = exp.any();
    (normal.cat(frac), exp.drop_low(1).cat(exp.bit(0) | !normal))
}

/// 2 to the power of `farthest`, 12 or 13, less the distance of two exponents; 1 for larger distances. In registers.
#[module]
pub(super) fn single_one(m: Module, distance: Signal, farthest: u32) -> Signal {
    let near = distance.trunc(4);
    let ones = m.reg(bits(farthest));
    ones.set(Vector::of((1..=farthest).map(|place| near.eq(farthest - place))).pack());
    m.when(distance.msb(), || ones.set(0)); // that is a reset of its flip-flops
    let last = distance.msb() | near.ge(farthest);
    ones.cat(last.next())
}
