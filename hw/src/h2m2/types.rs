//! What moves between the parts of H2M2's MMU: requests, translations, lookups, misses and new entries.

use super::entry::{Permitted, Walked, permitted, walked};
use super::params::{MmuParams, SLOTS};
use hdl::{Bundle, Module, Signal, bits, clog2};

/// A burst that wants a physical address.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Request {
    /// Virtual address of its first byte.
    pub address: Signal,
    /// Its bytes less 1.
    pub bytes_minus_1: Signal,
    /// It writes.
    pub write: Signal,
    /// Comes back with the answer.
    pub tag: Signal,
}

/// The shape of a request.
pub fn request(p: MmuParams) -> Request {
    Request { address: bits(p.virtual_bits), bytes_minus_1: bits(12), write: bits(1), tag: bits(p.tag_bits) }
}

/// What a burst gets: its answer.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Translation {
    /// Physical address of its first byte; 0 with a fault.
    pub address: Signal,
    /// Where that is: 0 fast, 1 large, 2 remote; 0 with a fault.
    pub side: Signal,
    /// 0, or the cause of a fault.
    pub cause: Signal,
    /// Goes along when the translation is handed back.
    pub epoch: Signal,
    /// That of the request.
    pub tag: Signal,
}

/// The shape of an answer.
pub fn translation(p: MmuParams) -> Translation {
    Translation { address: bits(p.physical_bits), side: bits(2), cause: bits(3), epoch: bits(1), tag: bits(p.tag_bits) }
}

/// A translation is handed back, in a cycle where `valid` is 1.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Release {
    /// There is one.
    pub valid: Signal,
    /// That of its answer.
    pub epoch: Signal,
}

/// The shape of what is handed back.
pub fn release() -> Release {
    Release { valid: bits(1), epoch: bits(1) }
}

/// Virtual pages from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Pages {
    /// The first one.
    pub first: Signal,
    /// The last one.
    pub last: Signal,
}

/// The shape of a range of pages.
pub fn pages(p: MmuParams) -> Pages {
    Pages { first: bits(p.number_bits()), last: bits(p.number_bits()) }
}

/// Whose lookup it is.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Asker {
    /// Number of the requester.
    pub requester: Signal,
    /// Where its answer goes.
    pub slot: Signal,
    /// It wants to write.
    pub write: Signal,
    /// Its virtual page.
    pub page: Signal,
}

/// The shape of an asker.
pub fn asker(p: MmuParams) -> Asker {
    let slot = bits(SLOTS.ilog2());
    Asker { requester: bits(p.requester_bits()), slot, write: bits(1), page: bits(p.number_bits()) }
}

/// Where an entry goes in its set.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SetPlace {
    /// The way.
    pub way: Signal,
    /// The mark of entries that were filled in this round of the ways.
    pub round: Signal,
}

/// The shape of a place.
pub fn set_place(p: MmuParams) -> SetPlace {
    SetPlace { way: bits(clog2(p.ways as usize)), round: bits(1) }
}

/// A lookup that found nothing.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Miss {
    /// Whose.
    pub asker: Asker,
    /// Where the entry goes.
    pub place: SetPlace,
}

/// The shape of a miss.
pub fn miss(p: MmuParams) -> Miss {
    Miss { asker: asker(p), place: set_place(p) }
}

/// A miss whose walk is over: it goes through the pipeline again.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Replay {
    /// Whose.
    pub asker: Asker,
    /// What it found.
    pub walked: Walked,
    /// Another miss began the walk.
    pub shared: Signal,
}

/// The shape of such a miss.
pub fn replay(p: MmuParams) -> Replay {
    Replay { asker: asker(p), walked: walked(p), shared: bits(1) }
}

/// A page to be walked.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Wanted {
    /// Its number.
    pub page: Signal,
    /// Where its entry goes.
    pub place: SetPlace,
}

/// Its shape.
pub fn wanted(p: MmuParams) -> Wanted {
    Wanted { page: bits(p.number_bits()), place: set_place(p) }
}

/// What a prefetch is told of walks.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Ahead {
    /// A miss begins a walk.
    pub begins: Signal,
    /// The page of that walk.
    pub page: Signal,
    /// No walk is under way that nobody asked for.
    pub idle: Signal,
}

/// Its shape.
pub fn ahead(p: MmuParams) -> Ahead {
    Ahead { begins: bits(1), page: bits(p.number_bits()), idle: bits(1) }
}

/// A new entry for the TLB.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Fill {
    /// Its virtual page.
    pub page: Signal,
    /// Where it goes.
    pub place: SetPlace,
    /// What it permits.
    pub permitted: Permitted,
}

/// The shape of a new entry.
pub fn fill(p: MmuParams) -> Fill {
    Fill { page: bits(p.number_bits()), place: set_place(p), permitted: permitted(p) }
}

/// What is known of a request.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct LookupOutcome {
    /// It waits for a walk.
    pub waits: Signal,
    /// 0, or the cause of a fault.
    pub cause: Signal,
    /// The side, or 0.
    pub side: Signal,
    /// The physical page, or 0.
    pub frame: Signal,
}

/// The shape of an outcome.
pub fn lookup_outcome(p: MmuParams) -> LookupOutcome {
    LookupOutcome { waits: bits(1), cause: bits(3), side: bits(2), frame: bits(p.frame_bits()) }
}

/// So many cycles later, by registers without a reset.
pub(super) fn later<B: Bundle>(m: Module, cycles: u32, x: B) -> B {
    (0..cycles).fold(x, |x, _| {
        let next = m.reg(x);
        next.set(x);
        next
    })
}
