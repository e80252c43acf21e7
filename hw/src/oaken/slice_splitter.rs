//! Slice splitter: cuts the quantizer's records into slices, one for each head, as memory keeps them (docs/oaken-format.md, section 6).
//!
//! Of each head there are two packets, the sparse slice first: the record's header, then the head's counts and entries. What the packets
//! have in bytes is told beside them, so that room can be found before they are written. A record that is not as it should be
//! gives as many packets as any other, and says so with its last one.
//!
//! | port | |
//! | --- | --- |
//! | `s_axis_dense`, `s_axis_sparse` | the parts of records, as they leave the quantizer; ready comes from registers |
//! | `m_axis` | for each head its sparse, then its dense slice, each a packet of its own; bytes that are not kept are 0 |
//! | `slice` | the length of each packet, in the same order; registers. A packet begins no earlier than its item is at the port |
//!
//! - Items do not wait for data: those of a whole record, `2 * heads`, can be taken before any byte of it is. No more than that many
//!   packets are announced whose data is still here.
//! - It cannot hang: it has room for the dense part of a record, and for its sparse slices at their longest. Whatever a record
//!   lacks can so be taken, whichever part comes first, as soon as the records before it have left.
//! - Parameters: [`SliceParams`], and `heads`, from 1 to 64; `heads * head_elements` is the length of a vector.
//! - Rate: with words of W bytes, W being 16 or the bus if that is narrower, a header and each count take a cycle, and entries one for each
//!   word of the record that they touch; two more a record. A beat of the bus leaves in every cycle as long as one is there. Dense bytes
//!   go through [`SliceParams::dense_word`] by the cycle.
//! - Combinational from port to port: none.

use super::chunk_pieces::{Headers, WalkParams, chunk_pieces};
use super::record_join::buffer_style;
use super::slice_cutter::slice_cutter;
use super::slice_sender::{Both, Out, Part, Slice, send_slices, slice};
use super::slices::SliceParams;
use super::sparse_words::up_to;
use super::types::Beat;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::convert::convert_after;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::pack::{Beats, pack_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use crate::stream::widen::widen_after;
use hdl::logic::last_one;
use hdl::*;

ports! {
    /// Ports of [`slice_splitter`].
    pub struct SliceSplitterPorts(p: SliceParams) {
        /// Dense part of records.
        input s_axis_dense: AxiStream = axi_stream(p.engine.dense_bytes()),
        /// Sparse part of records.
        input s_axis_sparse: AxiStream = axi_stream(p.engine.sparse_bytes()),
        /// Slices: of each head the sparse one first.
        output m_axis: AxiStream = axi_stream(p.bus_bytes),
        /// What the packets of `m_axis` are.
        output slice: Stream<Slice> = stream(slice(p)),
    }
}

/// Words that hold the longest sparse slices of a record.
pub fn sparse_depth(p: SliceParams, heads: u32) -> usize {
    (heads * p.longest_sparse_slice().div_ceil(p.sparse_word())).max(2) as usize
}

/// Words that hold the dense part of a record.
pub fn dense_depth(p: SliceParams, heads: u32) -> usize {
    (heads * p.dense_slice() / p.dense_word()).max(2) as usize
}

/// The splitter of records of so many heads; `name` is that of the Verilog module.
#[module]
pub fn slice_splitter(name: &str, heads: u32, p: SliceParams) -> Result<Design<SliceSplitterPorts>, Errors> {
    let p = p.check_heads(name, heads)?;
    let m = Module::new(name);
    m.doc("Cuts Oaken records into slices, one for each head, the sparse part of each first.");
    let io = SliceSplitterPorts::new(m, p);

    m.section("the dense part of a whole record waits");
    let dense = dense_slices(m, io, heads, p)?;

    m.section("the sparse slices of a whole record wait");
    let sparse = sparse_slices(m, io, heads, p)?;

    m.section("slices leave");
    send_slices(m, Out { data: io.m_axis, slice: io.slice }, heads, Both { dense, sparse }, p)?;
    m.finish(io)
}

/// Records that may have ended before their last packet is announced.
const ENDS: usize = 2;

#[module]
fn dense_slices(m: Module, io: SliceSplitterPorts, heads: u32, p: SliceParams) -> Result<Part, Errors> {
    let words = convert_after(m, io.s_axis_dense.stream(), p.dense_word())?;
    let dense_cutter =
        m.instance(&slice_cutter(p.dense_word(), p.dense_slice() / p.dense_word(), clog2(heads as usize + 1))?);
    dense_cutter.s.set(words);
    dense_cutter.slices.valid.set(true);
    dense_cutter.slices.payload.set(heads);
    dense_cutter.enough.unused();
    let depth = dense_depth(p, heads);
    let kept = register_slice_forward_after(m, fifo_after(m, dense_cutter.m, depth, buffer_style(depth))?)?;
    let Beat { data, last } = kept.payload;
    let beats = kept.with(crate::stream::Beat::full(data, p.dense_word(), last));
    let slices = widen_after(m, beats, p.bus_bytes / p.dense_word())?;
    let ended = fifo_after(m, dense_cutter.ended, ENDS, Style::Distributed)?;
    Ok(Part { slices, bytes: None, ended })
}

/// A word of a sparse slice, as it is kept.
#[derive(Clone, Copy, Bundle)]
struct Kept {
    data: Signal,
    last: Signal,
    /// Its last byte, where it is the last word.
    end: Signal,
}

#[module]
fn sparse_slices(m: Module, io: SliceSplitterPorts, heads: u32, p: SliceParams) -> Result<Part, Errors> {
    let (word, count_bits) = (p.sparse_word(), clog2(heads as usize + 1));
    let words = convert_after(m, io.s_axis_sparse.stream(), word)?;
    let headers = Headers::Once;
    let walk = WalkParams { word, chunks: p.chunks(), headers, empty_header: p.empty_header(), count_bits };
    let pieces = m.instance(&chunk_pieces(walk)?);
    pieces.s.set(words);
    pieces.slices.valid.set(true);
    pieces.slices.payload.set(heads);
    pieces.enough.unused();
    let packed = pack_after(m, pieces.m, word, Beats::Any)?;

    m.section("their lengths");
    let bytes = m.wire(stream(bits(clog2(p.longest_sparse_slice() as usize + 1))));
    let stored = m.wire(stream(Kept { data: packed.payload.data, last: bits(1), end: bits(word.ilog2()) }.shape()));
    let last = packed.payload.last;
    let end = last_one(packed.payload.keep).index;
    let words_before = m.reg_reset(bits(bytes.payload.width() - word.ilog2()), 0).comment("of this slice");
    m.when(packed.transfer(), || {
        words_before.set(last.mux(words_before.zeros(words_before.width()), words_before + 1))
    });
    bytes.payload.set(words_before.cat(end) + 1);
    bytes.valid.set(packed.valid & last & stored.ready);
    stored.valid.set(packed.valid & bytes.ready);
    stored.payload.set(Kept { data: packed.payload.data, last, end });
    packed.ready.set(stored.ready & bytes.ready);
    let bytes = fifo_after(m, bytes, heads.max(2) as usize, Style::Distributed)?;

    m.section("the words");
    let depth = sparse_depth(p, heads);
    let kept = register_slice_forward_after(m, fifo_after(m, stored, depth, buffer_style(depth))?)?;
    let Kept { data, last, end } = kept.payload;
    let keep = up_to(end) | (!last).repeat(word);
    let slices = widen_after(m, kept.with(crate::stream::Beat { data, keep, last }), p.bus_bytes / word)?;
    let ended = fifo_after(m, pieces.ended, ENDS, Style::Distributed)?;
    Ok(Part { slices, bytes: Some(bytes), ended })
}

#[cfg(test)]
mod tests;
