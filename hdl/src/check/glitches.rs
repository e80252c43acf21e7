//! What crosses to another clock is looked at there at any time: it comes out of registers and ports, not out of logic, which may be what
//! it never is while its inputs change. A bit, a complement and a concatenation do no harm.

use super::clocks::{Check, Report};
use super::reset_sources;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashSet as HashSet;

const HELP: &str = "give it a register of its own clock, from which it crosses; or let each signal cross by itself, and compute behind that";

impl Check<'_> {
    /// Logic directly in front of a crossing of this module, or of inputs of an instance that cross in it.
    pub fn glitch(&self, signals: &[Id], inst: Option<u32>) -> Option<Report> {
        let inst = inst.map(|i| &self.b.def.insts[i as usize]);
        let resets = |pin: Id| {
            let port = inst.and_then(|inst| Some((inst, inst.port_of(pin)?)));
            port.is_some_and(|(inst, port)| inst.def.resets.iter().any(|reset| reset.port as usize == port))
        };
        let found = signals.iter().find_map(|s| Some((*s, directly(&self.b.def, *s).err()?)));
        // what resets something is looked at in `reset_logic.rs`, where an OR does no harm
        let (signal, logic) = found.filter(|(signal, _)| !resets(*signal))?;
        let place = inst.map_or(String::new(), |inst| format!(" in `{}`", inst.name));
        let message = format!("{} crosses to another clock{place}, and may glitch", self.b.describe(signal));
        let notes = vec![(self.b.node(logic).loc, "it comes out of this logic")];
        Some((self.b.first_assigned_at(signal), message, notes, HELP))
    }
    /// All that resets of registers and clocks come from within the cycle.
    pub fn behind_resets(&self) -> HashSet<Id> {
        self.behind(reset_sources::resets(&self.b.def).iter().map(|reset| reset.id).collect(), true)
    }
    /// All that comes within the cycle to registers, memories, outputs, properties and inputs of instances, but for what resets them.
    pub fn behind_data(&self) -> HashSet<Id> {
        let def = &self.b.def;
        let mut to: Vec<Id> = def.ports.iter().filter(|port| !port.input).map(|port| port.node).collect();
        for reg in &def.regs {
            to.extend(self.drivers.get(&reg.node).into_iter().flatten().copied().chain(reg.enable));
        }
        for memory in &def.mems {
            to.extend(
                memory
                    .reads
                    .iter()
                    .filter(|read| read.sync)
                    .flat_map(|read| read.enable.into_iter().chain([read.addr])),
            );
            to.extend(memory.writes.iter().flat_map(|write| [write.addr, write.data, write.mask]));
        }
        for inst in &def.insts {
            let resets = |port: usize| inst.def.resets.iter().any(|reset| reset.port as usize == port);
            let inputs = inst.def.ports.iter().enumerate().filter(|(i, port)| port.input && !resets(*i));
            to.extend(inputs.map(|(i, _)| inst.pins[i]));
        }
        to.extend(def.props.iter().map(|property| property.cond));
        self.behind(to, false)
    }
    /// These, and all that they come from within the cycle; also what resets registers, if that is asked for.
    fn behind(&self, mut todo: Vec<Id>, resets: bool) -> HashSet<Id> {
        let mut seen = HashSet::default();
        while let Some(id) = todo.pop() {
            if seen.insert(id) {
                let register = matches!(self.b.node(id).op, Op::Net(Net::Reg(_)));
                todo.extend(if register && !resets { vec![] } else { walk::sources(&self.b.def, self.drivers, id) });
            }
        }
        seen
    }
}

/// The ports, registers and outputs of foreign modules that a signal is, without logic; or the logic that it comes out of.
fn directly(def: &Def, from: Id) -> Result<Vec<Id>, Id> {
    let (mut todo, mut seen, mut sources) = (vec![from], HashSet::default(), vec![]);
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        match def.nodes[id as usize].op {
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => todo.extend(assigned(def, id)?),
            Op::Net(Net::PinOut(i)) if def.insts[i as usize].def.foreign.is_none() => {
                let inst = &def.insts[i as usize];
                let port = inst.port_of(id).map(|port| inst.def.ports[port].node);
                let inside = port.map_or(Ok(vec![]), |port| directly(&inst.def, port)).map_err(|_| id)?;
                let inputs = inst.def.ports.iter().zip(&inst.pins).filter(|(p, _)| p.input && inside.contains(&p.node));
                todo.extend(inputs.map(|(_, pin)| *pin));
            }
            Op::Net(Net::MemRead(m, p)) if !def.mems[m as usize].reads[p as usize].sync => return Err(id),
            Op::Net(_) => sources.push(id),
            _ => todo.extend(operands(def, id).ok_or(id)?),
        }
    }
    Ok(sources)
}

/// The operands of what is no logic; `None`: a glitch may come out of it.
fn operands(def: &Def, id: Id) -> Option<Vec<Id>> {
    let moves = |id: &Id| fold::constant(def, *id).is_none();
    let one_bit = |id: &Id| def.nodes[*id as usize].width == 1;
    match def.nodes[id as usize].op {
        Op::Const(_) | Op::Variant(..) | Op::Poison => Some(vec![]),
        Op::Alias(of) | Op::Slice(of, _) | Op::Repeat(of, _) | Op::Un(UnOp::Not, of) => Some(vec![of]),
        Op::Cat(ref parts) => Some(parts.clone()),
        Op::Un(_, of) => one_bit(&of).then(|| vec![of]),
        Op::Mux(choice, x, y) => match fold::constant_behind_names(def, choice) {
            Some(value) => Some(vec![if *value == BigUint::ZERO { y } else { x }]),
            // each bit is the choice, its complement, or a constant
            None => (!moves(&x) && !moves(&y)).then(|| vec![choice]),
        },
        // bit by bit, with a constant
        Op::Bin(BinOp::And | BinOp::Or | BinOp::Xor, x, y) if !(moves(&x) && moves(&y)) => Some(vec![x, y]),
        Op::Bin(_, x, y) if one_bit(&x) && one_bit(&y) && !(moves(&x) && moves(&y)) => Some(vec![x, y]),
        _ => None,
    }
}

/// What is assigned to a net without conditions; the net itself if there are any.
fn assigned(def: &Def, net: Id) -> Result<Vec<Id>, Id> {
    let (mut values, mut plain) = (vec![], true);
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, under| {
        if target == net {
            plain &= under.is_empty() && !matches!(place, Place::AtSignal(_));
            values.push(value);
        }
    });
    if plain { Ok(values) } else { Err(net) }
}
