//! Wires and registers with their assignments.

use super::process::{Process, reg};
use super::render::{Item, Rank, Render};
use super::statements::Style;
use super::steps::Step;
use super::text::{attribute, begin, range};
use crate::ir::*;
use num_bigint::BigUint;

impl Render<'_> {
    pub fn nets(&mut self) {
        for id in (0..self.text.len() as Id).filter(|id| self.is_live(*id)).collect::<Vec<_>>() {
            match *self.op(id) {
                Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.declare_wire(id),
                Op::Net(Net::Reg(_)) => self.declare_register(id),
                Op::Net(Net::Any(sequence)) => self.free(id, sequence),
                Op::Net(Net::PinOut(_)) => {
                    let decl = format!("wire {}{};", range(self.width(id)), self.t(id));
                    self.decls.push(decl);
                }
                _ => {}
            }
        }
        let items: Vec<_> = self.processes.iter().flat_map(|process| self.process_items(process)).collect();
        self.items.extend(items);
        let counters = self.processes.iter().filter_map(|process| process.counter.as_ref());
        self.decls.extend(counters.map(|counter| format!("integer {counter};")));
    }
    fn declare_wire(&mut self, id: Id) {
        if self.passed_on(id).is_some() {
            return;
        }
        let in_process = self.processes.get(id).is_some_and(|process| process.assigns.is_none());
        match (matches!(self.op(id), Op::Net(Net::Output)), in_process) {
            (true, true) => drop(self.reg_ports.insert(id)),
            (true, false) => {}
            (false, _) => {
                let kind = if in_process { "reg" } else { "wire" };
                self.decls.push(format!("{kind} {}{};{}", range(self.width(id)), self.t(id), self.note(id)));
            }
        }
    }
    fn declare_register(&mut self, id: Id) {
        let attributes = self.def.attributes.iter().filter(|(node, ..)| *node == id);
        let attributes: String = attributes.map(|(_, k, v)| attribute(k, v)).collect();
        self.decls.push(format!("{attributes}reg {}{};{}", range(self.width(id)), self.t(id), self.note(id)));
    }
    /// What is printed for the assignments of a process.
    fn process_items(&self, process: &Process) -> Vec<((u32, Id, Rank), Item)> {
        let Some(first) = process.targets.first().copied() else { return vec![] };
        if let Some(parts) = &process.assigns {
            let parts = if self.passed_on(first).is_some() { &[][..] } else { parts };
            let line = |(place, value): &(Place, Id)| {
                let text = format!("assign {} = {};", self.place(first, *place, *value), self.t(*value));
                ((process.section, (*value).max(first), Rank::Process), Item::Text(text))
            };
            return parts.iter().map(line).collect();
        }
        let item = match reg(self.def, first) {
            Some(reg) => self.clocked(process, reg),
            None => {
                let lines = self.statements(&process.steps, Style::Wires).concat();
                Item::Text(begin("always @*", lines).join("\n    "))
            }
        };
        let at = process.targets.iter().copied().fold(process.last, Id::max);
        // an enable may come from a later section
        let section = process.section.max(self.section_of(process.last));
        vec![((section, at, Rank::Process), item)]
    }
    fn clocked(&self, process: &Process, reg: &Reg) -> Item {
        let parts = self.enabled(&process.steps).into_iter();
        let parts = parts.map(|(enable, statements)| (enable.map(|id| self.t(id).to_string()), statements)).collect();
        let async_reset = reg.async_reset.as_ref().map(|(reset, _)| self.t(*reset).to_string());
        let resets = process.targets.iter().filter_map(|id| self.reset_line(process, *id)).collect();
        Item::Clocked { domain: reg.domain, resets, async_reset, parts }
    }
    fn reset_line(&self, process: &Process, id: Id) -> Option<String> {
        let reg = reg(self.def, id)?;
        let value = reg.reset.as_ref().or(reg.async_reset.as_ref().map(|(_, value)| value))?;
        Some(format!("{} <= {};", self.t(id), self.reset_value(process, reg, value)))
    }
    /// A state register is reset to the name of a state.
    fn reset_value(&self, process: &Process, reg: &Reg, value: &BigUint) -> String {
        let mut states = reg.states;
        Step::each(&process.steps, &mut |step| {
            if let Step::Set { target, value, .. } = step
                && let Op::Variant(e, _) = self.op(*value)
                && *target == reg.node
            {
                states = states.or(Some(*e));
            }
        });
        // a register file holds the states of all its elements, and no name says those
        let states = states.map(|e| &self.def.enums[e as usize]).filter(|e| e.width == self.width(reg.node));
        match states.and_then(|e| Some(&e.variants[e.with_code(value)?])) {
            Some(state) => state.localparam.clone(),
            None => format!("{}'h{value:x}", self.width(reg.node)),
        }
    }
    /// The value of an instance input that only passes it on: it stands in the port list of the instance.
    pub fn passed_on(&self, id: Id) -> Option<Id> {
        let Op::Net(Net::PinIn(inst)) = *self.op(id) else {
            return None;
        };
        if self.live.uses[id as usize] > 1 || self.is_split(&self.def.insts[inst as usize], id) {
            return None;
        }
        match self.processes.get(id)?.assigns.as_deref()? {
            [(Place::Whole, value)] => Some(*value),
            _ => None,
        }
    }
    /// Is every bit of the pin a port of its own? Then bits are selected from it, which takes a name.
    fn is_split(&self, inst: &Inst, pin: Id) -> bool {
        let port = inst.port_of(pin).map(|at| &inst.def.ports[at]);
        let foreign = inst.def.foreign.as_deref().zip(port);
        foreign.is_some_and(|(f, port)| port.width > 1 && matches!(f.pin(port), Pin::PerBit(_)))
    }
}
