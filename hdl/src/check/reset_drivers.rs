//! A register that resets others as soon as it is 1 changes once at a clock edge. Several nonblocking assignments to it would let it
//! change and change back within one time step of a simulator that works with events: the others would wake up in between.

use super::driven;
use super::reset_sources::sources;
use crate::ir::*;
use std::collections::BTreeSet;

/// Gives each such register a wire for its next value, if several assignments make that. Inputs that are asynchronous
/// resets are noted for who drives them.
pub(super) fn assign_once(b: &mut Draft) {
    let sources = sources(&b.def);
    b.def.resets = sources.iter().filter_map(|source| source.input(&b.def)).collect();
    b.def.resets.sort();
    b.def.resets.dedup();
    let is_register = |id: &Id| matches!(b.node(*id).op, Op::Net(Net::Reg(_)));
    let registers: BTreeSet<Id> = sources.iter().map(|source| source.id).filter(is_register).collect();
    for register in registers {
        if walk::assignments(&b.def, register) > 1 {
            next_in_a_wire(b, register);
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
