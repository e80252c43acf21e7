//! The statements that a `switch` becomes.

use super::{Draft, SharedKey};
use crate::ir::*;

/// The values of an arm, and its assignments.
pub(crate) type Arm = (Vec<Id>, Vec<Stmt>);

/// What the user wrote.
pub(crate) struct Cases {
    pub selector: Id,
    /// The selector is a state of this enum (index into `enums`).
    pub states: Option<u32>,
    pub arms: Vec<Arm>,
    pub default: Option<Vec<Stmt>>,
}

impl Draft {
    /// The index of an enum that the module uses.
    pub fn enum_index(&mut self, e: &StateEnum) -> u32 {
        let known = self.def.enums.iter().position(|known| known.type_id == e.type_id);
        let index = known.unwrap_or_else(|| {
            self.def.enums.push(Enum::new(e));
            self.def.enums.len() - 1
        });
        index as u32
    }
    /// One of the states of an enum, as a constant.
    pub fn variant(&mut self, e: u32, v: u32, loc: Loc) -> Id {
        self.share(SharedKey::Variant(e, v), Op::Variant(e, v), self.def.enums[e as usize].width, loc)
    }
    /// Reports assignments in the closure of a `switch` that belong to none of its cases.
    pub fn check_outside_of_cases(&mut self, outside: &[Stmt], switch: Loc) {
        for (target, loc) in Stmt::written_at(outside) {
            let property = self.defaults.iter().any(|stmt| stmt.touches(target));
            let what =
                if property { "this property".into() } else { format!("the assignment to {}", self.describe(target)) };
            let help = "put it into a case, or before the `switch`, where it holds for the cases that do not assign";
            let notes = vec![(switch, "the `switch` is here")];
            self.error(loc, format!("{what} belongs to no case of the `switch` around it"), notes, Some(help.into()));
        }
    }
    /// Adds a `switch` to the open block. Of a state enum, every variant needs a case, or there is a default: then a code that no
    /// variant has (of an input, or of a register that powered up with it) goes the way of the default, else that of the last case.
    pub fn add_switch(&mut self, mut cases: Cases, loc: Loc) {
        cases.arms.retain(|(values, _)| !values.is_empty());
        let mut rest = vec![];
        if let Some(e) = cases.states {
            if cases.default.is_none() && !self.has_all_cases(&cases, e, loc) {
                return;
            }
            let open = !self.def.enums[e as usize].every_code();
            if cases.default.is_none() && open {
                let (values, block) = cases.arms.pop().unwrap_or_default();
                (rest, cases.default) = (values, Some(block));
            }
            if self.def.enums[e as usize].one_hot {
                return self.add_bit_tests(cases, loc);
            }
        }
        let Cases { selector, arms, default, .. } = cases;
        match arms.is_empty() {
            true => self.block().extend(default.unwrap_or_default()),
            false => self.block().push(Stmt::Case { selector, arms, default, rest }),
        }
    }
    /// Reports the variants that have no case.
    fn has_all_cases(&mut self, cases: &Cases, e: u32, loc: Loc) -> bool {
        let listed: Vec<Id> = cases.arms.iter().flat_map(|(values, _)| values).copied().collect();
        if listed.iter().any(|id| self.constant(*id).is_none()) {
            return false; // a mistake in a case is reported already
        }
        let e = &self.def.enums[e as usize];
        let has_case = |v: &Variant| listed.iter().any(|id| self.constant(*id) == Some(&v.code));
        let missing: Vec<String> =
            e.variants.iter().filter(|v| !has_case(v)).map(|v| format!("`{}::{}`", e.name, v.name)).collect();
        let verb = if missing.len() == 1 { "has" } else { "have" };
        match &missing[..] {
            [] => return true,
            [first @ .., last] => {
                let list = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
                let help = "add a `case` for each, or a default, be it one that does nothing: `s.default(|| ())`";
                self.error(loc, format!("{list} {verb} no case"), vec![], Some(help.into()));
            }
        }
        false
    }
    /// A `switch` over states of which each has a bit of its own: the first whose bit is 1.
    fn add_bit_tests(&mut self, cases: Cases, loc: Loc) {
        let mut otherwise = cases.default.unwrap_or_default();
        for (values, then) in cases.arms.into_iter().rev() {
            let bits: Vec<Id> = values.iter().filter_map(|id| self.bit_of(cases.selector, *id, loc)).collect();
            let hit = bits.into_iter().reduce(|a, b| self.make(Op::Bin(BinOp::Or, a, b), 1, loc));
            if let Some(cond) = hit {
                otherwise = vec![Stmt::If { cond, then, otherwise }];
            }
        }
        self.block().extend(otherwise);
    }
    fn bit_of(&mut self, selector: Id, state: Id, loc: Loc) -> Option<Id> {
        let bit = self.constant(state)?.trailing_zeros()?;
        Some(self.slice(selector, bit as u32, 1, loc))
    }
}
