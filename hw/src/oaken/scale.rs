//! Scale: turns the maxima of a vector into everything that encoding it needs: the header of its record and its [`Scales`].
//!
//! A vector has four steps to compute (outer positive, outer negative, middle, inner). A vector of the shortest length, one
//! chunk, comes every `64 / lanes` cycles, so one step unit serves up to 16 lanes, two serve 32 and four serve 64: hardware is
//! shared as far as the rate allows.
//!
//! Ports: `start` with the maxima of a vector, at most once in `64 / lanes` cycles; `done` with both, [`latency`] cycles
//! later; thresholds are held by the user as long as vectors are under way. Parameters: lanes, and the width of dense codes.
//! Nothing is combinational from port to port.

use super::align::in_steps_bits;
use super::header;
use super::maxima::{Maxima, maxima_shape};
use super::step_unit::{self, StepItem, StepResult, step_item, step_result, step_unit};
use super::types::{EngineParams, GROUP, Thresholds, thresholds};
use hdl::*;

/// What the lanes need to encode a group: the reciprocal and exponent of its step, and its threshold in 32nds of it.
#[derive(Clone, Copy, Bundle)]
pub struct GroupScale {
    /// Reciprocal of the step's mantissa.
    pub r: Signal,
    /// E of the step.
    pub e: Signal,
    /// What is taken off a magnitude in 32nds of a step, modulo `2^(B+6)`: the threshold, less half a step where codes are rounded.
    pub c: Signal,
}

/// Half a step, in 32nds.
pub const HALF_STEP: u32 = 16;

/// What the elements of a vector are encoded with.
#[derive(Clone, Copy, Bundle)]
pub struct Scales {
    /// Middle codes of the negative side, 0 to `2^B`.
    pub split: Signal,
    /// Outer group, positive side.
    pub outer_pos: GroupScale,
    /// Outer group, negative side.
    pub outer_neg: GroupScale,
    /// Middle group; `c` is that of the positive side.
    pub middle: GroupScale,
    /// Negative threshold of the middle group in steps.
    pub middle_c_neg: Signal,
    /// Reciprocal of the inner group's step.
    pub inner_r: Signal,
    /// E of the inner group's step.
    pub inner_e: Signal,
}

/// Shape of the [`Scales`].
pub fn scales(dense_bits: u32) -> Scales {
    let in_steps = bits(in_steps_bits(dense_bits));
    let group = GroupScale { r: bits(10), e: bits(6), c: in_steps };
    Scales {
        split: bits(dense_bits + 1),
        outer_pos: group,
        outer_neg: group,
        middle: group,
        middle_c_neg: in_steps,
        inner_r: bits(10),
        inner_e: bits(6),
    }
}

ports! {
    /// Ports of [`scale`].
    pub struct ScalePorts(dense_bits: u32) {
        /// The maxima of a vector are there.
        input start: Signal = bits(1),
        /// The maxima.
        input maxima: Maxima = maxima_shape(),
        /// The vector held a NaN or an infinity.
        input nonfinite: Signal = bits(1),
        /// The thresholds of the vectors under way.
        input thresholds: Thresholds = thresholds(),
        /// Header and scales of a vector are there.
        output done: Signal = bits(1),
        /// The header of its record, without the bits above those that the split can have.
        output header: Signal = bits(header::varying_bits(dense_bits)),
        /// Its scales.
        output scales: Scales = scales(dense_bits),
    }
}

/// Step units for so many lanes.
fn units(lanes: u32) -> u32 {
    (lanes / 16).max(1)
}

/// Cycles from the maxima to header and scales.
pub fn latency(lanes: u32) -> u32 {
    step_unit::latency(lanes > GROUP) + 4 / units(lanes) + 1
}

/// The four questions of a vector: the order of the steps in the header, the lowest bits first.
fn questions(maxima: Maxima, t: Thresholds) -> [StepItem; 4] {
    let zero = maxima.inner.zeros(15);
    let (no, yes) = (maxima.inner.zeros(1), maxima.inner.lit(1u32, 1));
    let single = |max_a, thr_a| StepItem { max_a, thr_a, max_b: zero, thr_b: zero, middle: no };
    let middle =
        StepItem { max_a: maxima.middle_pos, thr_a: t.t_high, max_b: maxima.middle_neg, thr_b: t.t_low, middle: yes };
    [middle, single(maxima.outer_pos, t.s_high), single(maxima.outer_neg, t.s_low), single(maxima.inner, zero)]
}

/// The scale unit for these parameters.
#[module]
pub fn scale(p: EngineParams) -> Result<Design<ScalePorts>, Errors> {
    let m = Module::new(format!("oaken_scale_p{}{}", p.lanes, p.suffix()));
    m.doc("Turns the maxima of a vector into its steps, their reciprocals, and the thresholds in steps.");
    let io = ScalePorts::new(m, p.dense_bits);
    let units = units(p.lanes) as usize;
    let rounds = 4 / units;
    let unit = step_unit(p.dense_bits, p.wide())?;

    m.section("the questions of a vector, shifted out round by round");
    let asked = questions(io.maxima, io.thresholds);
    let waiting: Vec<StepItem> = (0..4).map(|_| m.reg(step_item())).collect();
    for i in 0..4 {
        let after = if i + units < 4 { waiting[i + units] } else { waiting[i] };
        waiting[i].set(io.start.mux(asked[i], after));
    }

    m.section("the step units");
    let results: Vec<StepResult> = (0..units)
        .map(|i| {
            let step = m.instance(&unit);
            step.item.set(waiting[i]);
            step.result
        })
        .collect();

    m.section("the answers, gathered");
    let kept: Vec<StepResult> = (0..4).map(|_| m.reg(step_result(p.dense_bits))).collect();
    for i in 0..4 {
        let last_round = i >= 4 - units;
        kept[i].set(if last_round { results[i + units - 4] } else { kept[i + units] });
    }
    let cycles = step_unit::latency(p.wide()) + rounds as u32 + 1;
    assert_eq!(cycles, latency(p.lanes));
    let vector = m.pipeline("vector");
    let done = vector.enter_valid(io.start).later(cycles);
    let nonfinite = vector.enter(io.nonfinite).meet(done);
    io.done.set(vector.leave(done));
    answer(io, vector.leave(nonfinite), [kept[0], kept[1], kept[2], kept[3]]);
    m.finish(io)
}

/// Header and scales, from the steps in the order of the questions.
#[module]
fn answer(io: ScalePorts, nonfinite: Signal, steps: [StepResult; 4]) {
    let [middle, outer_pos, outer_neg, inner] = steps;
    let step = |a: StepResult| a.e.cat(a.f);
    io.header.set(header::varying([middle, outer_pos, outer_neg, inner].map(step), middle.split, nonfinite));
    let group = |a: StepResult, c: Signal| GroupScale { r: a.r, e: a.e, c };
    let outer = |a: StepResult| group(a, a.c_a - HALF_STEP);
    io.scales.set(Scales {
        split: middle.split,
        outer_pos: outer(outer_pos),
        outer_neg: outer(outer_neg),
        middle: group(middle, middle.c_a),
        middle_c_neg: middle.c_b,
        inner_r: inner.r,
        inner_e: inner.e,
    });
}
