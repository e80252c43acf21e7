//! Lanes of a beat, by a number that a signal gives: their rotation, with a multiplexer for each bit of the number, and masks.

use hdl::{Signal, cat};

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

/// Of so many lanes a bit for each: it is not above `last`.
pub fn lanes_up_to(last: Signal, lanes: u32) -> Signal {
    let lane = |lane| if lane == 0 { last.lit(1u32, 1) } else { last.ge(lane) };
    cat(&(0..lanes).rev().map(lane).collect::<Vec<_>>())
}

/// Of so many lanes a bit for each: it is below `first`.
pub fn lanes_below(first: Signal, lanes: u32) -> Signal {
    let lane = |lane| if lane + 1 == lanes { first.zeros(1) } else { first.gt(lane) };
    cat(&(0..lanes).rev().map(lane).collect::<Vec<_>>())
}
