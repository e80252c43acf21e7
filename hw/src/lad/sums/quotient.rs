//! Elements of the output: leading bits of the numerator times the reciprocal of those of the denominator, rounded to binary16 (docs/lad.md, section 3).

use super::super::sum_types::SUM_BITS;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::logic::add_carry;
use crate::float::operand::signed_bits;
use crate::float::round::{Exact, pack, place};
use hdl::*;

/// Leading bits of numerator, denominator and reciprocal.
const LEADING: u32 = 18;
/// Bits of a number of zeros in front of the leading bits.
const ZERO_BITS: u32 = 6;
/// Stored exponents of a quotient: 15 more than the difference of the zeros in front of the denominator (1 to 47) and the numerator (0 to 47), or one less.
const EXPONENTS: std::ops::RangeInclusive<i32> = -32..=62;
/// The stored exponent of 1.
const BIAS: u32 = 15;

/// What goes into the pipeline: the denominator, and after its reciprocal is there the elements of the numerator.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Dividend {
    pub(super) sum: Signal,
    pub(super) is_denominator: Signal,
}

pub(super) fn dividend() -> Dividend {
    Dividend { sum: bits(SUM_BITS), is_denominator: bits(1) }
}

/// What comes out of it: of the denominator nothing that means anything.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Quotient {
    pub(super) half: Signal,
    pub(super) is_denominator: Signal,
}

pub(super) fn quotient() -> Quotient {
    Quotient { half: bits(16), is_denominator: bits(1) }
}

/// The leading bits of a number.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Leading {
    /// The highest is set, unless the number is 0.
    bits: Signal,
    /// Zeros in front of them.
    zeros: Signal,
}

/// The reciprocal of a denominator, digit by digit: `floor((2^35 - 1) / D)`.
pub(super) struct Reciprocal {
    divisor: Leading,
    remainder: Signal,
    /// The digits so far, with a one in front of them: they are all there when that is at the front.
    digits: Signal,
}

impl Reciprocal {
    #[module]
    pub(super) fn new(m: Module) -> Reciprocal {
        m.section("the reciprocal of the denominator");
        let divisor = m.reg(Leading { bits: bits(LEADING), zeros: bits(ZERO_BITS) });
        let remainder = m.reg(bits(LEADING));
        let digits = m.reg(bits(LEADING + 1)).comment("with a one in front of them");
        Reciprocal { divisor, remainder, digits }
    }
    /// The next digit is the last one.
    pub(super) fn is_last(&self) -> Signal {
        self.digits.bit(LEADING - 1)
    }
    /// Begins. The leading 17 ones of the dividend are less than any divisor; 18 are left, one for each digit.
    pub(super) fn begin(&self, divisor: Leading) {
        self.divisor.set(divisor);
        self.remainder.set((1u32 << (LEADING - 1)) - 1);
        self.digits.set(1);
    }
    /// The next digit.
    #[module]
    pub(super) fn step(&self, m: Module, goes: Signal) {
        let remainder = self.remainder.cat(m.lit(1u32, 1));
        let width = LEADING + 2;
        let less = remainder.zext(width) - self.divisor.bits.zext(width);
        let digit = !less.msb();
        m.when(goes, || {
            self.remainder.set(digit.mux(less.trunc(LEADING), remainder.trunc(LEADING)));
            self.digits.set(self.digits.trunc(LEADING).cat(digit));
        });
    }
}

/// The pipeline of both. Gives the leading bits of the denominator, and whether they come.
#[module]
pub(super) fn quotients(
    m: Module,
    dividends: Stream<Dividend>,
    reciprocal: &Reciprocal,
    to: Stream<Quotient>,
) -> (Leading, Signal) {
    m.section("the magnitude");
    let (pipeline, dividend) = m.pipeline_stream("quotient", dividends, Elastic { collapse: false, flush: None });
    let Dividend { sum, is_denominator } = dividend.next();
    let sign = sum.msb();
    let magnitude = add_carry(sum ^ sign.repeat(SUM_BITS), sum.zeros(SUM_BITS), sign).next();

    m.section("its leading bits, two levels of moves a stage");
    let (mut x, mut zeros): (Signal, Option<Signal>) = (magnitude, None);
    for level in (0..ZERO_BITS).rev() {
        let by = 1 << level;
        let moves = !x.drop_low(SUM_BITS - by).any();
        x = moves.mux(x << by, x);
        zeros = Some(zeros.map_or(moves, |zeros| zeros.cat(moves)));
        if level % 2 == 0 {
            x = x.next();
            zeros = zeros.map(|zeros| zeros.next());
        }
    }
    let zeros = zeros.expect("there are levels");
    let leading = Leading { bits: x.drop_low(SUM_BITS - LEADING), zeros };
    let known = is_denominator.meet(x) & pipeline.moves(x);
    let found = pipeline.leave((leading, known));

    m.section("times the reciprocal");
    let product = (leading.bits * pipeline.constant(reciprocal.digits.trunc(LEADING))).next();
    let width = signed_bits(*EXPONENTS.start(), *EXPONENTS.end());
    let of_divisor = pipeline.constant(reciprocal.divisor.zeros).zext(width) + (BIAS - 1);
    let exponent = (of_divisor - leading.zeros.zext(width)).next();
    let zero = (!leading.bits.msb()).next();

    m.section("rounded to binary16");
    let large = product.msb();
    let body = large.mux(product.drop_low(1), product.trunc(2 * LEADING - 1));
    // what is behind the guard bit is looked at as a whole
    let kept = BINARY16.sig() + 1;
    let behind = body.width() - kept;
    let sticky = body.trunc(behind).any() | (large & product.bit(0));
    let exp = exponent + large.zext(width);
    let (sign, exp, sig, sticky, zero) = (sign.meet(product), exp, body.drop_low(behind), sticky, zero).next();
    let no = sign.zeros(1);
    let exact = Exact { sign, exp, sig, sticky, zero, infinite: no, nan: no };
    let placed = place(exact, EXPONENTS, BINARY16, Subnormals::Keep).next();
    let half = pack(placed).next();
    pipeline.leave_stream(Quotient { half, is_denominator: is_denominator.meet(half) }, to);
    found
}
