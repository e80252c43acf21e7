//! The flat program that computes all combinational logic, and the loop that runs it.
//!
//! Every value has a slot of its own: `width.div_ceil(64)` consecutive limbs, low limb first, in one vector. Limbs are
//! normalised: bits past the width are zero. Every instruction writes its whole destination, reads only slots that
//! hold sources, constants or results of earlier instructions, and keeps the destination normalised. So running the
//! program twice changes nothing. Of a `switch` only the arm that is taken runs: a jump is an instruction that runs a block.

use super::wide::{self, Wide};
use crate::engine::fill;
use fastrand::Rng;

/// Index of a limb.
pub type Slot = u32;

/// An instruction on values of at most 64 bits, in the notation of Rust on `u64`; `w` is the width of the result in
/// bits (for comparisons, of the operands) and `[w]` cuts to it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instr {
    /// `!a [w]`.
    Not {
        dst: Slot,
        a: Slot,
        w: u8,
    },
    /// `a != 0`.
    Any {
        dst: Slot,
        a: Slot,
    },
    /// `a == 2^w - 1`.
    All {
        dst: Slot,
        a: Slot,
        w: u8,
    },
    /// Parity of the number of ones.
    Parity {
        dst: Slot,
        a: Slot,
    },
    /// `a + b [w]`.
    Add {
        dst: Slot,
        a: Slot,
        b: Slot,
        w: u8,
    },
    /// `a - b [w]`.
    Sub {
        dst: Slot,
        a: Slot,
        b: Slot,
        w: u8,
    },
    And {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// `a * b`; the result fits.
    Mul {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// Operands sign-extended from `wa` and `wb` bits, result cut to `wa + wb`.
    MulSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        wa: u8,
        wb: u8,
    },
    Eq {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Ne {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Lt {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Le {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    LtSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        w: u8,
    },
    LeSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        w: u8,
    },
    /// `a << b [w]`, zero for `b >= 64`.
    Shl {
        dst: Slot,
        a: Slot,
        b: Slot,
        w: u8,
    },
    /// `a >> b`, zero for `b >= 64`.
    Shr {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// As `Shr`, copies of bit `w - 1` from above.
    Sra {
        dst: Slot,
        a: Slot,
        b: Slot,
        w: u8,
    },
    /// `if c != 0 { yes } else { no }`.
    Mux {
        dst: Slot,
        c: Slot,
        yes: Slot,
        no: Slot,
    },
    /// `a >> lo [w]`; `lo` < 64.
    Slice {
        dst: Slot,
        a: Slot,
        lo: u8,
        w: u8,
    },
    /// As `Slice`, of the two limbs from `a` on; `lo` is 1 to 63.
    Straddle {
        dst: Slot,
        a: Slot,
        lo: u8,
        w: u8,
    },
    /// `(high << at) | low`; `at` < 64.
    Cat {
        dst: Slot,
        high: Slot,
        low: Slot,
        at: u8,
    },
    /// Bit `from - 1` copied upwards, cut to `w`.
    SignExt {
        dst: Slot,
        a: Slot,
        from: u8,
        w: u8,
    },
    /// Word `addr` of memory `mem`, zero past its end.
    Read {
        dst: Slot,
        addr: Slot,
        mem: u32,
    },
    /// `a`.
    Copy {
        dst: Slot,
        a: Slot,
    },
    /// Index into the list of instructions on wide values.
    Wide(u32),
    /// Runs the block that a value chooses: index into the list of jumps.
    Jump(u32),
}

/// Instructions that run one after the other: a range of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Block {
    start: u32,
    end: u32,
}

/// A choice of a block.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    selector: Slot,
    table: Table,
    default: Block,
}

#[derive(Clone, Debug)]
enum Table {
    /// A block for each value from `first` on.
    Dense { first: u64, blocks: Box<[Block]> },
    /// Values in rising order.
    Sparse(Box<[(u64, Block)]>),
}

impl Jump {
    /// Values stand in rising order; all others go to the default.
    pub fn new(selector: Slot, targets: Vec<(u64, Block)>, default: Block) -> Jump {
        let first = targets.first().map_or(0, |(value, _)| *value);
        let span = targets.last().map_or(0, |(last, _)| last - first);
        let table = if span / 4 <= targets.len() as u64 {
            let mut blocks = vec![default; if targets.is_empty() { 0 } else { span as usize + 1 }];
            targets.iter().for_each(|(value, block)| blocks[(value - first) as usize] = *block);
            Table::Dense { first, blocks: blocks.into() }
        } else {
            Table::Sparse(targets.into())
        };
        Jump { selector, table, default }
    }

    fn target(&self, slots: &[u64]) -> Block {
        let value = slots[self.selector as usize];
        let found = match &self.table {
            Table::Dense { first, blocks } => {
                usize::try_from(value.wrapping_sub(*first)).ok().and_then(|at| blocks.get(at).copied())
            }
            Table::Sparse(values) => values.binary_search_by_key(&value, |(v, _)| *v).ok().map(|at| values[at].1),
        };
        found.unwrap_or(self.default)
    }
}

/// All instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    /// Block after block.
    instrs: Vec<Instr>,
    /// What [`Instr::Wide`] and [`Instr::Jump`] point to.
    pub wides: Vec<Wide>,
    pub jumps: Vec<Jump>,
}

impl Code {
    /// Adds a block.
    pub fn block(&mut self, instrs: Vec<Instr>) -> Block {
        let start = self.instrs.len() as u32;
        self.instrs.extend(instrs);
        Block { start, end: self.instrs.len() as u32 }
    }
    /// How many there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.instrs.len()
    }
    fn instrs(&self, block: Block) -> &[Instr] {
        &self.instrs[block.start as usize..block.end as usize]
    }
    /// How many instructions a run of a block takes, as its last run left the slots.
    pub fn taken(&self, block: Block, slots: &[u64]) -> usize {
        let inner = |instr: &Instr| match instr {
            Instr::Jump(jump) => self.taken(self.jumps[*jump as usize].target(slots), slots),
            _ => 0,
        };
        self.instrs(block).iter().map(|instr| 1 + inner(instr)).sum()
    }
}

/// Where the words of a memory stand.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Limb at which word 0 begins.
    pub start: usize,
    /// Limbs of a word.
    pub stride: usize,
    /// Words.
    pub depth: u64,
}

/// All memories of a design, one after the other in one vector.
#[derive(Clone, Debug, Default)]
pub(super) struct Memories {
    pub shapes: Vec<Shape>,
    pub limbs: Vec<u64>,
    /// For each, the limb at which the words without initial contents begin, and the bits of a word.
    pub blank: Vec<(usize, u32)>,
}

impl Memories {
    /// Random words where there are no initial contents.
    pub fn power_up(&mut self, rng: &mut Rng) {
        for (shape, (blank, width)) in self.shapes.iter().zip(&self.blank) {
            let end = shape.start + shape.stride * shape.depth as usize;
            self.limbs[*blank..end].chunks_exact_mut(shape.stride).for_each(|word| fill(word, *width, rng));
        }
    }
    /// Where the limbs of a word stand; `None` past the end.
    fn range(&self, mem: u32, addr: u64) -> Option<std::ops::Range<usize>> {
        let Shape { start, stride, depth } = self.shapes[mem as usize];
        let start = start + usize::try_from(addr).ok().filter(|_| addr < depth)? * stride;
        Some(start..start + stride)
    }
    /// The limbs of a word; `None` past the end.
    pub fn word(&self, mem: u32, addr: u64) -> Option<&[u64]> {
        Some(&self.limbs[self.range(mem, addr)?])
    }
    pub fn word_mut(&mut self, mem: u32, addr: u64) -> Option<&mut [u64]> {
        let range = self.range(mem, addr)?;
        Some(&mut self.limbs[range])
    }
}

/// The lowest `w` bits set; `w` is 1 to 64.
#[inline(always)]
pub(super) fn ones(w: u8) -> u64 {
    u64::MAX >> ((64 - w) & 63)
}

/// The lowest `w` bits as a signed number.
#[inline(always)]
fn signed(a: u64, w: u8) -> i64 {
    let unused = (64 - w) & 63;
    ((a << unused) as i64) >> unused
}

/// Runs a block, and those that it jumps to.
pub(super) fn run(code: &Code, block: Block, slots: &mut [u64], mems: &Memories) {
    for instr in code.instrs(block) {
        // `get!` and `put!` keep the table below readable; indices are checked by the language, and never wrong.
        macro_rules! get {
            ($slot:expr) => {
                slots[$slot as usize]
            };
        }
        let (dst, value) = match *instr {
            Instr::Not { dst, a, w } => (dst, !get!(a) & ones(w)),
            Instr::Any { dst, a } => (dst, u64::from(get!(a) != 0)),
            Instr::All { dst, a, w } => (dst, u64::from(get!(a) == ones(w))),
            Instr::Parity { dst, a } => (dst, u64::from(get!(a).count_ones() & 1)),
            Instr::Add { dst, a, b, w } => (dst, get!(a).wrapping_add(get!(b)) & ones(w)),
            Instr::Sub { dst, a, b, w } => (dst, get!(a).wrapping_sub(get!(b)) & ones(w)),
            Instr::And { dst, a, b } => (dst, get!(a) & get!(b)),
            Instr::Or { dst, a, b } => (dst, get!(a) | get!(b)),
            Instr::Xor { dst, a, b } => (dst, get!(a) ^ get!(b)),
            Instr::Mul { dst, a, b } => (dst, get!(a).wrapping_mul(get!(b))),
            Instr::MulSigned { dst, a, b, wa, wb } => {
                (dst, signed(get!(a), wa).wrapping_mul(signed(get!(b), wb)) as u64 & ones(wa + wb))
            }
            Instr::Eq { dst, a, b } => (dst, u64::from(get!(a) == get!(b))),
            Instr::Ne { dst, a, b } => (dst, u64::from(get!(a) != get!(b))),
            Instr::Lt { dst, a, b } => (dst, u64::from(get!(a) < get!(b))),
            Instr::Le { dst, a, b } => (dst, u64::from(get!(a) <= get!(b))),
            Instr::LtSigned { dst, a, b, w } => (dst, u64::from(signed(get!(a), w) < signed(get!(b), w))),
            Instr::LeSigned { dst, a, b, w } => (dst, u64::from(signed(get!(a), w) <= signed(get!(b), w))),
            Instr::Shl { dst, a, b, w } => {
                let by = get!(b);
                (dst, if by < 64 { (get!(a) << by) & ones(w) } else { 0 })
            }
            Instr::Shr { dst, a, b } => {
                let by = get!(b);
                (dst, if by < 64 { get!(a) >> by } else { 0 })
            }
            Instr::Sra { dst, a, b, w } => (dst, (signed(get!(a), w) >> get!(b).min(63)) as u64 & ones(w)),
            Instr::Mux { dst, c, yes, no } => {
                // Both are loaded, so that this is a conditional move: conditions of hardware are hard to predict.
                let (yes, no) = (get!(yes), get!(no));
                (dst, if get!(c) != 0 { yes } else { no })
            }
            Instr::Slice { dst, a, lo, w } => (dst, (get!(a) >> (lo & 63)) & ones(w)),
            Instr::Straddle { dst, a, lo, w } => {
                (dst, (get!(a) >> (lo & 63) | get!(a + 1) << ((64 - lo) & 63)) & ones(w))
            }
            Instr::Cat { dst, high, low, at } => (dst, get!(high) << (at & 63) | get!(low)),
            Instr::SignExt { dst, a, from, w } => (dst, signed(get!(a), from) as u64 & ones(w)),
            Instr::Read { dst, addr, mem } => (dst, mems.word(mem, get!(addr)).map_or(0, |word| word[0])),
            Instr::Copy { dst, a } => (dst, get!(a)),
            Instr::Wide(index) => {
                wide::run(&code.wides[index as usize], slots, mems);
                continue;
            }
            Instr::Jump(index) => {
                run(code, code.jumps[index as usize].target(slots), slots, mems);
                continue;
            }
        };
        slots[dst as usize] = value;
    }
}
