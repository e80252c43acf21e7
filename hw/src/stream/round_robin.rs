//! Round robin: who is next, of several that ask.
//!
//! The one granted is the first that asks after the one granted last, and the first of all if none after it does. So
//! whoever asks until it is granted, is granted after at most all the others have been granted once.
//!
//! Built into the module that calls; a mask of `inputs` registers. Combinational from `requests` to the grant.

use hdl::logic::index_of_one_hot;
use hdl::{Bundle, Module, Signal, bits, clog2, module};

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
    Grant { any: requests.any(), one_hot, index: index_of_one_hot(one_hot) }
}

/// The places above the lowest 1, by doubling.
fn after_lowest(x: Signal) -> Signal {
    let steps = clog2(x.width() as usize);
    (0..steps).fold(x << 1u32, |above, step| above | (above << (1u32 << step)))
}
