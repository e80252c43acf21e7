//! Stages of pipelines: what belongs together, and the registers between.

use super::{Draft, Reported};
use crate::ir::*;

/// A pipeline scope.
#[derive(Debug)]
pub(crate) struct PipeData {
    pub name: String,
    pub enable: Option<Id>,
}

impl Draft {
    /// The stage that signals used together have; reports an error when they have several.
    pub fn merge_stages(&mut self, ids: &[Id], loc: Loc) -> Result<Option<(u32, i32)>, Reported> {
        let mut found: Option<(Id, (u32, i32))> = None;
        for &id in ids {
            match (found, self.node(id).stage) {
                (None, Some(s)) => found = Some((id, s)),
                (Some((first, a)), Some(b)) if a != b => {
                    self.stage_error(first, id, loc);
                    return Err(Reported);
                }
                _ => {}
            }
        }
        Ok(found.map(|f| f.1))
    }
    pub fn stage_error(&mut self, a: Id, b: Id, loc: Loc) {
        let (Some((pa, sa)), Some((pb, sb))) = (self.node(a).stage, self.node(b).stage) else { return };
        let (da, db) = (self.describe(a), self.describe(b));
        if pa != pb {
            let (na, nb) = (self.pipes[pa as usize].name.clone(), self.pipes[pb as usize].name.clone());
            let message = format!("{da} belongs to pipeline `{na}`, {db} to pipeline `{nb}`");
            self.error(loc, message, vec![], Some("take one out of its pipeline with `leave`".into()));
            return;
        }
        let name = &self.pipes[pa as usize].name;
        let apart = sa.abs_diff(sb);
        let plural = if apart == 1 { "" } else { "s" };
        let message =
            format!("{da} is at stage {sa}, {db} at stage {sb} of pipeline `{name}`: {apart} stage{plural} apart");
        let (early, late) = if sa < sb { (a, b) } else { (b, a) };
        let help = format!("delay the earlier one: `{}.meet({})`", self.label(early), self.label(late));
        let notes = vec![(self.node(a).loc, "the first comes from here"), (self.node(b).loc, "the second from here")];
        self.error(loc, message, notes, Some(help));
    }
    pub fn delay(&mut self, id: Id, loc: Loc) -> Id {
        if let Some(&known) = self.delayed.get(&id) {
            return known;
        }
        let node = self.node(id).clone();
        if node.op == Op::Poison {
            return id;
        }
        let Some((pipe, stage)) = node.stage else {
            if matches!(node.op, Op::Const(_) | Op::Variant(..)) {
                return id; // a constant is at every stage
            }
            let message = format!("{} is not in a pipeline", self.describe(id));
            self.error(loc, message, vec![], Some("take it in with `enter`, or use a register".into()));
            return self.poison(node.width, loc);
        };
        let index = self.def.regs.len() as u32;
        let reg = self.push(Op::Net(Net::Reg(index)), node.width, loc);
        self.def.nodes[reg as usize].stage = Some((pipe, stage + 1));
        let reset = self.valids.contains(&id).then(num_bigint::BigUint::default);
        if reset.is_some() {
            self.valids.insert(reg);
        }
        let (enable, domain) = (self.pipes[pipe as usize].enable, self.domain);
        self.def.regs.push(Reg { node: reg, reset, enable, at_once: None, domain });
        // a delay does not depend on the conditions it is written under
        let section = self.section();
        self.blocks[0].push(Stmt::Set { target: reg, place: Place::Whole, value: id, section });
        self.named_after.insert(reg, id);
        self.delayed.insert(id, reg);
        reg
    }
    pub fn delay_to(&mut self, id: Id, goal: Option<(u32, i32)>, loc: Loc) -> Id {
        let (Some((pipe, stage)), Some((goal_pipe, goal_stage))) = (self.node(id).stage, goal) else { return id };
        if pipe != goal_pipe || stage > goal_stage {
            let message = format!(
                "{} is at stage {stage} of pipeline `{}` and cannot meet stage {goal_stage}",
                self.describe(id),
                self.pipes[pipe as usize].name
            );
            self.error(loc, message, vec![], Some("delay the other one: a value can only be delayed".into()));
            return self.poison(self.node(id).width, loc);
        }
        (stage..goal_stage).fold(id, |id, _| self.delay(id, loc))
    }
    /// The stage of an assigned net: it takes that of what is assigned, and every later assignment must have it too.
    pub fn assign_stage(&mut self, target: Id, value: Id, loc: Loc) {
        let mut sources = self.conds.clone();
        sources.push(value);
        let Ok(Some(stage)) = self.merge_stages(&sources, loc) else { return };
        let of = sources.into_iter().find(|s| self.node(*s).stage == Some(stage)).unwrap_or(value);
        match self.node(target).op {
            Op::Net(Net::Output) => {
                let message =
                    format!("{} is inside pipeline `{}`", self.describe(of), self.pipes[stage.0 as usize].name);
                self.error(loc, message, vec![], Some("take it to an output with `leave`".into()));
            }
            Op::Net(Net::PinIn(inst)) => self.pin_stage(inst, of, stage, loc),
            // a wire or register belongs to the stage at which it is assigned
            _ if self.node(target).stage.is_none() => self.def.nodes[target as usize].stage = Some(stage),
            _ if self.node(target).stage != Some(stage) => self.stage_error(target, of, loc),
            _ => {}
        }
    }
    /// The first staged input of an instance gives its outputs their stage; the others must be at the same one.
    fn pin_stage(&mut self, inst: u32, value: Id, stage: (u32, i32), loc: Loc) {
        let def = self.def.insts[inst as usize].def.clone();
        let Some(latency) = def.latency else {
            let message = format!("`{}` does not state its latency, so it cannot stand in a pipeline", def.name);
            let help = "state it there with `latency`, or connect values that left the pipeline";
            return self.error(loc, message, vec![], Some(help.into()));
        };
        match self.inst_stage.get(&inst) {
            Some(&base) if base != stage => {
                let (what, name) = (self.describe(value), self.pipes[base.0 as usize].name.clone());
                let message = format!(
                    "{what} is at stage {}, but this instance of `{}` takes its inputs at stage {} of pipeline `{name}`",
                    stage.1, def.name, base.1
                );
                self.error(loc, message, vec![], Some("delay the earlier one with `meet`".into()));
            }
            Some(_) => {}
            None => {
                self.inst_stage.insert(inst, stage);
                for (pin, port) in self.def.insts[inst as usize].pins.clone().into_iter().zip(&def.ports) {
                    if !port.input {
                        self.def.nodes[pin as usize].stage = Some((stage.0, stage.1 + latency as i32));
                    }
                }
            }
        }
    }
}
