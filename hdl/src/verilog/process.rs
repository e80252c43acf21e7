//! Which registers and wires one process assigns: those that the user assigned together, in one `switch` or `when`.

use super::decode;
use super::flow::Flow;
use super::steps::{Step, steps};
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The assignments of one or several nets.
pub struct Process {
    /// What is assigned, in the order of declaration.
    pub targets: Vec<Id>,
    pub steps: Vec<Step>,
    /// The assignments of a wire, if all of them are without conditions and of separate parts: it takes no process.
    pub assigns: Option<Vec<(Place, Id)>>,
    /// The last node that is read.
    pub last: Id,
    /// The section in which the last assignment stands.
    pub section: u32,
    /// The variable of its loops; tools want one for each process. No name of a user begins with an underscore.
    pub counter: Option<String>,
}

/// All processes of a module.
#[derive(Default)]
pub struct Processes {
    list: Vec<Process>,
    of: HashMap<Id, usize>,
}

impl Processes {
    /// Every net for itself.
    pub fn single(def: &Def) -> Processes {
        let targets: BTreeMap<Id, Vec<usize>> = assigned(def);
        let mut out = Processes::default();
        targets.into_iter().for_each(|(target, stmts)| out.push(def, vec![target], stmts.into_iter().collect()));
        out
    }
    /// The nets that `wanted` holds of, together as the user assigned them.
    pub fn grouped(def: &Def, single: &Processes, wanted: impl Fn(Id) -> bool) -> Processes {
        let mut targets: BTreeMap<Id, Vec<usize>> = assigned(def);
        targets.retain(|target, _| wanted(*target));
        let takes_process = |target: &Id| single.get(*target).is_some_and(|p| p.assigns.is_none());
        let compound = def.stmts.iter().filter(|stmt| !matches!(stmt, Stmt::Set { .. }));
        let sets = compound.map(|stmt| {
            Stmt::targets(std::slice::from_ref(stmt)).into_iter().filter(|t| wanted(*t) && takes_process(t))
        });
        let (registers, wires): (Vec<BTreeSet<Id>>, Vec<BTreeSet<Id>>) =
            sets.map(|set| set.partition(|t| reg(def, *t).is_some())).unzip();
        let mut together = Together::new(targets.keys().copied());
        registers.iter().for_each(|set| together.registers(def, set));
        together.wires(def, wires.iter().filter(|set| set.len() > 1));
        let mut out = Processes::default();
        for group in together.groups() {
            let stmts: BTreeSet<usize> = group.iter().flat_map(|t| targets[t].iter().copied()).collect();
            out.push(def, group, stmts);
        }
        out
    }
    fn push(&mut self, def: &Def, targets: Vec<Id>, stmts: BTreeSet<usize>) {
        let set: HashSet<Id> = targets.iter().copied().collect();
        let mut section = 0;
        for stmt in &stmts {
            Stmt::each_set(std::slice::from_ref(&def.stmts[*stmt]), &mut vec![], &mut |target, _, _, at, _| {
                section = if set.contains(&target) { section.max(at) } else { section };
            });
        }
        let mut steps = steps(stmts.iter().map(|i| &def.stmts[*i]), &set);
        let clocked = targets.iter().any(|t| reg(def, *t).is_some());
        let assigns = if clocked { None } else { separate(def, &steps) };
        if clocked {
            decode::decode(def, &mut steps);
        }
        let reads = Step::reads(&steps).into_iter();
        let also = targets.iter().filter_map(|t| reg(def, *t)).flat_map(Reg::reads);
        let last = reads.chain(also).max().unwrap_or(0);
        let mut loops = false;
        Step::each(&steps, &mut |step| loops |= matches!(step, Step::Decoded { to, .. } if to.step().is_some()));
        let counter = loops.then(|| format!("_i{}", self.list.iter().filter(|p| p.counter.is_some()).count() + 1));
        self.of.extend(targets.iter().map(|t| (*t, self.list.len())));
        self.list.push(Process { targets, steps, assigns, last, section, counter });
    }
    /// The process of a net.
    pub fn get(&self, target: Id) -> Option<&Process> {
        Some(&self.list[*self.of.get(&target)?])
    }
    /// The index of the process of a net.
    pub fn index(&self, target: Id) -> Option<usize> {
        self.of.get(&target).copied()
    }
    /// In the order of their first targets.
    pub fn iter(&self) -> impl Iterator<Item = &Process> {
        self.list.iter()
    }
}

/// The register that a node is.
pub fn reg(def: &Def, id: Id) -> Option<&Reg> {
    match def.nodes[id as usize].op {
        Op::Net(Net::Reg(r)) => Some(&def.regs[r as usize]),
        _ => None,
    }
}

/// Every net that is assigned, with the statements of the module that do it.
fn assigned(def: &Def) -> BTreeMap<Id, Vec<usize>> {
    let mut out: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
    for (i, stmt) in def.stmts.iter().enumerate() {
        Stmt::targets(std::slice::from_ref(stmt)).into_iter().for_each(|target| out.entry(target).or_default().push(i));
    }
    out
}

/// The unconditional assignments of separate parts of one wire, if those are all.
fn separate(def: &Def, steps: &[Step]) -> Option<Vec<(Place, Id)>> {
    let mut parts = vec![];
    let mut used = BigUint::default();
    for step in steps {
        match step {
            Step::Set { place: Place::Whole, value, .. } => parts.push((Place::Whole, *value)),
            Step::Set { place: Place::At(lo), value, .. } => {
                let mask = fold::ones(def.nodes[*value as usize].width) << *lo;
                if (&used & &mask) != BigUint::default() || parts.iter().any(|(p, _)| *p == Place::Whole) {
                    return None;
                }
                used |= mask;
                parts.push((Place::At(*lo), *value));
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// Sets of nets that grow together.
struct Together {
    /// The first member of the set of each net.
    first: BTreeMap<Id, Id>,
    members: BTreeMap<Id, Vec<Id>>,
}

impl Together {
    fn new(nets: impl Iterator<Item = Id> + Clone) -> Together {
        Together { first: nets.clone().map(|t| (t, t)).collect(), members: nets.map(|t| (t, vec![t])).collect() }
    }
    fn join(&mut self, a: Id, b: Id) {
        let (a, b) = (self.first[&a].min(self.first[&b]), self.first[&a].max(self.first[&b]));
        if a != b {
            let moved = self.members.remove(&b).unwrap_or_default();
            self.first.extend(moved.iter().map(|t| (*t, a)));
            self.members.entry(a).or_default().extend(moved);
        }
    }
    /// Registers with the same clock and the same kind of reset.
    fn registers(&mut self, def: &Def, set: &BTreeSet<Id>) {
        let mut firsts: HashMap<(u32, bool, Option<Id>), Id> = HashMap::default();
        for (id, reg) in set.iter().filter_map(|t| Some((*t, reg(def, *t)?))) {
            let kind = (reg.domain, reg.reset.is_some(), reg.async_reset.as_ref().map(|(reset, _)| *reset));
            let first = *firsts.entry(kind).or_insert(id);
            self.join(first, id);
        }
    }
    /// The wires of each statement, as far as none is computed from another.
    fn wires<'s>(&mut self, def: &Def, sets: impl Iterator<Item = &'s BTreeSet<Id>> + Clone) {
        let mut flow = Flow::new(def, sets.clone().flatten().copied().collect());
        for set in sets {
            for (i, wire) in set.iter().enumerate() {
                if let Some(other) = set.iter().take(i).find(|other| flow.join(**other, *wire)) {
                    self.join(*other, *wire);
                }
            }
        }
    }
    fn groups(self) -> impl Iterator<Item = Vec<Id>> {
        self.members.into_values().map(|mut group| {
            group.sort();
            group
        })
    }
}
