//! Which wires one combinational process may assign together.
//!
//! For a simulator a process is one thing: all that it assigns depends on all that it reads. So wires are only put together where
//! that makes no path that is not there: neither from one of them to another, which would be a loop, nor from an input port to an
//! output port, which would be one where the module around connects them.

use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

pub struct Flow<'a> {
    def: &'a Def,
    /// The group of each wire.
    of: HashMap<Id, usize>,
    /// Empty: it went into another one.
    groups: Vec<Group>,
}

/// Wires of one process, and what is next to them; what lies between is no wire of a process.
#[derive(Default, Clone)]
struct Group {
    wires: BTreeSet<Id>,
    /// Wires that these are computed from.
    from: BTreeSet<Id>,
    /// Wires that are computed from these.
    to: BTreeSet<Id>,
    /// Input ports that these are computed from.
    inputs: BTreeSet<u32>,
    /// Output ports that are computed from these.
    outputs: BTreeSet<u32>,
}

impl<'a> Flow<'a> {
    /// Every wire for itself.
    pub fn new(def: &'a Def, wires: BTreeSet<Id>) -> Flow<'a> {
        let groups = wires.iter().map(|wire| Group { wires: [*wire].into(), ..Group::default() }).collect();
        let of = wires.iter().enumerate().map(|(i, wire)| (*wire, i)).collect();
        let mut flow = Flow { def, of, groups };
        let drivers = walk::drivers(def);
        let mut seen = vec![0; def.nodes.len()];
        for (round, wire) in wires.into_iter().enumerate() {
            let group = flow.of[&wire];
            for id in flow.next_to(wire, &drivers, &mut seen, round + 1) {
                match (flow.of.get(&id), flow.input(id)) {
                    (Some(from), _) => {
                        let from = *from;
                        flow.groups[from].to.insert(wire);
                        flow.groups[group].from.insert(id);
                    }
                    (None, input) => flow.groups[group].inputs.extend(input),
                }
            }
        }
        for (i, port) in def.ports.iter().enumerate().filter(|(_, port)| !port.input) {
            let before = match flow.of.contains_key(&port.node) {
                true => vec![port.node],
                false => flow.next_to(port.node, &drivers, &mut seen, usize::MAX - i),
            };
            for group in before.iter().filter_map(|id| flow.of.get(id)) {
                flow.groups[*group].outputs.insert(i as u32);
            }
        }
        flow
    }
    fn input(&self, id: Id) -> Option<u32> {
        self.def.ports.iter().position(|port| port.input && port.node == id).map(|i| i as u32)
    }
    /// The wires of processes and the input ports that a node is computed from, with no such wire between.
    fn next_to(&self, start: Id, drivers: &Drivers, seen: &mut [usize], round: usize) -> Vec<Id> {
        let mut found = vec![];
        let mut todo = walk::sources(self.def, drivers, start);
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut seen[id as usize], round) == round {
                continue;
            }
            match (self.of.contains_key(&id), self.def.nodes[id as usize].op == Op::Net(Net::Input)) {
                (false, false) => todo.extend(walk::sources(self.def, drivers, id)),
                _ => found.push(id),
            }
        }
        found
    }
    /// Puts the groups of two wires together, if that makes no path that is not there.
    pub fn join(&mut self, a: Id, b: Id) -> bool {
        let (a, b) = (self.of[&a], self.of[&b]);
        if a == b {
            return true;
        }
        let (before_a, before_b) = (self.reached(a, |g| &g.from), self.reached(b, |g| &g.from));
        if before_a.contains(&b) || before_b.contains(&a) {
            return false;
        }
        let after: BTreeSet<usize> = &self.reached(a, |g| &g.to) | &self.reached(b, |g| &g.to);
        let inputs: BTreeSet<u32> =
            (&before_a | &before_b).iter().flat_map(|g| &self.groups[*g].inputs).copied().collect();
        let mut outputs = after.iter().flat_map(|g| &self.groups[*g].outputs);
        if !outputs.all(|output| self.is_path(&inputs, *output)) {
            return false;
        }
        let from = std::mem::take(&mut self.groups[b]);
        self.of.extend(from.wires.iter().map(|wire| (*wire, a)));
        let into = &mut self.groups[a];
        into.wires.extend(from.wires);
        into.from.extend(from.from);
        into.to.extend(from.to);
        into.inputs.extend(from.inputs);
        into.outputs.extend(from.outputs);
        true
    }
    /// Does the output depend on all these inputs anyway?
    fn is_path(&self, inputs: &BTreeSet<u32>, output: u32) -> bool {
        let known = self.def.comb.iter().find(|(port, _)| *port == output).map_or(&[][..], |(_, inputs)| inputs);
        inputs.iter().all(|input| known.contains(input))
    }
    /// The group and all that are before it, or behind it.
    fn reached(&self, start: usize, next: impl Fn(&Group) -> &BTreeSet<Id>) -> BTreeSet<usize> {
        let (mut todo, mut seen) = (vec![start], BTreeSet::new());
        while let Some(group) = todo.pop() {
            if seen.insert(group) {
                todo.extend(next(&self.groups[group]).iter().map(|wire| self.of[wire]));
            }
        }
        seen
    }
}
