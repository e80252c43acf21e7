//! What takes more than one operation on words: carries, products, and shifts by a signal.

use crate::limbs::{Limbs, count};
use crate::scalar::{Word, Words, ones};
use hdl::sim::native::{BinOp, Ex};

impl Limbs<'_> {
    pub(crate) fn add_or_sub(&mut self, subtract: bool, a: Ex, b: Ex) -> Vec<Word> {
        let (x, y) = (self.all_loose(a), self.all_loose(b));
        let w = &mut self.words;
        let last = x.len() - 1;
        let mut carry = w.constant(0);
        let limb = |(i, (x, y)): (usize, (Word, Word))| {
            let (first, second);
            if subtract {
                first = w.sub(x, y);
                second = w.sub(first, carry);
            } else {
                first = w.add(x, y);
                second = w.add(first, carry);
            }
            if i < last {
                let (over, under) =
                    if subtract { (w.lt(x, y), w.lt(first, carry)) } else { (w.lt(first, x), w.lt(second, carry)) };
                carry = w.or(over, under);
            }
            second
        };
        x.into_iter().zip(y).enumerate().map(limb).collect()
    }

    /// All limbs of an operand, extended to `n`.
    fn extended(&mut self, e: Ex, signed: bool, n: usize) -> Vec<Word> {
        if !signed {
            return self.all(e);
        }
        let mut limbs = self.all_signed(e);
        let top = limbs[limbs.len() - 1];
        let fill = self.words.sar(top, 63);
        limbs.resize(n, fill);
        limbs
    }

    /// Schoolbook product; signed operands are extended to all limbs of the result.
    pub(crate) fn multiply(&mut self, signed: bool, a: Ex, b: Ex, width: u32) -> Vec<Word> {
        let n = count(width) as usize;
        let (x, y) = (self.extended(a, signed, n), self.extended(b, signed, n));
        let w = &mut self.words;
        if n == 1 {
            return vec![w.mul(x[0], y[0])];
        }
        let zero = w.constant(0);
        let mut out = vec![zero; n];
        for (i, &x) in x.iter().enumerate() {
            let mut carry = zero;
            for j in 0..n - i {
                if j >= y.len() {
                    out[i + j] = w.add(out[i + j], carry);
                    break;
                }
                let low = w.mul(x, y[j]);
                let first = w.add(out[i + j], low);
                let second = w.add(first, carry);
                if i + j + 1 < n {
                    let (over, under) = (w.lt(first, low), w.lt(second, carry));
                    let (high, both) = (w.mul_high(x, y[j]), w.add(over, under));
                    carry = w.add(high, both);
                }
                out[i + j] = second;
            }
        }
        out
    }

    /// A shift by a signal of at most 32 bits.
    pub(crate) fn shift(&mut self, op: BinOp, a: Ex, by: Ex) -> Vec<Word> {
        let limbs = match op {
            BinOp::Shl => self.all_loose(a),
            BinOp::Sra => self.all_signed(a),
            _ => self.all(a),
        };
        let by = self.exact(by, 0);
        let w = &mut self.words;
        let fill = if op == BinOp::Sra { w.sar(limbs[limbs.len() - 1], 63) } else { w.constant(0) };
        let (limbs, near) = whole_limbs(w, limbs, by, op == BinOp::Shl, fill);
        let n = limbs.len();
        let limb = |i: usize| {
            let neighbour = match op {
                BinOp::Shl if i == 0 => None,
                BinOp::Shl => Some(limbs[i - 1]),
                _ if i + 1 < n => Some(limbs[i + 1]),
                _ => None,
            };
            let word = match op {
                BinOp::Shl => up(w, limbs[i], neighbour, by),
                BinOp::Sra if i + 1 == n => w.sar_by(limbs[i], by),
                _ => down(w, limbs[i], neighbour, by),
            };
            w.select(near, word, fill)
        };
        (0..n).map(limb).collect()
    }

    /// At most 64 bits of a wider value, from a bit that a signal gives; zeros past the end.
    pub(crate) fn part(&mut self, a: Ex, at: Ex) -> Word {
        let (limbs, at) = (self.all(a), self.exact(at, 0));
        let w = &mut self.words;
        let zero = w.constant(0);
        let (limbs, near) = whole_limbs(w, limbs, at, false, zero);
        let word = down(w, limbs[0], limbs.get(1).copied(), at);
        w.select(near, word, zero)
    }

    /// `base` with `value` in the place that `at` gives; what falls past the end is dropped.
    pub(crate) fn insert(&mut self, base: Ex, value: Ex, at: Ex) -> Vec<Word> {
        let (base, width) = (self.all_loose(base), self.width(value));
        let (value, at) = (self.exact(value, 0), self.exact(at, 0));
        let w = &mut self.words;
        let (mask, zero) = (w.constant(ones(width)), w.constant(0));
        let limb_at = w.shr(at, 6);
        // What goes into the limb where the place begins, and into the one above it.
        let low = [up(w, mask, None, at), up(w, value, None, at)];
        let high = [up(w, zero, Some(mask), at), up(w, zero, Some(value), at)];
        let limb = |(i, base): (usize, Word)| {
            let here = w.constant(i as u64);
            let here = w.eq(limb_at, here);
            let below = match i {
                0 => zero,
                _ => {
                    let below = w.constant(i as u64 - 1);
                    w.eq(limb_at, below)
                }
            };
            let [mask, value] = [0, 1].map(|k| {
                let above = w.select(below, high[k], zero);
                w.select(here, low[k], above)
            });
            let all = w.constant(u64::MAX);
            let keep = w.xor(mask, all);
            let kept = w.and(base, keep);
            w.or(kept, value)
        };
        base.into_iter().enumerate().map(limb).collect()
    }
}

/// Moves limbs by `by / 64` places, up or down; `fill` comes in. The second result says whether that is all that there is
/// to it: where it is false, everything was shifted out.
fn whole_limbs(w: &mut Words, mut limbs: Vec<Word>, by: Word, up: bool, fill: Word) -> (Vec<Word>, Word) {
    let n = limbs.len();
    let stages = n.next_power_of_two().trailing_zeros();
    for stage in 0..stages {
        let (bit, places) = (w.shr(by, 6 + stage), 1 << stage);
        let bit = w.truth(bit);
        let from = |i: usize| match up {
            true => i.checked_sub(places).map(|i| limbs[i]),
            false => limbs.get(i + places).copied(),
        };
        limbs = (0..n).map(|i| w.select(bit, from(i).unwrap_or(fill), limbs[i])).collect();
    }
    let end = w.constant(64 << stages);
    let near = w.lt(by, end);
    (limbs, near)
}

/// `word << (by % 64)`, with the bits that come up from the limb below.
fn up(w: &mut Words, word: Word, below: Option<Word>, by: Word) -> Word {
    let high = w.shl_by(word, by);
    let Some(below) = below else { return high };
    let (half, rest) = (w.shr(below, 1), rest(w, by));
    let low = w.shr_by(half, rest);
    w.or(high, low)
}

/// `word >> (by % 64)`, with the bits that come down from the limb above.
fn down(w: &mut Words, word: Word, above: Option<Word>, by: Word) -> Word {
    let low = w.shr_by(word, by);
    let Some(above) = above else { return low };
    let (twice, rest) = (w.shl(above, 1), rest(w, by));
    let high = w.shl_by(twice, rest);
    w.or(low, high)
}

/// `63 - by % 64`, modulo 64.
fn rest(w: &mut Words, by: Word) -> Word {
    let ones = w.constant(63);
    w.xor(by, ones)
}
