//! The expression of a node. Every operand has the width that Verilog's context rules would give it, so that putting an
//! expression in the place of its name does not change its meaning.

use super::render::Render;
use super::text::{bits, paren};
use crate::ir::*;

impl Render<'_> {
    pub fn expr(&self, id: Id) -> String {
        let w = self.width(id);
        let p = |x: &Id| paren(self.t(*x));
        match self.op(id) {
            Op::Const(v) => format!("{w}'h{v:x}"),
            Op::Variant(e, v) => self.def.enums[*e as usize].variants[*v as usize].localparam.clone(),
            Op::Net(_) => self.def.nodes[id as usize].name.clone().unwrap_or_default(),
            Op::Poison => "1'bx".into(),
            Op::Alias(x) => self.t(*x).to_string(),
            Op::Un(op, x) => format!("{}{}", op.symbol(), p(x)),
            Op::Bin(op, x, y) => self.binary(*op, *x, *y, w),
            Op::Mux(c, x, y) => format!("{} ? {} : {}", p(c), p(x), p(y)),
            Op::Slice(x, lo) if w == 1 && self.width(*x) == 1 && *lo == 0 => self.t(*x).to_string(),
            Op::Slice(x, lo) => format!("{}{}", self.t(*x), bits(*lo, w)),
            Op::Part(x, low) if w == 1 => format!("{}[{}]", self.t(*x), self.t(*low)),
            Op::Part(x, low) => format!("{}[{} +: {w}]", self.t(*x), self.t(*low)),
            Op::Cat(v) => format!("{{{}}}", v.iter().map(|x| self.t(*x)).collect::<Vec<_>>().join(", ")),
            Op::Repeat(x, n) => format!("{{{n}{{{}}}}}", self.t(*x)),
        }
    }
    fn binary(&self, op: BinOp, x: Id, y: Id, w: u32) -> String {
        let (tx, ty) = (self.t(x), self.t(y));
        match op {
            BinOp::Mul => {
                let wide = |x: Id, t: &str| format!("{{{}'h0, {t}}}", w - self.width(x));
                format!("{} * {}", wide(x, tx), wide(y, ty))
            }
            BinOp::MulSigned => {
                let wide = |x: Id, t: &str| match self.width(x) {
                    1 => format!("{{{w}{{{t}}}}}"),
                    n => format!("{{{{{}{{{t}[{}]}}}}, {t}}}", w - n, n - 1),
                };
                format!("$signed({}) * $signed({})", wide(x, tx), wide(y, ty))
            }
            BinOp::Sra => format!("$signed({tx}) >>> {}", paren(ty)),
            BinOp::LtSigned | BinOp::LeSigned | BinOp::GtSigned | BinOp::GeSigned => {
                format!("$signed({tx}) {} $signed({ty})", op.symbol())
            }
            _ => format!("{} {} {}", paren(tx), op.symbol(), paren(ty)),
        }
    }
    /// Must the node stand under a name: because Verilog selects only from names, or because its meaning depends on the context?
    pub fn needs_name(&self, id: Id) -> bool {
        match self.op(id) {
            Op::Bin(op, ..) => matches!(op, BinOp::Mul | BinOp::MulSigned | BinOp::Sra),
            _ => false,
        }
    }
    /// The operands that a node selects bits from.
    pub fn selected(&self, id: Id) -> Vec<Id> {
        match self.op(id) {
            Op::Slice(x, _) | Op::Part(x, _) => vec![*x],
            Op::Bin(BinOp::MulSigned, x, y) => vec![*x, *y],
            _ => vec![],
        }
    }
}
