//! What is known of signals where items go on, as far as the enables of their pipelines say it outright.

use super::alike::Alike;
use super::assigned::Assigned;
use super::some_bits::{SomeBits, of_sources};
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// What some bits say of other signals, if all of them are 1.
#[derive(Default)]
pub(super) struct Implied {
    /// Signals of which bits have one value; of those that are equal, the one to which `equal` leads.
    pub numbers: HashMap<Id, SomeBits>,
    /// Signals that are as another one is.
    pub equal: HashMap<Id, Id>,
}

/// From bits that are all 1: of `a & b` both are, of `!(a | b)` none is, of `x.eq(3)` `x` is 3, and of `x.eq(y)` `x` is what `y` is. What two
/// of them contradict each other in is left out.
pub(super) fn of(def: &Def, assigned: &Assigned, alike: &Alike, bits: &[Id]) -> Implied {
    let (mut numbers, mut equal) = (HashMap::<Id, SomeBits>::default(), HashMap::<Id, Id>::default());
    let (mut todo, mut seen): (Vec<(Id, bool)>, _) = (bits.iter().map(|id| (*id, true)).collect(), HashSet::default());
    let width = |id: Id| def.nodes[id as usize].width;
    let behind_names = |id: Id| alike.first(assigned.behind_names(id));
    let mut is_number = |id: Id, number: BigUint| {
        for (id, bits) in of_sources(def, (assigned, alike), id, SomeBits::all(number, width(id))) {
            numbers.entry(id).and_modify(|old| *old = old.and(&bits)).or_insert(bits);
        }
    };
    while let Some((id, is)) = todo.pop() {
        if !seen.insert((id, is)) {
            continue;
        }
        match def.nodes[id as usize].op {
            Op::Un(UnOp::Not, of) if width(id) == 1 => todo.push((of, !is)),
            Op::Un(UnOp::Any | UnOp::All, of) if width(of) == 1 => todo.push((of, is)),
            Op::Un(UnOp::Any, of) if !is => is_number(of, BigUint::ZERO),
            Op::Un(UnOp::All, of) if is => is_number(of, fold::ones(width(of))),
            Op::Repeat(of, _) => todo.push((of, is)),
            Op::Bin(BinOp::And, x, y) if is => todo.extend([(x, is), (y, is)]),
            Op::Bin(BinOp::Or, x, y) if !is => todo.extend([(x, is), (y, is)]),
            Op::Bin(op @ (BinOp::Eq | BinOp::Ne), x, y) => {
                let known = |id: Id| fold::constant_behind_names(def, id).is_some();
                let (one, other) = (behind_names(x), behind_names(y));
                let (one, other) = (first(&equal, one), first(&equal, other));
                if (op == BinOp::Eq) == is && !known(x) && !known(y) && one != other {
                    equal.insert(one.max(other), one.min(other)); // to smaller ones: never in a circle
                }
                for (of, with) in [(x, y), (y, x)] {
                    match fold::constant_behind_names(def, with) {
                        Some(number) if (op == BinOp::Eq) == is => is_number(of, number.clone()),
                        Some(number) if width(of) == 1 => is_number(of, number ^ BigUint::from(1u32)),
                        _ => {}
                    }
                }
            }
            _ => match assigned.name(id) {
                Some(of) => todo.push((of, is)),
                None if width(id) == 1 => is_number(id, is.into()),
                None => {}
            },
        }
    }
    let equal: HashMap<Id, Id> = equal.keys().map(|id| (*id, first(&equal, *id))).collect();
    // of signals that are equal, the first has the number
    let mut known = HashMap::<Id, SomeBits>::default();
    for (id, bits) in numbers {
        let id = equal.get(&id).copied().unwrap_or(id);
        known.entry(id).and_modify(|old| *old = old.and(&bits)).or_insert(bits);
    }
    Implied { numbers: known, equal }
}

/// The first of the signals that are equal to one.
fn first(equal: &HashMap<Id, Id>, mut id: Id) -> Id {
    while let Some(of) = equal.get(&id) {
        id = *of;
    }
    id
}
