//! No register, memory or instance takes up a clock as data: it changes at the very edge, and each simulator sees something else.

use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::HashSet;

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    if !b.def.nodes.iter().any(|node| matches!(node.op, Op::Net(Net::Clock(_)))) {
        return;
    }
    for (taker, reads) in takers(&b.def, drivers) {
        let Some(clock) = clock_behind(b, drivers, reads) else { continue };
        let message = format!("{} takes up {} as data", b.describe(taker), b.describe(clock));
        let help = "a clock has no value at its edges; `m.clock()` is for outputs, and for foreign modules that take a clock as a signal";
        let notes = vec![(b.node(clock).loc, "it comes from here")];
        b.error(b.node(taker).loc, message, notes, Some(help.into()));
    }
}

/// What has a clock, and all that it reads.
fn takers(def: &Def, drivers: &Drivers) -> Vec<(Id, Vec<Id>)> {
    let assigned = |id: Id| drivers.get(&id).into_iter().flatten().copied();
    let mut list: Vec<(Id, Vec<Id>)> = vec![];
    list.extend(def.regs.iter().map(|r| (r.node, assigned(r.node).chain(r.reads()).collect())));
    for memory in &def.mems {
        let writes: Vec<Id> = memory.writes.iter().flat_map(|w| [w.addr, w.data, w.mask]).collect();
        // a memory that is never read is no part of what is printed
        let reads = memory.reads.iter().filter(|r| r.sync).flat_map(|r| r.enable.into_iter().chain([r.addr]));
        list.extend(memory.reads.first().map(|first| (first.data, reads.chain(writes).collect())));
    }
    for inst in def.insts.iter().filter(|inst| inst.def.foreign.is_none()) {
        let taken = inst.pins.iter().zip(&inst.def.ports).filter(|(_, port)| port.input && port.domain.is_some());
        list.extend(taken.map(|(pin, _)| (*pin, assigned(*pin).collect())));
    }
    list
}

/// The first clock that these come from within the cycle.
fn clock_behind(b: &Draft, drivers: &Drivers, mut todo: Vec<Id>) -> Option<Id> {
    let mut seen = HashSet::new();
    while let Some(id) = todo.pop() {
        if matches!(b.node(id).op, Op::Net(Net::Clock(_))) {
            return Some(id);
        }
        if seen.insert(id) {
            todo.extend(walk::sources(&b.def, drivers, id));
        }
    }
    None
}
