//! Encoder lane: the code of one element, of 3 to 6 bits (docs/oaken-format.md, section 5, steps 5 to 9; the normal and outlier quantizers
//! of the paper's figure 9a).
//!
//! An element is in one group, so both paths of the paper share everything: an outlier is encoded as a middle element of the
//! positive side whose codes begin at 0. What differs is looked up (`scale_table`), the rounding of the outliers' codes among it.
//! [`STAGES`] stages of the engine's pipeline; two more around the multiplier if it is `fast`. A code is one bit narrower than `split`.

use super::align::{align, in_steps_bits, normal, product, shift_amount};
use super::classify::Classified;
use super::scale::GroupScale;
use hdl::*;

/// The code of `x`, [`STAGES`] stages later, or two more if it is to be `fast`. `split` is that of its vector; `side_of` looks up the
/// scale of an element's group and side, and gives it two stages later.
#[module]
pub fn encode(x: Classified, split: Signal, fast: bool, side_of: impl FnOnce(Classified) -> GroupScale) -> Signal {
    let b = split.width() - 1;
    // stages 1 and 2: the step of its group and side
    let scale = side_of(x);
    let normal = normal(x.magnitude).meet(scale);
    let x = x.meet(scale);
    // multipliers stand in columns, far from most lanes: registers beside them
    let (scale, normal, x) = if fast { (scale, normal, x).next() } else { (scale, normal, x) };
    let middle = !x.outlier();

    // stages 3 and 4: the magnitude in 32nds of a step
    let scaled = product(x.magnitude, normal, scale.r).later(if fast { 2 } else { 1 });
    let amount = shift_amount(x.magnitude, normal, scale.e).next().meet(scaled);
    let in_steps = align(scaled, amount, in_steps_bits(b)).next();

    // stage 5: whole steps beyond the threshold; for outliers, the nearest
    let cells = (in_steps - scale.c.meet(in_steps)).drop_low(5).next();
    let negative = (x.sign & middle).meet(cells);
    let border = middle.meet(in_steps).mux(split.meet(in_steps), split.zeros(b + 1)).next();

    // stage 6: counted outwards from the border, `split - 1 - cells` or `split + cells`; not beyond the last code of the side
    let outwards = negative.cat(cells ^ negative.repeat(b + 1));
    let code = border.zext(b + 2) + outwards;
    let beyond = code.bit(b + 1) | (code.bit(b) & !negative);
    beyond.mux((!negative).repeat(b), code.trunc(b)).next()
}

/// Stages of [`encode`].
pub const STAGES: u32 = 6;
