//! How many registers are between the inputs and a node.

use super::parts::{Found, Parts};
use super::steps::{Step, is_setting, keeps, steps};
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeMap;

/// The dependencies behind some nodes.
pub(super) struct Distances {
    /// By node; empty for nodes that are not behind these, and at settings.
    steps: Vec<Vec<Step>>,
    /// By node: the registers that are within its steps, since other bits of them are of other cycles.
    passed: Vec<Vec<Id>>,
}

impl Distances {
    /// Of all that the outputs depend on, and of what enters pipelines.
    pub fn of_module(b: &Draft, drivers: &Drivers) -> Distances {
        let outputs = b.def.ports.iter().filter(|p| !p.input).map(|p| p.node);
        Distances::new(b, drivers, outputs.chain(b.staging.gates.keys().copied()).collect())
    }
    pub fn new(b: &Draft, drivers: &Drivers, from: Vec<Id>) -> Distances {
        let parts = Parts::new(b);
        let (mut todo, mut seen) = (from, vec![false; b.def.nodes.len()]);
        let (mut all, mut behind) = (vec![vec![]; b.def.nodes.len()], vec![]);
        let mut passed = vec![vec![]; b.def.nodes.len()];
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                behind.push(id);
                let found = match b.node(id).op {
                    _ if is_setting(b, id) => Found::default(),
                    Op::Slice(of, low) => parts.of_slice(of, low, b.node(id).width),
                    Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => parts.of_net(id, 0),
                    Op::Net(Net::Reg(r)) => parts.of_register(id, r),
                    _ => Found { steps: steps(b, drivers, id), passed: vec![] },
                };
                (all[id as usize], passed[id as usize]) = (found.steps, found.passed);
                todo.extend(all[id as usize].iter().map(|step| step.of));
            }
        }
        let loops =
            walk::in_loops(b.def.nodes.len(), &behind, |id| all[id as usize].iter().map(|step| step.of).collect());
        for &id in &behind {
            let marked = b.staging.marks.contains_key(&id);
            if !marked && !loops.contains(&id) && !keeps(b, drivers, id) {
                continue;
            }
            let is_register = matches!(b.node(id).op, Op::Net(Net::Reg(_)));
            for step in &mut all[id as usize] {
                step.most = None;
                let shows_before = is_register && loops.contains(&id);
                step.before = if shows_before { Some(0) } else { step.before }.filter(|_| !marked);
            }
        }
        Distances { steps: all, passed }
    }
    pub fn steps(&self, id: Id) -> &[Step] {
        &self.steps[id as usize]
    }
    /// All that these outputs depend on, now or over registers; not what is behind a setting.
    pub fn behind(&self, outputs: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut all = self.order(&outputs.into_iter().collect::<Vec<Id>>(), |_| false);
        let within: Vec<Id> = all.iter().flat_map(|id| self.passed[*id as usize].iter().copied()).collect();
        all.extend(within);
        all
    }
    /// The same of all outputs.
    pub fn behind_outputs(&self, b: &Draft) -> Vec<Id> {
        self.behind(b.def.ports.iter().filter(|p| !p.input).map(|p| p.node))
    }
    /// The inputs that reach a node, and over how many cycles at least: the nearest first. With `before`, what is kept of the items
    /// before counts as if it came at once.
    pub fn inputs<'a>(&'a self, b: &'a Draft, from: Id, before: bool) -> impl Iterator<Item = (Id, u32)> + 'a {
        let (mut todo, mut done) = (BTreeMap::from([(0, vec![from])]), vec![false; self.steps.len()]);
        std::iter::from_fn(move || {
            while let Some(mut entry) = todo.first_entry() {
                let cycles = *entry.key();
                let Some(id) = entry.get_mut().pop() else {
                    entry.remove();
                    continue;
                };
                if std::mem::replace(&mut done[id as usize], true) {
                    continue;
                }
                for step in self.steps(id) {
                    if let Some(more) = if before { step.before } else { Some(step.least) } {
                        todo.entry(cycles + more).or_default().push(step.of);
                    }
                }
                if b.node(id).op == Op::Net(Net::Input) {
                    return Some((id, cycles));
                }
            }
            None
        })
    }
    /// The input that reaches a node over the fewest registers, and how many.
    pub fn nearest(&self, b: &Draft, from: Id, before: bool) -> Option<(Id, u32)> {
        self.inputs(b, from, before).next()
    }
    /// These nodes and all that they depend on, dependencies first (but in loops); the search stops at nodes where `last` holds.
    pub fn order(&self, from: &[Id], last: impl Fn(Id) -> bool) -> Vec<Id> {
        let (mut seen, mut order) = (vec![false; self.steps.len()], vec![]);
        let mut first = |id: Id| !std::mem::replace(&mut seen[id as usize], true);
        for start in from {
            let mut path = if first(*start) { vec![(*start, 0)] } else { vec![] };
            while let Some((id, next)) = path.last_mut() {
                match self.steps(*id).get(*next).filter(|_| !last(*id)) {
                    None => {
                        order.push(*id);
                        path.pop();
                    }
                    Some(step) => {
                        *next += 1;
                        if first(step.of) {
                            path.push((step.of, 0));
                        }
                    }
                }
            }
        }
        order
    }
    /// For each node that `from` depends on, the longest way to `from` in registers; 0 for all others. `None` if some way has no bound.
    fn most(&self, from: Id) -> Option<Vec<u32>> {
        let order = self.order(&[from], |_| false);
        let mut most = vec![0; self.steps.len()];
        for id in order.into_iter().rev() {
            for step in self.steps(id) {
                most[step.of as usize] = most[step.of as usize].max(most[id as usize] + step.most?);
            }
        }
        Some(most)
    }
    /// For each node that `from` depends on: how many registers are on every way to `from`. `None` for all others, and where ways differ
    /// or have no bound.
    pub fn exact(&self, from: Id) -> Vec<Option<u32>> {
        let order = self.order(&[from], |_| false);
        let (mut exact, mut reached) = (vec![None; self.steps.len()], vec![false; self.steps.len()]);
        (exact[from as usize], reached[from as usize]) = (Some(0), true);
        for id in order.into_iter().rev() {
            for step in self.steps(id) {
                let bounded = step.most.filter(|most| *most == step.least);
                let way = exact[id as usize].zip(bounded).map(|(so_far, more)| so_far + more);
                let first = !std::mem::replace(&mut reached[step.of as usize], true);
                let known = &mut exact[step.of as usize];
                *known = if first || *known == way { way } else { None };
            }
        }
        exact
    }
    /// The most registers between an input and a node; 0 if there is no input. `None` where that has no bound.
    pub fn furthest(&self, b: &Draft, from: Id) -> Option<u32> {
        let most = self.most(from)?;
        let inputs = b.def.ports.iter().filter(|p| p.input);
        Some(inputs.map(|p| most[p.node as usize]).max().unwrap_or(0))
    }
}

/// The inputs that reach each output over no register.
pub(super) fn within_the_cycle(b: &Draft, distances: &Distances) -> Vec<(u32, Vec<u32>)> {
    let inputs = b.def.ports.iter().zip(0..).filter(|(p, _)| p.input);
    let port: HashMap<Id, u32> = inputs.map(|(p, i)| (p.node, i)).collect();
    let outputs = b.def.ports.iter().zip(0..).filter(|(p, _)| !p.input);
    let of =
        |output: Id| distances.inputs(b, output, false).take_while(|(_, cycles)| *cycles == 0).map(|(id, _)| port[&id]);
    outputs.map(|(p, i)| (i, of(p.node).collect())).collect()
}

/// The ways to each output over registers, as who uses the module counts them.
pub(super) fn ways(b: &Draft, distances: &Distances) -> Vec<(u32, Vec<Way>)> {
    let inputs = b.def.ports.iter().zip(0..).filter(|(p, _)| p.input);
    let port: HashMap<Id, u32> = inputs.map(|(p, i)| (p.node, i)).collect();
    let counted = |output: Id| {
        let most = distances.most(output);
        let way = |(input, least): (Id, u32)| Way {
            input: port[&input],
            least,
            most: most.as_ref().map(|most| most[input as usize]),
        };
        let mut least: HashMap<Id, u32> = distances.inputs(b, output, true).collect();
        // what is behind marks alone
        let behind = distances.behind([output]);
        for id in behind.into_iter().filter(|id| port.contains_key(id)) {
            least.entry(id).or_insert(0);
        }
        // those within the cycle are known as such
        let mut ways: Vec<Way> = least.into_iter().map(way).filter(|way| way.most != Some(0)).collect();
        ways.sort_by_key(|way| way.input);
        ways
    };
    let outputs = b.def.ports.iter().zip(0..).filter(|(p, _)| !p.input);
    outputs.map(|(p, i)| (i, counted(p.node))).collect()
}
