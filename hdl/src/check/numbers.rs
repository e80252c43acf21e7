//! The numbers that are tried for a signal: often those that the module compares it with, and their neighbours.

use super::alike::Alike;
use super::assigned::{Assigned, branches};
use super::implied_values::Implied;
use super::some_bits::{SomeBits, of_sources};
use crate::ir::*;
use fastrand::Rng;
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;

/// So many of each signal and each width, at most.
const MOST: usize = 100;

/// Numbers that comparisons and the cases of a `switch` name, each with those beside it.
pub(super) struct Numbers {
    /// Of what is compared directly, also by another name.
    of_signals: HashMap<Id, Vec<SomeBits>>,
    /// Of all that is so wide.
    of_widths: HashMap<u32, Vec<BigUint>>,
}

impl Numbers {
    pub fn new(def: &Def, names: (&Assigned, &Alike), implied: &Implied) -> Numbers {
        let mut numbers = Numbers { of_signals: HashMap::default(), of_widths: HashMap::default() };
        for (id, number) in compared(def) {
            let width = def.nodes[id as usize].width;
            let one = BigUint::from(1u32);
            let below = (number != BigUint::ZERO).then(|| &number - &one);
            let above = Some(&number + &one).filter(|above| *above <= fold::ones(width));
            for number in [Some(number), below, above].into_iter().flatten() {
                for (signal, bits) in of_sources(def, names, id, SomeBits::all(number.clone(), width)) {
                    let signal = implied.equal.get(&signal).copied().unwrap_or(signal);
                    let all = numbers.of_signals.entry(signal).or_default();
                    all.extend((all.len() < MOST).then_some(bits));
                }
                let all = numbers.of_widths.entry(width).or_default();
                if all.len() < MOST && !all.contains(&number) {
                    all.push(number);
                }
            }
        }
        numbers
    }
    /// One for a signal: every other one is a number that it is compared with, or where it is not, one that some signal of its width is; of
    /// the rest every other one is that of all signals of the width, since items may go on where two are equal.
    pub fn one(&self, seed: u64, id: Id, width: u32) -> BigUint {
        let mut rng = random(seed, id);
        let (own, of_width) = (self.of_signals.get(&id), self.of_widths.get(&width));
        match (rng.u8(..8), own, of_width) {
            (0..4, Some(own), _) => own[rng.usize(..own.len())].over(&any(rng, width)),
            (0..4, None, Some(of_width)) if width > 1 => of_width[rng.usize(..of_width.len())].clone(),
            (4 | 5, ..) if width > 1 => any(random(seed, Id::MAX - width), width),
            _ => any(rng, width),
        }
    }
}

/// What a module compares, and with which numbers.
fn compared(def: &Def) -> Vec<(Id, BigUint)> {
    let mut found = vec![];
    for node in &def.nodes {
        match node.op {
            Op::Un(UnOp::All, of) => found.push((of, fold::ones(def.nodes[of as usize].width))),
            Op::Un(UnOp::Any, of) => found.push((of, BigUint::ZERO)),
            Op::Bin(op, x, y) if op.compares() => {
                for (of, with) in [(x, y), (y, x)] {
                    found.extend(fold::constant_behind_names(def, with).map(|number| (of, number.clone())));
                }
            }
            _ => {}
        }
    }
    cases(def, &def.stmts, &mut found);
    found
}

/// The selectors of a block, with the values of their cases.
fn cases(def: &Def, block: &[Stmt], found: &mut Vec<(Id, BigUint)>) {
    for stmt in block {
        if let Stmt::Case { selector, arms, .. } = stmt {
            let values = arms.iter().flat_map(|(values, _)| values);
            let numbers = values.filter_map(|value| fold::constant_behind_names(def, *value));
            found.extend(numbers.map(|number| (*selector, number.clone())));
        }
        branches(def, stmt).into_iter().for_each(|block| cases(def, block, found));
    }
}

fn any(mut rng: Rng, width: u32) -> BigUint {
    let limbs = (0..width.div_ceil(32)).map(|_| rng.u32(..)).collect();
    BigUint::new(limbs) & fold::ones(width)
}

/// Random numbers for a signal, of a seed: those of two signals have nothing to do with each other. (Seeds that differ in a few bits give
/// numbers that do.)
fn random(seed: u64, id: Id) -> Rng {
    let mixed = (seed << 32 | u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    Rng::with_seed(mixed ^ mixed >> 27)
}
