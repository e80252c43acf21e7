//! Sums of terms that come one after the other, in the order of `tree` (docs/vq-format.md, section 6), with one adder for each sum that is made.
//!
//! | port | |
//! | --- | --- |
//! | `clear` | a sum that is not complete is forgotten; its last term came [`latency`] cycles before, or more |
//! | `comes`, `x` | terms, one of each sum; any cycle |
//! | `done`, `y` | the sums of 2^`levels` terms; registers |
//!
//! - Parameters: `levels`, 1 to 12; `sums`, 1 to 16, which are made side by side of terms that come together.
//! - Throughput: a term a cycle, sum after sum. Latency: [`latency`] at most from the last term. No combinational paths.
//! - Fewer terms are filled up with -0, which changes nothing: `tree` lets a term without a neighbour go on as it is.
//!
//! Of 2^n terms, half of the cycles add two of them, the others have room for the half less one of the additions above. A sum of two waits in its
//! level for its neighbour; a pair waits in a queue for a cycle without new terms.

use super::join_pairs::{adder, sum_of};
use crate::float::add;
use crate::stream::fifo::{Style, fifo};
use hdl::*;

/// Pairs that wait at most.
const QUEUE: usize = 8;

/// Cycles from the last term to the sum, at most.
pub const fn latency(levels: u32) -> u32 {
    // the adder, the level or the queue, and a wait for others at each level
    levels * (add::NATURAL + 3) + QUEUE as u32
}

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
    let queue = m.instance(&fifo(pushed.total_width(), QUEUE, Style::Distributed)?);
    queue.s.valid.set(push);
    queue.s.payload.set(pushed.pack());
    queue.level.unused();
    m.assert(!push | queue.s.ready, "the queue has room for a pair");
    queue.m.ready.set(!two_terms);
    let waiting = pushed.shape().unpack(queue.m.payload);
    let new = Pair { level: m.lit(0u32, level_bits), first: held, second: io.x };
    let adds = m.pipeline("adder");
    let valid = adds.enter_valid(two_terms | queue.m.valid);
    let pair = adds.enter(two_terms.mux(new, waiting));
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
