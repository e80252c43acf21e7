//! Slice framer: makes records for the dequantizer of the slices of one head, which memory gives byte after byte
//! (docs/oaken-format.md, section 6). It undoes what [`slice_splitter`](super::slice_splitter()) did: each slice is a record of one
//! head, of which each part begins with a beat of its own.
//!
//! A history is a packet in either part. Exactly as many slices leave of it as `history` says, in both parts: what is missing, because
//! reading failed, are codes of 0, headers without steps and counts of 0, so the two parts never go separate ways.
//!
//! | port | |
//! | --- | --- |
//! | `s_axis_dense`, `s_axis_sparse` | histories; `tuser` beside `tlast`: reading failed, and the history ends here |
//! | `history` | how many slices of each are wanted, and, with `tag_bits`, the tag that goes with their records; up to four wait |
//! | `m_axis_dense`, `m_axis_sparse` | records of `head_elements`, as the dequantizer takes them; bytes that are not kept are 0. With `tag_bits`, `m_axis_sparse_tuser` is the tag of their history |
//! | `enough_dense`, `enough_sparse` | all slices of the history are out, and what comes of the part is dropped up to `tlast`; 0 again in the cycle behind that in which `tlast` is taken |
//! | `ended_early` | one cycle: slices had to be made up, or `tuser` came before there was enough; once for each part at least |
//! | `count_error` | one cycle: a count of a history was above 64, and taken as 64 |
//!
//! - The parts are independent but for `history`: either may be ahead by as much as is taken of it. But for a few beats in
//!   registers a part is taken as its records are. So with the dequantizer behind it, a source that gives each slice's sparse bytes
//!   before its dense bytes needs no further room.
//! - Parameters: [`SliceParams`].
//! - Rate, a word being a beat of the bus, but at most 16 bytes: a header takes a cycle for each word that it touches; a chunk one, and one
//!   for each word that its entries touch; a history two more. Dense bytes go through [`SliceParams::dense_word`] by the cycle.
//! - Combinational: `m_axis_*_tready` of a part to its `s_axis_*_tready`; with `tag_bits`, `history_tokens` to `history_ready`.

use super::chunk_pieces::{Headers, WalkParams, chunk_pieces};
use super::slice_cutter::slice_cutter;
use super::slices::{History, SliceParams, TOKEN_BITS, history};
use super::types::{Beat, each_repeated};
use crate::stream::Beat as Words;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::convert::convert_after;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::fork;
use crate::stream::pack::{Beats, pack_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::logic::UpDown;
use hdl::*;

ports! {
    /// Ports of [`slice_framer`].
    pub struct SliceFramerPorts(p: SliceParams) {
        /// Dense slices.
        input s_axis_dense: AxiStream = axi_stream(p.bus_bytes).with_user(Some(1)),
        /// Sparse slices.
        input s_axis_sparse: AxiStream = axi_stream(p.bus_bytes).with_user(Some(1)),
        /// What is wanted of each history.
        input history: Stream<History> = stream(history(TOKEN_BITS, p.tag_bits)),
        /// Dense part of records.
        output m_axis_dense: AxiStream = axi_stream(p.engine.dense_bytes()),
        /// Sparse part of records.
        output m_axis_sparse: AxiStream =
            axi_stream(p.engine.sparse_bytes()).with_user((p.tag_bits > 0).then_some(p.tag_bits)),
        /// What comes of the dense part is dropped.
        output enough_dense: Signal = bits(1),
        /// What comes of the sparse part is dropped.
        output enough_sparse: Signal = bits(1),
        /// Slices had to be made up, or reading failed.
        output ended_early: Signal = bits(1),
        /// A count was above 64.
        output count_error: Signal = bits(1),
    }
}

/// Histories that may wait.
pub const HISTORIES: usize = 4;

/// The framer; `name` is that of the Verilog module.
#[module]
pub fn slice_framer(name: &str, p: SliceParams) -> Result<Design<SliceFramerPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    m.doc("Makes Oaken records of the slices of one head, which come byte after byte.");
    let io = SliceFramerPorts::new(m, p);
    let tokens = io.history.payload.tokens;
    let (of_parts, tag) = tag_of_records(m, io)?;
    let [of_dense, of_sparse] = fork(m, of_parts.with(tokens));

    m.section("dense slices");
    let wanted = fifo_after(m, of_dense, HISTORIES, Style::Distributed)?;
    let words = convert_after(m, io.s_axis_dense.stream(), p.dense_word())?;
    let cutter = m.instance(&slice_cutter(p.dense_word(), p.dense_slice() / p.dense_word(), TOKEN_BITS)?);
    cutter.s.set(words);
    cutter.slices.set(wanted);
    cutter.ended.ready.set(true);
    let cut = register_slice_forward_after(m, cutter.m)?;
    let Beat { data, last } = cut.payload;
    let beats = cut.with(Words::full(data, p.dense_word(), last));
    io.m_axis_dense.set(AxiStream::from(convert_after(m, beats, p.engine.dense_bytes())?));
    let enough_dense = of_what_comes(m, io.s_axis_dense, words, cutter.enough);
    io.enough_dense.set(enough_dense);

    m.section("sparse slices");
    let (word, headers) = (p.sparse_word(), Headers::Each);
    let wanted = fifo_after(m, of_sparse, HISTORIES, Style::Distributed)?;
    let words = convert_after(m, io.s_axis_sparse.stream(), word)?;
    let empty_header = p.empty_header();
    let walk = WalkParams { word, chunks: p.chunks(), headers, empty_header, count_bits: TOKEN_BITS };
    let pieces = m.instance(&chunk_pieces(walk)?);
    pieces.s.set(words);
    pieces.slices.set(wanted);
    pieces.ended.ready.set(true);
    let packed = pack_after(m, pieces.m, p.engine.sparse_bytes(), Beats::Any)?;
    let word = packed.payload;
    let data = word.data & each_repeated(word.keep, 8); // bytes that are not kept are 0
    let records = AxiStream::from(packed.with(Words { data, ..word }));
    io.m_axis_sparse.set(AxiStream { tuser: tag, ..records });
    let enough_sparse = of_what_comes(m, io.s_axis_sparse, words, pieces.enough);
    io.enough_sparse.set(enough_sparse);

    m.section("what went wrong");
    let failed = |s: AxiStream, enough: Signal| {
        let failed = s.tuser.expect("it says whether reading failed");
        s.stream().transfer() & s.tlast & failed & !enough
    };
    let cut_short = (cutter.ended.valid & cutter.ended.payload.missing)
        | (pieces.ended.valid & pieces.ended.payload.missing)
        | failed(io.s_axis_dense, enough_dense)
        | failed(io.s_axis_sparse, enough_sparse);
    let ended_early = m.reg_reset(bits(1), 0);
    ended_early.set(cut_short);
    let count_error = m.reg_reset(bits(1), 0);
    count_error.set(pieces.ended.valid & pieces.ended.payload.count);
    io.ended_early.set(ended_early);
    io.count_error.set(count_error);
    m.finish(io)
}

/// Whether what comes at `s` is dropped, made of whether the `words` behind the converter are: it may hold the last ones of a packet when the
/// next packet is already on its way to `s`.
#[module]
fn of_what_comes(m: Module, s: AxiStream, words: Stream<Words>, dropped: Signal) -> Signal {
    if s.tkeep.width() == words.payload.keep.width() {
        return dropped;
    }
    let ends = UpDown::new(m, 3);
    ends.level.comment("packets of which the last word is in the converter");
    ends.count(s.stream().transfer() & s.tlast, words.transfer() & words.payload.last);
    dropped & ends.is_empty()
}

/// The tag of the records that leave: it waits until those of the histories before are out. Gives the histories for the parts, too.
#[module]
fn tag_of_records(m: Module, io: SliceFramerPorts) -> Result<(Stream<History>, Option<Signal>), Errors> {
    let Some(tag) = io.history.payload.tag else { return Ok((io.history, None)) };
    let [of_parts, of_tag] = fork(m, io.history);
    let tokens = of_tag.payload.tokens;
    let any = tokens.any();
    let waits = m.wire(stream((tokens.shape(), tag.shape())));
    waits.valid.set(of_tag.valid & any);
    waits.payload.set((tokens, tag));
    of_tag.ready.set(waits.ready | !any);
    let oldest = fifo_after(m, waits, HISTORIES, Style::Distributed)?;
    let left = m.reg_reset(bits(TOKEN_BITS), 0).comment("records that have left of the oldest history");
    let (count, tag) = oldest.payload;
    let leaves = io.m_axis_sparse.stream().transfer() & io.m_axis_sparse.tlast;
    let last = left.eq(count - 1);
    m.when(leaves, || left.set(last.mux(left.literal(0u32), left + 1)));
    oldest.ready.set(leaves & last);
    m.assert(!leaves | oldest.valid, "records leave of a history that is known");
    Ok((of_parts, Some(tag)))
}

#[cfg(test)]
mod tests;
