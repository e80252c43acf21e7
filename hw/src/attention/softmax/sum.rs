//! The exact sum of exponentials, and its reciprocal.

use super::types::{ONE, SoftmaxParams};
use crate::float::format::{BINARY16, Subnormals};
use crate::float::recip::{self, recip};
use crate::float::round::round_to_even;
use hdl::*;

/// The sum of exponentials in units of 2^-24, or what is left of it.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    sum: Signal,
    /// Something was shifted out.
    sticky: Signal,
    /// The stored exponent if the leading one counts 1.
    exp: Signal,
}

impl Sum {
    /// Adds exponentials up, two cycles after they come; `clear` sets the sum to zero.
    #[module]
    pub(super) fn new(m: Module, clear: Signal, comes: Signal, exponential: Signal, p: SoftmaxParams) -> Sum {
        let adds = m.reg_reset(bits(1), 0);
        let term = m.reg(bits(ONE + 1)).comment("an exponential in units of 2^-24");
        adds.set(comes);
        term.set(in_units(exponential));
        let sum = m.reg_reset(bits(p.sum_bits()), 0).comment("exponentials in units of 2^-24");
        let sticky = m.reg_reset(bits(1), 0).comment("something was shifted out");
        let exp = m.reg_reset(bits(5), u32::from(BIAS)).comment("the exponent, when the sum is below 2");
        m.when(adds, || sum.set(sum + term.zext(p.sum_bits())));
        m.when(clear, || {
            sum.set(0);
            sticky.set(0);
            exp.set(BIAS);
        });
        Sum { sum, sticky, exp }
    }
}

const BIAS: u8 = 15;

/// A number from 0 to 1 in units of 2^-24.
#[module]
fn in_units(x: Signal) -> Signal {
    let (exp, fraction) = (x.bits(13, 10), x.trunc(10));
    let normal = exp.any();
    // an exponent of 0 has the places of 1
    let by = exp - normal.zext(4);
    normal.cat(fraction).zext(ONE + 1) << by
}

/// The reciprocal of the sum, when `inverts` is 1 for so many cycles as the parameters say: the sum is shifted until it is below 2, rounded, inverted.
#[module]
pub(super) fn inverse(m: Module, x: Sum, inverts: Signal, nonfinite: Signal) -> Result<Signal, Errors> {
    let Sum { sum, sticky, exp } = x;
    m.when(inverts & sum.drop_low(ONE + 1).any(), || {
        sum.set(sum >> 1u32);
        sticky.set(sticky | sum.bit(0));
        exp.set(exp + 1);
    });
    let magnitude = exp.cat(sum.bits(ONE - 1, ONE - 10));
    let (guard, rest) = (sum.bit(ONE - 11), sum.trunc(ONE - 11).any() | sticky);
    let rounded = round_to_even(magnitude, magnitude.zeros(15), guard, rest);
    let denominator = m.reg(bits(16)).comment("the sum in binary16, or NaN");
    denominator.set(nonfinite.zeros(1).cat(nonfinite.mux(rounded.literal(0x7e00u32), rounded)));
    let unit = m.instance(&recip(BINARY16, Subnormals::Keep, recip::natural(BINARY16))?);
    unit.in_valid.set(m.lit(0u32, 1));
    unit.out_valid.unused();
    unit.a.set(denominator);
    Ok(unit.y)
}
