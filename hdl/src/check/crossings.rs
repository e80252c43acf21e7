//! What crosses to another clock on purpose: where it comes from, and that it comes from one clock.
//!
//! A signal computed from two clocks may show what it never is while one of them changes; no synchronizer makes that good. An
//! input of a module may belong to any clock while only crossings take it up; those that cross together are checked where the
//! module is used.

use super::clocks::{Check, Clock, Report, pin_domain};
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeSet;

/// What was found of signals that cross together.
pub(super) struct Together {
    /// For [`Def::crossing_inputs`].
    pub groups: Vec<Vec<u32>>,
    /// Inputs that cross together with a signal of a clock of this module, and so belong to it.
    pub bound: Vec<Id>,
    pub reports: Vec<Report>,
}

#[derive(Clone, Copy)]
enum Where {
    Instance(u32),
    Here(Id),
}

/// Signals that cross as one.
struct Group {
    signals: Vec<Id>,
    /// The instance in which they do, or the crossing of this module.
    place: Where,
}

const HELP: &str = "let each cross by itself, and combine them in the clock that they go to";

impl Check<'_> {
    /// Is this an input of the module that belongs to no clock of it?
    pub fn free(&self, source: Id) -> bool {
        let input = matches!(self.b.node(source).op, Op::Net(Net::Input));
        self.open.contains(&source) || input && matches!(self.clock(source), Clock::Of(ASYNCHRONOUS, _))
    }
    fn groups(&self) -> Vec<Group> {
        let own = self.b.def.crossings.iter().filter_map(|c| match c.what {
            Crosser::Signal { node, from } => Some(Group { signals: vec![from], place: Where::Here(node) }),
            Crosser::Memory(_) => None,
        });
        let mut groups: Vec<Group> = own.collect();
        for (i, inst) in self.b.def.insts.iter().enumerate() {
            let asynchronous = |pin: &&Id| pin_domain(inst, **pin) == Some(ASYNCHRONOUS);
            let inputs = inst.pins.iter().zip(&inst.def.ports).filter(|(_, p)| p.input).map(|(pin, _)| pin);
            let alone = inputs.filter(asynchronous).map(|pin| vec![*pin]);
            let inside = inst.def.crossing_inputs.iter();
            let inside = inside.map(|inputs| inputs.iter().map(|input| inst.pins[*input as usize]).collect());
            let all: BTreeSet<Vec<Id>> = alone.chain(inside).collect();
            groups.extend(all.into_iter().map(|signals| Group { signals, place: Where::Instance(i as u32) }));
        }
        groups
    }
    /// Looks at all that crosses: here, and in instances of whatever clock their inputs are.
    pub fn together(&mut self) -> Together {
        let mut found = Together { groups: vec![], bound: vec![], reports: vec![] };
        let resets_alone: HashSet<Id> = self.behind_resets().difference(&self.behind_data()).copied().collect();
        for group in self.groups() {
            let at = group.signals[0];
            let clock = group.signals.iter().fold(Clock::Any, |clock, s| self.join(at, clock, self.clock(*s)));
            match clock {
                Clock::Mixed(mix) => found.reports.push(self.two_clocks(&group, mix)),
                _ if self.check_glitches(&group, &resets_alone, &mut found.reports) => {}
                Clock::Of(_, source) if !self.free(source) => {
                    found.bound.extend(self.free_inputs(&group.signals));
                    // logic in front of them is in the module around this one
                    found.groups.push(self.ports_of(&self.inputs(&group.signals)));
                }
                _ => found.groups.push(self.ports_of(&self.free_inputs(&group.signals))),
            }
        }
        found.groups.retain(|group| !group.is_empty());
        found.groups.sort();
        found.groups.dedup();
        found
    }
    /// Does a group come out of logic? That is reported.
    fn check_glitches(&self, group: &Group, resets_alone: &HashSet<Id>, reports: &mut Vec<Report>) -> bool {
        let inst = match group.place {
            Where::Here(node) if resets_alone.contains(&node) => return false,
            Where::Here(_) => None,
            Where::Instance(inst) => Some(inst),
        };
        let report = self.glitch(&group.signals, inst);
        let found = report.is_some();
        reports.extend(report);
        found
    }
    fn two_clocks(&self, group: &Group, mix: usize) -> Report {
        let ((d, x), (e, y)) = (self.mixes[mix].first, self.mixes[mix].second);
        let (one, other) = (self.of_clock(d, x), self.of_clock(e, y));
        let (loc, place) = match group.place {
            Where::Here(node) => (self.b.node(node).loc, String::new()),
            Where::Instance(i) => {
                let last = group.signals[group.signals.len() - 1];
                (self.b.first_assigned_at(last), format!(" in `{}`", self.b.def.insts[i as usize].name))
            }
        };
        let message = format!("{one} and {other} cross to another clock as one signal{place}");
        let notes =
            vec![(self.b.node(x).loc, "the first comes from here"), (self.b.node(y).loc, "the second from here")];
        (loc, message, notes, HELP)
    }
    /// The inputs of whatever clock that these are computed from.
    fn free_inputs(&self, signals: &[Id]) -> Vec<Id> {
        self.inputs(signals).into_iter().filter(|id| self.free(*id)).collect()
    }
    /// All inputs that these are computed from.
    fn inputs(&self, signals: &[Id]) -> Vec<Id> {
        let mut seen = vec![false; self.b.def.nodes.len()];
        let (mut todo, mut found) = (signals.to_vec(), vec![]);
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                found.extend((self.b.node(id).op == Op::Net(Net::Input)).then_some(id));
                todo.extend(self.reads(id));
            }
        }
        found
    }
    fn ports_of(&self, inputs: &[Id]) -> Vec<u32> {
        let ports = self.b.def.ports.iter().zip(0..).filter(|(p, _)| inputs.contains(&p.node));
        ports.map(|(_, port)| port).collect()
    }
    pub fn memory_crossings(&self) -> Vec<CrossingData> {
        let mut found = vec![];
        for (i, m) in self.b.def.mems.iter().enumerate() {
            let Some(reason) = &m.crossing else { continue };
            let data = |(from, to)| CrossingData {
                what: Crosser::Memory(i as u32),
                from: Origin::Domain(from),
                to,
                reason: reason.clone(),
            };
            let clocks = self.memory_clocks(m).into_iter().filter(|(_, user)| *user != ASYNCHRONOUS);
            found.extend(clocks.map(data));
        }
        found
    }
    /// Where each declared crossing comes from.
    pub fn crossing_sources(&self) -> Vec<Origin> {
        let source = |c: &CrossingData| match c.what {
            Crosser::Signal { from, .. } => self.origin(from),
            Crosser::Memory(_) => c.from,
        };
        self.b.def.crossings.iter().map(source).collect()
    }
    pub fn origin(&self, id: Id) -> Origin {
        match self.clock(id) {
            Clock::Of(_, source) if self.free(source) => {
                let port = self.b.def.ports.iter().position(|p| p.node == source);
                port.map_or(Origin::None, |port| Origin::Input(port as u32))
            }
            Clock::Of(ASYNCHRONOUS, _) | Clock::Any | Clock::Mixed(_) => Origin::None,
            Clock::Of(domain, _) => Origin::Domain(domain),
        }
    }
}
