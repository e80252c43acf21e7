//! Stages of pipelines: what belongs together.

use super::{Draft, Gate, Mark, Reported};
use crate::ir::*;

/// Why signals cannot be used together.
enum Apart {
    /// They have two stages.
    Stages(Id, Id),
    /// One has a stage, one comes from outside.
    Outside { inside: Id, outside: Id },
}

impl Draft {
    /// Can this be used beside any stage, because it is made of literals only?
    pub fn is_free(&self, id: Id) -> bool {
        let leaves = walk::leaves(id, |id| match &self.node(id).op {
            Op::Const(_) | Op::Variant(..) | Op::Poison | Op::Net(_) => None,
            op => Some(op.operands()),
        });
        leaves.iter().all(|id| !matches!(self.node(*id).op, Op::Net(net) if net != Net::Any(false)))
    }
    /// The first of these that comes from outside of all pipelines, and is no literal.
    pub fn outsider(&self, ids: &[Id]) -> Option<Id> {
        ids.iter().copied().find(|id| self.node(*id).stage.is_none() && !self.is_free(*id))
    }
    /// The stage that signals used together have; reports an error when they have several, or when some are outside.
    pub fn merge_stages(&mut self, ids: &[Id], loc: Loc) -> Result<Option<Stage>, Reported> {
        let stage = self.common_stage(ids);
        stage.map_err(|apart| {
            match apart {
                Apart::Stages(one, other) => self.stage_error(one, other, loc),
                Apart::Outside { inside, outside } => self.outside_error(inside, outside, loc),
            }
            Reported
        })
    }
    /// The stage that signals used together have, if they can be.
    fn common_stage(&self, ids: &[Id]) -> Result<Option<Stage>, Apart> {
        let staged: Vec<(Id, Stage)> = ids.iter().filter_map(|id| Some((*id, self.node(*id).stage?))).collect();
        let Some(at) = staged.iter().position(|(_, s)| s.at.is_some()) else {
            // settings of two pipelines, or of one and from outside, belong to none
            let first = staged.first().map(|(_, s)| *s);
            let of_one = staged.iter().all(|(_, s)| Some(*s) == first);
            return Ok(first.filter(|_| of_one && self.outsider(ids).is_none()));
        };
        let (inside, stage) = staged[at];
        let fits = |s: Stage| s == stage || (s.pipe == stage.pipe && s.at.is_none());
        if let Some(other) = staged.iter().position(|(_, s)| !fits(*s)) {
            return Err(Apart::Stages(staged[at.min(other)].0, staged[at.max(other)].0));
        }
        match self.outsider(ids) {
            Some(outside) => Err(Apart::Outside { inside, outside }),
            None => Ok(Some(stage)),
        }
    }
    /// The stage of a place, such as `w.bits(3, 0)`, that was made before something was assigned to it. Where its parts stand apart, as
    /// the place in a register and the register do, it stays without: it can be assigned, and not be read.
    pub(super) fn stage_of_place(&mut self, id: Id) {
        let operands = self.node(id).op.operands();
        if self.node(id).stage.is_some() || operands.is_empty() || self.staging.gates.contains_key(&id) {
            return; // what left a pipeline is at none
        }
        operands.iter().for_each(|operand| self.stage_of_place(*operand));
        self.def.nodes[id as usize].stage = self.common_stage(&operands).unwrap_or(None);
    }
    pub fn stage_error(&mut self, a: Id, b: Id, loc: Loc) {
        let (Some(sa), Some(sb)) = (self.node(a).stage, self.node(b).stage) else { return };
        let (da, db) = (self.describe(a), self.describe(b));
        let a_condition = |id| self.conds.contains(&id);
        let notes = match (a_condition(a), a_condition(b)) {
            (true, false) => vec![
                (
                    self.node(a).loc,
                    "the first comes from here; it is the condition of a `when` or `switch` around this",
                ),
                (self.node(b).loc, "the second from here"),
            ],
            (false, true) => vec![
                (self.node(a).loc, "the first comes from here"),
                (self.node(b).loc, "the second from here; it is the condition of a `when` or `switch` around this"),
            ],
            _ => vec![(self.node(a).loc, "the first comes from here"), (self.node(b).loc, "the second from here")],
        };
        let (Some(at_a), Some(at_b), true) = (sa.at, sb.at, sa.pipe == sb.pipe) else {
            let message =
                format!("{da} belongs to pipeline `{}`, {db} to pipeline `{}`", self.pipe(sa).name, self.pipe(sb).name);
            let setting = |s: Stage, x| {
                format!("mark it in this pipeline too: `{}.constant({})`", self.pipe(s).variable, self.rust(x, "x"))
            };
            let help = match (sa.at, sb.at) {
                (None, _) => setting(sb, a),
                (_, None) => setting(sa, b),
                _ => "take one out of its pipeline with `leave`".into(),
            };
            return self.error(loc, message, notes, Some(help));
        };
        let apart = at_a.abs_diff(at_b);
        let stages = counted(apart, "stage");
        let name = &self.pipe(sa).name;
        let message = format!("{da} is at stage {at_a}, {db} at stage {at_b} of pipeline `{name}`: {stages} apart");
        let (early, late) = if at_a < at_b { (a, b) } else { (b, a) };
        let mut help = match (self.rust(early, ""), self.rust(late, "")) {
            (early, _) if early.is_empty() => {
                format!("delay the earlier one: give it a name with `let`, and then `later({apart})`")
            }
            (early, late) if late.is_empty() => format!("delay the earlier one: `{early}.later({apart})`"),
            (early, late) => format!("delay the earlier one: `{early}.meet({late})`"),
        };
        if self.is_written(late) {
            let (variable, late, early) = (&self.pipe(sa).variable, self.rust(late, "y"), self.rust(early, "x"));
            help += &format!(
                "; or, if `{late}` is meant as the items before left it, mark it where it is declared: `{variable}.state({late}, {early})`"
            );
        }
        self.error(loc, message, notes, Some(help));
    }
    /// Is this a register that the user assigns, and did not mark?
    fn is_written(&self, id: Id) -> bool {
        let reg = matches!(self.node(id).op, Op::Net(Net::Reg(_)));
        reg && self.staging.written.contains_key(&id) && !self.staging.marks.contains_key(&id)
    }
    /// A signal of a stage and one from outside of the pipeline stand together.
    pub fn outside_error(&mut self, inside: Id, outside: Id, loc: Loc) {
        let Some(stage @ Stage { at: Some(at), .. }) = self.node(inside).stage else { return };
        let name = &self.pipe(stage).name;
        let message = format!(
            "{} does not belong to pipeline `{name}`, {} is at its stage {at}",
            self.describe(outside),
            self.describe(inside)
        );
        let notes = vec![
            (self.node(outside).loc, "the first comes from here"),
            (self.node(inside).loc, "the second from here"),
        ];
        let help = self.outside_help(inside, outside, stage);
        self.error(loc, message, notes, Some(help));
    }
    /// What to do with a signal from outside.
    fn outside_help(&self, inside: Id, outside: Id, stage: Stage) -> String {
        let (p, at) = (&self.pipe(stage).variable, self.rust(inside, "y"));
        let x = self.rust(outside, if at.starts_with('x') { "outside" } else { "x" });
        let assigned = self.set_at.keys().any(|(target, _)| *target == outside);
        match self.node(outside).op {
            Op::Alias(of)
                if self.staging.gates.get(&outside) == Some(&Gate::Leave)
                    && self.node(of).stage.is_some_and(|s| s.pipe == stage.pipe) =>
            {
                return "it left the pipeline before; use what it was made from, delayed with `meet`".into();
            }
            Op::Net(Net::Wire) if !assigned => {
                return format!(
                    "assign `{x}` before it is read here: it takes its stage from that; a way back from a later stage is `{p}.feedback({x}, {at})`"
                );
            }
            Op::Net(Net::PinOut(_)) => {
                return format!(
                    "an instance stands at the stage of its inputs: connect them before its outputs are read, one at least with what entered `{p}`"
                );
            }
            _ => {}
        }
        let meet = if stage.at == Some(0) { String::new() } else { format!(".meet({at})") };
        let state = match self.node(outside).op {
            Op::Net(Net::Reg(_)) => format!(
                ", `{p}.state({x}, {at})` where it is declared if it is what the items before left at this stage"
            ),
            _ => String::new(),
        };
        format!(
            "`{p}.enter({x}){meet}` if it comes in with the data, `{p}.constant({x})` if it stands still while data is in flight{state}"
        )
    }
    /// Is this a net that may have no stage only because of a mistake that is reported?
    pub fn may_be_reported(&self, id: Id) -> bool {
        !self.errors.is_empty() && matches!(self.node(id).op, Op::Net(Net::Wire | Net::Reg(_)))
    }
    /// How the user's Rust calls a signal, as far as its label tells; else `otherwise`.
    pub fn rust(&self, mut id: Id, otherwise: &str) -> String {
        let mut delays = 0;
        if let (Some(Gate::After), Op::Alias(of), Some(stage)) =
            (self.staging.gates.get(&id), &self.node(id).op, self.node(id).stage)
        {
            return format!("{}.after({})", self.pipe(stage).variable, self.rust(*of, otherwise));
        }
        while let (None, Some(of)) = (&self.node(id).name, self.named_after.get(&id)) {
            (id, delays) = (*of, delays + 1);
        }
        let passes = matches!(self.node(id).op, Op::Alias(_)) && self.staging.gates.contains_key(&id);
        let label = match self.variables.get(&id) {
            Some(variable) => variable.clone(),
            None if passes => return otherwise.into(), // it has the name of what entered or left
            None => self.label(id),
        };
        // `s_valid` is `io.s.valid` to the user, or whatever the ports are called
        let port = matches!(self.node(id).op, Op::Net(Net::Input | Net::Output));
        let plain = |c: char| c.is_alphanumeric() || "_.".contains(c);
        match delays {
            _ if port || label.contains("..") || !label.chars().all(plain) => otherwise.into(),
            0 => label,
            1 => format!("{label}.next()"),
            _ => format!("{label}.later({delays})"),
        }
    }
    /// The stage of an assigned net: it follows from what is assigned, and every later assignment must give the same.
    pub fn assign_stage(&mut self, target: Id, place: Place, value: Id, loc: Loc) {
        let mut sources = self.conds.clone();
        sources.push(value);
        if let Place::AtSignal(low) = place {
            sources.push(low);
        }
        let Ok(stage) = self.assigned_at(target, &sources, loc) else { return };
        let Some(stage) = stage else {
            // a literal fits anywhere; what is from outside does not fit into a pipeline
            if let Some(outside) = self.outsider(&sources) {
                self.assigned_from_outside(target, outside, loc);
            }
            return;
        };
        let of = sources.into_iter().find(|s| self.node(*s).stage == Some(stage)).unwrap_or(value);
        match self.node(target).op {
            Op::Net(Net::Output) if stage.at.is_some() => {
                let message = format!("{} is inside pipeline `{}`", self.describe(of), self.pipe(stage).name);
                self.error(loc, message, vec![], Some("take it to an output with `leave`".into()));
            }
            Op::Net(Net::Output) => {}
            Op::Net(Net::PinIn(inst)) => self.pin_stage(inst, target, of, stage, loc),
            Op::Net(Net::Reg(_)) => self.write_stage(target, of, stage, loc),
            _ if self.staging.marks.contains_key(&target) => self.write_stage(target, of, stage, loc),
            // a wire belongs to the stage at which it is assigned
            _ => match self.node(target).stage {
                None | Some(Stage { at: None, .. }) => self.first_stage(target, of, stage, loc),
                Some(known) if known != stage && stage.at.is_some() => self.stage_error(target, of, loc),
                Some(_) => {}
            },
        }
    }
    /// The stage from which a net is assigned. What fits at every stage is assigned to state at its own, and to a register at that of its
    /// enable.
    fn assigned_at(&mut self, target: Id, sources: &[Id], loc: Loc) -> Result<Option<Stage>, Reported> {
        let stage = self.merge_stages(sources, loc)?;
        let anywhere = stage.is_none_or(|s| s.at.is_none()) && self.outsider(sources).is_none();
        let decides = match self.staging.marks.get(&target) {
            Some(Mark::State) => Some(target),
            Some(_) => None,
            None => self.enable_at_a_stage(target),
        };
        match decides.filter(|_| anywhere) {
            Some(decides) => self.merge_stages(&[&[decides], sources].concat(), loc),
            None => Ok(stage),
        }
    }
    /// The enable that the user gave to a register, if it stands at a stage.
    fn enable_at_a_stage(&self, target: Id) -> Option<Id> {
        let Op::Net(Net::Reg(r)) = self.node(target).op else { return None };
        let enable = self.enabling.own_enable(&self.def.regs[r as usize])?;
        self.node(enable).stage.is_some_and(|stage| stage.at.is_some()).then_some(enable)
    }
    /// A net gets its stage, if nothing from outside is assigned to it.
    fn first_stage(&mut self, target: Id, value: Id, stage: Stage, loc: Loc) {
        match self.staging.from_outside.get(&target) {
            None => self.def.nodes[target as usize].stage = Some(stage),
            Some(&outside) if stage.at.is_some() => self.outside_error(value, outside, loc),
            Some(_) => {}
        }
    }
    fn assigned_from_outside(&mut self, target: Id, outside: Id, loc: Loc) {
        self.staging.from_outside.entry(target).or_insert(outside);
        match (&self.node(target).op, self.node(target).stage) {
            (Op::Net(Net::PinIn(inst)), _) => self.pin_from_outside(*inst, target, outside, loc),
            (_, Some(Stage { at: Some(_), .. })) => self.outside_error(target, outside, loc),
            // it does not stand still
            (_, Some(_)) => self.def.nodes[target as usize].stage = None,
            _ => {}
        }
    }
    /// A register is written at a stage: it stands one stage later, unless it is marked.
    fn write_stage(&mut self, target: Id, value: Id, stage: Stage, loc: Loc) {
        let Some(at) = stage.at else {
            // a register behind settings stands still with them
            if self.node(target).stage.is_none() {
                self.first_stage(target, value, stage, loc);
            }
            return;
        };
        if let Some(&outside) = self.staging.from_outside.get(&target) {
            return self.outside_error(value, outside, loc);
        }
        let (mark, known) = (self.staging.marks.get(&target).copied(), self.node(target).stage);
        let read_at = known.filter(|s| s.pipe == stage.pipe).and_then(|s| s.at);
        let before = self.staging.written.get(&target).copied();
        let fits = match (mark, known) {
            _ if before.is_some_and(|b| b != stage) => false,
            (Some(Mark::Feedback), _) => read_at.is_some_and(|r| r <= at),
            (Some(_), _) => read_at == Some(at),
            (None, None | Some(Stage { at: None, .. })) => true,
            (None, Some(known)) => known == stage.later(1),
        };
        if !fits {
            return self.write_error(target, value, stage, loc);
        }
        if mark.is_none() && known != Some(stage.later(1)) {
            self.stands_at(target, stage.later(1));
            self.reaches(target, loc);
        }
        if self.staging.written.insert(target, stage).is_none()
            && matches!(self.node(target).op, Op::Net(Net::Reg(_)))
            && let Some(moves) = self.moves(stage)
        {
            self.staging.held.insert(target, moves);
        }
    }
    fn write_error(&mut self, target: Id, value: Id, stage: Stage, loc: Loc) {
        let (Some(at), Some(known)) = (stage.at, self.node(target).stage) else { return };
        let (name, read) = (self.pipe(stage).name.clone(), known.at.unwrap_or(0));
        let (what, from) = (self.describe(target), self.describe(value));
        let p = self.pipe(stage).variable.clone();
        let mark = self.staging.marks.get(&target).copied();
        let (message, help) = match (self.staging.written.get(&target).and_then(|w| w.at), mark) {
            _ if known.pipe != stage.pipe => {
                let other = &self.pipe(known).name;
                (
                    format!("{what} belongs to pipeline `{other}`, and is assigned {from} of pipeline `{name}`"),
                    "take that out of its pipeline with `leave`".into(),
                )
            }
            (Some(first), _) => (
                format!("{what} is written at stage {first} of pipeline `{name}`, and here at stage {at}"),
                "a register is written at one stage: delay what comes from the earlier one with `meet`".to_string(),
            ),
            (None, Some(Mark::Feedback)) => (
                format!(
                    "{what} is read at stage {read} of pipeline `{name}` and written at stage {at}, which is earlier"
                ),
                "a value can only go back: what goes on is delayed with `next` or `meet`".into(),
            ),
            (None, _) => (
                format!("{what} is state of stage {read} of pipeline `{name}`, and is written at stage {at}"),
                format!(
                    "state is read and written at one stage; if it is read early and written late on purpose, mark it with `{p}.feedback` instead of `{p}.state`"
                ),
            ),
        };
        let notes =
            vec![(self.node(target).loc, "it comes from here"), (self.node(value).loc, "what is assigned from here")];
        self.error(loc, message, notes, Some(help));
    }
}
