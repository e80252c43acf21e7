//! What some bits of a signal depend on, where they are assigned apart from the others: their ways may have other lengths.

use super::assigned::{Given, given};
use super::driven::covered;
use super::steps::{Step, chosen, enables, is_setting};
use crate::ir::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

/// What is assigned to nets.
pub(super) struct Parts<'a> {
    b: &'a Draft,
    given: HashMap<Id, Vec<Given>>,
}

/// A walk from some bits.
#[derive(Default)]
struct Walk {
    /// What is to be looked at; the last one first.
    todo: Vec<Visit>,
    /// Bits from which it goes on: a way that comes back to them goes round.
    open: HashSet<(Id, Range<u32>)>,
    /// What was looked at: signal, bits, and cycles.
    seen: HashSet<(Id, Range<u32>, u32)>,
    found: Found,
}

/// What some bits depend on.
#[derive(Default)]
pub(super) struct Found {
    pub steps: Vec<Step>,
    /// The registers that are on the way to these.
    pub passed: Vec<Id>,
}

enum Visit {
    /// These bits, so many cycles ago.
    Enter(Id, Range<u32>, u32),
    /// All behind these bits was looked at.
    Leave(Id, Range<u32>),
}

impl Walk {
    fn add(&mut self, id: Id, bits: Range<u32>, cycles: u32) {
        self.todo.push(Visit::Enter(id, bits, cycles));
    }
    /// The bits of a value that stands at `place`, as far as they come to `bits`.
    fn add_common(&mut self, value: Id, place: Range<u32>, bits: Range<u32>, cycles: u32) {
        let (start, end) = (place.start.max(bits.start), place.end.min(bits.end));
        if start < end {
            self.add(value, start - place.start..end - place.start, cycles);
        }
    }
}

impl<'a> Parts<'a> {
    pub fn new(b: &'a Draft) -> Parts<'a> {
        Parts { b, given: given(&b.def) }
    }
    /// What a slice depends on.
    pub fn of_slice(&self, of: Id, low: u32, width: u32) -> Found {
        let mut walk = Walk::default();
        walk.add(of, low..low + width, 0);
        self.followed(walk)
    }
    /// What is assigned to a net so many cycles ago.
    pub fn of_net(&self, net: Id, cycles: u32) -> Found {
        let mut walk = Walk::default();
        self.behind_net(&mut walk, net, 0..self.width(net), cycles);
        self.followed(walk)
    }
    /// What a register depends on. What resets it is a setting.
    pub fn of_register(&self, id: Id, register: u32) -> Found {
        let mut found = self.of_net(id, 1);
        let enables = self.b.def.regs[register as usize].enable.map(|enable| enables(self.b, enable));
        found.steps.extend(enables.into_iter().flatten().map(|enable| Step::exactly(enable, 1)));
        found
    }
    fn followed(&self, mut walk: Walk) -> Found {
        while let Some(visit) = walk.todo.pop() {
            match visit {
                Visit::Enter(id, bits, cycles) => self.enter(&mut walk, id, bits, cycles),
                Visit::Leave(id, bits) => drop(walk.open.remove(&(id, bits))),
            }
        }
        walk.found
    }
    fn width(&self, id: Id) -> u32 {
        self.b.node(id).width
    }
    /// Collects what these bits depend on, so many cycles ago.
    fn enter(&self, walk: &mut Walk, id: Id, bits: Range<u32>, cycles: u32) {
        let is_marked = self.b.staging.gates.contains_key(&id) || self.b.staging.marks.contains_key(&id);
        let ends = bits == (0..self.width(id)) || is_setting(self.b, id) || is_marked;
        if ends || walk.open.contains(&(id, bits.clone())) {
            walk.found.steps.push(Step::exactly(id, cycles));
        } else if walk.seen.insert((id, bits.clone(), cycles)) {
            walk.open.insert((id, bits.clone()));
            walk.todo.push(Visit::Leave(id, bits.clone()));
            self.behind_some(walk, id, bits, cycles);
        }
    }
    /// The same of some bits of a signal, and not all.
    fn behind_some(&self, walk: &mut Walk, id: Id, bits: Range<u32>, cycles: u32) {
        match &self.b.node(id).op {
            Op::Alias(of) | Op::Un(UnOp::Not, of) => walk.add(*of, bits, cycles),
            Op::Slice(of, low) => walk.add(*of, low + bits.start..low + bits.end, cycles),
            Op::Bin(BinOp::And | BinOp::Or | BinOp::Xor, x, y) => {
                [x, y].into_iter().for_each(|of| walk.add(*of, bits.clone(), cycles));
            }
            Op::Mux(choice, x, y) => {
                walk.found.steps.push(Step::exactly(*choice, cycles));
                [x, y].into_iter().for_each(|of| walk.add(*of, bits.clone(), cycles));
            }
            Op::Cat(parts) => {
                let mut low = 0;
                for &part in parts.iter().rev() {
                    let width = self.width(part);
                    walk.add_common(part, low..low + width, bits.clone(), cycles);
                    low += width;
                }
            }
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.behind_net(walk, id, bits, cycles),
            Op::Net(Net::Reg(r)) if self.only_delays(id, &self.b.def.regs[*r as usize], &bits) => {
                walk.found.passed.push(id);
                let enable = self.b.def.regs[*r as usize].enable;
                let enables = enable.map(|enable| enables(self.b, enable)).unwrap_or_default();
                walk.found.steps.extend(enables.into_iter().map(|enable| Step::exactly(enable, cycles + 1)));
                self.behind_net(walk, id, bits, cycles + 1);
            }
            _ => walk.found.steps.push(Step::exactly(id, cycles)),
        }
    }
    /// Do these bits of a register delay what is assigned to them, and nothing else is known of it?
    fn only_delays(&self, id: Id, reg: &Reg, bits: &Range<u32>) -> bool {
        let is_reset =
            reg.async_reset.is_some() || reg.reset.is_some() && self.b.def.reset_inside(reg.domain).is_some();
        let is_of_a_pipeline = self.b.node(id).stage.is_some();
        let is_chosen = reg.enable.is_some_and(|enable| chosen(self.b, enable));
        let takes = covered(&self.b.def, &self.b.def.stmts, id);
        !is_reset && !is_of_a_pipeline && !is_chosen && bits.clone().all(|bit| takes.bit(bit.into()))
    }
    fn behind_net(&self, walk: &mut Walk, net: Id, bits: Range<u32>, cycles: u32) {
        for given in self.given.get(&net).into_iter().flatten() {
            let open = given.runs(bits.clone(), None);
            if open.is_empty() {
                continue;
            }
            walk.found.steps.extend(given.under.iter().map(|of| Step::exactly(*of, cycles)));
            match given.place {
                Place::AtSignal(at) => walk.found.steps.extend([given.value, at].map(|of| Step::exactly(of, cycles))),
                _ => {
                    let place = given.place.bits(self.width(given.value));
                    open.into_iter().for_each(|bits| walk.add_common(given.value, place.clone(), bits, cycles));
                }
            }
        }
    }
}
