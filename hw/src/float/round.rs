//! The end of most units: a subnormal result is shifted to its place, then rounded to nearest even and packed. Combinational.
//!
//! Fraction and exponent are rounded as one number: the carry into the exponent, the step from subnormal to normal and the one to
//! infinity come by themselves.

use super::format::{Format, Subnormals, quiet_bit};
use super::logic::add_carry;
use super::operand::signed_bits;
use hdl::*;
use std::ops::RangeInclusive;

/// A result before it is rounded.
#[derive(Clone, Copy, Bundle)]
pub struct Exact {
    /// 1 for negative numbers.
    pub sign: Signal,
    /// The exponent that would be stored, two's complement.
    pub exp: Signal,
    /// The significand: `frac + 1` bits, the first one 1, and any number of bits behind them.
    pub sig: Signal,
    /// Is there anything behind the last bit?
    pub sticky: Signal,
    /// The result is zero.
    pub zero: Signal,
    /// The result is infinite.
    pub infinite: Signal,
    /// The result is NaN.
    pub nan: Signal,
}

/// A result at its place: `{exp, fraction} + round_up`.
#[derive(Clone, Copy, Bundle)]
pub struct Placed {
    sign: Signal,
    exp: Signal,
    fraction: Signal,
    round_up: Signal,
}

/// Brings a result to its place. `range` is that of `x.exp`: what cannot happen costs nothing. Without subnormal numbers in it,
/// the leading one need not be there.
#[module]
pub fn place(x: Exact, range: RangeInclusive<i32>, f: Format, subnormals: Subnormals) -> Placed {
    let (least, greatest) = (*range.start(), *range.end());
    debug_assert!(x.exp.width() >= signed_bits(least, greatest), "the exponent's width");
    let mut sig = if x.sig.width() > f.sig() { x.sig } else { x.sig.cat(x.sig.zeros(1)) };
    let (mut sticky, mut clear) = (x.sticky, x.zero);
    let small = if least > 0 { x.exp.zeros(1) } else { x.exp.msb() | !x.exp.any() };
    if least <= 0 && subnormals == Subnormals::Keep {
        let most = (1 - least).min(f.sig() as i32 + 1) as u32;
        let by = x.exp.lit(1u32, x.exp.width()) - x.exp;
        let levels = 32 - most.leading_zeros();
        for level in (0..levels).rev() {
            let (places, chosen) = ((1u32 << level).min(sig.width()), by.bit(level) & small);
            sticky = sticky | (chosen & sig.trunc(places).any());
            sig = chosen.mux(sig >> places, sig);
        }
        if (1 - least) >> levels > 0 {
            clear = clear | (small & by.drop_low(levels).any());
        }
    }
    let behind = sig.width() - f.sig();
    let (fraction, guard) = (sig.bits(sig.width() - 2, behind), sig.bit(behind - 1));
    let rest = if behind > 1 { sig.trunc(behind - 1).any() | sticky } else { sticky };
    let round_up = guard & (rest | fraction.bit(0));
    if least <= 0 && subnormals == Subnormals::Flush {
        // just below the smallest normal number it may round up to that
        clear = clear | (small & (x.exp.msb() | !(round_up & fraction.all())));
    }
    let large = if greatest < f.top() as i32 { x.exp.zeros(1) } else { !x.exp.msb() & reaches_top(x.exp, f) & !clear };
    let special = large | x.infinite | x.nan;
    let keep = !(clear | special);
    let exp = stored(x.exp, f) & (keep & !small).repeat(f.exp) | special.repeat(f.exp);
    let quiet = quiet_bit(x.nan, f);
    let fraction = (fraction & keep.repeat(f.frac)) | quiet;
    Placed { sign: x.sign & !x.nan, exp, fraction, round_up: round_up & keep }
}

/// Rounds and packs.
#[module]
pub fn pack(x: Placed) -> Signal {
    let magnitude = x.exp.cat(x.fraction);
    x.sign.cat(add_carry(magnitude, magnitude.zeros(magnitude.width()), x.round_up))
}

/// `magnitude + add`, rounded by the place behind the last one (`guard`) and by whether anything is behind that (`rest`). Half is
/// added at the guard's place; where exactly half is behind, that leaves an odd number one too large, or makes an even one of it:
/// either way clearing its last place is right.
#[module]
pub fn round_to_even(magnitude: Signal, add: Signal, guard: Signal, rest: Signal) -> Signal {
    let rounded = add_carry(magnitude, add, guard);
    let tie = guard & !rest;
    rounded & !tie.zext(rounded.width())
}

/// The low bits of an exponent.
fn stored(exp: Signal, f: Format) -> Signal {
    if exp.width() > f.exp { exp.trunc(f.exp) } else { exp.zext(f.exp) }
}

/// Is an exponent that is not negative at least that of infinity?
fn reaches_top(exp: Signal, f: Format) -> Signal {
    let all = stored(exp, f).all();
    if exp.width() > f.exp + 1 { all | exp.bits(exp.width() - 2, f.exp).any() } else { all }
}
