//! The header of a record: where each of its fields lies (docs/oaken-format.md, section 3). Whatever makes or reads a header asks here.
//!
//! | bits | field |
//! | --- | --- |
//! | 12:0, 25:13, 38:26, 51:39 | the steps of middle, outer positive, outer negative and inner group: E above 7 bits of F |
//! | 56:52 | the low bits of `split` |
//! | 57 | `nonfinite` |
//! | 59:58 | the high bits of `split`; 0 below 5 bits |
//! | 62:60 | width of the codes, xor 4 |
//! | 63 | 0 |

use super::types::PAPER_BITS;
use hdl::*;

/// Bytes of a header; the count of the first chunk is behind them.
pub const BYTES: u32 = 8;
/// Bits of a header.
pub const BITS: u32 = 8 * BYTES;

/// Bits of F, the lower part of a step.
const F_BITS: u32 = 7;
/// Bits of a step.
const STEP_BITS: u32 = 13;
/// The lowest bit of the low part of `split`, behind four steps, and its bits.
const SPLIT: u32 = 4 * STEP_BITS;
const SPLIT_LOW: u32 = 5;
/// The bit `nonfinite`.
const NONFINITE: u32 = SPLIT + SPLIT_LOW;
/// The lowest bit of the high part of `split`.
const SPLIT_HIGH: u32 = NONFINITE + 1;
/// The lowest bit of the width.
const WIDTH: u32 = 60;

/// The steps, in the order of the table.
pub fn steps(header: Signal) -> [Signal; 4] {
    [0, 1, 2, 3].map(|i| header.bits(STEP_BITS * (i + 1) - 1, STEP_BITS * i))
}

/// E of a step.
pub fn e(step: Signal) -> Signal {
    step.drop_low(F_BITS)
}

/// F of a step.
pub fn f(step: Signal) -> Signal {
    step.trunc(F_BITS)
}

/// Is the step of the middle group 0? Then its elements are the threshold itself.
pub fn middle_is_exact(header: Signal) -> Signal {
    !header.bits(STEP_BITS - 1, F_BITS).any()
}

/// One bit: the vector held a NaN or an infinity.
pub fn nonfinite(header: Signal) -> Signal {
    header.bit(NONFINITE)
}

/// Bits of the high part of `split` that a width needs.
fn split_high(dense_bits: u32) -> u32 {
    (dense_bits + 1).saturating_sub(SPLIT_LOW)
}

/// The split, `B + 1` bits; of a header that is not legal, its low ones.
pub fn split(header: Signal, dense_bits: u32) -> Signal {
    let low = low_split(header);
    match split_high(dense_bits) {
        0 => low.trunc(dense_bits + 1),
        more => header.bits(SPLIT_HIGH + more - 1, SPLIT_HIGH).cat(low),
    }
}

fn low_split(header: Signal) -> Signal {
    header.bits(SPLIT + SPLIT_LOW - 1, SPLIT)
}

/// Is the split at most the number of codes?
#[module]
pub fn split_is_legal(header: Signal, dense_bits: u32) -> Signal {
    // all bits of the low part count, those too that a narrow width does not need
    let split = if split_high(dense_bits) == 0 { low_split(header) } else { split(header, dense_bits) };
    split.le(1 << dense_bits)
}

/// Is what stands above the split the same as in all headers of this width?
#[module]
pub fn width_is_legal(header: Signal, dense_bits: u32) -> Signal {
    let from = SPLIT_HIGH + split_high(dense_bits);
    let above = header.drop_low(from);
    match (dense_bits ^ PAPER_BITS) << (WIDTH - from) {
        0 => !above.any(),
        width => above.eq(width),
    }
}

/// Bits of a header that differ between the records of a width: those up to the split's highest one.
pub fn varying_bits(dense_bits: u32) -> u32 {
    SPLIT_HIGH + split_high(dense_bits)
}

/// These bits: the steps in the order of the table, and the rest.
#[module]
pub fn varying(steps: [Signal; 4], split: Signal, nonfinite: Signal) -> Signal {
    let [middle, outer_pos, outer_neg, inner] = steps;
    let width = split.width();
    let low = if width < SPLIT_LOW { split.zext(SPLIT_LOW) } else { split.trunc(SPLIT_LOW) };
    let below = cat(&[nonfinite, low, inner, outer_neg, outer_pos, middle]);
    if width > SPLIT_LOW { split.drop_low(SPLIT_LOW).cat(below) } else { below }
}

/// The header with these [`varying`] bits.
pub fn whole(varying: Signal, dense_bits: u32) -> Signal {
    match dense_bits ^ PAPER_BITS {
        0 => varying.zext(BITS),
        width => varying.lit(width, BITS - WIDTH).cat(varying.zext(WIDTH)),
    }
}

/// The header of a record without steps.
pub fn empty(dense_bits: u32) -> u64 {
    u64::from(dense_bits ^ PAPER_BITS) << WIDTH
}
