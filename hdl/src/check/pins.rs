//! The numbers that signals have where items go on, as far as the enables of their pipelines say it outright.

use super::assigned::Assigned;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// From bits that are all 1: of `a & b` both are, of `!(a | b)` none is, and of `x.eq(3)` `x` is 3. What two of them contradict each other in
/// is left out.
pub(super) fn of(def: &Def, assigned: &Assigned, bits: &[Id]) -> HashMap<Id, BigUint> {
    let mut pins = HashMap::<Id, Option<BigUint>>::default();
    let (mut todo, mut seen): (Vec<(Id, bool)>, _) = (bits.iter().map(|id| (*id, true)).collect(), HashSet::default());
    let width = |id: Id| def.nodes[id as usize].width;
    let behind_names = |mut id: Id| {
        let mut names = HashSet::default();
        while let Some(of) = assigned.name(id).filter(|of| names.insert(*of)) {
            id = of;
        }
        id
    };
    let mut pin = |id: Id, number: BigUint| {
        let same = |old: &mut Option<BigUint>| *old = old.take().filter(|old| *old == number);
        pins.entry(behind_names(id)).and_modify(same).or_insert(Some(number.clone()));
    };
    while let Some((id, is)) = todo.pop() {
        if !seen.insert((id, is)) {
            continue;
        }
        match def.nodes[id as usize].op {
            Op::Un(UnOp::Not, of) if width(id) == 1 => todo.push((of, !is)),
            Op::Un(UnOp::Any | UnOp::All, of) if width(of) == 1 => todo.push((of, is)),
            Op::Un(UnOp::Any, of) if !is => pin(of, BigUint::ZERO),
            Op::Un(UnOp::All, of) if is => pin(of, fold::ones(width(of))),
            Op::Repeat(of, _) => todo.push((of, is)),
            Op::Bin(BinOp::And, x, y) if is => todo.extend([(x, is), (y, is)]),
            Op::Bin(BinOp::Or, x, y) if !is => todo.extend([(x, is), (y, is)]),
            Op::Bin(op @ (BinOp::Eq | BinOp::Ne), x, y) => {
                for (of, with) in [(x, y), (y, x)] {
                    match fold::constant_behind_names(def, with) {
                        Some(number) if (op == BinOp::Eq) == is => pin(of, number.clone()),
                        Some(number) if width(of) == 1 => pin(of, number ^ BigUint::from(1u32)),
                        _ => {}
                    }
                }
            }
            _ => match assigned.name(id) {
                Some(of) => todo.push((of, is)),
                None if width(id) == 1 => pin(id, is.into()),
                None => {}
            },
        }
    }
    pins.into_iter().filter_map(|(id, number)| Some((id, number?))).collect()
}
