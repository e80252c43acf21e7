//! The length of a new key and its reciprocal, a digit in a cycle (docs/lad.md, section 5, step 1).
//!
//! Both are restoring: what is left, moved on, less what the next digit takes, if that is not negative. The root has 12 digits, of which the last one is the
//! rounding's, and what is left says whether it is a tie. The reciprocal of a number in [1, 2) begins from 1, and that of 1 comes out as 0.111...1, which
//! rounds to 1; no other one ends. A subnormal one has fewer digits.

use super::projection::{WINDOW, Window};
use crate::float::logic::add_carry;
use hdl::*;

/// Digits of a root or reciprocal: a significand, and the one behind it.
const DIGITS: u32 = 12;
/// Bits of what is left.
const REST: u32 = DIGITS + 1;

/// What is done.
#[derive(Clone, Copy, State)]
enum Phase {
    /// Nothing: all is there.
    Idle,
    /// Digits of the root.
    Root,
    /// The root is rounded.
    Round,
    /// Digits of the reciprocal.
    Reciprocal,
}

/// A length and its reciprocal.
pub(super) struct Length {
    phase: StateSignal<Phase>,
    /// In binary16, without sign.
    pub(super) length: Signal,
    /// It is neither 0 nor infinite.
    pub(super) usable: Signal,
    digits: Signal,
}

impl Length {
    /// Begins with the leading bits of a square, which is not negative.
    #[module]
    pub(super) fn of(m: Module, begins: Signal, square: Window) -> Length {
        m.section("the length of the new key, and its reciprocal");
        let phase = m.state(Phase::Idle);
        let radicand = m.reg(bits(WINDOW));
        let sticky = m.reg(bits(1)).comment("there is more of the radicand");
        let exponent = m.reg(bits(6)).comment("of the root, as it is stored");
        let rest = m.reg(bits(REST)).comment("what is left");
        let digits = m.reg(bits(DIGITS));
        let left = m.reg(bits(4)).comment("digits that are not there yet");
        let length = m.reg(bits(15)).comment("in binary16, without sign");
        let usable = m.reg(bits(1)).comment("it is neither 0 nor infinite");

        let is_root = phase.is(Phase::Root);
        let divisor = length.lit(1u32, 1).cat(length.trunc(10));
        let of_root = rest.trunc(DIGITS).cat(radicand.drop_low(WINDOW - 2));
        let of_reciprocal = rest.trunc(DIGITS - 1).cat(rest.zeros(1));
        let value = is_root.mux(of_root, of_reciprocal.zext(DIGITS + 2));
        let root = digits.trunc(DIGITS - 1);
        let takes = is_root.mux(root.cat(root.lit(1u32, 2)), divisor.zext(DIGITS + 1));
        let trial = value.zext(DIGITS + 3) - takes.zext(DIGITS + 3);
        let digit = !trial.msb();
        m.when(is_root | phase.is(Phase::Reciprocal), || {
            rest.set(digit.mux(trial, value.zext(DIGITS + 3)).trunc(REST));
            digits.set(root.cat(digit));
            radicand.set(radicand << 2);
            left.set(left - 1);
            m.when(left.eq(1), || phase.set(is_root.mux(m.lit_state(Phase::Round), Phase::Idle)));
        });

        let up = digits.bit(0) & (rest.any() | sticky | digits.bit(1));
        let magnitude = exponent.cat(digits.bits(10, 1));
        let rounded = add_carry(magnitude, magnitude.zeros(16), up);
        let infinite = rounded.msb() | rounded.bits(14, 10).all();
        let (least, second) = (rounded.bits(14, 10).eq(30), rounded.bits(14, 10).eq(29));
        m.when(phase.is(Phase::Round), || {
            phase.set(Phase::Reciprocal);
            length.set(rounded.trunc(15));
            usable.set(digits.msb() & !infinite);
            rest.set(1 << 10);
            digits.set(0);
            // of a length from 2^14 on the reciprocal is subnormal
            left.set(least.mux(left.lit(DIGITS - 2, 4), second.mux(left.lit(DIGITS - 1, 4), DIGITS)));
        });

        // a pair of bits makes a digit, and the highest one of 2^62 steps of 2^-24 is that of 2^19
        m.when(begins, || {
            phase.set(Phase::Root);
            radicand.set(square.bits);
            sticky.set(square.rest);
            exponent.set(exponent.lit(19u32 + 15, 6) - square.pairs.zext(6));
            rest.set(0);
            digits.set(0);
            left.set(DIGITS);
        });
        Length { phase, length, usable, digits }
    }

    /// The length is there, of a square with which it began.
    pub(super) fn is_known(&self) -> Signal {
        self.phase.is(Phase::Idle) | self.phase.is(Phase::Reciprocal)
    }

    /// So is the reciprocal.
    pub(super) fn is_done(&self) -> Signal {
        self.phase.is(Phase::Idle)
    }

    /// The reciprocal of a length that can be used, in binary16, without sign.
    #[module]
    pub(super) fn reciprocal(&self) -> Signal {
        let exponent = self.length.drop_low(10);
        let of_reciprocal = exponent.eq(30).mux(exponent.zeros(5), exponent.lit(29u32, 5) - exponent);
        let magnitude = of_reciprocal.cat(self.digits.bits(10, 1));
        // something is always behind the last digit
        add_carry(magnitude, magnitude.zeros(15), self.digits.bit(0))
    }
}
