//! [`Signal`] and its operators.
//!
//! Width rules: `+ - & | ^` and comparisons take operands of one width, and `+ -` wrap; `*` gives the sum of the widths;
//! shifts keep the width of the left side. A number takes the width of the signal beside it and must fit.

use crate::body::{self, BLANK, Body, SharedKey};
use crate::bundle::Bundle;
use crate::ir::*;
use num_bigint::BigUint;
use std::panic::Location;

/// A handle to a bit vector of one module. Whether it is an expression, a wire, a register or a port, it is used alike.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let (a, b) = (io.a, io.b);
/// let larger = a.gt(b).mux(a, b);
/// let high = larger.bits(7, 4).cat(b.trunc(4)); // slices, concatenation
/// io.y.set((high ^ (a << 1)) + 3);            // a number takes the width beside it
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    pub(crate) key: u32,
    pub(crate) id: Id,
    pub(crate) width: u32,
}

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

/// A value that can stand beside a `B`: a `B` itself, or for signals also a number, which takes the signal's width.
pub trait Value<B> {
    /// This value in the shape of `like`.
    fn like(self, like: &B) -> B;
}

impl<B: Bundle> Value<B> for B {
    fn like(self, _: &B) -> B {
        self
    }
}

impl Value<Signal> for BigUint {
    #[track_caller]
    fn like(self, like: &Signal) -> Signal {
        like.literal(self)
    }
}

macro_rules! int_value {
    ($($t:ty),*) => {$(impl Value<Signal> for $t {
        #[track_caller]
        fn like(self, like: &Signal) -> Signal { like.integer(self as i128) }
    })*};
}
int_value!(i32, u32, i64, u64, usize, bool, u8, u16, i128);

/// Concatenation, the first signal in the high bits.
#[track_caller]
pub fn cat(parts: &[Signal]) -> Signal {
    let loc = Location::caller();
    let Some(first) = parts.first() else {
        body::with(BLANK, loc, |_| ());
        return bits(1);
    };
    let width = parts.iter().map(|p| p.width).sum();
    if parts.len() == 1 || !parts.iter().all(|p| first.same_module(*p)) {
        return if parts.len() == 1 { *first } else { first.poison(width) };
    }
    first.make(Op::Cat(parts.iter().map(|p| p.id).collect()), width)
}

macro_rules! compare {
    ($($(#[$doc:meta])* $fn:ident $op:ident),* $(,)?) => {$(
        $(#[$doc])* #[track_caller]
        pub fn $fn(self, rhs: impl Value<Signal>) -> Signal { self.same_width(BinOp::$op, rhs.like(&self), 1) }
    )*};
}

impl Signal {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }
    compare!(
        /// Are the two equal? One bit, as of all comparisons.
        eq Eq,
        /// Do the two differ?
        ne Ne,
        /// Less, unsigned.
        lt Lt,
        /// Less or equal, unsigned.
        le Le,
        /// Greater, unsigned.
        gt Gt,
        /// Greater or equal, unsigned.
        ge Ge,
        /// Less, two's complement.
        lt_signed LtSigned,
        /// Less or equal, two's complement.
        le_signed LeSigned,
        /// Greater, two's complement.
        gt_signed GtSigned,
        /// Greater or equal, two's complement.
        ge_signed GeSigned,
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
        self.build(yes.width, loc, |b| {
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
    /// This signal above `low`.
    #[track_caller]
    pub fn cat(self, low: Signal) -> Signal {
        cat(&[self, low])
    }
    /// Bits `hi` down to `lo`, both included, as in Verilog. Of a wire or register, this can be assigned.
    #[track_caller]
    pub fn bits(self, hi: u32, lo: u32) -> Signal {
        if hi < lo || hi >= self.width {
            let what = if hi == lo { format!("bit {hi}") } else { format!("[{hi}:{lo}]") };
            match hi < lo {
                true => self.fail(|b, id| format!("{what} of {}: the high bit comes first", b.describe(id)), None),
                false => self.fail(|b, id| format!("{what} is outside {}", b.describe(id)), None),
            }
            return self.poison(hi.saturating_sub(lo).min(1 << 20) + 1);
        }
        self.slice(lo, hi - lo + 1)
    }
    /// Bit `i`.
    #[track_caller]
    pub fn bit(self, i: u32) -> Signal {
        self.bits(i, i)
    }
    /// The highest bit.
    #[track_caller]
    pub fn msb(self) -> Signal {
        self.bit(self.width - 1)
    }
    /// The low `width` bits.
    #[track_caller]
    pub fn trunc(self, width: u32) -> Signal {
        if width == 0 || width > self.width {
            self.fail(|b, id| format!("cannot cut {} to {width} bits", b.describe(id)), None);
            return self.poison(width);
        }
        self.slice(0, width)
    }
    /// The bits above the lowest `n`.
    #[track_caller]
    pub fn drop_low(self, n: u32) -> Signal {
        if n >= self.width {
            self.fail(|b, id| format!("cannot drop the low {n} bits of {}", b.describe(id)), None);
            return self.poison(1);
        }
        self.bits(self.width - 1, n)
    }
    /// Zeros above, to `width` bits.
    #[track_caller]
    pub fn zext(self, width: u32) -> Signal {
        self.extend(width, |s, n| s.zeros(n))
    }
    /// Copies of the sign bit above, to `width` bits.
    #[track_caller]
    pub fn sext(self, width: u32) -> Signal {
        self.extend(width, |s, n| s.msb().repeat(n))
    }
    #[track_caller]
    fn extend(self, width: u32, fill: impl Fn(Signal, u32) -> Signal) -> Signal {
        match width.checked_sub(self.width) {
            None => {
                let help = "use `trunc` to cut";
                self.fail(|b, id| format!("cannot extend {} to {width} bits", b.describe(id)), Some(help));
                self.poison(width)
            }
            Some(0) => self,
            Some(n) => cat(&[fill(self, n), self]),
        }
    }
    /// `n` copies side by side.
    #[track_caller]
    pub fn repeat(self, n: u32) -> Signal {
        match n {
            0 => {
                self.fail(|b, id| format!("{} is repeated 0 times", b.describe(id)), None);
                self.poison(1)
            }
            1 => self,
            _ => self.make(Op::Repeat(self.id, n), self.width * n),
        }
    }
    /// The signal as elements of `width` bits, the lowest first; `width` must divide it.
    #[track_caller]
    pub fn lanes(self, width: u32) -> Vec<Signal> {
        if width == 0 || !self.width.is_multiple_of(width) {
            self.fail(|b, id| format!("{} cannot be cut into lanes of {width} bits", b.describe(id)), None);
            return vec![];
        }
        let loc = Location::caller();
        (0..self.width / width).map(|i| self.slice_at(i * width, width, loc)).collect()
    }
    /// `width` bits from bit `low` upwards. Of a wire or register, this can be assigned. `low` must be as wide as an address of
    /// this signal's bits, and must not be able to reach past the end (pad the signal where it could).
    #[track_caller]
    pub fn part(self, low: Signal, width: u32) -> Signal {
        let loc = Location::caller();
        self.build(width, loc, |b| {
            if !b.check_same(&[self, low], loc) || b.node(self.id).op == Op::Poison || b.node(low.id).op == Op::Poison {
                return b.poison(width, loc);
            }
            let (what, index) = (b.describe(self.id), b.describe(low.id));
            let (wanted, largest) = (clog2(self.width as usize), b.largest(low.id));
            if low.width != wanted {
                let message = format!("the index {index} into {what} must have {wanted} bits");
                b.error(loc, message, vec![], Some("cut or widen it with `trunc` or `zext`".into()));
                return b.poison(width, loc);
            }
            if &largest + width > self.width.into() {
                let message = format!("{index} can be {largest}: {width} bits from there reach past the end of {what}");
                b.error(loc, message, vec![], Some("pad the signal, or put constants into the index".into()));
                return b.poison(width, loc);
            }
            match b.constant(low.id).and_then(|v| u32::try_from(v).ok()) {
                Some(lo) => b.slice(self.id, lo, width, loc),
                None => b.make(Op::Part(self.id, low.id), width, loc),
            }
        })
    }
    /// Shift right that copies the sign bit.
    #[track_caller]
    pub fn sra(self, amount: Signal) -> Signal {
        self.shift_by(BinOp::Sra, amount)
    }
    /// Two's complement product, as wide as both operands together.
    #[track_caller]
    pub fn mul_signed(self, rhs: Signal) -> Signal {
        self.two(BinOp::MulSigned, rhs, self.width + rhs.width)
    }
    /// A constant as wide as this signal.
    #[track_caller]
    pub fn literal(self, value: impl Into<BigUint>) -> Signal {
        literal_beside(self.key, value.into(), self.width, Some(self.id))
    }
    /// A constant as wide as this signal, two's complement if negative.
    #[track_caller]
    pub(crate) fn integer(self, value: i128) -> Signal {
        let magnitude = BigUint::from(value.unsigned_abs());
        if value >= 0 {
            return self.literal(magnitude);
        }
        if self.width == 0 || magnitude > BigUint::from(1u32) << (self.width - 1) {
            self.fail(|b, id| format!("{value} does not fit in {} (two's complement)", b.describe(id)), None);
            return self.poison(self.width);
        }
        self.literal((BigUint::from(1u32) << self.width) - magnitude)
    }
    /// A constant of `width` bits, in this signal's module.
    #[track_caller]
    pub fn lit(self, value: impl Into<BigUint>, width: u32) -> Signal {
        literal(self.key, value.into(), width)
    }
    /// `n` zero bits in this signal's module.
    #[track_caller]
    pub fn zeros(self, n: u32) -> Signal {
        literal(self.key, BigUint::default(), n)
    }
    /// A comment beside the declaration.
    #[track_caller]
    pub fn comment(self, text: &str) -> Signal {
        body::with(self.key, Location::caller(), |b| b.def.nodes[self.id as usize].comment = Some(text.to_string()));
        self
    }
    /// Says that this signal may stay wholly or partly unused.
    #[track_caller]
    pub fn unused(self) {
        body::with(self.key, Location::caller(), |b| b.def.unused.push(self.id));
    }

    // What the operators share

    #[track_caller]
    pub(crate) fn make(self, op: Op, width: u32) -> Signal {
        let loc = Location::caller();
        self.build(width, loc, |b| b.make(op, width, loc))
    }
    #[track_caller]
    pub(crate) fn poison(self, width: u32) -> Signal {
        let loc = Location::caller();
        self.build(width.max(1), loc, |b| b.poison(width, loc))
    }
    /// A new signal in this signal's module; one without a module if there is none.
    fn build(self, width: u32, loc: Loc, f: impl FnOnce(&mut Body) -> Id) -> Signal {
        match body::with(self.key, loc, f) {
            Some(id) => Signal { key: self.key, id, width },
            None => Signal { key: body::LOST, id: 0, width },
        }
    }
    #[track_caller]
    pub(crate) fn fail(self, message: impl FnOnce(&Body, Id) -> String, help: Option<&str>) {
        let loc = Location::caller();
        body::with(self.key, loc, |b| {
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
        body::with(self.key, loc, |b| b.check_same(&[self, other], loc)).unwrap_or(false)
    }
    #[track_caller]
    pub(crate) fn two(self, op: BinOp, rhs: Signal, width: u32) -> Signal {
        if self.same_module(rhs) { self.make(Op::Bin(op, self.id, rhs.id), width) } else { self.poison(width) }
    }
    #[track_caller]
    pub(crate) fn same_width(self, op: BinOp, rhs: Signal, width: u32) -> Signal {
        if !self.same_module(rhs) {
            return self.poison(width);
        }
        if self.width != rhs.width {
            let loc = Location::caller();
            body::with(self.key, loc, |b| b.width_error(op.symbol(), self.id, rhs.id, loc));
            return self.poison(width);
        }
        self.make(Op::Bin(op, self.id, rhs.id), width)
    }
    #[track_caller]
    fn slice(self, lo: u32, width: u32) -> Signal {
        self.slice_at(lo, width, Location::caller())
    }
    /// A slice that lies inside, looking through slices, constants and concatenations; for closures, which know no caller.
    pub(crate) fn slice_at(self, lo: u32, width: u32, loc: Loc) -> Signal {
        if width == self.width {
            return self;
        }
        self.build(width, loc, |b| b.slice(self.id, lo, width, loc))
    }
}

#[track_caller]
pub(crate) fn literal(key: u32, value: BigUint, width: u32) -> Signal {
    literal_beside(key, value, width, None)
}

/// A constant that takes its width from the signal `beside` it, if there is one.
#[track_caller]
fn literal_beside(key: u32, value: BigUint, width: u32, beside: Option<Id>) -> Signal {
    let loc = Location::caller();
    let id = body::with(key, loc, |b| {
        if width == 0 || value.bits() > u64::from(width) {
            let plural = if width == 1 { "" } else { "s" };
            let room = beside.map_or(format!("{width} bit{plural}"), |x| b.describe(x));
            if beside.is_none_or(|x| b.node(x).op != Op::Poison) {
                b.error(loc, format!("the number {value} does not fit in {room}"), vec![], None);
            }
            return b.poison(width, loc);
        }
        b.share(SharedKey::Const(value.clone(), width), Op::Const(value), width, loc)
    });
    Signal { key: if id.is_some() { key } else { body::LOST }, id: id.unwrap_or(0), width }
}
