//! Widths: checks, and slices that look through what they are cut from.

use super::{Draft, SharedKey};
use crate::ir::*;
use num_bigint::BigUint;

impl Draft {
    /// The largest value that a signal can have, as far as its constants tell.
    pub fn largest(&self, id: Id) -> BigUint {
        match &self.node(id).op {
            Op::Const(v) => v.clone(),
            Op::Alias(x) => self.largest(*x),
            Op::Cat(parts) => {
                parts.iter().fold(BigUint::default(), |sum, x| (sum << self.node(*x).width) | self.largest(*x))
            }
            _ => fold::ones(self.node(id).width),
        }
    }
    /// Do the signals belong to this module?
    pub fn check_same(&mut self, signals: &[Signal], loc: Loc) -> bool {
        let stranger = signals.iter().find(|s| s.key != self.def.key);
        if let Some(s) = stranger {
            let bits = counted(s.width, "bit");
            let (message, help) = match s.key == BLANK {
                true => (format!("a shape of {bits} is used as a signal"), "give the shape to `wire`, `reg` or a port"),
                false => (
                    format!("a signal of {bits} of another module is used in `{}`", self.def.name),
                    "make it an output of that module, and read it from the instance: `unit.x`; or an input of this one",
                ),
            };
            self.error(loc, message, vec![], Some(help.into()));
        }
        stranger.is_none()
    }
    pub fn width_error(&mut self, what: &str, a: Id, b: Id, loc: Loc) {
        if self.node(a).op == Op::Poison || self.node(b).op == Op::Poison {
            return;
        }
        let message = format!("the widths differ in `{what}`: {} and {}", self.describe(a), self.describe(b));
        let notes = [a, b].into_iter().filter(|x| !matches!(self.node(*x).op, Op::Const(_)));
        let notes = notes.map(|x| {
            (self.node(x).loc, if x == a { "the left one comes from here" } else { "the right one from here" })
        });
        let notes = notes.collect();
        let help = "widen with `zext` or `sext`, or cut with `trunc`";
        self.error(loc, message, notes, Some(help.into()));
    }
    /// A slice, looking through slices, constants and concatenations.
    pub fn slice(&mut self, x: Id, lo: u32, width: u32, loc: Loc) -> Id {
        if width == self.node(x).width {
            return x;
        }
        if let Some(v) = self.constant(x) {
            let v = (v >> lo) & fold::ones(width);
            return self.share(SharedKey::Const(v.clone(), width), Op::Const(v), width, loc);
        }
        let named = self.node(x).name.is_some();
        match self.node(x).op.clone() {
            Op::Poison => return self.poison(width, loc),
            Op::Slice(y, lower) if !named => return self.slice(y, lo + lower, width, loc),
            Op::Cat(parts) if !named => {
                let (mut base, mut kept) = (0, vec![]);
                for &part in parts.iter().rev() {
                    let w = self.node(part).width;
                    let (from, to) = (lo.max(base), (lo + width).min(base + w));
                    if from < to {
                        kept.insert(0, self.slice(part, from - base, to - from, loc));
                    }
                    base += w;
                }
                if let [one] = kept[..] {
                    return one;
                }
                let stage = self.node(x).stage;
                let id = self.push(Op::Cat(kept), width, loc);
                self.def.nodes[id as usize].stage = stage;
                return id;
            }
            _ => {}
        }
        let stage = self.node(x).stage;
        let id = self.share(SharedKey::Slice(x, lo, width), Op::Slice(x, lo), width, loc);
        self.def.nodes[id as usize].stage = stage;
        id
    }
    /// A field of a tagged union: some bits of the payload, under a name of their own.
    pub fn field(&mut self, payload: Id, lo: u32, width: u32, wish: &str, loc: Loc) -> Id {
        let key = SharedKey::Field(payload, lo, width, wish.into());
        if let Some(id) = self.shared.get(&key) {
            return *id;
        }
        let slice = self.slice(payload, lo, width, loc);
        if self.constant(slice).is_some() {
            return slice;
        }
        let id = self.make(Op::Alias(slice), width, loc);
        let of = self.node(payload).name.as_deref().unwrap_or_default();
        let of = of.strip_suffix("payload").unwrap_or(of).trim_end_matches('_');
        self.def.nodes[id as usize].name = Some(names::join(of, wish));
        self.shared.insert(key, id);
        id
    }
}
