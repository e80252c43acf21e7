//! The registers between the stages of a pipeline.

use super::Draft;
use crate::ir::*;

impl Draft {
    pub fn delay(&mut self, id: Id, loc: Loc) -> Id {
        if let Some(stage) = self.node(id).stage.filter(|stage| stage.at.is_some() && self.ignores_enable(*stage)) {
            self.goes_on(id, stage, loc);
            return self.poison(self.node(id).width, loc);
        }
        if let Some(&known) = self.staging.delayed.get(&id) {
            return known;
        }
        let node = self.node(id).clone();
        let stage = match node.stage {
            Some(stage) if stage.at.is_some() => stage,
            None if !self.is_free(id) => {
                self.not_in_a_pipeline(id, loc);
                return self.poison(node.width, loc);
            }
            _ => return id, // a constant is at every stage
        };
        let enable = self.advance(stage);
        let index = self.def.regs.len() as u32;
        let reg = self.push(Op::Net(Net::Reg(index)), node.width, loc);
        self.def.nodes[reg as usize].stage = Some(stage.later(1));
        let reset = self.staging.valids.contains(&id).then(num_bigint::BigUint::default);
        if reset.is_some() {
            self.staging.valids.insert(reg);
        }
        let (enable, domain) = (self.delay_enable(reg, stage.pipe, enable, loc), self.domain);
        self.def.regs.push(Reg { node: reg, reset, states: None, enable, async_reset: None, domain });
        // a delay does not depend on the conditions it is written under
        let section = self.section();
        self.blocks[0].push(Stmt::Set { target: reg, place: Place::Whole, value: id, section, loc });
        self.named_after.insert(reg, id);
        self.staging.delayed.insert(id, reg);
        self.reaches(reg, loc);
        reg
    }
    /// Does the pipeline go on while the innermost open `in_enabled` stands?
    fn ignores_enable(&self, stage: Stage) -> bool {
        let Some(here) = self.enabling.current else { return false };
        let pipe = self.pipe(stage).enabled.map_or(vec![], |enabled| self.enables_of(enabled.enable));
        !self.enables_of(here.enable).iter().all(|enable| pipe.contains(enable))
    }
    fn goes_on(&mut self, id: Id, stage: Stage, loc: Loc) {
        let (name, begins) = (self.pipe(stage).name.clone(), self.pipe(stage).loc);
        let message = format!("a delay of {} goes on while the enable around it is 0", self.describe(id));
        let enabled = self.enabling.current.map(|enabled| (enabled.loc, "the enable is given here"));
        let notes = [(begins, "its pipeline begins here, and stands as one")].into_iter().chain(enabled).collect();
        let help = format!("begin pipeline `{name}` inside of the `in_enabled`, or delay outside of it");
        self.error(loc, message, notes, Some(help));
    }
    /// The copies of a signal are reset to 0, also those that are there already.
    pub fn mark_valid(&mut self, mut id: Id) {
        while self.staging.valids.insert(id) {
            let Some(&copy) = self.staging.delayed.get(&id) else { return };
            if let Op::Net(Net::Reg(r)) = self.node(copy).op {
                self.def.regs[r as usize].reset = Some(num_bigint::BigUint::default());
            }
            id = copy;
        }
    }
    /// A register between stages is shared by all that ask for it, and stands as its pipeline does: what a user would do to it alone is
    /// reported. `method` is what is legal for a register of the user's.
    pub fn is_delay(&mut self, id: Id, cannot: &str, method: &str, loc: Loc) -> bool {
        let Some((&of, stage)) = self.named_after.get(&id).zip(self.node(id).stage) else { return false };
        let message =
            format!("{} is a delay of pipeline `{}`, which {cannot}", self.describe(id), self.pipe(stage).name);
        let (width, value) = (self.node(id).width, self.rust(of, "x"));
        let help = format!(
            "all that delay `{value}` share it; declare a register with `m.reg`: `let r = m.reg(bits({width})){method}; r.set({value});`"
        );
        self.error(loc, message, vec![(self.node(id).loc, "it comes from here")], Some(help));
        true
    }
    pub fn not_in_a_pipeline(&mut self, id: Id, loc: Loc) {
        let message = format!("{} is not in a pipeline", self.describe(id));
        let (width, value) = (self.node(id).width, self.rust(id, "x"));
        let register = format!("`let r = m.reg(bits({width})); r.set({value});`");
        self.error(loc, message, vec![], Some(format!("take it in with `enter`, or use a register: {register}")));
    }
    /// What is at a stage cannot meet what is at none: nothing says how long to wait.
    fn meets_no_stage(&mut self, id: Id, loc: Loc) -> Id {
        let Some(Stage { pipe, at: Some(at) }) = self.node(id).stage else { return id };
        let pipe = &self.staging.pipes[pipe as usize].name;
        let message =
            format!("{} is at stage {at} of pipeline `{pipe}`, and meets what is at no stage", self.describe(id));
        let help = "what has left the pipeline, an output, a constant, or a register that is not assigned yet says nothing of \
                    when: name a value inside, or `later(n)`";
        self.error(loc, message, vec![], Some(help.into()));
        self.poison(self.node(id).width, loc)
    }
    /// Stages of two pipelines have nothing to do with each other.
    fn meets_another_pipeline(&mut self, id: Id, pipe: u32, goal: u32, loc: Loc) -> Id {
        let [from, to] = [pipe, goal].map(|pipe| &self.staging.pipes[pipe as usize]);
        let message = format!(
            "{} is in pipeline `{}`, and meets a signal of pipeline `{}`",
            self.describe(id),
            from.name,
            to.name
        );
        let alike = from.variable == to.variable;
        let [from, to] = [from, to].map(|pipe| if alike { &pipe.name } else { &pipe.variable });
        let x = self.rust(id, "x");
        let help = format!("take it out, and let it enter there: `{to}.enter({from}.leave({x}))`");
        self.error(loc, message, vec![], Some(help));
        self.poison(self.node(id).width, loc)
    }
    pub fn delay_to(&mut self, id: Id, goal: Option<Stage>, loc: Loc) -> Id {
        let Some(Stage { pipe: goal_pipe, at: Some(goal) }) = goal else { return self.meets_no_stage(id, loc) };
        let (pipe, at) = match self.node(id).stage {
            Some(Stage { pipe, at: Some(at) }) => (pipe, at),
            None if !self.is_free(id) => {
                self.not_in_a_pipeline(id, loc);
                return self.poison(self.node(id).width, loc);
            }
            _ => return id,
        };
        if pipe != goal_pipe {
            return self.meets_another_pipeline(id, pipe, goal_pipe, loc);
        }
        if at > goal {
            let message = format!(
                "{} is at stage {at} of pipeline `{}` and cannot meet stage {goal}",
                self.describe(id),
                self.staging.pipes[pipe as usize].name
            );
            self.error(loc, message, vec![], Some("delay the other one: a value can only be delayed".into()));
            return self.poison(self.node(id).width, loc);
        }
        (at..goal).fold(id, |id, _| self.delay(id, loc))
    }
}
