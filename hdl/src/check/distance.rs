//! How many registers are between the inputs and a node.

use super::driven::covered;
use super::parts::Parts;
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeMap;

/// Is this where a setting comes in: marked as constant, or an input that an instance takes for one?
pub(super) fn is_setting(b: &Draft, id: Id) -> bool {
    let of_an_instance =
        if let Op::Net(Net::PinIn(inst)) = b.node(id).op { b.takes_as_setting(inst, id) } else { false };
    of_an_instance || b.staging.gates.get(&id) == Some(&Gate::Constant)
}

/// What a node depends on, and the cycles between.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub of: Id,
    /// The least number of cycles.
    pub least: u32,
    /// The least, where state counts as if it came at once; `None` from a node marked with `state` or `feedback`.
    pub before: Option<u32>,
    /// The greatest; `None` where there is no bound: feedback, and words of memories.
    pub most: Option<u32>,
}

impl Step {
    pub fn exactly(of: Id, cycles: u32) -> Step {
        Step { of, least: cycles, before: Some(cycles), most: Some(cycles) }
    }
}

/// The dependencies behind some nodes.
pub(super) struct Distances {
    /// By node; empty for nodes that are not behind these, and at settings.
    steps: Vec<Vec<Step>>,
}

impl Distances {
    /// Of all that the outputs depend on, and of what enters pipelines.
    pub fn of_module(b: &Draft, drivers: &Drivers) -> Distances {
        let outputs = b.def.ports.iter().filter(|p| !p.input).map(|p| p.node);
        Distances::new(b, drivers, outputs.chain(b.staging.gates.keys().copied()).collect())
    }
    pub fn new(b: &Draft, drivers: &Drivers, from: Vec<Id>) -> Distances {
        let parts = Parts::new(b, drivers);
        let (mut todo, mut seen) = (from, vec![false; b.def.nodes.len()]);
        let (mut all, mut behind) = (vec![vec![]; b.def.nodes.len()], vec![]);
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                behind.push(id);
                all[id as usize] = match b.node(id).op {
                    Op::Slice(of, low) if !is_setting(b, id) => parts.steps_of_slice(of, low, b.node(id).width),
                    _ => steps(b, drivers, id),
                };
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
        Distances { steps: all }
    }
    pub fn steps(&self, id: Id) -> &[Step] {
        &self.steps[id as usize]
    }
    /// All that these outputs depend on, now or over registers; not what is behind a setting.
    pub fn behind(&self, outputs: impl IntoIterator<Item = Id>) -> Vec<Id> {
        self.order(&outputs.into_iter().collect::<Vec<Id>>(), |_| false)
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

/// What a node depends on, each with the cycles between. What comes in as a setting ends the way.
pub(super) fn steps(b: &Draft, drivers: &Drivers, id: Id) -> Vec<Step> {
    if is_setting(b, id) {
        return vec![];
    }
    if let Op::Net(Net::Reg(r)) = b.node(id).op {
        // what resets it is a setting, too
        let enables = b.def.regs[r as usize].enable.map(|enable| enables(b, enable)).unwrap_or_default();
        let reads = drivers.get(&id).into_iter().flatten().copied().chain(enables);
        return reads.map(|x| Step::exactly(x, 1)).collect();
    }
    let mut out: Vec<Step> = walk::sources(&b.def, drivers, id).into_iter().map(|x| Step::exactly(x, 0)).collect();
    match b.node(id).op {
        Op::Net(Net::MemRead(m, p)) => {
            let mem = &b.def.mems[m as usize];
            let port = &mem.reads[p as usize];
            let enables = port.enable.map(|enable| enables(b, enable)).unwrap_or_default();
            out.extend(enables.into_iter().chain([port.addr]).map(|x| Step::exactly(x, u32::from(port.sync))));
            let written = mem.writes.iter().flat_map(|w| mask(b, w.mask).into_iter().chain([w.addr, w.data]));
            // a word of a stage is state of it, from the items before
            let of_a_stage = b.node(id).stage.is_some_and(|stage| stage.at.is_some());
            let before = if of_a_stage { u32::from(port.sync) } else { 1 };
            out.extend(written.map(|x| Step { before: Some(before), ..Step::exactly(x, 1) }));
        }
        Op::Net(Net::PinOut(inst)) => out.extend(through_instance(b, drivers, inst, id)),
        _ => {}
    }
    out
}

/// What an output of an instance depends on over its registers: when its module states cycles, these, of each input that reaches it; else
/// as its registers were counted.
fn through_instance(b: &Draft, drivers: &Drivers, inst: u32, output: Id) -> Vec<Step> {
    let Inst { def, pins, .. } = &b.def.insts[inst as usize];
    if !def.keeps_something() {
        return vec![];
    }
    let output = b.def.insts[inst as usize].port_of(output).unwrap_or(0) as u32;
    let stated = def.latency_of(output).filter(|cycles| *cycles > 0);
    let steps: Vec<Step> = if def.foreign.is_some() {
        // nobody knows which inputs reach it
        let inputs = pins.iter().filter(|p| matches!(b.node(**p).op, Op::Net(Net::PinIn(_))));
        inputs.map(|pin| Step::exactly(*pin, stated.unwrap_or(1))).collect()
    } else {
        let counted = |of: Id, way: &Way| Step { of, least: way.least.max(1), before: Some(way.least), most: way.most };
        let step = |way: &Way| {
            let pin = pins[way.input as usize];
            stated.map_or_else(|| counted(pin, way), |cycles| Step::exactly(pin, cycles))
        };
        let settings = def.settings.iter().map(|port| Step::exactly(pins[*port as usize], 1));
        def.ways_to(output).iter().map(step).chain(settings).collect()
    };
    // what holds the instance brings what chooses: no data
    let advance = b.advance_pin(inst);
    let holds = |pin: Id| drivers.get(&pin).into_iter().flatten().flat_map(|of| enables(b, *of)).collect();
    let behind = |step: Step| {
        let of = if Some(step.of) == advance { holds(step.of) } else { vec![step.of] };
        of.into_iter().map(move |of| Step { of, ..step })
    };
    steps.into_iter().flat_map(behind).collect()
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

/// What an enable brings to a register, but for the input that holds all of the module: that brings no data.
pub(super) fn enables(b: &Draft, enable: Id) -> Vec<Id> {
    let holds = b.def.advance.map(|port| b.def.ports[port as usize].node);
    b.enables_of(enable).into_iter().filter(|enable| Some(*enable) != holds).collect()
}

/// The same for the mask of a write port. What is marked as a setting is looked at no further: it is one.
fn mask(b: &Draft, of: Id) -> Vec<Id> {
    let leaves = walk::leaves(of, |id| match b.node(id).op {
        _ if is_setting(b, id) => None,
        Op::Alias(of) | Op::Repeat(of, _) => Some(vec![of]),
        Op::Bin(BinOp::And, one, other) => Some(vec![one, other]),
        _ => None,
    });
    leaves.into_iter().flat_map(|id| if is_setting(b, id) { vec![id] } else { enables(b, id) }).collect()
}

/// Can this enable be 0 while the module itself is enabled?
fn chosen(b: &Draft, enable: Id) -> bool {
    let advance = b.def.advance.map(|port| b.def.ports[port as usize].node);
    let always = |enable: Id| b.constant(enable).is_some_and(|value| value.bit(0));
    b.enables_of(enable).into_iter().any(|enable| Some(enable) != advance && !always(enable))
}

/// Is an instance held while the module goes on, by what drives the input that holds it?
fn chosen_instance(b: &Draft, drivers: &Drivers, inst: u32) -> bool {
    let by = b.advance_pin(inst).and_then(|pin| drivers.get(&pin));
    by.into_iter().flatten().any(|enable| chosen(b, *enable))
}

/// Does a write port depend on nothing but settings? It writes the same to the same place again and again.
pub(super) fn writes_settings(b: &Draft, port: &WritePort) -> bool {
    let setting = |id: &Id| b.node(*id).stage.is_some_and(|s| s.at.is_none()) || b.is_free(*id);
    [port.addr, port.data, port.mask].iter().all(setting)
}

/// Does what goes in stay for an unknown time?
pub(super) fn keeps(b: &Draft, drivers: &Drivers, id: Id) -> bool {
    match b.node(id).op {
        Op::Net(Net::MemRead(m, p)) => {
            let mem = &b.def.mems[m as usize];
            let port = &mem.reads[p as usize];
            mem.writes.iter().any(|w| !writes_settings(b, w))
                || (port.sync && port.enable.is_some_and(|e| chosen(b, e)))
        }
        Op::Net(Net::Reg(r)) => {
            let all = fold::ones(b.node(id).width);
            b.def.regs[r as usize].enable.is_some_and(|e| chosen(b, e)) || covered(&b.def, &b.def.stmts, id) != all
        }
        Op::Net(Net::PinOut(i)) => {
            let inst = &b.def.insts[i as usize];
            let (def, output) = (&inst.def, inst.port_of(id).unwrap_or(0) as u32);
            if def.foreign.is_some() {
                // of a foreign module nothing is counted
                let unknown = def.latency.is_none() || chosen_instance(b, drivers, i);
                return def.remembers || (def.keeps_something() && unknown);
            }
            def.traces.contains(&output) || (!def.ways_to(output).is_empty() && chosen_instance(b, drivers, i))
        }
        _ => false,
    }
}
