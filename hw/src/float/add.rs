//! Adder and subtracter: `y = a + b`, rounded to nearest even. For `a - b` invert the sign of `b`.
//!
//! One path for all cases: the number of larger magnitude comes first, so that the difference is never negative; the other
//! is aligned to it, inverted where it is subtracted, and what falls out is gathered in a sticky bit; the sum is shifted to the
//! left as far as its leading zeros and its exponent allow, which gives subnormal results by itself; one adder at the end takes
//! the hidden one and the rounding into exponent and fraction together, which gives the carry into the exponent and infinity by
//! itself. Both shifters take their widest step first: its select is known before those of the narrower ones.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | operands; `in_valid` only travels along |
//! | `y`, `out_valid` | the sum, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to
//!   [`NATURAL`]; [`add_but_last`] has registers behind all stages but the last one.
//! - One addition a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Infinity minus infinity and NaN operands give the one quiet NaN; `x - x` is +0.

use super::format::{Format, Parts, Subnormals, quiet_bit};
use super::logic::add_carry;
use super::round::round_to_even;
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: ordered, added, normalised, rounded.
pub const NATURAL: u32 = 4;

/// An adder.
#[module]
pub fn add(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<BinaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("add", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point adder, round to nearest even.");
    let s = Stages::new(m, NATURAL, latency);
    staged(m, s, f, subnormals)
}

/// An adder without its last register: `y` is there after `NATURAL - 1` cycles, behind logic, for a register of the caller's that may take something else.
#[module]
pub fn add_but_last(f: Format, subnormals: Subnormals) -> Result<Design<BinaryPorts>, Errors> {
    let name = format!("{}_but_last", f.name("add", subnormals));
    f.check(&name)?;
    let m = Module::new(name);
    m.doc("Floating point adder, round to nearest even, without a register behind its last stage.");
    let s = Stages::but_last(m, NATURAL);
    staged(m, s, f, subnormals)
}

#[module]
fn staged(m: Module, s: Stages, f: Format, subnormals: Subnormals) -> Result<Design<BinaryPorts>, Errors> {
    let io = BinaryPorts::new(m, f);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b) = s.enter((io.a, io.b));

    m.section("the larger magnitude first; the smaller one inverted if it is subtracted");
    let ordered = s.cut(1, ordered(a, b, f, subnormals));
    m.section("the smaller one aligned, the sum");
    let sum = s.cut(2, aligned_sum(ordered, subnormals));
    m.section("the leading one to the front, but no further than the exponent allows");
    let normal = s.cut(3, normalise(sum, f, subnormals));
    m.section("the hidden one and the rounding go into exponent and fraction together");
    io.y.set(s.leave(round(normal, f)));
    m.finish(io)
}

/// Operands in order of magnitude.
#[derive(Clone, Copy, Bundle)]
struct Ordered {
    sign: Signal,
    /// Stored exponent of the larger one; 1 if it is subnormal.
    exp: Signal,
    /// Infinity or NaN.
    special: Signal,
    nan: Signal,
    subtract: Signal,
    distance: Signal,
    /// Only flushed numbers are not there.
    large_there: Signal,
    small_there: Signal,
    large: Signal,
    /// Inverted if it is subtracted.
    small: Signal,
}

#[module]
fn ordered(a: Signal, b: Signal, f: Format, subnormals: Subnormals) -> Ordered {
    let swap = a.trunc(f.width() - 1).lt(b.trunc(f.width() - 1));
    let subtract = a.msb() ^ b.msb();
    let (a, b) = (Parts::of(a, f), Parts::of(b, f));
    let ((a_exp, b_exp), there) = match subnormals {
        Subnormals::Keep => ((a.effective_exp(), b.effective_exp()), true),
        Subnormals::Flush => ((a.exp, b.exp), false),
    };
    // both differences beside the comparison: the distance does not wait for exponents that are in order
    let distance = swap.mux(b_exp - a_exp, a_exp - b_exp);
    // one that is normal is the larger one
    let (large_normal, small_normal) = (a.normal | b.normal, a.normal & b.normal);
    let (large_frac, small_frac) = (swap.mux(b.frac, a.frac), swap.mux(a.frac, b.frac));
    let large_exp = swap.mux(b.exp, a.exp);
    let one = subtract.lit(1u32, 1);
    let special = large_exp.all();
    let (exp, large_one, small_one) = match there {
        true => (large_exp.drop_low(1).cat(large_exp.bit(0) | !large_normal), large_normal, small_normal),
        false => (large_exp, one, one),
    };
    Ordered {
        sign: swap.mux(b.sign, a.sign),
        exp,
        special,
        nan: special & (large_frac.any() | (subtract & a.top & b.top)),
        subtract,
        distance,
        large_there: if there { one } else { large_normal },
        small_there: if there { one } else { small_normal },
        large: large_one.cat(large_frac),
        small: small_one.cat(small_frac) ^ subtract.repeat(f.sig()),
    }
}

/// A sum: `sig` has the place of a carry in front and two more bits behind; `sticky` is what lies below them.
#[derive(Clone, Copy, Bundle)]
struct Sum {
    sign: Signal,
    /// Stored exponent of a number with its leading one behind the place of a carry.
    exp: Signal,
    special: Signal,
    nan: Signal,
    subtract: Signal,
    there: Signal,
    sig: Signal,
    sticky: Signal,
}

/// Aligns the smaller operand and adds it.
#[module]
fn aligned_sum(x: Ordered, subnormals: Subnormals) -> Sum {
    // two places below the last one are enough: a subtraction that needs more has lost no more than one place in front
    let mut aligned = x.small.cat(x.subtract.repeat(2));
    let width = aligned.width();
    let levels = clog2(width as usize + 1).min(x.distance.width());
    let nowhere = x.subtract.zeros(1);
    let far = if levels < x.distance.width() { x.distance.drop_low(levels).any() } else { nowhere };
    let mut sticky = nowhere;
    for level in (0..levels).rev() {
        let (by, chosen) = ((1u32 << level).min(width), x.distance.bit(level) | far);
        let filling = x.subtract.repeat(by);
        // the places behind the last one are empty until they are shifted into
        let empty = if level + 1 == levels { 2 } else { 0 };
        if by > empty {
            sticky = sticky | (chosen & (aligned.trunc(by) ^ filling).drop_low(empty).any());
        }
        aligned = chosen.mux(if by < width { filling.cat(aligned.drop_low(by)) } else { filling }, aligned);
        if level + 1 == levels && subnormals == Subnormals::Flush {
            // here, and not in `far`: the selects are needed first
            aligned = x.small_there.mux(aligned, x.subtract.repeat(width));
        }
    }
    let sticky = sticky & x.small_there;
    let large = x.large.cat(x.large.zeros(2)).zext(width + 1);
    let sig = add_carry(large, x.subtract.cat(aligned), x.subtract & !sticky);
    let Ordered { sign, exp, special, nan, subtract, .. } = x;
    Sum { sign, exp, special, nan, subtract, there: x.large_there, sig, sticky }
}

/// A number before rounding: its magnitude is `{exp, fraction} + hidden * 2^frac`, to be rounded by what is behind.
#[derive(Clone, Copy, Bundle)]
struct Normal {
    sign: Signal,
    exp: Signal,
    fraction: Signal,
    hidden: Signal,
    /// The place behind the fraction.
    guard: Signal,
    /// What is behind that.
    rest: Signal,
}

/// Shifts the leading one to the front, but no further than the exponent allows.
#[module]
fn normalise(x: Sum, f: Format, subnormals: Subnormals) -> Normal {
    let width = x.sig.width();
    let overflow = x.sig.msb() & x.exp.drop_low(1).all();
    let special = x.special | overflow;
    let zero = x.subtract & (!x.sig.any() | !x.there);
    let (sig, places) = to_front_within(x.sig, x.exp);
    // without a leading one it is subnormal or zero
    let normal = sig.msb();
    let exp = (x.exp - places.zext(f.exp)) & normal.repeat(f.exp);
    let keep = match subnormals {
        Subnormals::Keep => !special,
        // what is subnormal is exact: rounding does not make it normal
        Subnormals::Flush => normal & !special,
    };
    Normal {
        sign: x.sign & !x.nan & !(zero & !special),
        exp: exp | special.repeat(f.exp),
        fraction: (sig.bits(width - 2, 3) & keep.repeat(f.frac)) | quiet_bit(x.nan, f),
        hidden: normal & keep,
        guard: sig.bit(2) & keep,
        rest: sig.trunc(2).any() | x.sticky,
    }
}

/// `x` shifted to the left up to its leading one, by no more than `limit`; and by how many places.
#[module]
pub(crate) fn to_front_within(x: Signal, limit: Signal) -> (Signal, Signal) {
    let levels = clog2(x.width() as usize).min(limit.width());
    let empty = |x: Signal, level: u32| !x.drop_low(x.width() - (1 << level)).any();
    // is 2^level left of the limit, or more?
    let left = |level: u32| if level < limit.width() { limit.drop_low(level).any() } else { limit.zeros(1) };
    let top = levels - 1;
    let first = empty(x, top) & left(top);
    let (mut sig, mut more) = (first.mux(x << (1u32 << top), x), first.mux(left(top + 1), left(top)));
    let mut chosen = vec![first];
    for level in (0..top).rev() {
        // the second step looks at both ends at once, beside the first
        let none = match level + 1 == top {
            true => first.mux(empty(x << (1u32 << top), level), empty(x, level)),
            false => empty(sig, level),
        };
        let own = limit.bit(level);
        let shift = none & (more | own);
        sig = shift.mux(sig << (1u32 << level), sig);
        more = more | (own & !shift);
        chosen.push(shift);
    }
    (sig, cat(&chosen))
}

/// Rounds and packs.
#[module]
fn round(x: Normal, f: Format) -> Signal {
    let hidden = x.hidden.zext(f.exp).cat(x.fraction.zeros(f.frac));
    x.sign.cat(round_to_even(x.exp.cat(x.fraction), hidden, x.guard, x.rest))
}

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
