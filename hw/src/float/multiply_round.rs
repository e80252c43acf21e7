//! The second half of the multiplier that keeps subnormals: moves a product to its final place and rounds it to nearest even.
//!
//! | port | |
//! | --- | --- |
//! | `product` | of two significands, as it is: its leading one may be anywhere |
//! | `amount` | to the left, from a place that [`Places`] gives |
//! | `outcome` | what else is known of the result |
//! | `y` | the result, `latency` cycles later |
//!
//! With fewer registers than it has places for, it is a module that synthesis leaves as it is: Yosys takes the output of a multiplier
//! block for early, and the amount, for which zeros are counted, for late. In one piece with the first half it moves the product by
//! several amounts ahead. Between registers it is dissolved: then mapping saves where there is time.
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), latency 0 to [`NATURAL`].
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.

use super::format::{Format, Subnormals, quiet_bit};
use super::logic::{moved, pick};
use super::round::round_to_even;
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: moved far, moved near and rounded.
pub const NATURAL: u32 = 2;

/// How far a product is moved. With `half = 2^(exp - 1)`, an amount of `half` leaves a product with a leading one in front where it
/// is; `half` + the leading zeros of the operands brings the leading one to the front; the sum of the exponents, where that is
/// less, gives a subnormal result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    frac: u32,
    /// `2^(exp - 1)`.
    pub half: u32,
    /// So many low bits of the amount are levels of muxes of two; the others choose among few.
    pub low: u32,
    /// The smallest and the largest value of the bits above them; smaller amounts leave no more of a product than this one.
    pub first: u32,
    /// See `first`.
    pub last: u32,
    /// An amount of `first` above and so many low bits, whatever they are, leaves nothing of a product but that it is not exactly
    /// zero. None where no amount is that small.
    pub nothing: Option<u32>,
}

impl Places {
    /// For the products of a format.
    pub fn of(f: Format) -> Places {
        let half = 1u32 << (f.exp - 1);
        let low = if f.frac > 13 { 4 } else { 3 };
        // moved by one place less to the right, half of the last place of a subnormal number could be left
        let nothing = half.checked_sub(f.frac + 3);
        let first = nothing.unwrap_or(0) >> low;
        let free =
            nothing.map(|most| (0..=low).rev().find(|bits| (first << low) + (1 << bits) - 1 <= most).unwrap_or(0));
        Places { frac: f.frac, half, low, first, last: (half + f.frac) >> low, nothing: free }
    }
    /// Bits of the part of an amount that chooses: values from `first` to `last` differ in them.
    pub fn choice_bits(self) -> u32 {
        if self.first == self.last { 1 } else { clog2((self.last - self.first + 1) as usize) }
    }
    /// Bits of the product when it is in place: carry, leading one, fraction, guard and one more.
    fn placed(self) -> u32 {
        self.frac + 4
    }
    /// By how much a product moves to the left for a choice and low bits of 0; negative to the right.
    fn by(self, choice: u32) -> i32 {
        let front = self.half as i32 + self.frac as i32 - 2; // this amount leaves the last place where it is
        (choice << self.low) as i32 - front + (1 << self.low) - 1
    }
}

/// What is known of the result before the product is in place.
#[derive(Clone, Copy, Bundle)]
pub struct Outcome {
    /// Exponent less one if the product is in [1, 2), 0 for a subnormal result, all ones for infinity and NaN.
    pub base: Signal,
    /// 1 for negative numbers.
    pub sign: Signal,
    /// NaN; nothing is left of the product then, nor for infinity.
    pub nan: Signal,
}

ports! {
    /// Ports of [`multiply_round`].
    pub struct MultiplyRoundPorts(f: Format) {
        /// of the significands
        input product: Signal = bits(2 * f.frac + 2),
        /// how far it is moved
        input amount: Signal = bits(Places::of(f).choice_bits() + Places::of(f).low),
        /// what else is known of the result
        input outcome: Outcome = Outcome { base: bits(f.exp), sign: bits(1), nan: bits(1) },
        /// the result
        output y: Signal = bits(f.width()),
    }
}

/// The second half of a multiplier.
#[module]
pub fn multiply_round(f: Format, latency: u32) -> Result<Design<MultiplyRoundPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("multiply_round", Subnormals::Keep));
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("The second half of a floating point multiplier: moves the product to its final place and rounds it.");
    if latency < NATURAL {
        m.keep_hierarchy();
    }
    let io = MultiplyRoundPorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    let (product, amount, outcome) = s.enter((io.product, io.amount, io.outcome));
    let (placed, rest) = place(m, s, product, amount, Places::of(f));
    let Outcome { base, sign, nan } = s.cut(1, outcome);

    m.section("round: exponent, leading one and rounding in one adder, which gives carries into the exponent and infinity by itself");
    let carry = placed.msb();
    let high = placed.width() - 2; // place of the leading one without a carry
    let kept = carry.mux(placed.bits(high, 2), placed.bits(high - 1, 1));
    let (fraction, guard) = (kept.drop_low(1), kept.bit(0));
    let rest = rest | placed.bit(0) | (carry & placed.bit(1));
    let one = carry.cat(placed.bit(high) & !carry);
    let add = one.zext(f.exp).cat(quiet_bit(nan, f));
    io.y.set(s.leave(sign.cat(round_to_even(base.cat(fraction), add, guard, rest))));
    m.finish(io)
}

/// The product in its place, and whether anything is below; across boundary 1, which lies where few bits cross it.
#[module]
fn place(m: Module, s: Stages, product: Signal, amount: Signal, places: Places) -> (Signal, Signal) {
    let Places { low, first, last, .. } = places;
    m.section("move it: far, among few distances, then by each of the low bits");
    let bits = places.choice_bits();
    let choice = amount.drop_low(low);
    let window = places.placed() + (1 << low) - 1;
    let options: Vec<(u32, Signal)> =
        (first..=last).map(|far| (far % (1 << bits), moved(product, places.by(far), window))).collect();
    let mut moving = pick(choice, &options);
    // what falls out on the way: below the place of each distance, for this one and those before it
    let bottom = |far: u32| (-places.by(far)).clamp(0, product.width() as i32) as u32;
    let mut rest = product.zeros(1);
    for far in (first..=last).rev() {
        let (from, to) = (if far == last { 0 } else { bottom(far + 1) }, bottom(far));
        if from < to {
            let up_to: Vec<_> = (first..=last).map(|x| (x % (1 << bits), m.lit(u32::from(x <= far), 1))).collect();
            rest = rest | (product.bits(to - 1, from).any() & pick(choice, &up_to));
        }
    }
    let mut fine = amount.trunc(low);
    for level in (0..low).rev() {
        let (bit, by) = (fine.bit(level), 1 << level);
        rest = rest | (!bit & moving.trunc(by).any());
        moving = bit.mux(moving.trunc(moving.width() - by), moving.drop_low(by));
        if level == low - 1 {
            (moving, rest, fine) = s.cut(1, (moving, rest, fine));
        }
    }
    (moving, rest)
}
