//! Requester of H2M2's MMU: each request has the answer that its lookup or its walk gave, in order. Of the requests one is followed, whichever it is.

use super::h2m2_mmu::{SMALL, ago};
use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module};
use hw::h2m2::params::{MmuParams, SLOTS};
use hw::h2m2::requester::{RequesterPorts, SlotResult, requester};
use hw::h2m2::types::{LookupOutcome, Request};

/// Cycles from a request that is granted to the first result of its lookup.
const LOOKUP: u32 = 4;

/// A requester between the harness's ports.
#[module]
pub(super) fn requester_alone(m: Module, p: MmuParams) -> Result<RequesterPorts, Errors> {
    let io = RequesterPorts::new(m, p);
    let part = m.instance(&requester(p)?);
    part.s.set(io.s);
    io.asks.set(part.asks);
    io.asker.set(part.asker);
    io.leaves.set(part.leaves);
    part.granted.set(io.granted);
    part.result.set(io.result);
    io.m.set(part.m);
    part.release.set(io.release);
    part.epoch.set(io.epoch);
    part.epoch_flips.set(io.epoch_flips);
    io.answered.set(part.answered);
    io.unused.set(part.unused);
    io.idle.set(part.idle);
    Ok(io)
}

/// What comes of the lookups of a requester. Returns the slots that wait for their second result.
#[module]
pub(super) fn lookups(m: Module, io: RequesterPorts) -> Signal {
    m.assume(!io.granted | io.asks, "what does not ask is not granted");
    m.section("lookups take so many cycles; those that found nothing have a second result");
    let SlotResult { valid, first, slot, outcome } = io.result;
    let comes = ago(m, LOOKUP, io.granted, 0);
    let its_slot = ago(m, LOOKUP, io.asker.slot, 0);
    let waiting = m.reg_reset(bits(SLOTS), 0).comment("slots that wait for their second result");
    let mine = hdl::logic::one_hot(slot, SLOTS as usize);
    let waits = (waiting & mine).any();
    m.assume((valid & first).eq(comes), "the first result comes when it is due");
    m.assume(!comes | slot.eq(its_slot), "for its slot");
    m.assume(!(valid & !first) | (waits & !outcome.waits), "the second one comes for a slot that waits");
    let on = (valid & first & outcome.waits).repeat(SLOTS);
    waiting.set((waiting & !(mine & valid.repeat(SLOTS))) | (mine & on));
    waiting
}

/// A requester, of whose requests one is followed.
#[module]
fn requester_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_requester");
    let io = requester_alone(m, p)?;
    m.assume(!io.epoch_flips | io.answered, "an epoch begins when those before the last one are answered");
    let answers = (io.m.payload.tag, io.m.payload.address.bit(0), io.m.payload.cause).pack();
    sends_by_the_rules(m, io.m.with(answers), Side::Part);

    lookups(m, io);

    m.section("one request, whichever it is");
    let SlotResult { valid, first, slot, outcome } = io.result;
    let (push, pop, asked): (Signal, Signal, Request) = (io.granted, io.m.transfer(), io.s.payload);
    let inside = m.reg_reset(bits(5), 0).comment("requests that are not answered");
    inside.set(inside + push.zext(5) - pop.zext(5));
    m.assert(!io.m.valid | inside.any(), "no answer is invented");
    m.assert(!push | inside.lt(SLOTS), "no more are taken than there is room for");
    let [seen, open] = [0, 1].map(|_| m.reg_reset(bits(1), 0));
    let (ahead, tag, offset, place) = (m.reg(bits(5)), m.reg(asked.tag), m.reg(bits(1)), m.reg(slot));
    let begins = push & !seen & m.anyseq(1);
    let due = ago(m, LOOKUP, begins, 0);
    let (known, waits) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    let said: LookupOutcome = m.reg(outcome);
    let now = open & io.m.valid & !ahead.any();
    m.when(begins, || {
        seen.set(true);
        (tag, offset, place).set((asked.tag, asked.address.bit(0), io.asker.slot));
        ahead.set(inside - pop.zext(5));
    })
    .elsewhen(pop, || ahead.set(ahead - 1));
    open.set(begins | (open & !(now & io.m.ready)));
    let again = open & known & waits & valid & !first & slot.eq(place);
    m.when(due | again, || {
        known.set(true);
        (waits, said).set((outcome.waits, outcome));
    });
    let x = io.m.payload;
    m.assert(!now | (known & !waits), "it is answered when its result is known, and not before");
    m.assert(!now | x.tag.eq(tag), "its answer has its tag");
    m.assert(!now | x.cause.eq(said.cause), "and says how its lookup ended");
    let good = now & !x.cause.any();
    m.assert(!good | x.address.drop_low(p.page_bits).eq(said.frame), "with its physical page");
    m.assert(!good | x.address.bit(0).eq(offset), "and its offset");

    m.section("epochs");
    let old = m.reg_reset(bits(1), 0).comment("it was taken before the last flip");
    old.set((io.epoch_flips & open) | (old & open));
    m.assert(!(old & open) | !io.answered, "not all is answered while it waits");
    m.cover(good & ahead.eq(0) & place.ne(0), "a translation is answered");
    m.cover(old & now, "it is answered behind a flip");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let one = MmuParams { requesters: 1, ..SMALL };
    Ok(vec![Proof {
        name: "h2m2_requester".into(),
        part: "requester of H2M2's MMU".into(),
        design: requester_proof(one)?,
        engine: Engine::Bounded(16),
        cover_depth: 16,
    }])
}
