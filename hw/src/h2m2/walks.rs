//! Walks: reads the entries of pages that the TLB missed from the table in memory. Misses to one page share a walk.
//!
//! | port | |
//! | --- | --- |
//! | `miss_valid`, `miss` | a lookup found nothing; always taken: no requester has more than [`MOST_MISSES`] |
//! | `replay` | misses whose walk is over, with what it found, in the order in which they came; registers |
//! | `fill` | new entries. An offer can be withdrawn, by `cancel` |
//! | `wanted`, `ahead` | with `prefetch`: a page to be walked for nobody, taken where no miss waits; and what that is told of walks |
//! | `cancel` | walks that were asked for up to now fill in nothing, and nobody else shares them |
//! | `base` | of the table, in units of 4 KiB |
//! | `m_axi` | the bus: bursts of one beat of 8 bytes, one ID, so data come in order; `rready` is a register |
//!
//! - A miss is served in three cycles, one in two cycles: it is read, its page is compared with those of all walks, and it shares one, or
//!   begins one. If as many as there may be are under way, it waits, and so do those behind it.
//! - Misses go on in one order for all requesters. Data come in order too, so a miss that shares a walk waits no longer than for a walk of its own.
//! - A walk that is over is shared until the last miss that has it goes on: from then on the TLB has its page, or had it.
//! - A walk for nobody begins if it can begin at once, and is left out else. A miss that comes to share it has it from then on as one of its own. It
//!   can be shared for 7 cycles after it is over: then its entry, if it is good, is there for all whose lookup was not yet under way.
//! - Misses of one set whose walks are under way together get one way after the other, where ways are filled in turn.
//! - Parameters: those of [`MmuParams`]. Combinational paths: none.

mod prefetched;

use self::prefetched::never_shared;
use super::entry::*;
use super::params::*;
use super::types::*;
use crate::memory::axi::{AxiRead, axi_read};
use hdl::logic::{index_of_one_hot, popcount};
use hdl::*;

ports! {
    /// Ports of [`walks`].
    pub struct WalksPorts(p: MmuParams) {
        /// There is a miss.
        input miss_valid: Signal = bits(1),
        /// Whose it is.
        input miss: Miss = miss(p),
        /// Misses whose walk is over.
        output replay: Stream<Replay> = stream(replay(p)),
        /// New entries.
        output fill: Stream<Fill> = stream(fill(p)),
        /// A page that nobody asked for.
        input wanted: Option<Stream<Wanted>> = p.prefetch.then(|| stream(wanted(p))),
        /// For who wants it.
        output ahead: Option<Ahead> = p.prefetch.then(|| ahead(p)),
        /// What is under way is out of date.
        input cancel: Signal = bits(1),
        /// Where the table begins.
        input base: Signal = bits(p.physical_bits - TABLE_BITS),
        /// The bus.
        output m_axi: AxiRead = axi_read(p.axi()),
    }
}

/// A miss that has its walk.
#[derive(Clone, Copy, Bundle)]
struct Ticket {
    walk: Signal,
    shared: Signal,
}

/// All walks.
#[derive(Clone, Copy)]
struct Table {
    /// Its number may not be given to another one.
    busy: Signal,
    /// Its entry is up to date as far as is known, and others may share it.
    shares: Signal,
    /// Its data have come.
    over: Signal,
    /// Page and place.
    about: Memory<(Signal, SetPlace)>,
    /// What those that are over found.
    found: Memory<Walked>,
}

/// Misses that are under way, as counts that go round: those from `resolved` to `served` have a walk, those from there to `came` have none;
/// of these, those up to `fetched` are on their way to one.
#[derive(Clone, Copy)]
struct Queue {
    came: Signal,
    fetched: Signal,
    served: Signal,
    resolved: Signal,
    tickets: Memory<Ticket>,
    /// The last miss of each walk.
    last: Memory<Signal>,
}

/// The walks.
#[module]
pub fn walks(p: MmuParams) -> Result<Design<WalksPorts>, Errors> {
    let m = Module::new(p.name("h2m2_walks"));
    m.doc("Reads entries of the page table.");
    let io = WalksPorts::new(m, p);
    let depth = (p.requesters * MOST_MISSES).next_power_of_two();
    let number = bits(depth.ilog2() + 1);
    let (came, served) = (m.reg_reset(number, 0), m.reg_reset(number, 0));
    let (fetched, resolved) = (m.reg_reset(number, 0), m.reg_reset(number, 0));
    let tickets = m.memory(Ticket { walk: bits(p.walk_bits()), shared: bits(1) }, depth as usize);
    let last = m.memory(bits(depth.ilog2()), p.walks.max(2) as usize);
    let queue = Queue { came, fetched, served, resolved, tickets: lut(tickets), last: lut(last) };
    let flags = bits(p.walks);
    let (busy, shares) = (m.reg_reset(flags, 0), m.reg_reset(flags, 0));
    let over = m.reg(flags);
    let about = lut(m.memory((bits(p.number_bits()), set_place(p)), p.walks.max(2) as usize));
    let found = lut(m.memory(walked(p), p.walks.max(2) as usize));
    let table = Table { busy, shares, over, about, found };

    m.section("misses in their order");
    let at = |count: Signal| count.trunc(depth.ilog2());
    let sought = lut(m.memory(wanted(p), depth as usize));
    let whose = lut(m.memory(Asker { page: bits(1), ..asker(p) }, depth as usize));
    let Miss { asker, place } = io.miss;
    sought.write(at(came), Wanted { page: asker.page, place }, io.miss_valid);
    whose.write(at(came), Asker { page: m.lit(0u32, 1), ..asker }, io.miss_valid);
    came.set(came + io.miss_valid.zext(came.width()));
    m.assert((came - resolved).le(depth), "there is room for all misses");

    let served = serve(m, io, table, queue, sought.read(at(fetched)), p);
    let Served { taken, begun, .. } = served;
    let freed = resolve(m, io, table, queue, whose.read(at(resolved)), p);
    let (ended, failed) = complete(m, io, table, p);
    let freed = if p.prefetch { freed | for_nobody(m, io, served, ended) } else { freed };
    busy.set((busy & !freed) | taken);
    shares.set((shares & !failed & !freed & !io.cancel.repeat(p.walks)) | begun);
    over.set((over & !begun) | ended);
    m.finish(io)
}

fn lut<B: Bundle>(memory: Memory<B>) -> Memory<B> {
    memory.style(RamStyle::Distributed)
}

/// The number after that of a walk.
fn next_walk(walk: Signal, p: MmuParams) -> Signal {
    let zero = walk.zeros(walk.width());
    if p.walks.is_power_of_two() && p.walks > 1 { walk + 1 } else { walk.eq(p.walks - 1).mux(zero, walk + 1) }
}

/// The bit of a walk.
fn flag(flags: Signal, walk: Signal) -> Signal {
    match flags.width() {
        1 => flags,
        count if count.is_power_of_two() => flags.part(walk, 1),
        count => (flags & hdl::logic::one_hot(walk, count as usize)).any(),
    }
}

/// A page that is on its way to a walk.
#[derive(Clone, Copy)]
struct Sought {
    valid: Signal,
    wanted: Wanted,
    /// Nobody asked for it.
    ahead: Option<Signal>,
}

/// What becomes of walks in a cycle.
#[derive(Clone, Copy)]
struct Served {
    /// A miss or a prefetch has it.
    taken: Signal,
    /// It is begun.
    begun: Signal,
    /// The page that is held, or read, is one that nobody asked for.
    ahead: Option<[Signal; 2]>,
}

/// Reads the oldest miss that is not on its way to a walk; a page that nobody asked for, where there is none. It goes where `goes` is 1.
#[module]
fn fetch(m: Module, io: WalksPorts, queue: Queue, oldest: Wanted, goes: Signal) -> Sought {
    m.section("the oldest miss is read");
    let (read, sought) = (m.reg_reset(bits(1), 0), m.reg(oldest));
    let waits = queue.came.ne(queue.fetched);
    let ahead = io.wanted.map(|wanted| {
        wanted.ready.set(!read & !waits);
        let ahead = m.reg_reset(bits(1), 0);
        m.when(!read, || ahead.set(!waits & wanted.valid));
        ahead
    });
    m.when(!read, || {
        read.set(io.wanted.map_or(waits, |wanted| waits | wanted.valid));
        sought.set(io.wanted.map_or(oldest, |wanted| waits.mux(oldest, wanted.payload)));
        m.when(waits, || queue.fetched.set(queue.fetched + 1));
    });
    m.when(read & goes, || read.set(false));
    Sought { valid: read, wanted: sought, ahead }
}

/// Gives the oldest miss without a walk one: of another miss to its page, or a new one.
#[module]
fn serve(m: Module, io: WalksPorts, table: Table, queue: Queue, oldest: Wanted, p: MmuParams) -> Served {
    let held = m.reg_reset(bits(1), 0);
    let sought = fetch(m, io, queue, oldest, !held);

    m.section("it is compared with all walks");
    let Wanted { page, place } = m.reg(oldest);
    let (same, same_set) = (m.reg(bits(p.walks)), m.reg(bits(p.walks)));
    let pages = m.reg(vector(bits(p.number_bits()), p.walks as usize));
    let ahead = sought.ahead.map(|ahead| m.reg_reset(ahead, 0));
    m.when(!held, || {
        held.set(sought.valid);
        page.set(sought.wanted.page);
        place.set(sought.wanted.place);
        if let Some((ahead, sought)) = ahead.zip(sought.ahead) {
            ahead.set(sought);
        }
        let compared = |low: fn(Signal, MmuParams) -> Signal| {
            Vector::of(pages.into_iter().map(|other| low(other, p).eq(low(sought.wanted.page, p)))).pack()
        };
        // as walks are in this cycle: one that nobody has from the next one on is kept for this miss, which is from before any flip of the epoch
        same.set(compared(|page, _| page) & table.shares);
        same_set.set(compared(|page, p| page.trunc(p.set_bits())) & table.busy & !table.over);
    });

    m.section("it shares a walk, or begins the next one");
    let next = m.reg_reset(bits(p.walk_bits()), 0);
    let shared = same.any();
    let asked = m.reg_reset(bits(1), 0);
    let address = m.reg(bits(p.physical_bits - ENTRY_SIZE));
    // of the cycle before: no walk is begun in two cycles after each other
    let free = m.reg_reset(bits(1), 0);
    free.set(!flag(table.busy, next));
    let may_begin = free & !asked;
    let goes = held & (shared | may_begin);
    let begins = goes & !shared;
    let asked_for = ahead.map_or(goes, |ahead| goes & !ahead);
    ticket(m, queue, Ticket { walk: shared.mux(index(same), next), shared }, asked_for);
    table.about.write(next, (page, behind(place, same_set, p)), begins);
    m.when(io.m_axi.arready, || asked.set(false));
    // a page that nobody asked for does not wait for a walk
    m.when(ahead.map_or(goes, |ahead| goes | (held & ahead)), || held.set(false));
    m.when(begins, || {
        next.set(next_walk(next, p));
        asked.set(true);
        address.set(entry_address(io.base, page));
        pages.at(next).set(page);
    });
    let request = io.m_axi.request();
    request.valid.set(asked);
    request.payload.ask(address.cat(address.zeros(ENTRY_SIZE)), m.lit(0u32, 8), ENTRY_SIZE);
    let begun = gated(begins, bit_of(next, p));
    let shares = ahead.map_or(held, |ahead| held & !ahead);
    if let Some((told, ahead)) = io.ahead.zip(ahead) {
        told.begins.set(begins & !ahead);
        told.page.set(page);
    }
    let ahead = ahead.zip(sought.ahead).map(|(held, read)| [held, read]);
    Served { taken: gated(shares, same) | begun, begun, ahead }
}

/// Walks that nobody asked for, until a miss shares them. Tells which of them are free.
#[module]
fn for_nobody(m: Module, io: WalksPorts, served: Served, ended: Signal) -> Signal {
    let (alone, free) = never_shared(m, ended);
    if let Some((told, [held, read])) = io.ahead.zip(served.ahead) {
        alone.set((alone & !served.taken & !free) | gated(held, served.begun));
        told.idle.set(!(held | read | alone.any()));
    }
    free
}

/// Gives the oldest miss without a walk this one.
fn ticket(m: Module, queue: Queue, ticket: Ticket, goes: Signal) {
    let place = queue.served.trunc(queue.served.width() - 1);
    queue.tickets.write(place, ticket, goes);
    queue.last.write(ticket.walk, place, goes);
    m.when(goes, || queue.served.set(queue.served + 1));
}

/// The place behind those that walks under way will fill, which was chosen from what the set holds now.
#[module]
fn behind(place: SetPlace, under_way: Signal, p: MmuParams) -> SetPlace {
    if p.ways == 1 || p.replacement != Replacement::Fifo {
        return place;
    }
    // a round of the ways follows the other: its mark is the bit above them
    let number = place.round.cat(place.way);
    let before = popcount(under_way);
    let width = number.width().max(before.width());
    let number = (number.zext(width) + before.zext(width)).trunc(number.width());
    SetPlace { way: number.trunc(place.way.width()), round: number.msb() }
}

/// The flags where `so` is 1, else none of them.
fn gated(so: Signal, flags: Signal) -> Signal {
    flags & so.repeat(flags.width())
}

fn index(one_hot: Signal) -> Signal {
    if one_hot.width() == 1 { one_hot.zeros(1) } else { index_of_one_hot(one_hot) }
}

fn bit_of(walk: Signal, p: MmuParams) -> Signal {
    if p.walks == 1 { !walk.zeros(1) } else { hdl::logic::one_hot(walk, p.walks as usize) }
}

/// Gives the oldest miss back, when its walk is over. Tells which walk nobody waits for any more.
#[module]
fn resolve(m: Module, io: WalksPorts, table: Table, queue: Queue, whose: Asker, p: MmuParams) -> Signal {
    m.section("the oldest miss goes on when its walk is over");
    let place = queue.resolved.trunc(queue.resolved.width() - 1);
    let oldest = (place, queue.tickets.read(place), whose);
    let waits = m.reg_reset(bits(1), 0);
    let (place, Ticket { walk, shared }, whose) = m.reg(oldest);
    let valid = m.reg_reset(bits(1), 0);
    let replay = m.reg(replay(p));
    let goes = waits & flag(table.over, walk) & !valid;
    m.when(!waits, || {
        let some = queue.resolved.ne(queue.served);
        waits.set(some);
        (place, Ticket { walk, shared }, whose).set(oldest);
        m.when(some, || queue.resolved.set(queue.resolved + 1));
    });
    m.when(io.replay.ready, || valid.set(false));
    m.when(!valid, || {
        valid.set(goes);
        let asker = Asker { page: table.about.read(walk).0, ..whose };
        replay.set(Replay { asker, walked: table.found.read(walk), shared });
    });
    m.when(goes, || waits.set(false));
    io.replay.valid.set(valid);
    io.replay.payload.set(replay);
    // a cycle later: what shared the walk in the meantime is known, too
    let went = m.reg_reset(bits(1), 0);
    went.set(goes);
    let (walk, place) = later(m, 1, (walk, place));
    let is_last = queue.last.read(walk).eq(place);
    gated(went & is_last, bit_of(walk, p))
}

/// Takes data from the bus, keeps what they say, and fills the entry in. Tells which walk is over, and which one has a fault.
#[module]
fn complete(m: Module, io: WalksPorts, table: Table, p: MmuParams) -> (Signal, Signal) {
    m.section("data");
    let oldest = m.reg_reset(bits(p.walk_bits()), 0).comment("the walk whose data come next");
    let (came, error) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    let word = m.reg(bits(ENTRY_BITS));
    let (page, place) = table.about.read(oldest);
    let axi = io.m_axi;
    axi.rlast.unused();
    axi.rready.set(!came);
    m.when(!came, || {
        came.set(axi.rvalid);
        error.set(axi.rresp.bit(1));
        word.set(lane(axi.rdata, page));
    });

    m.section("what they say, in two cycles");
    let found = take_apart(m, word, error, p);
    let (looked, good) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    looked.set(came);
    good.set(!found.cause.any());
    let fills = good & flag(table.shares, oldest);
    io.fill.valid.set(looked & fills);
    io.fill.payload.set(Fill { page, place, permitted: found.permitted });
    let done = looked & io.fill.ready; // also where nothing is filled in: that is known later
    table.found.write(oldest, found, done);
    m.when(done, || {
        came.set(false);
        looked.set(false);
        oldest.set(next_walk(oldest, p));
    });
    let ended = gated(done, bit_of(oldest, p));
    (ended, gated(!good, ended))
}

/// The entry of a page in a beat of the bus.
fn lane(data: Signal, page: Signal) -> Signal {
    let lanes = data.lanes(ENTRY_BITS);
    if lanes.len() == 1 {
        return data;
    }
    let number = page.trunc(lanes.len().ilog2());
    Vector::of(lanes).at(number)
}

#[cfg(test)]
mod tests;
