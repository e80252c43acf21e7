//! Writes that wait at H2M2's MMU: between a requester and an MMU that answers in its order, with any cause, each request is answered once, in the
//! order of the requester, and never with `moving`; each translation that the MMU gives is handed back once, when the requester hands it back, or at once if
//! it never got it; and what the requester hands back without having it changes nothing.

use super::h2m2_mmu::SMALL;
use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module};
use hw::h2m2::params::{MmuParams, cause};
use hw::h2m2::types::Request;
use hw::h2m2::write_wait::{WriteWaitPorts, write_wait};

/// Requests that are kept.
const DEPTH: u32 = 4;
/// Translations that the MMU lets be in use, of each epoch.
const IN_USE: u32 = 3;

/// Requests that the MMU has, of which the answers have the tags: gives how many.
#[module]
fn mmu(m: Module, io: WriteWaitPorts) -> Signal {
    m.section("the MMU answers what it was asked, in that order, whatever its cause");
    let level = m.reg_reset(bits(3), 0).named("inside_mmu");
    let tags: Vec<Request> = (0..DEPTH).map(|_| m.reg(io.asks.payload)).collect();
    let (push, pop) = (io.asks.transfer(), io.answers.transfer());
    m.assert(!push | level.lt(DEPTH), "no more is asked for than is kept");
    m.assume(!io.answers.valid | level.any(), "what was not asked is not answered");
    m.assume(!io.answers.valid | io.answers.payload.tag.eq(tags[0].tag), "answers come in order");
    sends_by_the_rules(m, io.answers, Side::Surroundings);
    let place = level - pop.zext(3);
    for i in 0..DEPTH as usize {
        let next = tags.get(i + 1).map_or(tags[i], |later| pop.mux(*later, tags[i]));
        tags[i].set((push & place.eq(i as u32)).mux(io.asks.payload, next));
    }
    level.set(place + push.zext(3));
    level
}

/// Translations in use, of one epoch: what the MMU gave and was not handed back, and of that what the requester has.
#[module]
fn in_use(m: Module, io: WriteWaitPorts, epoch: u32) {
    m.section("translations in use, of an epoch");
    let [given, had] = [0, 1].map(|_| m.reg_reset(bits(2), 0));
    let of = |x: Signal| x.eq(epoch);
    let good = !io.answers.payload.cause.any() & of(io.answers.payload.epoch);
    let gives = io.answers.transfer() & good;
    let gets = io.m.transfer() & !io.m.payload.cause.any() & of(io.m.payload.epoch);
    let returned = io.releases.valid & of(io.releases.epoch);
    // whatever the requester says: what it does not have it cannot hand back
    let handed = io.release.valid & of(io.release.epoch) & had.any();
    let owed = given.ne(had);
    m.assume(!io.answers.valid | !good | given.lt(IN_USE), "no more than may be in use");
    m.assert(given.ge(had), "what the requester has, the MMU gave");
    m.assert(!returned | owed, "what is handed back was given, and the requester has it no more");
    m.assert(!owed | io.releases.valid, "what the requester has no more, or never got, is handed back");
    let waited = m.past_valid() & m.past(owed & !returned);
    m.assert(!waited | returned, "and waits for one of the other epoch at most");
    given.set(given + gives.zext(2) - returned.zext(2));
    had.set(had + gets.zext(2) - handed.zext(2));
    let thrown = m.reg_reset(bits(1), 0).comment("one was thrown away");
    m.when(gives & !gets, || thrown.set(true));
    m.cover(thrown & returned & had.any(), "a translation is handed back while the requester has another one");
}

#[module]
fn write_wait_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_write_wait");
    let io = WriteWaitPorts::new(m, p);
    let part = m.instance(&write_wait(p, DEPTH)?);
    part.s.set(io.s);
    io.m.set(part.m);
    part.release.set(io.release);
    io.asks.set(part.asks);
    part.answers.set(io.answers);
    io.releases.set(part.releases);
    part.enable.set(io.enable);
    io.idle.set(part.idle);
    let inside_mmu = mmu(m, io);
    sends_by_the_rules(m, io.m, Side::Part);
    m.assert(!io.m.valid | io.m.payload.cause.ne(cause::MOVING), "no answer is that a page moves");
    let moves = |moves: Signal, tag: Signal| Moves { moves, word: tag };
    let (push, pop) = (io.s.transfer(), io.m.transfer());
    let inside = keeps_words_in_order(m, moves(push, io.s.payload.tag), moves(pop, io.m.payload.tag), DEPTH, false);
    m.assert(!io.s.ready | io.enable, "while it is not enabled, nothing is taken");
    m.assert(!io.enable | io.s.ready.eq(inside.ne(DEPTH)), "else as long as there is room");
    m.assert(!inside.any() | inside_mmu.any() | io.asks.valid, "what is kept is asked for or on its way");
    m.assert(!inside_mmu.any() | inside.any(), "nobody waits for what was thrown away");
    m.assert(!io.idle | !inside.any(), "it is not idle while a request is kept");
    let quiet = m.past_valid() & !m.past(inside.any() | push);
    m.assert(!quiet | io.idle, "and is, a cycle behind the last one");
    for epoch in 0..2 {
        in_use(m, io, epoch);
    }
    let again = io.answers.transfer() & io.answers.payload.cause.eq(cause::MOVING);
    m.cover(again & inside_mmu.eq(DEPTH), "a write waits with all others behind it");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let p = MmuParams { requesters: 1, writes_wait: true, ..SMALL };
    Ok(vec![Proof {
        name: "h2m2_write_wait".into(),
        part: "writes that wait at H2M2's MMU, 4 of them kept".into(),
        design: write_wait_proof(p)?,
        engine: Engine::Pdr,
        cover_depth: 16,
    }])
}
