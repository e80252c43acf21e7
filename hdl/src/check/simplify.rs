//! What constants decide is decided, so that no condition of the printed Verilog is constant: `always @*` never runs in simulation
//! when nothing that it reads can change.

use crate::ir::fold;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// Takes the branches that constant conditions decide, and joins constant assignments to parts of one net.
pub(super) fn simplify(def: &mut Def) {
    let stmts = std::mem::take(&mut def.stmts);
    let before = Stmt::targets(&stmts);
    def.stmts = taken(def, stmts);
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
fn taken(def: &Def, block: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = vec![];
    for stmt in block {
        match stmt {
            Stmt::Set { .. } => out.push(stmt),
            Stmt::If { cond, then, otherwise } => match fold::constant_behind_names(def, cond) {
                Some(v) => out.extend(taken(def, if *v == BigUint::ZERO { otherwise } else { then })),
                None => out.push(Stmt::If { cond, then: taken(def, then), otherwise: taken(def, otherwise) }),
            },
            Stmt::Case { selector, arms, default, rest } => match fold::constant_behind_names(def, selector) {
                Some(v) => {
                    let arm = arms
                        .into_iter()
                        .find(|(ids, _)| ids.iter().any(|id| fold::constant_behind_names(def, *id) == Some(v)));
                    out.extend(taken(def, arm.map(|(_, block)| block).or(default).unwrap_or_default()));
                }
                None => {
                    let arms = arms.into_iter().map(|(ids, block)| (ids, taken(def, block))).collect();
                    let default = default.map(|block| taken(def, block));
                    out.push(Stmt::Case { selector, arms, default, rest });
                }
            },
        }
    }
    out
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
