//! Zero-remove shifter: moves the entries of a beat's outliers together, in order (the paper's section 5.2 and figure 9a).
//!
//! Each entry moves down by the number of lanes below it without one. The distance is sent along and worked off bit by bit,
//! lowest first; two entries never meet, because of two neighbours the lower one's distance is at most as large. A stage of
//! the engine's pipeline for the counts and one for every two levels of the network.

use hdl::*;

/// `entries[i]` is there when `present[i]` is 1. The entries that are there, moved together, and how many they are (known some
/// stages earlier); the places behind them hold anything.
#[module]
pub fn compact(entries: &[Signal], present: &[Signal]) -> (Vec<Signal>, Signal) {
    let lanes = entries.len();
    if lanes == 1 {
        return (vec![entries[0].next()], present[0].next());
    }
    let width = clog2(lanes + 1);
    // how many lanes below are empty, and how many entries there are
    let empty: Vec<Signal> = present.iter().map(|p| !*p).collect();
    let distance: Vec<Signal> = (0..lanes).map(|i| count(&empty[..i], width).unwrap_or(entries[0].zeros(width)).next()).collect();
    let total = count(present, width).unwrap_or(entries[0].zeros(width)).next();

    let mut slots: Vec<(Signal, Signal)> = entries.iter().map(|e| e.next()).zip(distance).collect();
    for level in 0..clog2(lanes) {
        slots = (0..lanes).map(|i| shift(&slots, i, level)).collect();
        if level % 2 == 1 || level + 1 == clog2(lanes) {
            slots = slots.into_iter().map(|s| s.next()).collect();
        }
    }
    (slots.into_iter().map(|s| s.0).collect(), total)
}

/// Slot `i` after a level: what comes from `2^level` above if that has to move by it, else what is there.
fn shift(slots: &[(Signal, Signal)], i: usize, level: u32) -> (Signal, Signal) {
    match slots.get(i + (1 << level)) {
        Some(above) => above.1.bit(level).mux(*above, slots[i]),
        None => slots[i],
    }
}

/// The number of ones, `None` for no bits. A balanced tree of adders.
fn count(bits: &[Signal], width: u32) -> Option<Signal> {
    match bits {
        [] => None,
        [one] => Some(one.zext(width)),
        _ => {
            let (low, high) = bits.split_at(bits.len() / 2);
            Some(count(low, width)? + count(high, width)?)
        }
    }
}
