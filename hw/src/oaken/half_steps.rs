//! Half steps: what the header of a record and the thresholds give for each group and side, ready for the lanes
//! (docs/oaken-format.md, sections 3 and 4).
//!
//! A value is `threshold + h * step / 2` with a small integer `h`. For each group and side, half a step is `m * 2^(E-33)`, and the
//! threshold is put on the same scale: `base = threshold / 2^(E-33)`, below 2^16 for every legal step. Four places behind the
//! point are kept, and a bit that tells whether anything was cut off below: with `h * m` at least 128 this decides every
//! rounding to the 11 bits of a binary16. Two stages of the engine's pipeline. Nothing here depends on the lanes.

use super::step_unit::least_e;
use super::types::Thresholds;
use crate::float::half::unpack;
use hdl::*;

/// Places behind the point of a base.
pub const PLACES: u32 = 4;

/// Bits of a base.
pub const BASE_BITS: u32 = 16 + PLACES;

/// A group and side for the lanes.
#[derive(Clone, Copy, Bundle)]
pub struct HalfStep {
    /// Threshold on the scale, 16 bits before and [`PLACES`] behind the point.
    pub base: Signal,
    /// Something was cut off the base.
    pub sticky: Signal,
    /// Mantissa of half a step, 8 bits; 0 for the step 0.
    pub m: Signal,
    /// E of the scale, 6 bits, at least 1.
    pub e: Signal,
}

/// All that a vector's header says, for the lanes.
#[derive(Clone, Copy, Bundle)]
pub struct Levels {
    /// Middle group, positive side.
    pub middle_pos: HalfStep,
    /// Middle group, negative side.
    pub middle_neg: HalfStep,
    /// Outer group, positive side.
    pub outer_pos: HalfStep,
    /// Outer group, negative side.
    pub outer_neg: HalfStep,
    /// Mantissa of half a step of the inner group.
    pub inner_m: Signal,
    /// E of the inner group.
    pub inner_e: Signal,
    /// Middle codes of the negative side.
    pub split: Signal,
}

/// Shape of [`Levels`].
pub fn levels() -> Levels {
    let side = HalfStep { base: bits(BASE_BITS), sticky: bits(1), m: bits(8), e: bits(6) };
    Levels {
        middle_pos: side,
        middle_neg: side,
        outer_pos: side,
        outer_neg: side,
        inner_m: bits(8),
        inner_e: bits(6),
        split: bits(5),
    }
}

/// The steps of a header, 13 bits each: middle, outer positive, outer negative, inner.
fn steps(header: Signal) -> [Signal; 4] {
    [header.bits(12, 0), header.bits(25, 13), header.bits(38, 26), header.bits(51, 39)]
}

/// Is the header one that section 3 of the format allows with these thresholds?
#[module]
pub fn header_is_legal(header: Signal, t: Thresholds) -> Signal {
    let [middle, outer_pos, outer_neg, inner] = steps(header);
    let shape_legal = |step: Signal| {
        let (e, f) = (step.drop_low(7), step.trunc(7));
        e.le(38) & (e.any() | !f.any())
    };
    let not_finer = |step: Signal, threshold: Signal| {
        let e = step.drop_low(7);
        !e.any() | e.ge(least_e(threshold))
    };
    let shapes = shape_legal(middle) & shape_legal(outer_pos) & shape_legal(outer_neg) & shape_legal(inner);
    let middle_legal = not_finer(middle, t.t_high) & not_finer(middle, t.t_low);
    let outer_legal = not_finer(outer_pos, t.s_high) & not_finer(outer_neg, t.s_low);
    let split_legal = header.bits(56, 52).le(16);
    shapes & middle_legal & outer_legal & split_legal & !header.drop_low(58).any()
}

/// The levels of a header, two stages later.
#[module]
pub fn half_steps(header: Signal, t: Thresholds) -> Levels {
    let [middle, outer_pos, outer_neg, inner] = steps(header);
    let inner_e = inner.drop_low(7);
    // with no step, any scale does for a base of 0
    let inner_scale = inner_e.any().mux(inner_e, 1);
    Levels {
        middle_pos: half_step(middle, t.t_high),
        middle_neg: half_step(middle, t.t_low),
        outer_pos: half_step(outer_pos, t.s_high),
        outer_neg: half_step(outer_neg, t.s_low),
        inner_m: mantissa(inner).later(2),
        inner_e: inner_scale.later(2),
        split: header.bits(56, 52).later(2),
    }
}

fn mantissa(step: Signal) -> Signal {
    let some = step.drop_low(7).any();
    some.cat(step.trunc(7) & some.repeat(7))
}

#[module]
fn half_step(step: Signal, threshold: Signal) -> HalfStep {
    let x = unpack(threshold);
    let field = threshold.drop_low(10);
    let exponent_plus_1 = field.any().mux(field, 1).zext(6);
    let given = step.drop_low(7);
    // without a step the scale is the threshold's own, so that it comes out exactly
    let e = given.any().mux(given, exponent_plus_1 + 3).later(2);
    // base = mantissa * 2^(exponent + 9 - E): eight places up, then E - 1 - exponent down
    let down = given.any().mux(given - exponent_plus_1, 3).next();
    let width = 11 + 8 + PLACES;
    let wide = x.mantissa.cat(x.mantissa.zeros(8 + PLACES));
    let base = (wide >> down).trunc(BASE_BITS).next();
    let lost = wide & !(wide.lit((1u32 << width) - 1, width) << down);
    HalfStep { base, sticky: lost.any().next(), m: mantissa(step).later(2), e }
}
