//! A number of a book times a number of a vector, rounded to nearest even. The number of the vector was prepared once, when it came: with its leading one in
//! front, and told apart from infinity and NaN. That of the book is no NaN. So less is left for each product than in `float/multiply.rs`.
//!
//! | port | |
//! | --- | --- |
//! | `x` | the number of the vector, as [`prepared`] gives it |
//! | `value` | the number of the book: no NaN, and if it is `finite` no infinity |
//! | `y` | the product; a NaN is positive and quiet |
//!
//! - Latency: that of `float/multiply.rs`. A product a cycle. No combinational paths.

use crate::float::format::{BINARY16, Parts, Subnormals};
use crate::float::leading_zeros::leading_zeros;
use crate::float::logic::at_least;
use crate::float::multiply;
use crate::float::multiply_round::{self, Outcome, Places, multiply_round};
use crate::float::operand::to_front;
use hdl::*;

/// Bits of a significand.
const SIG_BITS: u32 = 11;
/// Bits of an exponent: that of a number with its leading one in front is 30 to -9.
const EXP_BITS: u32 = 6;
/// Bits of a prepared number.
pub(super) const PREPARED_BITS: u32 = 1 + EXP_BITS + SIG_BITS;

/// A number with its leading one in front: sign, exponent in two's complement, significand. Without a leading one it is a zero, or with a one in
/// the lowest place infinity or NaN; then the place above tells which.
#[module]
pub(super) fn prepared(x: Signal) -> Signal {
    let parts = Parts::of(x, BINARY16);
    // of zero 15 are counted: with an exponent of -14 its product with any finite number is too small for a leading one, so that none is put there
    let (sig, zeros) = to_front(parts.significand(Subnormals::Keep), 1);
    let exp = parts.effective_exp().zext(EXP_BITS) - zeros.zext(EXP_BITS);
    let low = parts.top.mux(parts.frac.any().cat(x.lit(1u32, 1)), sig.trunc(2));
    let front = sig.msb() & !parts.top;
    cat(&[parts.sign, exp, front, sig.bits(SIG_BITS - 2, 2), low])
}

ports! {
    /// Ports of a multiplier by a prepared number.
    pub struct PreparedPorts() {
        /// The number of the vector.
        input x: Signal = bits(PREPARED_BITS),
        /// The number of the book.
        input value: Signal = bits(16),
        /// The product.
        output y: Signal = bits(16),
    }
}

/// A multiplier by a prepared number.
#[module]
pub fn times_prepared(finite: bool) -> Result<Design<PreparedPorts>, Errors> {
    let m = Module::new(if finite { "times_prepared_finite" } else { "times_prepared" });
    m.doc("A binary16 that is no NaN times one that was prepared.");
    m.latency(multiply::NATURAL);
    let io = PreparedPorts::new(m);
    let p = m.pipeline("product");
    let (x, value) = p.enter((io.x, io.value));
    let places = Places::of(BINARY16);

    m.section("the sum of the exponents, and the zeros before the leading one of the value; then the significands are multiplied");
    let (sign, exp, sig) = (x.msb(), x.bits(SIG_BITS + EXP_BITS - 1, SIG_BITS), x.trunc(SIG_BITS));
    let value = Parts::of(value, BINARY16);
    let value_sig = value.significand(Subnormals::Keep);
    let value_zero = !value.normal & !value.frac.any();
    let infinite = if finite { m.lit(0u32, 1) } else { value.top };
    let (broken, zero) = (!sig.msb() & sig.bit(0), !sig.msb() & !sig.bit(0));
    let nan = (broken & (sig.bit(1) | value_zero)) | (infinite & zero);
    let special = broken | infinite;
    let sign = (sign ^ value.sign) & !nan;
    let width = EXP_BITS + 1;
    let exp = exp.sext(width) + value.effective_exp().zext(width);
    let zeros = leading_zeros(value_sig);
    let sigs = (sig, value_sig).next();
    let [exp, zeros, value_zero] = [exp, zeros, value_zero].map(|x| x.next());
    let [special, nan, sign] = [special, nan, sign].map(|x| x.next());
    let product = sigs.0 * sigs.1;

    m.section("how far the product is moved: its leading one to the front, or by what the exponents leave");
    let to_front = m.lit(places.half >> zeros.width(), 1).cat(zeros);
    let less = exp - to_front.zext(width);
    let base = less.trunc(5) & (!(less.msb() | value_zero)).repeat(5);
    // of a negative one nothing is left, as of 0
    let amount = less.msb().mux(exp.trunc(5) & (!exp.msb()).repeat(5), to_front);
    let largest = 3 * places.half - 3;
    let edge = exp.eq(exp.literal(largest));
    let special = special | (!exp.msb() & at_least(exp.trunc(EXP_BITS), largest + 1));
    let [product, amount, base, edge] = [product, amount, base, edge].map(|x| x.next());
    let [special, nan, sign] = [special, nan, sign].map(|x| x.next());

    // with a product in [2, 4) the largest exponent is one too many
    let special = special | (edge & product.msb());
    let second = m.instance(&multiply_round(BINARY16, multiply_round::NATURAL)?);
    second.product.set(product);
    // the amounts from 0 to 3 leave nothing
    second.amount.set(amount & (!special).repeat(3).cat(m.lit(3u32, 2)));
    second.outcome.set(Outcome { base: base | special.repeat(5), sign, nan });
    io.y.set(p.leave(second.y));
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::golden::vq::decode::multiply;
    use hdl::engine::Engine;

    ports! {
        struct WholePorts() {
            input x: Signal = bits(16),
            input value: Signal = bits(16),
            output y: Signal = bits(16),
        }
    }

    /// A number is prepared, and multiplied.
    fn whole(finite: bool) -> Design<WholePorts> {
        let m = Module::new("whole");
        let io = WholePorts::new(m);
        let multiplier = m.instance(&times_prepared(finite).unwrap_or_else(|e| panic!("{e}")));
        multiplier.x.set(prepared(io.x));
        multiplier.value.set(io.value);
        io.y.set(multiplier.y);
        m.finish(io).unwrap_or_else(|e| panic!("{e}"))
    }

    fn is_legal(value: u16, finite: bool) -> bool {
        let most = if finite { 0x7bff } else { 0x7c00 };
        value & 0x7fff <= most
    }

    #[test]
    fn every_number_times_all_kinds_of_values() {
        let powers = (0..31).flat_map(|exp| [0, 1, 0x155, 0x3ff].map(|frac| exp << 10 | frac));
        let subnormal = (0..10).flat_map(|bit| [1 << bit, (2 << bit) - 1]);
        let values: Vec<u16> = powers.chain(subnormal).chain([0x7c00]).flat_map(|x| [x, x | 0x8000]).collect();
        let ends = [0, 1, 2, 0x1ff, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff];
        for finite in [false, true] {
            let mut sim = jit::simulator(&whole(finite));
            let mut expected = std::collections::VecDeque::new();
            let some = (0..=u16::MAX).map(|x| (x, values[(usize::from(x) * 7 + usize::from(x >> 8)) % values.len()]));
            let all_values = ends.into_iter().flat_map(|x| (0..=u16::MAX).map(move |value| (x, value)));
            // of finite ones no other logic is left out
            let each = if finite { &values[..0] } else { &values[..] };
            let of_each = each.iter().flat_map(|value| (0..=u16::MAX).map(move |x| (x, *value)));
            for (x, value) in some.chain(all_values).chain(of_each).filter(|(_, value)| is_legal(*value, finite)) {
                sim.poke(0, u64::from(x));
                sim.poke(1, u64::from(value));
                expected.push_back((x, value, multiply(value, x)));
                sim.step();
                if expected.len() == multiply::NATURAL as usize {
                    let (x, value, product) = expected.pop_front().unwrap();
                    assert_eq!(sim.peek(2), u64::from(product), "{value:04x} times {x:04x}");
                }
            }
        }
    }
}
