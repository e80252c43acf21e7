//! What is assigned to nets, by net; and which of their bits each assignment may give.

use crate::ir::fold::ones;
use crate::ir::walk::Drivers;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

/// The statements of a module by what they assign to.
pub(super) struct Assigned<'a> {
    def: &'a Def,
    /// Indices of the outermost statements, each once.
    statements: HashMap<Id, Vec<usize>>,
    /// Of what is assigned once, as a whole and without condition: the value.
    names: HashMap<Id, Option<Id>>,
}

impl<'a> Assigned<'a> {
    pub fn new(def: &'a Def) -> Assigned<'a> {
        let mut assigned = Assigned { def, statements: HashMap::default(), names: HashMap::default() };
        for (at, stmt) in def.stmts.iter().enumerate() {
            Stmt::each_set(std::slice::from_ref(stmt), &mut vec![], &mut |target, place, value, _, under| {
                let only = (under.is_empty() && place == Place::Whole).then_some(value);
                assigned.names.entry(target).and_modify(|name| *name = None).or_insert(only);
                let all = assigned.statements.entry(target).or_default();
                if all.last() != Some(&at) {
                    all.push(at);
                }
            });
        }
        assigned
    }
    /// The outermost statements that assign to a net, in their order.
    pub fn to(&self, net: Id) -> impl Iterator<Item = &'a [Stmt]> {
        let def = self.def;
        self.statements.get(&net).into_iter().flatten().map(move |at| std::slice::from_ref(&def.stmts[*at]))
    }
    /// What a signal is another name of.
    pub fn name(&self, id: Id) -> Option<Id> {
        match self.def.nodes[id as usize].op {
            Op::Alias(of) => Some(of),
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.names.get(&id).copied().flatten(),
            _ => None,
        }
    }
    /// What a signal is, by whatever names.
    pub fn behind_names(&self, mut id: Id) -> Id {
        let mut names = HashSet::default();
        while let Some(of) = self.name(id).filter(|of| names.insert(*of)) {
            id = of;
        }
        id
    }
    /// What decides about the value of a net: the conditions and selectors, places and values of its assignments.
    pub fn behind(&self, net: Id) -> Vec<Id> {
        let mut out = vec![];
        for block in self.to(net) {
            Stmt::each_set(block, &mut vec![], &mut |target, place, value, _, under| {
                if target == net {
                    out.extend(under);
                    out.push(value);
                    out.extend(if let Place::AtSignal(at) = place { Some(at) } else { None });
                }
            });
        }
        out
    }
}

/// An assignment to a net.
pub(super) struct Given {
    pub place: Place,
    pub value: Id,
    /// The conditions and selectors it stands under.
    pub under: Vec<Id>,
    /// The bits of the net that may be this: on some path, no later assignment sets them.
    pub bits: BigUint,
}

impl Given {
    /// Those in `within`, and of `taken`, as ranges.
    pub fn runs(&self, within: Range<u32>, taken: Option<&BigUint>) -> Vec<Range<u32>> {
        let mut runs: Vec<Range<u32>> = vec![];
        let is = |bit: &u32| self.bits.bit((*bit).into()) && taken.is_none_or(|taken| taken.bit((*bit).into()));
        for bit in within.filter(is) {
            match runs.last_mut().filter(|run| run.end == bit) {
                Some(run) => run.end += 1,
                None => runs.push(bit..bit + 1),
            }
        }
        runs
    }
}

/// [`walk::drivers`] of the assignments that may give a net bits.
pub(super) fn live_drivers(def: &Def) -> Drivers {
    let reads = |given: &Given| {
        let at = if let Place::AtSignal(at) = given.place { Some(at) } else { None };
        [given.value].into_iter().chain(given.under.iter().copied()).chain(at).collect::<Vec<Id>>()
    };
    given(def).into_iter().map(|(net, all)| (net, all.iter().flat_map(reads).collect())).collect()
}

/// The assignments to each net that may give it bits, in their order.
pub(super) fn given(def: &Def) -> HashMap<Id, Vec<Given>> {
    let mut found = Found { def, under: vec![], given: HashMap::default() };
    found.last_first(&def.stmts, &mut HashMap::default());
    found.given.values_mut().for_each(|all| all.reverse());
    found.given
}

/// What `given` finds, from the last statement to the first.
struct Found<'a> {
    def: &'a Def,
    under: Vec<Id>,
    given: HashMap<Id, Vec<Given>>,
}

impl Found<'_> {
    /// The assignments of a block; `open`: of each net the bits that are not set behind it on every path, all of them where it has none.
    fn last_first(&mut self, block: &[Stmt], open: &mut HashMap<Id, BigUint>) {
        for stmt in block.iter().rev() {
            match stmt {
                Stmt::Set { target, place, value, .. } => {
                    let all = ones(self.def.nodes[*target as usize].width);
                    let open = open.entry(*target).or_insert(all);
                    self.set(*target, *place, *value, open);
                }
                Stmt::If { cond: choice, .. } | Stmt::Case { selector: choice, .. } => {
                    self.under.push(*choice);
                    self.branches(stmt, open);
                    self.under.pop();
                }
            }
        }
    }
    fn set(&mut self, target: Id, place: Place, value: Id, open: &mut BigUint) {
        let (def, under) = (self.def, self.under.clone());
        let sets = bits_of(def, target, place, value);
        let bits = &sets & &*open;
        if bits != BigUint::ZERO {
            // which bits a signal chooses is not known here
            if !matches!(place, Place::AtSignal(_)) {
                *open ^= &bits;
            }
            self.given.entry(target).or_default().push(Given { place, value, under, bits });
        }
    }
    fn branches(&mut self, stmt: &Stmt, open: &mut HashMap<Id, BigUint>) {
        let targets = Stmt::targets(std::slice::from_ref(stmt));
        let behind: Vec<(Id, BigUint)> = targets.into_iter().map(|id| (id, self.open(open, id))).collect();
        open.extend(behind.iter().map(|(id, _)| (*id, BigUint::ZERO)));
        for branch in branches(self.def, stmt).into_iter().rev() {
            let mut inside: HashMap<Id, BigUint> = behind.iter().cloned().collect();
            self.last_first(branch, &mut inside);
            for (id, bits) in inside {
                *open.entry(id).or_default() |= bits;
            }
        }
    }
    fn open(&self, open: &HashMap<Id, BigUint>, id: Id) -> BigUint {
        open.get(&id).cloned().unwrap_or_else(|| ones(self.def.nodes[id as usize].width))
    }
}

/// The blocks of an `If` or a `Case`, of which one is executed: an empty one where it may be that none is.
pub(super) fn branches<'a>(def: &Def, stmt: &'a Stmt) -> Vec<&'a [Stmt]> {
    match stmt {
        Stmt::Set { .. } => vec![],
        Stmt::If { then, otherwise, .. } => vec![then, otherwise],
        Stmt::Case { selector, arms, default, .. } => {
            // no value is listed twice: the builder sees to that
            let listed: usize = arms.iter().map(|(values, _)| values.len()).sum();
            let all = BigUint::from(listed) == BigUint::from(1u32) << def.nodes[*selector as usize].width;
            let rest = (!all).then(|| default.as_deref().unwrap_or(&[]));
            arms.iter().map(|(_, block)| &block[..]).chain(rest).collect()
        }
    }
}

/// The bits of a net that an assignment may set.
pub(super) fn bits_of(def: &Def, target: Id, place: Place, value: Id) -> BigUint {
    match place {
        Place::At(low) => ones(def.nodes[value as usize].width) << low,
        Place::Whole | Place::AtSignal(_) => ones(def.nodes[target as usize].width),
    }
}
