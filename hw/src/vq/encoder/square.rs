//! Square of a binary16 number, rounded to nearest even, by one multiplier block.
//!
//! | port | |
//! | --- | --- |
//! | `c` | a finite number without its sign |
//! | `q` | its square, [`LATENCY`] cycles later; if it overflows, a number of the largest exponent, whatever its fraction is |
//!
//! - A square a cycle. No combinational paths.
//!
//! Where the square is subnormal, the significand is moved to the right by as many places on both sides of the multiplication: then the last
//! place of the result always is at the same bit, and nothing is moved behind the block. Numbers whose square is less than half of the smallest
//! one are left out. What lies half way between two results has a square of `odd * 2^10` for a significand: no more than the five low bits
//! tell it.

use super::aligned::FRAC;
use crate::float::logic::add_carry;
use hdl::*;

/// Cycles from a number to its square.
pub const LATENCY: u32 = 4;

ports! {
    /// Ports of a square.
    pub struct SquarePorts() {
        /// A finite number without its sign.
        input c: Signal = bits(15),
        /// Its square.
        output q: Signal = bits(15),
    }
}

/// A significand as both operands of the multiplication, and what is known of the square.
#[derive(Clone, Copy)]
struct Operands {
    a: Signal,
    b: Signal,
    base: Signal,
    infinite: Signal,
    /// What is behind the guard of a square with a carry is not zero.
    rest: Signal,
}

/// A square.
#[module]
pub fn square() -> Result<Design<SquarePorts>, Errors> {
    let m = Module::new("square_e5f10");
    m.doc("Square of a finite floating point number without its sign, round to nearest even.");
    m.latency(LATENCY);
    let io = SquarePorts::new(m);
    let p = m.pipeline("square");
    let Operands { a, b, base, infinite, rest } = operands(m, p.enter(io.c));
    let product = (a * b).next();
    let [base, infinite, rest] = [base, infinite, rest].map(|x| x.meet(product));

    m.section("round");
    // the leading one of a normal square is at bit 32 or 33
    let carry = product.bit(33);
    let two = carry & !infinite;
    let fraction = carry.mux(product.bits(32, 23), product.bits(31, 22));
    let up = carry.mux(product.bit(22) & (rest | product.bit(23)), product.bit(21));
    let up = up & !infinite; // the largest exponent stays
    let [base, fraction, two, up] = [base, fraction, two, up].map(|x| x.next());
    let q = add_carry(base.cat(fraction), two.zext(5).cat(fraction.zeros(FRAC)), up);
    io.q.set(p.leave(q.next()));
    m.finish(io)
}

/// Brings the significand to its places.
#[module]
fn operands(m: Module, c: Signal) -> Operands {
    m.section("both operands of the multiplication, so that the square's last place is at bit 22");
    let (exp, frac) = (c.drop_low(FRAC), c.trunc(FRAC));
    let normal = exp.drop_low(3).any(); // the square is
    let infinite = exp.bit(4) & (exp.bit(3) | exp.trunc(3).all());
    let low = exp.trunc(3);
    let nothing = !normal & !low.drop_low(1).any();
    // places to the left: 6 or none of `a`, and twice `near` of `b`; both together twice the exponent less two, at most 12
    let far = normal | low.drop_low(1).all();
    let one_of = |table: u32| m.lit(table, 8).part(low, 1) | normal;
    let near = one_of(0b1011_0000).cat(one_of(0b0110_1000));
    let significand = exp.any().cat(frac);
    let bottom = m.reg(bits(6));
    let middle = m.reg(bits(5));
    let top = m.reg(bits(6));
    bottom.set(significand.trunc(6));
    middle.set(far.mux(significand.trunc(5), significand.drop_low(6)));
    top.set(significand.drop_low(5));
    m.when(far | nothing, || bottom.set(0)); // these are resets of flip-flops
    m.when(nothing, || middle.set(0));
    m.when(!far, || top.set(0));
    let wide = significand.zext(17);
    let moved = near.bit(0).mux(wide << 2, wide);
    let moved = near.bit(1).mux(moved << 4, moved);
    // the exponent of a normal square, twice that of the number less 15
    let exponent = cat(&[exp.bit(4) & !exp.bit(3), low, exp.lit(1u32, 1)]);
    let base = (exponent & normal.repeat(5)) | infinite.repeat(5);
    let a = cat(&[top, middle, bottom]);
    let rest = frac.trunc(5).any();
    Operands { a, b: moved.next(), base: base.next(), infinite: infinite.next(), rest: rest.next() }
}
