//! What is read from memory, and where it goes. Built into the module that calls.

use super::types::*;
use crate::attention::merge::{MergePorts, MergeWord, Part};
use crate::memory::axi::AxiRead;
use crate::memory::burst_reader::burst_reader;
use crate::memory::mover::{Command, Done, command};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// What was read.
pub(super) struct Read {
    /// Something could not be read.
    pub(super) failed: Signal,
    /// How reads ended.
    pub(super) done: Stream<Done>,
}

/// Reads the last word of each part, then the vectors.
#[module]
pub(super) fn read(
    m: Module,
    bus: AxiRead,
    (job, partial): (Job, Signal),
    unit: &Instance<MergePorts>,
    p: MergeAxiParams,
) -> Result<Read, Errors> {
    let reader = m.instance(&burst_reader(&p.mover().name("burst_reader"), p.mover())?);
    let asked = ask(m, job, partial, p);
    reader.command.set(register_slice_forward_after(m, asked)?);
    bus.set(reader.m_axi);

    m.section("where it goes");
    let from = reader.m_axis;
    from.tkeep.unused();
    let error = from.tuser.expect("a reader tells of errors");
    let of_vectors = m.reg_reset(bits(1), 0).comment("vectors come");
    let came = m.reg_reset(bits(p.part_bits()), 0).comment("the part that comes");
    let failed = m.reg_reset(bits(1), 0).comment("something could not be read");
    let ends = came.eq(job.last);
    let comes = from.tvalid & from.tready;
    m.when(comes & from.tlast, || {
        came.set(ends.mux(came.zeros(came.width()), came + 1));
        of_vectors.set(of_vectors ^ ends);
    });
    m.when(comes & error, || failed.set(1)).elsewhen(job.begins, || failed.set(0));
    let numbers = from.tdata.lanes(16);
    unit.parts.valid.set(from.tvalid & !of_vectors);
    unit.parts.payload.set(Part { largest: numbers[0], sum: numbers[1], last: ends });
    unit.words.valid.set(from.tvalid & of_vectors);
    unit.words.payload.set(MergeWord { numbers: Vector::of(numbers), last: from.tlast & ends });
    from.tready.set(of_vectors.mux(unit.words.ready, unit.parts.ready));
    Ok(Read { failed, done: reader.done })
}

/// Asks for the last word of each part, then for the vectors.
#[module]
fn ask(m: Module, job: Job, partial: Signal, p: MergeAxiParams) -> Stream<Command> {
    m.section("what is read");
    let words = p.merge().words();
    let asks = m.reg_reset(bits(1), 0).comment("not all was asked for");
    let vectors = m.reg_reset(bits(1), 0).comment("vectors are asked for");
    let asked = m.reg_reset(bits(p.part_bits()), 0).comment("the part that is asked for");
    let at = m.reg(bits(p.word_bits())).comment("its first word that is");
    let base = m.reg(bits(p.word_bits()));
    let asking = m.wire(stream(command(p.mover())));
    let length = vectors.mux(m.lit(8 * words, LENGTH_BITS), m.lit(8u32, LENGTH_BITS));
    asking.valid.set(asks);
    let address = at.cat(m.lit(0u32, WORD_SHIFT));
    asking.payload.set(Command { address, bytes: length, next: None, tag: m.lit(0u32, 1) });
    let turns = asked.eq(job.last);
    m.when(asking.transfer(), || {
        asked.set(turns.mux(asked.zeros(asked.width()), asked + 1));
        at.set(turns.mux(base, at + (words + 1)));
        vectors.set(vectors | turns);
        asks.set(!(vectors & turns));
    });
    m.when(job.begins, || {
        asks.set(1);
        vectors.set(0);
        at.set(partial + words);
        base.set(partial);
    });
    asking
}
