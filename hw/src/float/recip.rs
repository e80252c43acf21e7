//! Reciprocal: `y = 1 / a`, rounded to nearest even.
//!
//! The rows of the divider with a constant dividend: the first digit of 1/m for m in [1, 2) is always 1, and 1/1 comes out as
//! 0.111...1, which rounds to 1. No other reciprocal of a binary number ends, so the sticky bit is always 1. Of the
//! subnormal numbers only those with a one in the first two bits of the fraction have a reciprocal that is finite.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `in_valid` | operand; `in_valid` only travels along |
//! | `y`, `out_valid` | its reciprocal, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to [`natural`].
//! - One reciprocal a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - 1/0 is infinity of the same sign; NaN gives the one quiet NaN.

use super::divide::digit;
use super::format::{Format, Parts, Subnormals};
use super::operand::{UnaryPorts, constant, signed_bits};
use super::round::{Exact, pack, place};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: operand ready, `frac + 1` digits, placed, rounded.
pub fn natural(f: Format) -> u32 {
    f.frac + 4
}

/// A reciprocal unit.
#[module]
pub fn recip(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<UnaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("recip", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, natural(f))?;
    let m = Module::new(name);
    m.doc("Reciprocal of a floating point number, round to nearest even.");
    let io = UnaryPorts::new(m, f.width(), f.width());
    let s = Stages::new(m, natural(f), latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);

    // infinity and NaN pass through here as well; the least number with a finite reciprocal has the exponent -1
    let (least, greatest) = (-2, f.top() as i32 - 1);
    let ready = s.cut(1, ready(a, f, subnormals, signed_bits(least, greatest)));

    m.section("digits");
    // 1/m = 0.1...: two less m remains behind the first digit
    let first = ready.divisor.zeros(f.sig()) - ready.divisor;
    let mut row = Row { ready, rest: first, quotient: a.lit(1u32, 1) };
    for i in 0..=f.frac {
        let (digit, rest) = digit(row.rest, row.ready.divisor);
        row = s.cut(2 + i, Row { rest, quotient: row.quotient.cat(digit), ..row });
    }

    let Ready { sign, exp, zero, infinite, nan, .. } = row.ready;
    let exact = Exact { sign, exp, sig: row.quotient, sticky: sign.lit(1u32, 1), zero, infinite, nan };
    let placed = s.cut(f.frac + 3, place(exact, least..=greatest, f, subnormals));
    io.y.set(s.leave(pack(placed)));
    m.finish(io)
}

/// The operand with its leading one in front, and what is known of the result.
#[derive(Clone, Copy, Bundle)]
struct Ready {
    sign: Signal,
    exp: Signal,
    divisor: Signal,
    zero: Signal,
    infinite: Signal,
    nan: Signal,
}

/// What goes from row to row.
#[derive(Clone, Copy, Bundle)]
struct Row {
    ready: Ready,
    rest: Signal,
    quotient: Signal,
}

/// Two places to the front are enough. The result's exponent is `top - 2 - exp`.
#[module]
fn ready(a: Signal, f: Format, subnormals: Subnormals, width: u32) -> Ready {
    let x = Parts::of(a, f);
    let broken = x.frac.any();
    let base = constant(a, f.top() as i32 - 2, width) - x.exp.zext(width);
    let (divisor, exp, infinite) = match subnormals {
        Subnormals::Flush => (x.sign.lit(1u32, 1).cat(x.frac), base, !x.normal),
        Subnormals::Keep => {
            let one = x.frac.msb();
            let two = if f.frac > 1 { x.frac.bit(f.frac - 2) } else { one.zeros(1) };
            let moved = one.mux(x.frac << 1, x.frac << 2);
            // by one place: exponent 0, by two: -1
            let second = !x.normal & !one;
            (x.sign.lit(1u32, 1).cat(x.normal.mux(x.frac, moved)), base + second.zext(width), second & !two)
        }
    };
    let nan = x.top & broken;
    Ready { sign: x.sign, exp, divisor, zero: x.top & !broken, infinite, nan }
}
