//! Exponential function: `y = e^a`, piecewise linear.
//!
//! `e^a = 2^(a log2 e)`: the significand times log2 e is shifted to a fixed point, whose whole part is the exponent; two to the
//! power of the fraction comes from a table of straight lines, one for each segment of [0, 1), fitted by least squares when the
//! module is generated. Negative numbers are inverted, not negated: that is one unit of the fixed point lower, and so
//! rounds all numbers down, which the lines make up for.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `in_valid` | operand; `in_valid` only travels along |
//! | `y`, `out_valid` | `e^a`, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 2 to 12 fraction bits), subnormals kept or flushed, segments (a power of two from 4 to
//!   256 and at most `2^(frac + 2)`), latency 0 to [`NATURAL`].
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - e^0 is 1, too large a result infinity, e to the negative infinity 0; NaN gives the one quiet NaN.
//! - [`largest_error`] is the largest error over all operands.

use super::accuracy::{self, power_of_two};
use super::format::{Format, Parts, Subnormals};
use super::operand::{UnaryPorts, constant, signed_bits};
use super::round::{Exact, pack, place};
use super::segments::{Line, Segment, check_segments, check_short, exp2};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: times log2 e, shifted, looked up, multiplied, added, placed, rounded.
pub const NATURAL: u32 = 7;

/// log2 e, rounded to 17 places.
const LOG2_E: u32 = 189_097;
/// Its bits.
const LOG2_E_BITS: u32 = 18;

/// Places of the fixed point, and of the lines: three more than the result's.
fn places(f: Format) -> u32 {
    f.frac + 3
}

/// The least `n` for which e to the power of `2^n` and of its negative are outside of the format.
fn limit(f: Format) -> u32 {
    clog2(f.bias() as usize + f.frac as usize + 3)
}

/// The lines of `2^x`, without the one before the point.
fn lines(f: Format, segments: u32) -> Vec<Line> {
    let steps = (1 << places(f)) / segments;
    let line = |i: u32| {
        let curve = |t: f64| exp2((f64::from(i) + t) / f64::from(segments)) - 1.0;
        let line = Segment { curve, steps, centre: 0.5, places: places(f) }.line();
        // none leaves [1, 2)
        let rise = line.slope * i64::from(steps - 1) / i64::from(steps);
        Line { intercept: line.intercept.max(0).min((1 << places(f)) - 1 - rise), ..line }
    };
    (0..segments).map(line).collect()
}

/// An exponential unit.
#[module]
pub fn exponential(
    f: Format,
    subnormals: Subnormals,
    segments: u32,
    latency: u32,
) -> Result<Design<UnaryPorts>, Errors> {
    let name = format!("{}_s{segments}_l{latency}", f.name("exp", subnormals));
    f.check(&name)?;
    check_short(&name, f.frac)?;
    check_segments(&name, segments, 4 << f.frac)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Exponential function of a floating point number, piecewise linear.");
    let io = UnaryPorts::new(m, f.width(), f.width());
    let s = Stages::new(m, NATURAL, latency);
    io.out_valid.set(s.valid(io.in_valid));
    let a = s.enter(io.a);

    let scaled = s.cut(1, scale(a, f, subnormals));
    let (known, power) = s.cut(2, (scaled.known, fixed_point(scaled)));

    m.section("two to the power of the fraction");
    let (sum, whole, known) = power_of_fraction(m, &s, power, known, f, segments);

    let (least, greatest) = (f.bias() as i32 - (2 << limit(f)), f.bias() as i32 + (2 << limit(f)) - 1);
    let exp_width = signed_bits(least, greatest).max(whole.width() + 1);
    let exp = whole.sext(exp_width) + constant(whole, f.bias() as i32, exp_width);
    let (zero, infinite) = (known.over & known.sign, known.over & !known.sign);
    let exact = Exact {
        sign: zero.zeros(1),
        exp,
        sig: zero.lit(1u32, 1).cat(sum),
        sticky: zero.zeros(1),
        zero,
        infinite,
        nan: known.nan,
    };
    let placed = s.cut(6, place(exact, least..=greatest, f, subnormals));
    io.y.set(s.leave(pack(placed)));
    m.finish(io)
}

/// Two to the power of the fraction of `power`, without the one before the point; with it its whole part and what is known.
#[module]
fn power_of_fraction(
    m: Module,
    s: &Stages,
    power: Signal,
    known: Known,
    f: Format,
    segments: u32,
) -> (Signal, Signal, Known) {
    let (whole, fraction) = (power.drop_low(places(f)), power.trunc(places(f)));
    let below = places(f) - segments.ilog2();
    let lines = lines(f, segments);
    let slope_bits = lines.iter().map(|line| 64 - (line.slope as u64).leading_zeros()).max().unwrap_or(1);
    let words = lines.iter().map(|line| (line.intercept as u64) << slope_bits | line.slope as u64);
    let table = m.memory(bits(places(f) + slope_bits), segments as usize).style(RamStyle::Registers).init(words);
    let line = table.read(fraction.drop_low(below));
    let (line, t, whole, known) = s.cut(3, (line, fraction.trunc(below), whole, known));
    let product = line.trunc(slope_bits) * t;
    let (intercept, product, whole, known) = s.cut(4, (line.drop_low(slope_bits), product, whole, known));
    let rise = product.drop_low(below);
    let width = places(f);
    let rise = if rise.width() > width { rise.trunc(width) } else { rise.zext(width) };
    let sum = intercept + rise;
    s.cut(5, (sum, whole, known))
}

/// What is known of the result before the power is.
#[derive(Clone, Copy, Bundle)]
struct Known {
    sign: Signal,
    /// The operand is large: the result is 0 or infinity.
    over: Signal,
    nan: Signal,
}

/// The significand times log2 e, its highest bit at that of the fixed point, and how far that is.
#[derive(Clone, Copy, Bundle)]
struct Scaled {
    known: Known,
    value: Signal,
    by: Signal,
    far: Signal,
}

#[module]
fn scale(a: Signal, f: Format, subnormals: Subnormals) -> Scaled {
    let x = Parts::of(a, f);
    let width = limit(f) + 1 + places(f);
    let product = x.significand(subnormals) * a.lit(LOG2_E, LOG2_E_BITS);
    let value = product.drop_low(product.width() - width);
    // below this exponent numbers are less than 2^limit
    let highest = (f.bias() as u32 + limit(f)) as i32 - 1;
    let by_width = signed_bits(highest - f.top() as i32, highest);
    let by = constant(a, highest, by_width) - x.effective_exp().zext(by_width);
    let levels = (32 - width.leading_zeros()).min(by_width - 1);
    let far = if levels < by_width - 1 { by.bits(by_width - 2, levels).any() } else { by.zeros(1) };
    let nan = x.top & x.frac.any();
    let over = (x.top | by.msb()) & !nan;
    Scaled { known: Known { sign: x.sign, over, nan }, value, by: by.trunc(levels), far }
}

/// `a log2 e` in two's complement, rounded down.
#[module]
fn fixed_point(x: Scaled) -> Signal {
    let mut value = x.value & (!x.far).repeat(x.value.width());
    for level in (0..x.by.width()).rev() {
        value = x.by.bit(level).mux(value >> (1u32 << level), value);
    }
    x.known.sign.cat(value ^ x.known.sign.repeat(value.width()))
}

/// The largest error in units of the last place, over all finite operands (every 2^n-th of formats wider than 16 bits), measured
/// on the module itself. A result that overflows counts as the power of two after the largest number.
pub fn largest_error(f: Format, subnormals: Subnormals, segments: u32) -> Result<f64, Errors> {
    let design = exponential(f, subnormals, segments, 0)?;
    let exact = |a: f64| {
        let power = a * std::f64::consts::LOG2_E;
        let whole = power.floor().clamp(-1000.0, 1000.0);
        exp2((power - whole).clamp(0.0, 1.0)) * power_of_two(whole as i32)
    };
    Ok(accuracy::largest_error(&design, f, subnormals, exact))
}
