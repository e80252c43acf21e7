//! Every assignment has an effect: none is followed by others that always apply and assign all of its bits again.
//!
//! A default before a `when` or `switch` is no mistake, also where every path overrides it.

use super::ready::is_ready;
use crate::ir::fold::ones;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

pub(super) fn check(b: &mut Draft) {
    if b.unchecked_effects {
        return;
    }
    let chosen = &b.index_conditions;
    let mut walk = Walk {
        def: &b.def,
        chosen,
        later: HashMap::default(),
        changed: vec![],
        options: HashMap::default(),
        found: vec![],
    };
    walk.block(&b.def.stmts);
    let Walk { options, mut found, .. } = walk;
    // an element that a signal chooses: one of those that it may be is left
    found.retain(|lost| options.get(&lost.at).is_none_or(|(all, lost)| all == lost));
    found.reverse();
    // one for a bundle
    found.dedup_by(|next, first| (next.at, &next.again) == (first.at, &first.again));
    for Lost { target, bits, at, again } in found {
        if let Some(begins) = pipeline_that_begins(b, target) {
            assigned_by_pipeline(b, target, begins, at);
            continue;
        }
        let bits = bits.map(
            |(high, low)| if high == low { format!("bit {low} of ") } else { format!("bits {high} to {low} of ") },
        );
        let message =
            format!("the assignment of {}{} never has an effect", bits.unwrap_or_default(), b.describe(target));
        let notes = again.into_iter().map(|loc| (loc, "it is assigned again here, whatever the conditions")).collect();
        let help = match is_ready(b, target) {
            true => {
                "a stream has one consumer: copy it with `fork`, or give each item to one of several with `demultiplexer`"
            }
            false => "leave one of them out, or put the later one under a `when`",
        };
        b.error(at, message, notes, Some(help.into()));
    }
}

/// The pipeline that assigns this as `ready` of the stream with which it begins.
fn pipeline_that_begins(b: &Draft, ready: Id) -> Option<u32> {
    let begins = |p: &PipeData| matches!(&p.advance, Advance::Stream(elastic) if elastic.ready == ready);
    b.staging.pipes.iter().position(begins).map(|pipe| pipe as u32)
}

fn assigned_by_pipeline(b: &mut Draft, ready: Id, pipe: u32, at: Loc) {
    let PipeData { name, loc, .. } = &b.staging.pipes[pipe as usize];
    let message = format!("{} is assigned, and pipeline `{name}` begins with its stream", b.describe(ready));
    let (help, notes) =
        ("leave it out: the pipeline says when it takes an item", vec![(*loc, "the pipeline begins here")]);
    b.error(at, message, notes, Some(help.into()));
}

/// An assignment without effect.
struct Lost {
    target: Id,
    /// Highest and lowest bit, if it is a part.
    bits: Option<(u32, u32)>,
    at: Loc,
    /// Where its bits are assigned again.
    again: Vec<Loc>,
}

/// The bits of a net that later statements assign in any case, and the places of those.
#[derive(Clone, Default)]
struct Later {
    bits: BigUint,
    places: Vec<(BigUint, Loc)>,
}

/// From the last statement to the first.
struct Walk<'a> {
    def: &'a Def,
    /// The conditions under which an index names an element.
    chosen: &'a HashSet<Id>,
    later: HashMap<Id, Later>,
    /// What statements of open blocks added to `later`: it is taken back at the end of the block.
    changed: Vec<(Id, BigUint)>,
    /// For each place where an element that a signal chooses is assigned: elements, and those where that is lost.
    options: HashMap<Loc, (usize, usize)>,
    found: Vec<Lost>,
}

impl Walk<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block.iter().rev() {
            match stmt {
                Stmt::Set { target, place, value, loc, .. } => self.set(*target, *place, *value, loc),
                Stmt::If { cond, then, otherwise } => {
                    self.nested(otherwise);
                    let before = self.found.len();
                    self.nested(then);
                    if let ([Stmt::Set { loc, .. }, ..], true) = (&then[..], self.chosen.contains(cond)) {
                        let (all, lost) = self.options.entry(loc).or_default();
                        (*all, *lost) = (*all + 1, *lost + usize::from(self.found.len() > before));
                    }
                }
                Stmt::Case { arms, default, .. } => {
                    default.iter().for_each(|block| self.nested(block));
                    arms.iter().rev().for_each(|(_, block)| self.nested(block));
                }
            }
        }
    }
    fn nested(&mut self, block: &[Stmt]) {
        let start = self.changed.len();
        self.block(block);
        for (target, before) in self.changed.drain(start..).rev() {
            if let Some(later) = self.later.get_mut(&target) {
                later.bits = before;
                later.places.pop();
            }
        }
    }
    fn set(&mut self, target: Id, place: Place, value: Id, at: Loc) {
        let (width, part) = (self.def.nodes[target as usize].width, self.def.nodes[value as usize].width);
        let bits = match place {
            Place::At(low) => ones(part) << low,
            Place::Whole | Place::AtSignal(_) => ones(width),
        };
        let later = self.later.entry(target).or_default();
        if &later.bits & &bits == bits {
            let again = later.places.iter().rev().filter(|(place, _)| place & &bits != BigUint::ZERO);
            let again = again.map(|(_, loc)| *loc).take(3).collect();
            let part = match place {
                Place::At(low) => Some((low + part - 1, low)),
                Place::Whole | Place::AtSignal(_) => None,
            };
            return self.found.push(Lost { target, bits: part, at, again });
        }
        if !matches!(place, Place::AtSignal(_)) {
            self.changed.push((target, later.bits.clone()));
            later.bits |= &bits;
            later.places.push((bits, at));
        }
    }
}
