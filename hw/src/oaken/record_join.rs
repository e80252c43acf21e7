//! Record join: the two parts of the quantizer's records one after the other, for a single data mover.
//!
//! Each record is two packets, the sparse part first: whoever reads it back needs the header before the first code. The quantizer
//! gives both parts side by side, and stands still when one of them is not taken. So the dense part of a whole vector is buffered
//! here, while its sparse part goes out.
//!
//! | port | |
//! | --- | --- |
//! | `s_axis_dense`, `s_axis_sparse` | the parts as they leave the quantizer |
//! | `m_axis` | sparse part, dense part, sparse part, ...: each a packet of its own, in beats of the sparse part's width |
//!
//! - It cannot hang: the buffer holds the dense part of the longest vector. While a sparse part goes out, the dense parts of earlier
//!   vectors have left, so a full buffer holds all of this vector's, and its sparse part can come to its end whatever the
//!   order in which the quantizer gives the beats of a vector. Proved for a short vector (`testbenches`, `proofs/records.rs`).
//! - Parameters: [`EngineParams`]. A beat in every cycle as long as one is there. Latency: 0 for the sparse part; a dense beat waits
//!   for its turn, and for as many as make a beat of the sparse part's width.
//! - Combinational: `s_axis_sparse` to `m_axis`, `m_axis_tready` to `s_axis_sparse_tready`.
//! - After reset a sparse part comes first. The parts take turns by `tlast` alone.

use super::types::EngineParams;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::beat;
use crate::stream::convert::convert_after;
use crate::stream::fifo::{Style, fifo_after};
use hdl::*;

ports! {
    /// Ports of [`record_join`].
    pub struct RecordJoinPorts(p: EngineParams) {
        /// Dense part.
        input s_axis_dense: AxiStream = axi_stream(p.dense_bytes()),
        /// Sparse part.
        input s_axis_sparse: AxiStream = axi_stream(p.sparse_bytes()),
        /// Both, the sparse part first.
        output m_axis: AxiStream = axi_stream(p.sparse_bytes()),
    }
}

/// Beats of `m_axis` that the longest dense part has.
pub fn dense_depth(p: EngineParams) -> usize {
    (p.max_length * p.dense_bits / 8).div_ceil(p.sparse_bytes()).max(2) as usize
}

/// Block RAM where it is worth one.
pub(super) fn buffer_style(depth: usize) -> Style {
    if depth > 64 { Style::Block } else { Style::Distributed }
}

/// The join for engines with these parameters; `name` is that of the Verilog module.
#[module]
pub fn record_join(name: &str, p: EngineParams) -> Result<Design<RecordJoinPorts>, Errors> {
    let p = p.check(name)?;
    let m = Module::new(name);
    m.doc("Joins the two parts of Oaken records to one stream, the sparse part of each first.");
    let io = RecordJoinPorts::new(m, p);

    m.section("the dense part of a whole vector waits");
    let wide = convert_after(m, io.s_axis_dense.stream(), p.sparse_bytes())?;
    let dense = fifo_after(m, wide, dense_depth(p), buffer_style(dense_depth(p)))?;

    m.section("the parts take turns");
    let sparse = io.s_axis_sparse.stream();
    let dense_turn = m.reg_reset(bits(1), 0).comment("a dense part goes out");
    let joined = m.wire(stream(beat(8, p.sparse_bytes())));
    joined.valid.set(dense_turn.mux(dense.valid, sparse.valid));
    joined.payload.set(dense_turn.mux(dense.payload, sparse.payload));
    dense.ready.set(dense_turn & joined.ready);
    sparse.ready.set(!dense_turn & joined.ready);
    m.when(joined.transfer() & joined.payload.last, || dense_turn.set(!dense_turn));
    io.m_axis.set(AxiStream::from(joined));
    m.finish(io)
}
