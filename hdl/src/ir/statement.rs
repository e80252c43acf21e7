//! Assignments, as the user nested them.

use super::node::{Id, Loc};
use std::collections::BTreeSet;
use std::ops::Range;

/// Which bits of a net an assignment sets (as many as its value is wide).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Whole,
    /// From this bit upwards.
    At(u32),
    /// From the bit that this node gives; the builder makes sure that nothing can fall past the end.
    AtSignal(Id),
}

impl Place {
    /// The bits that a value of so many may go to.
    pub fn bits(self, width: u32) -> Range<u32> {
        match self {
            Place::Whole => 0..width,
            Place::At(low) => low..low + width,
            Place::AtSignal(_) => 0..u32::MAX,
        }
    }
}

/// Assignments, as the user nested them. Later ones win.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// `section`: how many sections (see [`Def::sections`]) began before it.
    Set {
        target: Id,
        place: Place,
        value: Id,
        section: u32,
        loc: Loc,
    },
    If {
        cond: Id,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// The arm that lists the value (no two do); `default` is `None` where the user gave none.
    Case {
        selector: Id,
        arms: Vec<(Vec<Id>, Vec<Stmt>)>,
        default: Option<Vec<Stmt>>,
        /// For the reader: the values that `default` is written for. The others that reach it are no states.
        rest: Vec<Id>,
    },
}

impl Stmt {
    /// Calls `f` with every assignment below: target, place, value, section, conditions and selectors it stands under.
    pub fn each_set(block: &[Stmt], under: &mut Vec<Id>, f: &mut impl FnMut(Id, Place, Id, u32, &[Id])) {
        for stmt in block {
            match stmt {
                Stmt::Set { target, place, value, section, .. } => f(*target, *place, *value, *section, under),
                Stmt::If { cond, then, otherwise } => {
                    under.push(*cond);
                    Stmt::each_set(then, under, f);
                    Stmt::each_set(otherwise, under, f);
                    under.pop();
                }
                Stmt::Case { selector, arms, default, .. } => {
                    under.push(*selector);
                    arms.iter().for_each(|(_, b)| Stmt::each_set(b, under, f));
                    default.iter().for_each(|b| Stmt::each_set(b, under, f));
                    under.pop();
                }
            }
        }
    }
    /// The outermost assignments of a block, and where they stand: of an `if` or a `case` the first of each of its branches.
    pub fn written_at(block: &[Stmt]) -> Vec<(Id, Loc)> {
        let first = |b: &[Stmt]| Stmt::written_at(b).into_iter().take(1);
        let of = |stmt: &Stmt| match stmt {
            Stmt::Set { target, loc, .. } => vec![(*target, *loc)],
            Stmt::If { then, otherwise, .. } => first(then).chain(first(otherwise)).collect(),
            Stmt::Case { arms, default, .. } => {
                arms.iter().map(|(_, b)| b).chain(default).flat_map(|b| first(b)).collect()
            }
        };
        block.iter().flat_map(of).collect()
    }
    /// The nets that a block assigns on any path.
    pub fn targets(block: &[Stmt]) -> BTreeSet<Id> {
        let mut found = BTreeSet::new();
        Stmt::each_set(block, &mut vec![], &mut |target, _, _, _, _| {
            found.insert(target);
        });
        found
    }
    /// Does this statement assign to `target` on any path?
    pub fn touches(&self, target: Id) -> bool {
        let any = |b: &[Stmt]| b.iter().any(|s| s.touches(target));
        match self {
            Stmt::Set { target: t, .. } => *t == target,
            Stmt::If { then, otherwise, .. } => any(then) || any(otherwise),
            Stmt::Case { arms, default, .. } => arms.iter().any(|(_, b)| any(b)) || default.as_deref().is_some_and(any),
        }
    }
}
