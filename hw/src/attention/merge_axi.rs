//! Merges partial results of attention that heads wrote to memory, over AXI. What it promises stands in `docs/blocks/attention_merge_axi.md`.
//!
//! | port | |
//! | --- | --- |
//! | `s_axil` | registers: where things lie, jobs, and how they ended |
//! | `m_axi_read` | AXI4 of 64 bits without IDs: partial results; outputs are made of registers |
//! | `m_axi_write` | AXI4 of 64 bits without IDs: the result; outputs are made of registers |
//!
//! - A job reads the last word of each partial result, which has its largest score and its sum, then the vectors, and writes what
//!   [`merge`](crate::attention::merge) makes of them.
//! - Parameters: those of [`MergeAxiParams`]. Throughput: a word a cycle, those that are read and then those that are written.
//! - Latency: besides, that of the unit, two accesses of the memory and at most [`OVERHEAD`] cycles.
//! - Combinational paths: none.
//! - After reset no job is under way; reset the memory with it.

mod reading;
mod registers;
mod types;

pub use self::registers::registers;
pub use self::types::*;

use self::reading::{Read, read};
use self::registers::{Map, map};
use crate::attention::merge::{MergeOutcome, MergePorts, MergeReport, MergeWord, merge};
use crate::control::{AxiLite, Registers, axi_lite, becomes_one, slave};
use crate::memory::axi::{AxiRead, AxiWrite, axi_read, axi_write};
use crate::memory::burst_writer::burst_writer;
use crate::memory::mover::{Command, Done, Outcome};
use crate::stream::axi_stream::AxiStream;
use crate::stream::{Beat, beat};
use hdl::*;

ports! {
    /// Ports of the merging over AXI.
    pub struct MergeAxiPorts(p: MergeAxiParams, address_width: u32) {
        /// Registers.
        input s_axil: AxiLite = axi_lite(address_width),
        /// Partial results.
        output m_axi_read: AxiRead = axi_read(p.axi()),
        /// The result.
        output m_axi_write: AxiWrite = axi_write(p.axi()),
    }
}

/// Merges over AXI; `name` is that of the Verilog module.
#[module]
pub fn merge_axi(name: &str, p: MergeAxiParams) -> Result<Design<MergeAxiPorts>, Errors> {
    p.check(name)?;
    let map = map(name, p);
    let m = Module::new(name);
    m.doc("Merges partial results of attention from memory to memory.");
    let io = MergeAxiPorts::new(m, p, map.map.address_width());
    let regs = slave(m, &map.map, io.s_axil)?;
    let unit = m.instance(&merge(p.merge())?);
    let [partial, result] = map.addresses.map(|address| address.word(&regs));
    let job = job(m, (&map, &regs), partial, p);
    let read = read(m, io.m_axi_read, (job, partial), &unit, p)?;
    let written = write(m, io.m_axi_write, (job, result), (&unit, read.failed), p)?;
    end(m, (&map, &regs), job, &unit, (read, written));
    m.finish(io)
}

/// Takes a job, or refuses it.
#[module]
fn job(m: Module, (map, regs): (&Map, &Registers), partial: Signal, p: MergeAxiParams) -> Job {
    m.section("a job");
    let runs = m.reg_reset(bits(1), 0);
    let starts = becomes_one(m, regs[map.start]) & !runs;
    let parts = regs[map.parts];
    let (many, none) = (parts.gt(p.parts), !parts.any());
    // where the parts end, in words: behind the last address reads would begin again at 0
    let wide = p.word_bits() + 1;
    let words = parts * m.lit(p.merge().words() + 1, clog2(p.merge().words() as usize + 2));
    let behind = partial.zext(wide) + words.zext(wide);
    let beyond = behind.msb() & behind.trunc(p.word_bits()).any();
    let code = |outcome: u32| m.lit(outcome, outcome::BITS);
    let cause = none.mux(code(outcome::NO_PARTS), beyond.mux(code(outcome::READ), code(0)));
    let cause = many.mux(code(MergeOutcome::ManyParts as u32), cause);
    let refused = starts.mux(cause, code(0));
    let begins = starts & !cause.any();
    let last = m.reg(bits(p.part_bits()));
    m.when(begins, || last.set(parts.trunc(p.part_bits()) - 1));
    let ends = m.wire(bits(1));
    m.when(begins, || runs.set(1)).elsewhen(ends, || runs.set(0));
    let cycles = m.reg_reset(bits(32), 0);
    m.when(runs, || cycles.set(cycles + 1));
    m.when(starts, || cycles.set(0));
    regs[map.cycles].set(cycles);
    Job { starts, begins, runs, ends, last, refused }
}

/// What becomes of the result.
struct Written {
    /// All of it is in memory, or was refused.
    all: Signal,
    /// How writes ended.
    done: Stream<Done>,
}

/// Writes the result, or drops that of parts that could not be read.
#[module]
fn write(
    m: Module,
    bus: AxiWrite,
    (job, result): (Job, Signal),
    (unit, drops): (&Instance<MergePorts>, Signal),
    p: MergeAxiParams,
) -> Result<Written, Errors> {
    m.section("what is written");
    let writer = m.instance(&burst_writer(&p.mover().name("burst_writer"), p.mover())?);
    bus.set(writer.m_axi);
    let told = m.reg_reset(bits(1), 0).comment("the writer knows where");
    let all = m.reg_reset(bits(1), 0).comment("all is written, or refused");
    let bytes = m.lit(8 * p.merge().words(), LENGTH_BITS);
    let goes = unit.merged.valid & !drops;
    writer.command.valid.set(goes & !told);
    let address = result.cat(m.lit(0u32, WORD_SHIFT));
    writer.command.payload.set(Command { address, bytes, next: None, tag: m.lit(0u32, 1) });
    m.when(writer.command.transfer(), || told.set(1));
    m.when(writer.done.valid, || all.set(1));
    m.when(job.ends, || {
        told.set(0);
        all.set(0);
    });
    let MergeWord { numbers, last } = unit.merged.payload;
    let packet = m.wire(stream(beat(8, 8)));
    packet.valid.set(goes);
    packet.payload.set(Beat::full(numbers.pack(), 8, last));
    unit.merged.ready.set(packet.ready | drops);
    writer.s_axis.set(AxiStream::from(packet));
    Ok(Written { all, done: writer.done })
}

/// Ends a job, and tells how.
#[module]
fn end(m: Module, (map, regs): (&Map, &Registers), job: Job, unit: &Instance<MergePorts>, x: (Read, Written)) {
    let (read, written) = x;
    let write_failed = faults(m, (map, regs), job.starts, [read.done, written.done]);
    m.section("how it ends");
    let MergeReport { outcome: found, part: wrong, word } = unit.report.payload;
    word.unused(); // words are lost where they could not be read, and then this is told
    let has_result = found.is(MergeOutcome::Okay) | found.is(MergeOutcome::Part);
    let ends = unit.report.valid & (written.all | read.failed | !has_result);
    job.ends.set(ends);
    unit.report.ready.set(ends);
    let code = |number: u32| m.lit(number, outcome::BITS);
    let failed = read.failed | write_failed;
    let cause = read.failed.mux(code(outcome::READ), code(outcome::WRITE));
    let [outcome, part] = [outcome::BITS, outcome::PART_BITS].map(|width| m.reg_reset(bits(width), 0));
    m.when(ends, || {
        outcome.set(failed.mux(cause, found.code().zext(outcome::BITS)));
        part.set(failed.mux(part.zeros(outcome::PART_BITS), wrong.zext(outcome::PART_BITS)));
    });
    m.when(job.refused.any(), || {
        outcome.set(job.refused);
        part.set(0);
    });
    regs[map.busy].set(job.runs);
    regs[map.done].set.set(ends | job.refused.any());
    regs[map.outcome].set(outcome);
    regs[map.part].set(part);
}

/// Keeps where the memory answered with an error first; gives whether it refused what was written.
#[module]
fn faults(m: Module, (map, regs): (&Map, &Registers), starts: Signal, done: [Stream<Done>; 2]) -> Signal {
    m.section("errors of the memory");
    let address = m.reg_reset(done[0].payload.address.shape(), 0);
    let [read_failed, write_failed] = [(); 2].map(|()| m.reg_reset(bits(1), 0));
    let any = read_failed | write_failed;
    for (done, failed) in done.into_iter().zip([read_failed, write_failed]) {
        done.ready.set(1);
        done.payload.tag.unused();
        let fails = done.valid & !done.payload.outcome.is(Outcome::Okay);
        m.when(fails & !any, || address.set(done.payload.address));
        m.when(fails, || failed.set(1)).elsewhen(starts, || failed.set(0));
    }
    regs[map.fault].set(any);
    map.fault_address.set(regs, address);
    write_failed
}

#[cfg(test)]
mod tests;
