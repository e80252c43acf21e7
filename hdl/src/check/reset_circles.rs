//! No register resets itself: not the clock with which it is reset, and not what resets that, here or by way of instances. Once in
//! reset, it would stay so for ever, or let go at once, as the Verilog is printed.

use super::reset_sources::{Source, at_pin, behind, sources};
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;

pub(super) fn check(b: &mut Draft) {
    let mut done = HashSet::default();
    for start in sources(&b.def) {
        let mut path = vec![];
        if let Some(register) = circle(&b.def, start, &mut path, &mut done) {
            let message = format!("{} is reset by what it resets", b.describe(register));
            let help = "a register of the circle has no reset (`reg`), or one that comes from a port";
            let way: Vec<Id> = path.iter().rev().map(|source| source.id).take_while(|id| *id != register).collect();
            let notes = way.into_iter().rev().map(|id| (b.node(id).loc, "by way of this")).collect();
            return b.error(b.node(register).loc, message, notes, Some(help.into()));
        }
    }
}

/// The first of the registers behind `from` that is reset by itself.
fn circle(def: &Def, from: Source, path: &mut Vec<Source>, done: &mut HashSet<Source>) -> Option<Id> {
    if path.contains(&from) {
        return Some(from.id);
    }
    if done.contains(&from) {
        return None;
    }
    path.push(from);
    let (next, _) = reset_by(def, from);
    let found = next.into_iter().find_map(|source| circle(def, source, path, done));
    if found.is_none() {
        path.pop();
        done.insert(from);
    }
    found
}

/// The sources of what resets a register, or the register behind an output of an instance; and the clocks with which it is reset by
/// ports of this module (indices into `domains`).
fn reset_by(def: &Def, source: Source) -> (Vec<Source>, Vec<u32>) {
    let (mut signals, mut domains) = (vec![], vec![]);
    match def.nodes[source.id as usize].op {
        Op::Net(Net::Reg(r)) => {
            let register = &def.regs[r as usize];
            signals.extend(register.async_reset.iter().map(|(reset, _)| Source::whole(def, *reset, false)));
            domains.extend(register.reset.as_ref().map(|_| register.domain));
        }
        Op::Net(Net::Reset(domain)) => domains.push(domain),
        Op::Net(Net::PinOut(inst)) if def.insts[inst as usize].def.foreign.is_none() => {
            let inst = &def.insts[inst as usize];
            if let Some(port) = inst.port_of(source.id) {
                let (inputs, clocks) = reset_inside(&inst.def, Source { id: inst.def.ports[port].node, ..source });
                signals.extend(inputs.into_iter().map(|input| at_pin(inst, input)));
                domains.extend(clocks.into_iter().map(|domain| inst.domains[domain as usize]));
            }
        }
        _ => {}
    }
    let inside = domains.iter().filter_map(|domain| def.reset_inside(*domain));
    signals.extend(inside.map(|reset| Source::whole(def, reset, false)));
    let mut found = vec![];
    for signal in signals {
        behind(def, signal, &mut found);
    }
    domains.retain(|domain| def.reset_inside(*domain).is_none());
    (found, domains)
}

/// The inputs and the clocks of a module that reset what is behind an output, by way of whatever it is.
fn reset_inside(def: &Def, output: Source) -> (Vec<ResetInput>, Vec<u32>) {
    let (mut todo, mut seen, mut inputs, mut clocks) = (vec![], HashSet::default(), vec![], vec![]);
    behind(def, output, &mut todo);
    while let Some(source) = todo.pop() {
        if !seen.insert(source) {
            continue;
        }
        let (next, domains) = reset_by(def, source);
        clocks.extend(domains);
        inputs.extend(next.iter().filter_map(|source| source.input(def)));
        todo.extend(next);
    }
    (inputs, clocks)
}
