//! Fork and join: streams that meet without a register between them.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use hw::stream::{fork_many, join_many};

ports! {
    /// One stream to three.
    pub(super) struct ForkPorts(width: u32) {
        input s: Stream = stream(bits(width)),
        output a: Stream = stream(bits(width)),
        output b: Stream = stream(bits(width)),
        output c: Stream = stream(bits(width)),
    }
}

ports! {
    /// Three streams to one.
    pub(super) struct JoinPorts(width: u32) {
        input a: Stream = stream(bits(width)),
        input b: Stream = stream(bits(width)),
        input c: Stream = stream(bits(width)),
        output m: Stream = stream(bits(3 * width)),
    }
}

/// A word leaves the input when every output has had it exactly once, and no output has had a later one.
#[module]
fn fork_proof(width: u32) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_fork");
    let io = ForkPorts::new(m, width);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let forked = fork_many(m, io.s, 3);
    let mut all = m.lit(1u32, 1);
    for (output, source) in [io.a, io.b, io.c].into_iter().zip(forked) {
        output.set(source);
        sends_by_the_rules(m, output, Side::Part);
        let had = m.reg_reset(bits(1), 0);
        let pop = output.transfer();
        m.when(io.s.transfer(), || had.set(false)).elsewhen(pop, || had.set(true));
        m.assert(!pop | io.s.valid, "no word is invented");
        m.assert(!pop | !had, "no output gets a word twice");
        m.assert(!pop | output.payload.eq(io.s.payload), "each output gets the word unchanged");
        m.assert(!io.s.transfer() | had | pop, "no output misses a word");
        m.assert(!io.s.valid | had | output.valid, "no output waits for another one");
        all = all & (had | output.ready);
    }
    m.assert(!io.s.valid | io.s.ready.eq(all), "the input waits for nothing else");
    m.cover(io.s.transfer() & !io.a.valid & io.c.valid, "one output is earlier than another");
    Ok(m.finish(io)?.erase())
}

/// A word of each input goes out in the same cycle, or of none.
#[module]
fn join_proof(width: u32) -> Result<Design<()>, Errors> {
    let m = Module::new("prove_join");
    let io = JoinPorts::new(m, width);
    let inputs = [io.a, io.b, io.c];
    inputs.into_iter().for_each(|s| sends_by_the_rules(m, s, Side::Surroundings));
    io.m.set(join_many(m, &inputs));
    sends_by_the_rules(m, io.m, Side::Part);
    let every: Signal = io.a.valid & io.b.valid & io.c.valid;
    m.assert(io.m.valid.eq(every), "a word stands at the output when every input has one");
    for (i, s) in inputs.into_iter().enumerate() {
        m.assert(s.transfer().eq(io.m.transfer()), "the words of all inputs are taken together");
        let part = io.m.payload.lanes(width)[i];
        m.assert(!io.m.valid | part.eq(s.payload), "each word goes out unchanged, at its place");
    }
    m.cover(io.m.transfer() & io.m.payload.all(), "words are joined");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: fork and join.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let (engine, cover_depth) = (Engine::Pdr, 8);
    let proof =
        |name: &str, part: &str, design| Proof { name: name.into(), part: part.into(), design, engine, cover_depth };
    let fork = proof("fork", "fork, 3 outputs, width 2", fork_proof(2)?);
    let join = proof("join", "join, 3 inputs, width 2", join_proof(2)?);
    Ok(vec![fork, join])
}
