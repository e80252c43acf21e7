//! Pure expressions, each stored once: asking for one that is there gives the old one. Constants are folded and
//! obvious identities applied on the way in, so nothing has to look for them later.

mod pieces;

use super::case::{Case, Labels};
use crate::ir::fold;
use crate::ir::{BinOp, UnOp};
use num_bigint::BigUint;
use rustc_hash::FxHashMap as HashMap;

/// Index of an expression; operands always have smaller ones.
pub type Ex = u32;

/// What an expression computes. Against `ir::Op` this lacks what can be said with the others: there are no
/// `Gt`, `Ge`, no repetitions (of one bit: `SignExt`), no shifts by constants, and shift amounts have at most 32 bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A constant.
    Const(BigUint),
    /// A port, a reset or a state, by its index.
    Source(u32),
    /// One operand.
    Un(UnOp, Ex),
    /// Two operands.
    Bin(BinOp, Ex, Ex),
    /// `.0 ? .1 : .2`.
    Mux(Ex, Ex, Ex),
    /// Bits from `.1` upwards.
    Slice(Ex, u32),
    /// At most 64 bits of an operand of more than 64, from a bit that `.1` gives; zeros past the end.
    Part(Ex, Ex),
    /// High part first.
    Cat(Box<[Ex]>),
    /// Copies the sign bit of a narrower operand upwards.
    SignExt(Ex),
    /// `.0`, wider than 64 bits, with `.1`, of at most 64 bits, in the place that `.2` gives.
    Insert(Ex, Ex, Ex),
    /// The word of memory `.0` at an address.
    Read(u32, Ex),
    /// One of many arms.
    Case(Box<Case<Ex>>),
}

impl Expr {
    /// Calls `f` with every operand.
    pub fn each_operand(&self, mut f: impl FnMut(Ex)) {
        match self {
            Expr::Const(_) | Expr::Source(_) => {}
            Expr::Un(_, a) | Expr::Slice(a, _) | Expr::SignExt(a) | Expr::Read(_, a) => f(*a),
            Expr::Bin(_, a, b) | Expr::Part(a, b) => [a, b].into_iter().for_each(|x| f(*x)),
            Expr::Mux(a, b, c) | Expr::Insert(a, b, c) => [a, b, c].into_iter().for_each(|x| f(*x)),
            Expr::Cat(parts) => parts.iter().for_each(|x| f(*x)),
            Expr::Case(case) => case.each_operand(f),
        }
    }
}

/// All expressions of a design, operands first.
#[derive(Default)]
pub(super) struct Graph {
    /// Expression and width in bits.
    pub nodes: Vec<(Expr, u32)>,
    /// The tables of cases.
    pub labels: Vec<Labels>,
    index: HashMap<(Expr, u32), Ex>,
}

impl Graph {
    pub fn new(labels: Vec<Labels>) -> Graph {
        Graph { labels, ..Graph::default() }
    }
    pub fn width(&self, e: Ex) -> u32 {
        self.nodes[e as usize].1
    }
    fn get(&self, e: Ex) -> &Expr {
        &self.nodes[e as usize].0
    }
    fn as_const(&self, e: Ex) -> Option<&BigUint> {
        match self.get(e) {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }
    fn is_zero(&self, e: Ex) -> bool {
        self.as_const(e).is_some_and(|v| *v == BigUint::ZERO)
    }
    fn is_ones(&self, e: Ex) -> bool {
        self.as_const(e).is_some_and(|v| *v == fold::ones(self.width(e)))
    }

    fn add(&mut self, expr: Expr, width: u32) -> Ex {
        let next = self.nodes.len() as Ex;
        let e = *self.index.entry((expr.clone(), width)).or_insert(next);
        if e == next {
            self.nodes.push((expr, width));
        }
        e
    }

    pub fn constant(&mut self, value: BigUint, width: u32) -> Ex {
        self.add(Expr::Const(value & fold::ones(width)), width)
    }
    fn zero(&mut self, width: u32) -> Ex {
        self.constant(BigUint::ZERO, width)
    }
    pub fn source(&mut self, source: u32, width: u32) -> Ex {
        self.add(Expr::Source(source), width)
    }
    pub fn read(&mut self, mem: u32, addr: Ex, width: u32) -> Ex {
        self.add(Expr::Read(mem, addr), width)
    }

    pub fn un(&mut self, op: UnOp, a: Ex) -> Ex {
        let wa = self.width(a);
        let width = if op == UnOp::Not { wa } else { 1 };
        match self.get(a) {
            Expr::Const(value) => {
                let value = fold::un(op, value, wa);
                self.constant(value, width)
            }
            Expr::Un(UnOp::Not, inner) if op == UnOp::Not => *inner,
            _ if op != UnOp::Not && wa == 1 => a,
            _ => self.add(Expr::Un(op, a), width),
        }
    }

    pub fn bin(&mut self, op: BinOp, a: Ex, b: Ex) -> Ex {
        use BinOp::*;
        let (wa, wb) = (self.width(a), self.width(b));
        let width = fold::bin_width(op, wa, wb);
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let value = fold::bin(op, x, y, wa, wb);
            return self.constant(value, width);
        }
        match op {
            Gt => return self.bin(Lt, b, a),
            Ge => return self.bin(Le, b, a),
            GtSigned => return self.bin(LtSigned, b, a),
            GeSigned => return self.bin(LeSigned, b, a),
            Shl | Shr | Sra => return self.shift(op, a, b),
            _ => {}
        }
        if let Some(known) = self.identity(op, a, b, width).or_else(|| match op {
            Add | And | Or | Xor | Eq | Ne | Mul | MulSigned => self.identity(op, b, a, width),
            _ => None,
        }) {
            return known;
        }
        // One order for the operands of what commutes, so that equal expressions are found.
        let commutes = matches!(op, Add | And | Or | Xor | Eq | Ne | Mul | MulSigned);
        let (a, b) = if commutes && b < a { (b, a) } else { (a, b) };
        self.add(Expr::Bin(op, a, b), width)
    }

    /// Identities with a constant at the right, or with equal operands.
    fn identity(&mut self, op: BinOp, a: Ex, b: Ex, width: u32) -> Option<Ex> {
        use BinOp::*;
        let (zero, ones, same) = (self.is_zero(b), self.is_ones(b), a == b);
        Some(match op {
            Add | Sub | Or | Xor if zero => a,
            And if zero => b,
            And if ones || same => a,
            Or if ones => b,
            Or if same => a,
            Xor | Sub if same => self.zero(width),
            Xor if ones => self.un(UnOp::Not, a),
            Mul | MulSigned if zero => self.zero(width),
            Eq | Le | LeSigned if same => self.constant(1u8.into(), 1),
            Ne | Lt | LtSigned if same => self.zero(1),
            Eq if zero => {
                let any = self.un(UnOp::Any, a);
                self.un(UnOp::Not, any)
            }
            Ne if zero => self.un(UnOp::Any, a),
            Eq if ones && self.width(a) == 1 => a,
            Ne if ones && self.width(a) == 1 => self.un(UnOp::Not, a),
            _ => return None,
        })
    }

    fn shift(&mut self, op: BinOp, a: Ex, amount: Ex) -> Ex {
        let width = self.width(a);
        let Some(by) = self.as_const(amount) else {
            let amount = self.short_amount(amount);
            return self.add(Expr::Bin(op, a, amount), width);
        };
        let by = u32::try_from(by).unwrap_or(u32::MAX).min(width);
        match (op, width - by) {
            (_, kept) if kept == width => a,
            (BinOp::Sra, kept) => {
                let high = self.slice(a, by.min(width - 1), kept.max(1));
                self.sign_ext(high, width)
            }
            (_, 0) => self.zero(width),
            (BinOp::Shl, kept) => {
                let (low, zeros) = (self.slice(a, 0, kept), self.zero(by));
                self.cat(vec![low, zeros], width)
            }
            (_, kept) => {
                let high = self.slice(a, by, kept);
                self.zero_ext(high, width)
            }
        }
    }

    /// A shift amount or bit position in at most 32 bits: larger values shift everything out all the same.
    fn short_amount(&mut self, amount: Ex) -> Ex {
        let width = self.width(amount);
        if width <= 32 {
            return amount;
        }
        let (low, high) = (self.slice(amount, 0, 32), self.slice(amount, 32, width - 32));
        let (far, max) = (self.un(UnOp::Any, high), self.constant(u32::MAX.into(), 32));
        self.mux(far, max, low)
    }

    pub fn mux(&mut self, c: Ex, yes: Ex, no: Ex) -> Ex {
        let width = self.width(yes);
        if yes == no || self.is_ones(c) {
            return yes;
        }
        if self.is_zero(c) {
            return no;
        }
        if let Expr::Un(UnOp::Not, inner) = *self.get(c) {
            return self.mux(inner, no, yes);
        }
        if width == 1 {
            if self.is_ones(yes) {
                return self.bin(BinOp::Or, c, no);
            }
            if self.is_zero(no) {
                return self.bin(BinOp::And, c, yes);
            }
            if self.is_zero(yes) && self.is_ones(no) {
                return self.un(UnOp::Not, c);
            }
        }
        self.add(Expr::Mux(c, yes, no), width)
    }

    pub fn case(&mut self, mut case: Case<Ex>, width: u32) -> Ex {
        if let Some(selector) = self.as_const(case.selector) {
            let selector = selector.iter_u64_digits().next().unwrap_or(0);
            return case.value(&self.labels[case.labels as usize], selector);
        }
        let default = case.default;
        if case.arms.iter().any(|(_, value)| *value == default) {
            case.arms = case.arms.into_iter().filter(|(_, value)| *value != default).collect();
        }
        if case.arms.is_empty() {
            return default;
        }
        self.add(Expr::Case(Box::new(case)), width)
    }
}
