//! The first part of the fused multiply-add unit: exponents, special operands, and how far `c` is shifted.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `c` | operands |
//! | `operands` | what the unit needs of them, `latency` cycles later |
//!
//! Without a register behind it, it is a module that synthesis maps by itself: what comes out of it is late, and the shifter behind
//! it stays as small as it is written.
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 or 1.
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.

use super::format::{Format, Parts, Subnormals};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Widths of the words inside.
#[derive(Clone, Copy)]
pub struct Widths {
    /// Of the sum without its sign: `c` in front, two places, the product, two places.
    pub word: u32,
    /// Of shift amounts; with all ones, nothing of the word is left.
    pub amount: u32,
    /// Of exponents, signed.
    pub exponent: u32,
    /// The exponent of the word's first place is `a.exp + b.exp` and this.
    offset: i32,
}

impl Widths {
    /// Of a format.
    pub fn of(f: Format) -> Widths {
        // Where the product lies behind all of c and two more places, it cannot reach the place where c is rounded, also not
        // where a subtraction takes c's leading one. The two places behind the product are for the same when c is the smaller
        // one. One place more where that saves adding an offset.
        let without = 1 << (f.exp - 1);
        let mut ahead = f.sig() as i32 + 3;
        if ahead + 2 == without {
            ahead += 1;
        }
        let offset = ahead + 1 - without;
        let word = ahead as u32 + 2 * f.sig() + 1;
        let amount = clog2(word as usize + 2);
        let most = 2 * f.top() + offset.max(0) as u64;
        Widths { word, amount, exponent: (65 - most.leading_zeros()).max(amount + 2), offset }
    }
}

/// What else decides the result.
#[derive(Clone, Copy, Bundle)]
pub struct State {
    /// Of the word's first place; stored exponents count from 1, with the subnormals.
    pub exponent: Signal,
    /// Product and c have opposite signs.
    pub subtract: Signal,
    /// 1 for a negative product.
    pub product_sign: Signal,
    /// 1 for a negative c.
    pub c_sign: Signal,
    /// An operand is infinite or NaN.
    pub special: Signal,
    /// The result is NaN.
    pub nan: Signal,
    /// The result is infinite because of the product.
    pub infinite_product: Signal,
}

/// Operands ready to be multiplied and aligned.
#[derive(Clone, Copy, Bundle)]
pub struct Operands {
    /// Significand of the first factor.
    pub a: Signal,
    /// Significand of the second factor.
    pub b: Signal,
    /// Significand of the summand.
    pub c: Signal,
    /// Places that c is shifted to the right.
    pub amount: Signal,
    /// For the last part.
    pub state: State,
}

/// Shape of a [`State`].
pub fn state(f: Format) -> State {
    let flag = bits(1);
    State {
        exponent: bits(Widths::of(f).exponent),
        subtract: flag,
        product_sign: flag,
        c_sign: flag,
        special: flag,
        nan: flag,
        infinite_product: flag,
    }
}

fn shape(f: Format) -> Operands {
    let sig = bits(f.sig());
    Operands { a: sig, b: sig, c: sig, amount: bits(Widths::of(f).amount), state: state(f) }
}

ports! {
    /// Ports of [`multiply_add_operands`].
    pub struct OperandsPorts(f: Format) {
        /// first factor
        input a: Signal = bits(f.width()),
        /// second factor
        input b: Signal = bits(f.width()),
        /// summand
        input c: Signal = bits(f.width()),
        /// ready to be multiplied and aligned
        output operands: Operands = shape(f),
    }
}

/// The first part of a fused multiply-add unit.
#[module]
pub fn multiply_add_operands(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<OperandsPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("multiply_add_operands", subnormals));
    check_latency(&name, latency, 1)?;
    let m = Module::new(name);
    m.doc("The first part of a fused multiply-add unit: exponents, special operands, and how far c is shifted.");
    if latency == 0 {
        m.keep_hierarchy();
    }
    let io = OperandsPorts::new(m, f);
    let s = Stages::new(m, 1, latency);
    let (a, b, c) = s.enter((io.a, io.b, io.c));
    io.operands.set(s.leave(operands([a, b, c].map(|x| Parts::of(x, f)), subnormals, Widths::of(f))));
    m.finish(io)
}

#[module]
fn operands([a, b, c]: [Parts; 3], subnormals: Subnormals, w: Widths) -> Operands {
    let wide = |x: Parts| x.effective_exp().zext(w.exponent);
    let both = wide(a) + wide(b);
    let product_exp = match w.offset {
        0 => both,
        offset if offset < 0 => both - both.literal(offset.unsigned_abs()),
        offset => both + offset,
    };
    let distance = product_exp - wide(c);
    let zero_product = a.is_zero(subnormals) | b.is_zero(subnormals);
    let first = distance.msb() | zero_product; // c stays in front
    let mut amount = distance.trunc(w.amount);
    if w.exponent > w.amount + 1 {
        let far = distance.bits(w.exponent - 2, w.amount).any();
        amount = amount | far.repeat(w.amount);
    }
    let amount = amount & (!first).repeat(w.amount);
    let exponent = first.mux(wide(c), product_exp);

    let (product_sign, c_sign) = (a.sign ^ b.sign, c.sign);
    let subtract = product_sign ^ c_sign;
    let infinite_product = a.top | b.top;
    let nan = a.is_nan()
        | b.is_nan()
        | c.is_nan()
        | (infinite_product & zero_product)
        | (infinite_product & c.top & subtract);
    let special = infinite_product | c.top;
    let state = State { exponent, subtract, product_sign, c_sign, special, nan, infinite_product };
    let a_sig = match subnormals {
        Subnormals::Keep => a.significand(subnormals),
        Subnormals::Flush => a.normal.cat(a.frac) & (!zero_product).repeat(a.frac.width() + 1),
    };
    Operands { a: a_sig, b: b.significand(Subnormals::Keep), c: c.significand(subnormals), amount, state }
}
