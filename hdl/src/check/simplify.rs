//! What constants decide is decided, so that no condition of the printed Verilog is constant: `always @*` never runs in simulation
//! when nothing that it reads can change.

use crate::ir::fold;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Takes the branches that constant conditions decide, and joins constant assignments to parts of one net.
pub(super) fn simplify(def: &mut Def) {
    let stmts = std::mem::take(&mut def.stmts);
    let before = Stmt::targets(&stmts);
    let mut decided = Decided { def, known: HashMap::default() };
    def.stmts = taken(&mut decided, stmts);
    hold(def, before);
    for (target, value) in constants(def) {
        let width = def.nodes[target as usize].width;
        let (loc, section) = (def.nodes[target as usize].loc, 0);
        def.stmts.retain(|s| !matches!(s, Stmt::Set { target: t, .. } if *t == target));
        let id = def.nodes.len() as Id;
        def.nodes.push(Node { op: Op::Const(value), width, loc, name: None, stage: None, comment: None });
        def.stmts.push(Stmt::Set { target, place: Place::Whole, value: id, section, loc });
    }
}

/// The statements without conditions that are constant.
fn taken(decided: &mut Decided, block: Vec<Stmt>) -> Vec<Stmt> {
    let def = decided.def;
    let mut out = vec![];
    for stmt in block {
        match stmt {
            Stmt::Set { .. } => out.push(stmt),
            Stmt::If { cond, then, otherwise } => match decided.value(cond) {
                Some(v) => out.extend(taken(decided, if v == BigUint::ZERO { otherwise } else { then })),
                None => out.push(Stmt::If { cond, then: taken(decided, then), otherwise: taken(decided, otherwise) }),
            },
            Stmt::Case { selector, arms, default, rest } => match fold::constant_behind_names(def, selector) {
                Some(v) => {
                    let arm = arms
                        .into_iter()
                        .find(|(ids, _)| ids.iter().any(|id| fold::constant_behind_names(def, *id) == Some(v)));
                    out.extend(taken(decided, arm.map(|(_, block)| block).or(default).unwrap_or_default()));
                }
                None => {
                    let arms = arms.into_iter().map(|(ids, block)| (ids, taken(decided, block))).collect();
                    let default = default.map(|block| taken(decided, block));
                    out.push(Stmt::Case { selector, arms, default, rest });
                }
            },
        }
    }
    out
}

/// What numbers decide, be it by a choice or by `&` and `|`: other tools see that, too.
struct Decided<'a> {
    def: &'a Def,
    /// What was looked at.
    known: HashMap<Id, Option<BigUint>>,
}

impl Decided<'_> {
    /// The value of a condition, if numbers decide it.
    fn value(&mut self, condition: Id) -> Option<BigUint> {
        let (def, known) = (self.def, RefCell::new(std::mem::take(&mut self.known)));
        let done = |id: Id| known.borrow().contains_key(&id);
        walk::operands_first(
            condition,
            done,
            |id| parts(def, id),
            |id| {
                let value = value(def, &known.borrow(), id);
                known.borrow_mut().insert(id, value);
            },
        );
        self.known = known.into_inner();
        self.known[&condition].clone()
    }
}

/// What may decide a signal.
fn parts(def: &Def, id: Id) -> Vec<Id> {
    match &def.nodes[id as usize].op {
        Op::Alias(of) => vec![*of],
        Op::Mux(..) | Op::Bin(BinOp::And | BinOp::Or, ..) => def.nodes[id as usize].op.operands(),
        _ => vec![],
    }
}

/// What numbers make of a signal of which the parts are known.
fn value(def: &Def, known: &HashMap<Id, Option<BigUint>>, id: Id) -> Option<BigUint> {
    let part = |id: Id| known.get(&id).cloned().flatten();
    let one_of = |x: Id, y: Id, number: BigUint| {
        let [x, y] = [x, y].map(part);
        let is = |of: &Option<BigUint>| of.as_ref() == Some(&number);
        if is(&x) || is(&y) { Some(number) } else { x.filter(|x| y.as_ref() == Some(x)) }
    };
    match def.nodes[id as usize].op {
        Op::Alias(of) => part(of),
        Op::Mux(choice, x, y) => part(if part(choice)? == BigUint::ZERO { y } else { x }),
        Op::Bin(BinOp::And, x, y) => one_of(x, y, BigUint::ZERO),
        Op::Bin(BinOp::Or, x, y) => one_of(x, y, fold::ones(def.nodes[id as usize].width)),
        _ => fold::constant_behind_names(def, id).cloned(),
    }
}

/// A register to which nothing is assigned any more keeps its value, which a reset may have given it.
fn hold(def: &mut Def, before: BTreeSet<Id>) {
    let after = Stmt::targets(&def.stmts);
    for target in before.difference(&after).copied() {
        let Node { op, loc, .. } = &def.nodes[target as usize];
        if matches!(op, Op::Net(Net::Reg(_))) {
            let (value, section, loc) = (target, 0, *loc);
            def.stmts.push(Stmt::Set { target, place: Place::Whole, value, section, loc });
        }
    }
}

/// The combinational nets that several unconditional assignments of constants give a constant value.
fn constants(def: &Def) -> Vec<(Id, BigUint)> {
    // value so far and number of assignments; `None`: not constant
    let mut found: HashMap<Id, Option<(BigUint, u32)>> = HashMap::default();
    for stmt in &def.stmts {
        let Stmt::Set { target, place, value, .. } = stmt else {
            let mut touched = |target, _, _, _, _: &[Id]| drop(found.insert(target, None));
            Stmt::each_set(std::slice::from_ref(stmt), &mut vec![], &mut touched);
            continue;
        };
        let entry = found.entry(*target).or_insert(Some((BigUint::ZERO, 0)));
        let value = fold::constant_behind_names(def, *value).map(|v| (v, fold::ones(def.nodes[*value as usize].width)));
        *entry = match (entry.take(), *place, value) {
            (_, Place::Whole, Some((v, _))) => Some((v.clone(), 1)),
            (Some((old, n)), Place::At(lo), Some((v, ones))) => {
                let place = ones << lo;
                Some(((&old | &place) ^ &place | v << lo, n + 1))
            }
            _ => None,
        };
    }
    let combinational =
        |id: &Id| matches!(def.nodes[*id as usize].op, Op::Net(Net::Wire | Net::Output | Net::PinIn(_)));
    let several = found.into_iter().filter_map(|(id, v)| v.filter(|(_, n)| *n > 1).map(|(v, _)| (id, v)));
    let mut list: Vec<(Id, BigUint)> = several.filter(|(id, _)| combinational(id)).collect();
    list.sort();
    list
}
