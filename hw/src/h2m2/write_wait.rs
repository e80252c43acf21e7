//! Writes that wait: stands between a requester and the MMU, and asks again for what a page on the move refused, so that the requester never sees
//! the fault `moving`. The MMU answers all the same, so no invalidation is held by a write that waits.
//!
//! | port | |
//! | --- | --- |
//! | `s`, `m`, `release` | requests, answers in their order, and translations that are handed back, as at the MMU |
//! | `asks`, `answers`, `releases` | the same at the side of the MMU, which answers in the order in which it was asked |
//! | `enable` | requests are taken |
//! | `idle` | register: all requests that were taken up to the cycle before are answered, and their answers taken |
//!
//! - It goes back N: behind an answer `moving`, all answers to requests that were asked behind that one are thrown away, and a translation among them is
//!   handed back. That request is asked for alone until it has another answer; then the others are again, in their order.
//! - What is thrown away, and what the requester hands back, is handed back from the next cycle on, one in a cycle, the epochs alternating while
//!   both have some. What the requester never had is not handed back.
//! - What `asks` offers changes in the cycle behind an answer `moving`, taken or not.
//! - Parameters: those of [`MmuParams`]; `depth`, a power of two, requests that are kept. Latency: a request is asked for in the cycle behind that in
//!   which it was taken; answers pass within the cycle. A request in every cycle while none waits; one that waits is asked for again in the cycle
//!   behind its answer. Combinational paths: `answers` to `m`; `answers_cause` and `m_ready` to `answers_ready`;
//!   `enable` to `s_ready`.

use super::mmu::MmuPorts;
use super::params::*;
use super::types::{self, *};
use hdl::logic::UpDown;
use hdl::*;

ports! {
    /// Ports of [`write_wait`].
    pub struct WriteWaitPorts(p: MmuParams) {
        /// Requests.
        input s: Stream<Request> = stream(request(p)),
        /// Answers to them.
        output m: Stream<Translation> = stream(translation(p)),
        /// What the requester hands back.
        input release: Release = release(),
        /// Requests to the MMU.
        output asks: Stream<Request> = stream(request(p)),
        /// Its answers.
        input answers: Stream<Translation> = stream(translation(p)),
        /// What is handed back to it.
        output releases: Release = types::release(),
        /// Requests are taken.
        input enable: Signal = bits(1),
        /// Nothing waits.
        output idle: Signal = bits(1),
    }
}

/// Translations of one epoch that are to be handed back.
#[derive(Clone, Copy)]
struct Owed {
    level: Signal,
    /// One is handed back in this cycle.
    goes: Signal,
}

/// What lets the writes of a requester wait.
#[module]
pub fn write_wait(p: MmuParams, depth: u32) -> Result<Design<WriteWaitPorts>, Errors> {
    let m = Module::new(p.name("h2m2_write_wait"));
    m.doc("Asks again for writes to pages on the move.");
    let io = WriteWaitPorts::new(m, p);
    let slot_of = |place: Signal| place.trunc(depth.ilog2());

    m.section(
        "a ring of requests: answers wait from head on, the MMU is asked up to next, requests are taken up to tail",
    );
    let place = bits(depth.ilog2() + 1);
    let (head, next, tail) = (m.reg_reset(place, 0), m.reg_reset(place, 0), m.reg_reset(place, 0));
    let kept = m.memory(request(p), depth as usize).style(RamStyle::Distributed);
    let takes = io.s.transfer();
    io.s.ready.set(io.enable & (tail - head).ne(depth));
    kept.write(slot_of(tail), io.s.payload, takes);
    let idle = m.reg_reset(bits(1), 1);
    idle.set(tail.eq(head) & !takes);
    io.idle.set(idle);

    m.section("the MMU is asked; for the oldest one alone, if that waits");
    let waits = m.reg_reset(bits(1), 0);
    io.asks.valid.set(next.ne(tail) & (!waits | next.eq(head)));
    io.asks.payload.set(kept.read(slot_of(next)));
    let asked = io.asks.transfer();

    m.section("answers: behind one that is asked for again, those that the MMU still owes are thrown away");
    let stale =
        m.reg_reset(bits(depth.ilog2()), 0).comment("answers of the MMU that are still to come and are thrown away");
    let answer = io.answers.payload;
    let throws = stale.any();
    let moving = answer.cause.eq(cause::MOVING);
    let passes = !throws & !moving;
    io.m.valid.set(io.answers.valid & passes);
    io.m.payload.set(answer);
    io.answers.ready.set(!passes | io.m.ready);
    let leaves = io.m.transfer();
    let retries = io.answers.valid & !throws & moving;
    let thrown = io.answers.valid & throws;
    m.assert(!(leaves | retries) | next.ne(head), "an answer was asked for");
    m.when(takes, || tail.set(tail + 1));
    m.when(asked, || next.set(next + 1));
    m.when(leaves, || {
        head.set(head + 1);
        waits.set(false);
    });
    m.when(thrown, || stale.set(stale - 1));
    m.when(retries, || {
        next.set(head);
        waits.set(true);
        let under_way = slot_of(next - head);
        stale.set(asked.mux(under_way, under_way - 1));
    });

    let owed = [0, 1].map(|epoch| {
        let uses = !answer.cause.any() & answer.epoch.eq(epoch);
        let release = io.release.valid & io.release.epoch.eq(epoch);
        owed(m, leaves & uses, thrown & uses, release)
    });
    hand_back(m, io.releases, owed);
    m.finish(io)
}

/// Translations of one epoch that are to be handed back: those that were thrown away, and those that the requester had and hands back. What it
/// never had does not count.
#[module]
fn owed(m: Module, given: Signal, thrown: Signal, release: Signal) -> Owed {
    m.section("translations of an epoch: those that the requester has, and those that are to be handed back");
    // of an epoch, `had` and `owed` together: the MMU lets no more be in use
    let had = UpDown::new(m, USES);
    let returned = release & !had.is_empty();
    had.count(given, returned);
    let level = m.reg_reset(had.level, 0).named("owed");
    let goes = m.wire(bits(1));
    let rises = (thrown & returned) | ((thrown | returned) & !goes);
    m.assert(!rises | level.ne(USES), "no more is owed than can be in use");
    let one_of = |flag: Signal| flag.zext(level.width());
    level.set(level + one_of(thrown) + one_of(returned) - one_of(goes));
    Owed { level, goes }
}

/// Hands back one translation in a cycle, of both epochs in turn while both have some: so none waits for those of the other one.
#[module]
fn hand_back(m: Module, releases: Release, owed: [Owed; 2]) {
    m.section("one of them is handed back in a cycle, of both epochs in turn");
    let [first, second] = owed.map(|owed| owed.level.any());
    let last = m.reg_reset(bits(1), 0).comment("the epoch of the one before");
    let epoch = (first & second).mux(!last, second);
    let valid = first | second;
    m.when(valid, || last.set(epoch));
    owed[0].goes.set(valid & !epoch);
    owed[1].goes.set(valid & epoch);
    releases.set(Release { valid, epoch });
}

/// What a requester of the MMU has: its requests, their answers, and what it hands back.
pub type Requesting = (Stream<Request>, Stream<Translation>, Release);

/// Connects requesters to an MMU, each through what lets its writes wait, and enables that. While it is not enabled, what was taken is answered.
/// One bit: nothing waits in front of the MMU.
#[module]
pub fn through_write_waits(
    m: Module,
    requesters: &[Requesting],
    mmu: MmuPorts,
    enable: Signal,
    p: MmuParams,
) -> Result<Signal, Errors> {
    let part = write_wait(p, SLOTS)?;
    let mut idle = m.lit(1u32, 1);
    for (i, (request, response, release)) in requesters.iter().enumerate() {
        let wait = m.instance(&part);
        wait.s.set(*request);
        response.set(wait.m);
        wait.release.set(*release);
        mmu.request[i].set(wait.asks);
        wait.answers.set(mmu.response[i]);
        mmu.release[i].set(wait.releases);
        wait.enable.set(enable);
        idle = if i == 0 { wait.idle } else { idle & wait.idle };
    }
    mmu.enable.set(enable | !idle);
    Ok(idle)
}
