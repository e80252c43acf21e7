//! An operand with its leading one at the front. Combinational.

use super::format::{Format, Parts, Subnormals, quiet_bit};
use hdl::*;

ports! {
    /// Ports of a unit with one operand; operand and result may have different widths.
    pub struct UnaryPorts(a_width: u32, y_width: u32) {
        /// the operand is there
        input in_valid: Signal = bits(1),
        /// operand
        input a: Signal = bits(a_width),
        /// the result is there
        output out_valid: Signal = bits(1),
        /// result
        output y: Signal = bits(y_width),
    }
}

/// A number with its leading one at the front, subnormal ones too.
#[derive(Clone, Copy, Bundle)]
pub struct Operand {
    /// 1 for negative numbers.
    pub sign: Signal,
    /// The stored exponent, two's complement in [`exp_width`] bits: 0 and less for subnormal numbers.
    pub exp: Signal,
    /// `frac + 1` bits; the first one is 1 unless the number is zero.
    pub sig: Signal,
    /// Zero, or flushed to it.
    pub zero: Signal,
    /// Infinity.
    pub infinite: Signal,
    /// NaN.
    pub nan: Signal,
}

/// Bits of [`Operand::exp`].
pub fn exp_width(f: Format) -> u32 {
    signed_bits(-(f.frac as i32), f.top() as i32)
}

/// Bits of two's complement numbers from `least` to `greatest`.
pub fn signed_bits(least: i32, greatest: i32) -> u32 {
    let magnitude = |x: i32| 32 - (if x < 0 { !x } else { x }).leading_zeros();
    1 + magnitude(least).max(magnitude(greatest))
}

/// A constant in two's complement.
pub(super) fn constant(beside: Signal, value: i32, width: u32) -> Signal {
    beside.lit(value as u32 as u64 & ((1 << width) - 1), width)
}

impl Operand {
    /// Takes `x` apart and shifts a subnormal number to the front.
    pub fn of(x: Signal, f: Format, subnormals: Subnormals) -> Operand {
        let (parts, width) = (Parts::of(x, f), exp_width(f));
        let (sig, exp, zero) = match subnormals {
            Subnormals::Keep => {
                let (sig, zeros) = to_front(parts.significand(subnormals), 1);
                (sig, parts.effective_exp().zext(width) - zeros.zext(width), !sig.msb())
            }
            Subnormals::Flush => (x.lit(1u32, 1).cat(parts.frac), parts.exp.zext(width), !parts.normal),
        };
        let broken = parts.frac.any();
        Operand { sign: parts.sign, exp, sig, zero, infinite: parts.top & !broken, nan: parts.top & broken }
    }
}

/// What is known of a result before its significand is.
#[derive(Clone, Copy, Bundle)]
pub struct Known {
    /// 1 for negative numbers.
    pub sign: Signal,
    /// The stored exponent.
    pub exp: Signal,
    /// Zero.
    pub zero: Signal,
    /// Infinity.
    pub infinite: Signal,
    /// NaN.
    pub nan: Signal,
}

impl Known {
    /// Neither zero nor infinite nor NaN.
    pub fn ordinary(self) -> Signal {
        !(self.zero | self.infinite | self.nan)
    }
    /// Exponent and fraction of the result, which are `exp` and `fraction` if it is ordinary.
    pub fn magnitude(self, exp: Signal, fraction: Signal, f: Format) -> Signal {
        let ordinary = self.ordinary();
        let exp = (exp & ordinary.repeat(f.exp)) | (self.infinite | self.nan).repeat(f.exp);
        exp.cat((fraction & ordinary.repeat(f.frac)) | quiet_bit(self.nan, f))
    }
}

/// Shifts to the left by multiples of `unit` bits, until one of the first `unit` bits is set; and how many units that took.
/// Of zero all steps are taken, and counted: `2^clog2(units) - 1`, where a number other than zero has `units - 1` at most.
pub fn to_front(x: Signal, unit: u32) -> (Signal, Signal) {
    let (mut x, mut count) = (x, vec![]);
    let units = x.width().div_ceil(unit);
    for level in (0..clog2(units as usize)).rev() {
        let by = unit << level;
        let shift = !x.drop_low(x.width() - by).any();
        x = shift.mux(x << by, x);
        count.push(shift);
    }
    (x, cat(&count))
}
