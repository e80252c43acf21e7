//! Every value of a design as words of 64 bits.
//!
//! The words below the top one are full. The top one may hold anything past the width of the value: additions and the
//! like need no mask then, and [`Limbs::exact`] clears these bits where somebody looks at them.

use crate::scalar::{Word, Words, ones};
use hdl::sim::native::{BinOp, Case, Ex, Expr, LowNext, Plan, UnOp};

/// The words of all expressions that a design needs.
pub struct Limbs<'a> {
    pub plan: &'a Plan,
    pub words: Words,
    /// Words of each expression, low limb first; none where nobody needs it.
    limbs: Vec<Box<[Word]>>,
}

/// Limbs of a value.
pub fn count(width: u32) -> u32 {
    width.div_ceil(64)
}

/// Used bits of the top limb.
pub fn top_bits(width: u32) -> u32 {
    (width - 1) % 64 + 1
}

/// Makes the words of everything that ports, states and memories need.
pub fn lower(plan: &Plan) -> Limbs<'_> {
    let words = Words::new(plan.labels.clone());
    let mut l = Limbs { plan, words, limbs: vec![Box::default(); plan.nodes.len()] };
    for (e, needed) in needed(plan).into_iter().enumerate() {
        if needed {
            l.limbs[e] = l.expression(e as Ex).into();
        }
    }
    l
}

fn needed(plan: &Plan) -> Vec<bool> {
    let mut needed = vec![false; plan.nodes.len()];
    let mut mark = |e: Ex| needed[e as usize] = true;
    plan.outputs.iter().for_each(|(e, _)| mark(*e));
    plan.writes.iter().for_each(|w| [w.addr, w.data, w.mask].into_iter().for_each(&mut mark));
    for state in &plan.states {
        match state.next {
            LowNext::Value(e) => mark(e),
            LowNext::Read { addr, enable, .. } => [Some(addr), enable].into_iter().flatten().for_each(&mut mark),
        }
    }
    for e in (0..needed.len()).rev() {
        if needed[e] {
            plan.nodes[e].0.each_operand(|x| needed[x as usize] = true);
        }
    }
    needed
}

impl Limbs<'_> {
    pub fn width(&self, e: Ex) -> u32 {
        self.plan.nodes[e as usize].1
    }
    /// Limb `i`; past the width of the value there may be anything.
    pub fn loose(&self, e: Ex, i: u32) -> Word {
        self.limbs[e as usize][i as usize]
    }
    /// Limb `i`, zero past the width of the value.
    pub fn exact(&mut self, e: Ex, i: u32) -> Word {
        let (word, width) = (self.loose(e, i), self.width(e));
        if i + 1 == count(width) { self.words.cut(word, top_bits(width)) } else { word }
    }
    /// All limbs.
    pub fn all(&mut self, e: Ex) -> Vec<Word> {
        (0..count(self.width(e))).map(|i| self.exact(e, i)).collect()
    }
    pub fn all_loose(&self, e: Ex) -> Vec<Word> {
        self.limbs[e as usize].to_vec()
    }
    /// All limbs, the top one as a signed number.
    pub fn all_signed(&mut self, e: Ex) -> Vec<Word> {
        let (mut limbs, width) = (self.all_loose(e), self.width(e));
        if let Some(top) = limbs.last_mut() {
            *top = self.words.signed(*top, top_bits(width));
        }
        limbs
    }
    /// One bit to decide by.
    pub fn condition(&mut self, e: Ex) -> Word {
        self.words.truth(self.loose(e, 0))
    }

    /// The limbs of what a source holds.
    pub fn source(&mut self, source: u32, width: u32) -> Vec<Word> {
        let slot = self.plan.sources[source as usize];
        (0..count(width)).map(|i| self.words.load(slot + i, ones((width - 64 * i).min(64)))).collect()
    }

    /// The word of a memory, zeros past its end.
    pub fn read(&mut self, mem: u32, addr: Ex, width: u32) -> Vec<Word> {
        let (addr, depth) = (self.exact(addr, 0), self.plan.memories[mem as usize].depth);
        let w = &mut self.words;
        let (zero, depth) = (w.constant(0), w.constant(depth));
        let inside = w.lt(addr, depth);
        let addr = w.select(inside, addr, zero);
        let limb = |i: u32| {
            let word = w.read(mem, i, addr, ones((width - 64 * i).min(64)));
            w.select(inside, word, zero)
        };
        (0..count(width)).map(limb).collect()
    }

    fn expression(&mut self, e: Ex) -> Vec<Word> {
        let plan = self.plan;
        let (expr, width) = (&plan.nodes[e as usize].0, plan.nodes[e as usize].1);
        let n = count(width);
        match expr {
            Expr::Const(value) => {
                let mut limbs = value.to_u64_digits();
                limbs.resize(n as usize, 0);
                limbs.into_iter().map(|limb| self.words.constant(limb)).collect()
            }
            Expr::Source(source) => self.source(*source, width),
            Expr::Un(UnOp::Not, a) => {
                let flip = |i: u32| {
                    let (a, flip) = (self.loose(*a, i), ones((width - 64 * i).min(64)));
                    let flip = self.words.constant(flip);
                    self.words.xor(a, flip)
                };
                (0..n).map(flip).collect()
            }
            Expr::Un(op, a) => vec![self.reduce(*op, *a)],
            Expr::Bin(op, a, b) => self.binary(*op, *a, *b, width),
            Expr::Mux(c, yes, no) => {
                let c = self.condition(*c);
                let limb = |i: u32| {
                    let (yes, no) = (self.loose(*yes, i), self.loose(*no, i));
                    self.words.select(c, yes, no)
                };
                (0..n).map(limb).collect()
            }
            Expr::Slice(a, lo) => self.slice(*a, *lo, width),
            Expr::Part(a, at) => vec![self.part(*a, *at)],
            Expr::Cat(parts) => self.concatenate(parts, n),
            Expr::SignExt(a) => {
                let mut limbs = self.all_signed(*a);
                let top = limbs[limbs.len() - 1];
                let fill = self.words.sar(top, 63);
                limbs.resize(n as usize, fill);
                limbs
            }
            Expr::Insert(base, value, at) => self.insert(*base, *value, *at),
            Expr::Read(mem, addr) => self.read(*mem, *addr, width),
            Expr::Case(case) => {
                let selector = self.exact(case.selector, 0);
                (0..n).map(|i| self.case(case, selector, i)).collect()
            }
        }
    }

    /// Limb `i` of a choice.
    fn case(&mut self, case: &Case<Ex>, selector: Word, i: u32) -> Word {
        let arms = case.arms.iter().map(|(arm, value)| (*arm, self.loose(*value, i))).collect();
        let default = self.loose(case.default, i);
        self.words.case(Case { selector, labels: case.labels, arms, default })
    }

    fn reduce(&mut self, op: UnOp, a: Ex) -> Word {
        let width = self.width(a);
        let limbs = self.all(a);
        let w = &mut self.words;
        let (zero, one) = (w.constant(0), w.constant(1));
        match op {
            UnOp::All => {
                let unused = w.constant(!ones(top_bits(width)));
                let all = w.constant(u64::MAX);
                let last = limbs.len() - 1;
                let top = w.or(limbs[last], unused);
                let set = limbs[..last].iter().fold(top, |set, limb| w.and(set, *limb));
                if last == 0 {
                    let all = w.constant(ones(width));
                    return w.eq(limbs[0], all);
                }
                w.eq(set, all)
            }
            UnOp::Parity => {
                let odd = limbs.into_iter().reduce(|a, b| w.xor(a, b)).unwrap_or(zero);
                let ones = w.popcount(odd);
                w.and(ones, one)
            }
            _ => {
                let any = limbs.into_iter().reduce(|a, b| w.or(a, b)).unwrap_or(zero);
                w.ne(any, zero)
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: Ex, b: Ex, width: u32) -> Vec<Word> {
        use BinOp::*;
        let bitwise = match op {
            And => Words::and,
            Or => Words::or,
            Xor => Words::xor,
            Add | Sub => return self.add_or_sub(op == Sub, a, b),
            Mul | MulSigned => return self.multiply(op == MulSigned, a, b, width),
            Shl | Shr | Sra => return self.shift(op, a, b),
            _ => return vec![self.compare(op, a, b)],
        };
        let limb = |i: u32| {
            let (a, b) = (self.loose(a, i), self.loose(b, i));
            bitwise(&mut self.words, a, b)
        };
        (0..count(width)).map(limb).collect()
    }

    fn compare(&mut self, op: BinOp, a: Ex, b: Ex) -> Word {
        use BinOp::*;
        match op {
            Eq | Ne => {
                let (x, y) = (self.all(a), self.all(b));
                let w = &mut self.words;
                if let ([x], [y]) = (&x[..], &y[..]) {
                    return if op == Eq { w.eq(*x, *y) } else { w.ne(*x, *y) };
                }
                let zero = w.constant(0);
                let differ = x.into_iter().zip(y).map(|(x, y)| w.xor(x, y)).collect::<Vec<_>>();
                let differ = differ.into_iter().reduce(|x, y| w.or(x, y)).unwrap_or(zero);
                if op == Eq { w.eq(differ, zero) } else { w.ne(differ, zero) }
            }
            Lt => self.less(a, b, false),
            LtSigned => self.less(a, b, true),
            Gt => self.less(b, a, false),
            GtSigned => self.less(b, a, true),
            Le | LeSigned => {
                let greater = self.less(b, a, op == LeSigned);
                self.words.not(greater)
            }
            _ => {
                let less = self.less(a, b, op == GeSigned);
                self.words.not(less)
            }
        }
    }

    fn less(&mut self, a: Ex, b: Ex, signed: bool) -> Word {
        let (x, y) = match signed {
            true => (self.all_signed(a), self.all_signed(b)),
            false => (self.all(a), self.all(b)),
        };
        let w = &mut self.words;
        let mut less = w.constant(0);
        let top = x.len() - 1;
        for (i, (x, y)) in x.into_iter().zip(y).enumerate() {
            let here = if signed && i == top { w.lt_signed(x, y) } else { w.lt(x, y) };
            let same = w.eq(x, y);
            let below = w.and(same, less);
            less = w.or(here, below);
        }
        less
    }

    /// `width` bits from bit `lo` on.
    fn slice(&mut self, a: Ex, lo: u32, width: u32) -> Vec<Word> {
        let limbs = self.all_loose(a);
        let limb = |i: u32| {
            let (at, shift) = ((lo / 64 + i) as usize, lo % 64);
            let low = self.words.shr(limbs[at], shift);
            let bits = (width - 64 * i).min(64);
            if shift + bits <= 64 {
                return low;
            }
            let high = self.words.shl(limbs[at + 1], 64 - shift);
            self.words.or(low, high)
        };
        (0..count(width)).map(limb).collect()
    }

    /// High part first; `n` limbs.
    fn concatenate(&mut self, parts: &[Ex], n: u32) -> Vec<Word> {
        let mut out = vec![self.words.constant(0); n as usize];
        let mut at = 0;
        for &part in parts.iter().rev() {
            let limbs = self.all(part);
            let w = &mut self.words;
            for (i, limb) in limbs.into_iter().enumerate() {
                let (to, shift) = ((at / 64) as usize + i, at % 64);
                let low = w.shl(limb, shift);
                out[to] = w.or(out[to], low);
                if shift > 0 && to + 1 < out.len() {
                    let high = w.shr(limb, 64 - shift);
                    out[to + 1] = w.or(out[to + 1], high);
                }
            }
            at += self.width(part);
        }
        out
    }
}
