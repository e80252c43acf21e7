//! Which bits of registers take something on every path through their statements.

use crate::ir::fold::ones;
use crate::ir::*;
use num_bigint::BigUint;
use std::collections::HashMap;

/// Bits of nets.
type Bits = HashMap<Id, BigUint>;

/// The bits that every path through a block assigns, of all nets. `when(c, ..)` and `when(!c, ..)` are together all paths.
pub(super) fn on_all_paths(def: &Def, block: &[Stmt]) -> Bits {
    let (mut all, mut outcomes) = (Bits::new(), HashMap::<(Id, bool), Bits>::new());
    for stmt in block {
        match stmt {
            Stmt::Set { target, place, value, .. } => {
                let width = |id: Id| def.nodes[id as usize].width;
                let bits = match place {
                    Place::Whole => ones(width(*target)),
                    Place::At(low) => ones(width(*value)) << low,
                    Place::AtSignal(_) => continue,
                };
                *all.entry(*target).or_default() |= bits;
            }
            Stmt::If { cond, then, otherwise } => {
                let (cond, outcome) = without_not(def, *cond);
                for (outcome, block) in [(outcome, then), (!outcome, otherwise)] {
                    add(outcomes.entry((cond, outcome)).or_default(), on_all_paths(def, block));
                }
            }
            Stmt::Case { selector, arms, default, .. } => {
                let listed: usize = arms.iter().map(|(values, _)| values.len()).sum();
                let all_listed = BigUint::from(listed) == BigUint::from(1u32) << def.nodes[*selector as usize].width;
                let blocks = arms.iter().map(|(_, block)| block).chain(default);
                let common = blocks.map(|block| on_all_paths(def, block)).reduce(|x, y| both(&x, &y));
                add(&mut all, common.filter(|_| all_listed || default.is_some()).unwrap_or_default());
            }
        }
    }
    for ((cond, outcome), bits) in &outcomes {
        if let (true, Some(other)) = (*outcome, outcomes.get(&(*cond, false))) {
            add(&mut all, both(bits, other));
        }
    }
    all
}

/// A condition without the inversions in front of it, and its value where the whole is 1.
fn without_not(def: &Def, mut cond: Id) -> (Id, bool) {
    let mut outcome = true;
    loop {
        match def.nodes[cond as usize].op {
            Op::Alias(of) => cond = of,
            Op::Un(UnOp::Not, of) => (cond, outcome) = (of, !outcome),
            _ => return (cond, outcome),
        }
    }
}

fn add(to: &mut Bits, bits: Bits) {
    bits.into_iter().for_each(|(id, bits)| *to.entry(id).or_default() |= bits);
}

fn both(one: &Bits, other: &Bits) -> Bits {
    one.iter().filter_map(|(id, bits)| Some((*id, bits & other.get(id)?))).collect()
}
