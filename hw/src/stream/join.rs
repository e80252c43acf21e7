//! Join: several streams to one; a word of the result is one word of each.
//!
//! The result is valid when all inputs are, and they are all taken together.
//!
//! - Inputs: any payloads, built into the module that calls.
//! - Latency 0; 1 transfer in every cycle.
//! - Combinational paths: `valid` and payload of the inputs to the result; `ready` of the result and `valid` of the
//!   inputs to `ready` of the inputs.

use hdl::{Bundle, Module, Signal, Stream, bits, cat};

/// Two streams to one with both payloads. For three, join twice.
#[track_caller]
pub fn join<A: Bundle, B: Bundle>(m: Module, a: Stream<A>, b: Stream<B>) -> Stream<(A, B)> {
    let (valid, ready) = handshake(m, &[(a.valid, a.ready), (b.valid, b.ready)]);
    Stream { valid, ready, payload: (a.payload, b.payload) }
}

/// Streams of one payload to one stream of all payloads side by side, that of the first in the low bits.
///
/// # Panics
/// If there are no streams.
#[track_caller]
pub fn join_many<P: Bundle>(m: Module, streams: &[Stream<P>]) -> Stream<Signal> {
    assert!(!streams.is_empty(), "a join of no streams");
    let handshakes: Vec<_> = streams.iter().map(|s| (s.valid, s.ready)).collect();
    let payloads: Vec<_> = streams.iter().rev().map(|s| s.payload.pack()).collect();
    let (valid, ready) = handshake(m, &handshakes);
    Stream { valid, ready, payload: cat(&payloads) }
}

/// Valid and ready of the join of streams of which (valid, ready) are given.
#[track_caller]
fn handshake(m: Module, streams: &[(Signal, Signal)]) -> (Signal, Signal) {
    let valid = streams.iter().map(|s| s.0).reduce(|all, valid| all & valid).unwrap_or(m.lit(0u32, 1));
    let ready = m.wire(bits(1));
    streams.iter().for_each(|(_, to)| to.set(valid & ready));
    (valid, ready)
}

#[cfg(test)]
mod tests;
