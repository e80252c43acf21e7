//! Weights of the parts, from their largest scores and sums. Built into the module that calls.
//!
//! Both passes go through one multiplier; the second one begins behind the exponentials, which only the first one needs.

use super::super::exact_sum::Sum;
use super::super::largest::minus_largest;
use super::types::*;
use crate::attention::softmax::SEGMENTS;
use crate::float::add::{self, add};
use crate::float::beside::{of_one, of_two};
use crate::float::exponential::{self, exponential};
use crate::float::format::{BINARY16, Subnormals};
use crate::float::multiply::{self, multiply};
use hdl::*;

/// A part that comes, and where parts are read and written.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// A part comes, and there is room for it.
    pub(super) kept: Signal,
    /// The part that is read.
    pub(super) from: Signal,
    /// The part that is written.
    pub(super) to: Signal,
    /// It is the last one that is read.
    pub(super) ends: Signal,
}

/// Weights.
#[derive(Clone, Copy)]
pub(super) struct Shares {
    /// One is made, in one of both passes.
    pub(super) comes: Signal,
    /// It is the last part's.
    pub(super) last: Signal,
    /// All are added up, in the first pass.
    pub(super) summed: Signal,
    /// That of the part that is read.
    pub(super) weight: Signal,
}

/// Two passes over one memory: first each part's sum times its exponential is written, and added up; then it is multiplied with the reciprocal of the sum.
/// `over` forgets the parts, and `bad` makes all weights NaN.
#[module]
pub(super) fn shares(
    m: Module,
    phase: StateSignal<Phase>,
    (at, part): (Places, Part),
    (over, bad): (Signal, Signal),
    p: MergeParams,
) -> Result<Shares, Errors> {
    m.section("weights of the parts");
    let (_, minus) = minus_largest(m, at.kept, part.largest, over);
    let parts = m.memory(bits(32), p.parts as usize).style(RamStyle::Distributed);
    parts.write(at.to, part.sum.cat(part.largest), at.kept);
    let shares = m.memory(bits(16), p.parts as usize).style(RamStyle::Distributed);
    let weight = shares.read(at.from);

    let [terms, weighs] = [Phase::Terms, Phase::Weigh].map(|pass| phase.is(pass));
    let second = weighs | phase.is(Phase::Finish);
    let factor = m.wire(bits(16));
    let pass = m.pipeline("pass");
    let word = pass.enter(parts.read(at.from)).next();
    let exponential = exponential_of(m, word.trunc(16), pass.constant(minus))?;
    let sum = word.drop_low(16).meet(exponential);
    // the sum is from 1 to below 2^14: an eighth of it is a normal number
    let eighth = sum.msb().cat(sum.bits(14, 10) - 3).cat(sum.trunc(10));
    let share = pass.enter_at(POWER - 1, weight).next();
    let is_second = pass.constant(second);
    let product = m.instance(&multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?);
    of_two(m, &product, is_second.mux(share, eighth), is_second.mux(pass.constant(factor), exponential));
    let first_pass = [terms, terms & at.ends].map(|valid| pass.enter_valid(valid).meet(exponential));
    let second_pass = [weighs, weighs & at.ends].map(|valid| pass.valid(pass.enter_at(POWER - 1, valid)).next());
    let [comes, last] = [0, 1].map(|i| pass.leave(pass.valid(first_pass[i] | second_pass[i]).meet(product.y)));
    let made = pass.leave(product.y);
    shares.write(at.to, made, comes);

    let sum = Sum::new(m, phase.is(Phase::Take), comes & !second, made, p.sum());
    factor.set(sum.inverse(m, phase.is(Phase::Invert), bad)?.reciprocal);
    let summed = m.reg_reset(bits(1), 0).comment("all are added up");
    summed.set(last & !second);
    Ok(Shares { comes, last, summed, weight })
}

/// The exponential of what a score is less than the largest one.
#[module]
fn exponential_of(m: Module, score: Signal, minus: Signal) -> Result<Signal, Errors> {
    let difference = m.instance(&add(BINARY16, Subnormals::Keep, add::NATURAL)?);
    of_two(m, &difference, score, minus);
    let power = m.instance(&exponential(BINARY16, Subnormals::Keep, SEGMENTS, exponential::NATURAL)?);
    Ok(of_one(m, &power, difference.y))
}
