//! The way out of the slice splitter: announces the slices, and sends them head by head.

use super::slices::{Ended, SliceParams};
use super::types::each_repeated;
use crate::stream::axi_stream::AxiStream;
use crate::stream::beat;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::logic::UpDown;
use hdl::*;

/// A packet of the splitter: a sparse slice, or a dense one.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Slice {
    /// Its length.
    pub bytes: Signal,
    /// It is the last one of its record.
    pub last: Signal,
    /// Beside `last`: a part of the record was too short or too long, or a count was above 64.
    pub failed: Signal,
}

/// Shape of a [`Slice`].
pub fn slice(p: SliceParams) -> Slice {
    let longest = p.longest_sparse_slice().max(p.dense_slice());
    Slice { bytes: bits(clog2(longest as usize + 1)), last: bits(1), failed: bits(1) }
}

/// Slices of one part, in beats of the bus, and how each record went.
pub(super) struct Part {
    /// The slices.
    pub slices: Stream<crate::stream::Beat>,
    /// Their lengths, where they differ.
    pub bytes: Option<Stream>,
    /// How records ended.
    pub ended: Stream<Ended>,
}

/// What comes of both parts.
pub(super) struct Both {
    pub dense: Part,
    pub sparse: Part,
}

/// Where they leave.
pub(super) struct Out {
    /// The bytes of the slices.
    pub data: AxiStream,
    /// What the packets are.
    pub slice: Stream<Slice>,
}

/// Connects the outputs.
#[module]
pub(super) fn send_slices(m: Module, out: Out, heads: u32, x: Both, p: SliceParams) -> Result<(), Errors> {
    let announced = UpDown::new(m, 2 * heads);
    announced.level.comment("packets that were announced and did not leave");

    m.section("lengths");
    let items = items(m, &x, heads, p);
    let to_port = m.wire(items);
    to_port.valid.set(items.valid & !announced.is_full());
    to_port.payload.set(items.payload);
    items.ready.set(to_port.ready & !announced.is_full());
    out.slice.set(register_slice_forward_after(m, to_port)?);

    m.section("data");
    let (sparse, dense) = (x.sparse.slices, x.dense.slices);
    let dense_turn = m.reg_reset(bits(1), 0).comment("a dense slice leaves");
    let joined = m.wire(stream(beat(8, p.bus_bytes)));
    let may_leave = !announced.is_empty();
    let part = dense_turn.mux(dense.payload, sparse.payload);
    joined.valid.set(dense_turn.mux(dense.valid, sparse.valid) & may_leave);
    joined.payload.set(crate::stream::Beat { data: part.data & each_repeated(part.keep, 8), ..part });
    dense.ready.set(dense_turn & may_leave & joined.ready);
    sparse.ready.set(!dense_turn & may_leave & joined.ready);
    let leaves = joined.transfer() & part.last;
    m.when(leaves, || dense_turn.set(!dense_turn));
    announced.count(to_port.transfer(), leaves);
    out.data.set(AxiStream::from(joined));
    Ok(())
}

/// The lengths of packets, in their order.
#[module]
fn items(m: Module, x: &Both, heads: u32, p: SliceParams) -> Stream<Slice> {
    let bytes = x.sparse.bytes.expect("sparse slices differ in length");
    let (dense_ended, sparse_ended) = (x.dense.ended, x.sparse.ended);
    let dense_item = m.reg_reset(bits(1), 0).comment("a dense slice is announced next");
    let heads_left = m.reg_reset(bits(clog2(heads.max(2) as usize)), heads - 1).comment("behind this one");
    let last = dense_item & !heads_left.any();
    let all_ended = dense_ended.valid & sparse_ended.valid;
    let items = m.wire(stream(slice(p)));
    let failed = dense_ended.payload.pack().any() | sparse_ended.payload.pack().any();
    let width = items.payload.bytes.width();
    items.valid.set(dense_item.mux(heads_left.any() | all_ended, bytes.valid));
    let length = dense_item.mux(bytes.payload.zext(width).literal(p.dense_slice()), bytes.payload.zext(width));
    items.payload.set(Slice { bytes: length, last, failed: last & failed });
    bytes.ready.set(!dense_item & items.ready);
    let record_ends = items.transfer() & last;
    dense_ended.ready.set(record_ends);
    sparse_ended.ready.set(record_ends);
    m.when(items.transfer(), || dense_item.set(!dense_item));
    m.when(items.transfer() & dense_item, || {
        heads_left.set(heads_left.any().mux(heads_left - 1, heads_left.literal(heads - 1)))
    });
    items
}
