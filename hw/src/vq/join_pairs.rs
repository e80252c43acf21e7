//! Sums of several beats in the order of `tree` (docs/vq-format.md, section 6). Built into the module that calls.

use crate::float::add::{self, BinaryPorts, add, add_but_last};
pub(super) use crate::float::beside::{NOTHING, sum_of};
use crate::float::format::{BINARY16, Subnormals};
use hdl::*;

/// Terms of a sum, one after the other.
#[derive(Clone, Copy, Debug, Bundle)]
pub(super) struct Term {
    /// There is one.
    pub comes: Signal,
    /// Its number in the sum.
    pub number: Signal,
    /// It is the last one.
    pub ends: Signal,
}

/// An adder of the units by table.
pub(super) fn adder() -> Result<Design<BinaryPorts>, Errors> {
    add(BINARY16, Subnormals::Keep, add::NATURAL)
}

/// The same without its last register.
pub(super) fn adder_but_last() -> Result<Design<BinaryPorts>, Errors> {
    add_but_last(BINARY16, Subnormals::Keep)
}

/// The sums of some vectors of up to 2^levels terms, as `tree` has them: neighbours first. An adder for each level; with the last term comes the sum.
/// What is known of a term comes a stage before its values, or earlier. The pipeline never stands still (it is one of
/// [`Module::pipeline`]): what leaves it comes in again at a later stage, in the same cycle, for the term that is there then.
///
/// # Panics
/// If a value is not of the pipeline, or comes as early as what is known of its term.
#[module]
pub(super) fn sums_of_terms(
    m: Module,
    p: Pipeline,
    term: Term,
    values: Vec<Signal>,
    levels: u32,
) -> Result<(Term, Vec<Signal>), Errors> {
    let unit = adder()?;
    let (mut term, mut values) = (term, values);
    for level in 0..levels {
        let [from, stage] = [term.comes, values[0]].map(|x| p.stage_of(x).expect("terms are of the pipeline"));
        assert!(from < stage, "what is known of a term comes a stage before its values");
        let ahead = term.later(stage - from - 1);
        term = ahead.next();
        // those before it in its part of the tree were there
        let whole = if level == 0 { m.lit(1u32, 1) } else { term.number.trunc(level).all() };
        let odd = term.number.bit(level);
        let even_follows = p.enter_at(stage, p.leave(ahead.comes & !ahead.number.bit(level)));
        let mut sums = vec![];
        for value in values {
            let held = p.state(m.reg(bits(value.width())), value);
            m.when(term.comes & whole & !odd, || held.set(value));
            // the last term may have no neighbour: a reset of flip-flops takes no choice between two numbers
            m.when(even_follows, || held.set(NOTHING));
            sums.push(sum_of(m, &unit, held, value));
        }
        values = sums;
    }
    term = term.meet(values[0]);
    Ok((term, values))
}
