//! Encoder lane: the 4-bit code of one element (docs/oaken-format.md, section 5, steps 5 to 9; the normal and outlier quantizers
//! of the paper's figure 9a).
//!
//! An element is in one group, so both paths of the paper share one multiplier; their codes are merged by OR, each zero where
//! the other path has the element. Four stages of the engine's pipeline, which holds the shared [`Descriptor`] beside it.

use super::align::{align, product};
use super::classify::Classified;
use super::scale::Descriptor;
use crate::float::half::unpack;
use hdl::*;

/// The code of `x`, [`STAGES`] stages later. `d` is the descriptor of its vector, at the same stage.
#[module]
pub fn encode(x: Classified, d: Descriptor) -> Signal {
    // stage 1: the step of its group and side
    let outer_step = x.sign.mux((d.outer_neg.r, d.outer_neg.e), (d.outer_pos.r, d.outer_pos.e));
    let other_step = x.inner.mux((d.inner_r, d.inner_e), (d.middle.r, d.middle.e));
    let (r, e) = x.outer.mux(outer_step, other_step).next();
    let parts = unpack(x.magnitude);
    let mantissa = parts.mantissa.next();
    let exponent = parts.exponent.next();

    // stages 2 and 3: the magnitude in steps
    let scaled = product(mantissa, r).next();
    let in_steps = align(scaled, exponent.meet(scaled), e.meet(scaled)).next();

    // stage 4: less the threshold; the code
    let (x, d) = (x.meet(in_steps), d.meet(in_steps));
    let c_outer = x.sign.mux(d.outer_neg.c, d.outer_pos.c);
    let c_middle = x.sign.mux(d.middle_c_neg, d.middle.c);
    let threshold = x.outer.mux(c_outer, x.inner.mux(c_outer.zeros(10), c_middle));
    let shifted = in_steps - threshold;
    let outlier_code = (shifted + 16).bits(8, 5);
    let middle_code = middle_code(shifted.drop_low(5), x.sign, d.split());
    let normal = middle_code & (!x.outlier()).repeat(4);
    let outlier = outlier_code & x.outlier().repeat(4);
    (normal | outlier).next()
}

/// Stages of [`encode`].
pub const STAGES: u32 = 4;

/// The code of a middle element that is `cells` whole steps beyond its threshold: sixteen codes, the lowest `split` of them for
/// the negative side, counted outwards from the border.
#[module]
fn middle_code(cells: Signal, sign: Signal, split: Signal) -> Signal {
    let border = split.trunc(4); // 16 is 0, and its border is the top
    let below = border - 1; // first code of the negative side, and how many more there are
    let room = sign.mux(below, !border); // codes beyond the first: split - 1, or 15 - split
    let beyond = cells.gt(room.zext(5));
    let steps = beyond.mux(room, cells.trunc(4));
    sign.mux(below - steps, border + steps)
}
