//! What registers do where items go on, tried with numbers: terms that say the same in another form are found where `going` sees only that
//! they are other terms. A register that holds in one of the samples holds on terms of its own.

use super::going::Going;
use super::taken;
use crate::ir::*;
use fastrand::Rng;
use num_bigint::BigUint;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

/// Enough that what holds in every second of them is seen to hold in one, but for one in 10^12.
const SAMPLES: usize = 40;
/// So many are looked at to find those in which items go on.
const TRIES: u64 = 2_000;
/// So many numbers of each width are tried, of those that the module compares with.
const NUMBERS: usize = 100;

/// Numbers for the signals of a module, in which items go on.
pub(super) struct Samples<'a> {
    def: &'a Def,
    /// 1 where items go on.
    advancing: Vec<Id>,
    /// For each net: the statements of the module, by index, that assign to it.
    assigned: HashMap<Id, Vec<usize>>,
    /// By width.
    numbers: HashMap<u32, Vec<BigUint>>,
    samples: OnceCell<Vec<Sample>>,
}

/// What signals are in one sample, as far as that was asked.
struct Sample {
    seed: u64,
    values: RefCell<HashMap<Id, BigUint>>,
}

impl<'a> Samples<'a> {
    pub fn new(def: &'a Def, advancing: impl IntoIterator<Item = Id>) -> Samples<'a> {
        let mut advancing: Vec<Id> = advancing.into_iter().collect();
        advancing.sort();
        let mut assigned = HashMap::<Id, Vec<usize>>::new();
        for (at, stmt) in def.stmts.iter().enumerate() {
            Stmt::each_set(std::slice::from_ref(stmt), &mut vec![], &mut |target, _, _, _, _| {
                let all = assigned.entry(target).or_default();
                if all.last() != Some(&at) {
                    all.push(at);
                }
            });
        }
        Samples { def, advancing, assigned, numbers: numbers(def), samples: OnceCell::new() }
    }
    /// Is this signal not 0 wherever items go on?
    pub fn goes(&self, going: &Going, id: Id) -> bool {
        let samples = self.samples(going);
        !samples.is_empty() && samples.iter().all(|sample| self.value(going, sample, id) != BigUint::ZERO)
    }
    /// The bits of a register that take something wherever items go on.
    pub fn taken(&self, going: &Going, register: Id) -> BigUint {
        let samples = self.samples(going);
        let Some(first) = samples.first() else { return BigUint::ZERO };
        let mut all = self.taken_in(going, first, register);
        for sample in samples {
            if all == BigUint::ZERO {
                break;
            }
            all &= self.taken_in(going, sample, register);
        }
        all
    }
    fn samples(&self, going: &Going) -> &[Sample] {
        self.samples.get_or_init(|| {
            let all = (0..TRIES).map(|seed| Sample { seed, values: RefCell::default() });
            let advances =
                |sample: &Sample| self.advancing.iter().all(|id| self.value(going, sample, *id) != BigUint::ZERO);
            all.filter(advances).take(SAMPLES).collect()
        })
    }
    fn assignments(&self, net: Id) -> impl Iterator<Item = &'a [Stmt]> {
        let def = self.def;
        self.assigned.get(&net).into_iter().flatten().map(move |at| std::slice::from_ref(&def.stmts[*at]))
    }
    fn width(&self, id: Id) -> u32 {
        self.def.nodes[id as usize].width
    }
    /// What a signal is in a sample.
    fn value(&self, going: &Going, sample: &Sample, id: Id) -> BigUint {
        let done = |id: Id| sample.values.borrow().contains_key(&id);
        walk::operands_first(
            id,
            done,
            |id| self.behind(id),
            |id| {
                let value = self.value_of_known(going, sample, id);
                sample.values.borrow_mut().insert(id, value);
            },
        );
        sample.values.borrow()[&id].clone()
    }
    /// The signals from which the value of one is found.
    fn behind(&self, id: Id) -> Vec<Id> {
        let op = &self.def.nodes[id as usize].op;
        let Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) = op else { return op.operands() };
        let mut out = vec![];
        for block in self.assignments(id) {
            Stmt::each_set(block, &mut vec![], &mut |target, place, value, _, under| {
                if target == id {
                    out.extend(under);
                    out.push(value);
                    out.extend(if let Place::AtSignal(at) = place { Some(at) } else { None });
                }
            });
        }
        out
    }
    fn value_of_known(&self, going: &Going, sample: &Sample, id: Id) -> BigUint {
        let known = |id: Id| {
            let value = sample.values.borrow().get(&id).cloned();
            value.unwrap_or_else(|| self.leaf(going, sample, id)) // in a loop
        };
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
                self.assignments(id).fold(BigUint::ZERO, |before, block| self.after(sample, id, block, before))
            }
            _ => self.leaf(going, sample, id),
        }
    }
    /// What comes from elsewhere is any number, and often one that the module compares with.
    fn leaf(&self, going: &Going, sample: &Sample, id: Id) -> BigUint {
        if let Some(number) = fold::constant(self.def, id).cloned().or_else(|| going.number_of(id)) {
            return number;
        }
        let mut rng = Rng::with_seed(sample.seed << 32 | u64::from(id));
        let width = self.width(id);
        let numbers = self.numbers.get(&width).map_or(&[][..], |numbers| numbers);
        match rng.u8(..4) {
            0 | 1 if !numbers.is_empty() && width > 1 => numbers[rng.usize(..numbers.len())].clone(),
            _ => {
                let limbs = (0..width.div_ceil(32)).map(|_| rng.u32(..)).collect();
                BigUint::new(limbs) & fold::ones(width)
            }
        }
    }
    /// The statements of a block that a sample executes, for a net, in their order.
    fn executed<'b>(&self, sample: &Sample, net: Id, block: &'b [Stmt], f: &mut impl FnMut(Place, Id)) {
        let known = |id: Id| sample.values.borrow().get(&id).cloned().unwrap_or_default();
        for stmt in block.iter().filter(|stmt| stmt.touches(net)) {
            let inner: &'b [Stmt] = match stmt {
                Stmt::Set { place, value, .. } => {
                    f(*place, *value);
                    continue;
                }
                Stmt::If { cond, otherwise, .. } if known(*cond) == BigUint::ZERO => otherwise,
                Stmt::If { then, .. } => then,
                Stmt::Case { selector, arms, default, .. } => {
                    let code = known(*selector);
                    let is = |value: &Id| fold::constant_behind_names(self.def, *value) == Some(&code);
                    let arm = arms.iter().find(|(values, _)| values.iter().any(is)).map(|(_, block)| block);
                    arm.or(default.as_ref()).map_or(&[], |block| block)
                }
            };
            self.executed(sample, net, inner, f);
        }
    }
    /// A net after a block.
    fn after(&self, sample: &Sample, net: Id, block: &[Stmt], before: BigUint) -> BigUint {
        let mut now = before;
        self.executed(sample, net, block, &mut |place, value| {
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
    fn taken_in(&self, going: &Going, sample: &Sample, register: Id) -> BigUint {
        let mut taken = BigUint::ZERO;
        for block in self.assignments(register) {
            Stmt::each_set(block, &mut vec![], &mut |target, place, _, _, under| {
                if target == register {
                    let at = if let Place::AtSignal(at) = place { Some(at) } else { None };
                    under.iter().copied().chain(at).for_each(|id| drop(self.value(going, sample, id)));
                }
            });
            self.executed(sample, register, block, &mut |place, value| {
                let bits = self.bits(sample, register, place, value);
                taken ^= &taken & &bits;
                if !self.keeps(going, sample, (register, place), value) {
                    taken |= bits;
                }
            });
        }
        taken
    }
    /// Does a register, in a sample, get what it is: by a mux, or over a wire with its next value?
    fn keeps(&self, going: &Going, sample: &Sample, (register, place): (Id, Place), mut value: Id) -> bool {
        for _ in 0..self.def.nodes.len() {
            if taken::keeps(self.def, register, place, value) {
                return true;
            }
            value = match self.def.nodes[value as usize].op {
                Op::Alias(of) => of,
                Op::Mux(choice, x, y) => match self.value(going, sample, choice) == BigUint::ZERO {
                    true => y,
                    false => x,
                },
                Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => {
                    self.behind(value).into_iter().for_each(|id| drop(self.value(going, sample, id)));
                    let mut last = None;
                    for block in self.assignments(value) {
                        self.executed(sample, value, block, &mut |place, of| last = Some((place, of)));
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

/// Numbers that stand in a module, and those beside them, by width.
fn numbers(def: &Def) -> HashMap<u32, Vec<BigUint>> {
    let mut all = HashMap::<u32, Vec<BigUint>>::new();
    for (id, node) in (0..).zip(&def.nodes) {
        let Some(number) = fold::constant(def, id) else { continue };
        let numbers = all.entry(node.width).or_default();
        let one = BigUint::from(1u32);
        let below = (*number != BigUint::ZERO).then(|| number - &one);
        let above = Some(number + &one).filter(|above| *above <= fold::ones(node.width));
        for number in [Some(number.clone()), below, above].into_iter().flatten() {
            if numbers.len() < NUMBERS && !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    all
}
