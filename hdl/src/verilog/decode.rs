//! Writes to a part of a register whose place a signal gives.
//!
//! Synthesis makes `x[{i, 3'h0} +: 8] <= v` a shifter as wide as the register. A condition for each place is a clock enable
//! instead, and takes a small part of the LUTs where the parts are many. So the places stand one by
//! one, in a `case` or, if they are many, in a loop. Up to four single bits cost the same either way, and wires have no clock
//! enable: those keep the short form.

use super::steps::{Decoded, Step};
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// As many places are looked at, at most: no register file is larger.
const LARGEST: u32 = 1 << 16;

/// Decodes what is cheaper so.
pub fn decode(def: &Def, steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::Set { target, place: Place::AtSignal(low), value } => {
                let assigned = Assigned { def, target: *target, low: *low, width: def.nodes[*value as usize].width };
                // names of the user stay, if the places are apart with them
                if let Some(to) = assigned.decoded(false).or_else(|| assigned.decoded(true)) {
                    *step = Step::Decoded { target: *target, to, value: *value };
                }
            }
            Step::Set { .. } | Step::Decoded { .. } => {}
            Step::If { then, otherwise, .. } => {
                decode(def, then);
                decode(def, otherwise);
            }
            Step::Case { arms, default, .. } => {
                arms.iter_mut().for_each(|(_, block)| decode(def, block));
                decode(def, default);
            }
        }
    }
}

/// An assignment to a part of a register.
struct Assigned<'a> {
    def: &'a Def,
    target: Id,
    low: Id,
    /// Bits that are assigned.
    width: u32,
}

impl Assigned<'_> {
    /// The places, if they do not overlap and it is worth it; `through` looks behind names.
    fn decoded(&self, through: bool) -> Option<Decoded> {
        let index = index(self.def, self.low, through);
        let bits = index.iter().map(|x| self.def.nodes[*x as usize].width).sum();
        let once = index.iter().collect::<HashSet<_>>().len() == index.len();
        if bits > LARGEST.ilog2() || !once {
            return None;
        }
        let all: Vec<Option<u32>> = (0..1u32 << bits).map(|at| self.place(&index, at)).collect();
        let places: Vec<u32> = all.iter().map_while(|place| *place).collect();
        // behind the last place there is none
        let whole = all[places.len()..].iter().all(Option::is_none);
        let apart = places.windows(2).all(|pair| pair[0] + self.width <= pair[1]);
        let short = self.width == 1 && places.len() <= 4;
        (whole && apart && !short && places.len() > 1).then_some(Decoded { index, bits, places })
    }
    /// The lowest bit where the index has this value, if that lies in the register.
    fn place(&self, index: &[Id], at: u32) -> Option<u32> {
        let mut rest = at;
        let mut leaves = HashMap::default();
        for x in index.iter().rev() {
            let width = self.def.nodes[*x as usize].width;
            leaves.insert(*x, BigUint::from(rest) & fold::ones(width));
            rest = rest.checked_shr(width).unwrap_or(0);
        }
        let low = u32::try_from(value(self.def, self.low, &leaves)?).ok()?;
        (low + self.width <= self.def.nodes[self.target as usize].width).then_some(low)
    }
}

/// The signals that a place is computed from by constants alone.
fn index(def: &Def, low: Id, through: bool) -> Vec<Id> {
    let node = &def.nodes[low as usize];
    let op = |id: &Id| &def.nodes[*id as usize].op;
    let constant = |id: &Id| matches!(op(id), Op::Const(_));
    let inner = |id: &Id| index(def, *id, through);
    match &node.op {
        Op::Const(_) => vec![],
        _ if node.name.is_some() && !through => vec![low],
        Op::Cat(parts) => parts.iter().flat_map(inner).collect(),
        Op::Alias(x) => inner(x),
        Op::Bin(BinOp::Add | BinOp::Mul, x, y) if constant(x) || constant(y) => [inner(x), inner(y)].concat(),
        Op::Slice(x, _) if matches!(op(x), Op::Bin(BinOp::Add | BinOp::Mul, ..)) => inner(x),
        _ => vec![low],
    }
}

/// The value of a node where the signals that [`index`] gives have these values.
fn value(def: &Def, id: Id, leaves: &HashMap<Id, BigUint>) -> Option<BigUint> {
    if let Some(value) = leaves.get(&id) {
        return Some(value.clone());
    }
    let width = |x: Id| def.nodes[x as usize].width;
    Some(match &def.nodes[id as usize].op {
        Op::Const(v) => v.clone(),
        Op::Alias(x) => value(def, *x, leaves)?,
        Op::Slice(x, lo) => (value(def, *x, leaves)? >> *lo) & fold::ones(width(id)),
        Op::Bin(op, x, y) => fold::bin(*op, &value(def, *x, leaves)?, &value(def, *y, leaves)?, width(*x), width(*y)),
        Op::Cat(parts) => {
            parts.iter().try_fold(BigUint::ZERO, |sum, x| Some((sum << width(*x)) | value(def, *x, leaves)?))?
        }
        _ => return None,
    })
}
