//! The interval of a score less the maximum: how many lower bounds are below it (docs/lad.md, section 4).
//!
//! | port | |
//! | --- | --- |
//! | `advance` | 0: all of it stands |
//! | `x` | a score less the maximum, two's complement |
//! | `bounds` | the lower bounds of the intervals from 1 on; they stand still while something is under way |
//! | `interval` | its number; a register |
//!
//! - Parameter: `intervals`, 4 to 16, with interval 0. Latency: [`LATENCY`] cycles. One interval a cycle. No combinational paths.
//! - Interval i is `(lo_i, lo_(i+1)]`: on a bound, x belongs to the interval below it. Above 0 it is the highest one.

use super::apid_types::MODE_BITS;
use super::score_types::SCORE_BITS;
use hdl::logic::popcount;
use hdl::*;
use std::ops::RangeInclusive;

/// How many intervals there may be.
pub const INTERVALS: RangeInclusive<u32> = 4..=16;
/// Cycles.
pub const LATENCY: u32 = 2;
/// Bits of a score less the maximum.
pub const X_BITS: u32 = SCORE_BITS + 1;

ports! {
    /// Ports of an interval search.
    pub struct IntervalSearchPorts(intervals: u32) {
        /// It does not stand.
        input advance: Signal = bits(1),
        /// A score less the maximum.
        input x: Signal = bits(X_BITS),
        /// Lower bounds from interval 1 on.
        input bounds: Vector<Signal> = vector(bits(SCORE_BITS), intervals as usize - 1),
        /// Where it lies.
        output interval: Signal = bits(MODE_BITS),
    }
}

/// An interval search.
#[module]
pub fn interval_search(intervals: u32) -> Result<Design<IntervalSearchPorts>, Errors> {
    let name = format!("interval_search_{intervals}");
    if !INTERVALS.contains(&intervals) {
        let what = format!("intervals = {intervals} is out of range");
        return Err(Errors::parameter(&name, what, "from 4 to 16: a mode has 4 bits, and fewer lines are too coarse"));
    }
    let m = Module::new(name);
    m.doc("The number of lower bounds that are below a score less the maximum.");
    m.latency(LATENCY);
    let io = IntervalSearchPorts::new(m, intervals);
    let pipeline = m.pipeline_enabled("search", io.advance);
    let x = pipeline.enter(io.x);
    let bounds = pipeline.constant(io.bounds);
    let above = bounds.iter().map(|bound| x.gt_signed(bound.sext(X_BITS)));
    let above = Vector::of(above).pack().next();
    let interval = popcount(above);
    let interval = if interval.width() < MODE_BITS { interval.zext(MODE_BITS) } else { interval.trunc(MODE_BITS) };
    io.interval.set(pipeline.leave(interval.next()));
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::golden::lad::{Coefficient, Table};
    use fastrand::Rng;
    use hdl::engine::Engine;
    use std::collections::VecDeque;

    #[test]
    fn intervals_are_those_of_the_model() {
        for intervals in [4, 5, 8, 16] {
            let design = interval_search(intervals).unwrap();
            let mut sim = jit::simulator(&design);
            let io = &design.ports;
            let mut rng = Rng::with_seed(::sim::bus::run_seed(intervals.into()));
            for _ in 0..40 {
                let lowest = [1 << 27, 10 << 16, 40][rng.usize(0..3)];
                let mut bounds = vec![-1];
                while bounds.len() < intervals as usize - 1 {
                    let bound = -rng.i32(1..=lowest);
                    bounds.extend((!bounds.contains(&bound)).then_some(bound));
                }
                bounds.sort_unstable();
                for (port, bound) in io.bounds.iter().zip(&bounds) {
                    sim.poke(*port, u64::from(*bound as u32) & 0xfff_ffff);
                }
                let zeros = vec![Coefficient::default(); intervals as usize];
                let table = Table { bounds: bounds.clone(), a: zeros.clone(), b: zeros };
                let mut due = VecDeque::new();
                for _ in 0..400 {
                    let near = bounds[rng.usize(0..bounds.len())] + rng.i32(-1..=1);
                    let x = [near, near, -rng.i32(0..1 << 28), 0, 1 - (1 << 28)][rng.usize(0..5)].min(0);
                    let advance = rng.u8(0..8) > 0;
                    sim.poke(io.advance, u64::from(advance));
                    sim.poke(io.x, u64::from(x as u32) & 0x1fff_ffff);
                    sim.step();
                    if advance {
                        due.push_back(x);
                        if due.len() == LATENCY as usize {
                            let x = due.pop_front().expect("it was sent");
                            assert_eq!(sim.peek(io.interval), table.interval(x) as u64, "{x} in {bounds:?}");
                        }
                    }
                }
            }
        }
    }
}
