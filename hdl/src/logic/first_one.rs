//! Priority encoders: the first or the last bit that is 1.

use crate::build::cat;
use crate::ir::Signal;

/// A bit that was looked for.
#[derive(Clone, Copy, Debug, hdl::Bundle)]
pub struct Found {
    /// There is one.
    pub any: Signal,
    /// Its number, `clog2` of the width bits wide; 0 if there is none.
    pub index: Signal,
}

/// The lowest bit that is 1. Combinational: a balanced tree.
///
/// 3, 34, 40, 63 and 117 LUT4 for 4, 8, 16, 32 and 64 bits.
#[track_caller]
pub fn first_one(x: Signal) -> Found {
    found(x, |low, high| (high & !low, low))
}

/// The highest bit that is 1. Combinational: a balanced tree.
///
/// 3, 17, 27, 55 and 108 LUT4 for 4, 8, 16, 32 and 64 bits.
#[track_caller]
pub fn last_one(x: Signal) -> Found {
    found(x, |_, high| (high, !high))
}

/// Only the lowest bit that is 1, one-hot; 0 if there is none. Combinational: a carry chain as long as `x`.
///
/// 1 LUT4 for each bit, and a carry cell (CCU2C) for every two of them from 8 bits on.
#[track_caller]
pub fn only_first_one(x: Signal) -> Signal {
    x & (x.zeros(x.width()) - x)
}

/// `choose` tells from whether there are any in the low and in the high half: is it in the high half, and is the low half the one
/// to look at?
#[track_caller]
fn found(x: Signal, choose: impl Fn(Signal, Signal) -> (Signal, Signal) + Copy) -> Found {
    let (any, index) = search(x, choose);
    Found { any, index: index.unwrap_or(x.zeros(1)) }
}

#[track_caller]
fn search(x: Signal, choose: impl Fn(Signal, Signal) -> (Signal, Signal) + Copy) -> (Signal, Option<Signal>) {
    if x.width() == 1 {
        return (x, None);
    }
    // the low half is full, the high one may lack places
    let half = x.width().next_power_of_two() / 2;
    let (any_low, of_low) = search(x.trunc(half), choose);
    let (any_high, of_high) = search(x.drop_low(half), choose);
    let (high, low_first) = choose(any_low, any_high);
    let rest = of_low.map(|low| low_first.mux(low, of_high.map_or(low.zeros(low.width()), |s| s.zext(low.width()))));
    let index = rest.map_or(high, |rest| cat(&[high, rest]));
    (any_low | any_high, Some(index))
}
