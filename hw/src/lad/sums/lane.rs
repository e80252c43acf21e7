//! A lane of sums: products of coefficients with elements of values, rounded one by one and added up.
//!
//! | port | |
//! | --- | --- |
//! | `value` | an element in binary16; of an infinity or a NaN the term is anything. Stage 0 |
//! | `magnitude`, `negative` | the coefficient. Stage 1 |
//! | `starts`, `start` | instead of a term, the start of a sum. Stage 2 |
//! | `read` | of which element, and whether its sum is 0 until then. Stage 3 |
//! | `write` | that the sum is kept, and whether it is the last one, which is given. Stage 4 |
//! | `over` | of a sum that was given: it does not fit. Stage 5, registers |
//! | `give`, `sum` | an element that was given. `sum` follows `give` |
//!
//! - Latency: a term is added [`ADDS`] cycles after its element. One in every cycle; an element comes again after two cycles at the earliest, if there are two or more.
//! - Combinational paths: from `give` to `sum`.
//!
//! The product is moved by 0 to 29 places to the left of its lowest one. The three low bits of that move the element, which the multipliers have room for; only
//! multiples of eight are left for the product. Rounding halves upwards and the sign together are one carry, for which the sum's adder is free.

use super::super::sum_types::*;
use crate::float::format::{BINARY16, Parts, Subnormals};
use crate::float::logic::{add_carry, moved};
use hdl::logic::one_hot;
use hdl::*;

/// The stage at which a sum is written.
pub(super) const ADDS: u32 = 4;
/// Bits of an element's significand behind its first move, and of each half of a coefficient.
const MOVED: u32 = 18;
/// Bits of the magnitude of a term: that of the lowest coefficient times 65504, with 24 places behind the point.
const MAGNITUDE: u32 = 53;
/// With a stored exponent of 1 a product has so many places behind those of a sum.
const BELOW: i32 = 22;

/// Of which element, before its sum is read.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct LaneRead {
    /// The beat that it is in; none if there is one only.
    pub beat: Option<Signal>,
    /// It is the first term of it.
    pub first: Signal,
}

/// What happens to the sum.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct LaneWrite {
    /// The beat that it is in.
    pub beat: Option<Signal>,
    /// There is a term.
    pub there: Signal,
    /// It is the last one.
    pub gives: Signal,
}

ports! {
    /// Ports of a lane.
    pub struct SumLanePorts(p: SumsParams) {
        /// An element.
        input value: Signal = bits(16),
        /// The magnitude of the coefficient.
        input magnitude: Signal = bits(COEFFICIENT_BITS),
        /// Its sign.
        input negative: Signal = bits(1),
        /// There is a start.
        input starts: Signal = bits(1),
        /// The start.
        input start: Signal = bits(SUM_BITS),
        /// Of which element.
        input read: LaneRead = LaneRead { beat: p.beat_bits().map(bits), first: bits(1) },
        /// What happens to the sum.
        input write: LaneWrite = LaneWrite { beat: p.beat_bits().map(bits), there: bits(1), gives: bits(1) },
        /// It does not fit.
        output over: Signal = bits(1),
        /// Which element is asked for.
        input give: Option<Signal> = p.beat_bits().map(bits),
        /// Its last sum.
        output sum: Signal = bits(SUM_BITS),
    }
}

/// A lane of sums.
#[module]
pub fn sum_lane(p: SumsParams) -> Result<Design<SumLanePorts>, Errors> {
    let (beats, width) = (p.beats(), p.numerator_bits());
    let m = Module::new(format!("sum_lane_{beats}x{width}"));
    m.doc("Products of coefficients with elements of values, rounded one by one and added up.");
    let io = SumLanePorts::new(m, p);
    let pipeline = m.pipeline("lane");

    m.section("the low bits of the exponent move the significand");
    let value = Parts::of(pipeline.enter(io.value), BINARY16);
    let exponent = value.effective_exp() - 1;
    let moved = (value.significand(Subnormals::Keep).zext(MOVED) << exponent.trunc(3)).next();
    let (sign, eights) = (value.sign, exponent.drop_low(3)).next();

    m.section("the product, in two multipliers");
    let (magnitude, negative) = pipeline.enter_at(1, (io.magnitude, io.negative));
    let high = (magnitude.drop_low(MOVED) * moved).next();
    let low = (magnitude.trunc(MOVED) * moved).next();
    let (negative, eights) = (negative ^ sign, eights).next();
    let upper = high + low.drop_low(MOVED).zext(high.width());
    let product = upper.cat(low.trunc(MOVED)).next();

    m.section("a term, or a start in its place");
    let (starts, begin) = pipeline.enter_at(2, (io.starts, io.start));
    let start = m.reg(bits(SUM_BITS));
    let chosen = m.reg(bits(4)).comment("by how many times eight places the product is moved");
    let minus = m.reg(bits(1)).comment("the term is negative");
    start.set(begin);
    chosen.set(one_hot(eights, 4));
    minus.set(negative);
    m.when(!starts, || start.set(0));
    m.when(starts, || {
        chosen.set(0);
        minus.set(0);
    });
    let (term, carry) = rounded(product, chosen, minus);
    let term = (term | start.sext(term.width())).next();
    let carry = carry.next();

    m.section("the sum");
    let LaneRead { beat: reads, first } = pipeline.enter_at(ADDS - 1, io.read);
    let LaneWrite { beat: writes, there, gives } = pipeline.enter_at(ADDS, io.write);
    let (total, sum) = match (reads, writes, io.give) {
        (Some(reads), Some(writes), Some(give)) => {
            let sums = m.memory(bits(width), beats as usize).style(RamStyle::Distributed).feedback();
            let before = m.reg(bits(width)).comment("the sum before it");
            before.set(sums.read(reads));
            m.when(first, || before.set(0)); // that is a reset of its flip-flops
            let total = add_carry(before, term.sext(width), carry);
            sums.write(writes, total, there);
            let given = m.memory(bits(SUM_BITS), beats as usize).style(RamStyle::Distributed);
            given.write(writes, total.trunc(SUM_BITS), gives);
            (total, given.read(give))
        }
        _ => {
            let before = pipeline.state(m.reg_reset(bits(width), 0), term).comment("the sum before it");
            let total = add_carry(before, term.sext(width), carry);
            m.when(there, || before.set(total));
            m.when(gives, || before.set(0));
            let given = m.reg(bits(SUM_BITS));
            m.when(gives, || given.set(total.trunc(SUM_BITS)));
            io.read.first.unused();
            (total, pipeline.leave(given))
        }
    };
    let signs = total.drop_low(SUM_BITS - 1).next();
    io.over.set(pipeline.leave(signs.any() & !signs.all()));
    io.sum.set(sum);
    m.finish(io)
}

/// A product at its place, in ones' complement if it is negative, and the carry that makes it the nearest one, halves upwards.
#[module]
fn rounded(product: Signal, chosen: Signal, minus: Signal) -> (Signal, Signal) {
    let either = |of: &dyn Fn(u32) -> Signal, count: u32| {
        (0..count).map(of).reduce(|so_far, next| so_far | next).expect("there are moves")
    };
    let place = |k: u32| {
        let magnitude = moved(product, 8 * k as i32 - BELOW, MAGNITUDE);
        magnitude & chosen.bit(k).repeat(MAGNITUDE)
    };
    let magnitude = either(&place, 4);
    // behind the point: of the largest move nothing
    let cut = |k: u32| BELOW as u32 - 8 * k;
    let half = either(&|k| chosen.bit(k) & product.bit(cut(k) - 1), 3);
    let rest = either(&|k| chosen.bit(k) & product.trunc(cut(k) - 1).any(), 3);
    // a half goes up: away from zero only if it is not negative
    let up = half & (rest | !minus);
    (minus.cat(magnitude ^ minus.repeat(MAGNITUDE)), up ^ minus)
}
