//! Pure expressions, each stored once: asking for one that is there gives the old one. Constants are folded and
//! obvious identities applied on the way in, so nothing has to look for them later.

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

    pub fn slice(&mut self, a: Ex, lo: u32, width: u32) -> Ex {
        self.slice_through(a, lo, width, 2)
    }

    /// As `slice`; splits a concatenation into parts only `depth` levels down.
    fn slice_through(&mut self, mut a: Ex, mut lo: u32, width: u32, depth: u32) -> Ex {
        loop {
            if lo == 0 && width == self.width(a) {
                return a;
            }
            match self.get(a) {
                Expr::Const(value) => {
                    let value = value >> lo;
                    return self.constant(value, width);
                }
                Expr::Slice(inner, from) => (a, lo) = (*inner, lo + from),
                Expr::SignExt(inner) if lo + width <= self.width(*inner) => a = *inner,
                Expr::Cat(parts) => match self.part_at(parts, lo, width) {
                    Some((part, from)) => (a, lo) = (part, from),
                    None if depth == 0 => break,
                    None => {
                        let parts = parts.clone();
                        return self.slice_parts(&parts, lo, width, depth - 1);
                    }
                },
                _ => break,
            }
        }
        self.add(Expr::Slice(a, lo), width)
    }

    /// The part of a concatenation that holds all the bits, and where in it they start.
    fn part_at(&self, parts: &[Ex], lo: u32, width: u32) -> Option<(Ex, u32)> {
        let mut start = 0;
        for &part in parts.iter().rev() {
            let end = start + self.width(part);
            if lo < end {
                return (lo + width <= end).then_some((part, lo - start));
            }
            start = end;
        }
        None
    }

    fn slice_parts(&mut self, parts: &[Ex], lo: u32, width: u32, depth: u32) -> Ex {
        let (mut out, mut start) = (vec![], 0);
        for &part in parts.iter().rev() {
            let end = start + self.width(part);
            let (from, to) = (lo.max(start), (lo + width).min(end));
            if from < to {
                out.push(self.slice_through(part, from - start, to - from, depth));
            }
            start = end;
        }
        out.reverse();
        self.cat(out, width)
    }

    /// High part first.
    pub fn cat(&mut self, parts: Vec<Ex>, width: u32) -> Ex {
        let mut out: Vec<Ex> = Vec::with_capacity(parts.len());
        for part in parts {
            match out.last().and_then(|&high| self.join(high, part)) {
                Some(joined) => {
                    out.pop();
                    out.push(joined);
                }
                None => out.push(part),
            }
        }
        if let [one] = out[..] {
            return one;
        }
        if let [high, low] = out[..]
            && self.is_sign_of(high, low)
        {
            return self.sign_ext(low, width);
        }
        self.add(Expr::Cat(out.into()), width)
    }

    /// Two neighbours as one expression: constants, and pieces of one value.
    fn join(&mut self, high: Ex, low: Ex) -> Option<Ex> {
        let (wh, wl) = (self.width(high), self.width(low));
        match (self.get(high), self.get(low)) {
            (Expr::Const(h), Expr::Const(l)) => {
                let value = (h << wl) | l;
                Some(self.constant(value, wh + wl))
            }
            (Expr::Slice(a, at), Expr::Slice(b, lo)) if a == b && *at == lo + wl => {
                let (a, lo) = (*a, *lo);
                Some(self.slice(a, lo, wh + wl))
            }
            _ => None,
        }
    }

    /// Is `high` made of copies of the top bit of `low`?
    fn is_sign_of(&self, high: Ex, low: Ex) -> bool {
        let top = self.width(low) - 1;
        let bit = match self.get(high) {
            Expr::SignExt(bit) => *bit,
            _ => high,
        };
        match (self.get(bit), self.get(low)) {
            _ if self.width(bit) != 1 => false,
            _ if top == 0 => bit == low,
            (Expr::Slice(a, at), Expr::Slice(b, lo)) => (*a == low && *at == top) || (a == b && *at == lo + top),
            (Expr::Slice(a, at), _) => *a == low && *at == top,
            _ => false,
        }
    }

    pub fn repeat(&mut self, a: Ex, n: u32) -> Ex {
        let wa = self.width(a);
        match wa {
            1 => self.sign_ext(a, n),
            _ => self.cat(vec![a; n as usize], wa * n),
        }
    }

    fn sign_ext(&mut self, a: Ex, width: u32) -> Ex {
        let wa = self.width(a);
        if wa == width {
            return a;
        }
        match self.get(a) {
            Expr::Const(value) if value.bit(u64::from(wa) - 1) => {
                let value = value | ((fold::ones(width) >> wa) << wa);
                self.constant(value, width)
            }
            Expr::Const(value) => {
                let value = value.clone();
                self.constant(value, width)
            }
            Expr::SignExt(inner) => {
                let inner = *inner;
                self.sign_ext(inner, width)
            }
            _ => self.add(Expr::SignExt(a), width),
        }
    }

    fn zero_ext(&mut self, a: Ex, width: u32) -> Ex {
        let wa = self.width(a);
        if wa == width {
            return a;
        }
        let zeros = self.zero(width - wa);
        self.cat(vec![zeros, a], width)
    }

    /// `width` bits of `a` from bit `at` upwards, zeros past the end.
    pub fn part(&mut self, a: Ex, at: Ex, width: u32) -> Ex {
        let at = self.short_amount(at);
        let wa = self.width(a);
        let inner = width.min(wa);
        let value = if wa > 64 && inner <= 64 && self.as_const(at).is_none() {
            self.add(Expr::Part(a, at), inner)
        } else {
            let shifted = self.bin(BinOp::Shr, a, at);
            self.slice(shifted, 0, inner)
        };
        self.zero_ext(value, width)
    }

    /// `base` with `value` in the place that `at` gives; what falls past the end is dropped.
    pub fn insert(&mut self, base: Ex, value: Ex, at: Ex) -> Ex {
        let at = self.short_amount(at);
        let (width, wv) = (self.width(base), self.width(value));
        if width > 64 && wv <= 64 && self.as_const(at).is_none() {
            return self.add(Expr::Insert(base, value, at), width);
        }
        let value = if wv > width { self.slice(value, 0, width) } else { self.zero_ext(value, width) };
        let mask = self.constant(fold::ones(wv.min(width)), width);
        let (mask, value) = (self.bin(BinOp::Shl, mask, at), self.bin(BinOp::Shl, value, at));
        let keep = self.un(UnOp::Not, mask);
        let base = self.bin(BinOp::And, base, keep);
        self.bin(BinOp::Or, base, value)
    }
}
