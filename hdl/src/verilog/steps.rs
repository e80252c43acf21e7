//! What one process does: the statements of the module, cut down to what the process assigns.

use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;

/// From this number of places on, a loop instead of a `case`.
const LOOP: usize = 9;

/// A statement of a process.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    Set {
        target: Id,
        place: Place,
        value: Id,
    },
    /// An assignment to one of several parts of a register, each with a condition of its own.
    Decoded {
        target: Id,
        to: Decoded,
        value: Id,
    },
    If {
        cond: Id,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    Case {
        selector: Id,
        arms: Vec<(Vec<Id>, Vec<Step>)>,
        default: Vec<Step>,
        /// The states that `default` is written for, for the reader.
        rest: Vec<Id>,
    },
}

/// The places of an assignment, which do not overlap.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What chooses, the high bits first.
    pub index: Vec<Id>,
    /// Width of the index.
    pub bits: u32,
    /// The lowest bit of the place for each value of the index from 0; there may be fewer than the index has values.
    pub places: Vec<u32>,
}

impl Decoded {
    /// How often the text mentions the value.
    pub fn mentions(&self) -> usize {
        if self.step().is_some() { 1 } else { self.places.len() }
    }
    /// The distance of the places, if they stand in a loop.
    pub fn step(&self) -> Option<u32> {
        let step = self.places.get(1)? - self.places[0];
        let even = self.places.windows(2).all(|pair| pair[1] - pair[0] == step);
        (self.places.len() >= LOOP && even).then_some(step)
    }
}

/// What these statements do to the targets: in their order and nested as they are, without assignments that a later one of the
/// whole target overwrites.
pub fn steps<'s>(block: impl DoubleEndedIterator<Item = &'s Stmt>, targets: &HashSet<Id>) -> Vec<Step> {
    cut(block, targets, &mut HashSet::default())
}

/// `done` are the targets that a later statement assigns wholly.
fn cut<'s>(
    block: impl DoubleEndedIterator<Item = &'s Stmt>,
    targets: &HashSet<Id>,
    done: &mut HashSet<Id>,
) -> Vec<Step> {
    let mut steps: Vec<Step> = block.rev().filter_map(|stmt| cut_one(stmt, targets, done)).collect();
    steps.reverse();
    steps
}

fn cut_one(stmt: &Stmt, targets: &HashSet<Id>, done: &mut HashSet<Id>) -> Option<Step> {
    let inner = |block: &[Stmt]| cut(block.iter(), targets, &mut done.clone());
    match stmt {
        Stmt::Set { target, place, value, .. } => {
            if !targets.contains(target) || done.contains(target) {
                return None;
            }
            if *place == Place::Whole {
                done.insert(*target);
            }
            Some(Step::Set { target: *target, place: *place, value: *value })
        }
        Stmt::If { cond, then, otherwise } => {
            let (then, otherwise) = (inner(then), inner(otherwise));
            let empty = then.is_empty() && otherwise.is_empty();
            (!empty).then_some(Step::If { cond: *cond, then, otherwise })
        }
        Stmt::Case { selector, arms, default, rest } => {
            let arms: Vec<_> = arms.iter().map(|(values, block)| (values.clone(), inner(block))).collect();
            let default = inner(default.as_deref().unwrap_or_default());
            let empty = arms.iter().all(|(_, block)| block.is_empty()) && default.is_empty();
            (!empty).then_some(Step::Case { selector: *selector, arms, default, rest: rest.clone() })
        }
    }
}

impl Step {
    /// The blocks below, in their order.
    fn blocks(&self) -> Vec<&[Step]> {
        match self {
            Step::Set { .. } | Step::Decoded { .. } => vec![],
            Step::If { then, otherwise, .. } => vec![then, otherwise],
            Step::Case { arms, default, .. } => {
                arms.iter().map(|(_, block)| block).chain([default]).map(|block| &block[..]).collect()
            }
        }
    }
    /// Calls `f` with every step, from the outside in.
    pub fn each<'s>(steps: &'s [Step], f: &mut impl FnMut(&'s Step)) {
        for step in steps {
            f(step);
            step.blocks().into_iter().for_each(|block| Step::each(block, f));
        }
    }
    /// What this step assigns, blocks aside.
    pub fn target(&self) -> Option<Id> {
        match self {
            Step::Set { target, .. } | Step::Decoded { target, .. } => Some(*target),
            Step::If { .. } | Step::Case { .. } => None,
        }
    }
    /// Does this step assign to `target` on any path?
    pub fn touches(&self, target: Id) -> bool {
        self.target() == Some(target) || self.blocks().into_iter().flatten().any(|step| step.touches(target))
    }
    /// What the text of these steps mentions, for every place where it does.
    pub fn reads(steps: &[Step]) -> Vec<Id> {
        let mut reads = vec![];
        Step::each(steps, &mut |step| match step {
            Step::Set { place: Place::AtSignal(low), value, .. } => reads.extend([*value, *low]),
            Step::Set { value, .. } => reads.push(*value),
            Step::Decoded { to, value, .. } => {
                reads.extend(&to.index);
                reads.extend(vec![*value; to.mentions()]);
            }
            Step::If { cond, .. } => reads.push(*cond),
            Step::Case { selector, .. } => reads.push(*selector),
        });
        reads
    }
}
