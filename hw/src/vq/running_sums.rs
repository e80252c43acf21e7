//! Sums of terms that come one after the other, in the order of `tree` (docs/vq-format.md, section 6), with one adder for each sum that is made.
//!
//! | port | |
//! | --- | --- |
//! | `clear` | a sum that is not complete is forgotten; its last term came [`latency`] cycles before, or more |
//! | `comes`, `x` | terms, one of each sum; any cycle |
//! | `done`, `y` | the sums of 2^`levels` terms; registers |
//!
//! - Parameters: `levels`, 1 to 12; `sums`, 1 to 16, which are made side by side of terms that come together.
//! - Throughput: a term a cycle, sum after sum. Latency: [`latency`] at most from the last term, if none follows it in that time; terms of further
//!   sums go first, and hold it up. No combinational paths.
//! - Fewer terms are filled up with -0, which changes nothing: `tree` lets a term without a neighbour go on as it is.
//!
//! Of 2^n terms, half of the cycles add two of them, the others have room for the half less one of the additions above. A sum of two waits in its
//! level for its neighbour; a pair waits in a queue for a cycle without new terms.

use super::join_pairs::{adder, sum_of};
use crate::float::add;
use crate::stream::fifo::{Style, fifo};
use hdl::*;

/// Room for pairs: half of `levels` and one, those that wait with one that comes; a power of two.
///
/// Let the queue be empty at first, and not again in the w cycles that follow; then a pair may come. At most half of the w cycles before, rounded
/// down, have new terms to add, and in the others, but for the first one, a pair leaves: w/2 - 1 at least. In the w + 1 cycles no more sums than that
/// come out of the adder. Two of a level make a pair, and in each of the `levels` - 1 levels that make pairs one more sum may have waited: that gives
/// (w + `levels`)/2 pairs at most. The difference is what there must be room for. How long an addition takes does not matter.
const fn queue(levels: u32) -> usize {
    let most = levels as usize / 2 + 1;
    if most < 2 { 2 } else { most.next_power_of_two() }
}

/// Cycles from the last term to the sum, at most, if no further term comes.
///
/// From level to level a sum takes an addition and the queue's cycle. It waits for no more than the other additions that are left, each of which makes
/// one number of two: at the last term these are those of the queue, two more than `levels` at most, the first ones of a pair, one for a level, and
/// those on their way, as many as an addition has cycles. Its own additions take `levels` - 1 of them. That gives 3 cycles less.
pub const fn latency(levels: u32) -> u32 {
    levels * (ADDITION + 2) + 8
}

/// Cycles from a pair to its sum: a register, so that the choice of a pair and its order of magnitude have a cycle each, and the adder.
const ADDITION: u32 = 1 + add::NATURAL;

/// The parameters of running sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumsParams {
    /// log2 of the terms of a sum.
    pub levels: u32,
    /// Sums side by side.
    pub sums: u32,
}

ports! {
    /// Ports of running sums.
    pub struct RunningSumsPorts(p: SumsParams) {
        /// Forget what is under way.
        input clear: Signal = bits(1),
        /// Terms come.
        input comes: Signal = bits(1),
        /// Terms.
        input x: Vector<Signal> = vector(bits(16), p.sums as usize),
        /// Sums are there.
        output done: Signal = bits(1),
        /// Sums.
        output y: Vector<Signal> = vector(bits(16), p.sums as usize),
    }
}

/// Two numbers of a level that are to be added.
#[derive(Clone, Copy, Bundle)]
struct Pair {
    level: Signal,
    first: Vector<Signal>,
    second: Vector<Signal>,
}

/// Running sums.
#[module]
pub fn running_sums(p: SumsParams) -> Result<Design<RunningSumsPorts>, Errors> {
    let SumsParams { levels, sums } = p;
    let name = format!("running_sums_{levels}_{sums}");
    if !(1..=12).contains(&levels) || !(1..=16).contains(&sums) {
        let help = "1 to 12 levels, and 1 to 16 sums: books have up to 4,096 entries of 16 numbers";
        return Err(Errors::parameter(&name, format!("{levels} levels and {sums} sums"), help));
    }
    let m = Module::new(name);
    m.doc("Sums of terms that come one after the other, neighbours first, with one adder for each.");
    let io = RunningSumsPorts::new(m, p);
    let numbers = vector(bits(16), sums as usize);
    let level_bits = clog2(levels as usize + 1);

    m.section("terms are added to their neighbours");
    let odd = m.reg_reset(bits(1), 0).comment("the first one of two is there");
    let held = m.reg(numbers);
    m.when(io.comes, || odd.set(!odd));
    m.when(io.comes & !odd, || held.set(io.x));
    m.when(io.clear, || odd.set(0));
    let two_terms = io.comes & odd;

    m.section("one addition a cycle: of new terms, or of a pair that waits");
    let (pushed, push) = (m.wire(Pair { level: bits(level_bits), first: numbers, second: numbers }), m.wire(bits(1)));
    let queue = m.instance(&fifo(pushed.total_width(), queue(levels), Style::Distributed)?);
    queue.s.valid.set(push);
    queue.s.payload.set(pushed.pack());
    queue.level.unused();
    m.assert(!push | queue.s.ready, "the queue has room for a pair");
    queue.m.ready.set(!two_terms);
    let waiting = pushed.shape().unpack(queue.m.payload);
    let new = Pair { level: m.lit(0u32, level_bits), first: held, second: io.x };
    let adds = m.pipeline("adder");
    let valid = adds.enter_valid(two_terms | queue.m.valid).next();
    let pair = adds.enter(two_terms.mux(new, waiting)).next();
    let unit = adder()?;
    let sum: Vec<Signal> = pair.first.into_iter().zip(pair.second).map(|(a, b)| sum_of(m, &unit, a, b)).collect();
    let (valid, level) = (valid.meet(sum[0]), (pair.level + 1).meet(sum[0]));
    let (valid, level, sum) = adds.leave((valid, level, Vector::of(sum)));

    m.section("a sum is whole, or waits for its neighbour, or finds it");
    let whole = valid & level.eq(levels);
    io.done.set(whole);
    io.y.set(sum);
    let neighbours = m.memory(numbers, 1 << level_bits).style(RamStyle::Distributed);
    let there = m.reg_reset(bits(1 << level_bits), 0).comment("a sum of the level waits");
    let finds = there.part(level, 1);
    neighbours.write(level, sum, valid & !finds);
    push.set(valid & !whole & finds);
    pushed.set(Pair { level, first: neighbours.read(level), second: sum });
    m.when(valid & !whole, || {
        for i in 0..1u32 << level_bits {
            m.when(level.eq(i), || there.bit(i).set(!finds));
        }
    });
    m.when(io.clear, || there.set(0));
    m.finish(io)
}

#[cfg(test)]
mod tests;
