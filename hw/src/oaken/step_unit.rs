//! Step unit: from the range of a group to its step, the reciprocal of the step, and the thresholds in steps.
//!
//! Implements steps 3, 4, 5 and 8 of the reference encoder (docs/oaken-format.md, section 5; the paper's equation 2). The two
//! ranges `a` and `b` are those of the positive and the negative side of the middle group, which share a step; the other groups
//! use `a` alone. The arithmetic is exact: 40-bit integers in units of 2^-24.
//!
//! Ports: an item a cycle, no handshake; see [`StepPorts`]. Latency [`LATENCY`] cycles. Nothing is combinational from port to
//! port. No parameters.

use super::align::{align, product};
use crate::float::divide15::{digit_sum, quotient};
use crate::float::half::{to_fixed, unpack};
use crate::float::leading_zeros::leading_zeros;
use crate::float::reciprocal::reciprocal;
use hdl::*;

/// Cycles from an item to its result.
pub const LATENCY: u32 = 14;

/// What the step unit is asked.
#[derive(Clone, Copy, Bundle)]
pub struct StepItem {
    /// Largest magnitude of the group (positive side of the middle), 0 if it has no element.
    pub max_a: Signal,
    /// The threshold that it is shifted by.
    pub thr_a: Signal,
    /// Largest magnitude of the negative side of the middle group, else 0.
    pub max_b: Signal,
    /// The threshold of that side, else 0.
    pub thr_b: Signal,
    /// The middle group: the step is a sixteenth of the range, else a fifteenth.
    pub middle: Signal,
}

/// Shape of a [`StepItem`].
pub fn step_item() -> StepItem {
    StepItem { max_a: bits(15), thr_a: bits(15), max_b: bits(15), thr_b: bits(15), middle: bits(1) }
}

/// What it answers.
#[derive(Clone, Copy, Bundle)]
pub struct StepResult {
    /// E of the step; 0: the step is 0.
    pub e: Signal,
    /// F of the step.
    pub f: Signal,
    /// The reciprocal; 0 for the step 0.
    pub r: Signal,
    /// Threshold `a` in 32nds of a step, modulo 1024.
    pub c_a: Signal,
    /// Threshold `b` in 32nds of a step, modulo 1024.
    pub c_b: Signal,
    /// Middle codes of the negative side, 0 to 16.
    pub split: Signal,
}

/// Shape of a [`StepResult`].
pub fn step_result() -> StepResult {
    StepResult { e: bits(6), f: bits(7), r: bits(10), c_a: bits(10), c_b: bits(10), split: bits(5) }
}

ports! {
    /// Ports of [`step_unit`].
    pub struct StepPorts() {
        /// An item, every cycle.
        input item: StepItem = step_item(),
        /// Its result, [`LATENCY`] cycles later.
        output result: StepResult = step_result(),
    }
}

/// The least E that the format allows beside a threshold: the position of its highest bit less 6, at least 1.
pub fn least_e(threshold: Signal) -> Signal {
    let (exp, frac) = (threshold.drop_low(10), threshold.trunc(10));
    let subnormal = frac.bit(9).mux(threshold.lit(3u32, 6), frac.bit(8).mux(threshold.lit(2u32, 6), 1));
    exp.any().mux(exp.zext(6) + 3, subnormal)
}

/// The step unit.
#[module]
pub fn step_unit() -> Result<Design<StepPorts>, Errors> {
    let m = Module::new("oaken_step_unit");
    m.doc("From the range of a group to its step, the step's reciprocal, and the thresholds in steps.");
    m.latency(LATENCY);
    let io = StepPorts::new(m);
    let p = m.pipeline("step");
    let item = p.enter(io.item);

    m.section("stage 1: fixed point; an empty side has no range");
    let none = item.max_a.zeros(15);
    let x_a = to_fixed(item.max_a).next();
    let t_a = to_fixed(item.max_a.any().mux(item.thr_a, none)).next();
    let x_b = to_fixed(item.max_b).next();
    let t_b = to_fixed(item.max_b.any().mux(item.thr_b, none)).next();
    let least_a = least_e(item.thr_a);
    let least_b = least_e(item.thr_b);
    let least = least_a.gt(least_b).mux(least_a, least_b).next();

    m.section("stages 2 and 3: the range after the group shift");
    let d_a = (x_a - t_a).next();
    let d_b = (x_b - t_b).next();
    let range = (d_a.zext(41) + d_b.zext(41)).next();
    let any_a = d_a.any().next();
    let any_b = d_b.any().next();

    m.section("stages 4 to 6: its leading 12 bits, rounded up");
    let zeros = leading_zeros(range).next();
    let some = range.any().next();
    let normalised = (range.meet(zeros) << zeros).next();
    let rest = normalised.trunc(29).any();
    let rounded = (normalised.drop_low(29).zext(13) + rest.zext(13)).next();

    m.section("stages 7 and 8: a sixteenth or a fifteenth of it, rounded up");
    let digits = digit_sum(rounded.zext(14) + 14).next();
    let sixteenth = (rounded.zext(14) + 15).drop_low(4).next();
    let middle = item.middle.meet(sixteenth);
    let quotient = middle.mux(sixteenth, quotient(digits)).next();

    m.section("stage 9: the step, not below the least one");
    let big = quotient.drop_low(8).any();
    let halved = (quotient + 1).drop_low(1);
    let fraction = big.mux(halved.trunc(7), quotient.trunc(7));
    // E = k - 3 (+ 1), k = 40 - zeros the highest bit of the range; compared with 3 added on both sides to stay positive
    let e_plus_3 = m.lit(40u32, 7) - zeros.meet(quotient).zext(7) + big.zext(7);
    let least_plus_3 = least.meet(quotient).zext(7) + 3;
    let too_fine = e_plus_3.lt(least_plus_3);
    let chosen = (too_fine.mux(least_plus_3, e_plus_3) - 3).trunc(6);
    let some = some.meet(quotient);
    let e = some.mux(chosen, 0).next();
    let f = (some & !too_fine).mux(fraction, 0).next();

    m.section("stage 10: the reciprocal");
    let r = e.any().mux(reciprocal(m, f), 0).next();

    m.section("stages 11 and 12: the thresholds and the largest negative magnitude in steps");
    let in_steps = |magnitude: Signal| {
        let x = unpack(magnitude.meet(r));
        let product = product(x.mantissa, r).next();
        align(product, x.exponent.meet(product), e.meet(product)).next()
    };
    let c_a = in_steps(item.thr_a);
    let c_b = in_steps(item.thr_b);
    let largest = in_steps(item.max_b);

    m.section("stages 13 and 14: how many codes the negative side gets");
    let cells = ((largest - c_b + 16).drop_low(5)).next();
    let (any_a, any_b) = (any_a.meet(cells), any_b.meet(cells));
    let most = any_a.mux(m.lit(15u32, 5), 16);
    let limited = cells.gt(most).mux(most, cells);
    let at_least_one = limited.any().mux(limited, 1);
    let split = any_b.mux(at_least_one, 0).next();

    let result = StepResult {
        e: e.meet(split),
        f: f.meet(split),
        r: r.meet(split),
        c_a: c_a.meet(split),
        c_b: c_b.meet(split),
        split,
    };
    assert_eq!(p.stage_of(split), Some(LATENCY), "the stages and LATENCY differ");
    io.result.set(p.leave(result));
    m.finish(io)
}
