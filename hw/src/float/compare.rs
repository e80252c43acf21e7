//! Comparison, minimum and maximum of two numbers.
//!
//! `lt`, `le` and `eq` are quiet comparisons: with a NaN they are 0 and `unordered` is 1; the two zeros are equal. `min` and
//! `max` are minimumNumber and maximumNumber of IEEE 754-2019 section 9.6: -0 is less than +0, one NaN gives the other
//! operand, two give the one quiet NaN.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `in_valid` | operands; `in_valid` only travels along |
//! | `lt`, `le`, `eq` | `a` is less than `b`, less or equal, equal |
//! | `unordered` | an operand is NaN |
//! | `min`, `max`, `out_valid` | the smaller and the larger operand, `latency` cycles later as all outputs |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed (operands, and so results,
//!   become zeros of their sign), latency 0 to [`NATURAL`].
//! - One comparison a cycle. With latency 0 all paths are combinational, else none from port to port.

use super::format::{Format, Parts, Subnormals, quiet_bit};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: compared, chosen.
pub const NATURAL: u32 = 2;

ports! {
    /// Ports of a comparison.
    pub struct ComparePorts(f: Format) {
        /// the operands are there
        input in_valid: Signal = bits(1),
        /// first operand
        input a: Signal = bits(f.width()),
        /// second operand
        input b: Signal = bits(f.width()),
        /// the results are there
        output out_valid: Signal = bits(1),
        /// a < b
        output lt: Signal = bits(1),
        /// a <= b
        output le: Signal = bits(1),
        /// a = b
        output eq: Signal = bits(1),
        /// an operand is NaN
        output unordered: Signal = bits(1),
        /// the smaller operand
        output min: Signal = bits(f.width()),
        /// the larger operand
        output max: Signal = bits(f.width()),
    }
}

/// A comparison.
#[module]
pub fn compare(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<ComparePorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("compare", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point comparison, minimum and maximum.");
    let io = ComparePorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b) = s.enter((io.a, io.b));

    m.section("magnitudes compare as whole numbers");
    let (a, b) = (operand(a, f, subnormals), operand(b, f, subnormals));
    let bits = f.exp + f.frac;
    let (a_magnitude, b_magnitude) = (a.trunc(bits), b.trunc(bits));
    let x = Compared {
        a,
        b,
        a_nan: Parts::of(a, f).is_nan(),
        b_nan: Parts::of(b, f).is_nan(),
        smaller: a_magnitude.lt(b_magnitude),
        same: a_magnitude.eq(b_magnitude),
        zeros: !a_magnitude.any() & !b_magnitude.any(),
    };
    let x = s.cut(1, x);

    m.section("signs decide, then magnitudes; of two negative numbers the larger magnitude is less");
    let (a_sign, b_sign) = (x.a.msb(), x.b.msb());
    let before = (a_sign & !b_sign) | ((a_sign & !x.smaller) | (!a_sign & x.smaller)) & !(a_sign ^ b_sign);
    let unordered = x.a_nan | x.b_nan;
    let equal = x.zeros | (x.same & !(a_sign ^ b_sign));
    let (lt, eq) = (before & !equal & !unordered, equal & !unordered);
    let nan = x.a_nan & x.b_nan;
    let (min, max) = (choose(x, before, nan, f), choose(x, !before, nan, f));
    io.lt.set(s.leave(lt));
    io.le.set(s.leave(lt | eq));
    io.eq.set(s.leave(eq));
    io.unordered.set(s.leave(unordered));
    io.min.set(s.leave(min));
    io.max.set(s.leave(max));
    m.finish(io)
}

/// Operands with what is known of them.
#[derive(Clone, Copy, Bundle)]
struct Compared {
    a: Signal,
    b: Signal,
    a_nan: Signal,
    b_nan: Signal,
    /// The magnitude of a is less than that of b.
    smaller: Signal,
    /// The magnitudes are the same.
    same: Signal,
    /// Both are zeros.
    zeros: Signal,
}

/// The first operand or the second; with a NaN the other one, of two (`nan`) the quiet one.
#[module]
fn choose(x: Compared, a_first: Signal, nan: Signal, f: Format) -> Signal {
    let chosen = (x.b_nan | (a_first & !x.a_nan)).mux(x.a, x.b);
    let fraction = (chosen.trunc(f.frac) & (!nan).repeat(f.frac)) | quiet_bit(nan, f);
    cat(&[chosen.msb() & !nan, chosen.bits(f.exp + f.frac - 1, f.frac), fraction])
}

/// `x`; without subnormals, if they are flushed.
fn operand(x: Signal, f: Format, subnormals: Subnormals) -> Signal {
    match subnormals {
        Subnormals::Keep => x,
        Subnormals::Flush => {
            let parts = Parts::of(x, f);
            cat(&[parts.sign, parts.exp, parts.frac & parts.normal.repeat(f.frac)])
        }
    }
}
