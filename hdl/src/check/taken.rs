//! Which bits of registers take something on every path through their statements.

use crate::ir::fold::ones;
use crate::ir::*;
use num_bigint::BigUint;
use std::collections::HashMap;

/// Bits of nets.
type Bits = HashMap<Id, BigUint>;

/// The bits that every path through a block assigns, of all nets, and keeps until its end. `when(c, ..)` and `when(!c, ..)` are together
/// all paths.
pub(super) fn on_all_paths(def: &Def, block: &[Stmt]) -> Bits {
    Paths::of(def, block).taken
}

/// What the paths through some statements do, one after the other.
#[derive(Default)]
struct Paths {
    /// Bits that all paths assign.
    taken: Bits,
    /// Bits that the paths with this outcome of a condition assign.
    outcomes: HashMap<(Id, bool), Bits>,
    /// Bits of registers that some path assigns to themselves: there they hold, whatever was assigned before.
    held: Bits,
}

impl Paths {
    fn of(def: &Def, block: &[Stmt]) -> Paths {
        let mut paths = Paths::default();
        for stmt in block {
            match stmt {
                Stmt::Set { target, place, value, .. } => paths.set(def, *target, *place, *value),
                Stmt::If { cond, then, otherwise } => {
                    let (cond, outcome) = without_not(def, *cond);
                    for (outcome, block) in [(outcome, then), (!outcome, otherwise)] {
                        let inner = Paths::of(def, block);
                        paths.hold(&inner.held, Some((cond, outcome)));
                        add(paths.outcomes.entry((cond, outcome)).or_default(), inner.taken);
                    }
                }
                Stmt::Case { selector, arms, default, .. } => {
                    let listed: usize = arms.iter().map(|(values, _)| values.len()).sum();
                    let codes = BigUint::from(1u32) << def.nodes[*selector as usize].width;
                    let all_listed = BigUint::from(listed) == codes;
                    let blocks = arms.iter().map(|(_, block)| block).chain(default);
                    let inner: Vec<Paths> = blocks.map(|block| Paths::of(def, block)).collect();
                    inner.iter().for_each(|inner| paths.hold(&inner.held, None));
                    let common = inner.into_iter().map(|inner| inner.taken).reduce(|x, y| both(&x, &y));
                    add(&mut paths.taken, common.filter(|_| all_listed || default.is_some()).unwrap_or_default());
                }
            }
        }
        for ((cond, outcome), bits) in &paths.outcomes {
            if let (true, Some(other)) = (*outcome, paths.outcomes.get(&(*cond, false))) {
                add(&mut paths.taken, both(bits, other));
            }
        }
        remove(&mut paths.held, &paths.taken);
        paths
    }
    fn set(&mut self, def: &Def, target: Id, place: Place, value: Id) {
        let width = |id: Id| def.nodes[id as usize].width;
        let bits = match place {
            Place::Whole => ones(width(target)),
            Place::At(low) => ones(width(value)) << low,
            Place::AtSignal(_) => return,
        };
        let bits = Bits::from([(target, bits)]);
        if keeps(def, target, place, value) {
            self.hold(&bits, None);
        } else {
            remove(&mut self.held, &bits);
            add(&mut self.taken, bits);
        }
    }
    /// On some paths, of this outcome of a condition, these bits hold after all.
    fn hold(&mut self, bits: &Bits, on: Option<(Id, bool)>) {
        if bits.is_empty() {
            return;
        }
        let opposite = on.map(|(cond, outcome)| (cond, !outcome));
        if let Some(opposite) = opposite {
            let stay = both(&self.taken, bits);
            add(self.outcomes.entry(opposite).or_default(), stay);
        }
        self.outcomes.iter_mut().filter(|(of, _)| Some(**of) != opposite).for_each(|(_, known)| remove(known, bits));
        remove(&mut self.taken, bits);
        add(&mut self.held, bits.clone());
    }
}

/// Does a net, or a part of it, get what it is?
pub(super) fn keeps(def: &Def, target: Id, place: Place, mut value: Id) -> bool {
    while let Op::Alias(of) = def.nodes[value as usize].op {
        value = of;
    }
    match (place, &def.nodes[value as usize].op) {
        (Place::At(low), Op::Slice(of, from)) => *of == target && *from == low,
        (Place::Whole, _) => value == target,
        _ => false,
    }
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

fn remove(from: &mut Bits, bits: &Bits) {
    for (id, bits) in bits {
        if let Some(known) = from.get_mut(id) {
            *known ^= &*known & bits;
        }
    }
}

fn both(one: &Bits, other: &Bits) -> Bits {
    one.iter().filter_map(|(id, bits)| Some((*id, bits & other.get(id)?))).collect()
}
