//! Difference of two binary16 numbers, rounded to nearest even, as an integer of the same order.
//!
//! | port | |
//! | --- | --- |
//! | `a` | any number |
//! | `h` | a number without its sign; of the two largest exponents it is infinite, whatever its fraction is |
//! | `key` | `fl(a - h)` in two's complement: the integer that its bits without sign are, negative if it is. -0 and +0 are 0, a NaN is below all others; [`LATENCY`] cycles later |
//!
//! - A difference a cycle. No combinational paths.
//!
//! As the adder of `float/add.rs`, but that the smaller number is aligned by a multiplier block, the larger one is inverted instead of it, and
//! rounding gives the negative number at once.

use super::aligned::{FRAC, parts, single_one};
use crate::float::add::to_front_within;
use crate::float::logic::add_carry;
use hdl::*;

/// Cycles from two numbers to their difference.
pub const LATENCY: u32 = 6;
/// The smaller number is moved to the right by so many places at most: then it lies below two places behind the last one.
const FARTHEST: u32 = 13;
/// Bits of a sum: a carry, the significand, two places more.
const SUM: u32 = FRAC + 4;

ports! {
    /// Ports of a difference.
    pub struct DifferencePorts() {
        /// Any number.
        input a: Signal = bits(16),
        /// What is taken off, without sign.
        input h: Signal = bits(15),
        /// The difference, as an integer with sign.
        output key: Signal = bits(16),
    }
}

/// What is known of a difference beside its significand.
#[derive(Clone, Copy, Bundle)]
struct Beside {
    negative: Signal,
    /// The magnitudes are subtracted.
    subtract: Signal,
    /// Infinity or NaN.
    special: Signal,
    nan: Signal,
    /// The exponent of the larger one.
    exp: Signal,
}

/// A difference.
#[module]
pub fn difference() -> Result<Design<DifferencePorts>, Errors> {
    let m = Module::new("difference_e5f10");
    m.doc("Difference of two floating point numbers, round to nearest even, as an integer of the same order.");
    m.latency(LATENCY);
    let io = DifferencePorts::new(m);
    let p = m.pipeline("difference");
    let (a, h) = p.enter((io.a, io.h));
    let (beside, sum, below) = subtracted(m, a, h);
    let (negative, rounded) = normal(m, beside.meet(sum), sum, below);
    let Rounded { magnitude, one, up } = rounded;
    m.section("round; a negative number at once: the bits of all parts are inverted, and one is added");
    let one_more = (one & negative).repeat(5).cat(one).cat(magnitude.zeros(FRAC));
    let key = add_carry(negative.cat(magnitude), one_more, up ^ negative);
    io.key.set(p.leave(key.next()));
    m.finish(io)
}

/// The difference as it is.
#[module]
fn subtracted(m: Module, a: Signal, h: Signal) -> (Beside, Signal, Signal) {
    m.section("the larger magnitude first; inverted where the smaller one is taken off");
    let (sign, a) = (a.msb(), a.trunc(15));
    let swap = a.lt(h);
    let subtract = !sign;
    let top = a.drop_low(FRAC).all();
    let infinite = h.drop_low(FRAC + 1).all();
    let nan = top & (a.trunc(FRAC).any() | (infinite & !sign));
    let special = top | infinite;
    let negative = sign | special.mux(infinite | nan, swap);
    let [large, small] = [swap.mux(h, a), swap.mux(a, h)].map(|x| x.next());
    let (large, exp) = parts(large);
    let (small, small_exp) = parts(small);
    let [negative, subtract, special, nan] = [negative, subtract, special, nan].map(|x| x.next());
    let beside = Beside { negative, subtract, special, nan, exp };

    m.section("the smaller one to its place, the sum");
    let one = single_one(m, exp - small_exp, FARTHEST);
    let placed = (small.next() * one).next();
    let aligned = placed.drop_low(FRAC + 1).zext(SUM);
    let below = placed.trunc(FRAC + 1).any();
    let turned = beside.subtract.repeat(SUM) ^ large.cat(large.zeros(2)).zext(SUM);
    let turned = turned.meet(placed);
    let sum = add_carry(turned, aligned, beside.subtract.meet(placed) & below);
    (beside, sum.next(), below.next())
}

/// A number before rounding.
struct Rounded {
    /// Exponent and fraction, inverted if it is negative.
    magnitude: Signal,
    /// The leading one is there.
    one: Signal,
    up: Signal,
}

/// Shifts the leading one to the front, but no further than the exponent allows.
#[module]
fn normal(m: Module, x: Beside, sum: Signal, below: Signal) -> (Signal, Rounded) {
    m.section("the leading one to the front, but no further than the exponent allows");
    let sum = sum ^ x.subtract.repeat(SUM);
    let special = x.special | (sum.msb() & x.exp.drop_low(1).all());
    let (sig, places) = to_front_within(sum, x.exp);
    let one = sig.msb();
    let exp = ((x.exp - places.zext(5)) & one.repeat(5)) | special.repeat(5);
    let fraction = sig.bits(SUM - 2, 3) & (!special).repeat(FRAC);
    let fraction = fraction | x.nan.zext(FRAC);
    let up = sig.bit(2) & (sig.trunc(2).any() | below | sig.bit(3)) & !special;
    let magnitude = exp.cat(fraction) ^ x.negative.repeat(15);
    let rounded = Rounded { magnitude: magnitude.next(), one: (one & !special).next(), up: up.next() };
    (x.negative.next(), rounded)
}
