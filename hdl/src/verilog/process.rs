//! Assignments: what stands inside `always` and `assign`.

use super::render::Render;
use super::text::{begin, indent, lead, paren};
use crate::ir::*;

impl Render<'_> {
    /// The assignments to `target` in `block`, as lines.
    pub fn stmts<'b>(&self, block: impl IntoIterator<Item = &'b Stmt>, target: Id, assign: &str) -> Vec<String> {
        let block: Vec<&Stmt> = block.into_iter().filter(|s| s.touches(target)).collect();
        // what stands before an unconditional assignment of the whole has no effect
        let first = block.iter().rposition(|s| matches!(s, Stmt::Set { place: Place::Whole, .. })).unwrap_or(0);
        let mut out = vec![];
        for (i, s) in block.iter().enumerate().skip(first) {
            match s {
                Stmt::Set { place, value, .. } => {
                    let after_if = block[first..i].iter().any(|s| !matches!(s, Stmt::Set { .. }));
                    let line = format!("{} {assign} {};", self.place(target, *place, *value), self.t(*value));
                    // Yosys 0.70 lets an earlier `if` win over a later part of a register, unless that is in an `if` too
                    let keep_order = assign == "<=" && after_if && *place != Place::Whole;
                    out.push(if keep_order { format!("if (1'b1) {line}") } else { line });
                }
                Stmt::If { cond, then, otherwise } => {
                    let (then, els) = (self.stmts(then, target, assign), self.stmts(otherwise, target, assign));
                    out.extend(self.if_lines(*cond, then, els, one_if(otherwise, target)));
                }
                Stmt::Case { selector, arms, default, rest } => {
                    out.extend(self.case_lines(*selector, arms, (default.as_deref(), rest), target, assign));
                }
            }
        }
        out
    }
    pub fn place(&self, target: Id, place: Place, value: Id) -> String {
        let (name, w) = (self.t(target), self.width(value));
        match place {
            Place::Whole => name.to_string(),
            Place::At(lo) if w == 1 => format!("{name}[{lo}]"),
            Place::At(lo) => format!("{name}[{}:{lo}]", lo + w - 1),
            Place::AtSignal(low) => format!("{name}[{} +: {w}]", self.t(low)),
        }
    }
    fn if_lines(&self, cond: Id, then: Vec<String>, els: Vec<String>, chain: bool) -> Vec<String> {
        if then.is_empty() {
            return lead(&format!("if (!{})", paren(self.t(cond))), els);
        }
        let head = format!("if ({})", self.t(cond));
        // `begin` also where the else could bind to an inner if
        let dangling = then.len() == 1 && then[0].starts_with("if") && !els.is_empty();
        let mut out = if dangling { begin(&head, then) } else { lead(&head, then) };
        if els.is_empty() {
            return out;
        }
        let (joined, first) = if out.last().is_some_and(|l| l == "end") { (true, "end else") } else { (false, "else") };
        if joined {
            out.pop();
        }
        if chain {
            out.push(format!("{first} {}", els[0]));
            out.extend_from_slice(&els[1..]);
        } else {
            out.extend(lead(first, els));
        }
        out
    }
    fn case_lines(
        &self,
        selector: Id,
        arms: &[(Vec<Id>, Vec<Stmt>)],
        (default, rest): (Option<&[Stmt]>, &[Id]),
        target: Id,
        assign: &str,
    ) -> Vec<String> {
        let mut out = vec![format!("case ({})", self.t(selector))];
        let or_nothing = |lines: Vec<String>| if lines.is_empty() { vec![";".to_string()] } else { lines };
        for (values, block) in arms {
            let label: Vec<String> = values.iter().map(|v| self.expr(*v)).collect();
            let lines = self.stmts(block, target, assign);
            if lines.is_empty() && default.is_none_or(|d| !d.iter().any(|s| s.touches(target))) {
                continue;
            }
            out.extend(indent(lead(&format!("{}:", label.join(", ")), or_nothing(lines))));
        }
        let listed: usize = arms.iter().map(|(v, _)| v.len()).sum();
        let full = self.width(selector) < 32 && listed == 1 << self.width(selector);
        let all_shown = full && out.len() > 1 && arms.iter().all(|(_, b)| b.iter().any(|s| s.touches(target)));
        if !all_shown {
            let lines = default.map(|d| self.stmts(d, target, assign)).unwrap_or_default();
            let states = if lines.is_empty() { &[] } else { rest };
            let mut lines = lead("default:", or_nothing(lines));
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

/// Is all that `block` does to `target` one `if`?
fn one_if(block: &[Stmt], target: Id) -> bool {
    let mut touching = block.iter().filter(|s| s.touches(target));
    matches!((touching.next(), touching.next()), (Some(Stmt::If { then, .. }), None)
        if then.iter().any(|s| s.touches(target)))
}
