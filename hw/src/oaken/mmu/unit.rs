//! The MMU: tables and engines. Vectors of the slice splitter in, histories of heads out, one AXI4 port to memory.
//!
//! A stream is what one head of one layer of one request has of keys or of values, of the dense or of the sparse part. Its slices follow each
//! other byte by byte, in pages that are taken one by one; see the [page](../../../../docs/blocks/oaken_mmu.md).
//!
//! | port | |
//! | --- | --- |
//! | `append` | one for each vector that comes: request, layer, key or value |
//! | `slice`, `s_axis` | packets of the vectors, as the slice splitter gives them: for each head the sparse, then the dense slice |
//! | `control` | a request begins or ends |
//! | `read` | a history is to be read: all of it, or its first tokens |
//! | `history` | tokens of each history that comes, and the tag of its read |
//! | `m_axis_sparse`, `m_axis_dense` | a packet for each history: slices without gaps. `tuser` beside `tlast`: it could not be read, and ends here |
//! | `enough` | of the sparse part of the history that comes, no more is needed |
//! | `appended`, `controlled`, `done` | how commands ended |
//! | `m_axi` | AXI4; IDs of reads have one bit |
//! | `base` | number of the first page in memory |
//! | `free` | free pages |
//!
//! - Parameters: those of [`MmuParams`]. Throughput: a beat of the bus a cycle.
//! - Combinational paths: `append_group_request` to `append_ready`; `m_axi_rid` to `m_axi_rready`.

use super::commands::*;
use super::history_port::history_port;
use super::params::*;
use super::steps::writer;
use super::tables::tables;
use crate::memory::axi::{Axi, axi};
use crate::memory::axi_read_arbiter::axi_read_arbiter;
use crate::memory::burst_writer::burst_writer;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use hdl::*;

ports! {
    /// Ports of the MMU.
    pub struct UnitPorts(p: MmuParams) {
        /// Number of the first page in memory; stands still while a request is open.
        input base: Signal = bits(p.base_bits()),
        /// Vectors that come.
        input append: Stream<Append> = stream(append(p)),
        /// Their packets.
        input slice: Stream<Slice> = stream(slice_shape(p)),
        /// The words of the packets.
        input s_axis: AxiStream = axi_stream(p.axi.data_bytes),
        /// Requests that begin and end.
        input control: Stream<Control> = stream(control(p)),
        /// Histories that are to be read.
        input read: Stream<Read> = stream(read(p)),
        /// The history that comes.
        output history: Stream<History> = stream(history(p)),
        /// Sparse part of histories.
        output m_axis_sparse: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        /// Dense part of histories.
        output m_axis_dense: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        /// No more of the sparse part that comes is needed.
        input enough: Signal = bits(1),
        /// How appends ended.
        output appended: Stream<Answer> = stream(answer(p)),
        /// How requests began and ended.
        output controlled: Stream<Answer> = stream(answer(p)),
        /// How reads ended.
        output done: Stream<ReadAnswer> = stream(read_answer(p)),
        /// Free pages.
        output free: Signal = bits(p.count_bits()),
        /// The bus; IDs of reads have one bit.
        output m_axi: Axi = axi(p.axi.of_masters(2), p.axi),
    }
}

/// An MMU.
#[module]
pub fn unit(name: &str, p: MmuParams) -> Result<Design<UnitPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    m.doc("Keeps the slices of Oaken records in pages, by head, and reads histories back.");
    let io = UnitPorts::new(m, p);
    let tables = m.instance(&tables(p)?);
    tables.base.set(io.base);
    tables.append.set(io.append);
    tables.slice.set(io.slice);
    tables.control.set(io.control);
    tables.read.set(io.read);
    io.appended.set(tables.appended);
    io.controlled.set(tables.controlled);
    io.done.set(tables.done);
    io.history.set(tables.history);
    io.free.set(tables.free);

    m.section("slices to memory");
    let mover = writer(p);
    let writes = m.instance(&burst_writer(&mover.name("burst_writer"), mover)?);
    writes.command.set(tables.command);
    tables.written.set(writes.done);
    judge(io.s_axis, tables.verdict, writes.s_axis);
    io.m_axi.write.set(writes.m_axi);

    m.section("histories from memory");
    let bus = m.instance(&axi_read_arbiter(&p.name("oaken_mmu_bus"), 2, p.axi)?);
    io.m_axi.read.set(bus.m_axi);
    let port = history_port(p)?;
    let stops = [io.enough, m.lit(0u32, 1)];
    for (i, out) in [io.m_axis_sparse, io.m_axis_dense].into_iter().enumerate() {
        let history = m.instance(&port).named(["sparse_history", "dense_history"][i]);
        history.base.set(io.base);
        history.job.set(tables.job[i]);
        tables.follow[i].set(history.follow);
        history.next.set(tables.next[i]);
        tables.over[i].set(history.over);
        history.stop.set(stops[i]);
        out.set(history.m_axis);
        bus.s_axi[i].set(history.m_axi);
    }
    m.finish(io)
}

/// Lets the words of packets through that are written, and drops the others.
#[module]
fn judge(words: AxiStream, verdicts: Stream, out: AxiStream) {
    let written = verdicts.payload;
    out.tdata.set(words.tdata);
    out.tkeep.set(words.tkeep);
    out.tlast.set(words.tlast);
    out.tvalid.set(words.tvalid & verdicts.valid & written);
    let moves = verdicts.valid & (!written | out.tready);
    words.tready.set(moves);
    verdicts.ready.set(words.tvalid & moves & words.tlast);
}
