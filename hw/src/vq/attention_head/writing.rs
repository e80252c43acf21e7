//! What is written to memory: rows of indices behind those that are there, and the result. Built into the module that calls.

use super::super::table_types::IndexWord;
use super::super::values::Values;
use super::types::*;
use crate::attention::softmax::SoftmaxStatistics;
use crate::memory::axi::AxiWrite;
use crate::memory::burst_writer::burst_writer;
use crate::memory::mover::{Command, Done, Outcome};
use crate::stream::axi_stream::AxiStream;
use crate::stream::{Beat, beat};
use hdl::*;

/// A word that is written.
#[derive(Clone, Copy, Bundle)]
struct Word {
    data: Signal,
    last: Signal,
}

/// What is to be written, and where.
pub(super) struct ToWrite {
    /// Indices of the new key or value.
    pub(super) row: Stream<IndexWord>,
    /// The weighted sum.
    pub(super) sum: Stream<Values>,
    /// What is written behind it, if anything is.
    pub(super) statistics: Option<SoftmaxStatistics>,
    /// The first word of the row, with a bit more than an address has.
    pub(super) row_at: Signal,
    /// The first word of the result.
    pub(super) result_at: Signal,
}

/// What was written.
#[derive(Clone, Copy)]
pub(super) struct Written {
    /// All that the stage writes; it was all handed to the writer, too, which may refuse it before.
    pub(super) all: Signal,
    /// The memory refused it.
    pub(super) failed: Signal,
    /// How writes ended.
    pub(super) done: Stream<Done>,
}

/// Writes what a stage gives.
#[module]
pub(super) fn write(
    m: Module,
    bus: AxiWrite,
    (stage, ends): (StateSignal<Stage>, Signal),
    what: ToWrite,
    p: HeadParams,
) -> Result<Written, Errors> {
    let (sum, sent) = collect(m, what.sum, what.statistics, ends, p);
    m.section("what a stage writes");
    let is_result = stage.is(Stage::Result);
    let row = what.row;
    let beyond = what.row_at.msb(); // behind the last address: the writer would begin again at 0
    let writes = is_result | (row.valid & !beyond);
    let told = m.reg_reset(bits(1), 0).comment("the writer knows where");
    let writer = m.instance(&burst_writer(&p.mover().name("burst_writer"), p.mover())?);
    bus.set(writer.m_axi);
    let words = is_result.mux(m.lit(p.result_words(), LENGTH_BITS), m.lit(p.table().beats(), LENGTH_BITS));
    let row_at = what.row_at.trunc(p.word_bits());
    let address = is_result.mux(what.result_at, row_at).cat(m.lit(0u32, WORD_SHIFT));
    let bytes = words.trunc(LENGTH_BITS - WORD_SHIFT).cat(m.lit(0u32, WORD_SHIFT));
    writer.command.valid.set(writes & !told);
    writer.command.payload.set(Command { address, bytes, next: None, tag: m.lit(0u32, 1) });
    m.when(writer.command.transfer(), || told.set(1));

    let packet = m.wire(stream(beat(8, 8)));
    let rows = Word { data: row.payload.data, last: row.payload.last };
    let Word { data, last } = is_result.mux(sum.payload, rows);
    packet.valid.set(is_result.mux(sum.valid, row.valid & !beyond));
    packet.payload.set(Beat::full(data, 8, last));
    sum.ready.set(packet.ready & is_result);
    row.ready.set((packet.ready & !is_result) | beyond);
    writer.s_axis.set(AxiStream::from(packet));

    let (all, failed) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    m.when(writer.done.valid, || {
        all.set(1);
        failed.set(!writer.done.payload.outcome.is(Outcome::Okay));
    });
    m.when(row.transfer() & beyond, || {
        all.set(1);
        failed.set(1);
    });
    m.when(ends, || {
        told.set(0);
        all.set(0);
        failed.set(0);
    });
    Ok(Written { all: all & (sent | !is_result), failed, done: writer.done })
}

/// Keeps the numbers of the weighted sum, which are worth nothing before all books were right, and gives them as words in the stage that writes them;
/// and whether all of these went out.
#[module]
fn collect(
    m: Module,
    from: Stream<Values>,
    statistics: Option<SoftmaxStatistics>,
    ends: Signal,
    p: HeadParams,
) -> (Stream<Word>, Signal) {
    m.section("the weighted sum, until it is known to be right");
    let groups = 4 / p.vector;
    let words = p.vector_words();
    let memory = m.memory(bits(64), words as usize).style(RamStyle::Distributed);
    let group = m.reg_reset(bits(clog2((words * groups) as usize)), 0).comment("the group that comes");
    let number = m.reg_reset(bits(clog2(p.result_words() as usize)), 0).comment("the word that goes out");
    from.ready.set(1);
    from.payload.last.unused();
    let numbers = from.payload.value.pack();
    if groups == 1 {
        memory.write(group, numbers, from.valid);
    } else {
        let high = group.bit(0);
        let lanes = Vector::of([from.valid & !high, from.valid & high]).pack();
        memory.write_lanes(group.drop_low(1), numbers.repeat(2), lanes);
    }
    m.when(from.valid, || group.set(group + 1));
    let out = m.wire(stream(Word { data: bits(64), last: bits(1) }));
    let sent = m.reg_reset(bits(1), 0).comment("all words went out");
    let last = number.eq(p.result_words() - 1);
    let sums = memory.read(number.trunc(clog2(words as usize)));
    let data = statistics.map_or(sums, |x| number.eq(words).mux(x.sum.cat(x.largest).zext(64), sums));
    out.valid.set(!sent);
    out.payload.set(Word { data, last });
    m.when(out.transfer(), || {
        number.set(number + 1);
        sent.set(last);
    });
    m.when(ends, || {
        group.set(0);
        number.set(0);
        sent.set(0);
    });
    (out, sent)
}
