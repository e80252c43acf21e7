//! Pieces of expressions and expressions of pieces: slices, concatenations, extensions.

use super::{Ex, Expr, Graph};
use crate::ir::{BinOp, UnOp, fold};

impl Graph {
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

    pub(super) fn sign_ext(&mut self, a: Ex, width: u32) -> Ex {
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

    pub(super) fn zero_ext(&mut self, a: Ex, width: u32) -> Ex {
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
