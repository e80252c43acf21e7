//! A magnitude in 32nds of a step: `A(X) = floor(X * r / 2^(E+3))` of docs/oaken-format.md, section 5, modulo `2^bits`.
//!
//! Two halves, so that a register can stand between: the product of mantissa and reciprocal, and the shift to the fixed point.
//! Only differences `A(X) - A(t)` of up to `2^B` steps and a half are ever used, so [`in_steps_bits`] are enough however large X
//! is: ten at 4 bits.

use hdl::*;

/// Bits of a magnitude in 32nds of a step: five behind the point, and one more than a code has before it.
pub fn in_steps_bits(dense_bits: u32) -> u32 {
    dense_bits + 6
}

/// Is the exponent field of a binary16 magnitude not 0? A register belongs behind it: the multiplier needs the cycle for itself.
pub fn normal(magnitude: Signal) -> Signal {
    magnitude.drop_low(10).any()
}

/// The mantissa (11 bits) of a magnitude times a reciprocal (10 bits, at most 512): below 2^20.
pub fn product(magnitude: Signal, normal: Signal, r: Signal) -> Signal {
    normal.cat(magnitude.trunc(10)) * r
}

/// The distance of the shift, 6 bits, for a binary16 magnitude and the step's E: `E - 1` less the exponent, which is one below its
/// field unless the number is subnormal. The field is subtracted and `normal` added in one carry chain.
#[module]
pub fn shift_amount(magnitude: Signal, normal: Signal, e: Signal) -> Signal {
    let field = magnitude.drop_low(10);
    let less = (!field.zext(6)).cat(normal);
    (e.cat(normal.lit(1u32, 1)) + less).drop_low(1)
}

/// The low `bits` of `product / 2^(amount + 4)`, cut off. A legal step has an amount of 0 at least, so the shift only goes to the
/// right, and the lowest four bits of the product never matter. The largest distance first: what falls out is not built.
#[module]
pub fn align(product: Signal, amount: Signal, bits: u32) -> Signal {
    let shifted = (0..4).rev().fold(product.bits(19, 4), |x, level| {
        let needed = (bits + (1 << level) - 1).min(x.width());
        amount.bit(level).mux(x >> (1u32 << level), x).trunc(needed)
    });
    amount.drop_low(4).any().mux(shifted.zeros(bits), shifted)
}
