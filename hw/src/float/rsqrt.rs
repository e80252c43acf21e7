//! Reciprocal square root: `y = 1 / sqrt(a)`, piecewise linear.
//!
//! The operand is brought to m * 4^n with m in [1, 4). A table of straight lines, half of them for [1, 2) and half for [2, 4),
//! fitted by least squares when the module is generated, gives 1/sqrt(m) in (0.5, 1]; half a unit of the last place is in the
//! table, so that rounding is cutting off.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `in_valid` | operand; `in_valid` only travels along |
//! | `y`, `out_valid` | `1 / sqrt(a)`, `latency` cycles later |
//!
//! - Parameters: format (3 to 8 exponent bits, 2 to 12 fraction bits and fewer than the bias, so that every result is a normal
//!   number), subnormals kept or flushed, segments (a power of two from 4 to 256 and at most `2^frac`), latency 0 to [`NATURAL`].
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Zero gives infinity of its sign, infinity 0; other negative numbers and NaN give the one quiet NaN.
//! - [`largest_error`] is the largest error over all operands.

use super::accuracy;
use super::format::{Format, Subnormals};
use super::operand::{Known, Operand, UnaryPorts, constant};
use super::segments::{Line, Segment, check_segments, check_short};
use super::sqrt::check_roots;
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: operand ready, looked up, multiplied, subtracted, packed.
pub const NATURAL: u32 = 5;

/// Places of the table behind those of the result, which begin with a half.
const GUARD: u32 = 3;

/// Places of the table.
fn places(f: Format) -> u32 {
    f.sig() + GUARD
}

/// The lines of 1/sqrt, first those of [1, 2), then those of [2, 4). They fall.
fn lines(f: Format, segments: u32) -> Vec<Line> {
    let octave = segments / 2;
    let steps = (1 << f.frac) / octave;
    let line = |i: u32| {
        let (start, factor) = (f64::from(i % octave), if i < octave { 1.0 } else { 2.0 });
        let curve = |t: f64| 1.0 / (factor * (1.0 + (start + t) / f64::from(octave))).sqrt();
        let line = Segment { curve, steps, centre: 0.0, places: places(f) }.line();
        // cut off in front of the guard bits: half a unit more; all results from a half to 1
        let intercept = line.intercept + (1 << (GUARD - 1));
        let fall = -line.slope * i64::from(steps - 1) / i64::from(steps);
        let (least, most) = ((1 << f.frac << GUARD) + fall, (2 << f.frac << GUARD) + (1 << GUARD) - 1);
        Line { intercept: intercept.max(least).min(most), slope: -line.slope }
    };
    (0..segments).map(line).collect()
}

/// A reciprocal square root unit.
#[module]
pub fn rsqrt(f: Format, subnormals: Subnormals, segments: u32, latency: u32) -> Result<Design<UnaryPorts>, Errors> {
    let name = format!("{}_s{segments}_l{latency}", f.name("rsqrt", subnormals));
    check_roots(&name, f)?;
    check_short(&name, f.frac)?;
    check_segments(&name, segments, 1 << f.frac)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Reciprocal square root of a floating point number, piecewise linear.");
    let io = UnaryPorts::new(m, f.width(), f.width());
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);
    let x = s.cut(1, Operand::of(a, f, subnormals));

    m.section("line");
    // the bias is odd: of an even stored exponent the power of two is odd
    let even = !x.exp.bit(0);
    let half = x.exp.drop_low(1).sext(x.exp.width());
    let middle = constant(half, 3 * ((f.bias() as i32 - 1) / 2), x.exp.width());
    let exp = (middle - half + even.zext(x.exp.width())).trunc(f.exp);
    let nan = x.nan | (x.sign & !x.zero);
    let known = Known { sign: x.sign & !nan, exp, zero: x.infinite & !nan, infinite: x.zero, nan };
    let below = f.sig() - segments.ilog2();
    let lines = lines(f, segments);
    let slope_bits = lines.iter().map(|line| 64 - (line.slope as u64).leading_zeros()).max().unwrap_or(1);
    let words = lines.iter().map(|line| (line.intercept as u64) << slope_bits | line.slope as u64);
    let table = m.memory(bits(places(f) + 1 + slope_bits), segments as usize).style(RamStyle::Registers).init(words);
    let line = table.read(even.cat(x.sig.bits(f.frac - 1, below)));
    let (known, line, t) = s.cut(2, (known, line, x.sig.trunc(below)));
    let product = line.trunc(slope_bits) * t;
    let (known, intercept, product) = s.cut(3, (known, line.drop_low(slope_bits), product));
    let fall = product.drop_low(below);
    let difference = intercept - fall.zext(intercept.width());
    let (known, significand) = s.cut(4, (known, difference.drop_low(GUARD)));

    m.section("result");
    let exp = known.exp + significand.msb().zext(f.exp);
    let magnitude = known.magnitude(exp, significand.trunc(f.frac), f);
    io.y.set(s.leave(known.sign.cat(magnitude)));
    m.finish(io)
}

/// The largest error in units of the last place, over all finite positive operands (every 2^n-th of formats wider than 16 bits),
/// measured on the module itself.
pub fn largest_error(f: Format, subnormals: Subnormals, segments: u32) -> Result<f64, Errors> {
    let design = rsqrt(f, subnormals, segments, 0)?;
    let exact = |a: f64| if a > 0.0 { 1.0 / a.sqrt() } else { f64::NAN };
    Ok(accuracy::largest_error(&design, f, subnormals, exact))
}
