//! The way of vectors through an Oaken cache: quantizer, slices, pages, and back.

use super::command_reader::command_reader;
use super::commands::Command;
use super::executor::executor;
use super::params::CacheParams;
use crate::control::AxiLite;
use crate::memory::axi::Axi;
use crate::oaken::dequantizer_axi::dequantizer_axi_of;
use crate::oaken::mmu::unit::{UnitPorts, unit};
use crate::oaken::quantizer_axi::quantizer_axi_of;
use crate::oaken::settings::Lengths;
use crate::oaken::{History, Slice, slice_framer, slice_splitter};
use crate::soc::frame::ContentByte;
use crate::stream::axi_stream::AxiStream;
use crate::stream::convert::convert_after;
use crate::stream::{Beat, beat};
use hdl::*;

/// What the system needs of its path.
pub(super) struct CachePath {
    /// Registers of the quantizer.
    pub quantizer: AxiLite,
    /// Registers of the dequantizer.
    pub dequantizer: AxiLite,
    /// Bytes for the host.
    pub to_host: Stream<Beat>,
    /// Free pages.
    pub free: Signal,
    pub events: CacheEvents,
}

/// What happens, each for a cycle.
pub(super) struct CacheEvents {
    /// A command is answered that was not done, for its own sake.
    pub refused: Signal,
    /// A vector was appended.
    pub appended: Signal,
    /// A vector has left for the host.
    pub given: Signal,
    /// What memory gave of a history was too short, or a count of it too large.
    pub damaged: Signal,
}

/// Builds the path behind the bytes that the host puts; `m_axi` is the memory.
#[module]
pub(super) fn path(m: Module, name: &str, p: CacheParams, put: Stream<Beat>, m_axi: Axi) -> Result<CachePath, Errors> {
    m.section("commands");
    let reader = m.instance(&command_reader(p)?);
    put.payload.keep.unused(); // a beat of one byte
    reader.s.set(put.with(ContentByte { byte: put.payload.data, last: put.payload.last }));
    let executor = m.instance(&executor(p)?);
    let asked = reader.command.payload;
    executor.command.set(reader.command);
    executor.ended.set(reader.ended);
    executor.wrong_length.set(reader.wrong_length);

    m.section("the pages");
    let mmu = m.instance(&unit(&format!("{name}_mmu"), p.mmu)?);
    mmu.base.set(0);
    mmu.append.set(executor.append);
    mmu.control.set(executor.control);
    mmu.read.set(executor.read);
    executor.appended.set(mmu.appended);
    executor.controlled.set(mmu.controlled);
    executor.done.set(mmu.done);
    m_axi.set(mmu.m_axi);

    let quantizer = write(m, name, p, Vector { bytes: reader.m, wrong_length: reader.wrong_length, asked }, &mmu)?;
    let Given { dequantizer, bytes, damaged } = read(m, name, p, &mmu)?;

    m.section("vectors and answers for the host");
    let given = bytes.transfer() & bytes.payload.last;
    executor.given.set(given);
    let answered = executor.answer.transfer() & executor.answer.payload.last;
    let okay = !asked.verdict.any();
    let appended =
        mmu.appended.transfer() & mmu.appended.payload.outcome.is(crate::oaken::mmu::commands::Outcome::Okay);
    let to_host = first_or_second(m, executor.answer, bytes);
    let events = CacheEvents { refused: answered & !okay, appended, given, damaged };
    Ok(CachePath { quantizer, dequantizer, to_host, free: mmu.free, events })
}

/// A vector that is appended.
#[derive(Clone, Copy)]
struct Vector {
    bytes: Stream<ContentByte>,
    wrong_length: Signal,
    asked: Command,
}

/// From the vector to its pages. Gives the registers of the quantizer.
#[module]
fn write(m: Module, name: &str, p: CacheParams, vector: Vector, mmu: &UnitPorts) -> Result<AxiLite, Errors> {
    m.section("vectors become slices");
    let [slices, _] = p.slices(name)?;
    let quantizer = m.instance(&quantizer_axi_of(&format!("{name}_quantizer"), p.quantizer(), Lengths::Longest)?);
    let splitter = m.instance(&slice_splitter(&format!("{name}_splitter"), p.mmu.heads, slices)?);
    let ContentByte { byte, last } = vector.bytes.payload;
    let elements = convert_after(m, vector.bytes.with(Beat::full(byte, 1, last)), 2 * p.lanes)?;
    quantizer.s_axis.set(AxiStream { tuser: Some(vector.asked.setting), ..AxiStream::from(elements) });
    splitter.s_axis_dense.set(quantizer.m_axis_dense);
    splitter.s_axis_sparse.set(quantizer.m_axis_sparse);
    mmu.s_axis.set(splitter.m_axis);
    // a vector of another length is taken back as a record is that is malformed. It is known by then: a record ends behind its vector
    let slice = splitter.slice.payload;
    let failed = slice.failed | (slice.last & vector.wrong_length);
    mmu.slice.set(splitter.slice.with(Slice { failed, ..slice }));
    Ok(quantizer.s_axil)
}

/// What comes of histories.
struct Given {
    dequantizer: AxiLite,
    bytes: Stream<Beat>,
    damaged: Signal,
}

/// From pages to vectors.
#[module]
fn read(m: Module, name: &str, p: CacheParams, mmu: &UnitPorts) -> Result<Given, Errors> {
    m.section("slices become vectors");
    let [_, slices] = p.slices(name)?;
    let framer = m.instance(&slice_framer(&format!("{name}_framer"), slices)?);
    let dequantizer =
        m.instance(&dequantizer_axi_of(&format!("{name}_dequantizer"), p.dequantizer(), Lengths::Longest)?);
    let History { tokens, tag } = mmu.history.payload;
    framer.history.set(mmu.history.with(History { tokens: tokens.zext(16), tag }));
    framer.s_axis_dense.set(mmu.m_axis_dense);
    framer.s_axis_sparse.set(mmu.m_axis_sparse);
    mmu.enough.set(framer.enough_sparse);
    framer.enough_dense.unused();
    dequantizer.s_axis_dense.set(framer.m_axis_dense);
    dequantizer.s_axis_sparse.set(framer.m_axis_sparse);
    let bytes = convert_after(m, dequantizer.m_axis.stream(), 1)?;
    let damaged = framer.ended_early | framer.count_error;
    Ok(Given { dequantizer: dequantizer.s_axil, bytes, damaged })
}

/// Answers, and vectors. There are never both: an answer waits until all vectors have left.
#[module]
fn first_or_second(m: Module, answer: Stream<ContentByte>, vectors: Stream<Beat>) -> Stream<Beat> {
    let out = m.wire(stream(beat(8, 1)));
    let ContentByte { byte, last } = answer.payload;
    out.valid.set(answer.valid | vectors.valid);
    out.payload.set(answer.valid.mux(Beat::full(byte, 1, last), vectors.payload));
    answer.ready.set(out.ready);
    vectors.ready.set(out.ready & !answer.valid);
    m.assert(!(answer.valid & vectors.valid), "an answer waits until all vectors have left");
    out
}
