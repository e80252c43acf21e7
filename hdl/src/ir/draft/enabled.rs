//! What advances only while a signal is 1: what is declared inside `in_enabled`.

use super::{Draft, Gate};
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeMap;

/// An open `in_enabled`, or the rest of a module behind `enabled_by`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enabled {
    /// Its enable, and those around it.
    pub enable: Id,
    pub loc: Loc,
}

/// All that a draft knows of enables that stand for whole parts.
#[derive(Debug, Default)]
pub(crate) struct Enabling {
    /// The innermost.
    pub current: Option<Enabled>,
    /// The enables, each with the domains of what they hold.
    pub used: BTreeMap<(Id, u32), Loc>,
    /// Registers and words of synchronous read ports, with what holds them beside their own enable.
    pub registers: HashMap<Id, Id>,
    /// The own enables of those.
    own: HashMap<Id, Id>,
    /// Inputs of instances that are connected by it.
    pub pins: HashMap<Id, Enabled>,
}

impl Enabling {
    /// The enable that the user gave to a register itself.
    pub fn own_enable(&self, reg: &Reg) -> Option<Id> {
        if self.registers.contains_key(&reg.node) { self.own.get(&reg.node).copied() } else { reg.enable }
    }
}

impl Draft {
    /// What is declared from here on advances only while `enable` is 1, and while what holds here already lets it. Gives what held
    /// before.
    pub fn begin_enabled(&mut self, enable: Id, loc: Loc) -> Option<Enabled> {
        self.check_outside(enable, "this enable", loc);
        let before = self.enabling.current;
        let enable = before.map_or(enable, |outer| self.both(outer.enable, enable, loc));
        self.enabling.current.replace(Enabled { enable, loc })
    }
    /// What must be 1 for something declared here to advance, beside its own enable.
    fn held_here(&mut self) -> Option<Enabled> {
        let enabled = self.enabling.current?;
        self.enabling.used.entry((enabled.enable, self.domain)).or_insert(enabled.loc);
        Some(enabled)
    }
    /// One bit: both are 1.
    fn both(&mut self, held: Id, own: Id, loc: Loc) -> Id {
        self.beside(Op::Bin(BinOp::And, held, own), own, loc)
    }
    /// The enables that an enable inside of others, or one that the user joined of several, is made of.
    pub fn enables_of(&self, enable: Id) -> Vec<Id> {
        walk::leaves(enable, |id| {
            let is_open = self.staging.gates.get(&id).is_none_or(|gate| *gate == Gate::Held);
            match self.node(id).op {
                Op::Alias(of) if is_open => Some(vec![of]),
                Op::Bin(BinOp::And, one, other) if is_open => Some(vec![one, other]),
                _ => None,
            }
        })
    }
    /// What an enable around it makes of `own`: it stands at the stage of that.
    fn beside(&mut self, op: Op, own: Id, loc: Loc) -> Id {
        let (width, stage) = (self.node(own).width, self.node(own).stage);
        let id = self.push(op, width, loc);
        self.def.nodes[id as usize].stage = stage;
        self.staging.gates.insert(id, Gate::Held);
        id
    }
    /// The enable of something declared here.
    pub fn enable_here(&mut self, own: Option<Id>, loc: Loc) -> Option<Id> {
        match (self.held_here(), own) {
            (None, own) => own,
            (Some(held), None) => Some(held.enable),
            (Some(held), Some(own)) => Some(self.both(held.enable, own, loc)),
        }
    }
    /// The enable of a register declared here, which may get one of its own later.
    pub fn register_enable(&mut self, node: Id, own: Option<Id>, loc: Loc) -> Option<Id> {
        if let Some(held) = self.enabling.current {
            self.enabling.registers.insert(node, held.enable);
        }
        self.enable_here(own, loc)
    }
    /// A register gets an enable of its own.
    pub fn set_enable(&mut self, node: Id, own: Id, loc: Loc) {
        let Op::Net(Net::Reg(r)) = self.node(node).op else { return };
        if self.is_delay(node, "has no enable of its own", &format!(".enable({})", self.rust(own, "enable")), loc) {
            return;
        }
        let held = self.enabling.registers.get(&node).copied();
        if self.enabling.own.insert(node, own).is_some() {
            let message = format!("{} has an enable already", self.describe(node));
            self.error(loc, message, vec![], Some("join the two with `&`, or use `when`".into()));
        }
        self.def.regs[r as usize].enable = Some(held.map_or(own, |held| self.both(held, own, loc)));
    }
    /// The enable of a register between stages: it stands as the pipeline does, wherever it is written.
    pub fn delay_enable(&mut self, node: Id, pipe: u32, own: Option<Id>, loc: Loc) -> Option<Id> {
        let held = self.staging.pipes[pipe as usize].enabled;
        let here = std::mem::replace(&mut self.enabling.current, held);
        let enable = self.register_enable(node, own, loc);
        self.enabling.current = here;
        enable
    }
    /// The mask of a write port declared here.
    pub fn mask_here(&mut self, mask: Id, loc: Loc) -> Id {
        let Some(held) = self.held_here() else { return mask };
        let lanes = self.node(mask).width;
        let all = if lanes == 1 { held.enable } else { self.push(Op::Repeat(held.enable, lanes), lanes, loc) };
        self.beside(Op::Bin(BinOp::And, all, mask), mask, loc)
    }
    /// The condition of a property declared here: nothing is said of edges at which nothing advances.
    pub fn condition_here(&mut self, kind: PropertyKind, cond: Id, loc: Loc) -> Id {
        let Some(held) = self.held_here() else { return cond };
        match kind {
            PropertyKind::Cover => self.both(held.enable, cond, loc),
            PropertyKind::Assert | PropertyKind::Assume => {
                let idle = self.push(Op::Un(UnOp::Not, held.enable), 1, loc);
                self.beside(Op::Bin(BinOp::Or, idle, cond), cond, loc)
            }
        }
    }
    /// An instance declared here: it takes the enable, or there is nothing in it to hold.
    pub fn enable_instance(&mut self, index: u32, loc: Loc) {
        let Some(held) = self.enabling.current else { return };
        let inst = &self.def.insts[index as usize];
        let def = inst.def.clone();
        match def.advance.filter(|_| def.advance_is_all).map(|port| inst.pins[port as usize]) {
            Some(target) => {
                let section = self.section();
                self.blocks[0].push(Stmt::Set { target, place: Place::Whole, value: held.enable, section, loc });
                self.set_at.insert((target, held.enable), loc);
                self.enabling.pins.insert(target, held);
            }
            None if def.clocks.is_empty() => {}
            None => {
                let message = format!("`{}` goes on while the enable around it is 0", def.name);
                let notes = vec![(held.loc, "the enable is given here")];
                let help = "say in that module which input holds it, with `enabled_by`, or make the instance outside";
                self.error(loc, message, notes, Some(help.into()));
            }
        }
    }
    /// Is something declared that has a clock?
    pub fn has_clocked(&self) -> bool {
        let ports = |m: &Memory| !m.writes.is_empty() || m.reads.iter().any(|r| r.sync);
        let clocked = |inst: &Inst| !inst.def.clocks.is_empty();
        let def = &self.def;
        !def.regs.is_empty() || !def.props.is_empty() || def.mems.iter().any(ports) || def.insts.iter().any(clocked)
    }
}
