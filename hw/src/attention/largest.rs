//! The largest score. Built into the module that calls.

use hdl::*;

/// What is known of the scores that came, three cycles after the last one.
#[derive(Clone, Copy)]
pub(super) struct Largest {
    /// The largest score with its sign inverted.
    pub(super) minus: Signal,
    /// One was NaN or +infinity, or all were -infinity.
    pub(super) nonfinite: Signal,
}

/// Keeps the largest score, and whether it is one.
#[module]
pub(super) fn largest(m: Module, comes: Signal, score: Signal, forgotten: Signal) -> Largest {
    let (there, minus) = minus_largest(m, comes, score, forgotten);
    let special = m.reg(bits(1)).comment("it is infinite or NaN");
    let bad = m.reg(bits(1)).comment("and not -infinity");
    let (top, broken) = (score.bits(14, 10).all(), score.trunc(10).any());
    special.set(top);
    bad.set(top & (broken | !score.msb()));
    let any_bad = m.reg_reset(bits(1), 0).comment("one was NaN or +infinity");
    let any_finite = m.reg_reset(bits(1), 0).comment("one was finite");
    m.when(there, || {
        any_bad.set(any_bad | bad);
        any_finite.set(any_finite | !special);
    });
    m.when(forgotten, || {
        any_bad.set(0);
        any_finite.set(0);
    });
    let nonfinite = m.reg_reset(bits(1), 0).comment("a score was NaN or +infinity, or all were -infinity");
    nonfinite.set(any_bad | !any_finite);
    Largest { minus, nonfinite }
}

/// Keeps the largest score; of NaN it means nothing. -0 is less than +0 here, which no difference to it shows but the sign of a zero. Gives that a score
/// came in the cycle before, and the largest one with its sign inverted, three cycles after the last one.
#[module]
pub(super) fn minus_largest(m: Module, comes: Signal, score: Signal, forgotten: Signal) -> (Signal, Signal) {
    let there = m.reg_reset(bits(1), 0).comment("a score came");
    let key = m.reg(bits(16)).comment("it, as an integer of the same order");
    there.set(comes);
    let negative = score.msb();
    key.set((!negative).cat(score.trunc(15) ^ negative.repeat(15)));
    let largest = m.reg_reset(bits(16), 0).comment("the largest one so far; 0 is less than all but one of the NaN");
    m.when(there & key.gt(largest), || largest.set(key));
    m.when(forgotten, || largest.set(0));
    let minus = m.reg(bits(16)).comment("what is added to each score");
    minus.set(largest.msb().cat(largest.trunc(15) ^ (!largest.msb()).repeat(15)));
    (there, minus)
}
