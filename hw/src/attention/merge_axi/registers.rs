//! The registers of the merging over AXI.

use super::types::*;
use crate::control::{AddressRo, AddressRw, RegisterMap, Ro, Rw, Sticky};

/// The registers and the handles of their fields.
pub(super) struct Map {
    pub(super) map: RegisterMap,
    pub(super) start: Rw,
    pub(super) parts: Rw,
    pub(super) busy: Ro,
    pub(super) done: Sticky,
    pub(super) outcome: Ro,
    pub(super) part: Ro,
    pub(super) fault: Ro,
    pub(super) fault_address: AddressRo,
    pub(super) cycles: Ro,
    /// Partial results, and the result.
    pub(super) addresses: [AddressRw; 2],
}

pub(super) fn map(name: &str, p: MergeAxiParams) -> Map {
    let mut map = RegisterMap::new(name, "Jobs of the merging of partial results of attention, and how they ended.");
    map.constant("id", 32, u32::from_be_bytes(*b"ATMG"), "identification: `ATMG` in ASCII");
    let mut parameters = map.register("parameters", "what the unit was generated with");
    parameters.constant("parts", outcome::PART_BITS, p.parts, "the most parts");
    parameters.constant("numbers", 10, p.numbers, "numbers of a vector");
    let mut job = map.register("job", "what is done");
    let start = job.rw("start", 1, 0, "a change from 0 to 1 starts a job, if none is under way");
    let parts = job.rw("parts", outcome::PART_BITS, 0, "parts that are merged");
    let mut status = map.register("status", "how the last job ended; `busy` and `done` are of now");
    let busy = status.ro("busy", 1, "a job is under way");
    let done = status.sticky("done", "a job has ended; write 1 to clear");
    let outcome = status.ro("outcome", outcome::BITS, "how it ended: 0 all is well, else the cause");
    let part =
        status.ro("part", outcome::PART_BITS, "the first part whose largest score or sum is not legal, with outcome 1");
    let fault = status.ro("fault", 1, "the memory answered with an error, first at the address in `fault_low`; or the result lies behind the last address");
    let fault_address = AddressRo::new(&mut map, "fault", "address of the first error of the memory", p.address_bits);
    let cycles = map.ro("cycles", 32, "cycles of the last job, or of the one under way, modulo 2^32");
    map.units(cycles, "cycles");
    let places = [
        ("partial", "the partial results, one behind the other, as heads write them"),
        ("result", "the result, which is written"),
    ];
    let addresses = places.map(|(name, what)| AddressRw::new(&mut map, name, what, p.address_bits, WORD_SHIFT));
    Map { map, start, parts, busy, done, outcome, part, fault, fault_address, cycles, addresses }
}

/// The registers of the merging over AXI.
///
/// # Panics
/// If the parameters are not legal: a module of yours says so with `p.check(name)?` before it asks for this.
#[track_caller]
pub fn registers(name: &str, p: MergeAxiParams) -> RegisterMap {
    if let Err(errors) = p.check(name) {
        panic!("{errors}");
    }
    map(name, p).map
}
