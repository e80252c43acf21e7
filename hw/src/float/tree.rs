//! Balanced adder tree: the sum of a vector, a vector a cycle.
//!
//! Neighbours are added pairwise, then their sums, and so on: `(x0 + x1) + (x2 + x3)` for four lanes. Where a level has an
//! odd number of values, its last one goes on to the next level as it is. Every addition rounds, so the order is part of the
//! result.
//!
//! | port | |
//! | --- | --- |
//! | `x`, `in_valid` | the vector, lane 0 in the low bits; `in_valid` only travels along |
//! | `y`, `out_valid` | the sum, `latency` cycles later |
//!
//! - Parameters: format (2 to 8 exponent bits, 1 to 23 fraction bits), subnormals kept or flushed in every addition, lanes 2 to
//!   [`MAX_LANES`], latency 0 to [`natural`] of the lanes, spread over the levels.
//! - One sum a cycle. With latency 0 all paths are combinational, else none from port to port.

use super::add::{self, add};
use super::beside::sum_of;
use super::format::{Format, Subnormals};
use super::stages::{Stages, check_latency};
use hdl::*;

/// The most lanes: wider vectors no device has the adders for.
pub const MAX_LANES: u32 = 256;

ports! {
    /// Ports of an adder tree.
    pub struct TreePorts(f: Format, lanes: u32) {
        /// the vector is there
        input in_valid: Signal = bits(1),
        /// the vector, lane 0 in the low bits
        input x: Signal = bits(f.width() * lanes),
        /// the sum is there
        output out_valid: Signal = bits(1),
        /// sum
        output y: Signal = bits(f.width()),
    }
}

/// Natural depth for so many lanes.
pub fn natural(lanes: u32) -> u32 {
    add::NATURAL * clog2(lanes as usize)
}

/// An adder tree.
#[module]
pub fn tree(f: Format, subnormals: Subnormals, lanes: u32, latency: u32) -> Result<Design<TreePorts>, Errors> {
    let name = format!("{}_x{lanes}_l{latency}", f.name("tree", subnormals));
    f.check(&name)?;
    check_lanes(&name, lanes)?;
    check_latency(&name, latency, natural(lanes))?;
    let m = Module::new(name);
    m.doc("Balanced floating point adder tree.");
    let io = TreePorts::new(m, f, lanes);
    let s = Stages::new(m, natural(lanes), latency);
    io.out_valid.set(s.valid(io.in_valid));
    let mut level = s.enter(io.x).lanes(f.width());
    for depth in 0..clog2(lanes as usize) {
        let cycles = s.between(depth * add::NATURAL, (depth + 1) * add::NATURAL);
        let unit = add(f, subnormals, cycles)?;
        let mut sums = vec![];
        for pair in level.chunks(2) {
            sums.push(match pair {
                [left, right] => sum_of(m, &unit, *left, *right),
                _ => pair[0].later(cycles),
            });
        }
        level = sums;
    }
    io.y.set(s.leave_cut(level[0]));
    m.finish(io)
}

/// The sum of a vector, of an instance of the caller whose valid bit travels beside it.
#[module]
pub fn sum_of_all(m: Module, unit: &Instance<TreePorts>, x: Signal) -> Signal {
    unit.in_valid.set(m.lit(0u32, 1));
    unit.out_valid.unused();
    unit.x.set(x);
    unit.y
}

/// An error if there cannot be so many lanes; `at` names the unit.
pub fn check_lanes(at: &str, lanes: u32) -> Result<(), Errors> {
    if (2..=MAX_LANES).contains(&lanes) {
        return Ok(());
    }
    let help = format!("2 to {MAX_LANES}: one lane has no adder, and wider vectors no device has the adders for");
    Err(Errors::parameter(at, format!("{lanes} lanes"), help))
}
