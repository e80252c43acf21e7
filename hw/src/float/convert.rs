//! Conversion between formats, rounded to nearest even.
//!
//! What cannot happen between the two formats costs nothing: subnormal operands are shifted to the front only where the result can
//! be normal, results are shifted to their place only where they can be subnormal, and only a shorter fraction is rounded.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `in_valid` | a number of the format `from`; `in_valid` only travels along |
//! | `y`, `out_valid` | the nearest number of the format `to`, `latency` cycles later |
//!
//! - Parameters: two formats (2 to 8 exponent bits, 1 to 23 fraction bits each), subnormals kept or flushed on both sides, latency
//!   0 to [`NATURAL`].
//! - One conversion a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - NaN gives the one quiet NaN; what is too large gives infinity.

use super::format::{Format, Parts, Subnormals};
use super::operand::{Operand, UnaryPorts, constant, signed_bits};
use super::round::{Exact, pack, place};
use super::stages::{Stages, check_latency};
use hdl::*;
use std::ops::RangeInclusive;

/// Natural depth: operand ready, placed, rounded.
pub const NATURAL: u32 = 3;

/// A conversion between two formats.
#[module]
pub fn convert(from: Format, to: Format, subnormals: Subnormals, latency: u32) -> Result<Design<UnaryPorts>, Errors> {
    let unit = format!("convert_e{}f{}_to", from.exp, from.frac);
    let name = format!("{}_l{latency}", to.name(&unit, subnormals));
    from.check(&name)?;
    to.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Conversion between floating point formats, round to nearest even.");
    let io = UnaryPorts::new(m, from.width(), to.width());
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);

    let (exact, range) = exact(a, from, to, subnormals);
    let exact = s.cut(1, exact);
    let placed = s.cut(2, place(exact, range, to, subnormals));
    io.y.set(s.leave(pack(placed)));
    m.finish(io)
}

/// The operand with the exponent of the other format, and the range of that.
#[module]
fn exact(a: Signal, from: Format, to: Format, subnormals: Subnormals) -> (Exact, RangeInclusive<i32>) {
    let x = Parts::of(a, from);
    let more = to.bias() as i32 - from.bias() as i32;
    let greatest = from.top() as i32 + more;
    let (exp, sig, zero, least) = match (subnormals, more) {
        // one scale of exponents: subnormal numbers stay what they are
        (Subnormals::Keep, 0) => (x.exp.zext(from.exp + 1), x.significand(subnormals), a.zeros(1), 1),
        // those of the operand are subnormal in the result as well, or nothing
        (Subnormals::Keep, ..0) => (x.effective_exp(), x.significand(subnormals), a.zeros(1), 1 + more),
        (Subnormals::Keep, _) => {
            let x = Operand::of(a, from, subnormals);
            (x.exp, x.sig, x.zero, 1 - from.frac as i32 + more)
        }
        (Subnormals::Flush, _) => {
            (x.exp.zext(from.exp + 1), x.exp.lit(1u32, 1).cat(x.frac), !x.normal, (1 + more).min(1))
        }
    };
    let width = signed_bits(least.min(more), greatest.max(0)).max(exp.width() + 1);
    let exp = match (subnormals, more) {
        (Subnormals::Keep, 1..) => exp.sext(width),
        _ => exp.zext(width),
    };
    let exp = if more == 0 { exp } else { exp + constant(a, more, width) };
    let sig = if from.frac < to.frac { sig.cat(sig.zeros(to.frac - from.frac)) } else { sig };
    let broken = x.frac.any();
    let (infinite, nan) = (x.top & !broken, x.top & broken);
    (Exact { sign: x.sign, exp, sig, sticky: a.zeros(1), zero, infinite, nan }, least..=greatest)
}
