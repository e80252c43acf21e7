//! What is so where items go on, tried with numbers: it does not matter in which form a condition says the same. A register that holds in
//! one of the samples holds on terms of its own.

use super::alike::Alike;
use super::assigned::Assigned;
use super::implied_values::{self, Implied};
use super::numbers::Numbers;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;
use std::cell::{OnceCell, RefCell};

/// Enough that what holds in every eighth of them is seen to hold in one, but for one in 10^5.
const SAMPLES: usize = 100;
/// Where fewer are found, those are taken in which nothing is known of what says that items go on, but that it does.
const LEAST: usize = 16;
/// So many are looked at to find those in which items go on.
const TRIES: u64 = 20_000;

/// Numbers for the signals of a module, in which items go on.
pub(super) struct Samples<'a> {
    def: &'a Def,
    assigned: Assigned<'a>,
    /// 1 where items go on.
    advancing: Vec<Id>,
    tries: OnceCell<Tries>,
    samples: OnceCell<Vec<Sample>>,
}

/// The numbers that are tried.
struct Tries {
    alike: Alike,
    /// What the enables say of signals outright.
    implied: Implied,
    /// Of others.
    numbers: Numbers,
}

/// What signals are in one sample, as far as that was asked.
struct Sample {
    seed: u64,
    /// Where no numbers are found with which items go on: what the enables say of expressions is taken for granted.
    given: bool,
    values: RefCell<HashMap<Id, BigUint>>,
}

impl<'a> Samples<'a> {
    pub fn new(def: &'a Def, advancing: impl IntoIterator<Item = Id>) -> Samples<'a> {
        let mut advancing: Vec<Id> = advancing.into_iter().collect();
        advancing.sort();
        let (assigned, tries, samples) = (Assigned::new(def), OnceCell::new(), OnceCell::new());
        Samples { def, assigned, advancing, tries, samples }
    }
    /// Is this signal not 0 wherever items go on?
    pub fn goes(&self, id: Id) -> bool {
        self.samples().iter().all(|sample| self.value(sample, id) != BigUint::ZERO)
    }
    /// Is this signal the same number wherever items go on?
    pub fn is_settled(&self, id: Id) -> bool {
        let mut numbers = self.samples().iter().map(|sample| self.value(sample, id));
        let first = numbers.next();
        numbers.all(|number| Some(number) == first)
    }
    /// In some sample, with this condition inverted: does the register take something, and other than without?
    pub fn matters(&self, register: Id, condition: Id) -> bool {
        self.samples().iter().any(|sample| {
            let otherwise = self.takes(sample, register, Some(condition));
            !otherwise.is_empty() && otherwise != self.takes(sample, register, None)
        })
    }
    /// What a register takes in a sample, each with its bits; with one condition as it is not.
    fn takes(&self, sample: &Sample, register: Id, inverted: Option<Id>) -> Vec<(BigUint, Place, Id)> {
        self.value_all(sample, self.assigned.behind(register));
        let mut taken: Vec<(BigUint, Place, Id)> = vec![];
        for block in self.assigned.to(register) {
            self.executed(sample, register, block, inverted, &mut |place, value| {
                let bits = self.bits(sample, register, place, value);
                taken.iter_mut().for_each(|(of, ..)| *of ^= &*of & &bits);
                taken.retain(|(of, ..)| *of != BigUint::ZERO);
                if !self.keeps(sample, (register, place), value) {
                    taken.push((bits, place, value));
                }
            });
        }
        taken
    }
    /// The bits of a register that take something wherever items go on.
    pub fn taken(&self, register: Id) -> BigUint {
        let mut all = fold::ones(self.width(register));
        for sample in self.samples() {
            if all == BigUint::ZERO {
                break;
            }
            all &= self.taken_in(sample, register);
        }
        all
    }
    fn samples(&self) -> &[Sample] {
        self.samples.get_or_init(|| {
            let sample = |seed, values: HashMap<Id, BigUint>| Sample {
                seed,
                given: !values.is_empty(),
                values: RefCell::new(values),
            };
            let advances = |sample: &Sample| self.advancing.iter().all(|id| self.value(sample, *id) != BigUint::ZERO);
            let found: Vec<Sample> =
                (0..TRIES).map(|seed| sample(seed, HashMap::default())).filter(advances).take(SAMPLES).collect();
            if found.len() >= LEAST {
                return found;
            }
            let advancing: HashMap<Id, BigUint> = self.advancing.iter().map(|id| (*id, BigUint::from(1u32))).collect();
            (0..SAMPLES as u64).map(|seed| sample(seed, advancing.clone())).collect()
        })
    }
    fn tries(&self) -> &Tries {
        self.tries.get_or_init(|| {
            let alike = Alike::new(self.def, &self.assigned);
            let implied = implied_values::of(self.def, &self.assigned, &alike, &self.advancing);
            let numbers = Numbers::new(self.def, (&self.assigned, &alike), &implied);
            Tries { alike, implied, numbers }
        })
    }
    fn width(&self, id: Id) -> u32 {
        self.def.nodes[id as usize].width
    }
    /// What a signal is in a sample.
    fn value(&self, sample: &Sample, id: Id) -> BigUint {
        let done = |id: Id| sample.values.borrow().contains_key(&id);
        walk::operands_first(
            id,
            done,
            |id| self.behind(sample, id),
            |id| {
                let value = self.value_of_known(sample, id);
                sample.values.borrow_mut().insert(id, value);
            },
        );
        sample.values.borrow()[&id].clone()
    }
    /// Finds out what these are.
    fn value_all(&self, sample: &Sample, ids: Vec<Id>) {
        ids.into_iter().for_each(|id| drop(self.value(sample, id)));
    }
    /// The signals from which the value of one is found.
    fn behind(&self, sample: &Sample, id: Id) -> Vec<Id> {
        if sample.given && self.known(id).is_some() {
            return vec![];
        }
        if let Some(same) = self.same(id).filter(|_| sample.given) {
            return vec![same];
        }
        match &self.def.nodes[id as usize].op {
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.assigned.behind(id),
            op => op.operands(),
        }
    }
    /// The signal that a signal is the same as, wherever items go on, if that is known.
    fn same(&self, id: Id) -> Option<Id> {
        let Tries { alike, implied, .. } = self.tries();
        let first = alike.first(id);
        Some(implied.equal.get(&first).copied().unwrap_or(first)).filter(|same| *same != id)
    }
    /// The number of a signal wherever items go on, if all of it is known.
    fn known(&self, id: Id) -> Option<&BigUint> {
        let bits = self.tries().implied.numbers.get(&id)?;
        (bits.known == fold::ones(self.width(id))).then_some(&bits.value)
    }
    fn value_of_known(&self, sample: &Sample, id: Id) -> BigUint {
        let known = |id: Id| {
            let value = sample.values.borrow().get(&id).cloned();
            value.unwrap_or_else(|| self.leaf(sample, id)) // in a loop
        };
        if let Some(number) = self.known(id).filter(|_| sample.given) {
            return number.clone();
        }
        if let Some(same) = self.same(id).filter(|_| sample.given) {
            return known(same);
        }
        let node = &self.def.nodes[id as usize];
        let low = |value: BigUint| value & fold::ones(node.width);
        let at = |id: Id| u64::try_from(known(id)).unwrap_or(u64::MAX).min(1 << 20);
        match node.op {
            Op::Alias(of) => known(of),
            Op::Un(op, of) => fold::un(op, &known(of), self.width(of)),
            Op::Bin(op, x, y) => low(fold::bin(op, &known(x), &known(y), self.width(x), self.width(y))),
            Op::Mux(choice, x, y) => known(if known(choice) == BigUint::ZERO { y } else { x }),
            Op::Slice(of, from) => low(known(of) >> from),
            Op::Part(of, from) => low(known(of) >> at(from)),
            Op::Cat(ref parts) => {
                parts.iter().fold(BigUint::ZERO, |high, part| (high << self.width(*part)) | known(*part))
            }
            Op::Repeat(of, times) => (0..times).fold(BigUint::ZERO, |high, _| (high << self.width(of)) | known(of)),
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => {
                self.assigned.to(id).fold(BigUint::ZERO, |before, block| self.after(sample, id, block, before))
            }
            _ => self.leaf(sample, id),
        }
    }
    /// What comes from elsewhere is any number, and often one that the module compares with.
    fn leaf(&self, sample: &Sample, id: Id) -> BigUint {
        let Tries { implied, numbers, .. } = self.tries();
        let id = self.same(id).unwrap_or(id);
        if let Some(number) = fold::constant(self.def, id) {
            return number.clone();
        }
        let number = numbers.one(sample.seed, id, self.width(id));
        implied.numbers.get(&id).map_or(number.clone(), |bits| bits.over(&number))
    }
    /// The statements of a block that a sample executes, for a net, in their order; with one condition as it is not.
    fn executed<'b>(
        &self,
        sample: &Sample,
        net: Id,
        block: &'b [Stmt],
        inverted: Option<Id>,
        f: &mut impl FnMut(Place, Id),
    ) {
        let known = |id: Id| sample.values.borrow().get(&id).cloned().unwrap_or_default();
        let is_0 = |cond: Id| (known(cond) == BigUint::ZERO) != (inverted == Some(cond));
        for stmt in block.iter().filter(|stmt| stmt.touches(net)) {
            let inner: &'b [Stmt] = match stmt {
                Stmt::Set { place, value, .. } => {
                    f(*place, *value);
                    continue;
                }
                Stmt::If { cond, otherwise, .. } if is_0(*cond) => otherwise,
                Stmt::If { then, .. } => then,
                Stmt::Case { selector, arms, default, .. } => {
                    let code = known(*selector);
                    let is = |value: &Id| fold::constant_behind_names(self.def, *value) == Some(&code);
                    let arm = arms.iter().find(|(values, _)| values.iter().any(is)).map(|(_, block)| block);
                    arm.or(default.as_ref()).map_or(&[], |block| block)
                }
            };
            self.executed(sample, net, inner, inverted, f);
        }
    }
    /// A net after a block.
    fn after(&self, sample: &Sample, net: Id, block: &[Stmt], before: BigUint) -> BigUint {
        let mut now = before;
        self.executed(sample, net, block, None, &mut |place, value| {
            let bits = self.bits(sample, net, place, value);
            let new = sample.values.borrow().get(&value).cloned().unwrap_or_default();
            let low = bits.trailing_zeros().unwrap_or(0);
            now ^= &now & &bits;
            now |= (new << low) & bits;
        });
        now
    }
    /// The bits that an assignment sets.
    fn bits(&self, sample: &Sample, net: Id, place: Place, value: Id) -> BigUint {
        let low = match place {
            Place::Whole => 0,
            Place::At(low) => low.into(),
            Place::AtSignal(at) => {
                let at = sample.values.borrow().get(&at).cloned().unwrap_or_default();
                u64::try_from(at).unwrap_or(u64::MAX).min(self.width(net).into())
            }
        };
        (fold::ones(self.width(value)) << low) & fold::ones(self.width(net))
    }
    /// The bits of a register that take something in a sample.
    fn taken_in(&self, sample: &Sample, register: Id) -> BigUint {
        let mut taken = BigUint::ZERO;
        self.value_all(sample, self.assigned.behind(register));
        for block in self.assigned.to(register) {
            self.executed(sample, register, block, None, &mut |place, value| {
                let bits = self.bits(sample, register, place, value);
                taken ^= &taken & &bits;
                if !self.keeps(sample, (register, place), value) {
                    taken |= bits;
                }
            });
        }
        taken
    }
    /// Does a register, in a sample, get what it is: by a mux, or over a wire with its next value?
    fn keeps(&self, sample: &Sample, (register, place): (Id, Place), mut value: Id) -> bool {
        for _ in 0..self.def.nodes.len() {
            if keeps(self.def, register, place, value) {
                return true;
            }
            value = match self.def.nodes[value as usize].op {
                Op::Alias(of) => of,
                Op::Mux(choice, x, y) => match self.value(sample, choice) == BigUint::ZERO {
                    true => y,
                    false => x,
                },
                Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => {
                    self.value_all(sample, self.assigned.behind(value));
                    let mut last = None;
                    for block in self.assigned.to(value) {
                        self.executed(sample, value, block, None, &mut |place, of| last = Some((place, of)));
                    }
                    match last {
                        Some((Place::Whole, of)) => of,
                        _ => return false,
                    }
                }
                _ => return false,
            }
        }
        false
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
