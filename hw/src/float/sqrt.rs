//! Square root: `y = sqrt(a)`, rounded to nearest even.
//!
//! Digit by digit, the restoring way, unrolled: a root starts in every cycle. The radicand enters two bits for each digit. A
//! root never lies half way between two numbers, so the digit behind the last place is the rounding and no remainder is kept.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `in_valid` | operand; `in_valid` only travels along |
//! | `y`, `out_valid` | its root, `latency` cycles later |
//!
//! - Parameters: format (3 to 8 exponent bits, 1 to 23 fraction bits and fewer than the bias, so that every root is a normal
//!   number), subnormals kept or flushed, latency 0 to [`natural`].
//! - One root a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - The root of -0 is -0; that of other negative numbers and of NaN is the one quiet NaN.

use super::format::{Format, Parts, Subnormals};
use super::logic::add_carry;
use super::operand::{Known, UnaryPorts, constant, to_front};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: radicand ready, `frac + 1` digits, rounded.
pub fn natural(f: Format) -> u32 {
    f.frac + 3
}

/// Roots of all numbers of the format are normal.
pub(super) fn check_roots(at: &str, f: Format) -> Result<(), Errors> {
    f.check(at)?;
    if u64::from(f.frac) < f.bias() {
        return Ok(());
    }
    let message = format!("a root in a format of {} exponent and {} fraction bits", f.exp, f.frac);
    let help = format!(
        "up to {} fraction bits are legal with these exponent bits: roots of subnormal numbers would be subnormal",
        f.bias().saturating_sub(1)
    );
    Err(Errors::parameter(at, message, &help))
}

/// A square root unit.
#[module]
pub fn sqrt(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<UnaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("sqrt", subnormals));
    check_roots(&name, f)?;
    check_latency(&name, latency, natural(f))?;
    let m = Module::new(name);
    m.doc("Square root of a floating point number, round to nearest even.");
    let io = UnaryPorts::new(m, f.width(), f.width());
    let s = Stages::new(m, natural(f), latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);
    let (known, radicand) = s.cut(1, ready(a, f, subnormals));

    m.section("digits");
    // the first digit is 1: one less than the first two bits remains
    let pairs = radicand.width() / 2;
    let rest = radicand.bits(2 * pairs - 1, 2 * pairs - 2) - 1;
    let mut row = Row { known, radicand, rest, root: a.lit(1u32, 1) };
    for i in 0..=f.frac {
        let pair = match pairs.checked_sub(i + 2) {
            Some(at) => row.radicand.bits(2 * at + 1, 2 * at),
            None => a.zeros(2),
        };
        let (digit, rest) = root_digit(row.rest, row.root, pair);
        row = s.cut(2 + i, Row { rest, root: row.root.cat(digit), ..row });
    }

    m.section("rounding");
    let known = row.known;
    let magnitude = known.magnitude(known.exp, row.root.bits(f.frac, 1), f);
    let rounded = add_carry(magnitude, magnitude.zeros(magnitude.width()), row.root.bit(0) & known.ordinary());
    io.y.set(s.leave(known.sign.cat(rounded)));
    m.finish(io)
}

/// What goes from row to row.
#[derive(Clone, Copy, Bundle)]
struct Row {
    known: Known,
    radicand: Signal,
    rest: Signal,
    root: Signal,
}

/// The radicand in [1, 4), its first two bits before the point, and the exponent of its root.
#[module]
fn ready(a: Signal, f: Format, subnormals: Subnormals) -> (Known, Signal) {
    let x = Parts::of(a, f);
    let sig = x.significand(subnormals);
    // the bias is odd: of an odd stored exponent the power of two is even
    let odd = x.exp.bit(0) | !x.normal;
    let placed = odd.mux(sig.zext(f.sig() + 1), sig.cat(sig.zeros(1)));
    let placed = if placed.width().is_multiple_of(2) { placed } else { placed.cat(placed.zeros(1)) };
    // exp/2 + bias/2, both rounded to suit
    let half = x.exp.drop_low(1).zext(f.exp) + odd.zext(f.exp) + constant(a, (1 << (f.exp - 2)) - 1, f.exp);
    let (radicand, exp) = match subnormals {
        Subnormals::Flush => (placed, half),
        Subnormals::Keep => {
            let (radicand, pairs) = to_front(placed, 2);
            let pairs = if pairs.width() > f.exp { pairs.trunc(f.exp) } else { pairs.zext(f.exp) };
            (radicand, half - pairs)
        }
    };
    let zero = !(x.normal | (if subnormals == Subnormals::Keep { x.frac.any() } else { x.normal }));
    let nan = (x.top & x.frac.any()) | (x.sign & !zero);
    (Known { sign: x.sign & zero, exp, zero, infinite: x.top & !nan, nan }, radicand)
}

/// The next digit of a root: `4 rest + pair` less `4 root + 1`, if that is not negative.
#[module]
fn root_digit(rest: Signal, root: Signal, pair: Signal) -> (Signal, Signal) {
    let width = root.width() + 3;
    let value = rest.cat(pair).zext(width);
    let trial = value - root.cat(root.lit(1u32, 2)).zext(width);
    let digit = !trial.msb();
    (digit, digit.mux(trial, value).trunc(root.width() + 2))
}
