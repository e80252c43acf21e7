//! Statements as expressions: they are executed once with symbols in the place of values. What a net holds at a point
//! of the text is a list of pieces, so that assigning some bits leaves the others alone.

use super::case::{Case, Labels};
use super::flatten::holds;
use super::netlist::{Flat, Netlist, Node};
use crate::ir::{BinOp, Def, Id, Place, Stmt};
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// `width` bits of a node, from bit `lo` upwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    node: Node,
    lo: u32,
    width: u32,
}

/// Pieces, low bits first.
type Value = Vec<Piece>;

/// A `switch` of so many values at most is computed with multiplexers: a jump that is hard to predict takes longer.
const FEW: usize = 4;

/// What a block assigned, in the order of first assignment (hash maps have no stable order).
#[derive(Default)]
struct Scope {
    order: Vec<Id>,
    values: HashMap<Id, Value>,
}

impl Scope {
    fn set(&mut self, target: Id, value: Value) {
        if self.values.insert(target, value).is_none() {
            self.order.push(target);
        }
    }
}

struct Exec<'a> {
    net: &'a mut Netlist,
    def: &'a Def,
    base: Node,
    /// Innermost block last.
    scopes: Vec<Scope>,
}

/// Executes the statements of an instance whose nodes stand from `base` on. Returns every assigned net (as the module
/// numbers it) and the node that gives its value: for registers the next one.
pub(super) fn execute(net: &mut Netlist, def: &Def, base: Node) -> Vec<(Id, Node)> {
    let mut exec = Exec { net, def, base, scopes: vec![] };
    let Scope { order, mut values } = exec.scope(&def.stmts);
    order.into_iter().map(|t| (t, exec.join(&values.remove(&t).unwrap_or_default()))).collect()
}

impl Exec<'_> {
    /// Executes a block in a scope of its own.
    fn scope(&mut self, block: &[Stmt]) -> Scope {
        self.scopes.push(Scope::default());
        for stmt in block {
            match stmt {
                Stmt::Set { target, place, value, .. } => self.assign(*target, *place, self.base + value),
                Stmt::If { cond, then, otherwise } => {
                    let (then, otherwise) = (self.scope(then), self.scope(otherwise));
                    let merged = self.merge(self.base + cond, then, otherwise);
                    self.apply(merged);
                }
                Stmt::Case { selector, arms, default, .. } => self.case(self.base + selector, arms, default.as_deref()),
            }
        }
        self.scopes.pop().unwrap_or_default()
    }

    fn case(&mut self, selector: Node, arms: &[(Vec<Id>, Vec<Stmt>)], default: Option<&[Stmt]>) {
        let rest = self.scope(default.unwrap_or_default());
        let chosen = match self.labels(selector, arms) {
            Some(labels) => {
                let arms = arms.iter().map(|(_, block)| self.scope(block)).collect();
                self.choose(selector, labels, arms, rest)
            }
            None => self.compare(selector, arms, rest),
        };
        self.apply(chosen);
    }

    /// The table of a `switch` with enough arms for a jump; `None` where comparing with each value is as good.
    fn labels(&mut self, selector: Node, arms: &[(Vec<Id>, Vec<Stmt>)]) -> Option<u32> {
        if self.net.nodes[selector as usize].width > 64 {
            return None;
        }
        let value = |id: &Id| match &self.net.nodes[(self.base + id) as usize].op {
            Flat::Const(value) => Some(value.iter_u64_digits().next().unwrap_or(0)),
            _ => None,
        };
        let arms = (0..).zip(arms).flat_map(|(arm, (ids, _))| ids.iter().map(move |id| Some((value(id)?, arm))));
        let values: Vec<(u64, u32)> = arms.collect::<Option<_>>()?;
        (values.len() > FEW).then(|| self.net.labels.add(Labels::new(values)))
    }

    /// A multiplexer for each arm. From the last arm to the first, so that the first that lists the value wins.
    fn compare(&mut self, selector: Node, arms: &[(Vec<Id>, Vec<Stmt>)], mut rest: Scope) -> Scope {
        for (values, block) in arms.iter().rev() {
            let mut hit = None;
            for value in values {
                let equal = self.net.push(Flat::Bin(BinOp::Eq, selector, self.base + value), 1);
                hit = Some(hit.map_or(equal, |h| self.net.push(Flat::Bin(BinOp::Or, h, equal), 1)));
            }
            let arm = self.scope(block);
            if let Some(hit) = hit {
                rest = self.merge(hit, arm, rest);
            }
        }
        rest
    }

    /// What holds after all arms; `rest` is the default's scope.
    fn choose(&mut self, selector: Node, labels: u32, arms: Vec<Scope>, mut rest: Scope) -> Scope {
        let (count, mut out) = (arms.len() as u32, Scope::default());
        let mut listed: HashMap<Id, Vec<(u32, Value)>> = HashMap::default();
        let mut order = vec![];
        for (arm, Scope { order: assigned, mut values }) in (0..).zip(arms) {
            for target in assigned {
                let values = values.remove(&target).map(|value| (arm, value));
                let known = listed.entry(target).or_default();
                if known.is_empty() {
                    order.push(target);
                }
                known.extend(values);
            }
        }
        order.extend(rest.order.iter().filter(|t| !listed.contains_key(t)));
        for target in order {
            let mut arms = listed.remove(&target).unwrap_or_default();
            let before = self.current(target);
            let default = match rest.values.remove(&target) {
                Some(value) => {
                    arms = keep_before(arms, count, &before);
                    value
                }
                None => before,
            };
            let value = self.select_arm(selector, labels, arms, default);
            out.set(target, value);
        }
        out
    }

    /// A choice for each run of bits that differs.
    fn select_arm(&mut self, selector: Node, labels: u32, arms: Vec<(u32, Value)>, default: Value) -> Value {
        let ends = ends(arms.iter().map(|(_, value)| value).chain([&default]));
        let default = refine(default, &ends);
        let arms: Vec<(u32, Value)> = arms.into_iter().map(|(arm, value)| (arm, refine(value, &ends))).collect();
        let mut out: Value = vec![];
        for (i, &rest) in default.iter().enumerate() {
            let differ = arms.iter().map(|(arm, value)| (*arm, value[i])).filter(|(_, piece)| *piece != rest);
            let differ: Vec<(u32, Piece)> = differ.collect();
            if differ.is_empty() {
                push(&mut out, rest);
                continue;
            }
            let arms = differ.into_iter().map(|(arm, piece)| (arm, self.piece(piece))).collect();
            let case = Case { selector, labels, arms, default: self.piece(rest) };
            let node = self.net.push(Flat::Case(Box::new(case)), rest.width);
            out.push(Piece { node, lo: 0, width: rest.width });
        }
        out
    }

    fn apply(&mut self, scope: Scope) {
        let Scope { order, mut values } = scope;
        for target in order {
            if let (Some(value), Some(top)) = (values.remove(&target), self.scopes.last_mut()) {
                top.set(target, value);
            }
        }
    }

    fn width(&self, target: Id) -> u32 {
        self.def.nodes[target as usize].width
    }

    /// What the net holds here: the innermost assignment, else its own value (registers) or zero.
    fn current(&mut self, target: Id) -> Value {
        if let Some(value) = self.scopes.iter().rev().find_map(|s| s.values.get(&target)) {
            return value.clone();
        }
        let width = self.width(target);
        let node = match holds(self.def, target) {
            true => self.base + target,
            false => self.net.push(Flat::Const(BigUint::ZERO), width),
        };
        vec![Piece { node, lo: 0, width }]
    }

    fn assign(&mut self, target: Id, place: Place, value: Node) {
        let (whole, width) = (self.width(target), self.net.nodes[value as usize].width);
        let new = Piece { node: value, lo: 0, width };
        let result = match place {
            Place::Whole => vec![new],
            Place::At(0) if width == whole => vec![new],
            Place::At(lo) => {
                let old = self.current(target);
                let mut pieces = cut(&old, 0, lo);
                pieces.push(new);
                pieces.extend(cut(&old, lo + width, whole));
                pieces
            }
            Place::AtSignal(at) => {
                let old = self.current(target);
                let old = self.join(&old);
                let node = self.net.push(Flat::Insert(old, value, self.base + at), whole);
                vec![Piece { node, lo: 0, width: whole }]
            }
        };
        if let Some(top) = self.scopes.last_mut() {
            top.set(target, result);
        }
    }

    /// What holds after `if cond { then } else { otherwise }`.
    fn merge(&mut self, cond: Node, then: Scope, otherwise: Scope) -> Scope {
        let mut out = Scope::default();
        let later = otherwise.order.iter().filter(|t| !then.values.contains_key(t));
        for &target in then.order.iter().chain(later) {
            let yes = then.values.get(&target).cloned().unwrap_or_else(|| self.current(target));
            let no = otherwise.values.get(&target).cloned().unwrap_or_else(|| self.current(target));
            let value = self.select(cond, &yes, &no);
            out.set(target, value);
        }
        out
    }

    /// A multiplexer for each run of bits that differs.
    fn select(&mut self, cond: Node, yes: &[Piece], no: &[Piece]) -> Value {
        let mut out: Value = vec![];
        let (mut yes, mut no) = (yes.iter().copied(), no.iter().copied());
        let (mut y, mut n) = (yes.next(), no.next());
        while let (Some(a), Some(b)) = (y, n) {
            let width = a.width.min(b.width);
            let (first, second) = (Piece { width, ..a }, Piece { width, ..b });
            if first == second {
                push(&mut out, first);
            } else {
                let (first, second) = (self.piece(first), self.piece(second));
                let node = self.net.push(Flat::Mux(cond, first, second), width);
                out.push(Piece { node, lo: 0, width });
            }
            y = rest(a, width).or_else(|| yes.next());
            n = rest(b, width).or_else(|| no.next());
        }
        out
    }

    fn piece(&mut self, piece: Piece) -> Node {
        let Piece { node, lo, width } = piece;
        match lo == 0 && self.net.nodes[node as usize].width == width {
            true => node,
            false => self.net.push(Flat::Slice(node, lo), width),
        }
    }

    /// The pieces as one node.
    fn join(&mut self, value: &[Piece]) -> Node {
        let parts: Vec<Node> = value.iter().rev().map(|p| self.piece(*p)).collect();
        match parts[..] {
            [one] => one,
            _ => self.net.push(Flat::Cat(parts), value.iter().map(|p| p.width).sum()),
        }
    }
}

/// Arms that assign nothing keep what was there before the `switch`, whatever its default assigns.
fn keep_before(arms: Vec<(u32, Value)>, count: u32, before: &Value) -> Vec<(u32, Value)> {
    let mut arms = arms.into_iter().peekable();
    (0..count).map(|arm| arms.next_if(|(a, _)| *a == arm).unwrap_or_else(|| (arm, before.clone()))).collect()
}

/// Where the pieces of any of the values end.
fn ends<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<u32> {
    let mut ends = BTreeSet::new();
    for value in values {
        let mut end = 0;
        for piece in value {
            end += piece.width;
            ends.insert(end);
        }
    }
    ends.into_iter().collect()
}

/// The same value, cut at all of these places.
fn refine(value: Value, ends: &[u32]) -> Value {
    if value.len() == ends.len() {
        return value;
    }
    let (mut out, mut start, mut ends) = (vec![], 0, ends.iter().peekable());
    for piece in value {
        let (from, end) = (start, start + piece.width);
        while let Some(&to) = ends.next_if(|to| **to <= end) {
            out.push(Piece { node: piece.node, lo: piece.lo + start - from, width: to - start });
            start = to;
        }
    }
    out
}

/// What is left of a piece above its lowest `used` bits.
fn rest(piece: Piece, used: u32) -> Option<Piece> {
    (piece.width > used).then(|| Piece { node: piece.node, lo: piece.lo + used, width: piece.width - used })
}

/// Appends, joining neighbours of one node.
fn push(out: &mut Value, piece: Piece) {
    match out.last_mut() {
        Some(last) if last.node == piece.node && last.lo + last.width == piece.lo => last.width += piece.width,
        _ => out.push(piece),
    }
}

/// Bits `from..to` of a value.
fn cut(value: &[Piece], from: u32, to: u32) -> Value {
    let mut out = vec![];
    let mut start = 0;
    for piece in value {
        let (lo, hi) = (from.max(start), to.min(start + piece.width));
        if lo < hi {
            out.push(Piece { node: piece.node, lo: piece.lo + lo - start, width: hi - lo });
        }
        start += piece.width;
    }
    out
}
