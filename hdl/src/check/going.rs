//! What a bit is where items go on: what the enables of their pipelines say, whatever form it is written in.

use super::decided;
use crate::ir::*;
use num_bigint::BigUint;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What is known of bits where items go on.
pub(super) struct Going<'a> {
    def: &'a Def,
    /// Nets that are assigned once, without condition.
    names: HashMap<Id, Option<Id>>,
    /// For each wire of one bit: the statements of the module, by index, that assign to it.
    assigned: HashMap<Id, Vec<usize>>,
    /// What is so where items go on.
    facts: HashMap<Fact, bool>,
    /// The numbers that signals are there.
    numbers: HashMap<Id, BigUint>,
    /// What was found out of bits.
    found: RefCell<HashMap<Id, Option<bool>>>,
    forms: RefCell<Forms>,
}

/// Of signals that are written alike, one stands for all.
#[derive(Default)]
struct Forms {
    first: HashMap<(Op, u32), Id>,
    same: HashMap<Id, Id>,
}

/// What a bit says.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Fact {
    /// The bit is 1.
    One(Id),
    /// A signal is this number.
    Is(Id, BigUint),
    /// Two signals are equal: the smaller index first.
    Equal(Id, Id),
    /// An unsigned number is below this one.
    Below(Id, BigUint),
    /// The first is smaller.
    Less { x: Id, y: Id, signed: bool },
}

/// What of a `Case` is left where items go on.
pub(super) enum Live<'a> {
    One(&'a [Stmt]),
    Some(Vec<(Vec<Id>, &'a [Stmt])>),
}

impl<'a> Going<'a> {
    /// `advancing` is 1 where items go on.
    pub fn new(def: &'a Def, advancing: HashSet<Id>) -> Going<'a> {
        let (mut names, mut assigned) = (HashMap::new(), HashMap::<Id, Vec<usize>>::new());
        for (at, stmt) in def.stmts.iter().enumerate() {
            Stmt::each_set(std::slice::from_ref(stmt), &mut vec![], &mut |target, place, value, _, under| {
                let only = (under.is_empty() && place == Place::Whole).then_some(value);
                names.entry(target).and_modify(|name| *name = None).or_insert(only);
                let node = &def.nodes[target as usize];
                if node.width == 1 && node.op == Op::Net(Net::Wire) {
                    assigned.entry(target).or_default().push(at);
                }
            });
        }
        assigned.values_mut().for_each(|at| at.dedup());
        let (facts, numbers, found, forms) = Default::default();
        let mut going = Going { def, names, assigned, facts, numbers, found, forms };
        let mut advancing: Vec<Id> = advancing.into_iter().collect();
        advancing.sort();
        advancing.iter().for_each(|id| going.follow(*id));
        for id in advancing {
            going.note(id, true, true);
        }
        going
    }
    /// What a signal is another name of.
    pub fn name(&self, id: Id) -> Option<Id> {
        match self.def.nodes[id as usize].op {
            Op::Alias(of) => Some(of),
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.names.get(&id).copied().flatten(),
            _ => None,
        }
    }
    /// What follows from a bit that is 1: of all of `a & b` both are, of `!(a | b)` none is.
    fn follow(&mut self, id: Id) {
        let (mut todo, mut seen) = (vec![(id, true)], HashSet::new());
        while let Some((id, is)) = todo.pop() {
            if !seen.insert((id, is)) {
                continue;
            }
            self.note(id, is, false);
            match self.def.nodes[id as usize].op {
                Op::Un(UnOp::Not, of) if self.is_bit(id) => todo.push((of, !is)),
                Op::Un(UnOp::Any | UnOp::All, of) if self.is_bit(of) => todo.push((of, is)),
                Op::Repeat(of, _) => todo.push((of, is)),
                Op::Bin(BinOp::And, x, y) if is => todo.extend([(x, is), (y, is)]),
                Op::Bin(BinOp::Or, x, y) if !is => todo.extend([(x, is), (y, is)]),
                _ => todo.extend(self.name(id).map(|of| (of, is))),
            }
        }
    }
    /// Notes what a bit says. What contradicts it was not known of all items, unless it is `certain`.
    fn note(&mut self, id: Id, is: bool, certain: bool) {
        let (fact, as_it_is) = self.fact(id);
        let is = is == as_it_is;
        let other_number = match &fact {
            Fact::Is(of, number) => self.numbers.get(of).filter(|known| (*known == number) != is).is_some(),
            _ => false,
        };
        if let Fact::Is(of, number) = &fact {
            match other_number {
                true => drop(self.numbers.remove(of)),
                false if is => drop(self.numbers.insert(*of, number.clone())),
                false => {}
            }
        }
        match self.facts.get(&fact) {
            Some(other) if *other != is && !certain => drop(self.facts.remove(&fact)),
            _ => drop(self.facts.insert(fact, is)),
        }
    }
    fn is_bit(&self, id: Id) -> bool {
        self.def.nodes[id as usize].width == 1
    }
    fn constant(&self, id: Id) -> Option<&BigUint> {
        fold::constant_behind_names(self.def, id)
    }
    /// What a bit says, and whether it says that or the opposite.
    fn fact(&self, mut id: Id) -> (Fact, bool) {
        let mut is = true;
        let mut seen = HashSet::new();
        while seen.insert(id) {
            match self.def.nodes[id as usize].op {
                Op::Un(UnOp::Not, of) if self.is_bit(id) => (id, is) = (of, !is),
                Op::Un(UnOp::Any | UnOp::All, of) if self.is_bit(of) => id = of,
                Op::Un(UnOp::Any, of) => return (Fact::Is(self.first(of), BigUint::ZERO), !is),
                Op::Un(UnOp::All, of) => {
                    return (Fact::Is(self.first(of), fold::ones(self.def.nodes[of as usize].width)), is);
                }
                Op::Bin(op @ (BinOp::Eq | BinOp::Ne), x, y) => {
                    let equal = (op == BinOp::Eq) == is;
                    match self.comparison(x, y) {
                        Ok((of, one)) => (id, is) = (of, one == equal),
                        Err(fact) => return (fact, equal),
                    }
                }
                Op::Bin(op, x, y) if self.less(op, x, y).is_some() => {
                    let (fact, less) = self.less(op, x, y).unwrap_or((Fact::One(id), true));
                    return (fact, less == is);
                }
                _ => match self.name(id) {
                    Some(of) => id = of,
                    None => break,
                },
            }
        }
        (Fact::One(self.first(id)), is)
    }
    /// Two that are compared: a bit with 0 or 1 is that bit, or not.
    fn comparison(&self, x: Id, y: Id) -> Result<(Id, bool), Fact> {
        for (of, with) in [(x, y), (y, x)] {
            match self.constant(with) {
                Some(number) if self.is_bit(of) => return Ok((of, *number != BigUint::ZERO)),
                Some(number) => return Err(Fact::Is(self.first(of), number.clone())),
                None => {}
            }
        }
        let (x, y) = (self.first(x), self.first(y));
        Err(Fact::Equal(x.min(y), x.max(y)))
    }
    /// Which of two is smaller, and whether that is said or the opposite.
    fn less(&self, op: BinOp, x: Id, y: Id) -> Option<(Fact, bool)> {
        let (x, y, so) = match op {
            BinOp::Lt | BinOp::LtSigned => (x, y, true),
            BinOp::Gt | BinOp::GtSigned => (y, x, true),
            BinOp::Ge | BinOp::GeSigned => (x, y, false),
            BinOp::Le | BinOp::LeSigned => (y, x, false),
            _ => return None,
        };
        let signed = !matches!(op, BinOp::Lt | BinOp::Gt | BinOp::Ge | BinOp::Le);
        let number = |id: Id| self.constant(id).filter(|_| !signed).cloned();
        let (fact, is) = match (number(x), number(y)) {
            (_, Some(limit)) => self.below(x, limit),
            (Some(least), None) => {
                let (fact, is) = self.below(y, least + 1u32);
                (fact, !is)
            }
            (None, None) => (Fact::Less { x: self.first(x), y: self.first(y), signed }, true),
        };
        Some((fact, is == so))
    }
    /// Below 1 is 0, and below the largest number is what is not that.
    fn below(&self, of: Id, limit: BigUint) -> (Fact, bool) {
        let (first, largest) = (self.first(of), fold::ones(self.def.nodes[of as usize].width));
        match () {
            _ if limit == BigUint::from(1u32) => (Fact::Is(first, BigUint::ZERO), true),
            _ if limit == largest => (Fact::Is(first, largest), false),
            _ => (Fact::Below(first, limit), true),
        }
    }
    /// The one that stands for all signals that are written as this.
    fn first(&self, id: Id) -> Id {
        let parts = |id: Id| self.name(id).map_or_else(|| self.def.nodes[id as usize].op.operands(), |of| vec![of]);
        let done = |id: Id| self.forms.borrow().same.contains_key(&id);
        walk::operands_first(id, done, parts, |id| {
            let forms = &mut *self.forms.borrow_mut();
            let same = |id: Id| forms.same.get(&id).copied().unwrap_or(id);
            let node = &self.def.nodes[id as usize];
            let first = match (self.name(id), &node.op) {
                (Some(of), _) => same(of),
                (None, Op::Poison | Op::Net(_)) => id,
                (None, op) => {
                    let form = op.with_operands(same);
                    *forms.first.entry((form, node.width)).or_insert(id)
                }
            };
            forms.same.insert(id, first);
        });
        self.forms.borrow().same[&id]
    }
    /// What this bit is wherever items go on, if that is known. Of several bits: 1 where one is.
    pub fn value(&self, id: Id) -> Option<bool> {
        let done = |id: Id| self.found.borrow().contains_key(&id);
        walk::operands_first(
            id,
            done,
            |id| self.bits_behind(id),
            |id| {
                let value = self.value_of_known(id);
                self.found.borrow_mut().insert(id, value);
            },
        );
        self.found.borrow()[&id]
    }
    /// The bits from which the value of one is found.
    fn bits_behind(&self, id: Id) -> Vec<Id> {
        match self.def.nodes[id as usize].op {
            Op::Un(_, of) if !self.is_bit(of) => vec![],
            Op::Bin(BinOp::And | BinOp::Or, x, y) => vec![x, y],
            Op::Bin(BinOp::Xor | BinOp::Eq | BinOp::Ne, x, y) if self.is_bit(x) => vec![x, y],
            Op::Bin(..) | Op::Slice(..) | Op::Part(..) | Op::Cat(_) => vec![],
            Op::Mux(..) if !self.is_bit(id) => vec![],
            Op::Net(_) => match self.name(id) {
                Some(of) => vec![of],
                None => self.conditions_and_values(id),
            },
            ref op => op.operands(),
        }
    }
    fn conditions_and_values(&self, wire: Id) -> Vec<Id> {
        let mut out = vec![];
        for at in self.assigned.get(&wire).into_iter().flatten() {
            let stmt = std::slice::from_ref(&self.def.stmts[*at]);
            Stmt::each_set(stmt, &mut vec![], &mut |target, _, value, _, under| {
                if target == wire {
                    out.extend(under.iter().filter(|id| self.is_bit(**id)));
                    out.push(value);
                }
            });
        }
        out
    }
    fn known(&self, id: Id) -> Option<bool> {
        self.found.borrow().get(&id).copied().flatten()
    }
    /// The value of a bit where those behind it were looked for.
    fn value_of_known(&self, id: Id) -> Option<bool> {
        let known = |id: Id| self.known(id);
        if let Some(value) = self.by_fact(id) {
            return Some(value);
        }
        match self.def.nodes[id as usize].op {
            Op::Const(ref value) => Some(*value != BigUint::ZERO),
            Op::Un(UnOp::Not, of) if self.is_bit(id) => Some(!known(of)?),
            Op::Un(UnOp::Any | UnOp::All, of) if self.is_bit(of) => known(of),
            Op::Repeat(of, _) => known(of),
            Op::Bin(BinOp::And, x, y) => match (known(x), known(y)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (x, y) => Some(x? & y?),
            },
            Op::Bin(BinOp::Or, x, y) => match (known(x), known(y)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (x, y) => Some(x? | y?),
            },
            Op::Bin(BinOp::Xor | BinOp::Ne, x, y) if self.is_bit(x) => Some(known(x)? != known(y)?),
            Op::Bin(BinOp::Eq, x, y) if self.is_bit(x) => Some(known(x)? == known(y)?),
            Op::Mux(choice, x, y) if self.is_bit(id) => match known(choice) {
                Some(choice) => known(if choice { x } else { y }),
                None => known(x).filter(|value| known(y) == Some(*value)),
            },
            Op::Slice(of, low) if self.is_bit(id) => self.numbers.get(&self.first(of)).map(|n| n.bit(low.into())),
            Op::Net(Net::Wire) if self.name(id).is_none() => self.wire(id),
            _ => self.name(id).and_then(known).or_else(|| decided::outcome(self.def, id)),
        }
    }
    fn by_fact(&self, id: Id) -> Option<bool> {
        if self.facts.is_empty() || !self.is_bit(id) {
            return None;
        }
        let (fact, is) = self.fact(id);
        let so = self.facts.get(&fact).copied().or_else(|| match &fact {
            Fact::Is(of, number) => Some(self.numbers.get(of)? == number),
            Fact::Below(of, limit) => Some(self.numbers.get(of)? < limit),
            _ => None,
        })?;
        Some(so == is)
    }
    /// A wire of one bit has what is assigned last.
    fn wire(&self, wire: Id) -> Option<bool> {
        let at = self.assigned.get(&wire)?;
        at.iter().fold(None, |before, at| self.after(wire, std::slice::from_ref(&self.def.stmts[*at]), before))
    }
    fn after(&self, wire: Id, block: &[Stmt], before: Option<bool>) -> Option<bool> {
        block.iter().fold(before, |now, stmt| match stmt {
            Stmt::Set { target, value, .. } if *target == wire => self.known(*value),
            Stmt::Set { .. } => now,
            Stmt::If { cond, then, otherwise } => match self.known(*cond) {
                Some(outcome) => self.after(wire, if outcome { then } else { otherwise }, now),
                None => self.after(wire, then, now).filter(|one| self.after(wire, otherwise, now) == Some(*one)),
            },
            Stmt::Case { arms, default, .. } => {
                let arms = arms.iter().map(|(_, block)| self.after(wire, block, now));
                let rest = default.as_ref().map_or(now, |block| self.after(wire, block, now));
                arms.fold(rest, |one, other| one.filter(|one| other == Some(*one)))
            }
        })
    }
    /// The number that the enables say of a signal.
    pub fn number_of(&self, id: Id) -> Option<BigUint> {
        let first = self.first(id);
        let bit = || self.facts.get(&Fact::One(first)).filter(|_| self.is_bit(id)).map(|one| BigUint::from(*one));
        self.numbers.get(&first).cloned().or_else(bit)
    }
    /// The number that a signal is where items go on.
    fn number(&self, id: Id) -> Option<BigUint> {
        let known = self.constant(id).cloned().or_else(|| self.numbers.get(&self.first(id)).cloned());
        known.or_else(|| self.is_bit(id).then(|| self.value(id).map(BigUint::from))?)
    }
    /// The arms that are taken where items go on. Codes that do not come stand with another arm, so that all stay listed.
    pub fn live<'b>(&self, selector: Id, arms: &'b [(Vec<Id>, Vec<Stmt>)], default: &'b Option<Vec<Stmt>>) -> Live<'b> {
        let lists = |(values, _): &&(Vec<Id>, Vec<Stmt>), number: &BigUint| {
            values.iter().any(|value| self.constant(*value) == Some(number))
        };
        if let Some(number) = self.number(selector) {
            let arm = arms.iter().find(|arm| lists(arm, &number)).map(|(_, block)| block);
            return Live::One(arm.or(default.as_ref()).map_or(&[], |block| block));
        }
        let of = self.first(selector);
        let comes = |value: &Id| {
            let number = self.constant(*value).cloned();
            number.is_none_or(|number| self.facts.get(&Fact::Is(of, number)) != Some(&false))
        };
        let (mut live, mut none) = (vec![], vec![]);
        for (values, block) in arms {
            let (coming, not): (Vec<Id>, Vec<Id>) = values.iter().partition(|value| comes(value));
            none.extend(not);
            if !coming.is_empty() {
                live.push((coming, &block[..]));
            }
        }
        match (live.first_mut(), default) {
            (Some((values, _)), _) => values.extend(none),
            (None, default) => return Live::One(default.as_ref().map_or(&[], |block| block)),
        }
        Live::Some(live)
    }
}
