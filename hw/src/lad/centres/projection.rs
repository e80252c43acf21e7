//! How far a key reaches in a centre's direction: the 16 leading bits of their dot product times the factor of the centre, cut to 16 places, and limited
//! (docs/lad.md, section 5, step 3).
//!
//! A dot product is not made positive before its leading bits are found: of a negative one the bits are inverted, and one is added behind the 16th of them
//! if all bits behind it are 0. The factor's significand is moved by the low bits of all that the product is to be moved by, as in an estimate; multiples
//! of eight places are left behind the multiplier.

use super::super::score_types::DOT_BITS;
use crate::float::format::{BINARY16, Parts, Subnormals};
use crate::float::logic::{add_carry, moved};
use hdl::logic::one_hot;
use hdl::*;

/// Leading bits that are found: those from which a root is taken.
pub(super) const WINDOW: u32 = 24;
/// Leading bits that are multiplied.
pub(super) const SHORT: u32 = 16;
/// Bits of a projection, 16 of them behind the point.
pub(super) const PROJECTION_BITS: u32 = 32;
/// Bits of a significand behind its first move.
const MOVED: u32 = 18;
/// So many multiples of eight places are those that move nothing.
const UNMOVED: u32 = 6;

/// The leading bits of a dot product.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Window {
    pub(super) negative: Signal,
    /// Leading pairs of bits that are all sign.
    pub(super) pairs: Signal,
    /// As they are in the dot product, from the pair on in which it begins.
    pub(super) bits: Signal,
    /// A bit behind them is set.
    pub(super) rest: Signal,
}

/// A number that is to be multiplied with a factor: `leading * 2^(shift - 15)` steps of 2^-24.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Short {
    pub(super) leading: Signal,
    pub(super) shift: Signal,
}

/// How many of four parts are skipped until one has a bit that is not the sign; `differ` of the first three.
fn skipped(differ: [Signal; 3]) -> Signal {
    let [a, b, c] = differ;
    (!a & !b).cat(!a & (b | !c))
}

/// Finds the leading bits: two stages.
#[module]
pub(super) fn window(dot: Signal) -> Window {
    let sign = dot.msb();
    let differs = |x: Signal, sign: Signal| (x ^ sign.repeat(x.width())).any();

    // sixteen places at a time; what may still be skipped is kept
    let kept = WINDOW + 14;
    let part = |high: u32| moved(dot.trunc(high + 1), kept as i32 - 1 - high as i32, kept);
    let behind = |high: u32| if high >= kept { dot.bits(high - kept, 0).any() } else { dot.zeros(1) };
    let highs = [DOT_BITS - 1, 47, 31, 15];
    let sixteens = skipped([0, 1, 2].map(|i| differs(dot.bits(highs[i], highs[i] - 15), sign)));
    let bits = Vector::of(highs.map(part)).at(sixteens).next();
    let rest = Vector::of(highs.map(behind)).at(sixteens).next();
    let (sign, sixteens) = (sign, sixteens).next();

    // four places at a time, then a pair: which one it is, is seen at each four meanwhile
    let (kept, top) = (WINDOW + 2, bits.width() - 1);
    let fours = [0, 4, 8, 12];
    let skip = skipped([0, 1, 2].map(|i| differs(bits.bits(top - fours[i], top - fours[i] - 3), sign)));
    let pair = fours.map(|four| !differs(bits.bits(top - four, top - four - 1), sign));
    let part = fours.map(|four| bits.bits(top - four, top + 1 - four - kept));
    let behind = fours.map(|four| if four == 12 { sign.zeros(1) } else { bits.trunc(12 - four).any() });
    let (pair, part) = (Vector::of(pair).at(skip), Vector::of(part).at(skip));
    let rest = rest | Vector::of(behind).at(skip) | (!pair & part.trunc(2).any());
    let found = pair.mux(part.trunc(WINDOW), part.drop_low(2));
    Window { negative: sign, pairs: sixteens.cat(skip).cat(pair), bits: found, rest }.next()
}

/// The leading bits of the magnitude; or, with another number's 16 bits at a place of its own (`instead`), that.
#[module]
pub(super) fn short(window: Window, (instead, other): (Signal, Short)) -> Short {
    let Window { negative, pairs, bits, rest } = window;
    let low = !(bits.msb() ^ negative);
    let raw = low.mux(bits.bits(WINDOW - 2, WINDOW - 1 - SHORT), bits.drop_low(WINDOW - SHORT));
    let rest = rest | bits.trunc(WINDOW - 1 - SHORT).any() | (!low & bits.bit(WINDOW - 1 - SHORT));
    let magnitude = instead.mux(other.leading, raw ^ negative.repeat(SHORT));
    let carry = negative & !rest & !instead;
    // one more bit: a power of two may come of the carry
    let magnitude = magnitude.zext(SHORT + 1);
    let leading = add_carry(magnitude, magnitude.zeros(SHORT + 1), carry);
    Short { leading, shift: instead.mux(other.shift, !pairs.cat(low)) }
}

/// The shape of a short number.
pub(super) fn other(leading: Signal, shift: u32) -> Short {
    Short { leading, shift: leading.lit(shift, 6) }
}

/// Multiplies, cuts and limits: three stages.
#[module]
pub(super) fn projection(x: Short, factor: Signal) -> Signal {
    let factor = Parts::of(factor, BINARY16);
    let move_by = x.shift.zext(7) + factor.effective_exp().zext(7);
    let moved_factor = (factor.significand(Subnormals::Keep).zext(MOVED) << move_by.trunc(3)).next();
    let (leading, eights) = (x.leading, move_by.drop_low(3)).next();

    let product = (leading * moved_factor).next();
    let places = one_hot(eights, 16).next();

    // further to the right than four times eight places nothing is left; to the left of one times, a product that is not 0 is limited: only subnormal factors
    // make it less than 2^25, and these do not go there
    let chosen = |place: u32| places.bit(place).repeat(PROJECTION_BITS);
    let place = |k: u32| moved(product, 8 * (k as i32 - UNMOVED as i32), PROJECTION_BITS) & chosen(k);
    let placed = (UNMOVED - 4..=UNMOVED + 1).map(place).reduce(|sum, next| sum | next).expect("six places");
    let beyond = |k: u32| product.drop_low(PROJECTION_BITS - 8 * k).any() & places.bit(UNMOVED + k);
    let far = places.drop_low(UNMOVED + 2).any() & product.any();
    let limited = far | beyond(0) | beyond(1);
    (placed | limited.repeat(PROJECTION_BITS)).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::golden::lad::number;
    use ::sim::lad_centres_bench::{random_dot, random_factor};
    use fastrand::Rng;
    use hdl::engine::Engine;

    ports! {
        struct ProjectionPorts() {
            input dot: Signal = bits(DOT_BITS),
            input factor: Signal = bits(16),
            output reach: Signal = bits(PROJECTION_BITS),
        }
    }

    #[module]
    fn unit() -> Result<Design<ProjectionPorts>, Errors> {
        let m = Module::new("projection");
        m.latency(5);
        let io = ProjectionPorts::new(m);
        let p = m.pipeline("projection");
        let (dot, factor) = p.enter((io.dot, io.factor));
        let found = window(dot);
        let none = m.lit(0u32, 1);
        let short = short(found, (none, other(m.lit(0u32, SHORT), 0)));
        io.reach.set(p.leave(projection(short, factor.meet(short.leading))));
        m.finish(io)
    }

    #[test]
    fn projections_are_those_of_the_model() {
        let design = unit().unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let io = design.ports;
        let mut rng = Rng::with_seed(::sim::bus::seed(1));
        let mut due = std::collections::VecDeque::new();
        let (mut limited, mut none, mut carried) = (0, 0, 0);
        for _ in 0..300_000 {
            let (dot, factor) = (random_dot(&mut rng), random_factor(&mut rng));
            sim.poke(io.dot, dot as u64);
            sim.poke(io.factor, u64::from(factor));
            due.push_back((dot, factor));
            sim.step();
            if due.len() == 5 {
                let (dot, factor) = due.pop_front().expect("they were sent");
                let expected = number::projection(dot, factor);
                assert_eq!(sim.peek(io.reach), u64::from(expected), "{dot:#x} * {factor:04x}");
                limited += u32::from(expected == u32::MAX);
                none += u32::from(expected == 0);
                carried += u32::from(dot < 0 && dot.unsigned_abs().is_power_of_two());
            }
        }
        assert!(limited > 1000 && none > 1000 && carried > 1000, "{limited} limited, {none} none, {carried} carried");
    }
}
