//! Step unit: from the range of a group to its step, the reciprocal of the step, and the thresholds in steps.
//!
//! Implements steps 3, 4, 5 and 8 of the reference encoder (docs/oaken-format.md, section 5; the paper's equation 2). The two
//! ranges `a` and `b` are those of the positive and the negative side of the middle group, which share a step; the other groups
//! use `a` alone. The arithmetic is exact: 40-bit integers in units of 2^-24.
//!
//! Ports: an item a cycle, no handshake; see [`StepPorts`]. Latency: [`latency`] cycles. Nothing is combinational from port to
//! port. Parameters: the width of dense codes, and `fast`, with which it has registers in the middle of its longest stages.

use super::align::{align, in_steps_bits, normal, product, shift_amount};
use super::types::width_suffix;
use crate::float::divide_by_ones::{digit_sum, quotient};
use crate::float::half::{to_fixed, unpack};
use crate::float::leading_zeros::leading_zeros;
use crate::float::reciprocal::reciprocal;
use hdl::*;

/// Cycles from an item to its result.
pub const fn latency(fast: bool) -> u32 {
    if fast { 19 } else { 14 }
}

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
    /// The middle group: the range has as many steps as there are codes, else one less.
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
    /// Threshold `a` in 32nds of a step, modulo `2^(B+6)`.
    pub c_a: Signal,
    /// Threshold `b` in 32nds of a step, modulo `2^(B+6)`.
    pub c_b: Signal,
    /// Middle codes of the negative side, 0 to `2^B`.
    pub split: Signal,
}

/// Shape of a [`StepResult`].
pub fn step_result(dense_bits: u32) -> StepResult {
    let in_steps = bits(in_steps_bits(dense_bits));
    StepResult { e: bits(6), f: bits(7), r: bits(10), c_a: in_steps, c_b: in_steps, split: bits(dense_bits + 1) }
}

ports! {
    /// Ports of [`step_unit`].
    pub struct StepPorts(dense_bits: u32) {
        /// An item, every cycle.
        input item: StepItem = step_item(),
        /// Its result, [`latency`] cycles later.
        output result: StepResult = step_result(dense_bits),
    }
}

/// The least E that the format allows beside a threshold: the position of its highest bit less 6, at least 1.
pub fn least_e(threshold: Signal) -> Signal {
    let (exp, frac) = (threshold.drop_low(10), threshold.trunc(10));
    let subnormal = frac.bit(9).mux(threshold.lit(3u32, 6), frac.bit(8).mux(threshold.lit(2u32, 6), 1));
    exp.any().mux(exp.zext(6) + 3, subnormal)
}

/// The step unit for codes of so many bits.
#[module]
pub fn step_unit(dense_bits: u32, fast: bool) -> Result<Design<StepPorts>, Errors> {
    let m = Module::new(format!("oaken_step_unit{}{}", if fast { "_fast" } else { "" }, width_suffix(dense_bits)));
    m.doc("From the range of a group to its step, the step's reciprocal, and the thresholds in steps.");
    m.latency(latency(fast));
    let io = StepPorts::new(m, dense_bits);
    let p = m.pipeline("step");
    let item = p.enter(io.item);

    m.section("stage 1: fixed point");
    let sides = fixed_point(item, fast);
    m.section("stages 2 and 3: the range after the group shift; an empty side has none");
    let (range, any_a, any_b) = range(sides);
    m.section("stages 4 to 6: its leading bits, eight more than a code has, rounded up");
    let leading = leading_bits(range, 8 + dense_bits, fast);
    m.section("stages 7 and 8: the share of a code, rounded up");
    let quotient = share(leading.rounded, item.middle, dense_bits);
    m.section("meanwhile: E for a mantissa below 2, and for one that was rounded up to it; not below the least one");
    let exponents = exponents(leading.zeros, sides.least, quotient, dense_bits);
    m.section("stage 9: the step");
    let (e, f) = step(quotient, exponents, leading.some);
    m.section("stage 10: the reciprocal");
    let r = fast_stage(reciprocal(m, f), fast);
    let r = e.any().meet(r).mux(r, 0).next();
    m.section("stages 11 and 12: the thresholds and the largest negative magnitude in steps");
    let bits = in_steps_bits(dense_bits);
    let in_steps = |magnitude| in_steps(magnitude, e, r, bits, fast);
    let (c_a, c_b, largest) = (in_steps(item.thr_a), in_steps(item.thr_b), in_steps(item.max_b));
    m.section("stages 13 and 14: how many codes the negative side gets");
    let split = split(largest, c_b, any_a, any_b);

    let result = StepResult {
        e: e.meet(split),
        f: f.meet(split),
        r: r.meet(split),
        c_a: c_a.meet(split),
        c_b: c_b.meet(split),
        split,
    };
    assert_eq!(p.stage_of(split), Some(latency(fast)), "the stages and `latency` differ");
    io.result.set(p.leave(result));
    m.finish(io)
}

/// With a register behind it in the fast unit.
fn fast_stage<B: Bundle>(x: B, fast: bool) -> B {
    if fast { x.next() } else { x }
}

/// The two sides in fixed point.
#[derive(Clone, Copy)]
struct Sides {
    /// The largest magnitudes.
    x_a: Signal,
    x_b: Signal,
    /// The thresholds.
    t_a: Signal,
    t_b: Signal,
    /// The side has elements.
    there_a: Signal,
    there_b: Signal,
    /// The least E beside the thresholds.
    least: Signal,
}

#[module]
fn fixed_point(item: StepItem, fast: bool) -> Sides {
    let fixed = |magnitude| to_fixed(fast_stage(unpack(magnitude), fast)).next();
    let (x_a, t_a) = (fixed(item.max_a), fixed(item.thr_a));
    let (x_b, t_b) = (fixed(item.max_b), fixed(item.thr_b));
    let there_a = item.max_a.any().meet(x_a);
    let there_b = item.max_b.any().meet(x_a);
    let least_a = least_e(item.thr_a);
    let least_b = least_e(item.thr_b);
    let least = least_a.gt(least_b).mux(least_a, least_b).meet(x_a);
    Sides { x_a, x_b, t_a, t_b, there_a, there_b, least }
}

/// The range of both sides together, and whether each has one.
#[module]
fn range(x: Sides) -> (Signal, Signal, Signal) {
    let d_a = x.there_a.mux(x.x_a - x.t_a, 0).next();
    let d_b = x.there_b.mux(x.x_b - x.t_b, 0).next();
    let range = (d_a.zext(41) + d_b.zext(41)).next();
    let any_a = d_a.any().next();
    let any_b = d_b.any().next();
    (range, any_a, any_b)
}

/// The beginning of a range.
#[derive(Clone, Copy)]
struct Leading {
    /// Its leading zeros.
    zeros: Signal,
    /// It is not 0.
    some: Signal,
    /// Its leading bits, rounded up, with a carry.
    rounded: Signal,
}

#[module]
fn leading_bits(range: Signal, number: u32, fast: bool) -> Leading {
    let zeros = leading_zeros(range).next();
    let some = range.any().next();
    let normalised = match fast {
        // the large distances, then the small ones
        true => {
            let near = (range.meet(zeros) << zeros.drop_low(3).cat(zeros.zeros(3))).next();
            (near << zeros.trunc(3).meet(near)).next()
        }
        false => (range.meet(zeros) << zeros).next(),
    };
    let below = normalised.width() - number;
    let rest = normalised.trunc(below).any();
    let rounded = (normalised.drop_low(below).zext(number + 1) + rest.zext(number + 1)).next();
    Leading { zeros, some, rounded }
}

/// The share of a code: of `2^B` in the middle group, else of `2^B - 1`.
#[module]
fn share(rounded: Signal, middle: Signal, b: u32) -> Signal {
    let codes = 1 << b;
    let digits = digit_sum(rounded.zext(10 + b) + (codes - 2), b).next();
    let of_all = (rounded.zext(10 + b) + (codes - 1)).drop_low(b).next();
    let middle = middle.meet(of_all);
    middle.mux(of_all, quotient(digits, b)).next()
}

/// E of a step.
#[derive(Clone, Copy)]
struct Exponent {
    e: Signal,
    /// The step would be finer than the thresholds allow: the least E, with the mantissa 1.
    too_fine: Signal,
}

/// E for a mantissa below 2, and for one that was rounded up to it.
#[module]
fn exponents(zeros: Signal, least: Signal, quotient: Signal, b: u32) -> [Exponent; 2] {
    // E = k + 1 - B (+ 1), k = 40 - zeros the highest bit of the range; compared with B - 1 added on both sides to stay positive
    let k = (zeros.lit(40u32, 7) - zeros.zext(7)).next();
    let least = least.meet(k);
    let raised = least.zext(7) + (b - 1);
    let exponent = |k: Signal| {
        let too_fine = k.lt(raised);
        (too_fine.mux(least, (k - (b - 1)).trunc(6)).next().meet(quotient), too_fine.next().meet(quotient))
    };
    let (e_of_small, small_too_fine) = exponent(k);
    let (e_of_big, big_too_fine) = exponent(k + 1);
    [Exponent { e: e_of_small, too_fine: small_too_fine }, Exponent { e: e_of_big, too_fine: big_too_fine }]
}

/// E and F; both 0 without `some` range.
#[module]
fn step(quotient: Signal, [small, large]: [Exponent; 2], some: Signal) -> (Signal, Signal) {
    let big = quotient.drop_low(8).any();
    let halved = (quotient + 1).drop_low(1);
    let fraction = big.mux(halved.trunc(7), quotient.trunc(7));
    let chosen = big.mux(large.e, small.e);
    let too_fine = big.mux(large.too_fine, small.too_fine);
    let some = some.meet(quotient);
    let e = some.mux(chosen, 0).next();
    let f = (some & !too_fine).mux(fraction, 0).next();
    (e, f)
}

/// A magnitude in 32nds of the step with exponent `e` and reciprocal `r`, modulo `2^bits`.
#[module]
fn in_steps(magnitude: Signal, e: Signal, r: Signal, bits: u32, fast: bool) -> Signal {
    let normal = normal(magnitude.meet(e)).meet(r);
    let x = magnitude.meet(r);
    // registers beside the multiplier
    let (x, normal, e, r) = fast_stage((x, normal, e.meet(r), r), fast);
    let product = fast_stage(product(x, normal, r).next(), fast);
    let amount = shift_amount(x, normal, e).next().meet(product);
    align(product, amount, bits).next()
}

/// The codes of the negative side: as many as its range needs, and one at least for a side that has a range.
#[module]
fn split(largest: Signal, c_b: Signal, any_a: Signal, any_b: Signal) -> Signal {
    let cells = ((largest - c_b + 16).drop_low(5)).next();
    let (any_a, any_b) = (any_a.meet(cells), any_b.meet(cells));
    let codes = 1u32 << (cells.width() - 1);
    let most = any_a.mux(cells.lit(codes - 1, cells.width()), codes);
    let limited = cells.gt(most).mux(most, cells);
    let at_least_one = limited.any().mux(limited, 1);
    any_b.mux(at_least_one, 0).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use hdl::engine::Engine;

    /// The magnitude integer of the format.
    fn x(magnitude: u64) -> u128 {
        let (e, f) = (magnitude >> 10, u128::from(magnitude & 1023));
        if e == 0 { f } else { (1024 + f) << (e - 1) }
    }

    /// Steps 4, 5 and 8 of the format's encoder, by search and division.
    fn model(max_a: u64, thr_a: u64, max_b: u64, thr_b: u64, middle: bool, b: u32) -> [u64; 6] {
        let d = |max, thr| if max == 0 { 0 } else { x(max) - x(thr) };
        let (d_a, d_b) = (d(max_a, thr_a), d(max_b, thr_b));
        let range = d_a + d_b;
        let codes = 1u64 << b;
        let n = u128::from(if middle { codes } else { codes - 1 });
        let least = [thr_a, thr_b].map(|t| if t == 0 { 1 } else { (127 - x(t).leading_zeros() as i64 - 6).max(1) });
        let least = least[0].max(least[1]) as u64;
        let (mut e, mut f) = (0, 0);
        if range > 0 {
            // a step is m * 2^(E-32), a range is in units of 2^-24: covered when m * 2^E * n >= range * 2^8
            let covers = |e: u64, m: u128| (m << e) * n >= range << 8;
            e = (1..).find(|e| covers(*e, 255)).expect("covered");
            f = (0..128).find(|f| covers(e, 128 + u128::from(*f as u64))).expect("covered");
            if e < least {
                (e, f) = (least, 0);
            }
        }
        let r = if range == 0 { 0 } else { (1 << 16) / (128 + f) };
        let in_steps = |magnitude: u64| if r == 0 { 0 } else { (x(magnitude) * u128::from(r as u64)) >> (e + 3) };
        let modulo = |v: u128| (v % (u128::from(codes) * 64)) as u64;
        let cells = if d_b == 0 { 0 } else { ((in_steps(max_b) - in_steps(thr_b) + 16) / 32) as u64 };
        let split = if d_b == 0 { 0 } else { cells.clamp(1, if d_a > 0 { codes - 1 } else { codes }) };
        [e, f as u64, r as u64, modulo(in_steps(thr_a)), modulo(in_steps(thr_b)), split]
    }

    #[test]
    fn equals_the_format_on_random_ranges() {
        for (dense_bits, fast) in (3..=6).flat_map(|dense_bits| [(dense_bits, false), (dense_bits, true)]) {
            equals_the_format(dense_bits, fast, if dense_bits == 4 { 20_000 } else { 5_000 });
        }
    }

    fn equals_the_format(dense_bits: u32, fast: bool, items: u32) {
        let design = step_unit(dense_bits, fast).unwrap_or_else(|e| panic!("{e}"));
        let mut sim = jit::simulator(&design);
        let mut rng = Rng::with_seed(::sim::bus::seed(11));
        for i in 0..items {
            let threshold = |rng: &mut Rng| match rng.u32(0..4) {
                0 => 0,
                1 => rng.u64(0..2048),
                _ => rng.u64(0..0x7a00),
            };
            // above the threshold by a little, by anything, or an empty group
            let above = |rng: &mut Rng, t: u64| match rng.u32(0..4) {
                0 => 0,
                1 => t + rng.u64(1..=4),
                _ => rng.u64(t + 1..0x7c00),
            };
            let (thr_a, thr_b) = (threshold(&mut rng), threshold(&mut rng));
            let (max_a, max_b) = (above(&mut rng, thr_a), above(&mut rng, thr_b));
            let middle = rng.bool();
            let (max_b, thr_b) = if middle { (max_b, thr_b) } else { (0, 0) };
            for (port, value) in [max_a, thr_a, max_b, thr_b, u64::from(middle)].into_iter().enumerate() {
                sim.poke(port, value);
            }
            (0..latency(fast)).for_each(|_| sim.step());
            let got: Vec<u64> = (5..11).map(|port| sim.peek(port)).collect();
            let want = model(max_a, thr_a, max_b, thr_b, middle, dense_bits);
            assert_eq!(got, want, "{dense_bits} bits, item {i}: {max_a:#x} {thr_a:#x} {max_b:#x} {thr_b:#x} {middle}");
        }
    }
}
