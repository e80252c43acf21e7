//! Divider: `y = a / b`, rounded to nearest even.
//!
//! Digit by digit, the restoring way: one row of a subtracter and a multiplexer for each bit of the quotient, unrolled, so that a
//! division starts in every cycle. A first comparison of the significands decides where the quotient's leading one is; no
//! shifter is needed for it behind the rows. The last remainder is the sticky bit: the quotient is rounded correctly.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | dividend and divisor; `in_valid` only travels along |
//! | `y`, `out_valid` | the quotient, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to [`natural`].
//! - One division a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Zero by zero, infinity by infinity and NaN operands give the one quiet NaN; another number by zero gives infinity.

use super::add::BinaryPorts;
use super::format::{Format, Subnormals};
use super::operand::{Operand, constant, exp_width, signed_bits};
use super::round::{Exact, pack, place};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: operands ready, compared, subtracted once, `frac + 1` digits, placed, rounded.
pub fn natural(f: Format) -> u32 {
    f.frac + 6
}

/// A divider.
#[module]
pub fn divide(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<BinaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("divide", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, natural(f))?;
    let m = Module::new(name);
    m.doc("Floating point divider, round to nearest even.");
    let io = BinaryPorts::new(m, f);
    let s = Stages::new(m, natural(f), latency);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b) = s.enter((io.a, io.b));
    let (a, b) = s.cut(1, (Operand::of(a, f, subnormals), Operand::of(b, f, subnormals)));

    m.section("where the leading one of the quotient is");
    let (least, greatest) = exponents(f, subnormals);
    let width = signed_bits(least, greatest).max(exp_width(f));
    let below = a.sig.lt(b.sig);
    let exp = a.exp.sext(width) - b.exp.sext(width) + constant(below, f.bias() as i32, width);
    let nan = a.nan | b.nan | (a.zero & b.zero) | (a.infinite & b.infinite);
    let outcome =
        Outcome { sign: a.sign ^ b.sign, exp, below, zero: a.zero | b.infinite, infinite: a.infinite | b.zero, nan };
    let dividend = below.mux(a.sig.cat(below.zeros(1)), a.sig.zext(f.sig() + 1));
    let (outcome, divisor, dividend) = s.cut(2, (outcome, b.sig, dividend));

    m.section("digits");
    let first = (dividend - divisor.zext(f.sig() + 1)).trunc(f.sig());
    let exp = outcome.exp - outcome.below.zext(width);
    let outcome = Outcome { exp, ..outcome };
    let mut row = s.cut(3, Row { outcome, divisor, rest: first, quotient: divisor.lit(1u32, 1) });
    for i in 0..=f.frac {
        let (digit, rest) = digit(row.rest, row.divisor);
        row = s.cut(4 + i, Row { rest, quotient: row.quotient.cat(digit), ..row });
    }

    let Outcome { sign, exp, zero, infinite, nan, .. } = row.outcome;
    let exact = Exact { sign, exp, sig: row.quotient, sticky: row.rest.any(), zero, infinite, nan };
    let placed = s.cut(f.frac + 5, place(exact, least..=greatest, f, subnormals));
    io.y.set(s.leave(pack(placed)));
    m.finish(io)
}

/// The least and the greatest exponent before rounding.
fn exponents(f: Format, subnormals: Subnormals) -> (i32, i32) {
    let (top, bias) = (f.top() as i32, f.bias() as i32);
    let lowest = if subnormals == Subnormals::Keep { 1 - f.frac as i32 } else { 0 };
    // infinity and NaN pass through here as well
    (lowest - 1 - top + bias, top - lowest + 1 + bias)
}

/// What is known of the result before the quotient is.
#[derive(Clone, Copy, Bundle)]
struct Outcome {
    sign: Signal,
    exp: Signal,
    below: Signal,
    zero: Signal,
    infinite: Signal,
    nan: Signal,
}

/// What goes from row to row.
#[derive(Clone, Copy, Bundle)]
struct Row {
    outcome: Outcome,
    divisor: Signal,
    rest: Signal,
    quotient: Signal,
}

/// The next digit of a quotient and what remains; `rest` is less than `divisor`.
#[module]
pub(super) fn digit(rest: Signal, divisor: Signal) -> (Signal, Signal) {
    let width = divisor.width();
    let twice = rest.cat(rest.zeros(1));
    let difference = twice - divisor.zext(width + 1);
    let digit = !difference.msb();
    (digit, digit.mux(difference, twice).trunc(width))
}
