//! Merges partial results of attention to one: several heads attend to parts of the tokens of one query (docs/vq-format.md, section 7, merging).
//!
//! | port | |
//! | --- | --- |
//! | `parts` | of each part the largest score and the sum of its softmax, with `last` at the last part; `parts_ready` is a register |
//! | `words` | behind the last part: the vectors of all parts in the same order, one behind the other, with `last` at the last word of all; `words_ready` is made of registers |
//! | `merged` | the result, with `last` at its last word; from registers over a memory |
//! | `report` | how it ended: behind the last word of the result, or alone if there is none. From registers |
//!
//! - Parameters: those of [`MergeParams`].
//! - Throughput: a part a cycle; [`latency`] and two cycles a part later a word a cycle; [`result_latency`] later a word of the result a cycle, and the report.
//!   The parts of the next query are taken when the report was.
//! - Words that are too few or too many, and those of too many parts, are taken up to `last`: there is no result then, and the next query is not touched by it.
//! - Combinational paths: none.

mod shares;
mod sums;
mod types;
mod verdict;

pub use self::types::*;

use self::shares::{Places, Shares, shares};
use self::sums::{Item, sums};
use self::verdict::{Findings, verdict};
use hdl::*;

/// Merges partial results.
#[module]
pub fn merge(p: MergeParams) -> Result<Design<MergePorts>, Errors> {
    let MergeParams { parts, numbers, lanes } = p;
    let name = format!("attention_merge_{parts}x{numbers}_p{lanes}");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Merges partial results of attention: weights from largest scores and sums, the weighted sum of vectors.");
    let io = MergePorts::new(m, p);
    let phase = m.state(Phase::Take);
    let over = io.report.transfer();

    m.section("parts come");
    io.parts.ready.set(phase.is(Phase::Take));
    let [from, to, end] = ["the part that is read", "the part that is written", "the last part"]
        .map(|what| m.reg_reset(bits(p.part_bits()), 0).comment(what));
    let full = m.reg_reset(bits(1), 0).comment("there is room for no more parts");
    let (comes, part) = (io.parts.transfer(), io.parts.payload);
    let (kept, complete) = (comes & !full, comes & part.last);
    let ends = from.eq(end);
    let (bad, failed) = (m.wire(bits(1)), m.wire(bits(1)));
    let made = shares(m, phase, (Places { kept, from, to, ends }, part), (over, bad), p)?;
    m.when(kept, || end.set(to));
    m.when(kept | made.comes, || to.set(to + 1));
    m.when(complete | made.last, || to.set(0));
    m.when(kept & to.eq(parts - 1), || full.set(1));
    m.when(over, || full.set(0));

    m.section("words come, and the result goes");
    let number = m.reg_reset(bits(p.word_bits()), 0).comment("the number of the word in its vector");
    let (adds, gives) = (phase.is(Phase::Words), phase.is(Phase::Give));
    io.words.ready.set(adds | phase.is(Phase::Drop));
    let MergeWord { numbers, last } = io.words.payload;
    let taken = io.words.transfer() & adds;
    let ends_vector = number.eq(p.words() - 1);
    let item = Item { comes: taken, number, numbers, weight: made.weight, first: !from.any() };
    let result = sums(m, item, gives, p)?;
    io.merged.valid.set(gives);
    io.merged.payload.set(MergeWord { numbers: result, last: ends_vector });
    m.when(taken | io.merged.transfer(), || number.set(ends_vector.mux(number.zeros(number.width()), number + 1)));
    let reads = phase.is(Phase::Terms) | phase.is(Phase::Weigh) | (taken & ends_vector);
    m.when(reads, || from.set(ends.mux(from.zeros(from.width()), from + 1)));
    m.when(over, || {
        number.set(0);
        from.set(0);
    });

    let whole = ends_vector & ends;
    let [short, long] = [taken & last & !whole, taken & !last & whole];
    let wrong_part = is_wrong(part) & kept;
    let findings = Findings { wrong_part, part: to, many: comes & full, short, long, word: [from, number] };
    let report = verdict(m, findings, over, p);
    bad.set(report.outcome.is(MergeOutcome::Part));
    failed.set(!bad & !report.outcome.is(MergeOutcome::Okay));
    io.report.valid.set(phase.is(Phase::Report));
    io.report.payload.set(report);

    let steps = Steps { over, complete, full, ends, taken, long, ends_vector, failed };
    follow(m, &io, phase, (steps, made), p);
    m.finish(io)
}

/// What moves a query on.
#[derive(Clone, Copy)]
struct Steps {
    /// The report is taken.
    over: Signal,
    /// The last part comes.
    complete: Signal,
    /// There is room for no more parts.
    full: Signal,
    /// The part that is read is the last one.
    ends: Signal,
    /// A word is added.
    taken: Signal,
    /// It is not the last one, but should be.
    long: Signal,
    /// The word is the last one of its vector.
    ends_vector: Signal,
    /// There is no result.
    failed: Signal,
}

/// Goes from phase to phase.
#[module]
fn follow(m: Module, io: &MergePorts, phase: StateSignal<Phase>, (steps, made): (Steps, Shares), p: MergeParams) {
    m.section("from phase to phase");
    let Steps { over, complete, full, ends, taken, long, ends_vector, failed } = steps;
    let last = io.words.payload.last;
    let longest = p.sum().inverse_latency().max(SUMMED);
    let wait = m.reg_reset(bits(clog2(longest as usize)), 0).comment("cycles of this phase");
    let waits = phase.is(Phase::Invert) | phase.is(Phase::Drain);
    m.when(waits, || wait.set(wait + 1)).otherwise(|| wait.set(0));
    let goes = |when: Signal, next: Phase| m.when(when, || phase.set(next));
    m.switch(phase, |s| {
        s.case(Phase::Take, || {
            goes(complete, Phase::Settle);
            goes(complete & full, Phase::Drop);
        });
        s.case(Phase::Settle, || phase.set(Phase::Terms));
        s.case(Phase::Terms, || goes(ends, Phase::Fill));
        s.case(Phase::Fill, || goes(made.summed, Phase::Invert));
        s.case(Phase::Invert, || goes(wait.eq(p.sum().inverse_latency() - 1), Phase::Weigh));
        s.case(Phase::Weigh, || goes(ends, Phase::Finish));
        s.case(Phase::Finish, || goes(made.last, Phase::Words));
        s.case(Phase::Words, || {
            goes(taken & last, Phase::Drain);
            goes(long, Phase::Drop);
        });
        s.case(Phase::Drop, || goes(io.words.transfer() & last, Phase::Drain));
        s.case(Phase::Drain, || {
            goes(wait.eq(SUMMED - 1), Phase::Give);
            goes(wait.eq(SUMMED - 1) & failed, Phase::Report);
        });
        s.case(Phase::Give, || goes(io.merged.transfer() & ends_vector, Phase::Report));
        s.case(Phase::Report, || goes(over, Phase::Take));
    });
}

/// A part whose largest score is infinite or NaN, or whose sum is not from 1 to below 2^14.
#[module]
fn is_wrong(part: Part) -> Signal {
    let exp = part.sum.bits(14, 10);
    part.largest.bits(14, 10).all() | part.sum.msb() | exp.lt(15) | exp.gt(28)
}

#[cfg(test)]
mod tests;
