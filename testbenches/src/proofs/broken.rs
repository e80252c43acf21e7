//! Proofs that must fail: of parts with a mistake, and one with surroundings that let nothing happen.

use super::registers::registers_proof;
use super::words::{WordPorts, harness};
use super::{Engine, Proof};
use hdl::{Bundle, Design, Errors, Module, bits, module};
use hw::stream::register_slice::register_slice;

/// Four places, but it calls itself full only after the fifth word.
#[module]
fn broken_fifo() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_broken_fifo");
    let io = WordPorts::new(m, 2);
    let (push, pop) = (io.s.transfer(), io.m.transfer());
    let (head, tail) = (m.reg_reset(bits(2), 0), m.reg_reset(bits(2), 0));
    let count = m.reg_reset(bits(3), 0);
    let words = m.memory(bits(2), 4);
    words.write(tail, io.s.payload, push);
    m.when(push, || tail.set(tail + 1));
    m.when(pop, || head.set(head + 1));
    m.when(push & !pop, || count.set(count + 1)).elsewhen(pop & !push, || count.set(count - 1));
    io.s.ready.set(count.ne(5));
    io.m.valid.set(count.ne(0));
    io.m.payload.set(words.read(head));
    harness(m, io, 5, 1, 1);
    Ok(m.finish(io)?.erase())
}

/// What surrounds it never sends a word: everything holds, and nothing is shown.
#[module]
fn broken_surroundings() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_broken_surroundings");
    let io = WordPorts::new(m, 2);
    let part = m.instance(&register_slice(2)?);
    part.s.set(io.s);
    io.m.set(part.m);
    m.assume(!io.s.valid, "nobody sends");
    harness(m, io, 2, 1, 1);
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: what is broken on purpose, which must fail.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: &str, design| Proof {
        name: name.into(),
        part: part.into(),
        design,
        engine: Engine::Pdr,
        cover_depth: 12,
    };
    Ok(vec![
        proof("broken_fifo", "a FIFO with a wrong full flag", broken_fifo()?),
        Proof {
            engine: Engine::Bounded(12),
            ..proof("broken_bounded_fifo", "the same, for 12 cycles", broken_fifo()?)
        },
        proof("broken_surroundings", "a register slice to which nobody sends", broken_surroundings()?),
        proof("broken_flags", "registers whose flags are lost if they are set while they are cleared", {
            registers_proof("broken_flags", true)?
        }),
    ])
}
