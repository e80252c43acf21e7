//! The rules that every stream and every response channel must keep.

use super::ports::StreamPorts;
use super::stream::limbs_of;
use hdl::BigUint;
use hdl::engine::big_from_limbs;

/// A rule that was broken, or a test that does not come to its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cycle {cycle}, seed {seed}: `{port}`: {rule}")]
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
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rule {
    /// Valid fell before the beat was taken.
    #[error("valid fell before the transfer")]
    ValidFell,
    /// The payload changed while the receiver was not ready.
    #[error("`{field}` changed from {from:#x} to {to:#x} before the transfer")]
    PayloadChanged {
        /// The field of the payload.
        field: String,
        /// Its value one cycle before.
        from: BigUint,
        /// Its value now.
        to: BigUint,
    },
    /// Valid depends on ready within a cycle.
    #[error("valid waits for ready: it is {0} when ready is {1}")]
    ValidWaits(u8, u8),
    /// The payload depends on ready within a cycle.
    #[error("the payload depends on ready within a cycle")]
    PayloadDependsOnReady,
    /// Valid is 1 in reset.
    #[error("valid is 1 in reset")]
    ValidInReset,
    /// A response is offered to no request.
    #[error("response {response} without a request: only {requests} were complete before this cycle")]
    NoRequest {
        /// Number of the response, from 1.
        response: usize,
        /// Requests that were complete.
        requests: usize,
    },
    /// A response code that AXI4-Lite does not have.
    #[error("the response code {0} is not one of AXI4-Lite (0 OKAY, 2 SLVERR, 3 DECERR)")]
    ResponseCode(u64),
    /// The beats did not arrive.
    #[error("{received} of {wanted} beats after {cycles} cycles")]
    Timeout {
        /// Beats that arrived.
        received: usize,
        /// Beats that were waited for.
        wanted: usize,
        /// How long.
        cycles: u64,
    },
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
