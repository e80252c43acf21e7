//! Assignments: to what, where and when.

use super::Draft;
use crate::ir::*;
use num_bigint::BigUint;

impl Draft {
    /// The net behind an assignable signal, and which of its bits are meant.
    pub(super) fn place(&self, id: Id) -> Option<(Id, Place)> {
        match self.node(id).op {
            Op::Net(Net::Wire | Net::Output | Net::Reg(_) | Net::PinIn(_)) => Some((id, Place::Whole)),
            Op::Slice(x, lo) => match self.place(x)? {
                (net, Place::Whole) => Some((net, Place::At(lo))),
                (net, Place::At(base)) => Some((net, Place::At(base + lo))),
                _ => None,
            },
            Op::Part(x, low) => match self.place(x)? {
                (net, Place::Whole) => Some((net, Place::AtSignal(low))),
                _ => None,
            },
            _ => None,
        }
    }
    pub fn assign(&mut self, to: Signal, from: Signal, loc: Loc) {
        if !self.check_same(&[to, from], loc) || self.node(to.id).op == Op::Poison {
            return;
        }
        if let Some(id) = self.not_assignable(to.id) {
            if self.node(from.id).op == Op::Poison {
                return; // what is wrong is reported, such as a stream in a register
            }
            let message = format!("{} cannot be assigned", self.describe(id));
            let note = vec![(self.node(id).loc, "it comes from here")];
            let part = matches!(self.node(id).op, Op::Part(of, _) if self.place(of).is_some() || self.chosen_bits(of).is_some());
            let help = match part {
                true => {
                    "a part at a place that a signal gives, of an element or part that a signal chose: assign all of that, or `bits` of it"
                }
                false => "only wires, registers, output ports and inputs of instances can",
            };
            return self.error(loc, message, note, Some(help.into()));
        }
        if to.width != from.width {
            return self.width_error("set", to.id, from.id, loc);
        }
        if !self.assign_chosen(to, from, loc)
            && let Some((target, place)) = self.place(to.id)
        {
            self.assign_place(target, place, from, loc);
        }
        if !self.staging.pipes.is_empty() {
            self.stage_of_place(to.id);
        }
    }
    pub(super) fn assign_place(&mut self, target: Id, place: Place, from: Signal, loc: Loc) {
        if let Some(enabled) = self.enabling.pins.get(&target) {
            let (message, notes) =
                (format!("{} is connected already", self.describe(target)), vec![(enabled.loc, "to this")]);
            return self.error(loc, message, notes, Some("an instance takes the enable that it stands in".into()));
        }
        if self.is_delay(target, "cannot be assigned", "", loc) {
            return;
        }
        self.check_declared_under(target, loc);
        self.assign_stage(target, place, from.id, loc);
        self.set_at.entry((target, from.id)).or_insert(loc);
        let section = self.section();
        self.block().push(Stmt::Set { target, place, value: from.id, section, loc });
    }
    /// A register that is declared under a condition and assigned there would hold where that is 0, which the function that declares it
    /// does not say. Reported once.
    fn check_declared_under(&mut self, target: Id, loc: Loc) {
        let open = self.declared_under.get(&target).is_some_and(|block| self.open_blocks.contains(block));
        if !open || !matches!(self.node(target).op, Op::Net(Net::Reg(_))) {
            return;
        }
        self.declared_under.remove(&target);
        let message = format!(
            "{} is declared under a `when` or `switch`, and assigned under it: it would hold where that does not apply",
            self.describe(target)
        );
        let help = "declare it, or call the function that does, before the `when`: there it takes a value in every cycle; if it is to hold, \
                    assign it under the `when`";
        let condition = self.conds.last().map(|cond| (self.node(*cond).loc, "the condition comes from here"));
        let notes = [(self.node(target).loc, "it is declared here")].into_iter().chain(condition).collect();
        self.error(loc, message, notes, Some(help.into()));
    }
    /// A wire that is `cond` where the open `when` and `switch` apply, and else what makes the property say nothing.
    pub fn conditional(&mut self, kind: PropertyKind, cond: Id, loc: Loc) -> Id {
        let wire = self.push(Op::Net(Net::Wire), 1, loc);
        self.def.nodes[wire as usize].name = Some(format!("{kind}_l{}", loc.line()));
        let idle = BigUint::from(u32::from(kind != PropertyKind::Cover));
        let idle = self.share(SharedKey::Const(idle.clone(), 1), Op::Const(idle), 1, loc);
        let sources: Vec<Id> = self.conds.iter().copied().chain([cond]).collect();
        self.def.nodes[wire as usize].stage = self.merge_stages(&sources, loc).unwrap_or(None);
        let section = self.section();
        self.defaults.push(Stmt::Set { target: wire, place: Place::Whole, value: idle, section: 0, loc });
        self.block().push(Stmt::Set { target: wire, place: Place::Whole, value: cond, section, loc });
        wire
    }
    /// A number is the reset value; what holds states is looked at by [`Draft::check_numbered`].
    pub fn set_reset_number(&mut self, reg: Id, value: Id, loc: Loc) {
        self.set_reset(reg, value, loc);
        if matches!(self.node(value).op, Op::Const(_)) {
            self.numbered.insert(reg, loc);
        }
    }
    /// A register that was reset to a number holds states, or several of them: the number is the code of one.
    pub fn check_numbered(&mut self, reg: Id, of: &StateEnum) {
        let Some(loc) = self.numbered.remove(&reg) else { return };
        let Op::Net(Net::Reg(r)) = self.node(reg).op else { return };
        let Some(value) = self.def.regs[r as usize].reset.clone() else { return };
        let e = Enum::new(of);
        let first = &value & fold::ones(e.width);
        if e.with_code(&first).is_none() {
            let message = format!("{} is reset to {first}, which is no state of `{}`", self.describe(reg), e.name);
            let help = format!(
                "`reg_reset_to` takes states, alone or in bundles: `m.lit_state({}::{})`",
                e.name, e.variants[0].name
            );
            self.error(loc, message, vec![], Some(help));
        }
    }
    pub fn set_reset(&mut self, reg: Id, value: Id, loc: Loc) {
        let Op::Net(Net::Reg(r)) = self.node(reg).op else { return };
        self.def.regs[r as usize].reset = self.reset_value(value, loc);
        if let Op::Variant(e, _) = self.node(value).op {
            self.def.regs[r as usize].states = Some(e);
        }
    }
    pub fn reset_value(&mut self, value: Id, loc: Loc) -> Option<BigUint> {
        match &self.node(value).op {
            Op::Const(v) => Some(v.clone()),
            Op::Variant(e, v) => Some(self.def.enums[*e as usize].variants[*v as usize].code.clone()),
            Op::Poison => None,
            _ => {
                let message = format!("the reset value {} is not a constant", self.describe(value));
                let help =
                    "a number, `m.lit` or a state; what a signal decides is assigned, under `when(m.in_reset(), ..)`";
                self.error(loc, message, vec![], Some(help.into()));
                None
            }
        }
    }
}
