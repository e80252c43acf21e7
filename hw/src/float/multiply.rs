//! Multiplier: `y = a * b`, rounded to nearest even; one multiplier block and little else.
//!
//! With subnormals kept, the significands are multiplied as they are. Meanwhile the zeros before the leading one of the operand that
//! may be subnormal are counted, and the sum of the exponents says how far the product is moved behind the block: its leading one to
//! the front, or less far, where the result is subnormal. That and the rounding are the module in `multiply_round`.
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

use super::add::BinaryPorts;
use super::format::{Format, Parts, Subnormals, quiet_bit};
use super::leading_zeros::leading_zeros;
use super::logic::{add_carry, at_least};
use super::multiply_round::{Outcome, Places, multiply_round};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: zeros counted, multiplied, moved far, moved near and rounded.
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
        Subnormals::Keep => kept(m, s, a, b, f)?,
        Subnormals::Flush => flushed(m, s, a, b, f),
    });
    m.finish(io)
}

#[module]
fn kept(m: Module, s: Stages, a: Parts, b: Parts, f: Format) -> Result<Signal, Errors> {
    let places = Places::of(f);
    m.section("the product as it is; meanwhile the sum of the exponents, and the zeros before the leading one of p");
    let (a_sig, b_sig) = (a.normal.cat(a.frac), b.normal.cat(b.frac));
    // the operand that may be subnormal; if both are, so is the result, whose place does not depend on leading zeros
    let p = a.normal.mux(b_sig, a_sig);
    let zero = a.is_zero(Subnormals::Keep) | b.is_zero(Subnormals::Keep);
    let special = a.top | b.top;
    let nan = a.is_nan() | b.is_nan() | (special & zero);
    let sign = (a.sign ^ b.sign) & !nan;
    let exp = a.effective_exp().zext(f.exp + 1) + b.effective_exp().zext(f.exp + 1);
    let to_front = to_front(p, places);
    let (sigs, (exp, to_front), (zero, special), (nan, sign)) =
        s.cut(1, ((a_sig, b_sig), (exp, to_front), (zero, special), (nan, sign)));
    let product = sigs.0 * sigs.1;

    m.section("how far the product is moved: its leading one to the front, or by what the exponents leave");
    let width = exp.width().max(to_front.width()) + 1;
    let less = exp.zext(width) - to_front.zext(width);
    let subnormal = less.msb() | zero;
    let base = less.trunc(f.exp) & (!subnormal).repeat(f.exp);
    let amount = less.msb().mux(exp.zext(width), to_front.zext(width)).trunc(width - 1);
    // the largest exponent, with leading ones in front, and more than that
    let largest = 3 * places.half - 3;
    let (edge, special) = (exp.eq(exp.literal(largest)), special | at_least(exp, largest + 1));
    let (product, (amount, base), (edge, special), (nan, sign)) =
        s.cut(2, (product, (amount, base), (edge, special), (nan, sign)));

    // with a product in [2, 4) the largest exponent is one too many
    let special = special | (edge & product.msb());
    let (product, amount) = without(product, amount, special, places);
    let outcome = Outcome { base: base | special.repeat(f.exp), sign, nan };
    let second = m.instance(&multiply_round(f, s.between(2, NATURAL))?);
    second.product.set(product);
    second.amount.set(amount);
    second.outcome.set(outcome);
    Ok(s.leave_cut(second.y))
}

/// The amount that brings a leading one to the front: `half` and the zeros before it.
#[module]
fn to_front(p: Signal, places: Places) -> Signal {
    let (zeros, bits) = (leading_zeros(p), places.half.ilog2() + 1);
    match bits.checked_sub(zeros.width()) {
        Some(high) if high > 0 => p.lit(places.half >> zeros.width(), high).cat(zeros),
        _ => zeros.zext(zeros.width() + 1) + places.half,
    }
}

/// The amount as the second half takes it; nothing is left of the product if it is `special`, or moved far to the right.
#[module]
fn without(product: Signal, amount: Signal, special: Signal, places: Places) -> (Signal, Signal) {
    let (low, bits) = (places.low, places.choice_bits());
    let amount = amount.zext(amount.width().max(low + bits));
    let (choice, fine) = (amount.drop_low(low), amount.trunc(low));
    let Some(free) = places.nothing else {
        // formats with more fraction than exponent: no amount is small enough
        return (product & (!special).repeat(product.width()), choice.trunc(bits).cat(fine));
    };
    let nothing = if places.first > 0 { special | !at_least(choice, places.first) } else { special };
    let choice = nothing.mux(choice.lit(places.first % (1 << bits), bits), choice.trunc(bits));
    let fine = nothing.mux(fine & fine.literal((1u32 << free) - 1), fine);
    (product, choice.cat(fine))
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
