//! Decoder lane: the value of one element (docs/oaken-format.md, section 4; the dequantizers of the paper's figure 9b).
//!
//! `threshold + h * step / 2`, rounded once to binary16. The sum is exact but for a sticky bit: 17 bits on the scale of the
//! group, and a few places behind the point. It is 0 or at least 128, because a mantissa of half a step is at least 128: its
//! highest bit is one of ten, and so the shifter that normalises it is short. An outer element with the code 0 is its threshold
//! itself: it is looked up as one with the step 0, whose scale is the threshold's own. All of this is so for codes of 3 to 6 bits:
//! with 6 bits `h` is below `2^7` and its product with a mantissa below `2^15`, less than the largest threshold. [`STAGES`] stages of the
//! engine's pipeline; the limit to the largest finite number ([`finish`]) comes behind it.

use super::half_steps::{BASE_BITS, HalfStep, PLACES};
use crate::float::leading_zeros::leading_zeros;
use hdl::*;

/// What the dense and the sparse part say of an element.
#[derive(Clone, Copy, Bundle)]
pub struct Coded {
    /// Its code, 3 to 6 bits.
    pub code: Signal,
    /// It is listed in the sparse part.
    pub outlier: Signal,
    /// Its entry says outer.
    pub outer: Signal,
    /// Its entry says negative.
    pub sign: Signal,
}

/// What the lanes know of a vector without looking it up.
#[derive(Clone, Copy, Bundle)]
pub struct VectorInfo {
    /// Middle codes of the negative side, 0 to `2^B`.
    pub split: Signal,
    /// The step of the middle group is 0.
    pub middle_exact: Signal,
}

/// Shape of [`VectorInfo`].
pub fn vector_info(dense_bits: u32) -> VectorInfo {
    VectorInfo { split: bits(dense_bits + 1), middle_exact: bits(1) }
}

/// The group and side of an element, to look up its threshold and step.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Not in the middle group.
    pub outlier: Signal,
    /// In the outer group, if an outlier.
    pub outer: Signal,
    /// On the negative side.
    pub negative: Signal,
    /// The threshold itself: as if the step were 0.
    pub exact: Signal,
}

/// A value before [`finish`].
#[derive(Clone, Copy, Bundle)]
pub struct Rounded {
    /// Its side.
    pub negative: Signal,
    /// Exponent field and fraction, 16 bits; beyond the largest finite number now and then.
    pub magnitude: Signal,
}

/// Bits of the frame in which a value is normalised: the sum has 17, and a subnormal result needs two places above.
const FRAME: u32 = 19 + PLACES;
/// Bits that remain of it: hidden one, fraction, and one to round.
const KEPT: u32 = 12;

/// The element, [`STAGES`] stages later. `side_of` looks up its [`Kind`] and gives what belongs to it two
/// stages later.
#[module]
pub fn decode(x: Coded, vector: VectorInfo, side_of: impl FnOnce(Kind) -> HalfStep) -> Rounded {
    // stage 1: how many half steps, and of which group and side
    let b = x.code.width();
    let distance = x.code.zext(b + 1) - vector.split;
    let below = distance.msb();
    let whole = distance.trunc(b) ^ below.repeat(b); // split - 1 - q is the complement of q - split
    let middle_half_steps = whole.cat(x.code.lit(1u32, 1));
    let outlier_half_steps = x.code.cat(x.code.zeros(1));
    let h = x.outlier.mux(outlier_half_steps, middle_half_steps).next();
    let negative = x.outlier.mux(x.sign, below);
    let none = !x.code.any();
    let exact = x.outlier.mux(x.outer & none, vector.middle_exact);
    let inner = x.outlier & !x.outer;
    let kind = Kind { outlier: x.outlier, outer: x.outer, negative, exact };
    let zero = (inner & none).next();

    // stage 2: what belongs to them
    let side = side_of(kind);

    // stages 3 and 4: threshold + h half steps
    let product = (h.meet(side.half.m) * side.half.m).next();
    let side_later = side.meet(product);
    let scaled = product.cat(product.zeros(PLACES));
    let sum = (side_later.base.value.zext(BASE_BITS + 1) + scaled.zext(BASE_BITS + 1)).next();

    // stages 5 and 6: normalise; a subnormal result stays where its exponent is the lowest
    let frame = sum.zext(FRAME);
    let zeros = leading_zeros(frame.drop_low(FRAME - 12).cat(frame.lit(15u32, 4))); // 2 to 12
    let scale = side.half.scale.meet(sum);
    let limited = !scale.drop_low(4).any() & zeros.gt(scale.trunc(4));
    let shift = limited.mux(scale.trunc(4), zeros).next();
    let (frame, scale, sticky) = (frame.meet(shift), scale.meet(shift), side.base.sticky.meet(shift));
    let normal = shift_to_top(frame, shift).next();
    let lost: Vec<Signal> =
        (0..FRAME - KEPT).map(|j| frame.bit(j) & shift.le(FRAME - KEPT - 1 - j)).chain([sticky]).collect();
    let rest = cat(&lost).any().next();
    let exponent = zero.meet(shift).mux(scale.zeros(6), scale - shift.zext(6)).next();

    // stage 7: round to nearest even; the hidden one and the carry run into the exponent
    let fraction = normal.bits(KEPT - 2, 1);
    let up = normal.bit(0) & (rest | normal.bit(1));
    let kept = cat(&[exponent, fraction, up.lit(1u32, 1)]);
    let more = cat(&[up.zeros(5), normal.msb(), up.zeros(KEPT - 2), up]);
    let magnitude = (kept + more).drop_low(1).next();
    Rounded { negative: negative.next().meet(magnitude), magnitude }
}

/// Stages of [`decode`].
pub const STAGES: u32 = 7;

/// The value in binary16: not beyond the largest finite number.
#[module]
pub fn finish(x: Rounded) -> Signal {
    let too_large = x.magnitude.msb() | x.magnitude.bits(14, 10).all(); // at least 7c00, without a subtraction
    x.negative.cat(too_large.mux(x.magnitude.lit(0x7bffu32, 15), x.magnitude.trunc(15)))
}

/// The top of `frame` after a shift to the left, the largest part of the distance first: what falls out below is not built.
#[module]
fn shift_to_top(frame: Signal, shift: Signal) -> Signal {
    (0..shift.width()).rev().fold(frame, |x, level| {
        let needed = (KEPT + (1 << level) - 1).min(x.width());
        let moved = shift.bit(level).mux(x << (1u32 << level), x);
        moved.drop_low(x.width() - needed)
    })
}
