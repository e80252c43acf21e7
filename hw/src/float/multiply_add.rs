//! Fused multiply-add: `y = a * b + c`, rounded once, to nearest even; one multiplier block.
//!
//! The product stands at a fixed place of a wide word. `c` is aligned to it beside the multiplication, from where all of it
//! lies in front of the product down to where all of it is only sticky. If it lies even further in front, the product is what
//! is only sticky; its place does not matter then. The sum of the two is shifted to the left, up to its leading one or as
//! far as the exponent allows, which gives subnormal results by itself.
//!
//! A negative sum `s` is not negated: its magnitude is `!s + 1`, and `!s` followed by ones without end is the same number.
//! The shifter carries `s`, its result is inverted, and rounding knows what lies behind.
//!
//! | port | |
//! | --- | --- |
//! | `a`, `b`, `c`, `in_valid` | operands; `in_valid` only travels along |
//! | `y`, `out_valid` | the result, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to
//!   [`NATURAL`].
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.
//! - Zero times infinity, a product and a `c` that are infinities of opposite signs, and NaN operands give the one quiet NaN.
//!   A sum that is exactly zero is +0, unless product and `c` are both -0.

use super::add::add_carry;
use super::format::{Format, Parts, Subnormals, quiet_bit};
use super::leading_zeros::leading_zeros;
use super::logic::at_least;
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: exponents, multiplied and aligned, added, counted, shifted, rounded.
pub const NATURAL: u32 = 6;

ports! {
    /// Ports of a unit with three operands.
    pub struct TernaryPorts(f: Format) {
        /// the operands are there
        input in_valid: Signal = bits(1),
        /// first factor
        input a: Signal = bits(f.width()),
        /// second factor
        input b: Signal = bits(f.width()),
        /// summand
        input c: Signal = bits(f.width()),
        /// the result is there
        output out_valid: Signal = bits(1),
        /// result
        output y: Signal = bits(f.width()),
    }
}

/// Widths of the words inside.
#[derive(Clone, Copy)]
struct Widths {
    /// Of the sum without its sign: `c` in front, two places, the product, two places.
    word: u32,
    /// Of shift amounts; with all ones, nothing of the word is left.
    amount: u32,
    /// Of exponents, signed.
    exponent: u32,
    /// The exponent of the word's first place is `a.exp + b.exp` and this.
    offset: i32,
}

impl Widths {
    fn of(f: Format) -> Widths {
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

/// A fused multiply-add unit.
#[module]
pub fn multiply_add(f: Format, subnormals: Subnormals, latency: u32) -> Result<Design<TernaryPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("multiply_add", subnormals));
    f.check(&name)?;
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("Floating point fused multiply-add, round to nearest even.");
    let io = TernaryPorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    let w = Widths::of(f);
    io.out_valid.set(s.valid(io.in_valid));
    let (a, b, c) = s.enter((io.a, io.b, io.c));

    m.section("special operands, exponents, and how far c is shifted");
    let operands = s.cut(1, operands([a, b, c].map(|x| Parts::of(x, f)), subnormals, w));

    m.section("product; c aligned to it");
    let product = operands.a * operands.b;
    let (aligned, lost) = align(operands, w);
    let (product, aligned, lost, state) = s.cut(2, (product, aligned, lost, operands.state));

    m.section("sum, in two's complement");
    let product = product.cat(product.zeros(2)).zext(w.word + 1);
    let sum = add_carry(product, aligned, state.subtract & !lost);
    let (sum, lost, state) = s.cut(3, (sum, lost, state));

    m.section("how far it is shifted to the left: its leading zeros, or what the exponent leaves");
    let negative = sum.msb();
    let leading = leading_zeros(sum ^ negative.repeat(w.word + 1)).zext(w.exponent);
    // of an exact zero, leading zeros have no meaning
    let zero = !sum.any() & !lost;
    let exponent = state.exponent - leading;
    let amount = match subnormals {
        // the smaller of the two, out of an adder: no long path of logic leads into the shifter
        Subnormals::Keep => leading + (exponent & exponent.msb().repeat(w.exponent)),
        Subnormals::Flush => leading,
    };
    let amount = amount.trunc(w.amount);
    let (sum, lost, state, (exponent, amount, zero)) = s.cut(4, (sum, lost, state, (exponent, amount, zero)));
    let shifted = shift(sum, lost, amount, f, w);
    let (shifted, state, exponent, zero) = s.cut(5, (shifted, state, exponent, zero));

    m.section("round and pack");
    let sign = sign(state, shifted.negative, zero);
    let ready = ready(shifted, f);
    io.y.set(s.leave(sign.cat(match subnormals {
        Subnormals::Keep => pack_kept(ready, state, exponent, zero, f),
        Subnormals::Flush => pack_flushed(ready, state, exponent, zero, f),
    })));
    m.finish(io)
}

/// What else decides the result.
#[derive(Clone, Copy, Bundle)]
struct State {
    /// Of the word's first place; stored exponents count from 1, with the subnormals.
    exponent: Signal,
    /// Product and c have opposite signs.
    subtract: Signal,
    product_sign: Signal,
    c_sign: Signal,
    /// An operand is infinite or NaN.
    special: Signal,
    nan: Signal,
    /// The result is infinite because of the product.
    infinite_product: Signal,
}

/// Operands ready to be multiplied and aligned.
#[derive(Clone, Copy, Bundle)]
struct Operands {
    a: Signal,
    b: Signal,
    c: Signal,
    /// Places that c is shifted to the right.
    amount: Signal,
    state: State,
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

/// The summand c in the word, inverted if it is subtracted; and whether some of it was lost.
#[module]
fn align(x: Operands, w: Widths) -> (Signal, Signal) {
    let sign = x.state.subtract;
    let c = x.c ^ sign.repeat(x.c.width());
    let mut aligned = c.cat(sign.repeat(w.word - x.c.width()));
    let mut lost = sign.zeros(1);
    // The widest step first, while few places hold anything. Of the orders of the others, this one takes the fewest tables.
    let top = w.amount - 1;
    for level in [top, 1, 0].into_iter().chain(2..top) {
        let (by, chosen) = (1u32 << level, x.amount.bit(level));
        let out = aligned.trunc(by.min(w.word)) ^ sign.repeat(by.min(w.word));
        lost = lost | (chosen & out.any());
        let moved = if by < w.word { sign.repeat(by).cat(aligned.drop_low(by)) } else { sign.repeat(w.word) };
        aligned = chosen.mux(moved, aligned);
    }
    (sign.cat(aligned), lost)
}

/// The sum with its leading one in front, if it has one.
#[derive(Clone, Copy, Bundle)]
struct Shifted {
    /// Hidden one, fraction, and one place more.
    front: Signal,
    /// Is anything behind them?
    rest: Signal,
    /// All of it is to be inverted.
    negative: Signal,
}

/// Shifts to the left; what can only be sticky is gathered on the way.
#[module]
fn shift(sum: Signal, lost: Signal, amount: Signal, f: Format, w: Widths) -> Shifted {
    let negative = sum.msb();
    let (mut word, mut rest) = (sum, lost);
    for level in (0..w.amount).rev() {
        word = amount.bit(level).mux(word << (1u32 << level), word);
        // the places that the later levels and the result need
        let needed = (f.sig() + (1 << level)).min(word.width());
        if needed < word.width() {
            rest = rest | word.trunc(word.width() - needed).any();
            word = word.drop_low(word.width() - needed);
        }
    }
    Shifted { front: word, rest, negative }
}

/// Ready to be packed.
#[derive(Clone, Copy, Bundle)]
struct Ready {
    hidden: Signal,
    fraction: Signal,
    /// The place behind the fraction.
    guard: Signal,
    /// One more at the place behind the fraction.
    carry: Signal,
    /// Exactly half a place is behind the fraction.
    half: Signal,
}

/// Inverts a negative sum. Behind it follow ones without end: with nothing but zeros in the rest before, they make the next
/// number of the place in front of them.
#[module]
fn ready(x: Shifted, f: Format) -> Ready {
    let front = x.front ^ x.negative.repeat(x.front.width());
    Ready {
        hidden: front.msb(),
        fraction: front.bits(f.frac, 1),
        guard: front.bit(0),
        carry: x.negative & !x.rest,
        half: x.front.bit(0) & !x.rest,
    }
}

/// `{high, fraction}` rounded, and the hidden one added to `high`. Half is added at the place behind the last one; where the
/// rest is exactly half, that leaves an odd number one too large or makes an even one of it: clearing the last place is right.
#[module]
fn rounded(high: Signal, x: Ready) -> Signal {
    let half = x.guard.lit(1u32, 1);
    let sum = add_carry(
        cat(&[high, x.fraction, x.guard]),
        cat(&[x.hidden.zext(high.width()), x.fraction.zeros(x.fraction.width()), half]),
        x.carry,
    );
    let magnitude = sum.drop_low(1);
    magnitude & !x.half.zext(magnitude.width())
}

#[module]
fn sign(state: State, negative: Signal, zero: Signal) -> Signal {
    let infinite = state.infinite_product.mux(state.product_sign, state.c_sign);
    let finite = negative.mux(state.c_sign, state.product_sign) & !(state.subtract & zero);
    state.special.mux(infinite, finite) & !state.nan
}

/// Exponent, hidden one and rounding in one adder; without a hidden one it is subnormal.
#[module]
fn pack_kept(x: Ready, state: State, exponent: Signal, zero: Signal, f: Format) -> Signal {
    let normal = !exponent.msb() & !zero;
    let top = f.top() as u32;
    let special = state.special | (normal & at_least(exponent.trunc(exponent.width() - 1), top - 1));
    let base = (exponent.trunc(f.exp) & normal.repeat(f.exp)) | special.repeat(f.exp);
    let keep = !special;
    let fraction = (x.fraction & keep.repeat(f.frac)) | quiet_bit(state.nan, f);
    let (hidden, guard, carry) = (x.hidden & keep, x.guard & keep, x.carry & keep);
    rounded(base, Ready { hidden, fraction, guard, carry, half: x.half & keep })
}

/// What is below the smallest normal number after rounding is a zero.
#[module]
fn pack_flushed(x: Ready, state: State, exponent: Signal, zero: Signal, f: Format) -> Signal {
    let rounded = rounded(exponent, x);
    let (exp, fraction) = (rounded.drop_low(f.frac), rounded.trunc(f.frac));
    let small = exp.msb() | !exp.any() | zero;
    let large = state.special | (!small & at_least(exp.trunc(exp.width() - 1), f.top() as u32));
    let exp = (exp.trunc(f.exp) & (!small).repeat(f.exp)) | large.repeat(f.exp);
    exp.cat((fraction & (!(small | large)).repeat(f.frac)) | quiet_bit(state.nan, f))
}
