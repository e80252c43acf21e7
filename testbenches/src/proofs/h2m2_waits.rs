//! Bounded waiting in H2M2's MMU: if memory answers, a miss is answered, and so is a request. What surrounds the walks and a requester lets them wait
//! for [`WAIT`] cycles at most.

use super::h2m2_mmu::{SMALL, walks_alone};
use super::h2m2_requester::{lookups, requester_alone};
use super::{Engine, Proof};
use crate::checkers::{lets_wait_at_most, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, bits, module};
use hw::h2m2::params::{MOST_MISSES, MmuParams, SLOTS};

/// Cycles that the surroundings let a part wait.
const WAIT: u32 = 2;

/// Cycles between one miss that is answered and the next one, or from a miss to its answer where none is before it.
const WALK: u32 = 15;

/// The walks: misses are answered in their order, so one with so many others before it waits for so many times [`WALK`] cycles.
#[module]
fn walks_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_walks_wait");
    let io = walks_alone(m, p)?;
    m.section("memory answers");
    let (axi, asks) = (io.m_axi, io.m_axi.request());
    let level = m.reg_reset(bits(2), 0).comment("reads that are not answered");
    let (push, pop) = (asks.transfer(), axi.rvalid & axi.rready);
    level.set(level + push.zext(2) - pop.zext(2));
    m.assume(!axi.rvalid | level.any(), "what was not asked for is not answered");
    lets_wait_at_most(m, asks.valid & !asks.ready, WAIT, "memory takes a read");
    lets_wait_at_most(m, level.any() & !axi.rvalid, WAIT, "and answers the oldest one");
    m.section("entries and answers are taken");
    lets_wait_at_most(m, !io.fill.ready, 3, "a new entry is taken");
    lets_wait_at_most(m, io.replay.valid & !io.replay.ready, WAIT, "a miss whose walk is over is taken");

    m.section("misses that wait");
    let inside = m.reg_reset(bits(5), 0);
    let (push, pop) = (io.miss_valid, io.replay.transfer());
    inside.set(inside + push.zext(5) - pop.zext(5));
    m.assume(!push | inside.lt(MOST_MISSES * p.requesters), "no more miss than there is room for");
    stalls_at_most(
        m,
        inside.any() & !io.replay.valid,
        WALK,
        "if memory answers, the oldest miss is answered in bounded time",
    );
    m.cover(pop & io.replay.payload.shared, "one that shares a walk is answered");
    Ok(m.finish(io)?.erase())
}

/// Cycles from a request, or the answer before it, to its answer.
const ANSWER: u32 = 7;

/// A requester whose oldest miss has its result [`WAIT`] cycles behind at most. In so few cycles there are never as many translations in
/// use as may be.
#[module]
fn requester_proof(p: MmuParams) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_h2m2_requester_wait");
    let io = requester_alone(m, p)?;
    let waiting = lookups(m, io);
    let (push, pop) = (io.granted, io.m.transfer());
    let inside = m.reg_reset(bits(5), 0).comment("requests that are not answered");
    inside.set(inside + push.zext(5) - pop.zext(5));
    let oldest = m.reg_reset(bits(SLOTS.ilog2()), 0).comment("the slot of the oldest one");
    oldest.set(oldest + pop.zext(oldest.width()));
    let misses = waiting.part(oldest, 1);
    lets_wait_at_most(m, misses & !(io.result.valid & !io.result.first), WAIT, "a walk ends");
    let its_result = io.result.valid & !io.result.first & io.result.slot.eq(oldest);
    m.assume(!(misses & io.result.valid & !io.result.first) | its_result, "and is that of the oldest miss");
    lets_wait_at_most(m, io.m.valid & !io.m.ready, WAIT, "an answer is taken");

    stalls_at_most(
        m,
        inside.any() & !io.m.valid,
        ANSWER,
        "if walks end, the oldest request is answered in bounded time",
    );
    m.cover(pop & inside.eq(3), "an answer is followed by others");
    [io.epoch_flips, io.epoch].into_iter().for_each(|x| x.unused());
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: String, design, engine, cover_depth| Proof {
        name: name.into(),
        part,
        design,
        engine,
        cover_depth,
    };
    let one = MmuParams { requesters: 1, ..SMALL };
    let walks = format!("walks of H2M2's MMU, an answer within {WALK} cycles");
    let requester = format!("requester of H2M2's MMU, an answer within {ANSWER} cycles");
    Ok(vec![
        proof("h2m2_wait_walks", walks, walks_proof(SMALL)?, Engine::Bounded(22), 22),
        proof("h2m2_wait_requester", requester, requester_proof(one)?, Engine::Bounded(17), 17),
    ])
}
