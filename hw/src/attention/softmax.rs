//! Weights of a softmax over the scores of one query, in binary16 (docs/vq-format.md, section 7).
//!
//! | port | |
//! | --- | --- |
//! | `scores` | the scores of a query's tokens in their order, with `last` at the last one; `scores_ready` is a register |
//! | `forget` | in a cycle in which `scores_ready` is 1: the scores that came are forgotten, with one that comes in this cycle; it is as after a reset. Else nothing |
//! | `weights` | their weights in the same order, with `last` at the last one; from registers over the memory of a FIFO |
//! | `nonfinite` | a score of the query whose weights come was NaN or +infinity, or all were -infinity: all its weights are NaN. A register; stands from the first weight until the last one was taken |
//! | `statistics` | with that parameter: the largest score of the query and the sum of its exponentials in binary16; both are NaN with `nonfinite`. Made of registers; stands as `nonfinite` does |
//!
//! - Parameters: `statistics`; `tokens`, the most scores of a query, a power of two from 8 to 8192. Of a query with more, the scores behind are taken up to `last`, and it
//!   is as if they were not there: `tokens` weights come.
//! - Throughput: a score a cycle, then a cycle for each score and [`latency`] more, then a weight a cycle. A query's scores are taken when the last
//!   weight of the one before was taken.
//! - Combinational paths: none.
//!
//! Three passes over one memory. While scores come, they are stored and the largest is kept; then each is replaced by its exponential, and these are added up
//! without rounding; then each is multiplied with the reciprocal of the sum.

mod types;

pub use self::types::*;

use super::exact_sum::{Inverse, Sum};
use super::largest::{Largest, largest};
use crate::float::add::{self, add};
use crate::float::beside::{of_one, of_two};
use crate::float::exponential::{self, exponential};
use crate::float::format::{BINARY16, Subnormals};
use crate::float::multiply::{self, multiply};
use crate::stream::fifo::{Style, fifo_after};
use hdl::logic::UpDown;
use hdl::*;

/// A softmax.
#[module]
pub fn softmax(p: SoftmaxParams) -> Result<Design<SoftmaxPorts>, Errors> {
    let name = format!("softmax_{}{}", p.tokens, if p.statistics { "_statistics" } else { "" });
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Weights of a softmax over the scores of one query: the largest score, exponentials and their sum, weights.");
    let io = SoftmaxPorts::new(m, p);
    let phase = m.state(Phase::Take);

    m.section("scores come");
    let takes = phase.is(Phase::Take);
    io.scores.ready.set(takes);
    let leaves = io.weights.transfer();
    let forgotten = (takes & io.forget) | (leaves & io.weights.payload.last);
    let full = m.reg_reset(bits(1), 0).comment("more scores than there is room for");
    let kept = io.scores.transfer() & !full;
    let complete = io.scores.transfer() & io.scores.payload.last;
    let largest = largest(m, kept & !io.forget, io.scores.payload.score, forgotten);

    m.section("the memory: scores, then their exponentials");
    let [from, to, end] = ["the word that is read", "the word that is written", "the last word of the query"]
        .map(|what| m.reg_reset(bits(p.token_bits()), 0).comment(what));
    let ends = from.eq(end);
    let words = m.memory(bits(16), p.tokens as usize).style(RamStyle::Block);
    words.attribute("no_rw_check", ""); // an exponential is written long after its score was read
    let word = m.reg(bits(16));
    word.set(words.read_sync(from));

    m.section("exponentials of what is less than the largest score, or it");
    let made = exponentials(m, phase.is(Phase::Exponentials), word, largest.minus, ends)?;
    let writes = m.reg_reset(bits(1), 0);
    let (place, data) = (m.reg(bits(p.token_bits())), m.reg(bits(16)));
    writes.set(kept | made.comes);
    place.set(to);
    data.set(takes.mux(io.scores.payload.score, made.exponential));
    words.write(place, data, writes);
    m.when(kept | made.comes, || to.set(to + 1));
    m.when(kept & to.all(), || full.set(1));
    m.when(kept, || end.set(to));
    m.when(complete | made.last | forgotten, || to.set(0));
    m.when(complete | forgotten, || full.set(0));

    m.section("their sum, and its reciprocal");
    let sum = Sum::new(m, takes, made.comes, made.exponential, p.sum());
    let inverse = sum.inverse(m, phase.is(Phase::Invert), largest.nonfinite)?;
    let wait = waited(m, phase, p);

    m.section("weights");
    let under_way = UpDown::new(m, QUEUE);
    let weighs = phase.is(Phase::Weigh) & !under_way.is_full();
    under_way.count(weighs, leaves);
    let into = weights(m, weighs, word, inverse.reciprocal, ends)?;
    m.assert(!into.valid | into.ready, "the FIFO has room for the weights that are under way");
    io.weights.set(fifo_after(m, into, QUEUE as usize, Style::Distributed)?);
    io.nonfinite.set(largest.nonfinite);
    tell_statistics(m, &io, largest, inverse);

    let steps = Steps { complete, ends, weighs, forgotten, wait };
    follow(m, &io, (phase, from), (steps, made), p);
    m.finish(io)
}

/// Cycles of the phase in which the sum is inverted.
#[module]
fn waited(m: Module, phase: StateSignal<Phase>, p: SoftmaxParams) -> Signal {
    let wait =
        m.reg_reset(bits(clog2(p.sum().inverse_latency() as usize + 2)), 0).comment("cycles since the sum was there");
    m.when(phase.is(Phase::Invert), || wait.set(wait + 1)).otherwise(|| wait.set(0));
    wait
}

/// Tells the largest score, from what is added to all of them instead, and the sum, if they are asked for.
#[module]
fn tell_statistics(m: Module, io: &SoftmaxPorts, largest: Largest, inverse: Inverse) {
    let Some(statistics) = io.statistics else { return };
    let score = (!largest.minus.msb()).cat(largest.minus.trunc(15));
    let largest = largest.nonfinite.mux(m.lit(0x7e00u32, 16), score);
    statistics.set(SoftmaxStatistics { largest, sum: inverse.sum });
}

/// What moves a query on.
#[derive(Clone, Copy)]
struct Steps {
    /// The last score comes.
    complete: Signal,
    /// The word that is read is the last one.
    ends: Signal,
    /// A weight is made.
    weighs: Signal,
    /// The scores are forgotten, or the last weight is taken.
    forgotten: Signal,
    /// Cycles in which the sum was inverted.
    wait: Signal,
}

/// Goes from pass to pass, and in each from word to word.
#[module]
fn follow(
    m: Module,
    io: &SoftmaxPorts,
    (phase, from): (StateSignal<Phase>, Signal),
    (steps, made): (Steps, Made),
    p: SoftmaxParams,
) {
    m.section("from pass to pass");
    let Steps { complete, ends, weighs, forgotten, wait } = steps;
    m.when(phase.is(Phase::Exponentials) | weighs, || from.set(ends.mux(from.zeros(p.token_bits()), from + 1)));
    let summed = m.reg_reset(bits(1), 0);
    summed.set(made.last);
    m.switch(phase, |s| {
        s.case(Phase::Take, || m.when(complete & !io.forget, || phase.set(Phase::Settle)));
        s.case(Phase::Settle, || phase.set(Phase::Exponentials));
        s.case(Phase::Exponentials, || m.when(ends, || phase.set(Phase::Fill)));
        s.case(Phase::Fill, || m.when(summed, || phase.set(Phase::Invert)));
        s.case(Phase::Invert, || m.when(wait.eq(p.sum().inverse_latency() - 1), || phase.set(Phase::Weigh)));
        s.case(Phase::Weigh, || m.when(weighs & ends, || phase.set(Phase::Finish)));
        s.case(Phase::Finish, || m.when(forgotten, || phase.set(Phase::Take)));
    });
}

/// An exponential of the second pass.
#[derive(Clone, Copy)]
struct Made {
    comes: Signal,
    exponential: Signal,
    last: Signal,
}

/// Exponentials of the words, which come [`READ`] cycles after they are asked for.
#[module]
fn exponentials(m: Module, reads: Signal, word: Signal, minus: Signal, last: Signal) -> Result<Made, Errors> {
    let p = m.pipeline("exponentials");
    let (comes, last) = (p.enter_valid(reads), p.enter_valid(reads & last));
    let word = p.enter_at(READ, word);
    let difference = m.instance(&add(BINARY16, Subnormals::Keep, add::NATURAL)?);
    of_two(m, &difference, word, p.constant(minus));
    let power = m.instance(&exponential(BINARY16, Subnormals::Keep, SEGMENTS, exponential::NATURAL)?);
    of_one(m, &power, difference.y);
    let (comes, last) = (comes.meet(power.y), last.meet(power.y));
    Ok(Made { comes: p.leave(comes), exponential: p.leave(power.y), last: p.leave(last) })
}

/// Weights: the words, which come [`READ`] cycles after they are asked for, times a factor.
#[module]
fn weights(
    m: Module,
    reads: Signal,
    word: Signal,
    factor: Signal,
    last: Signal,
) -> Result<Stream<SoftmaxWeight>, Errors> {
    let p = m.pipeline("weights");
    let (comes, last) = (p.enter_valid(reads), p.enter(last));
    let product = m.instance(&multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?);
    of_two(m, &product, p.enter_at(READ, word), p.constant(factor));
    let (comes, last) = (comes.meet(product.y), last.meet(product.y));
    let into = m.wire(stream(weight_shape()));
    into.valid.set(p.leave(comes));
    into.payload.set(p.leave(SoftmaxWeight { weight: product.y, last }));
    Ok(into)
}

#[cfg(test)]
mod tests;
