//! Expressions on 64-bit words, each stored once. On the way in constants are folded and whatever the known zero bits
//! allow is left out: masks that change nothing, the halves of a concatenation that a slice does not look at.

use hdl::sim::native::{BRANCH, Case, Choice, Labels, Logic};
use rustc_hash::FxHashMap as HashMap;

/// Index of an expression; operands have smaller ones.
pub type Word = u32;

/// What an expression computes, on `u64` and modulo 2^64. Comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Const(u64),
    /// What a slot of a port or a state held before the edge.
    Load(u32),
    /// Does this clock rise at the edge?
    Clock(u32),
    Add(Word, Word),
    Sub(Word, Word),
    And(Word, Word),
    Or(Word, Word),
    Xor(Word, Word),
    Mul(Word, Word),
    /// The high half of the product.
    MulHigh(Word, Word),
    Shl(Word, u32),
    Shr(Word, u32),
    /// Copies the sign bit.
    Sar(Word, u32),
    /// Shifts by a word, modulo 64.
    ShlBy(Word, Word),
    ShrBy(Word, Word),
    SarBy(Word, Word),
    Eq(Word, Word),
    Ne(Word, Word),
    Lt(Word, Word),
    LtSigned(Word, Word),
    /// `.0 != 0 ? .1 : .2`.
    Select(Word, Word, Word),
    Popcount(Word),
    /// Limb `limb` of the word at an address that is in range.
    Read {
        mem: u32,
        limb: u32,
        addr: Word,
    },
    /// Index of a choice.
    Case(u32),
}

impl Op {
    /// Those of a choice are not among them: see [`Words::each_operand`].
    pub fn each_operand(&self, mut f: impl FnMut(Word)) {
        use Op::*;
        match *self {
            Const(_) | Load(_) | Clock(_) | Case(_) => {}
            Shl(a, _) | Shr(a, _) | Sar(a, _) | Popcount(a) | Read { addr: a, .. } => f(a),
            Add(a, b) | Sub(a, b) | And(a, b) | Or(a, b) | Xor(a, b) | Mul(a, b) | MulHigh(a, b) => {
                [a, b].into_iter().for_each(f)
            }
            ShlBy(a, b) | ShrBy(a, b) | SarBy(a, b) | Eq(a, b) | Ne(a, b) | Lt(a, b) | LtSigned(a, b) => {
                [a, b].into_iter().for_each(f)
            }
            Select(a, b, c) => [a, b, c].into_iter().for_each(f),
        }
    }

    /// Costs nothing to have again: it is fetched where it is used.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Op::Const(_) | Op::Load(_) | Op::Clock(_))
    }
}

/// An expression with what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub op: Op,
    /// The bits that may be 1.
    pub mask: u64,
    /// Is it a truth value, kept in a byte?
    pub truth: bool,
}

/// All expressions, operands first.
#[derive(Default)]
pub struct Words {
    pub nodes: Vec<Node>,
    index: HashMap<Op, Word>,
    /// The choices, each once.
    cases: Vec<Case<Word>>,
    case_index: HashMap<Case<Word>, u32>,
    /// Their tables.
    pub labels: Vec<Labels>,
    /// Conditions whose selections are jumps; empty before it is known.
    pub branches: Vec<bool>,
}

/// The lowest `width` bits; `width` is at most 64.
pub fn ones(width: u32) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width) }
}

/// All bits up to the highest one.
pub(crate) fn filled(mask: u64) -> u64 {
    ones(64 - mask.leading_zeros())
}

impl Words {
    pub fn new(labels: Vec<Labels>) -> Words {
        Words { labels, ..Words::default() }
    }
    pub fn op(&self, w: Word) -> Op {
        self.nodes[w as usize].op
    }
    pub fn mask(&self, w: Word) -> u64 {
        self.nodes[w as usize].mask
    }
    pub fn as_const(&self, w: Word) -> Option<u64> {
        match self.op(w) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn add_node(&mut self, op: Op, mask: u64, truth: bool) -> Word {
        if mask == 0 && op != Op::Const(0) {
            return self.constant(0);
        }
        let next = self.nodes.len() as Word;
        let word = *self.index.entry(op).or_insert(next);
        if word == next {
            self.nodes.push(Node { op, mask, truth });
        }
        word
    }

    pub fn constant(&mut self, value: u64) -> Word {
        self.add_node(Op::Const(value), value, false)
    }
    pub fn load(&mut self, slot: u32, mask: u64) -> Word {
        self.add_node(Op::Load(slot), mask, mask == 1)
    }
    pub fn clock(&mut self, domain: u32) -> Word {
        self.add_node(Op::Clock(domain), 1, true)
    }
    pub fn read(&mut self, mem: u32, limb: u32, addr: Word, mask: u64) -> Word {
        self.add_node(Op::Read { mem, limb, addr }, mask, false)
    }

    /// Operands of what commutes: a constant stands at the right.
    fn ordered(&self, a: Word, b: Word) -> (Word, Word, Option<u64>) {
        let swap = match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => true,
            (None, Some(_)) => false,
            _ => b < a,
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        (a, b, self.as_const(b))
    }

    /// Does an operation on these give a truth value when it is bitwise?
    fn truths(&self, words: [Word; 2]) -> bool {
        let fits = |w: Word| self.nodes[w as usize].truth || self.as_const(w).is_some_and(|value| value <= 1);
        words.into_iter().all(fits) && words.into_iter().any(|w| self.nodes[w as usize].truth)
    }

    pub fn add(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        match (self.as_const(a), right) {
            (Some(x), Some(y)) => return self.constant(x.wrapping_add(y)),
            (_, Some(0)) => return a,
            _ => {}
        }
        let (x, y) = (filled(self.mask(a)), filled(self.mask(b)));
        let low = (self.mask(a) | self.mask(b)).trailing_zeros();
        let mask = x.checked_add(y).map_or(u64::MAX, filled) & !ones(low.min(63));
        self.add_node(Op::Add(a, b), mask, false)
    }

    pub fn sub(&mut self, a: Word, b: Word) -> Word {
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => return self.constant(x.wrapping_sub(y)),
            (_, Some(0)) => return a,
            _ if a == b => return self.constant(0),
            _ => {}
        }
        self.add_node(Op::Sub(a, b), u64::MAX, false)
    }

    pub fn and(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        if a == b {
            return a;
        }
        if let Some(keep) = right {
            if let Some(x) = self.as_const(a) {
                return self.constant(x & keep);
            }
            if self.mask(a) & !keep == 0 {
                return a;
            }
            match self.op(a) {
                Op::And(x, y) => {
                    if let Some(other) = self.as_const(y) {
                        let both = self.constant(other & keep);
                        return self.and(x, both);
                    }
                }
                // Only one side has bits there.
                Op::Or(x, y) | Op::Xor(x, y) => {
                    if self.mask(y) & keep == 0 {
                        return self.and(x, b);
                    }
                    if self.mask(x) & keep == 0 {
                        return self.and(y, b);
                    }
                }
                _ => {}
            }
        }
        let (mask, truth) = (self.mask(a) & self.mask(b), self.truths([a, b]));
        self.add_node(Op::And(a, b), mask, truth)
    }

    pub fn or(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        match (self.as_const(a), right) {
            (Some(x), Some(y)) => return self.constant(x | y),
            (_, Some(0)) => return a,
            (_, Some(y)) if self.mask(a) & !y == 0 => return b,
            _ if a == b => return a,
            _ => {}
        }
        let (mask, truth) = (self.mask(a) | self.mask(b), self.truths([a, b]));
        self.add_node(Op::Or(a, b), mask, truth)
    }

    pub fn xor(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        match (self.as_const(a), right) {
            (Some(x), Some(y)) => return self.constant(x ^ y),
            (_, Some(0)) => return a,
            _ if a == b => return self.constant(0),
            _ => {}
        }
        if let (Op::Xor(x, y), Some(z)) = (self.op(a), right)
            && let Some(y) = self.as_const(y)
        {
            let both = self.constant(y ^ z);
            return self.xor(x, both);
        }
        if right == Some(1) && self.mask(a) == 1 {
            match self.op(a) {
                Op::Eq(x, y) => return self.ne(x, y),
                Op::Ne(x, y) => return self.eq(x, y),
                _ => {}
            }
        }
        let (mask, truth) = (self.mask(a) | self.mask(b), self.truths([a, b]));
        self.add_node(Op::Xor(a, b), mask, truth)
    }

    pub fn mul(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        match (self.as_const(a), right) {
            (Some(x), Some(y)) => return self.constant(x.wrapping_mul(y)),
            (_, Some(1)) => return a,
            (_, Some(y)) if y.is_power_of_two() => return self.shl(a, y.trailing_zeros()),
            _ => {}
        }
        let bits = 128 - self.mask(a).leading_zeros() - self.mask(b).leading_zeros();
        let mask = if self.mask(a) == 0 || self.mask(b) == 0 { 0 } else { ones(bits.min(64)) };
        self.add_node(Op::Mul(a, b), mask, false)
    }

    pub fn mul_high(&mut self, a: Word, b: Word) -> Word {
        let (a, b, _) = self.ordered(a, b);
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(((u128::from(x) * u128::from(y)) >> 64) as u64);
        }
        let highest = (u128::from(filled(self.mask(a))) * u128::from(filled(self.mask(b)))) >> 64;
        self.add_node(Op::MulHigh(a, b), filled(highest as u64), false)
    }

    pub fn eq(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        match (self.as_const(a), right) {
            (Some(x), Some(y)) => return self.constant((x == y).into()),
            _ if a == b => return self.constant(1),
            (_, Some(y)) if y & !self.mask(a) != 0 => return self.constant(0),
            (_, Some(1)) if self.mask(a) == 1 => return a,
            (_, Some(0)) if self.nodes[a as usize].truth => return self.not(a),
            _ => {}
        }
        self.add_node(Op::Eq(a, b), 1, true)
    }
    pub fn ne(&mut self, a: Word, b: Word) -> Word {
        let (a, b, right) = self.ordered(a, b);
        match (self.as_const(a), right) {
            (Some(x), Some(y)) => return self.constant((x != y).into()),
            _ if a == b => return self.constant(0),
            (_, Some(y)) if y & !self.mask(a) != 0 => return self.constant(1),
            (_, Some(0)) if self.nodes[a as usize].truth => return a,
            _ => {}
        }
        self.add_node(Op::Ne(a, b), 1, true)
    }
    pub fn lt(&mut self, a: Word, b: Word) -> Word {
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => return self.constant((x < y).into()),
            (_, Some(0)) => return b,
            (_, Some(y)) if filled(self.mask(a)) < y => return self.constant(1),
            (Some(x), _) if x >= filled(self.mask(b)) => return self.constant(0),
            _ if a == b => return self.constant(0),
            _ => {}
        }
        self.add_node(Op::Lt(a, b), 1, true)
    }
    pub fn lt_signed(&mut self, a: Word, b: Word) -> Word {
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => return self.constant(((x as i64) < y as i64).into()),
            _ if a == b => return self.constant(0),
            _ => {}
        }
        self.add_node(Op::LtSigned(a, b), 1, true)
    }

    /// `c` is 0 or 1.
    pub fn select(&mut self, c: Word, yes: Word, no: Word) -> Word {
        match (self.as_const(yes), self.as_const(no)) {
            _ if yes == no => return yes,
            (Some(1), Some(0)) => return c,
            (Some(0), Some(1)) => return self.not(c),
            _ => {}
        }
        match self.op(c) {
            Op::Const(value) => return if value != 0 { yes } else { no },
            Op::Xor(x, one) if self.as_const(one) == Some(1) => return self.select(x, no, yes),
            _ => {}
        }
        let (mask, truth) = (self.mask(yes) | self.mask(no), self.truths([yes, no]));
        self.add_node(Op::Select(c, yes, no), mask, truth)
    }

    /// The bits of the selector past its width are 0.
    pub fn case(&mut self, mut case: Case<Word>) -> Word {
        if let Some(selector) = self.as_const(case.selector) {
            return case.value(&self.labels[case.labels as usize], selector);
        }
        let default = case.default;
        if case.arms.iter().any(|(_, value)| *value == default) {
            case.arms = case.arms.into_iter().filter(|(_, value)| *value != default).collect();
        }
        if case.arms.is_empty() {
            return default;
        }
        let values = || case.arms.iter().map(|(_, value)| *value).chain([default]);
        let mask = values().fold(0, |mask, value| mask | self.mask(value));
        let fits = |w: Word| self.nodes[w as usize].truth || self.as_const(w).is_some_and(|value| value <= 1);
        let truth = values().all(fits);
        let next = self.cases.len() as u32;
        let index = *self.case_index.entry(case.clone()).or_insert(next);
        if index == next {
            self.cases.push(case);
        }
        self.add_node(Op::Case(index), mask, truth)
    }

    /// Calls `f` with everything that a word is computed from.
    pub fn each_operand(&self, word: Word, f: impl FnMut(Word)) {
        match self.op(word) {
            Op::Case(case) => self.cases[case as usize].each_operand(f),
            op => op.each_operand(f),
        }
    }

    pub fn popcount(&mut self, a: Word) -> Word {
        match self.as_const(a) {
            Some(x) => self.constant(x.count_ones().into()),
            None => self.add_node(Op::Popcount(a), 127, false),
        }
    }
}

impl Logic for Words {
    fn count(&self) -> usize {
        self.nodes.len()
    }
    fn is_free(&self, word: Word) -> bool {
        self.op(word).is_leaf()
    }
    fn each_operand(&self, word: Word, f: &mut dyn FnMut(Word)) {
        Words::each_operand(self, word, f);
    }
    fn mux(&self, word: Word) -> Option<[Word; 3]> {
        match self.op(word) {
            Op::Select(c, yes, no) => Some([c, yes, no]),
            _ => None,
        }
    }
    fn choice(&self, word: Word) -> Option<Choice> {
        match self.op(word) {
            Op::Case(case) => {
                let Case { selector, labels, default, .. } = self.cases[case as usize];
                Some(Choice { selector, labels, default })
            }
            Op::Select(c, _, no) if self.branches.get(c as usize).is_some_and(|b| *b) => {
                Some(Choice { selector: c, labels: BRANCH, default: no })
            }
            _ => None,
        }
    }
    fn each_arm(&self, word: Word, f: &mut dyn FnMut(u32, Word)) {
        match self.op(word) {
            Op::Case(case) => self.cases[case as usize].arms.iter().for_each(|(arm, value)| f(*arm, *value)),
            Op::Select(_, yes, _) => f(0, yes),
            _ => {}
        }
    }
}
