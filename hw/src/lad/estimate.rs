//! Estimate of a score: that of its centre times a factor, rounded once (docs/lad.md, section 5).
//!
//! | port | |
//! | --- | --- |
//! | `advance` | 0: all of it stands |
//! | `score` | the score of the centre: sign and magnitude |
//! | `factor` | a finite binary16 number |
//! | `estimate`, `limited` | `round(score * factor, 16)` in two's complement, limited as scores are, and whether it had to be. Registers |
//!
//! - Latency: [`LATENCY`] cycles. One estimate a cycle. No combinational paths. A factor of 1 gives the score.
//!
//! The magnitude is multiplied with the significand, which is moved by the three low bits of its exponent before; the product is moved by multiples of eight
//! places. Rounding halves upwards and the sign together are one carry.

use super::score_types::SCORE_BITS;
use crate::float::format::{BINARY16, Parts, Subnormals};
use crate::float::logic::add_carry;
use hdl::*;

/// Cycles.
pub const LATENCY: u32 = 5;
/// Bits of a score as sign and magnitude: the lowest one has a magnitude of as many bits as a score.
pub const SIGNED_BITS: u32 = SCORE_BITS + 1;
/// Bits of the significand behind its first move.
const MOVED: u32 = 18;
/// With a stored exponent of 1 the product has so many places below those of a score.
const BELOW: u32 = 24;

ports! {
    /// Ports of an estimate.
    pub struct EstimatePorts() {
        /// It does not stand.
        input advance: Signal = bits(1),
        /// The score of the centre, its sign in the highest bit.
        input score: Signal = bits(SIGNED_BITS),
        /// What it is multiplied with.
        input factor: Signal = bits(16),
        /// The estimate.
        output estimate: Signal = bits(SCORE_BITS),
        /// It had to be limited.
        output limited: Signal = bits(1),
    }
}

/// A product whose places below those of a score are not cut yet: `magnitude * 2^-(24 - 8 * eights)`.
#[derive(Clone, Copy, Bundle)]
struct Product {
    negative: Signal,
    eights: Signal,
    magnitude: Signal,
}

/// An estimate.
#[module]
pub fn estimate() -> Result<Design<EstimatePorts>, Errors> {
    let m = Module::new("score_estimate");
    m.doc("Score of a centre times a factor, rounded once and limited.");
    m.latency(LATENCY);
    let io = EstimatePorts::new(m);
    let pipeline = m.pipeline_enabled("estimate", io.advance);
    let (score, factor) = pipeline.enter((io.score, io.factor));

    m.section("the low bits of the exponent move the significand");
    let factor = Parts::of(factor, BINARY16);
    let exponent = factor.effective_exp() - 1;
    let moved = (factor.significand(Subnormals::Keep).zext(MOVED) << exponent.trunc(3)).next();
    let magnitude = score.trunc(SCORE_BITS).next();
    let (negative, eights) = (score.msb() ^ factor.sign, exponent.drop_low(3)).next();

    m.section("the product, in two multipliers");
    let high = (magnitude.drop_low(MOVED) * moved).next();
    let low = (magnitude.trunc(MOVED) * moved).next();
    let upper = high + low.drop_low(MOVED).zext(high.width());
    let magnitude = upper.cat(low.trunc(MOVED)).next();
    let [negative, eights] = [negative, eights].map(|x| x.meet(magnitude));

    m.section("the high bits of the exponent move the product; rounded and limited");
    let (estimate, limited) = rounded(Product { negative, eights, magnitude });
    io.estimate.set(pipeline.leave(estimate));
    io.limited.set(pipeline.leave(limited));
    m.finish(io)
}

/// Two stages: the magnitude at its place, inverted if it is negative; then the carry, and the limit.
#[module]
fn rounded(x: Product) -> (Signal, Signal) {
    // the sign, a bit more than a score has for the carry, and one for what does not fit
    const KEPT: u32 = SCORE_BITS + 1;
    // what is cut, and what does not fit: of each move all that the one beside it has, and eight bits more
    let none = x.negative.zeros(1);
    let of = |high: u32, low: u32| x.magnitude.bits(high, low).any();
    let cut = [of(6, 0), of(14, 7), of(22, 15)];
    let rest = [cut[0] | cut[1] | cut[2], cut[0] | cut[1], cut[0], none];
    let over = [of(45, 45), of(44, 37), of(36, 29)];
    let beyond = [none, over[0], over[0] | over[1], over[0] | over[1] | over[2]];
    let places = |k: u32| {
        let below = BELOW - 8 * k;
        let whole = x.magnitude.drop_low(below);
        let kept = if whole.width() > KEPT { whole.trunc(KEPT) } else { whole.zext(KEPT) };
        let half = if below == 0 { none } else { x.magnitude.bit(below - 1) };
        // a half goes up: away from zero only if it is not negative
        Placed { kept, beyond: beyond[k as usize], up: half & (rest[k as usize] | !x.negative) }
    };
    let placed = Vector::of((0..4).map(places)).at(x.eights);
    let kept = x.negative.cat(placed.kept ^ x.negative.repeat(KEPT)).next();
    let carry = (placed.up ^ x.negative).next();
    let (beyond, negative) = (placed.beyond, x.negative).next();

    let sum = add_carry(kept, kept.zeros(KEPT + 1), carry);
    let signs = sum.drop_low(SCORE_BITS - 1);
    let limited = beyond | !(signs.all() | !signs.any());
    let limit = negative.cat((!negative).repeat(SCORE_BITS - 1));
    let estimate = limited.mux(limit, sum.trunc(SCORE_BITS));
    (estimate.next(), limited.next())
}

/// A magnitude at its place.
#[derive(Clone, Copy, Bundle)]
struct Placed {
    kept: Signal,
    /// Higher bits are set.
    beyond: Signal,
    /// It is rounded away from zero.
    up: Signal,
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::golden::lad::number;
    use fastrand::Rng;
    use hdl::engine::Engine;

    /// A finite factor: of every exponent, or one at the ends of what there is.
    fn factor(rng: &mut Rng) -> u16 {
        let exponent = if rng.bool() { rng.u16(0..31) } else { [0, 1, 14, 15, 30][rng.usize(0..5)] };
        let fraction = [0, 1, 0x200, 0x3ff, rng.u16(0..0x400)][rng.usize(0..5)];
        rng.u16(0..2) << 15 | exponent << 10 | fraction
    }

    fn score(rng: &mut Rng) -> i32 {
        let limit = 1 << (SCORE_BITS - 1);
        match rng.u8(0..4) {
            0 => [-limit, 1 - limit, limit - 1, -1, 0, 1][rng.usize(0..6)],
            1 => rng.i32(-300..300),
            _ => rng.i32(-limit..limit) >> rng.u8(0..26),
        }
    }

    #[test]
    fn estimates_are_those_of_the_model() {
        let design = estimate().unwrap();
        let mut sim = jit::simulator(&design);
        let io = design.ports;
        let mut rng = Rng::with_seed(::sim::bus::seed(1));
        let (mut due, mut ties) = (std::collections::VecDeque::new(), 0);
        for cycle in 0..200_000 {
            let (score, factor) = (score(&mut rng), factor(&mut rng));
            let advance = rng.u8(0..10) > 0;
            sim.poke(io.advance, u64::from(advance));
            sim.poke(io.score, u64::from(score < 0) << SCORE_BITS | u64::from(score.unsigned_abs()));
            sim.poke(io.factor, u64::from(factor));
            if advance {
                due.push_back((score, factor));
                let significand = i64::from(factor & 0x3ff | 0x400);
                ties += u32::from(
                    (i64::from(score) * significand).trailing_zeros() == 24 - u32::from(factor >> 10 & 31).min(24),
                );
            }
            sim.step();
            if due.len() == LATENCY as usize && advance {
                let (score, factor) = due.pop_front().expect("they were sent");
                let (expected, limited) = number::estimate(score, factor);
                let got = (sim.peek(io.estimate) as i32) << (32 - SCORE_BITS) >> (32 - SCORE_BITS);
                let told = sim.peek(io.limited) == 1;
                assert_eq!((got, told), (expected, limited), "cycle {cycle}: {score} * {factor:04x}");
            }
        }
        assert!(ties > 1000, "{ties} ties");
    }

    #[test]
    fn a_factor_of_one_changes_nothing() {
        let design = estimate().unwrap();
        let mut sim = jit::simulator(&design);
        let io = design.ports;
        sim.poke(io.advance, 1);
        sim.poke(io.factor, 0x3c00);
        for score in [0, 1, -1, 12345, (1 << 27) - 1, -(1 << 27)] {
            sim.poke(io.score, u64::from(score < 0) << SCORE_BITS | u64::from(i32::unsigned_abs(score)));
            (0..LATENCY).for_each(|_| sim.step());
            assert_eq!((sim.peek(io.estimate), sim.peek(io.limited)), (u64::from(score as u32) & 0xfff_ffff, 0));
        }
    }
}
