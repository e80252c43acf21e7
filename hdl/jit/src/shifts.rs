//! Shifts of words, and the like: cutting, extending, single bits.

use crate::scalar::{Op, Word, Words, filled, ones};

impl Words {
    /// Shift by less than 64.
    pub fn shl(&mut self, a: Word, by: u32) -> Word {
        match self.op(a) {
            _ if by == 0 => return a,
            Op::Const(x) => return self.constant(x << by),
            Op::Shl(x, first) if first + by < 64 => return self.shl(x, first + by),
            _ => {}
        }
        self.add_node(Op::Shl(a, by), self.mask(a) << by, false)
    }

    /// Shift by less than 64.
    pub fn shr(&mut self, a: Word, by: u32) -> Word {
        if by == 0 {
            return a;
        }
        match self.op(a) {
            Op::Const(x) => return self.constant(x >> by),
            Op::Shr(x, first) if first + by < 64 => return self.shr(x, first + by),
            // Nothing was shifted out at the top.
            Op::Shl(x, first) if (self.mask(x) << first) >> first == self.mask(x) => {
                return if first >= by { self.shl(x, first - by) } else { self.shr(x, by - first) };
            }
            Op::Or(x, y) | Op::Xor(x, y) => {
                if self.mask(y) >> by == 0 {
                    return self.shr(x, by);
                }
                if self.mask(x) >> by == 0 {
                    return self.shr(y, by);
                }
            }
            _ => {}
        }
        self.add_node(Op::Shr(a, by), self.mask(a) >> by, false)
    }

    /// Shift by less than 64.
    pub fn sar(&mut self, a: Word, by: u32) -> Word {
        match self.op(a) {
            _ if by == 0 => return a,
            Op::Const(x) => return self.constant((x as i64 >> by) as u64),
            _ if self.mask(a) >> 63 == 0 => return self.shr(a, by),
            _ => {}
        }
        self.add_node(Op::Sar(a, by), u64::MAX, false)
    }

    pub fn shl_by(&mut self, a: Word, by: Word) -> Word {
        if let Some(by) = self.as_const(by) {
            return self.shl(a, (by % 64) as u32);
        }
        let low = self.mask(a).trailing_zeros().min(63);
        self.add_node(Op::ShlBy(a, by), if self.mask(a) == 0 { 0 } else { !ones(low) }, false)
    }
    pub fn shr_by(&mut self, a: Word, by: Word) -> Word {
        match self.as_const(by) {
            Some(by) => self.shr(a, (by % 64) as u32),
            None => self.add_node(Op::ShrBy(a, by), filled(self.mask(a)), false),
        }
    }
    pub fn sar_by(&mut self, a: Word, by: Word) -> Word {
        match self.as_const(by) {
            Some(by) => self.sar(a, (by % 64) as u32),
            None if self.mask(a) >> 63 == 0 => self.shr_by(a, by),
            None => self.add_node(Op::SarBy(a, by), u64::MAX, false),
        }
    }

    /// The other truth value.
    pub fn not(&mut self, a: Word) -> Word {
        let one = self.constant(1);
        self.xor(a, one)
    }

    /// The lowest `width` bits.
    pub fn cut(&mut self, a: Word, width: u32) -> Word {
        let keep = self.constant(ones(width));
        self.and(a, keep)
    }

    /// The lowest `width` bits (1 to 64) as a signed number.
    pub fn signed(&mut self, a: Word, width: u32) -> Word {
        if width == 1 {
            let (zero, bit) = (self.constant(0), self.cut(a, 1));
            return self.sub(zero, bit);
        }
        if self.mask(a) & !ones(width - 1) == 0 {
            return a;
        }
        let high = self.shl(a, 64 - width);
        self.sar(high, 64 - width)
    }

    /// Bit 0 as something to decide by.
    pub fn truth(&mut self, a: Word) -> Word {
        if self.nodes[a as usize].truth || self.as_const(a).is_some_and(|x| x <= 1) {
            return a;
        }
        // Tested where it stands, without a shift.
        let (from, bit) = match self.op(a) {
            Op::Shr(x, by) if by < 31 => (x, 1 << by),
            _ => (a, 1),
        };
        let (bit, zero) = (self.constant(bit), self.constant(0));
        let tested = self.and(from, bit);
        self.ne(tested, zero)
    }
}
