//! The last part of the fused multiply-add unit: the sum to its final place, rounded to nearest even.
//!
//! | port | |
//! | --- | --- |
//! | `sum`, `lost` | in two's complement, and whether something is behind it |
//! | `state` | what else decides the result |
//! | `y` | the result, `latency` cycles later |
//!
//! With fewer registers than it has places for, it is a module that synthesis maps by itself, so as not to rebuild it for what comes
//! late in the sum.
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed, latency 0 to [`NATURAL`].
//! - One result a cycle. With latency 0 all paths are combinational, else none from port to port.

use super::format::{Format, Subnormals, quiet_bit};
use super::leading_zeros::leading_zeros;
use super::logic::{add_carry, at_least};
use super::multiply_add_operands::{State, Widths, state};
use super::stages::{Stages, check_latency};
use hdl::*;

/// Natural depth: counted, shifted, rounded.
pub const NATURAL: u32 = 3;

ports! {
    /// Ports of [`multiply_add_round`].
    pub struct MultiplyAddRoundPorts(f: Format) {
        /// in two's complement
        input sum: Signal = bits(Widths::of(f).word + 1),
        /// something is behind it
        input lost: Signal = bits(1),
        /// what else decides the result
        input state: State = state(f),
        /// the result
        output y: Signal = bits(f.width()),
    }
}

/// The last part of a fused multiply-add unit.
#[module]
pub fn multiply_add_round(
    f: Format,
    subnormals: Subnormals,
    latency: u32,
) -> Result<Design<MultiplyAddRoundPorts>, Errors> {
    let name = format!("{}_l{latency}", f.name("multiply_add_round", subnormals));
    check_latency(&name, latency, NATURAL)?;
    let m = Module::new(name);
    m.doc("The last part of a fused multiply-add unit: the sum to its final place, rounded to nearest even.");
    if latency < NATURAL {
        m.keep_hierarchy();
    }
    let io = MultiplyAddRoundPorts::new(m, f);
    let s = Stages::new(m, NATURAL, latency);
    let w = Widths::of(f);
    let (sum, lost, state) = s.enter((io.sum, io.lost, io.state));

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
    let (sum, lost, state, (exponent, amount, zero)) = s.cut(1, (sum, lost, state, (exponent, amount, zero)));
    let shifted = shift(sum, lost, amount, f, w);
    let (shifted, state, exponent, zero) = s.cut(2, (shifted, state, exponent, zero));

    m.section("round and pack");
    let sign = sign(state, shifted.negative, zero);
    let ready = ready(shifted, f);
    io.y.set(s.leave(sign.cat(pack(ready, state, exponent, zero, f, subnormals))));
    m.finish(io)
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

/// `{high, fraction}` rounded, and the hidden one added to `high`: as in
/// [`round_to_even`](super::round::round_to_even), with the guard's place in the adder, for the carry into it.
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

/// Exponent, hidden one and rounding in one adder; without a hidden one it is subnormal. With subnormals flushed, the number one
/// place below the smallest normal one goes through the adder as well: it may be rounded up to it.
#[module]
fn pack(x: Ready, state: State, exponent: Signal, zero: Signal, f: Format, subnormals: Subnormals) -> Signal {
    let normal = !exponent.msb() & !zero;
    let special = state.special | (normal & at_least(exponent.trunc(exponent.width() - 1), f.top() as u32 - 1));
    let keep = !special;
    let (there, keep, hidden) = match subnormals {
        Subnormals::Keep => (normal, keep, x.hidden & keep),
        Subnormals::Flush => {
            let there = normal | (exponent.all() & !zero);
            // the leading one is in front of what is there, and that is known earlier
            (there, there & keep, there & keep)
        }
    };
    let base = (exponent.trunc(f.exp) & there.repeat(f.exp)) | special.repeat(f.exp);
    let fraction = (x.fraction & keep.repeat(f.frac)) | quiet_bit(state.nan, f);
    let (guard, carry) = (x.guard & keep, x.carry & keep);
    let rounded = rounded(base, Ready { hidden, fraction, guard, carry, half: x.half & keep });
    match subnormals {
        Subnormals::Keep => rounded,
        Subnormals::Flush => {
            let (exp, fraction) = (rounded.drop_low(f.frac), rounded.trunc(f.frac));
            // of the number below, the exponent has become 0 or 1
            let small = exponent.all() & !exp.bit(0);
            exp.cat(fraction & (!small).repeat(f.frac))
        }
    }
}
