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
    /// Bits from which it goes on: a way that comes back to them goes round.
    open: Vec<(Id, Range<u32>)>,
    /// What was looked at: signal, bits, and cycles.
    seen: HashSet<(Id, Range<u32>, u32)>,
    steps: Vec<Step>,
}

impl<'a> Parts<'a> {
    pub fn new(b: &'a Draft) -> Parts<'a> {
        Parts { b, given: given(&b.def) }
    }
    /// What a slice depends on.
    pub fn steps_of_slice(&self, of: Id, low: u32, width: u32) -> Vec<Step> {
        let mut walk = Walk::default();
        self.behind(&mut walk, of, low..low + width, 0);
        walk.steps
    }
    fn width(&self, id: Id) -> u32 {
        self.b.node(id).width
    }
    /// Collects what these bits depend on, so many cycles ago.
    fn behind(&self, walk: &mut Walk, id: Id, bits: Range<u32>, cycles: u32) {
        let ends = bits == (0..self.width(id)) || is_setting(self.b, id) || self.b.staging.gates.contains_key(&id);
        if ends || walk.open.contains(&(id, bits.clone())) {
            walk.steps.push(Step::exactly(id, cycles));
        } else if walk.seen.insert((id, bits.clone(), cycles)) {
            walk.open.push((id, bits.clone()));
            self.behind_some(walk, id, bits, cycles);
            walk.open.pop();
        }
    }
    /// The same of some bits of a signal, and not all.
    fn behind_some(&self, walk: &mut Walk, id: Id, bits: Range<u32>, cycles: u32) {
        match &self.b.node(id).op {
            Op::Alias(of) | Op::Un(UnOp::Not, of) => self.behind(walk, *of, bits, cycles),
            Op::Slice(of, low) => self.behind(walk, *of, low + bits.start..low + bits.end, cycles),
            Op::Bin(BinOp::And | BinOp::Or | BinOp::Xor, x, y) => {
                [x, y].into_iter().for_each(|of| self.behind(walk, *of, bits.clone(), cycles));
            }
            Op::Mux(choice, x, y) => {
                walk.steps.push(Step::exactly(*choice, cycles));
                [x, y].into_iter().for_each(|of| self.behind(walk, *of, bits.clone(), cycles));
            }
            Op::Cat(parts) => {
                let mut low = 0;
                for &part in parts.iter().rev() {
                    let width = self.width(part);
                    self.assigned(walk, part, low..low + width, bits.clone(), cycles);
                    low += width;
                }
            }
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.behind_net(walk, id, bits, cycles),
            Op::Net(Net::Reg(r)) if self.only_delays(id, &self.b.def.regs[*r as usize], &bits) => {
                let enable = self.b.def.regs[*r as usize].enable;
                let enables = enable.map(|enable| enables(self.b, enable)).unwrap_or_default();
                walk.steps.extend(enables.into_iter().map(|enable| Step::exactly(enable, cycles + 1)));
                self.behind_net(walk, id, bits, cycles + 1);
            }
            _ => walk.steps.push(Step::exactly(id, cycles)),
        }
    }
    /// Do these bits of a register delay what is assigned to them, and nothing else is known of it?
    fn only_delays(&self, id: Id, reg: &Reg, bits: &Range<u32>) -> bool {
        let is_reset =
            reg.async_reset.is_some() || reg.reset.is_some() && self.b.def.reset_inside(reg.domain).is_some();
        let is_of_a_pipeline = self.b.node(id).stage.is_some() || self.b.staging.marks.contains_key(&id);
        let is_chosen = reg.enable.is_some_and(|enable| chosen(self.b, enable));
        let takes = covered(&self.b.def, &self.b.def.stmts, id);
        !is_reset && !is_of_a_pipeline && !is_chosen && bits.clone().all(|bit| takes.bit(bit.into()))
    }
    fn behind_net(&self, walk: &mut Walk, net: Id, bits: Range<u32>, cycles: u32) {
        for given in self.given.get(&net).into_iter().flatten() {
            let open = given.runs(bits.clone());
            if open.is_empty() {
                continue;
            }
            walk.steps.extend(given.under.iter().map(|of| Step::exactly(*of, cycles)));
            match given.place {
                Place::AtSignal(at) => walk.steps.extend([given.value, at].map(|of| Step::exactly(of, cycles))),
                _ => {
                    let place = given.place.bits(self.width(given.value));
                    open.into_iter().for_each(|bits| self.assigned(walk, given.value, place.clone(), bits, cycles));
                }
            }
        }
    }
    /// Of what stands at this place, that which is in `bits`.
    fn assigned(&self, walk: &mut Walk, value: Id, place: Range<u32>, bits: Range<u32>, cycles: u32) {
        let (start, end) = (place.start.max(bits.start), place.end.min(bits.end));
        if start < end {
            self.behind(walk, value, start - place.start..end - place.start, cycles);
        }
    }
}
