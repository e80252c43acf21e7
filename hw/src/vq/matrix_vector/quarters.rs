//! A number of the lattice times a number of a vector: an odd number of quarters from -11 to 11 times a binary16, rounded to nearest even.
//!
//! | port | |
//! | --- | --- |
//! | `quarters` | the number of the lattice, with a sign |
//! | `x` | the number of the vector |
//! | `y` | the product; a NaN is positive and quiet |
//!
//! - Latency: [`LATENCY`] cycles. A product a cycle. No combinational paths.
//! - A product of significands has 4 bits more than a result, so it moves by 0 to 4 places: half of what a multiplier of any two numbers takes.

use super::super::e8p::NUMBER_BITS;
use hdl::*;

/// Cycles from numbers to their product.
pub const LATENCY: u32 = 4;

/// Bits of a significand.
const SIG_BITS: u32 = 11;
/// Bits of the product of significands.
const PRODUCT_BITS: u32 = 15;

ports! {
    /// Ports of a multiplier by quarters.
    pub struct QuartersPorts() {
        /// The number of the lattice.
        input quarters: Signal = bits(NUMBER_BITS),
        /// The number of the vector.
        input x: Signal = bits(16),
        /// The product.
        output y: Signal = bits(16),
    }
}

/// What is known of a product besides its significand.
#[derive(Clone, Copy, Bundle)]
struct Known {
    sign: Signal,
    nan: Signal,
    /// Infinity or NaN.
    special: Signal,
}

/// A multiplier by quarters.
#[module]
pub fn times_quarters() -> Result<Design<QuartersPorts>, Errors> {
    let m = Module::new("times_quarters");
    m.doc("An odd number of quarters times a binary16.");
    m.latency(LATENCY);
    let io = QuartersPorts::new(m);
    let p = m.pipeline("product");
    let (quarters, x) = p.enter((io.quarters, io.x));

    m.section("significands are multiplied");
    let negative = quarters.msb();
    // an odd number is negated by inverting all bits but the lowest one
    let size = (quarters.bits(NUMBER_BITS - 2, 1) ^ negative.repeat(NUMBER_BITS - 2)).cat(m.lit(1u32, 1));
    let (exp, frac) = (x.bits(14, 10), x.trunc(10));
    let normal = exp.any();
    let special = exp.all();
    let nan = special & frac.any();
    let known = Known { sign: (negative ^ x.msb()) & !nan, nan, special }.next();
    let product = (normal.cat(frac) * size).next();
    let exp = exp.drop_low(1).cat(exp.bit(0) | !normal).next(); // that of the least normal number for subnormal ones

    m.section("how far to the right: until the significand fits, and the exponent is not too small");
    let steps = |at_least: u32| {
        let too_wide = product.drop_low(SIG_BITS + at_least - 1).any();
        let too_small = if at_least <= 2 { exp.lt(4 - at_least) } else { m.lit(0u32, 1) };
        too_wide | too_small
    };
    let [one, two, three, four] = [1, 2, 3, 4].map(steps);
    let by = four.cat((two & !four).cat((one & !two) | (three & !four)));
    // the stored exponent, less 1 for the leading one, is that of x - 3 + the places
    let base = (exp.zext(6) + by.zext(6) - 3).next();
    let (product, by, known) = (product.next(), by.next(), known.next());

    m.section("it moves");
    let moved = |places: u32| product.cat(m.lit(0u32, 4)).drop_low(places).trunc(PRODUCT_BITS);
    let moved = Vector::of((0..8).map(|places: u32| moved(places.min(4)))).at(by);
    let (kept, below) = (moved.drop_low(4).trunc(SIG_BITS), moved.trunc(4));
    let infinite = known.special | (base.ge(30) & kept.msb());
    let base = base.trunc(5) + kept.msb().zext(5);
    let base = (base | infinite.repeat(5)).next();
    let (frac, up) = (m.reg(bits(10)), m.reg(bits(1)));
    frac.set(kept.trunc(10));
    up.set(below.msb() & (kept.bit(0) | below.trunc(3).any()));
    m.when(infinite, || {
        frac.set(0); // that is a reset of its flip-flops
        up.set(0);
    });
    let (sign, nan) = (known.sign.next(), known.nan.next());

    m.section("rounded: a carry goes into the exponent, and makes infinity by itself");
    let rounded = base.cat(frac) + up.zext(15);
    let quiet = nan.zext(6).cat(m.lit(0u32, 9));
    let y = sign.cat(rounded | quiet).next();
    io.y.set(p.leave(y));
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::golden::vq::decode::multiply;
    use hdl::engine::Engine;

    #[test]
    fn every_product() {
        let design = times_quarters().unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let mut expected = std::collections::VecDeque::new();
        for quarters in (-11i32..=11).step_by(2) {
            let number = half::f16::from_f32(quarters as f32 / 4.0).to_bits();
            for x in 0..=u16::MAX {
                sim.poke(0, u64::from(quarters as u32 & 31));
                sim.poke(1, u64::from(x));
                expected.push_back((quarters, x, multiply(number, x)));
                sim.step();
                if expected.len() == LATENCY as usize {
                    let (quarters, x, product) = expected.pop_front().unwrap();
                    assert_eq!(sim.peek(2), u64::from(product), "{quarters} quarters of {x:04x}");
                }
            }
        }
    }
}
