//! Rust's operators on signals.

use super::number::{Reading, Value};
use super::store;
use crate::ir::{BinOp, Op, Signal, UnOp};
use std::ops;
use std::panic::Location;

/// A shift amount: a number or a signal.
pub trait Amount {
    /// `x` shifted by this much.
    fn shift(self, x: Signal, left: bool) -> Signal;
}

impl Amount for Signal {
    #[track_caller]
    fn shift(self, x: Signal, left: bool) -> Signal {
        x.shift_by(if left { BinOp::Shl } else { BinOp::Shr }, self)
    }
}

macro_rules! int_amount {
    ($($t:ty),*) => {$(impl Amount for $t {
        #[track_caller]
        fn shift(self, x: Signal, left: bool) -> Signal {
            x.shift_const(if left { BinOp::Shl } else { BinOp::Shr }, self as i128)
        }
    })*};
}
int_amount!(i32, u32, usize);

impl Signal {
    /// A shift by a signal. Tools choke on amounts of more than 32 bits, also on constant ones.
    #[track_caller]
    pub(crate) fn shift_by(self, op: BinOp, amount: Signal) -> Signal {
        if !self.same_module(amount) {
            return Signal::poison_of(&[self, amount], self.width);
        }
        let loc = Location::caller();
        let constant =
            store::with(self.key, loc, |b| b.constant(amount.id).map(|v| i128::try_from(v).unwrap_or(i128::MAX)));
        if let Some(n) = constant.flatten() {
            return self.shift_const(op, n);
        }
        let amount = match amount.width {
            0..=32 => amount,
            _ => amount.drop_low(32).any().mux(amount.lit(u32::MAX, 32), amount.trunc(32)),
        };
        self.two(op, amount, self.width)
    }
    /// A shift by a number: wiring.
    #[track_caller]
    fn shift_const(self, op: BinOp, n: i128) -> Signal {
        if n < 0 {
            self.fail(|b, id| format!("{} is shifted by {n}", b.describe(id)), Some("shift the other way"));
            return self.poison(self.width);
        }
        let n = u32::try_from(n).unwrap_or(u32::MAX).min(self.width);
        let kept = self.width - n;
        match op {
            _ if n == 0 => self,
            BinOp::Sra => self.bits(self.width - 1, n.min(self.width - 1)).sext(self.width),
            _ if kept == 0 => self.zeros(self.width),
            BinOp::Shl => self.trunc(kept).cat(self.zeros(n)),
            _ => self.zeros(n).cat(self.drop_low(n)),
        }
    }
}

macro_rules! binary {
    ($($trait:ident $fn:ident $op:ident),*) => {$(impl<T: Value<Signal>> ops::$trait<T> for Signal {
        type Output = Signal;
        #[track_caller]
        fn $fn(self, rhs: T) -> Signal { self.same_width(BinOp::$op, rhs.like(&self), self.width) }
    })*};
}
binary!(Add add Add, Sub sub Sub, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl<T: Value<Signal>> ops::Mul<T> for Signal {
    type Output = Signal;
    /// Unsigned product, as wide as both operands together.
    #[track_caller]
    #[allow(clippy::suspicious_arithmetic_impl)] // the widths add up
    fn mul(self, rhs: T) -> Signal {
        let rhs = self.beside(rhs, Reading::Unsigned, ["*", "mul_signed"]);
        self.product(BinOp::Mul, rhs)
    }
}
impl ops::Not for Signal {
    type Output = Signal;
    #[track_caller]
    fn not(self) -> Signal {
        self.make(Op::Un(UnOp::Not, self.id), self.width)
    }
}
impl<T: Amount> ops::Shl<T> for Signal {
    type Output = Signal;
    #[track_caller]
    fn shl(self, n: T) -> Signal {
        n.shift(self, true)
    }
}
impl<T: Amount> ops::Shr<T> for Signal {
    type Output = Signal;
    #[track_caller]
    fn shr(self, n: T) -> Signal {
        n.shift(self, false)
    }
}
