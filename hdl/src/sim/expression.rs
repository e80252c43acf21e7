//! From an expression to its instruction.

use super::compile::Compile;
use super::graph::{Ex, Expr};
use super::program::{Instr, Slot};
use super::wide::{Part, Wide};
use crate::ir::{BinOp, UnOp};

impl Compile<'_> {
    /// Compiles an expression; its slot may be (part of) that of an operand.
    pub(super) fn expression(&mut self, expr: &Expr, width: u32) -> Slot {
        match expr {
            Expr::Const(value) => {
                let slot = self.fresh(width);
                let limbs = value.iter_u64_digits().enumerate();
                limbs.for_each(|(i, limb)| self.program.slots[slot as usize + i] = limb);
                slot
            }
            Expr::Source(source) => self.sources[*source as usize],
            Expr::Un(op, a) => self.un(*op, self.part(*a), width),
            Expr::Bin(op, a, b) => self.bin(*op, self.part(*a), self.part(*b), width),
            Expr::Mux(c, yes, no) => self.mux([*c, *yes, *no], width),
            Expr::Slice(a, lo) => self.slice(self.part(*a), *lo, width),
            Expr::Part(a, at) => {
                let (dst, a, at) = (self.fresh(width), self.part(*a), self.slot(*at));
                self.emit_wide(Wide::Part { dst, a, at, width });
                dst
            }
            Expr::Cat(parts) if width <= 64 => self.cat(parts),
            Expr::Cat(parts) => self.wide_cat(parts, width),
            Expr::SignExt(a) => self.sign_ext(self.part(*a), width),
            Expr::Insert(base, value, at) => {
                let (dst, base) = (self.fresh(width), self.slot(*base));
                let (value, at) = (self.part(*value), self.slot(*at));
                self.emit_wide(Wide::Insert { dst, base, width, value, at });
                dst
            }
            Expr::Read(mem, addr) => self.read(*mem, *addr, width),
            Expr::Case(_) => unreachable!("choices are made in groups"),
        }
    }

    fn mux(&mut self, [c, yes, no]: [Ex; 3], width: u32) -> Slot {
        let (dst, c, yes, no) = (self.fresh(width), self.slot(c), self.slot(yes), self.slot(no));
        match width <= 64 {
            true => self.emit(Instr::Mux { dst, c, yes, no }),
            false => self.emit_wide(Wide::Mux { dst, c, yes, no, width }),
        }
        dst
    }

    fn sign_ext(&mut self, a: Part, width: u32) -> Slot {
        let dst = self.fresh(width);
        match width <= 64 {
            true => self.emit(Instr::SignExt { dst, a: a.slot, from: a.width as u8, w: width as u8 }),
            false => self.emit_wide(Wide::SignExt { dst, a, width }),
        }
        dst
    }

    fn read(&mut self, mem: u32, addr: Ex, width: u32) -> Slot {
        let (dst, addr) = (self.fresh(width), self.slot(addr));
        match width <= 64 {
            true => self.emit(Instr::Read { dst, addr, mem }),
            false => self.emit_wide(Wide::Read { dst, addr, mem, width }),
        }
        dst
    }

    fn un(&mut self, op: UnOp, Part { slot: a, width }: Part, result: u32) -> Slot {
        let dst = self.fresh(result);
        let w = width.min(64) as u8;
        if width <= 64 {
            self.emit(match op {
                UnOp::Not => Instr::Not { dst, a, w },
                UnOp::Any => Instr::Any { dst, a },
                UnOp::All => Instr::All { dst, a, w },
                UnOp::Parity => Instr::Parity { dst, a },
            });
        } else {
            self.emit_wide(match op {
                UnOp::Not => Wide::Not { dst, a, width },
                UnOp::Any => Wide::Any { dst, a, width },
                UnOp::All => Wide::All { dst, a, width },
                UnOp::Parity => Wide::Parity { dst, a, width },
            });
        }
        dst
    }

    fn bin(&mut self, op: BinOp, left: Part, right: Part, result: u32) -> Slot {
        use BinOp::*;
        let dst = self.fresh(result);
        let (a, b, width) = (left.slot, right.slot, left.width);
        if width > 64 || result > 64 {
            self.emit_wide(match op {
                Add | Sub | And | Or | Xor => Wide::Arith { op, dst, a, b, width },
                Mul | MulSigned => Wide::Mul { dst, a: left, b: right, signed: op == MulSigned },
                Shl | Shr | Sra => Wide::Shift { op, dst, a, amount: b, width },
                _ => Wide::Compare { op, dst, a, b, width },
            });
            return dst;
        }
        let (w, wb) = (width as u8, right.width as u8);
        self.emit(match op {
            Add => Instr::Add { dst, a, b, w },
            Sub => Instr::Sub { dst, a, b, w },
            And => Instr::And { dst, a, b },
            Or => Instr::Or { dst, a, b },
            Xor => Instr::Xor { dst, a, b },
            Mul => Instr::Mul { dst, a, b },
            MulSigned => Instr::MulSigned { dst, a, b, wa: w, wb },
            Eq => Instr::Eq { dst, a, b },
            Ne => Instr::Ne { dst, a, b },
            Lt => Instr::Lt { dst, a, b },
            Le => Instr::Le { dst, a, b },
            Gt => Instr::Lt { dst, a: b, b: a },
            Ge => Instr::Le { dst, a: b, b: a },
            LtSigned => Instr::LtSigned { dst, a, b, w },
            LeSigned => Instr::LeSigned { dst, a, b, w },
            GtSigned => Instr::LtSigned { dst, a: b, b: a, w },
            GeSigned => Instr::LeSigned { dst, a: b, b: a, w },
            Shl => Instr::Shl { dst, a, b, w },
            Shr => Instr::Shr { dst, a, b },
            Sra => Instr::Sra { dst, a, b, w },
        });
        dst
    }

    fn slice(&mut self, a: Part, lo: u32, width: u32) -> Slot {
        let (first, shift) = (a.slot + lo / 64, lo % 64);
        // Whole limbs (the top one is normalised) are there already.
        if shift == 0 && (width.is_multiple_of(64) || lo + width == a.width) {
            return first;
        }
        let dst = self.fresh(width);
        let (lo8, w) = (shift as u8, width.min(64) as u8);
        if width > 64 {
            self.emit_wide(Wide::Slice { dst, a: a.slot, lo, width });
        } else if shift + width <= 64 {
            self.emit(Instr::Slice { dst, a: first, lo: lo8, w });
        } else {
            self.emit(Instr::Straddle { dst, a: first, lo: lo8, w });
        }
        dst
    }

    fn wide_cat(&mut self, parts: &[Ex], width: u32) -> Slot {
        let dst = self.fresh(width);
        let parts = parts.iter().rev().map(|p| self.part(*p)).collect();
        self.emit_wide(Wide::Cat { dst, parts });
        dst
    }

    /// A concatenation of at most 64 bits. Zeros at the top cost nothing.
    fn cat(&mut self, parts: &[Ex]) -> Slot {
        let mut parts = parts.iter().skip_while(|p| self.is_zero(**p)).copied();
        let Some(first) = parts.next() else { return self.fresh(1) };
        let mut high = self.slot(first);
        for part in parts.collect::<Vec<_>>() {
            let Part { slot: low, width } = self.part(part);
            let dst = self.fresh(64);
            self.emit(Instr::Cat { dst, high, low, at: width as u8 });
            high = dst;
        }
        high
    }
}
