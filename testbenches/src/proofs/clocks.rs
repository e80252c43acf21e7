//! Parts that take events and resets from one clock to another.

use super::memories::STAGES;
use super::{Engine, Proof};
use crate::checkers::{long_past, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module};
use hw::stream::pulse_synchronizer::{PulseSynchronizerPorts, pulse_synchronizer};
use hw::stream::reset_synchronizer::{ResetSynchronizerPorts, reset_synchronizer};
use hw::stream::synchronizer::{SynchronizerPorts, synchronizer};

/// Every pulse that is taken comes out exactly once, whatever the order of the edges: pulses are counted on both sides.
#[module]
fn pulse_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_pulse_synchronizer");
    let io = PulseSynchronizerPorts::new(m);
    let (source, sink) = (m.clock_domain("s_clk", "s_rst"), m.clock_domain("m_clk", "m_rst"));
    m.port_domain((io.s_pulse, io.s_ready), source);
    m.port_domain(io.m_pulse, sink);
    let part = m.instance(&pulse_synchronizer(STAGES)?);
    part.s_pulse.set(io.s_pulse);
    io.s_ready.set(part.s_ready);
    io.m_pulse.set(part.m_pulse);

    let reason = "the prover looks at both sides at once";
    let taken = m.in_domain(source, || m.reg_reset(bits(2), 0));
    let given = m.in_domain(sink, || m.reg_reset(bits(2), 0));
    m.in_domain(source, || {
        let under_way = taken - m.cross(given, source, reason);
        let takes = io.s_pulse & io.s_ready;
        m.when(takes, || taken.set(taken + 1));
        m.assert(under_way.le(1), "no pulse is lost or doubled: at most one is under way");
        m.assert(!io.s_ready | under_way.eq(0), "no pulse is taken while one is under way");
        stalls_at_most(m, under_way.eq(0) & !io.s_ready, STAGES, "when a pulse has come out, the next one is taken");
        let back = edges_of(m, under_way.eq(0) & !io.s_ready);
        let (waited, known) = (m.past(!io.s_ready & under_way.eq(0)), m.past_valid());
        m.assert(!(known & waited & io.s_ready) | back.eq(STAGES), "its way back takes all flip-flops");
        m.cover(takes & taken.eq(2), "a third pulse is taken");
    });
    m.in_domain(sink, || {
        let under_way = m.cross(taken, sink, reason) - given;
        m.when(io.m_pulse, || given.set(given + 1));
        m.assert(!io.m_pulse | under_way.eq(1), "no pulse is invented");
        stalls_at_most(m, under_way.ne(0) & !io.m_pulse, STAGES, "a pulse that was taken comes out");
        let waited = edges_of(m, under_way.ne(0) & !io.m_pulse);
        m.assert(!io.m_pulse | waited.eq(STAGES), "it comes out of the last flip-flop, not before");
        m.cover(io.m_pulse & given.eq(2), "a third pulse comes out");
    });
    Ok(m.finish(io)?.erase())
}

/// For how many edges, one after the other up to the last one, `waits` was 1.
#[module]
fn edges_of(m: Module, waits: Signal) -> Signal {
    let count = m.reg_reset(bits(3), 0);
    m.when(waits, || count.set(count + 1)).otherwise(|| count.set(0));
    count
}

/// What an edge catches is at the output after as many edges as there are flip-flops: no more, and no less, since the first ones
/// need that time to settle.
#[module]
fn synchronizer_proof(width: u32, stages: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_synchronizer_{width}x{stages}"));
    let io = SynchronizerPorts::new(m, width);
    let part = m.instance(&synchronizer(width, stages)?);
    part.d.set(io.d);
    io.q.set(part.q);
    let (caught, known) = long_past(m, io.d, stages);
    m.assert(!known | io.q.eq(caught), "the output is what was caught so many edges before");
    m.assert(known | !io.q.any(), "after a reset it is 0 until then");
    m.cover(known & io.q.any() & io.q.ne(io.d), "a change is under way");
    Ok(m.finish(io)?.erase())
}

/// The reset may come and go between any two edges.
#[module]
fn reset_proof(stages: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_reset_synchronizer_{stages}"));
    let io = ResetSynchronizerPorts::new(m);
    let part = m.instance(&reset_synchronizer(stages)?);
    part.reset.set(io.reset);
    io.clk_reset.set(part.clk_reset);

    let known = m.reg_reset(bits(1), 0).comment("there was a reset");
    let left = m.reg_reset(bits(3), 0).comment("edges until it ends");
    m.when(io.reset, || {
        known.set(true);
        left.set(stages);
    })
    .elsewhen(left.ne(0), || left.set(left - 1));
    m.assert(!io.reset | io.clk_reset, "the reset begins at once");
    m.assert(!(known & left.ne(0)) | io.clk_reset, "it lasts until its flip-flops have settled");
    m.assert(!known | left.ne(0) | io.reset | !io.clk_reset, "it ends with an edge, as soon as they have");
    m.cover(known & !io.clk_reset, "a reset ends");
    m.cover(known & left.eq(1) & io.reset, "a reset comes while one ends");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: synchronizers.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: String, part: String, design| Proof { name, part, design, engine: Engine::Pdr, cover_depth: 24 };
    let mut list =
        vec![proof("pulse_synchronizer".into(), format!("pulse_synchronizer, {STAGES} stages"), pulse_proof()?)];
    for stages in 2..=4 {
        let (name, part) = (format!("reset_synchronizer_{stages}"), format!("reset_synchronizer, {stages} stages"));
        list.push(proof(name, part, reset_proof(stages)?));
        let part = format!("synchronizer, 2 bits, {stages} stages");
        list.push(proof(format!("synchronizer_{stages}"), part, synchronizer_proof(2, stages)?));
    }
    Ok(list)
}
