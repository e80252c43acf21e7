//! Marks on registers and wires in a pipeline.

use super::{Advance, Draft, Gate, Mark};
use crate::ir::*;

impl Draft {
    /// A register or wire is read at this stage, whatever is written to it. `false`: it is neither, which is reported.
    pub fn mark(&mut self, id: Id, stage: Stage, mark: Mark, loc: Loc) -> bool {
        let kind = match self.node(id).op {
            Op::Net(Net::Reg(_)) => true,
            Op::Net(Net::Wire) => mark == Mark::Feedback,
            Op::Poison => return true,
            _ => false,
        };
        let (word, what) = match mark {
            Mark::Feedback => ("feedback", "a register or wire"),
            _ => ("state", "a register"),
        };
        let (described, p) = (self.describe(id), self.pipe(stage).variable.clone());
        if !kind {
            let help = format!(
                "what comes from outside is marked with `{p}.constant` if it stands still while data is in flight, and enters if not"
            );
            self.error(loc, format!("{described} is not {what}"), vec![], Some(help));
            return false;
        }
        let assigned = self.set_at.keys().any(|(target, _)| *target == id);
        if assigned || self.node(id).stage.is_some() || self.staging.marks.contains_key(&id) {
            let message = match self.staging.marks.contains_key(&id) {
                true => format!("{described} is marked already"),
                false => format!("{described} is assigned before it is marked"),
            };
            let help = format!(
                "mark it once, where it is declared: `let x = {p}.{word}(m.reg(bits({})), y);`",
                self.node(id).width
            );
            let notes = vec![(self.node(id).loc, "it comes from here")];
            self.error(loc, message, notes, Some(help));
            return true;
        }
        self.stands_at(id, stage);
        self.staging.marks.insert(id, mark);
        true
    }
    /// A net stands at a stage, and so do the elements that it holds if it is a register file.
    pub fn stands_at(&mut self, id: Id, stage: Stage) {
        self.def.nodes[id as usize].stage = Some(stage);
        if self.files.contains(&id) {
            let elements = self.def.nodes.iter_mut().filter(|n| matches!(n.op, Op::Slice(of, _) if of == id));
            elements.for_each(|n| n.stage = Some(stage));
        }
    }
    /// Where a pipeline may stand, a clock edge is no step of its items.
    pub fn check_past(&mut self, of: Id, loc: Loc) {
        let Some(stage) = self.node(of).stage.filter(|stage| stage.at.is_some()) else { return };
        if matches!(self.pipe(stage).advance, Advance::Always) {
            return;
        }
        let (name, p) = (&self.pipe(stage).name, &self.pipe(stage).variable);
        let message = format!("`past` of {}, which is in pipeline `{name}`, that may stand", self.describe(of));
        let help = format!(
            "`m.past({p}.leave({}))` counts clock edges; what the item before was is state of the pipeline: `{p}.state(r, x)`",
            self.rust(of, "x")
        );
        self.error(loc, message, vec![(self.pipe(stage).loc, "the pipeline begins here")], Some(help));
    }
    /// Marked state one stage behind where it is written.
    pub fn after(&mut self, id: Id, loc: Loc) -> Id {
        let (width, net) = (self.node(id).width, self.file_of(id).unwrap_or(id));
        let written = match self.staging.marks.get(&net) {
            Some(Mark::State) => self.node(net).stage,
            Some(Mark::Feedback) => self.staging.written.get(&net).copied(),
            _ => None,
        };
        let Some(stage) = written else {
            if self.node(id).op != Op::Poison {
                let help = "only what is marked with `state`, or with `feedback` and is assigned, changes at a stage";
                self.error(loc, format!("{} is no state of a pipeline", self.describe(id)), vec![], Some(help.into()));
            }
            return self.poison(width, loc);
        };
        let alias = self.push(Op::Alias(id), width, loc);
        let later = i32::from(matches!(self.node(net).op, Op::Net(Net::Reg(_))));
        self.def.nodes[alias as usize].stage = Some(stage.later(later));
        self.staging.gates.insert(alias, Gate::After);
        alias
    }
}
