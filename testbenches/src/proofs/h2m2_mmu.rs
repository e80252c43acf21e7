//! Parts of H2M2's MMU, each by itself: together they say that a translation is an entry that the table held since the last invalidation that is
//! done, and permits what was asked, and that each request has its own answer, in order. The MMU as a whole has more states than a prover gets through.
//!
//! - Walks: what is filled in, or answers a miss, the table held since walks were forgotten.
//! - TLB: what a lookup finds was filled in since its set was emptied, and permits it.
//! - Invalidation: walks are forgotten when a range is taken, an epoch begins when nobody finds any more what was in its sets, and all of before is
//!   answered when it is done.
//! - Requester, in a file of its own: each request has the answer that its lookup or its walk gave, in order.
//!
//! Of the table one page is followed, whichever it is, and of it one bit: whether its entry is a certain one, whichever that is.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module};
use hw::h2m2::entry::Permitted;
use hw::h2m2::invalidation::{InvalidationPorts, invalidation};
use hw::h2m2::params::{MOST_MISSES, MmuParams, Replacement};
use hw::h2m2::tlb::{Look, TlbPorts, tlb};
use hw::h2m2::types::{Asker, Fill};
use hw::h2m2::walks::{WalksPorts, walks};
use hw::memory::axi::AxiRead;

/// Four virtual pages and as many physical ones, two sets of two ways, two walks: fewer than any that the registers' side permits.
pub(super) const SMALL: MmuParams = MmuParams {
    virtual_bits: 14,
    physical_bits: 14,
    page_bits: 12,
    entries: 4,
    ways: 2,
    requesters: 2,
    walks: 2,
    tag_bits: 1,
    data_bytes: 8,
    replacement: Replacement::Fifo,
    prefetch: false,
    writes_wait: false,
};

/// What is followed.
#[derive(Clone, Copy)]
struct Followed {
    /// A virtual page.
    page: Signal,
    /// An entry: the number of its physical page, and its side.
    frame: Signal,
    side: Signal,
    /// Which permits writes, or reads.
    write: Signal,
    /// The table holds this entry for this page in this cycle.
    holds: Signal,
}

impl Followed {
    fn new(m: Module, p: MmuParams) -> Followed {
        Followed {
            page: m.anyconst(p.number_bits()),
            frame: m.anyconst(p.frame_bits()),
            side: m.anyconst(2),
            write: m.anyconst(1),
            holds: m.anyseq(1),
        }
    }
    /// Is a word of the table this entry? Bit by bit, as the page of the MMU says.
    fn is(self, word: Signal) -> Signal {
        let permits = self.write.mux(word.bit(2) & !word.bit(5), word.bit(1));
        let reserved = word.bits(11, 6).any() | word.drop_low(14).any() | word.bits(4, 3).all();
        let place = word.bits(13, 12).eq(self.frame) & word.bits(4, 3).eq(self.side);
        word.bit(0) & permits & !reserved & place
    }
}

/// The bus answers reads in their order, at any time, with any words and errors; but reads of the followed page with the entry only if the table held
/// it since the read was asked for.
#[module]
fn bus(m: Module, axi: AxiRead, pages: Signal, f: Followed, p: MmuParams) {
    let asks = axi.request();
    sends_by_the_rules(m, asks, Side::Part);
    let page = asks.payload.addr.bits(p.number_bits() + 2, 3);
    let above = asks.payload.addr.drop_low(p.number_bits() + 3).any() | asks.payload.addr.trunc(3).any();
    m.assert(!asks.valid | (page.zext(p.number_bits() + 1).lt(pages) & !above), "a walk reads an entry of the table");

    let level = m.reg_reset(bits(2), 0).comment("reads that are not answered");
    let [is_page, could] = [0, 1].map(|_| [m.reg(bits(1)), m.reg(bits(1))]);
    let (push, pop) = (asks.transfer(), axi.rvalid & axi.rready);
    m.assert(!asks.valid | level.lt(p.walks), "no more walks are under way than there may be");
    m.assume(!axi.rvalid | level.any(), "what was not asked for is not answered");
    let good = f.is(axi.rdata) & !axi.rresp.bit(1) & is_page[0];
    m.assume(!(axi.rvalid & good) | could[0] | f.holds, "a word that the table held since it was asked for");
    let waits = m.past(axi.rvalid & !axi.rready);
    let word = axi.rdata.cat(axi.rresp);
    m.assume(!(m.past_valid() & waits) | (axi.rvalid & word.eq(m.past(word))), "data stay until they are taken");
    let place = level - pop.zext(2);
    for i in 0..2 {
        let next = [is_page, could].map(|x| if i == 0 { pop.mux(x[1], x[0]) } else { x[1] });
        let mine = push & place.eq(i as u32);
        is_page[i].set(mine.mux(page.eq(f.page), next[0]));
        could[i].set(mine.mux(f.holds, next[1] | f.holds));
    }
    level.set(place + push.zext(2));
}

/// So many cycles ago; at first as in reset.
pub(super) fn ago(m: Module, cycles: u32, x: Signal, reset: u32) -> Signal {
    (0..cycles).fold(x, |x, _| {
        let before = m.reg_reset(x.shape(), reset);
        before.set(x);
        before
    })
}

/// Is this the followed entry?
fn followed(f: Followed, x: Permitted) -> Signal {
    f.write.mux(x.write, x.read) & x.frame.eq(f.frame) & x.side.eq(f.side)
}

/// The sets. One page and one entry are followed, whichever they are.
#[module]
fn tlb_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_tlb");
    let io = TlbPorts::new(m, p);
    let part = m.instance(&tlb(p)?);
    part.look.set(io.look);
    part.look_void.set(io.look_void);
    part.fill.set(io.fill);
    part.flush_set.set(io.flush_set);
    io.found.set(part.found);
    io.allowed.set(part.allowed);
    io.moving.set(part.moving);
    io.frame.set(part.frame);
    io.side.set(part.side);
    io.place.set(part.place);
    io.hold.set(part.hold);
    let f = Followed::new(m, p);
    m.assume(!(m.past_valid() & m.past(io.hold)) | !io.look.valid, "it is not looked at where it holds");

    m.section("the entry was filled in since its set was emptied");
    let may = m.reg_reset(bits(1), 1).comment("the set holds it, or anything");
    let Fill { page, permitted, .. } = io.fill.payload;
    let empties = io.flush_set.transfer() & io.flush_set.payload.eq(f.page.trunc(p.set_bits()));
    let fills = io.fill.transfer() & page.eq(f.page) & followed(f, permitted);
    may.set(fills | (may & !empties));
    // what is to be written waits for three cycles at most
    let recent = (1..4).fold(may, |any, cycles| any | ago(m, cycles, may, 1));

    m.section("what a lookup finds");
    let Look { valid, page, write } = io.look;
    let looks = ago(m, 3, valid & page.eq(f.page) & write.eq(f.write), 0);
    let void = ago(m, 2, io.look_void, 0);
    let entry = io.frame.eq(f.frame) & io.side.eq(f.side);
    let could = ago(m, 3, recent, 1);
    m.assert(
        !(looks & io.allowed & entry) | could,
        "what is found was filled in since its set was emptied, and permits it",
    );
    m.assert(!void | !(io.found | io.allowed | io.moving), "a lookup that does not count finds nothing");
    m.assert(!io.allowed | io.found, "what is allowed is found");
    m.assert(io.allowed | (!io.frame.any() & !io.side.any()), "what is not allowed has no address");
    stalls_at_most(m, !io.fill.ready, 3, "a new entry is taken");
    let waits = io.flush_set.valid & !io.flush_set.ready & !io.fill.valid;
    stalls_at_most(m, waits, 3, "a set is emptied where nothing is filled in");
    m.cover(looks & io.allowed & entry, "the entry is found");
    m.cover(looks & !io.found & !void & !could, "it is gone");
    Ok(m.finish(io)?.erase())
}

/// Cycles from a set that is taken to be emptied to the first lookup that cannot find what was in it: it is written within three, and a lookup that
/// began before that has ended by then.
const GONE: u32 = 7;

/// Invalidations. One page is followed, whichever it is; its set is to be emptied at first, too.
#[module]
fn invalidation_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_invalidation");
    let io = InvalidationPorts::new(m, p);
    let part = m.instance(&invalidation(p)?);
    part.pages.set(io.pages);
    io.cancel.set(part.cancel);
    let flush = part.flush_set;
    // behind a reset all sets are emptied, so this one is offered in it
    io.flush_set.valid.set(flush.valid & !m.in_reset());
    io.flush_set.payload.set(flush.payload);
    flush.ready.set(io.flush_set.ready);
    io.epoch_flips.set(part.epoch_flips);
    io.epoch.set(part.epoch);
    part.answered.set(io.answered);
    part.unused.set(io.unused);
    io.done.set(part.done);
    io.drained.set(part.drained);
    io.starts.set(part.starts);
    sends_by_the_rules(m, io.pages, Side::Surroundings);
    sends_by_the_rules(m, io.flush_set, Side::Part);
    let page = m.anyconst(p.number_bits());
    let range = io.pages.payload;
    let begins = io.pages.transfer();
    let covers = (page - range.first).le(range.last - range.first);

    m.section("what happened since the command, which is what a reset is at first");
    let due = m.reg_reset(bits(1), 1).comment("the page is to be forgotten");
    let [emptied, flipped] = [0, 1].map(|_| m.reg_reset(bits(1), 0));
    let since = m.reg_reset(bits(3), 0).comment("cycles since its set was emptied, up to 7");
    let empties = io.flush_set.transfer() & io.flush_set.payload.eq(page.trunc(p.set_bits()));
    m.when(begins, || {
        due.set(covers);
        emptied.set(false);
        flipped.set(false);
    })
    .otherwise(|| {
        m.when(empties, || emptied.set(true));
        m.when(io.epoch_flips, || flipped.set(true));
    });
    m.when(empties, || since.set(0)).elsewhen(!since.all(), || since.set(since + 1));
    m.assert(io.cancel.eq(begins), "walks are forgotten when a range is taken");
    m.assert(
        !(io.epoch_flips & due) | (emptied & since.ge(GONE)),
        "an epoch begins when nobody finds what was in the set",
    );
    m.assert(!io.done | (flipped & io.answered), "it is done when the epoch has begun and all of before is answered");
    m.assert(!io.done | !io.starts, "a reset is nobody's command");
    let other = io.epoch.mux(io.unused.bit(0), io.unused.bit(1));
    m.assert(!io.drained | other, "it is drained when nobody uses a translation of the other epoch");
    let waits = io.pages.valid & !io.pages.ready & io.flush_set.ready & io.answered & io.unused.all();
    stalls_at_most(m, waits, 20, "a range is taken in bounded time if nobody holds the one before");
    let first = m.past(io.epoch);
    m.assert(!m.past_valid() | io.epoch.eq(first ^ io.epoch_flips), "the epoch changes when it begins, and never else");
    m.cover(io.done & due, "a page is forgotten");
    Ok(m.finish(io)?.erase())
}

/// The walks between the harness's ports.
#[module]
pub(super) fn walks_alone(m: Module, p: MmuParams) -> Result<WalksPorts, Errors> {
    let io = WalksPorts::new(m, p);
    let part = m.instance(&walks(p)?);
    part.miss_valid.set(io.miss_valid);
    part.miss.set(io.miss);
    io.replay.set(part.replay);
    io.fill.set(part.fill);
    part.cancel.set(io.cancel);
    m.assume(!io.base.any(), "the table begins at 0");
    part.base.set(io.base);
    io.m_axi.set(part.m_axi);
    Ok(io)
}

/// The walks, with a bus as that of the whole MMU. One miss is followed.
#[module]
fn walks_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_walks");
    let io = walks_alone(m, p)?;
    let f = Followed::new(m, p);
    bus(m, io.m_axi, m.lit(1u32 << p.number_bits(), p.number_bits() + 1), f, p);
    sends_by_the_rules(m, io.replay, Side::Part);

    m.section("how many there are");
    let inside = m.reg_reset(bits(5), 0).comment("misses that wait");
    let (push, pop) = (io.miss_valid, io.replay.transfer());
    inside.set(inside + push.zext(5) - pop.zext(5));
    m.assume(!push | inside.lt(MOST_MISSES * p.requesters), "no more miss than there is room for");
    m.assert(!io.replay.valid | inside.any(), "none is invented");

    m.section("the table held the entry since walks were forgotten");
    let held = m.reg_reset(bits(1), 0);
    held.set((held & !io.cancel) | f.holds);
    let fill = io.fill.payload;
    let fills = io.fill.valid & fill.page.eq(f.page) & followed(f, fill.permitted);
    m.assert(!fills | held | f.holds, "a new entry is one that the table held since walks were forgotten");

    m.section("one miss, whichever it is");
    let [seen, open, could] = [0, 1, 2].map(|_| m.reg_reset(bits(1), 0));
    let (ahead, asker): (Signal, Asker) = (m.reg(bits(5)), m.reg(io.miss.asker));
    let fresh = !(1..4).fold(io.cancel, |any, cycles| any | ago(m, cycles, io.cancel, 0));
    let begins = push & fresh & !seen & m.anyseq(1);
    let now = open & io.replay.valid & !ahead.any();
    m.when(begins, || {
        seen.set(true);
        asker.set(io.miss.asker);
        ahead.set(inside - pop.zext(5));
    })
    .elsewhen(pop, || ahead.set(ahead - 1));
    open.set(begins | (open & !(now & io.replay.ready)));
    could.set(f.holds | begins.mux(held, could));
    let x = io.replay.payload;
    let same = x.asker.requester.eq(asker.requester) & x.asker.slot.eq(asker.slot) & x.asker.write.eq(asker.write);
    m.assert(!now | (same & x.asker.page.eq(asker.page)), "misses come back in their order, as they were");
    let good = now & asker.page.eq(f.page) & !x.walked.cause.any() & followed(f, x.walked.permitted);
    m.assert(
        !good | could | f.holds,
        "with an entry that the table held since the last time that walks were forgotten before",
    );
    m.cover(good, "it has the followed entry");
    m.cover(now & x.shared, "it shares a walk");
    m.cover(fills, "the entry is filled in");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: &str, design, engine, cover_depth| Proof {
        name: name.into(),
        part: part.into(),
        design,
        engine,
        cover_depth,
    };
    Ok(vec![
        proof("h2m2_invalidation", "invalidation of H2M2's MMU, 2 sets", invalidation_proof(SMALL)?, Engine::Pdr, 44),
        proof("h2m2_tlb", "TLB of H2M2's MMU, 2 sets of 2 ways", tlb_proof(SMALL)?, Engine::Pdr, 16),
        proof("h2m2_walks", "walks of H2M2's MMU, 2 of them", walks_proof(SMALL)?, Engine::Bounded(18), 18),
    ])
}
