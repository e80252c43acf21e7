//! The rules that every stream and every response channel must keep.

use super::ports::StreamPorts;
use super::stream::limbs_of;
use crate::engine::big_from_limbs;
use num_bigint::BigUint;
use std::fmt;

/// A rule that was broken, or a test that does not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BusError {
    /// The clock edge before which it was seen, counted from the start of the bench.
    pub cycle: u64,
    /// Seed of the bench: it brings the error back.
    pub seed: u64,
    /// The valid port of the stream.
    pub port: String,
    /// What is wrong.
    pub rule: Rule,
}

/// What a design can do wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Valid fell before the beat was taken.
    ValidFell,
    /// The payload changed while the receiver was not ready.
    PayloadChanged {
        /// The field of the payload.
        field: String,
        /// Its value one cycle before.
        from: BigUint,
        /// Its value now.
        to: BigUint,
    },
    /// Valid depends on ready within a cycle.
    ValidWaits(u8, u8),
    /// The payload depends on ready within a cycle.
    PayloadDependsOnReady,
    /// Valid is 1 in reset.
    ValidInReset,
    /// A response is offered to no request.
    NoRequest {
        /// Number of the response, from 1.
        response: usize,
        /// Requests that were complete.
        requests: usize,
    },
    /// A response code that AXI4-Lite does not have.
    ResponseCode(u64),
    /// The beats did not arrive.
    Timeout {
        /// Beats that arrived.
        received: usize,
        /// Beats that were waited for.
        wanted: usize,
        /// How long.
        cycles: u64,
    },
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let BusError { cycle, seed, port, rule } = self;
        write!(f, "cycle {cycle}, seed {seed}: `{port}`: {rule}")
    }
}

impl std::error::Error for BusError {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Rule::ValidFell => write!(f, "valid fell before the transfer"),
            Rule::PayloadChanged { field, from, to } => {
                write!(f, "`{field}` changed from {from:#x} to {to:#x} before the transfer")
            }
            Rule::ValidWaits(valid, ready) => write!(f, "valid waits for ready: it is {valid} when ready is {ready}"),
            Rule::PayloadDependsOnReady => write!(f, "the payload depends on ready within a cycle"),
            Rule::ValidInReset => write!(f, "valid is 1 in reset"),
            Rule::NoRequest { response, requests } => {
                write!(f, "response {response} without a request: only {requests} were complete before this cycle")
            }
            Rule::ResponseCode(code) => {
                write!(f, "the response code {code} is not one of AXI4-Lite (0 OKAY, 2 SLVERR, 3 DECERR)")
            }
            Rule::Timeout { received, wanted, cycles } => {
                write!(f, "{received} of {wanted} beats after {cycles} cycles")
            }
        }
    }
}

/// Watches one stream that a design gives.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamChecker {
    /// The payload that was offered in the last cycle and not taken.
    waiting: Option<Vec<u64>>,
}

impl StreamChecker {
    /// One cycle: what the design offers, and whether it is taken.
    pub fn observe(&mut self, ports: &StreamPorts, valid: bool, ready: bool, payload: &[u64]) -> Result<(), Rule> {
        let waiting = self.waiting.take();
        if let Some(before) = waiting {
            if !valid {
                return Err(Rule::ValidFell);
            }
            if before != payload {
                return Err(changed(ports, &before, payload));
            }
        }
        self.waiting = (valid && !ready).then(|| payload.to_vec());
        Ok(())
    }

    /// A reset ends every transfer.
    pub fn reset(&mut self) {
        self.waiting = None;
    }
}

fn changed(ports: &StreamPorts, before: &[u64], now: &[u64]) -> Rule {
    let mut at = 0;
    for field in &ports.payload {
        let range = at..at + limbs_of(field);
        if before[range.clone()] != now[range.clone()] {
            let (from, to) = (big_from_limbs(&before[range.clone()]), big_from_limbs(&now[range]));
            return Rule::PayloadChanged { field: field.name.clone(), from, to };
        }
        at = range.end;
    }
    unreachable!("some field differs")
}
