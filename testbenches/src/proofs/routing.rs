//! Parts with several streams on one side: arbiters, demultiplexer; and the credit counter.

use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, clog2, module};
use hw::stream::arbiter::{ArbiterPorts, arbiter};
use hw::stream::credit_counter::{CreditCounterPorts, credit_counter};
use hw::stream::demultiplexer::{DemultiplexerPorts, demultiplexer};
use hw::stream::packet_arbiter::{PacketArbiterPorts, packet_arbiter};

/// One of several streams side by side.
#[track_caller]
fn one(valid: Signal, ready: Signal, payload: Signal, i: u32) -> Stream {
    Stream { valid: valid.bit(i), ready: ready.bit(i), payload }
}

/// What holds for each input of an arbiter. `ends`: a turn of an input ends with this word; `out` are the words that leave.
#[module]
fn takes_turns(m: Module, inputs: &[(Stream, Signal)], out: Stream, source: Signal) {
    let count = inputs.len() as u32;
    sends_by_the_rules(m, out.with(out.payload.cat(source)), Side::Part);
    for (i, (s, _)) in inputs.iter().enumerate() {
        sends_by_the_rules(m, *s, Side::Surroundings);
        let leaves = Moves { moves: out.transfer() & source.eq(i), word: out.payload };
        keeps_words_in_order(m, Moves::of(*s), leaves, 1, false);
        let others = (0..inputs.len()).filter(|j| *j != i);
        let turns = others.map(|j| inputs[j].0.transfer() & inputs[j].1).reduce(|a, b| a | b).unwrap_or(m.lit(0u32, 1));
        let waited = m.reg_reset(bits(clog2(count as usize + 1)), 0);
        let waits = s.valid & !s.ready;
        m.when(!waits, || waited.set(0)).elsewhen(turns & waited.lt(count), || waited.set(waited + 1));
        m.assert(
            !(waits & turns) | waited.lt(count - 1),
            "an input that waits lets each of the others go first once at most",
        );
    }
}

/// Whose turn it is: the first of those that ask behind the one that went last, however long ago that was; after a reset the first of
/// all. `asks`, `goes`: one bit for each input.
#[module]
fn turn_passes_on(m: Module, asks: Signal, goes: Signal) {
    let inputs = asks.width();
    let last = m.reg_reset(bits(inputs), 1u32 << (inputs - 1)).comment("the one that went last");
    m.when(goes.any(), || last.set(goes));
    for i in 0..inputs {
        // it is the turn of input i if nobody asks from behind the last one up to it
        let mut turn = m.lit(0u32, 1);
        let mut nobody = m.lit(1u32, 1);
        for back in 1..=inputs {
            turn = turn | (last.bit((i + inputs - back) % inputs) & nobody);
            nobody = nobody & !asks.bit((i + inputs - back) % inputs);
        }
        m.assert(!goes.bit(i) | turn, "it is the turn of the first that asks behind the one that went last");
    }
    let idle = m.past(!asks.any()) & m.past_valid();
    m.cover(idle & asks.all() & goes.bit(1), "after a cycle in which nobody asks it is not the first one again");
}

/// An arbiter.
#[module]
fn arbiter_proof(width: u32, inputs: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_arbiter_{inputs}"));
    let io = ArbiterPorts::new(m, width, inputs);
    let part = m.instance(&arbiter(width, inputs)?);
    part.s.set(io.s);
    io.m.set(part.m);
    let words = io.s.payload.lanes(width);
    let always = m.lit(1u32, 1);
    let list: Vec<_> = (0..inputs).map(|i| (one(io.s.valid, io.s.ready, words[i as usize], i), always)).collect();
    let out = io.m.with(io.m.payload.payload);
    takes_turns(m, &list, out, io.m.payload.source);
    turn_passes_on(m, io.s.valid, io.s.valid & io.s.ready);
    let moves = (io.m.ready | !io.m.valid) & io.s.valid.any();
    stalls_at_most(m, moves & !io.s.ready.any(), 0, "a word goes whenever the output is empty or leaves");
    Ok(m.finish(io)?.erase())
}

/// An arbiter between packets.
#[module]
fn packet_arbiter_proof(width: u32, inputs: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_packet_arbiter_{inputs}"));
    let io = PacketArbiterPorts::new(m, width, inputs);
    let part = m.instance(&packet_arbiter(width, inputs)?);
    part.s.set(io.s);
    part.s_last.set(io.s_last);
    io.m.set(part.m);
    let words = io.s.payload.lanes(width);
    let beat = |i: u32| words[i as usize].cat(io.s_last.bit(i));
    let list: Vec<_> = (0..inputs).map(|i| (one(io.s.valid, io.s.ready, beat(i), i), io.s_last.bit(i))).collect();
    let got = io.m.payload;
    takes_turns(m, &list, io.m.with(got.payload.cat(got.last)), got.source);

    m.section("a beat goes whenever one can: within a packet only of its input");
    let taken = io.s.valid & io.s.ready;
    let (begun, input) = (m.reg_reset(bits(1), 0), m.reg(bits(inputs)));
    m.when(taken.any(), || {
        begun.set(!(taken & io.s_last).any());
        input.set(taken);
    });
    let asks = io.s.valid & (input | !begun.repeat(inputs));
    turn_passes_on(m, asks, taken);
    let moves = (io.m.ready | !io.m.valid) & (io.s.valid & (input | !begun.repeat(inputs))).any();
    stalls_at_most(m, moves & !io.s.ready.any(), 0, "a beat goes whenever the output is empty or leaves");

    m.section("a packet is not interrupted");
    let open = m.reg_reset(bits(1), 0);
    let owner = m.reg(bits(got.source.width()));
    m.when(io.m.transfer(), || {
        open.set(!got.last);
        owner.set(got.source);
    });
    m.assert(!(open & io.m.valid) | got.source.eq(owner), "a packet is not interrupted");
    m.cover(open & io.m.transfer() & got.last, "a packet of several beats comes out");
    Ok(m.finish(io)?.erase())
}

/// A demultiplexer.
#[module]
fn demultiplexer_proof(width: u32, outputs: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_demultiplexer_{outputs}"));
    let io = DemultiplexerPorts::new(m, width, outputs);
    let part = m.instance(&demultiplexer(width, outputs)?);
    part.s.set(io.s);
    io.m.set(part.m);
    io.illegal.set(part.illegal);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let select = io.s.payload.select;
    let mut taken = io.illegal;
    for i in 0..outputs {
        let output = one(io.m.valid, io.m.ready, io.m.payload, i);
        sends_by_the_rules(m, output, Side::Part);
        let mine = io.s.valid & select.eq(i);
        m.assert(output.valid.eq(mine), "a word goes to its output, and to no other");
        m.assert(!mine | output.payload.eq(io.s.payload.payload), "it goes there unchanged");
        taken = taken | output.transfer();
    }
    m.assert(io.s.transfer().eq(taken), "a word is taken when its output takes it, or when it has none");
    let none = if outputs.is_power_of_two() { m.lit(0u32, 1) } else { select.ge(outputs) };
    m.assert(io.illegal.eq(io.s.valid & none), "a word without an output is reported");
    m.cover(io.s.transfer() & select.eq(outputs - 1), "a word goes to the last output");
    Ok(m.finish(io)?.erase())
}

/// A credit counter.
#[module]
fn credit_proof(credits: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_credit_counter_{credits}"));
    let io = CreditCounterPorts::new(m, credits);
    let part = m.instance(&credit_counter(credits)?);
    part.take.set(io.take);
    part.give.set(io.give);
    io.available.set(part.available);
    io.level.set(part.level);
    io.excess.set(part.excess);
    let out = m.reg_reset(bits(clog2(credits as usize + 1)), 0).comment("credits that were taken and not given back");
    let taken = io.take & io.available;
    let none_out = out.eq(0);
    m.when(taken & !io.give, || out.set(out + 1)).elsewhen(io.give & !taken & !none_out, || out.set(out - 1));
    m.assert(out.le(credits), "no more credits are out than there are");
    m.assert((io.level + out).eq(credits), "every credit is either there or out");
    m.assert(io.available.eq(out.ne(credits)), "a credit is available unless all are out");
    let (wrong, known) = (m.past(io.give & !taken & none_out), m.past_valid());
    m.assert(!known | io.excess.eq(wrong), "a credit too many is reported");
    m.cover(out.eq(credits), "all credits can be out");
    m.cover(known & wrong, "a credit too many can come");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: arbiters, the demultiplexer and the credit counter.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let mut list = vec![];
    let mut add = |name: String, part: String, design: Design<()>| {
        list.push(Proof { name, part, design, engine: Engine::Pdr, cover_depth: 12 });
    };
    for n in [2, 3, 5] {
        add(format!("arbiter_{n}"), format!("arbiter, {n} inputs, width 2"), arbiter_proof(2, n)?);
        let part = format!("packet_arbiter, {n} inputs, width 2");
        add(format!("packet_arbiter_{n}"), part, packet_arbiter_proof(2, n)?);
        add(format!("demultiplexer_{n}"), format!("demultiplexer, {n} outputs, width 2"), demultiplexer_proof(2, n)?);
    }
    for n in [1, 4, 5] {
        add(format!("credit_counter_{n}"), format!("credit_counter, {n} credits"), credit_proof(n)?);
    }
    Ok(list)
}
