//! Assignments: what stands inside `always` and `assign`.

use super::process::reg;
use super::render::Render;
use super::steps::Decoded;
use super::steps::Step;
use super::text::{Statement, begin, bits, indent, label, lead_all, paren};
use crate::ir::*;

/// How the statements of a process are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Wires,
    /// Registers whose enable stands around the statements, if they have one.
    Registers,
    /// Registers with different enables: each assignment stands under its own.
    EnabledApart,
}

/// The enables of the registers that a step assigns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Enable {
    /// All have this one, or none has one.
    Same(Option<Id>),
    Different,
}

impl Render<'_> {
    /// The statements of steps that follow each other.
    pub fn statements(&self, steps: &[Step], style: Style) -> Vec<Statement> {
        if style == Style::EnabledApart {
            let under = |(enable, statements): (Option<Id>, Vec<Statement>)| match enable {
                Some(enable) => vec![lead_all(&format!("if ({})", self.t(enable)), statements)],
                None => statements,
            };
            return self.enabled(steps).into_iter().flat_map(under).collect();
        }
        (0..steps.len()).map(|i| self.statement(steps, i, style)).collect()
    }
    /// The statements of registers, together as far as neighbours have one enable.
    pub fn enabled(&self, steps: &[Step]) -> Vec<(Option<Id>, Vec<Statement>)> {
        let mut parts: Vec<(Option<Id>, Vec<Statement>)> = vec![];
        for (i, step) in steps.iter().enumerate() {
            let (enable, style) = match self.enable(step) {
                Enable::Same(enable) => (enable, Style::Registers),
                Enable::Different => (None, Style::EnabledApart),
            };
            let statement = self.statement(steps, i, style);
            match parts.last_mut() {
                Some((last, statements)) if *last == enable => statements.push(statement),
                _ => parts.push((enable, vec![statement])),
            }
        }
        parts
    }
    fn enable(&self, step: &Step) -> Enable {
        let mut found: Option<Enable> = None;
        Step::each(std::slice::from_ref(step), &mut |step| {
            let enable = step.target().and_then(|t| reg(self.def, t)).map(|reg| Enable::Same(reg.enable));
            found = match (found, enable) {
                (Some(a), Some(b)) if a != b => Some(Enable::Different),
                (a, b) => a.or(b),
            };
        });
        found.unwrap_or(Enable::Same(None))
    }
    /// One of several steps that follow each other.
    fn statement(&self, steps: &[Step], at: usize, style: Style) -> Statement {
        match &steps[at] {
            Step::Set { target, place, value } => {
                let assign = if style == Style::Wires { "=" } else { "<=" };
                let line = format!("{} {assign} {};", self.place(*target, *place, *value), self.t(*value));
                // Yosys 0.70 lets an earlier `if` win over a later part of a register, unless that is in an `if` too
                let after_if = || steps[..at].iter().any(|s| !matches!(s, Step::Set { .. }) && s.touches(*target));
                let keep_order = style != Style::Wires && *place != Place::Whole && after_if();
                vec![if keep_order { format!("if (1'b1) {line}") } else { line }]
            }
            Step::Decoded { target, to, value } => self.decoded(*target, to, *value),
            Step::If { cond, then, otherwise } => {
                self.if_lines(*cond, self.statements(then, style), self.statements(otherwise, style))
            }
            Step::Case { selector, arms, default, rest } => self.case_lines(*selector, arms, (default, rest), style),
        }
    }
    pub fn place(&self, target: Id, place: Place, value: Id) -> String {
        let (name, w) = (self.t(target), self.width(value));
        match place {
            Place::Whole => name.to_string(),
            Place::At(lo) => format!("{name}{}", bits(lo, w)),
            Place::AtSignal(low) if w == 1 => format!("{name}[{}]", self.t(low)),
            Place::AtSignal(low) => format!("{name}[{} +: {w}]", self.t(low)),
        }
    }
    fn decoded(&self, target: Id, to: &Decoded, value: Id) -> Statement {
        let (name, w, text) = (self.t(target), self.width(value), self.t(value));
        let index = match &to.index[..] {
            [one] => self.t(*one).to_string(),
            several => format!("{{{}}}", several.iter().map(|x| self.t(*x)).collect::<Vec<_>>().join(", ")),
        };
        if let Some(step) = to.step() {
            let i = self.processes.get(target).and_then(|process| process.counter.clone()).unwrap_or_default();
            let head = format!("for ({i} = 0; {i} < {}; {i} = {i} + 1)", to.places.len());
            let times = if step == 1 { i.to_string() } else { format!("{step} * {i}") };
            let from = if to.places[0] == 0 { times } else { format!("{times} + {}", to.places[0]) };
            let range = if w == 1 { from } else { format!("{from} +: {w}") };
            let here = format!("if ({} == {i}[{}:0])", paren(&index), to.bits - 1);
            return begin(&head, vec![format!("{here} {name}[{range}] <= {text};")]);
        }
        let mut out = vec![format!("case ({index})")];
        let arm = |(at, low): (usize, &u32)| format!("    {}'h{at:x}: {name}{} <= {text};", to.bits, bits(*low, w));
        out.extend(to.places.iter().enumerate().map(arm));
        if to.places.len() < 1 << to.bits {
            out.push("    default: ;".into());
        }
        out.push("endcase".into());
        out
    }
    fn if_lines(&self, cond: Id, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
        if then.is_empty() {
            return lead_all(&format!("if (!{})", paren(self.t(cond))), otherwise);
        }
        let head = format!("if ({})", self.t(cond));
        // `begin` also where the else could bind to an inner if
        let dangling = then.len() == 1 && then[0][0].starts_with("if") && !otherwise.is_empty();
        let mut out = if dangling { begin(&head, then.concat()) } else { lead_all(&head, then) };
        if otherwise.is_empty() {
            return out;
        }
        let (joined, first) = if out.last().is_some_and(|l| l == "end") { (true, "end else") } else { (false, "else") };
        if joined {
            out.pop();
        }
        match &otherwise[..] {
            [one] if one[0].starts_with("if (") => {
                out.push(format!("{first} {}", one[0]));
                out.extend_from_slice(&one[1..]);
            }
            _ => out.extend(lead_all(first, otherwise)),
        }
        out
    }
    fn case_lines(
        &self,
        selector: Id,
        arms: &[(Vec<Id>, Vec<Step>)],
        (default, rest): (&[Step], &[Id]),
        style: Style,
    ) -> Statement {
        let mut out = vec![format!("case ({})", self.t(selector))];
        let or_nothing = |lines: Vec<Statement>| if lines.is_empty() { vec![vec![";".to_string()]] } else { lines };
        for (values, block) in arms {
            if block.is_empty() && default.is_empty() {
                continue;
            }
            let values: Vec<String> = values.iter().map(|v| self.expr(*v)).collect();
            let lines = or_nothing(self.statements(block, style));
            out.extend(indent(label(&format!("{}:", values.join(", ")), lines)));
        }
        let listed: usize = arms.iter().map(|(v, _)| v.len()).sum();
        let full = self.width(selector) < 32 && listed == 1 << self.width(selector);
        let all_shown = full && arms.iter().all(|(_, block)| !block.is_empty());
        if !all_shown {
            let states = if default.is_empty() { &[] } else { rest };
            let mut lines = label("default:", or_nothing(self.statements(default, style)));
            if !states.is_empty() {
                // which states the user wrote here
                let names: Vec<String> = states.iter().map(|v| self.expr(*v)).collect();
                lines[0] += &format!(" // {}", names.join(", "));
            }
            out.extend(indent(lines));
        }
        out.push("endcase".into());
        out
    }
}
