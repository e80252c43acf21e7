//! [`Signal`] and its operators.
//!
//! Width rules: `+ - & | ^` and comparisons take operands of one width, and `+ -` wrap; `*` gives the sum of the widths;
//! shifts keep the width of the left side. A number takes the width of the signal beside it and must fit: see [`Value`].

use super::bundle::Bundle;
use super::number::{Reading, Value};
use super::slices::possible;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// The shape of a signal of `width` bits: what `wire`, `reg`, `memory` and ports are made from.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let byte = m.reg(bits(8));        // one signal
/// let pair = m.wire((bits(8), bits(1))); // a bundle of two
/// # byte.set(io.a);
/// # pair.set((byte, io.b.any()));
/// # io.y.set(pair.0 ^ pair.1.zext(8));
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
pub const fn bits(width: u32) -> Signal {
    Signal { key: BLANK, id: 0, width }
}

/// Bits needed for the addresses of `n` entries (at least 1).
pub fn clog2(n: usize) -> u32 {
    (n.max(2) - 1).ilog2() + 1
}

macro_rules! compare {
    ($($(#[$doc:meta])* $fn:ident $op:ident $reading:ident $other:ident),* $(,)?) => {$(
        $(#[$doc])* #[track_caller]
        pub fn $fn(self, rhs: impl Value<Signal>) -> Signal {
            let rhs = self.beside(rhs, Reading::$reading, [stringify!($fn), stringify!($other)]);
            self.same_width(BinOp::$op, rhs, 1)
        }
    )*};
}

impl Signal {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }
    compare!(
        /// Are the two equal? One bit, as of all comparisons.
        eq Eq Either eq,
        /// Do the two differ?
        ne Ne Either ne,
        /// Less, unsigned.
        lt Lt Unsigned lt_signed,
        /// Less or equal, unsigned.
        le Le Unsigned le_signed,
        /// Greater, unsigned.
        gt Gt Unsigned gt_signed,
        /// Greater or equal, unsigned.
        ge Ge Unsigned ge_signed,
        /// Less, two's complement.
        lt_signed LtSigned Signed lt,
        /// Less or equal, two's complement.
        le_signed LeSigned Signed le,
        /// Greater, two's complement.
        gt_signed GtSigned Signed gt,
        /// Greater or equal, two's complement.
        ge_signed GeSigned Signed ge,
    );
    /// OR of all bits: is it other than zero?
    #[track_caller]
    pub fn any(self) -> Signal {
        self.reduce(UnOp::Any)
    }
    /// AND of all bits.
    #[track_caller]
    pub fn all(self) -> Signal {
        self.reduce(UnOp::All)
    }
    /// XOR of all bits.
    #[track_caller]
    pub fn parity(self) -> Signal {
        self.reduce(UnOp::Parity)
    }
    #[track_caller]
    fn reduce(self, op: UnOp) -> Signal {
        if self.width == 1 { self } else { self.make(Op::Un(op, self.id), 1) }
    }
    /// `self ? yes : no` for signals and bundles; `self` is one bit.
    #[track_caller]
    pub fn mux<B: Bundle>(self, yes: B, no: impl Value<B>) -> B {
        let no = no.like(&yes);
        if !self.one_bit("the condition of `mux`") {
            return yes;
        }
        let loc = Location::caller();
        yes.zip(&no, &mut |y, n| self.mux_at(y, n, loc))
    }
    fn mux_at(self, yes: Signal, no: Signal, loc: Loc) -> Signal {
        Signal::build_of(&[self, yes, no], yes.width, loc, |b| {
            if !b.check_same(&[self, yes, no], loc) {
                return b.poison(yes.width, loc);
            }
            if yes.width != no.width {
                b.width_error("mux", yes.id, no.id, loc);
                return b.poison(yes.width, loc);
            }
            if yes.id == no.id {
                return yes.id;
            }
            b.make(Op::Mux(self.id, yes.id, no.id), yes.width, loc)
        })
    }
    /// Shift right that copies the sign bit.
    #[track_caller]
    pub fn sra(self, amount: Signal) -> Signal {
        self.shift_by(BinOp::Sra, amount)
    }
    /// Two's complement product, as wide as both operands together.
    #[track_caller]
    pub fn mul_signed(self, rhs: impl Value<Signal>) -> Signal {
        let rhs = self.beside(rhs, Reading::Signed, ["mul_signed", "*"]);
        self.product(BinOp::MulSigned, rhs)
    }
    /// A comment beside the declaration.
    #[track_caller]
    pub fn comment(self, text: &str) -> Signal {
        store::with(self.key, Location::caller(), |b| b.def.nodes[self.id as usize].comment = Some(text.to_string()));
        self
    }
    /// Says that this signal may stay wholly or partly unused.
    #[track_caller]
    pub fn unused(self) {
        store::with(self.key, Location::caller(), |b| b.def.unused.push(self.id));
    }

    // What the operators share

    #[track_caller]
    pub(crate) fn make(self, op: Op, width: u32) -> Signal {
        let loc = Location::caller();
        self.build(width, loc, |b| b.make(op, width, loc))
    }
    #[track_caller]
    pub(crate) fn poison(self, width: u32) -> Signal {
        Signal::poison_of(&[self], width)
    }
    /// A new signal in this signal's module.
    pub(crate) fn build(self, width: u32, loc: Loc, f: impl FnOnce(&mut Draft) -> Id) -> Signal {
        Signal::build_of(&[self], width, loc, f)
    }
    /// A new signal made from others, in the module of one of them.
    pub(crate) fn build_of(of: &[Signal], width: u32, loc: Loc, f: impl FnOnce(&mut Draft) -> Id) -> Signal {
        let key = store::home(of);
        let id = store::with(key, loc, f);
        Signal { key, id: id.unwrap_or(0), width }
    }
    /// What stands where signals were to be combined that do not go together.
    #[track_caller]
    pub(crate) fn poison_of(of: &[Signal], width: u32) -> Signal {
        let loc = Location::caller();
        Signal::build_of(of, width.max(1), loc, |b| b.poison(width, loc))
    }
    #[track_caller]
    pub(crate) fn fail(self, message: impl FnOnce(&Draft, Id) -> String, help: Option<&str>) {
        let loc = Location::caller();
        store::with(self.key, loc, |b| {
            if b.node(self.id).op != Op::Poison {
                let text = message(b, self.id);
                b.error(loc, text, vec![], help.map(Into::into));
            }
        });
    }
    #[track_caller]
    pub(crate) fn one_bit(self, what: &str) -> bool {
        if self.width != 1 {
            let help = "reduce it with `any()` or compare it";
            self.fail(|b, id| format!("{what} must be one bit, not {}", b.describe(id)), Some(help));
        }
        self.width == 1
    }
    #[track_caller]
    pub(crate) fn same_module(self, other: Signal) -> bool {
        let loc = Location::caller();
        store::with_any(&[self, other], loc, |b| b.check_same(&[self, other], loc)).unwrap_or(false)
    }
    #[track_caller]
    pub(crate) fn product(self, op: BinOp, rhs: Signal) -> Signal {
        match possible(u64::from(self.width) + u64::from(rhs.width), "a product", &[self, rhs]) {
            Some(width) => self.two(op, rhs, width),
            None => Signal::poison_of(&[self, rhs], self.width),
        }
    }
    #[track_caller]
    pub(crate) fn two(self, op: BinOp, rhs: Signal, width: u32) -> Signal {
        match self.same_module(rhs) {
            true => self.make(Op::Bin(op, self.id, rhs.id), width),
            false => Signal::poison_of(&[self, rhs], width),
        }
    }
    #[track_caller]
    pub(crate) fn same_width(self, op: BinOp, rhs: Signal, width: u32) -> Signal {
        if !self.same_module(rhs) {
            return Signal::poison_of(&[self, rhs], width);
        }
        if self.width != rhs.width {
            let loc = Location::caller();
            store::with(self.key, loc, |b| b.width_error(op.symbol(), self.id, rhs.id, loc));
            return self.poison(width);
        }
        self.make(Op::Bin(op, self.id, rhs.id), width)
    }
}
