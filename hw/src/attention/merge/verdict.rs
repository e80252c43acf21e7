//! How a merging ends. Built into the module that calls.

use super::types::*;
use hdl::*;

/// What may be wrong, and where. Of wrong parts the first one counts; what is found behind them, in place of them.
#[derive(Clone, Copy)]
pub(super) struct Findings {
    /// A part comes whose largest score or sum is not legal.
    pub(super) wrong_part: Signal,
    /// Its number.
    pub(super) part: Signal,
    /// There is no room for a part.
    pub(super) many: Signal,
    /// The last word comes too early.
    pub(super) short: Signal,
    /// Words go on.
    pub(super) long: Signal,
    /// The part and the number of the word that comes.
    pub(super) word: [Signal; 2],
}

/// Keeps what is wrong until `over`.
#[module]
pub(super) fn verdict(m: Module, x: Findings, over: Signal, p: MergeParams) -> MergeReport {
    m.section("how it ends");
    let outcome = m.state(MergeOutcome::Okay);
    let part = m.reg_reset(bits(p.place_bits()), 0).comment("the part that is wrong, or whose words are");
    let word = m.reg_reset(bits(p.word_bits()), 0).comment("the word that is");
    let place = |part: Signal| part.zext(p.place_bits());
    m.when(x.wrong_part & outcome.is(MergeOutcome::Okay), || {
        outcome.set(MergeOutcome::Part);
        part.set(place(x.part));
    });
    m.when(x.many, || {
        outcome.set(MergeOutcome::ManyParts);
        part.set(p.parts);
    });
    let [of, number] = x.word;
    m.when(x.short, || {
        outcome.set(MergeOutcome::Short);
        part.set(place(of));
        word.set(number);
    });
    m.when(x.long, || {
        outcome.set(MergeOutcome::Long);
        part.set(place(of) + 1);
    });
    m.when(over, || {
        outcome.set(MergeOutcome::Okay);
        part.set(0);
        word.set(0);
    });
    MergeReport { outcome, part, word }
}
