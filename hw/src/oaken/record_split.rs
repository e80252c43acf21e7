//! Record split: the two parts of records that come one after the other, side by side for the dequantizer. It undoes
//! [`record_join`](super::record_join()).
//!
//! The dequantizer wants codes soon after the header, and stands still when they do not come. So the sparse part of a whole vector is
//! buffered here, until its dense part follows.
//!
//! | port | |
//! | --- | --- |
//! | `s_axis` | sparse part, dense part, sparse part, ...: each a packet of its own, in beats of the sparse part's width |
//! | `m_axis_dense`, `m_axis_sparse` | the parts as the dequantizer takes them |
//!
//! - It cannot hang: the buffer holds the longest sparse part that the longest vector can have, that of outliers only. While one
//!   comes, all dense parts before it have gone out, so the buffer holds nothing but parts whose dense part the dequantizer
//!   has, or is waiting for. Proved for a short vector (`testbenches`, `proofs/records.rs`).
//! - Parameters: [`EngineParams`]. A beat in every cycle as long as it is taken. Latency: that of the buffer (1 or 2 cycles) for the
//!   sparse part; 1 for the dense part, 0 where its beats are as wide.
//! - Combinational: where the beats of the dense part are as wide, `s_axis` to `m_axis_dense`; ready of the dense part to `s_axis_tready`.
//! - After reset a sparse part comes first. The parts take turns by `tlast` alone: where one got lost, only a reset puts them right.

use super::record_join::buffer_style;
use super::types::EngineParams;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::beat;
use crate::stream::convert::convert_after;
use crate::stream::fifo::fifo_after;
use hdl::*;

ports! {
    /// Ports of [`record_split`].
    pub struct RecordSplitPorts(p: EngineParams) {
        /// Both parts, the sparse part first.
        input s_axis: AxiStream = axi_stream(p.sparse_bytes()),
        /// Dense part.
        output m_axis_dense: AxiStream = axi_stream(p.dense_bytes()),
        /// Sparse part.
        output m_axis_sparse: AxiStream = axi_stream(p.sparse_bytes()),
    }
}

/// Beats that the longest sparse part has: header, counts, and an entry for every element.
pub fn sparse_depth(p: EngineParams) -> usize {
    (8 + p.max_length / 64 + p.max_length).div_ceil(p.sparse_bytes()) as usize
}

/// The split for engines with these parameters; `name` is that of the Verilog module.
#[module]
pub fn record_split(name: &str, p: EngineParams) -> Result<Design<RecordSplitPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    m.doc("Splits a stream of Oaken records, the sparse part of each first, into the two parts.");
    let io = RecordSplitPorts::new(m, p);

    m.section("the parts take turns");
    let s = io.s_axis.stream();
    let dense_turn = m.reg_reset(bits(1), 0).comment("a dense part comes");
    let part = || m.wire(stream(beat(8, p.sparse_bytes())));
    let (dense, sparse) = (part(), part());
    dense.payload.set(s.payload);
    sparse.payload.set(s.payload);
    dense.valid.set(s.valid & dense_turn);
    sparse.valid.set(s.valid & !dense_turn);
    s.ready.set(dense_turn.mux(dense.ready, sparse.ready));
    m.when(s.transfer() & s.payload.last, || dense_turn.set(!dense_turn));

    m.section("the sparse part of a whole vector waits");
    let kept = fifo_after(m, sparse, sparse_depth(p), buffer_style(sparse_depth(p)))?;
    io.m_axis_sparse.set(AxiStream::from(kept));
    io.m_axis_dense.set(AxiStream::from(convert_after(m, dense, p.dense_bytes())?));
    m.finish(io)
}
