//! No register, memory, property or reset takes up a clock as data: it changes at the very edge, and each simulator sees something else.

use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;

/// Notes for who uses the module which inputs are taken up in it, and which outputs are clocks.
pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    let takers = takers(&b.def, drivers);
    let taken = behind(b, drivers, takers.iter().flat_map(|(_, _, reads)| reads).copied().collect());
    let has_clocks = b.def.nodes.iter().any(|node| matches!(node.op, Op::Net(Net::Clock(_))))
        || b.def.insts.iter().any(|inst| !inst.def.clock_outputs.is_empty());
    for (taker, what, reads) in takers.into_iter().filter(|_| has_clocks) {
        let Some(clock) = behind(b, drivers, reads).into_iter().filter(|id| is_clock(b, *id)).min() else { continue };
        let message = format!("{} takes up {} as data", what.unwrap_or_else(|| b.describe(taker)), b.describe(clock));
        let help = "a clock has no value at its edges; `m.clock()` is for outputs, and for foreign modules that take a clock as a signal";
        let notes = vec![(b.node(clock).loc, "it comes from here")];
        b.error(b.first_assigned_at(taker), message, notes, Some(help.into()));
    }
    let ports = || (0..).zip(&b.def.ports);
    let taken_inputs = ports().filter(|(_, port)| port.input && taken.contains(&port.node)).map(|(i, _)| i).collect();
    let is_clock = |port: &Port| behind(b, drivers, vec![port.node]).into_iter().any(|id| is_clock(b, id));
    let clocks = ports().filter(|(_, port)| has_clocks && !port.input && is_clock(port)).map(|(i, _)| i).collect();
    (b.def.taken_inputs, b.def.clock_outputs) = (taken_inputs, clocks);
}

/// What takes something up at edges, in words if its name does not say it, and all that it reads.
type Taker = (Id, Option<String>, Vec<Id>);

fn takers(def: &Def, drivers: &Drivers) -> Vec<Taker> {
    let assigned = |id: Id| drivers.get(&id).into_iter().flatten().copied();
    let mut list: Vec<Taker> = vec![];
    list.extend(def.regs.iter().map(|r| (r.node, None, assigned(r.node).chain(r.reads()).collect())));
    for inside in &def.inside {
        let what = format!("the reset of clock `{}`", def.domains[inside.domain as usize].clock);
        list.extend(inside.reset.map(|reset| (reset, Some(what), vec![reset])));
    }
    let property = |p: &Prop| (p.cond, Some(format!("the {} `{}`", p.kind, p.message)), vec![p.cond]);
    list.extend(def.props.iter().map(property));
    for memory in &def.mems {
        let writes: Vec<Id> = memory.writes.iter().flat_map(|w| [w.addr, w.data, w.mask]).collect();
        let reads = memory.reads.iter().filter(|r| r.sync).flat_map(|r| r.enable.into_iter().chain([r.addr]));
        list.extend(memory.reads.first().map(|first| (first.data, None, reads.chain(writes).collect())));
    }
    for inst in def.insts.iter().filter(|inst| inst.def.foreign.is_none()) {
        let pins = inst.def.taken_inputs.iter().map(|port| inst.pins[*port as usize]);
        list.extend(pins.map(|pin| (pin, None, assigned(pin).collect())));
    }
    list
}

/// All that these come from within the cycle, and themselves.
fn behind(b: &Draft, drivers: &Drivers, mut todo: Vec<Id>) -> HashSet<Id> {
    let mut seen = HashSet::default();
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            todo.extend(walk::sources(&b.def, drivers, id));
        }
    }
    seen
}

fn is_clock(b: &Draft, id: Id) -> bool {
    match b.node(id).op {
        Op::Net(Net::Clock(_)) => true,
        Op::Net(Net::PinOut(inst)) => {
            let inst = &b.def.insts[inst as usize];
            inst.def.clock_outputs.iter().any(|port| inst.pins[*port as usize] == id)
        }
        _ => false,
    }
}
