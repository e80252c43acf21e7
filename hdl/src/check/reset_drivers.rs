//! A register that resets others as soon as it is 1 changes once at a clock edge. Several nonblocking assignments to it would let it
//! change and change back within one time step of a simulator that works with events: the others would wake up in between.

use super::driven;
use crate::ir::*;
use std::collections::BTreeSet;

/// Gives each such register a wire for its next value, if several assignments make that. Inputs that reset at once are noted for who
/// drives them.
pub(super) fn assign_once(b: &mut Draft) {
    let drivers = drivers(&b.def);
    let resets = |port: &Port| port.input && drivers.contains(&port.node);
    b.def.resets = (0..).zip(&b.def.ports).filter(|(_, port)| resets(port)).map(|(i, _)| i).collect();
    let is_register = |id: &Id| matches!(b.node(*id).op, Op::Net(Net::Reg(_)));
    for register in drivers.iter().copied().filter(is_register).collect::<Vec<_>>() {
        let mut sets = 0;
        Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, _, _, _, _| sets += u32::from(target == register));
        if sets > 1 {
            next_in_a_wire(b, register);
        }
    }
}

/// What resets at once: registers, domains, or something in an instance.
fn drivers(def: &Def) -> BTreeSet<Id> {
    let of_registers = def.regs.iter().filter_map(|r| r.at_once.as_ref().map(|(reset, _)| *reset));
    let of_domains = def.inside.iter().filter_map(|i| i.reset);
    let pins = |inst: &Inst| inst.def.resets.iter().map(|port| inst.pins[*port as usize]).collect::<Vec<_>>();
    let of_instances = def.insts.iter().flat_map(pins);
    of_registers.chain(of_domains).chain(of_instances).map(|id| behind(def, id)).collect()
}

/// What a signal is another name, the complement or a bit of; also through a wire or an input that is assigned once.
fn behind(def: &Def, mut id: Id) -> Id {
    loop {
        id = match def.nodes[id as usize].op {
            Op::Alias(of) | Op::Un(_, of) | Op::Slice(of, _) => of,
            Op::Net(Net::Wire | Net::PinIn(_)) => match only_value(def, id) {
                Some(of) => of,
                None => return id,
            },
            _ => return id,
        }
    }
}

/// What is assigned to a net, if that is one value without conditions.
fn only_value(def: &Def, net: Id) -> Option<Id> {
    let mut values = vec![];
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, _, value, _, under| {
        if target == net {
            values.push(under.is_empty().then_some(value));
        }
    });
    if let [value] = values[..] { value } else { None }
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
