//! Decoder lane: the value of one element (docs/oaken-format.md, section 4; the dequantizers of the paper's figure 9b).
//!
//! `threshold + h * step / 2`, rounded once to binary16. The sum is exact but for a
//! sticky bit: 17 bits on the scale of the group, and a few places behind the point. An outer element with the code 0 is its
//! threshold itself. Seven stages of the engine's pipeline.

use super::half_steps::{BASE_BITS, HalfStep, Levels, PLACES};
use super::types::Thresholds;
use crate::float::leading_zeros::leading_zeros;
use hdl::*;

/// What the dense and the sparse part say of an element.
#[derive(Clone, Copy, Bundle)]
pub struct Coded {
    /// Its 4-bit code.
    pub code: Signal,
    /// It is listed in the sparse part.
    pub outlier: Signal,
    /// Its entry says outer.
    pub outer: Signal,
    /// Its entry says negative.
    pub sign: Signal,
}

/// Bits of the frame in which a value is normalised: the sum has 17, and a subnormal result needs two places above.
const FRAME: u32 = 19 + PLACES;

/// The element in binary16, [`STAGES`] stages later. `levels` belong to its vector, at the same stage.
#[module]
pub fn decode(x: Coded, levels: Levels, thresholds: Thresholds) -> Signal {
    // stage 1: how many half steps, and of which group and side
    let below = x.code.zext(5).lt(levels.split);
    let above_border = x.code - levels.split.trunc(4);
    let whole = below.mux(!above_border, above_border); // split - 1 - q is the complement of q - split
    let middle_half_steps = whole.cat(x.code.lit(1u32, 1));
    let outlier_half_steps = x.code.cat(x.code.zeros(1));
    let h = x.outlier.mux(outlier_half_steps, middle_half_steps).next();
    let negative = x.outlier.mux(x.sign, below);
    let side = side_of(levels, x.outlier, x.outer, negative).next();

    // stages 2 and 3: threshold + h half steps
    let product = (h * side.m).next();
    let side_later = side.meet(product);
    let scaled = product.cat(product.zeros(PLACES));
    let sum = (side_later.base.zext(BASE_BITS + 1) + scaled.zext(BASE_BITS + 1)).next();

    // stages 4 and 5: normalise; a subnormal result stays where its exponent is the lowest
    let frame = sum.zext(FRAME);
    let zeros = leading_zeros(frame);
    let most = side.e.meet(sum) - 1;
    let limited = !sum.any() | zeros.zext(6).gt(most);
    let shift = limited.mux(most, zeros.zext(6)).next();
    let normal = (frame.meet(shift) << shift).next();
    let exponent = (side.e.meet(shift) - shift).next();

    // stage 6: round to nearest even; the carry runs into the exponent
    let hidden = normal.msb();
    let biased = exponent & hidden.repeat(6);
    let kept = biased.cat(normal.bits(FRAME - 2, FRAME - 11));
    let rest = normal.trunc(FRAME - 12).any() | side.sticky.meet(normal);
    let up = normal.bit(FRAME - 12) & (rest | normal.bit(FRAME - 11));
    let rounded = (kept + up.zext(16)).next();

    // stage 7: not beyond the largest finite number; the threshold itself needs no rounding
    let at_threshold = (x.outlier & x.outer & !x.code.any()).meet(rounded);
    let negative = negative.meet(rounded);
    let threshold = negative.mux(thresholds.s_low, thresholds.s_high);
    let too_large = rounded.ge(0x7c00);
    let limited = too_large.mux(rounded.lit(0x7bffu32, 15), rounded.trunc(15));
    negative.cat(at_threshold.mux(threshold, limited)).next()
}

/// Stages of [`decode`].
pub const STAGES: u32 = 7;

/// The scale of an element's group and side.
#[module]
fn side_of(levels: Levels, outlier: Signal, outer: Signal, negative: Signal) -> HalfStep {
    let zero_base = levels.middle_pos.base.zeros(BASE_BITS);
    let inner = HalfStep { base: zero_base, sticky: zero_base.trunc(1), m: levels.inner_m, e: levels.inner_e };
    let positive = outlier.mux(outer.mux(levels.outer_pos, inner), levels.middle_pos);
    let other = outlier.mux(outer.mux(levels.outer_neg, inner), levels.middle_neg);
    negative.mux(other, positive)
}
