//! Half steps: what the header of a record and the thresholds give for each group and side, ready for the lanes
//! (docs/oaken-format.md, sections 3 and 4).
//!
//! A value is `threshold + h * step / 2` with a small integer `h`, below `2^(B+1)`. For each group and side, half a step is `m * 2^(E-33)`, and the
//! threshold is put on the same scale: `base = threshold / 2^(E-33)`, below 2^16 for every legal step. Four places behind the
//! point are kept, and a bit that tells whether anything was cut off below: with `h * m` at least 128 this decides every
//! rounding to the 11 bits of a binary16. Two stages of a pipeline. Nothing here depends on the lanes.

use super::header;
use super::step_unit::least_e;
use crate::float::half::unpack;
use hdl::*;

/// Places behind the point of a base.
pub const PLACES: u32 = 4;

/// Bits of a base.
pub const BASE_BITS: u32 = 16 + PLACES;

/// A group and side for the lanes.
#[derive(Clone, Copy, Bundle)]
pub struct HalfStep {
    /// The threshold.
    pub base: Base,
    /// Half a step.
    pub half: Half,
}

/// A threshold on the scale of its step.
#[derive(Clone, Copy, Bundle)]
pub struct Base {
    /// 16 bits before and [`PLACES`] behind the point.
    pub value: Signal,
    /// Something was cut off.
    pub sticky: Signal,
}

/// Half a step.
#[derive(Clone, Copy, Bundle)]
pub struct Half {
    /// Mantissa, 8 bits; 0 for the step 0.
    pub m: Signal,
    /// E of the scale less 1, 6 bits: the exponent field of a value is at most so far below that of the highest one.
    pub scale: Signal,
}

/// Shape of a [`Base`].
pub fn base() -> Base {
    Base { value: bits(BASE_BITS), sticky: bits(1) }
}

/// Shape of a [`Half`].
pub fn half() -> Half {
    Half { m: bits(8), scale: bits(6) }
}

/// Shape of a [`HalfStep`].
pub fn half_step_shape() -> HalfStep {
    HalfStep { base: base(), half: half() }
}

/// Is the rest of the header, without the steps of middle and outer group, one that section 3 of the format allows?
#[module]
pub fn rest_is_legal(header: Signal, dense_bits: u32) -> Signal {
    let inner_legal = step_is_legal(header::steps(header)[3], header.zeros(15), dense_bits);
    let split_legal = header::split_is_legal(header, dense_bits);
    let width_legal = header::width_is_legal(header, dense_bits);
    inner_legal & split_legal & width_legal
}

/// May this step stand beside this threshold?
#[module]
pub fn step_is_legal(step: Signal, threshold: Signal, dense_bits: u32) -> Signal {
    let (e, f) = (header::e(step), header::f(step));
    let shape_legal = e.le(42 - dense_bits) & (e.any() | !f.any());
    shape_legal & (!e.any() | e.ge(least_e(threshold)))
}

/// Half a step of a group that adds no threshold.
pub fn half_of(step: Signal) -> Half {
    let e = header::e(step);
    // with no step, any scale does
    Half { m: mantissa(step), scale: e.any().mux(e - 1, 0) }
}

fn mantissa(step: Signal) -> Signal {
    let (some, f) = (header::e(step).any(), header::f(step));
    some.cat(f & some.repeat(f.width()))
}

/// A group with its threshold, two stages later. Without a step the scale is the threshold's own, so that it comes out exactly.
#[module]
pub fn half_step(step: Signal, threshold: Signal) -> HalfStep {
    let x = unpack(threshold);
    let field = threshold.drop_low(10);
    let exponent_plus_1 = field.any().mux(field, 1).zext(6);
    let given = header::e(step);
    let scale = given.any().mux(given - 1, exponent_plus_1 + 2).later(2);
    // base = mantissa * 2^(exponent + 9 - E): eight places up, then E - 1 - exponent down
    let down = given.any().mux(given - exponent_plus_1, 3).next();
    let width = 11 + 8 + PLACES;
    let wide = x.mantissa.cat(x.mantissa.zeros(8 + PLACES)).next();
    let value = (wide >> down).trunc(BASE_BITS).next();
    let lost = wide & !(wide.lit((1u32 << width) - 1, width) << down);
    HalfStep { base: Base { value, sticky: lost.any().next() }, half: Half { m: mantissa(step).later(2), scale } }
}
