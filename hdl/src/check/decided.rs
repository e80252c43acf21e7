//! Comparisons of which a number alone decides the outcome, such as `a.ge(0)`: the Verilog has the constant, since its tools warn of the
//! comparison. The stages of pipelines are checked before.

use crate::ir::*;
use num_bigint::BigUint;

pub(super) fn decide(b: &mut Draft) {
    for id in 0..b.def.nodes.len() as Id {
        let Some(outcome) = outcome(&b.def, id) else { continue };
        let text = format!("always {}: {}", if outcome { "true" } else { "false" }, b.expression_label(id));
        let node = &mut b.def.nodes[id as usize];
        node.op = Op::Const(outcome.into());
        node.comment = Some(node.comment.as_ref().map_or(text.clone(), |own| format!("{own} | {text}")));
    }
}

/// What an unsigned comparison with the smallest or largest number gives, whatever is compared with it.
pub(super) fn outcome(def: &Def, id: Id) -> Option<bool> {
    let Op::Bin(op, x, y) = def.nodes[id as usize].op else { return None };
    let (zero, all) = (BigUint::ZERO, fold::ones(def.nodes[x as usize].width));
    let is = |id: Id, number: &BigUint| fold::constant_behind_names(def, id) == Some(number);
    match op {
        BinOp::Ge if is(y, &zero) || is(x, &all) => Some(true),
        BinOp::Le if is(x, &zero) || is(y, &all) => Some(true),
        BinOp::Lt if is(y, &zero) || is(x, &all) => Some(false),
        BinOp::Gt if is(x, &zero) || is(y, &all) => Some(false),
        _ => None,
    }
}
