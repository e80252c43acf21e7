//! Sum of two binary16 numbers that are not negative, rounded to nearest even; or half of it.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b` | numbers without their sign; one of the largest exponent is infinite, whatever its fraction is |
//! | `y` | `fl(a + b)`, and infinity of the largest exponent; or `fl(1/2 fl(a + b))`, of which infinity has one of the two largest exponents |
//!
//! - Parameters: whether the sum is halved.
//! - A sum every cycle, [`LATENCY`] cycles later. No combinational paths.
//!
//! The smaller number is aligned by a multiplier block, whose other operand has a single one: the bits below the guard stay together. Half of a
//! sum is the sum with the exponent less one. Only where the exponent is 1 already it is moved to the right; there the sum itself is exact, so that
//! it is rounded once.

use super::aligned::{FRAC, parts, single_one};
use crate::float::logic::add_carry;
use hdl::*;

/// Cycles from two numbers to their sum.
pub const LATENCY: u32 = 5;
/// The smaller number is moved to the right by so many places at most: then it lies below the guard.
const FARTHEST: u32 = 12;

ports! {
    /// Ports of a sum.
    pub struct PositiveSumPorts() {
        /// A number without its sign.
        input a: Signal = bits(15),
        /// The other one.
        input b: Signal = bits(15),
        /// The sum, or half of it.
        output y: Signal = bits(15),
    }
}

/// A sum of numbers that are not negative.
#[module]
pub fn positive_sum(halves: bool) -> Result<Design<PositiveSumPorts>, Errors> {
    let m = Module::new(if halves { "positive_half_sum_e5f10" } else { "positive_sum_e5f10" });
    m.doc("Sum of two floating point numbers without sign, or half of it, round to nearest even.");
    m.latency(LATENCY);
    let io = PositiveSumPorts::new(m);
    let p = m.pipeline("sum");
    let (a, b) = p.enter((io.a, io.b));
    let swap = a.lt(b);
    let large = swap.mux(b, a).next();
    let small = swap.mux(a, b).next();

    m.section("the smaller one to its place");
    let (large, large_exp) = parts(large);
    let (small, small_exp) = parts(small);
    let one = single_one(m, large_exp - small_exp, FARTHEST);
    let placed = (small.next() * one).next();
    let base = (large_exp - if halves { 2 } else { 1 }).next();
    let special = large_exp.all().next();
    let lowest = (!large_exp.drop_low(1).any()).next();
    let large = large.meet(placed);
    let [base, special, lowest] = [base, special, lowest].map(|x| x.meet(placed));

    m.section("the sum, or half of it");
    let aligned = placed.drop_low(FRAC + 1).zext(FRAC + 3);
    let below = placed.trunc(FRAC + 1).any();
    let sum = large.cat(large.zeros(1)).zext(FRAC + 3) + aligned; // carry, leading one, fraction, guard
    let right = if halves { sum.msb() | lowest } else { sum.msb() };
    let fraction = right.mux(sum.bits(11, 2), sum.bits(10, 1));
    let of_right = sum.bit(1) & (sum.bit(0) | below | sum.bit(2));
    let up = right.mux(of_right, sum.bit(0) & (below | sum.bit(1))) & !special;
    // one for the leading one, and one more for a move to the right; infinity keeps its exponent
    let two = sum.msb() & !special;
    let one = special | (!sum.msb() & (right | sum.bit(11)));
    let [base, fraction, two, one, up] = [base, fraction, two, one, up].map(|x| x.next());
    let add = two.cat(one).zext(5).cat(fraction.zeros(FRAC));
    io.y.set(p.leave(add_carry(base.cat(fraction), add, up).next()));
    m.finish(io)
}
