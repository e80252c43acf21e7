//! Instructions on values of more than 64 bits. The rules of [`super::program`] hold for them too.

use super::program::{Memories, Slot, ones};
use crate::ir::BinOp;

/// A part of a concatenation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub slot: Slot,
    pub width: u32,
}

/// An instruction with an operand or a result of more than 64 bits. Widths are in bits.
#[derive(Clone, Debug)]
pub(super) enum Wide {
    Not {
        dst: Slot,
        a: Slot,
        width: u32,
    },
    /// Reductions to one bit.
    Any {
        dst: Slot,
        a: Slot,
        width: u32,
    },
    All {
        dst: Slot,
        a: Slot,
        width: u32,
    },
    Parity {
        dst: Slot,
        a: Slot,
        width: u32,
    },
    /// `Add` to `Xor` of `BinOp`, both operands and the result `width` wide.
    Arith {
        op: BinOp,
        dst: Slot,
        a: Slot,
        b: Slot,
        width: u32,
    },
    /// `Eq`, `Ne`, `Lt`, `Le` and the last two signed; the operands are `width` wide.
    Compare {
        op: BinOp,
        dst: Slot,
        a: Slot,
        b: Slot,
        width: u32,
    },
    Mul {
        dst: Slot,
        a: Part,
        b: Part,
        signed: bool,
    },
    /// `Shl`, `Shr` or `Sra` of `BinOp`.
    Shift {
        op: BinOp,
        dst: Slot,
        a: Slot,
        amount: Slot,
        width: u32,
    },
    Mux {
        dst: Slot,
        c: Slot,
        yes: Slot,
        no: Slot,
        width: u32,
    },
    /// `width` bits of `a` from bit `lo` on; all of them exist.
    Slice {
        dst: Slot,
        a: Slot,
        lo: u32,
        width: u32,
    },
    /// `width` (at most 64) bits of `a` from bit `at` on; past its end they are zero.
    Part {
        dst: Slot,
        a: Part,
        at: Slot,
        width: u32,
    },
    /// Low part first.
    Cat {
        dst: Slot,
        parts: Box<[Part]>,
    },
    SignExt {
        dst: Slot,
        a: Part,
        width: u32,
    },
    /// `base` with `value` (at most 64 bits) in the place that `at` gives; what falls past the end is dropped.
    Insert {
        dst: Slot,
        base: Slot,
        width: u32,
        value: Part,
        at: Slot,
    },
    Read {
        dst: Slot,
        addr: Slot,
        mem: u32,
        width: u32,
    },
}

pub(super) fn limbs(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Ones at the used bits of the top limb.
pub(super) fn top_mask(width: u32) -> u64 {
    ones(((width - 1) % 64 + 1) as u8)
}

/// Clears the unused bits of the top limb.
fn normalise(slots: &mut [u64], dst: Slot, width: u32) {
    slots[dst as usize + limbs(width) - 1] &= top_mask(width);
}

fn bit(slots: &[u64], a: Slot, at: u32) -> bool {
    slots[a as usize + (at / 64) as usize] >> (at % 64) & 1 == 1
}

/// Limb `i` of a value as if it had infinitely many, the missing ones (and missing bits) copies of `fill`.
fn limb_or(slots: &[u64], a: Slot, width: u32, i: usize, fill: u64) -> u64 {
    let n = limbs(width);
    match i + 1 {
        at if at < n => slots[a as usize + i],
        at if at == n => slots[a as usize + i] | (fill & !top_mask(width)),
        _ => fill,
    }
}

/// Runs one. Kept out of the loop over narrow instructions, which would run out of processor registers otherwise.
#[inline(never)]
pub(super) fn run(instr: &Wide, slots: &mut [u64], mems: &Memories) {
    match *instr {
        Wide::Not { dst, a, width } => {
            (0..limbs(width)).for_each(|i| slots[dst as usize + i] = !slots[a as usize + i]);
            normalise(slots, dst, width);
        }
        Wide::Any { dst, a, width } => slots[dst as usize] = u64::from(value(slots, a, width).iter().any(|l| *l != 0)),
        Wide::All { dst, a, width } => {
            let set: u32 = value(slots, a, width).iter().map(|l| l.count_ones()).sum();
            slots[dst as usize] = u64::from(set == width);
        }
        Wide::Parity { dst, a, width } => {
            let set: u32 = value(slots, a, width).iter().map(|l| l.count_ones()).sum();
            slots[dst as usize] = u64::from(set & 1);
        }
        Wide::Arith { op, dst, a, b, width } => arith(op, slots, dst, a, b, width),
        Wide::Compare { op, dst, a, b, width } => slots[dst as usize] = u64::from(compare(op, slots, a, b, width)),
        Wide::Mul { dst, a, b, signed } => multiply(slots, dst, a, b, signed),
        Wide::Shift { op, dst, a, amount, width } => shift(op, slots, dst, a, slots[amount as usize], width),
        Wide::Mux { dst, c, yes, no, width } => {
            let from = if slots[c as usize] != 0 { yes } else { no } as usize;
            slots.copy_within(from..from + limbs(width), dst as usize);
        }
        Wide::Slice { dst, a, lo, width } => {
            for i in 0..limbs(width) {
                let bits = (width - 64 * i as u32).min(64);
                slots[dst as usize + i] = bits_at(slots, Part { slot: a, width: lo + width }, lo + 64 * i as u32, bits);
            }
        }
        Wide::Part { dst, a, at, width } => {
            let at = u32::try_from(slots[at as usize]).unwrap_or(u32::MAX);
            slots[dst as usize] = bits_at(slots, a, at, width);
        }
        Wide::Cat { dst, ref parts } => concatenate(slots, dst, parts),
        Wide::SignExt { dst, a, width } => {
            let fill = if bit(slots, a.slot, a.width - 1) { u64::MAX } else { 0 };
            (0..limbs(width)).for_each(|i| slots[dst as usize + i] = limb_or(slots, a.slot, a.width, i, fill));
            normalise(slots, dst, width);
        }
        Wide::Insert { dst, base, width, value, at } => insert(slots, dst, base, width, value, at),
        Wide::Read { dst, addr, mem, width } => {
            let (start, n) = (dst as usize, limbs(width));
            match mems.word(mem, slots[addr as usize]) {
                Some(word) => slots[start..start + n].copy_from_slice(word),
                None => slots[start..start + n].fill(0),
            }
        }
    }
}

fn value(slots: &[u64], a: Slot, width: u32) -> &[u64] {
    &slots[a as usize..a as usize + limbs(width)]
}

fn arith(op: BinOp, slots: &mut [u64], dst: Slot, a: Slot, b: Slot, width: u32) {
    let (dst, a, b) = (dst as usize, a as usize, b as usize);
    // Subtraction adds the complement and one.
    let (mut carry, flip) = if op == BinOp::Sub { (1, u64::MAX) } else { (0, 0) };
    for i in 0..limbs(width) {
        let (x, y) = (slots[a + i], slots[b + i]);
        slots[dst + i] = match op {
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            _ => {
                let sum = u128::from(x) + u128::from(y ^ flip) + carry;
                carry = sum >> 64;
                sum as u64
            }
        };
    }
    slots[dst + limbs(width) - 1] &= top_mask(width);
}

fn compare(op: BinOp, slots: &[u64], a: Slot, b: Slot, width: u32) -> bool {
    use std::cmp::Ordering;
    let signs = || (bit(slots, a, width - 1), bit(slots, b, width - 1));
    let (x, y) = (value(slots, a, width), value(slots, b, width));
    let order = || x.iter().rev().cmp(y.iter().rev());
    // In two's complement, only the sign bit counts the other way round.
    let signed = || match signs() {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => order(),
    };
    match op {
        BinOp::Eq => x == y,
        BinOp::Ne => x != y,
        BinOp::Lt => order().is_lt(),
        BinOp::Le => order().is_le(),
        BinOp::LtSigned => signed().is_lt(),
        _ => signed().is_le(),
    }
}

/// Schoolbook product of `a.width + b.width` bits. Signed operands are extended to all limbs of the result.
fn multiply(slots: &mut [u64], dst: Slot, a: Part, b: Part, signed: bool) {
    let width = a.width + b.width;
    let n = limbs(width);
    let fill = |p: Part| if signed && bit(slots, p.slot, p.width - 1) { u64::MAX } else { 0 };
    let (fill_a, fill_b) = (fill(a), fill(b));
    let used = |p: Part| if signed { n } else { limbs(p.width) };
    let (na, nb) = (used(a), used(b));
    let dst = dst as usize;
    slots[dst..dst + n].fill(0);
    for i in 0..na {
        let x = u128::from(limb_or(slots, a.slot, a.width, i, fill_a));
        let mut carry = 0;
        for j in 0..n - i {
            if j >= nb && carry == 0 {
                break;
            }
            let y = if j < nb { u128::from(limb_or(slots, b.slot, b.width, j, fill_b)) } else { 0 };
            let sum = x * y + u128::from(slots[dst + i + j]) + carry;
            slots[dst + i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    slots[dst + n - 1] &= top_mask(width);
}

fn shift(op: BinOp, slots: &mut [u64], dst: Slot, a: Slot, amount: u64, width: u32) {
    let n = limbs(width);
    let fill = if op == BinOp::Sra && bit(slots, a, width - 1) { u64::MAX } else { 0 };
    let by = amount.min(u64::from(width)) as usize;
    let (skip, rest) = (by / 64, by % 64);
    for i in 0..n {
        slots[dst as usize + i] = if op == BinOp::Shl {
            let low = |k: usize| if k > i { 0 } else { slots[a as usize + i - k] };
            low(skip) << rest | if rest > 0 { low(skip + 1) >> (64 - rest) } else { 0 }
        } else {
            let high = |k: usize| limb_or(slots, a, width, i + k, fill);
            high(skip) >> rest | if rest > 0 { high(skip + 1) << (64 - rest) } else { 0 }
        };
    }
    normalise(slots, dst, width);
}

/// `width` (1 to 64) bits from bit `at` on; past the end they are zero.
fn bits_at(slots: &[u64], a: Part, at: u32, width: u32) -> u64 {
    if at >= a.width {
        return 0;
    }
    let (i, lo) = ((at / 64) as usize, at % 64);
    let low = slots[a.slot as usize + i] >> lo;
    let high = if lo > 0 && i + 1 < limbs(a.width) { slots[a.slot as usize + i + 1] << (64 - lo) } else { 0 };
    (low | high) & ones(width as u8)
}

fn concatenate(slots: &mut [u64], dst: Slot, parts: &[Part]) {
    // `pending` collects limbs from the low end; `filled` of its bits are in use (fewer than 64).
    let (mut out, mut pending, mut filled) = (dst as usize, 0, 0);
    for part in parts {
        let mut left = part.width;
        for i in 0..limbs(part.width) {
            let (limb, bits) = (slots[part.slot as usize + i], left.min(64));
            left -= bits;
            pending |= limb << filled;
            if filled + bits >= 64 {
                slots[out] = pending;
                out += 1;
                pending = if filled > 0 { limb >> (64 - filled) } else { 0 };
            }
            filled = (filled + bits) % 64;
        }
    }
    if filled > 0 {
        slots[out] = pending;
    }
}

fn insert(slots: &mut [u64], dst: Slot, base: Slot, width: u32, value: Part, at: Slot) {
    let (at, new, mask) = (slots[at as usize], slots[value.slot as usize], ones(value.width as u8));
    slots.copy_within(base as usize..base as usize + limbs(width), dst as usize);
    if at >= u64::from(width) {
        return;
    }
    let (i, lo) = (dst as usize + (at / 64) as usize, at % 64);
    slots[i] = slots[i] & !(mask << lo) | new << lo;
    if lo > 0 && i + 1 < dst as usize + limbs(width) {
        slots[i + 1] = slots[i + 1] & !(mask >> (64 - lo)) | new >> (64 - lo);
    }
    normalise(slots, dst, width);
}
