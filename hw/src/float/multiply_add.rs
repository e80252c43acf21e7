//! Fused multiply-add: `y = a * b + c`, rounded once, to nearest even; one multiplier block.
//!
//! The product stands at a fixed place of a wide word. `c` is aligned to it beside the multiplication, from where all of it
//! lies in front of the product down to where all of it is only sticky. If it lies even further in front, the product is what
//! is only sticky; its place does not matter then. The sum of the two is shifted to the left, up to its leading one or as
//! far as the exponent allows, which gives subnormal results by itself.
//!
//! A negative sum `s` is not negated: its magnitude is `!s + 1`, and `!s` followed by ones without end is the same number.
//! The shifter carries `s`, its result is inverted, and rounding knows what lies behind.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `c`, `in_valid` | operands; `in_valid` only travels along |
//! | `y`, `out_valid` | the result, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to
//!   [`NATURAL`].
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Zero times infinity, a product and a `c` that are infinities of opposite signs, and NaN operands give the one quiet NaN.
//!   A sum that is exactly zero is +0, unless product and `c` are both -0.

use super::format::{Format, Subnormals};
use super::logic::add_carry;
use super::multiply_add_operands::{Operands, Widths, multiply_add_operands};
use super::multiply_add_round::multiply_add_round;
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: exponents, multiplied and aligned, added, counted, shifted, rounded.
pub const NATURAL: u32 = 6;

ports! {
    /// Ports of a unit with three operands.
    pub struct TernaryPorts(f: Format) {
        /// the operands are there
        input in_valid: Signal = bits(1),
        /// first factor
        input a: Signal = bits(f.width()),
        /// second factor
        input b: Signal = bits(f.width()),
        /// summand
        input c: Signal = bits(f.width()),
        /// the result is there
        output out_valid: Signal = bits(1),
        /// result
        output y: Signal = bits(f.width()),
    }
}

/// A fused multiply-add unit.
#[module]
pub fn multiply_add(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<TernaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("multiply_add", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point fused multiply-add, round to nearest even.");
    let io = TernaryPorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    let w = Widths::of(f);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b, c) = s.enter((io.a, io.b, io.c));

    m.section("special operands, exponents, and how far c is shifted");
    let unpacked = m.instance(&multiply_add_operands(f, subnormals, s.between(0, 1))?);
    unpacked.a.set(a);
    unpacked.b.set(b);
    unpacked.c.set(c);
    let operands = unpacked.operands;

    m.section("product; c aligned to it");
    let product = operands.a * operands.b;
    let (aligned, lost) = align(operands, w);
    let (product, aligned, lost, state) = s.cut(2, (product, aligned, lost, operands.state));

    m.section("sum, in two's complement");
    let product = product.cat(product.zeros(2)).zext(w.word + 1);
    let sum = add_carry(product, aligned, state.subtract & !lost);
    let (sum, lost, state) = s.cut(3, (sum, lost, state));

    let second = m.instance(&multiply_add_round(f, subnormals, s.between(3, NATURAL))?);
    second.sum.set(sum);
    second.lost.set(lost);
    second.state.set(state);
    io.y.set(s.leave_cut(second.y));
    m.finish(io)
}

/// The summand c in the word, inverted if it is subtracted; and whether some of it was lost.
#[module]
fn align(x: Operands, w: Widths) -> (Signal, Signal) {
    let sign = x.state.subtract;
    let c = x.c ^ sign.repeat(x.c.width());
    let mut aligned = c.cat(sign.repeat(w.word - x.c.width()));
    let mut lost = sign.zeros(1);
    // The widest step first, while few places hold anything. Of the orders of the others, this one takes the fewest tables.
    let top = w.amount - 1;
    for level in [top, 1, 0].into_iter().chain(2..top) {
        let (by, chosen) = (1u32 << level, x.amount.bit(level));
        let out = aligned.trunc(by.min(w.word)) ^ sign.repeat(by.min(w.word));
        lost = lost | (chosen & out.any());
        let moved = if by < w.word { sign.repeat(by).cat(aligned.drop_low(by)) } else { sign.repeat(w.word) };
        aligned = chosen.mux(moved, aligned);
    }
    (sign.cat(aligned), lost)
}
