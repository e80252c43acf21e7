//! Adder and subtracter: `y = a + b`, rounded to nearest even. For `a - b` invert the sign of `b`.
//!
//! One path for all cases: the number of larger magnitude comes first, so that the difference is never negative; the other
//! is aligned to it, what falls out is gathered in a sticky bit; the sum is shifted to the left as far as its leading zeros
//! and its exponent allow, which gives subnormal results by itself; one adder at the end takes the hidden one and the
//! rounding into exponent and fraction together, which gives the carry into the exponent and infinity by itself.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | operands; `in_valid` only travels along |
//! | `y`, `out_valid` | the sum, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to
//!   [`NATURAL`].
//! - One addition a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Infinity minus infinity and NaN operands give the one quiet NaN; `x - x` is +0.

use super::format::{Format, Parts, Subnormals, quiet_bit};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: ordered, added, normalised, rounded.
pub const NATURAL: u32 = 4;

ports! {
    /// Ports of a unit with two operands.
    pub struct BinaryPorts(f: Format) {
        /// the operands are there
        input in_valid: Signal = bits(1),
        /// first operand
        input a: Signal = bits(f.width()),
        /// second operand
        input b: Signal = bits(f.width()),
        /// the result is there
        output out_valid: Signal = bits(1),
        /// result
        output y: Signal = bits(f.width()),
    }
}

/// An adder.
#[module]
pub fn add(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<BinaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("add", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point adder, round to nearest even.");
    let io = BinaryPorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b) = s.enter((io.a, io.b));

    m.section("the larger magnitude first");
    let swap = a.trunc(f.width() - 1).lt(b.trunc(f.width() - 1));
    let (large, small) = (Parts::of(swap.mux(b, a), f), Parts::of(swap.mux(a, b), f));
    let subtract = large.sign ^ small.sign;
    let distance = large.effective_exp() - small.effective_exp();
    let nan = large.top & (large.frac.any() | (subtract & small.top));
    let ordered = Ordered {
        sign: large.sign,
        exp: large.effective_exp(),
        special: large.top,
        nan,
        subtract,
        distance,
        large: large.significand(subnormals),
        small: small.significand(subnormals),
    };
    let ordered = s.cut(1, ordered);

    let sum = s.cut(2, aligned_sum(ordered));
    let normal = s.cut(3, normalise(sum, f, subnormals));

    m.section("the hidden one and the rounding go into exponent and fraction together");
    let increment = normal.carry.zext(f.exp).cat(normal.fraction.zeros(f.frac));
    let one = normal.round_up.zext(f.exp + f.frac);
    let magnitude = add_carry(normal.exp.cat(normal.fraction), increment, one.bit(0));
    io.y.set(s.leave(normal.sign.cat(magnitude)));
    m.finish(io)
}

/// Operands in order.
#[derive(Clone, Copy, Bundle)]
struct Ordered {
    sign: Signal,
    exp: Signal,
    special: Signal,
    nan: Signal,
    subtract: Signal,
    distance: Signal,
    large: Signal,
    small: Signal,
}

/// A sum: `sig` has the place of a carry in front and two more bits behind; `sticky` is what lies below them.
#[derive(Clone, Copy, Bundle)]
struct Sum {
    sign: Signal,
    exp: Signal,
    nan: Signal,
    sig: Signal,
    sticky: Signal,
}

/// `a + b + carry` with one chain of carry cells.
pub fn add_carry(a: Signal, b: Signal, carry: Signal) -> Signal {
    (a.cat(a.lit(1u32, 1)) + b.cat(carry)).drop_low(1)
}

/// Aligns the smaller operand and adds or subtracts it.
#[module]
fn aligned_sum(x: Ordered) -> Sum {
    // two places below the last one are enough: a subtraction that needs more has lost no more than one place in front
    let start = x.small.cat(x.small.zeros(2));
    let width = start.width();
    let levels = clog2(width as usize + 1).min(x.distance.width());
    let far = x.distance.drop_low(levels.min(x.distance.width() - 1)).any();
    let far = if levels < x.distance.width() { far } else { far.zeros(1) };
    let mut aligned = start;
    let mut sticky = far & x.small.any();
    for level in (0..levels).rev() {
        let (by, chosen) = (1u32 << level, x.distance.bit(level));
        let out = aligned.trunc(by.min(width));
        sticky = sticky | (chosen & out.any());
        aligned = chosen.mux(aligned >> by, aligned);
        if level + 1 == levels {
            aligned = aligned & (!far).repeat(width);
        }
    }
    let (large, inverted) =
        (x.large.cat(x.large.zeros(2)).zext(width + 1), aligned.zext(width + 1) ^ x.subtract.repeat(width + 1));
    let sum = add_carry(large, inverted, x.subtract & !sticky);
    // infinity and NaN: as a carry out of the largest exponent
    let sig = (sum.msb() | x.special).cat(sum.trunc(width));
    let exp = x.exp.drop_low(1).cat(x.exp.bit(0) & !x.special);
    let sign = x.sign & !x.nan & !(x.subtract & !x.special & !sum.any());
    Sum { sign, exp, nan: x.nan, sig, sticky }
}

/// A number before rounding: its magnitude is `{exp, fraction} + carry * 2^frac + round_up`.
#[derive(Clone, Copy, Bundle)]
struct Normal {
    sign: Signal,
    exp: Signal,
    fraction: Signal,
    carry: Signal,
    round_up: Signal,
}

/// Shifts the leading one to the front, but no further than the exponent allows.
#[module]
fn normalise(x: Sum, f: Format, subnormals: Subnormals) -> Normal {
    let width = x.sig.width();
    let overflow = x.sig.msb() & x.exp.drop_low(1).all() & !x.exp.bit(0);
    let (mut sig, mut exp) = (x.sig, x.exp);
    for level in (0..clog2(width as usize)).rev() {
        let by = 1u32 << level;
        if level >= f.exp {
            continue; // the exponent never allows it
        }
        let shift = !sig.drop_low(width - by).any() & exp.drop_low(level).any();
        sig = shift.mux(sig << by, sig);
        exp = less(exp, level, shift);
    }
    let carry = sig.msb();
    // without a leading one it is subnormal or zero
    let exp = exp & carry.repeat(f.exp);
    let keep = match subnormals {
        Subnormals::Keep => !overflow,
        Subnormals::Flush => !overflow & carry,
    };
    let (fraction, guard) = (sig.bits(width - 2, 3), sig.bit(2));
    let fraction = fraction & keep.repeat(f.frac);
    let rest = sig.trunc(2).any() | x.sticky;
    let round_up = guard & (rest | fraction.bit(0)) & !overflow;
    let quiet = quiet_bit(x.nan, f);
    Normal { sign: x.sign, exp, fraction: fraction | quiet, carry, round_up }
}

/// `x - 2^level` where `when` is 1. As logic: carry cells would be longer and no smaller.
pub(super) fn less(x: Signal, level: u32, when: Signal) -> Signal {
    let mut bits: Vec<Signal> = (0..x.width()).map(|i| x.bit(i)).collect();
    let mut borrow = when;
    for bit in &mut bits[level as usize..] {
        let old = *bit;
        *bit = old ^ borrow;
        borrow = borrow & !old;
    }
    bits.reverse();
    cat(&bits)
}
