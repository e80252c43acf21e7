//! Multiplier: `y = a * b`, rounded to nearest even; one multiplier block and little else.
//!
//! With subnormals kept, the multiplier block is wider than the significands, and its spare places replace a second shifter:
//! the operand that may be subnormal is shifted before it is multiplied, by as much as gives the product its final place.
//! That is to the left, until its leading one is in front, or less far and to the right, where the result is subnormal.
//! (Where both are subnormal, so is the result, whose place does not depend on leading zeros.) Results so small that the spare
//! places do not suffice are moved by a fixed distance behind the block; only few bits of them count.
//! Exponent, hidden one and rounding meet in one adder, which gives the carry into the exponent and infinity by itself.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | operands; `in_valid` only travels along |
//! | `y`, `out_valid` | the product, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to
//!   [`NATURAL`].
//! - One product a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Zero times infinity and NaN operands give the one quiet NaN.

use super::add::{BinaryPorts, add_carry};
use super::format::{Format, Parts, Subnormals, quiet_bit};
use super::leading_zeros::leading_zeros;
use super::logic::{at_least, minus_one, moved, pick};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: operands ordered, shifted, multiplied, rounded.
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
    io.y.set(match subnormals {
        Subnormals::Keep => kept(m, s, a, b, f),
        Subnormals::Flush => flushed(m, s, a, b, f),
    });
    m.finish(io)
}

/// How the multiplier block's places are used when subnormals are kept.
#[derive(Clone, Copy)]
struct Places {
    /// Bits of a significand.
    sig: u32,
    /// Spare places behind the shifted operand.
    spare: u32,
    /// Of the amount of a shift, so many low bits are levels of muxes of two; the others choose among few.
    low: u32,
    /// The smallest results are moved by `2^low` behind the block.
    deep: bool,
    /// Amounts of shifts count from here: what makes them cheap to compute.
    offset: u32,
    /// `total - a.exp - b.exp` is the amount for a subnormal result.
    total: u32,
}

impl Places {
    fn of(f: Format) -> Places {
        let sig = f.frac + 1;
        // A product of [1, 4) moved right by more than frac + 2 places is less than half of the last place. The block of most
        // devices has 18 bits.
        let deep = sig + f.frac + 2 > 18;
        let low = if deep && f.frac > 13 { 4 } else { 3 };
        let spare = if deep { (1 << low) - 1 } else { f.frac + 2 };
        let offset = (1u32 << (f.exp - 1)).saturating_sub(sig);
        Places { sig, spare, low, deep, offset, total: (1 << (f.exp - 1)) + f.frac + offset }
    }
    /// The largest amount without a move behind the block.
    fn last(self) -> u32 {
        self.offset + self.sig - 1 + self.spare
    }
}

/// What is known before the product is.
#[derive(Clone, Copy, Bundle)]
struct Outcome {
    sign: Signal,
    /// Stored exponent less one if the product is in [1, 2), 0 for a subnormal result, all ones for infinity and NaN.
    base: Signal,
    /// With a product in [2, 4) it overflows.
    almost: Signal,
    /// Infinity or NaN.
    special: Signal,
    nan: Signal,
    /// The product is to be moved.
    deep: Signal,
    /// The result is 0 whatever the product is.
    killed: Signal,
}

#[module]
fn kept(m: Module, s: Stages, a: Parts, b: Parts, f: Format) -> Signal {
    let places = Places::of(f);
    m.section("the operand that may be subnormal first: p");
    let swap = a.exp.lt(b.exp);
    let (p, q) = swap.mux((a, b), (b, a));
    let (p, q) = (p.normal.cat(p.frac), q.normal.cat(q.frac));
    let zero = !p.any();
    let special = a.top | b.top;
    let nan = a.is_nan() | b.is_nan() | (special & zero);
    let sign = (a.sign ^ b.sign) & !nan;

    m.section("how far it is shifted: up to its leading one, or by what the exponents leave");
    let width = (32 - places.total.leading_zeros()).max(f.exp).max(places.low + 2) + 2;
    let (a_exp, b_exp) = (a.effective_exp().zext(width), b.effective_exp().zext(width));
    let all = (1 << f.exp) - 1;
    let complement = match places.total == all {
        true => (!a.effective_exp()).zext(width),
        false => a_exp.literal(places.total) - a_exp,
    };
    let limit = complement - b_exp;
    let leading = position(p, f, places).zext(width);
    let exponent = leading - limit;
    let ((p, q), (limit, leading, exponent), (zero, special, nan, sign)) =
        s.cut(1, ((p, q), (limit, leading, exponent), (zero, special, nan, sign)));
    let subnormal = exponent.msb() | zero;
    // the larger of the two
    let amount = exponent.msb().mux(limit, leading).trunc(width - 2);
    let (top, beyond) = (f.top() as u32, places.last() + 1);
    let overflow = !exponent.msb() & at_least(exponent.trunc(f.exp + 1), top - 1);
    let special = special | overflow;
    let base = (exponent.trunc(f.exp) & (!subnormal).repeat(f.exp)) | special.repeat(f.exp);
    let almost = exponent.eq(exponent.literal(top - 2));
    let none = zero.zeros(1);
    let most = places.total - 2; // effective exponents are at least 1
    let reach = if places.deep { places.last() + (1 << places.low) } else { places.last() };
    let killed = if most > reach { at_least(amount, reach + 1) } else { none };
    let deep = if places.deep { at_least(amount, beyond) & !killed } else { none };
    let p = shifted(p, minus_one_deep(amount, deep, places), places);
    let result = Outcome { sign, base, almost, special, nan, deep, killed };
    let (p, q, result) = s.cut(2, (p, q, result));

    let product = p * q;
    let (product, result) = s.cut(3, (product, result));
    s.leave(round_kept(product, result, f, places))
}

/// The place of the leading one, counted as amounts of shifts are. Without a one, less than any place.
#[module]
fn position(p: Signal, f: Format, places: Places) -> Signal {
    let levels = clog2(places.sig as usize);
    match (f.exp - 1).checked_sub(levels) {
        Some(0) => !leading_zeros(p),
        Some(ones) => p.lit((1u32 << ones) - 1, ones).cat(!leading_zeros(p)),
        None => !leading_zeros(p.zext(1 << levels)),
    }
}

/// The amount that is left for the shifter before the block.
fn minus_one_deep(amount: Signal, deep: Signal, places: Places) -> Signal {
    if !places.deep {
        return amount;
    }
    minus_one(amount.drop_low(places.low), deep).cat(amount.trunc(places.low))
}

/// Shifts `p` so that a leading one in the place that `amount` names comes to the front.
#[module]
fn shifted(p: Signal, amount: Signal, places: Places) -> Signal {
    let Places { sig, spare, low, offset, .. } = places;
    let mut fine = p.zext(sig + (1 << low) - 1);
    for level in 0..low {
        fine = amount.bit(level).mux(fine, fine << (1u32 << level));
    }
    // now it is shifted to the left by what the low bits lack to all ones
    let (first, last) = (offset >> low, places.last() >> low);
    let bits = clog2((last - first + 1) as usize);
    let option = |high: u32| {
        let by = places.last() as i32 - ((high + 1) << low) as i32 + 1;
        (high & ((1 << bits) - 1), moved(fine, by, sig + spare))
    };
    let options: Vec<_> = (first..=last).map(option).collect();
    pick(amount.drop_low(low).trunc(bits), &options)
}

/// Rounds and packs; results may be subnormal.
#[module]
fn round_kept(product: Signal, r: Outcome, f: Format, places: Places) -> Signal {
    let carry = product.msb();
    let top = product.width() - 1;
    let clear = r.special | r.deep | r.killed;
    let no_fraction = clear | (r.almost & carry);
    // one place for a carry; `at` counts from the last place of a fraction without carry
    let last = top - 1 - f.frac;
    let at = |i: u32| carry.mux(product.bit(last + i + 1), product.bit(last + i));
    let by = 1 << places.low;
    let place = |i: u32| {
        let normal = at(i) & !no_fraction;
        if places.deep && last + i + by <= top { r.deep.mux(product.bit(last + i + by), normal) } else { normal }
    };
    let mut places_of_fraction: Vec<Signal> = (0..f.frac).rev().map(place).collect();
    places_of_fraction[0] = places_of_fraction[0] | r.nan;
    let fraction = cat(&places_of_fraction);
    let guard = carry.mux(product.bit(last), product.bit(last - 1));
    let rest = product.trunc(last - 1).any() | (carry & product.bit(last - 1));
    let (guard, rest) = match places.deep {
        true => (
            r.deep.mux(product.bit(last - 1 + by), guard),
            rest | (r.deep & product.bits(last - 2 + by, last - 1).any()),
        ),
        false => (guard, rest),
    };
    let no_round = r.special | r.killed | (r.almost & carry & !r.deep);

    // Exponent, hidden one and rounding in one adder. Half is added at the place behind the last one; where the rest is
    // exactly half, that leaves an odd number one too large or makes an even one of it: clearing the last place is right.
    let hidden = (carry & !clear).cat(product.bit(top - 1) & !carry & !clear);
    let add = hidden.zext(f.exp).cat(fraction.zeros(f.frac));
    let rounded = add_carry(r.base.cat(fraction), add, guard & !no_round);
    r.sign.cat(rounded & !(guard & !rest).zext(rounded.width()))
}

/// What is known before the product is, without subnormals.
#[derive(Clone, Copy, Bundle)]
struct Flushed {
    sign: Signal,
    /// Stored exponent if the product is in [1, 2); two more bits, signed.
    exp: Signal,
    zero: Signal,
    special: Signal,
    nan: Signal,
}

#[module]
fn flushed(m: Module, s: Stages, a: Parts, b: Parts, f: Format) -> Signal {
    m.section("significands and exponents; a subnormal operand is a zero");
    let zero = !(a.normal & b.normal);
    let special = a.top | b.top;
    let nan = a.is_nan() | b.is_nan() | (special & zero);
    // `x - 2^(exp - 1)` in two more bits
    let high = !a.exp.msb();
    let unbiased = cat(&[high, high, high, a.exp.trunc(f.exp - 1)]);
    let exp = add_carry(unbiased, b.exp.zext(f.exp + 2), high.lit(1u32, 1));
    let result = Flushed { sign: (a.sign ^ b.sign) & !nan, exp, zero, special, nan };
    let one = a.sign.lit(1u32, 1);
    let (p, q, result) = s.cut(2, s.cut(1, (one.cat(a.frac), one.cat(b.frac), result)));
    let product = p * q;
    let (product, r) = s.cut(3, (product, result));

    m.section("round and pack; what is too small is a zero");
    let carry = product.msb();
    let fraction = carry.mux(product.bits(2 * f.frac, f.frac + 1), product.bits(2 * f.frac - 1, f.frac));
    let guard = carry.mux(product.bit(f.frac), product.bit(f.frac - 1));
    let mut rest = carry & product.bit(f.frac - 1);
    if f.frac > 1 {
        rest = rest | product.trunc(f.frac - 1).any();
    }
    let round_up = guard & (rest | fraction.bit(0));
    let add = carry.zext(f.exp + 2).cat(fraction.zeros(f.frac));
    let magnitude = add_carry(r.exp.cat(fraction), add, round_up);
    let exp = magnitude.drop_low(f.frac);
    let small = exp.msb() | !exp.any() | r.zero;
    let large = r.special | (!small & (exp.bit(f.exp) | exp.trunc(f.exp).all()));
    let exp = (exp.trunc(f.exp) & (!small).repeat(f.exp)) | large.repeat(f.exp);
    let fraction = (magnitude.trunc(f.frac) & (!(small | large)).repeat(f.frac)) | quiet_bit(r.nan, f);
    s.leave(cat(&[r.sign, exp, fraction]))
}
