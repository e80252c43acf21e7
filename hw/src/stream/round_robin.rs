//! Round robin: who is next, of several that ask.
//!
//! The one granted is the first that asks after the one granted last, and the first of all if none after it does. So
//! whoever asks until it is granted, is granted after at most all the others have been granted once.
//!
//! Built into the module that calls; a mask of `inputs` registers. Combinational from `requests` to the grant.

use hdl::{Bundle, Module, Signal, bits, cat, clog2, module};

/// Who is granted.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    /// Someone asks.
    pub any: Signal,
    /// The bit of the one granted; none if nobody asks.
    pub one_hot: Signal,
    /// Its number; 0 if nobody asks.
    pub index: Signal,
}

/// Who of `requests` (one bit each, at least two) is granted; the turn passes on in cycles in which `advance` is 1.
#[module]
pub fn round_robin(m: Module, requests: Signal, advance: Signal) -> Grant {
    let inputs = requests.width();
    let later = m.reg_reset(bits(inputs), 0).comment("those after the one granted last");
    let first = requests & later;
    let any_later = first.any();
    let after_first = after_lowest(first);
    let after_request = after_lowest(requests);
    let after = any_later.mux(after_first, after_request);
    let one_hot = any_later.mux(first, requests) & !after;
    m.when(advance, || later.set(after));
    let index: Vec<Signal> = (0..clog2(inputs as usize)).rev().map(|bit| bit_of_index(one_hot, bit)).collect();
    Grant { any: requests.any(), one_hot, index: cat(&index) }
}

/// The places above the lowest 1, by doubling.
fn after_lowest(x: Signal) -> Signal {
    let steps = clog2(x.width() as usize);
    (0..steps).fold(x << 1u32, |above, step| above | (above << (1u32 << step)))
}

/// Bit `bit` of the number of the place that is 1.
fn bit_of_index(one_hot: Signal, bit: u32) -> Signal {
    let places = (0..one_hot.width()).filter(|place| place >> bit & 1 == 1).map(|place| one_hot.bit(place));
    places.reduce(|any, place| any | place).unwrap_or(one_hot.zeros(1))
}
