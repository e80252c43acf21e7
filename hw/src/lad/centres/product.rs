//! The factor of a key that has a centre: its length times the factor of the centre, rounded to binary16 (docs/lad.md, section 5, step 4).
//!
//! The product is moved to its place a bit in a cycle: that of two normal numbers by one at most, as long as it is normal itself.

use crate::float::format::{BINARY16, Parts, Subnormals};
use crate::float::logic::add_carry;
use hdl::*;

/// Bits of a product of two significands.
const PRODUCT: u32 = 22;
/// Bits of its exponent.
const EXPONENT: u32 = 7;

/// A product at its place.
pub(super) struct Product {
    magnitude: Signal,
    /// As it would be stored if the highest bit of the magnitude is set: two's complement.
    exponent: Signal,
    /// Bits were moved out.
    sticky: Signal,
    /// It is at its place.
    pub(super) is_placed: Signal,
}

impl Product {
    /// Begins with a length, which is a normal number, and a factor; moves the product while `moves` is 1.
    #[module]
    pub(super) fn of(m: Module, begins: Signal, (length, factor): (Signal, Signal), moves: Signal) -> Product {
        m.section("the length times the factor of the centre");
        let magnitude = m.reg(bits(PRODUCT));
        let exponent = m.reg(bits(EXPONENT));
        let sticky = m.reg(bits(1)).comment("bits of the product were moved out");
        let (length, factor) = (Parts::of(length.zext(BINARY16.width()), BINARY16), Parts::of(factor, BINARY16));
        let product = length.significand(Subnormals::Keep) * factor.significand(Subnormals::Keep);
        let sum = length.exp.zext(EXPONENT) + factor.effective_exp().zext(EXPONENT);
        let low = exponent.msb() | !exponent.any();
        let high = !low & exponent.ne(1) & !magnitude.msb();
        m.when(moves & low, || {
            magnitude.set(magnitude >> 1);
            sticky.set(sticky | magnitude.bit(0));
            exponent.set(exponent + 1);
        });
        m.when(moves & high, || {
            magnitude.set(magnitude << 1);
            exponent.set(exponent - 1);
        });
        m.when(begins, || {
            magnitude.set(product);
            exponent.set(sum - 14);
            sticky.set(0);
        });
        Product { magnitude, exponent, sticky, is_placed: !low & !high }
    }

    /// Rounded, without sign, and whether it is neither 0 nor infinite.
    #[module]
    pub(super) fn rounded(&self) -> (Signal, Signal) {
        let x = self.magnitude;
        let up = x.bit(10) & (x.trunc(10).any() | self.sticky | x.bit(11));
        let magnitude = (self.exponent.trunc(6) & x.msb().repeat(6)).cat(x.bits(PRODUCT - 2, 11));
        let rounded = add_carry(magnitude, magnitude.zeros(16), up);
        let infinite = rounded.msb() | rounded.bits(14, 10).all();
        (rounded.trunc(15), rounded.any() & !infinite)
    }
}
