//! A register that resets others as soon as it is 1 changes once at a clock edge. Several nonblocking assignments to it would let it
//! change and change back within one time step of a simulator that works with events: the others would wake up in between.

use super::driven;
use super::reset_sources::{self, Source, resets};
use crate::ir::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Gives each such register a wire for its next value, if several assignments make that. Inputs that reset at once are noted for who
/// drives them.
pub(super) fn assign_once(b: &mut Draft) {
    let sources = sources(&b.def);
    b.def.resets = sources.iter().filter_map(|source| source.input(&b.def)).collect();
    b.def.resets.sort();
    b.def.resets.dedup();
    let is_register = |id: &Id| matches!(b.node(*id).op, Op::Net(Net::Reg(_)));
    let registers: BTreeSet<Id> = sources.iter().map(|source| source.id).filter(is_register).collect();
    for register in registers {
        let mut sets = 0;
        Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, _, _, _, _| sets += u32::from(target == register));
        if sets > 1 {
            next_in_a_wire(b, register);
        }
    }
}

/// What resets at once comes from these.
fn sources(def: &Def) -> Vec<Source> {
    let mut list = vec![];
    for reset in resets(def) {
        reset_sources::behind(def, reset, &mut list);
    }
    list
}

/// A register may rise at an edge, and what resets it at once too: it falls within the time step, or never rose. So what it resets would
/// be reset in one simulator and not in another. Legal is a reset that leaves it as it resets the others, and one by a port; then who
/// drives that must know of it.
pub(super) fn check_ends(b: &mut Draft) {
    let drivers = walk::drivers(&b.def);
    check_registers(b, &drivers);
    check_instances(b, &drivers);
    b.def.reset_ends.sort();
    b.def.reset_ends.dedup();
}

fn check_registers(b: &mut Draft, drivers: &HashMap<Id, Vec<Id>>) {
    let mut seen = BTreeSet::new();
    for source in sources(&b.def) {
        let register = source.id;
        let Op::Net(Net::Reg(r)) = b.node(register).op else { continue };
        let Some((by, value)) = b.def.regs[r as usize].at_once.clone() else { continue };
        // one that resets itself is a loop, which is reported as such
        if behind(&b.def, by) == register || source.resets_with(&value) {
            continue;
        }
        if let Some(inputs) = inputs_of(&b.def, drivers, by) {
            b.def.reset_ends.extend(inputs);
            continue;
        }
        if !seen.insert(register) {
            continue;
        }
        let message = format!(
            "{} resets others at once, and is itself reset at once by {}, to {value}, with which it does not",
            b.describe(register),
            b.describe(by)
        );
        let notes = vec![(b.node(by).loc, "what resets it comes from here")];
        b.error(b.node(register).loc, message, notes, Some(HELP.into()));
    }
}

/// The same for what does so inside of instances.
fn check_instances(b: &mut Draft, drivers: &HashMap<Id, Vec<Id>>) {
    for (inst, port) in ends_of_instances(&b.def) {
        let pin = b.def.insts[inst].pins[port as usize];
        if let Some(inputs) = inputs_of(&b.def, drivers, pin) {
            b.def.reset_ends.extend(inputs);
            continue;
        }
        let def = &b.def.insts[inst].def;
        let message = format!(
            "{} is given to `{}` of an instance of `{}`, where it ends at once what resets others at once",
            b.describe(behind(&b.def, pin)),
            def.ports[port as usize].name,
            def.name
        );
        let assigned = b.set_at.iter().filter(|((target, _), _)| *target == pin).map(|(_, loc)| *loc).min();
        b.error(assigned.unwrap_or(b.node(pin).loc), message, vec![], Some(HELP.into()));
    }
}

const HELP: &str = "what resets others is reset at once only to a value with which it resets them, as in a reset synchronizer, or by a \
                    port that no register drives: else a reset may begin and end at one clock edge; `reg_reset` and `when` act at edges";

fn ends_of_instances(def: &Def) -> Vec<(usize, u32)> {
    let ends = |(i, inst): (usize, &Inst)| inst.def.reset_ends.iter().map(|port| (i, *port)).collect::<Vec<_>>();
    def.insts.iter().enumerate().flat_map(ends).collect()
}

/// The ports (indices) that a signal comes from within the cycle, if it comes from nothing that changes with a clock.
fn inputs_of(def: &Def, drivers: &HashMap<Id, Vec<Id>>, from: Id) -> Option<Vec<u32>> {
    let (mut todo, mut seen, mut inputs) = (vec![from], HashSet::new(), vec![]);
    while let Some(id) = todo.pop() {
        match def.nodes[id as usize].op {
            _ if !seen.insert(id) => {}
            Op::Net(Net::Reg(_) | Net::MemRead(..) | Net::PinOut(_) | Net::Reset(_)) => return None,
            Op::Net(Net::Input) => inputs.extend(def.ports.iter().position(|p| p.node == id).map(|p| p as u32)),
            _ => todo.extend(walk::sources(def, drivers, id)),
        }
    }
    Some(inputs)
}

/// What a signal is another name, the complement or a bit of; also through a wire or an input that is assigned once.
fn behind(def: &Def, mut id: Id) -> Id {
    loop {
        id = match def.nodes[id as usize].op {
            Op::Alias(of) | Op::Un(_, of) | Op::Slice(of, _) => of,
            Op::Net(Net::Wire | Net::PinIn(_)) => match walk::only_value(def, id) {
                Some(of) => of,
                None => return id,
            },
            _ => return id,
        }
    }
}

/// All that is assigned to the register goes to a wire, and that to the register.
fn next_in_a_wire(b: &mut Draft, register: Id) {
    let Node { width, loc, stage, ref name, .. } = b.def.nodes[register as usize];
    let always = driven::covered(&b.def, &b.def.stmts, register) == fold::ones(width);
    let name = name.as_ref().map(|name| format!("{name}_next"));
    let wire = b.def.nodes.len() as Id;
    b.def.nodes.push(Node { op: Op::Net(Net::Wire), width, loc, name, stage, comment: None });
    retarget(&mut b.def.stmts, register, wire);
    let set = |target, value| Stmt::Set { target, place: Place::Whole, value, section: 0, loc };
    if !always {
        b.def.stmts.insert(0, set(wire, register));
    }
    b.def.stmts.push(set(register, wire));
}

fn retarget(stmts: &mut [Stmt], from: Id, to: Id) {
    for stmt in stmts {
        match stmt {
            Stmt::Set { target, .. } if *target == from => *target = to,
            Stmt::Set { .. } => {}
            Stmt::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|s| retarget(s, from, to)),
            Stmt::Case { arms, default, .. } => {
                let blocks = arms.iter_mut().map(|(_, block)| block).chain(default);
                blocks.for_each(|block| retarget(block, from, to));
            }
        }
    }
}
