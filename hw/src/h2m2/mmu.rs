//! MMU of H2M2 (sections 3.4, 4.2): translates the addresses of several requesters by a flat page table, with a TLB and walks. What it promises
//! stands in `docs/blocks/h2m2_mmu.md`.
//!
//! | port | |
//! | --- | --- |
//! | `request_0` ... | bursts that want an address, of each requester |
//! | `response_0` ... | their answers, in order; read from LUT RAM at registered addresses |
//! | `release_0` ... | translations that are handed back |
//! | `invalidate`, `done`, `drained` | invalidation of a range of pages |
//! | `idle` | all requests that were taken are answered, and their answers taken |
//! | `enable`, `base`, `pages` | requests are taken; where the table begins, in units of 4 KiB, and its entries |
//! | `counted` | what came of a request, for counters and the log; registers |
//! | `m_axi` | reads of the table |
//!
//! - Parameters: those of [`MmuParams`]. A translation a cycle. Latency 5 from a request to its answer, if it hits.
//! - Combinational paths: `request_valid` of all requesters, and `enable`, to `request_ready`; `release` to nothing.

use super::entry::{Walked, refusal};
use super::invalidation::{InvalidationPorts, invalidation};
use super::params::*;
use super::prefetch::{PrefetchPorts, prefetch};
use super::requester::{RequesterPorts, SlotResult, requester};
use super::tlb::{Look, TlbPorts, tlb};
use super::types::*;
use super::walks::{WalksPorts, walks};
use crate::memory::axi::{AxiRead, axi_read};
use crate::stream::round_robin::{Grant, round_robin};
use hdl::logic::{mux1h, one_hot};
use hdl::*;

/// What came of a request.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Counted {
    /// Something came.
    pub valid: Signal,
    /// The number of its counter.
    pub counter: Signal,
    /// It is a fault.
    pub fault: Signal,
    /// The cause.
    pub cause: Signal,
    /// Whose, to which virtual page.
    pub asker: Asker,
}

/// The shape of what came of a request.
pub fn counted(p: MmuParams) -> Counted {
    Counted { valid: bits(1), counter: bits(4), fault: bits(1), cause: bits(3), asker: asker(p) }
}

ports! {
    /// Ports of [`mmu`].
    pub struct MmuPorts(p: MmuParams) {
        /// Requests of each requester.
        input request: Vector<Stream<Request>> = vector(stream(request(p)), p.requesters as usize),
        /// Answers to each requester.
        output response: Vector<Stream<Translation>> = vector(stream(translation(p)), p.requesters as usize),
        /// Translations that each requester has finished with.
        input release: Vector<Release> = vector(release(), p.requesters as usize),
        /// Pages to be invalidated.
        input invalidate: Stream<Pages> = stream(pages(p)),
        /// One cycle: no later answer comes from an entry as it was before the invalidation.
        output done: Signal = bits(1),
        /// Every translation from before the last invalidation that is done was handed back.
        output drained: Signal = bits(1),
        /// Requests are taken.
        input enable: Signal = bits(1),
        /// All that were taken are answered.
        output idle: Signal = bits(1),
        /// Where the table begins.
        input base: Signal = bits(p.physical_bits - TABLE_BITS),
        /// Its entries.
        input pages: Signal = bits(p.number_bits() + 1),
        /// What came of a request.
        output counted: Counted = counted(p),
        /// Reads of the table.
        output m_axi: AxiRead = axi_read(p.axi()),
    }
}

/// What goes through the pipeline: a request, or a miss whose walk is over.
#[derive(Clone, Copy, Bundle)]
struct Item {
    asker: Asker,
    first: Signal,
    leaves: Signal,
    walked: Walked,
    shared: Signal,
    /// Nobody asked: the page is looked up ahead.
    ahead: Option<Signal>,
}

/// An MMU.
#[module]
pub fn mmu(p: MmuParams) -> Result<Design<MmuPorts>, Errors> {
    let m = Module::new(p.name("h2m2_mmu_core"));
    m.doc("Translates addresses by a flat page table.");
    let io = MmuPorts::new(m, p);
    let requester = requester(p)?;
    let requesters: Vec<RequesterPorts> = (0..p.requesters).map(|_| *m.instance(&requester)).collect();
    let tlb = m.instance(&tlb(p)?);
    let walks = m.instance(&walks(p)?);
    let invalidation = m.instance(&invalidation(p)?);
    let prefetch = if p.prefetch { Some(*m.instance(&prefetch(p)?)) } else { None };
    let parts = Parts { requesters: &requesters, tlb: *tlb, walks: *walks, invalidation: *invalidation, prefetch };
    connect(m, io, parts, p);
    m.finish(io)
}

/// The parts of an MMU, or what a proof puts in their place.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// What each requester has.
    pub requesters: &'a [RequesterPorts],
    /// The sets.
    pub tlb: TlbPorts,
    /// Reads of the table.
    pub walks: WalksPorts,
    /// Empties sets.
    pub invalidation: InvalidationPorts,
    /// Looks pages up ahead, if it is there.
    pub prefetch: Option<PrefetchPorts>,
}

/// What is looked up next. Gives whether there is something, and what.
#[module]
fn begin(m: Module, io: MmuPorts, parts: Parts, p: MmuParams) -> (Signal, Item) {
    let Parts { requesters, tlb, walks, invalidation, prefetch } = parts;
    m.section("a request in turn, or before it a miss whose walk is over; where there is neither, a page that is looked up ahead");
    let replay = walks.replay;
    let open = io.enable & !invalidation.starts & !tlb.hold & !replay.valid;
    let asks = Vector::of(requesters.iter().map(|requester| requester.asks)).pack();
    let grant = in_turn(m, asks, open);
    let taken = grant.any & open;
    replay.ready.set(!tlb.hold);
    let valid = m.reg_reset(bits(1), 0);
    let ahead = prefetch.map(|prefetch| {
        let granted = prefetch.asks & open & !grant.any;
        prefetch.granted.set(granted);
        granted
    });
    valid.set(ahead.map_or(taken, |ahead| taken | ahead) | replay.transfer());
    for (i, requester) in requesters.iter().enumerate() {
        requester.granted.set(grant.one_hot.bit(i as u32) & open);
    }
    let askers: Vec<Asker> = requesters.iter().map(|r| Asker { requester: grant.index, ..r.asker }).collect();
    let leaves = (Vector::of(requesters.iter().map(|r| r.leaves)).pack() & grant.one_hot).any();
    let asker = chosen(grant, &askers);
    let asker = prefetch.zip(ahead).map_or(asker, |(prefetch, ahead)| ahead.mux(nobody(prefetch.page, p), asker));
    let begins = Item {
        asker: replay.valid.mux(replay.payload.asker, asker),
        first: !replay.valid,
        leaves: leaves & !replay.valid,
        walked: replay.payload.walked,
        shared: replay.payload.shared,
        ahead,
    };
    (valid, begins)
}

/// What was looked up.
#[derive(Clone, Copy)]
struct LookedUp {
    valid: Signal,
    item: Item,
    beyond: Signal,
    of_walk: LookupOutcome,
}

/// Looks it up: three cycles.
#[module]
fn look_up(m: Module, io: MmuPorts, parts: Parts, (valid, begins): (Signal, Item), p: MmuParams) -> LookedUp {
    let tlb = parts.tlb;
    m.section("looked up");
    let item = later(m, 1, begins);
    let beyond = item.first & item.asker.page.zext(p.number_bits() + 1).ge(io.pages);
    tlb.look.set(Look { valid: valid & item.first, page: item.asker.page, write: item.asker.write });
    let (item, beyond) = later(m, 1, (item, beyond));
    tlb.look_void.set(!item.first | item.leaves | beyond);
    let of_walk = later(m, 2, of_walk(m, item.walked, item.asker.write, item.first, p));
    let (item, beyond) = later(m, 2, (item, beyond));
    let valid = (0..3).fold(valid, |valid, _| {
        let later = m.reg_reset(bits(1), 0);
        later.set(valid);
        later
    });
    LookedUp { valid, item, beyond, of_walk }
}

/// Tells who asked what came of it, and has misses walked.
#[module]
fn decide(m: Module, io: MmuPorts, parts: Parts, x: LookedUp, p: MmuParams) {
    let Parts { requesters, tlb, walks, invalidation, prefetch } = parts;
    let LookedUp { valid, item, beyond, of_walk } = x;
    m.section("what came of it");
    let looked = item.first & !item.leaves & !beyond;
    let number = |cause: u32| m.lit(cause, 3);
    let of_entry = tlb.allowed.mux(number(cause::NONE), refusal(tlb.moving));
    let waits = looked & !tlb.found;
    let cause = looked.mux(tlb.found.mux(of_entry, number(cause::NONE)), of_walk.cause);
    let cause = beyond.mux(number(cause::BEYOND), cause);
    let cause = item.leaves.mux(number(cause::LEAVES), cause);
    let outcome = LookupOutcome { waits, cause, side: tlb.side | of_walk.side, frame: tlb.frame | of_walk.frame };
    let whose = one_hot_of(item.asker.requester, p);
    let asked = item.ahead.map_or(valid, |ahead| valid & !ahead);
    for (i, requester) in requesters.iter().enumerate() {
        let valid = asked & whose.bit(i as u32);
        requester.result.set(SlotResult { valid, first: item.first, slot: item.asker.slot, outcome });
    }
    walks.miss_valid.set(asked & waits);
    walks.miss.set(Miss { asker: item.asker, place: tlb.place });
    walks.base.set(io.base);
    walks.cancel.set(invalidation.cancel);
    tlb.fill.set(walks.fill);
    io.m_axi.set(walks.m_axi);
    let counts = item.ahead.map_or(valid & !waits, |ahead| valid & waits.eq(ahead));
    io.counted.set(count(m, item, counts, cause, p));
    if let (Some(prefetch), Some(ahead)) = (prefetch, item.ahead) {
        prefetch.looked_valid.set(valid & ahead);
        prefetch.missed.set(waits);
        prefetch.place.set(tlb.place);
    }
    if let (Some(prefetch), Some(wanted), Some(ahead)) = (prefetch, walks.wanted, walks.ahead) {
        wanted.set(prefetch.wanted);
        prefetch.walked_valid.set(ahead.begins);
        prefetch.walked.set(ahead.page);
    }
}

/// Invalidates ranges, and tells whether anything is under way.
#[module]
fn invalidate(m: Module, io: MmuPorts, parts: Parts) {
    let Parts { requesters, tlb, walks, invalidation, prefetch } = parts;
    m.section("invalidation");
    invalidation.pages.set(io.invalidate);
    tlb.flush_set.set(invalidation.flush_set);
    let all = |of: fn(&RequesterPorts) -> Signal| requesters.iter().map(of).reduce(|a, b| a & b);
    invalidation.answered.set(all(|r| r.answered).unwrap_or(m.lit(1u32, 1)));
    invalidation.unused.set(all(|r| r.unused).unwrap_or(m.lit(3u32, 2)));
    let idle = all(|r| r.idle).unwrap_or(m.lit(1u32, 1));
    io.idle.set(prefetch.zip(walks.ahead).map_or(idle, |(prefetch, ahead)| idle & prefetch.idle & ahead.idle));
    io.done.set(invalidation.done);
    io.drained.set(invalidation.drained);
}

/// Whose turn it is.
#[module]
fn in_turn(m: Module, asks: Signal, open: Signal) -> Grant {
    if asks.width() == 1 {
        return Grant { any: asks, one_hot: asks, index: m.lit(0u32, 1) };
    }
    round_robin(m, asks, open & asks.any())
}

/// What the one has that is granted.
#[module]
fn chosen(grant: Grant, askers: &[Asker]) -> Asker {
    if let [one] = askers { *one } else { mux1h(grant.one_hot, askers) }
}

fn one_hot_of(requester: Signal, p: MmuParams) -> Signal {
    if p.requesters == 1 { !requester.zeros(1) } else { one_hot(requester, p.requesters as usize) }
}

/// What a walk says of a request; 0 for a request that comes the first time.
#[module]
fn of_walk(m: Module, walked: Walked, write: Signal, first: Signal, p: MmuParams) -> LookupOutcome {
    let none = !walked.cause.any();
    let allowed = none & walked.permitted.allows(write) & !first;
    let refused = none.mux(refusal(walked.permitted.waits(write)), walked.cause);
    let cause = refused & (!allowed).repeat(3);
    let side = walked.permitted.side & allowed.repeat(2);
    let frame = walked.permitted.frame & allowed.repeat(p.frame_bits());
    LookupOutcome { waits: m.lit(0u32, 1), cause, side, frame }
}

/// Who asks for a page that is looked up ahead.
fn nobody(page: Signal, p: MmuParams) -> Asker {
    Asker { requester: page.zeros(p.requester_bits()), slot: page.zeros(SLOTS.ilog2()), write: page.zeros(1), page }
}

/// The counter of a request that is answered: hits have numbers that no walk has. A page on the move counts as [`counts_as`] says.
#[module]
fn count(m: Module, item: Item, valid: Signal, cause: Signal, p: MmuParams) -> Counted {
    let fault = if p.writes_wait { cause.any() & cause.ne(cause::MOVING) } else { cause.any() };
    let known = cause.eq(cause::BEYOND) | cause.eq(cause::LEAVES);
    let hit = fault.cat(m.lit(counter::HITS, 3));
    let first = known.mux(m.lit(0u32, 1).cat(cause), hit);
    let of_walk = cause.eq(cause::MOVING).mux(m.lit(counts_as(p), 3), cause);
    let counter = item.first.mux(first, item.shared.cat(of_walk));
    let counter = item.ahead.map_or(counter, |ahead| ahead.mux(m.lit(counter::AHEAD, 4), counter));
    let now = m.reg_reset(bits(1), 0);
    now.set(valid);
    let (counter, fault, cause, asker) = later(m, 1, (counter, fault, cause, item.asker));
    Counted { valid: now, counter, fault, cause, asker }
}

/// As what a walk counts that finds a page on the move: one that does not permit it, or where writes wait, a good one.
fn counts_as(p: MmuParams) -> u32 {
    if p.writes_wait { cause::NONE } else { cause::PERMISSION }
}

/// What stands between the parts, whatever these do: the pipeline.
#[module]
pub fn connect(m: Module, io: MmuPorts, parts: Parts, p: MmuParams) {
    for (i, requester) in parts.requesters.iter().enumerate() {
        requester.s.set(io.request[i]);
        io.response[i].set(requester.m);
        requester.release.set(io.release[i]);
        requester.epoch.set(parts.invalidation.epoch);
        requester.epoch_flips.set(parts.invalidation.epoch_flips);
    }
    let (valid, begins) = begin(m, io, parts, p);
    let looked_up = look_up(m, io, parts, (valid, begins), p);
    decide(m, io, parts, looked_up, p);
    invalidate(m, io, parts);
}

// a bit above the cause says that a walk was shared, or that a hit was refused
const _: () = assert!(counter::SHARED == 8 && counter::REFUSED_HITS == 8 + counter::HITS);
