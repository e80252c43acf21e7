//! Rotation of the bytes of a beat by a number that a signal gives: a multiplexer for each of its bits.

use hdl::Signal;

/// The lane `by` comes to lane 0, those below it to the highest. Lanes of `lane` bits, as many as `by` can tell.
pub fn rotate_down(x: Signal, by: Signal, lane: u32) -> Signal {
    (0..by.width()).fold(x, |x, level| {
        let bits = lane << level;
        by.bit(level).mux(x.trunc(bits).cat(x.drop_low(bits)), x)
    })
}

/// Lane 0 comes to the lane `by`, the highest to those below it.
pub fn rotate_up(x: Signal, by: Signal, lane: u32) -> Signal {
    (0..by.width()).fold(x, |x, level| {
        let rest = x.width() - (lane << level);
        by.bit(level).mux(x.trunc(rest).cat(x.drop_low(rest)), x)
    })
}
