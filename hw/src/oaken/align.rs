//! A magnitude in 32nds of a step: `A(X) = floor(X * r / 2^(E+3))` of docs/oaken-format.md, section 5, modulo 1024.
//!
//! Two halves, so that a register can stand between: the product of mantissa and reciprocal, and the shift to the fixed point.
//! Only differences `A(X) - A(t)` below 1024 are ever used, so ten bits are enough however large X is.

use crate::float::half::Unpacked;
use hdl::*;

/// Mantissa (11 bits) times reciprocal (10 bits).
pub fn product(mantissa: Signal, r: Signal) -> Signal {
    mantissa * r
}

/// The ten low bits of `product * 2^exponent / 2^(e+3)`, cut off. A legal step has `e + 3 - exponent >= 4`, so the shift only
/// goes to the right, and the lowest four bits of the product never matter.
#[module]
pub fn align(product: Signal, exponent: Signal, e: Signal) -> Signal {
    let amount = e - 1 - exponent.zext(6);
    let shifted = product.drop_low(4) >> amount;
    shifted.trunc(10)
}

/// The shift of [`align`], for where it is computed a stage ahead.
pub fn shift_amount(x: Unpacked, e: Signal) -> Signal {
    e - 1 - x.exponent.zext(6)
}
