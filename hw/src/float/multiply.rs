//! Multiplier: `y = a * b`, rounded to nearest even; one multiplier block and little else.
//!
//! With subnormals kept, the operand that may be subnormal is brought to the front and its leading one shifted to its place,
//! so that the product lies in [1, 4). (Where both are subnormal the other one stays as it is: the product is then so small
//! that it is shifted out anyway.) One shifter to the right serves both the product's carry and subnormal results.
//! Exponent, hidden one and rounding meet in one adder, which gives the carry into the exponent and infinity by itself.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | operands; `in_valid` only travels along |
//! | `y`, `out_valid` | the product, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 2 to 23 fraction bits), subnormals kept or flushed, latency 0 to
//!   [`NATURAL`].
//! - One product a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Zero times infinity and NaN operands give the one quiet NaN.

use super::add::{BinaryPorts, add_carry};
use super::format::{Format, Parts, Subnormals};
use super::leading_zeros::leading_zeros;
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: operands ready, multiplied, shifted, rounded.
pub const NATURAL: u32 = 4;

/// A multiplier.
#[module]
pub fn multiply(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<BinaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("multiply", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point multiplier, round to nearest even.");
    let io = BinaryPorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b) = s.enter((io.a, io.b));
    let (a, b) = (Parts::of(a, f), Parts::of(b, f));

    let factors = match subnormals {
        Subnormals::Keep => normal_first(a, b, f),
        Subnormals::Flush => flushed(a, b),
    };
    let factors = s.cut(1, factors);
    let product = s.cut(2, Product { value: factors.p * factors.q, rest: factors.result });
    io.y.set(match subnormals {
        Subnormals::Keep => round_kept(s, product, f),
        Subnormals::Flush => round_flushed(s, product, f),
    });
    m.finish(io)
}

/// What is known of the result before the product is.
#[derive(Clone, Copy, Bundle)]
struct Outcome {
    sign: Signal,
    /// Stored exponent less one, if the product is in [1, 2); two more bits, signed.
    exp: Signal,
    zero: Signal,
    special: Signal,
    nan: Signal,
}

/// Significands and what else decides the result.
#[derive(Clone, Copy, Bundle)]
struct Factors {
    p: Signal,
    q: Signal,
    result: Outcome,
}

#[derive(Clone, Copy, Bundle)]
struct Product {
    /// With its leading one in one of the two highest bits.
    value: Signal,
    rest: Outcome,
}

/// `x - 2^(exp - 1)` for a stored exponent, two bits wider.
fn less_bias(exp: Signal) -> Signal {
    let high = !exp.msb();
    cat(&[high, high, high, exp.trunc(exp.width() - 1)])
}

/// NaN: an operand is one, or infinity meets zero.
fn is_nan(a: Parts, b: Parts, zero: Signal) -> Signal {
    (a.top & a.frac.any()) | (b.top & b.frac.any()) | ((a.top | b.top) & zero)
}

/// Brings the operand that may be subnormal to the front and its leading one to its place.
#[module]
fn normal_first(a: Parts, b: Parts, f: Format) -> Factors {
    let (p, q) = (a.normal.mux(b, a), a.normal.mux(a, b));
    let zeros = leading_zeros(p.frac);
    let shifted = (p.frac << zeros << 1).trunc(f.frac);
    let one = p.normal | p.frac.any();
    let sig = one.cat(p.normal.mux(p.frac, shifted));
    // the exponent of p: as stored, or minus the leading zeros
    let wide = f.exp + 2;
    let exp = p.normal.mux(p.exp.zext(wide), !zeros.zext(wide));
    let exp = add_carry(less_bias(q.effective_exp()), exp, !p.normal);
    let zero = !one;
    let result = Outcome { sign: a.sign ^ b.sign, exp, zero, special: a.top | b.top, nan: is_nan(a, b, zero) };
    Factors { p: sig, q: q.significand(Subnormals::Keep), result }
}

/// Subnormal operands are zeros.
#[module]
fn flushed(a: Parts, b: Parts) -> Factors {
    let zero = !(a.normal & b.normal);
    let exp = less_bias(a.exp) + b.exp.zext(b.exp.width() + 2);
    let result = Outcome { sign: a.sign ^ b.sign, exp, zero, special: a.top | b.top, nan: is_nan(a, b, zero) };
    let one = a.sign.lit(1u32, 1);
    Factors { p: one.cat(a.frac), q: one.cat(b.frac), result }
}

/// Before the last adder: `{exp, fraction} + add * 2^frac + round_up`.
#[derive(Clone, Copy, Bundle)]
struct Normal {
    sign: Signal,
    exp: Signal,
    fraction: Signal,
    add: Signal,
    round_up: Signal,
}

/// Shifts, rounds and packs; results may be subnormal.
#[module]
fn round_kept(s: Stages, x: Product, f: Format) -> Signal {
    let (value, r) = (x.value, x.rest);
    let wide = value.width();
    let carry = value.msb();
    let normal = !r.exp.msb() & !r.zero;
    // one place for a carry, or to where the smallest exponent has its place
    let levels = clog2(f.frac as usize + 4);
    let below = r.exp.zeros(f.exp + 2) - r.exp;
    let by = normal.mux(carry.zext(levels), below.trunc(levels));
    let far = match levels < f.exp + 2 {
        true => !normal & below.drop_low(levels).any(),
        false => normal.zeros(1),
    };
    let largest = r.exp.lit(f.top() - 1, f.exp + 2);
    let overflow = r.special | (normal & (r.exp.zext(f.exp + 3) + carry.zext(f.exp + 3)).ge(largest.zext(f.exp + 3)));

    // bits that can only be sticky stay behind
    let low = f.frac - 1;
    let mut sig = value.drop_low(low);
    let mut sticky = value.trunc(low).any();
    for level in (0..levels).rev() {
        let (places, chosen) = (1u32 << level, by.bit(level));
        sticky = sticky | (chosen & sig.trunc(places.min(sig.width())).any());
        sig = chosen.mux(sig >> places, sig);
    }
    let sig = sig & !(far | overflow).repeat(sig.width());
    let top = sig.bit(wide - 2 - low);
    let (fraction, guard) = (sig.bits(f.frac, 1), sig.bit(0));
    let exp = (r.exp.trunc(f.exp) & normal.repeat(f.exp)) | overflow.repeat(f.exp);
    let exp = exp.drop_low(1).cat(exp.bit(0) & !overflow);
    let add = overflow.mux(exp.lit(1u32, 2), normal.mux(carry.cat(!carry), top.zext(2)));
    let quiet = r.nan.cat(r.nan.zeros(f.frac - 1));
    let round_up = guard & (sticky | fraction.bit(0));
    let ready = Normal { sign: r.sign & !r.nan, exp, fraction: fraction | quiet, add, round_up };
    let ready = s.cut(3, ready);

    // exponent, hidden one and rounding in one adder
    let add = ready.add.zext(f.exp).cat(ready.fraction.zeros(f.frac));
    let magnitude = add_carry(ready.exp.cat(ready.fraction), add, ready.round_up);
    s.leave(ready.sign.cat(magnitude))
}

/// Rounds and packs; what is too small is a zero.
#[module]
fn round_flushed(s: Stages, x: Product, f: Format) -> Signal {
    let (value, r) = (x.value, x.rest);
    let carry = value.msb();
    let sig = carry.mux(value.drop_low(f.frac), value.drop_low(f.frac - 1).trunc(f.frac + 2)); // with the guard bit
    let low = value.trunc(f.frac - 1).any() | (carry & value.bit(f.frac - 1));
    let round_up = sig.bit(0) & (low | sig.bit(1));
    let ready = s.cut(3, (r, carry, sig.bits(f.frac, 1), round_up));

    // exponent, hidden one and rounding in one adder
    let (r, carry, fraction, round_up) = ready;
    let add = carry.cat(!carry).zext(f.exp + 2).cat(fraction.zeros(f.frac));
    let magnitude = add_carry(r.exp.cat(fraction), add, round_up);
    let exp = magnitude.drop_low(f.frac);
    let small = exp.msb() | !exp.any() | r.zero;
    let large = r.special | (!exp.msb() & (exp.bit(f.exp) | exp.trunc(f.exp).all()));
    let exp = (exp.trunc(f.exp) & !small.repeat(f.exp)) | (large & (!r.zero | r.special)).repeat(f.exp);
    let quiet = r.nan.cat(r.nan.zeros(f.frac - 1));
    let fraction = (magnitude.trunc(f.frac) & !(small | large).repeat(f.frac)) | quiet;
    s.leave(cat(&[r.sign & !r.nan, exp, fraction]))
}
