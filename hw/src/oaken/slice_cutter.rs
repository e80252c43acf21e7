//! Slice cutter: the dense part of a record, or dense slices that follow each other byte by byte, as slices with a `last` each.
//!
//! Exactly as many slices leave as `slices` says: bytes that a packet lacks are zeros, and what is left of it behind them is
//! dropped. So whoever counts slices is right whatever came.
//!
//! | port | |
//! | --- | --- |
//! | `s` | packets in words of `word` bytes; ready follows `m` ready |
//! | `slices` | for each packet the slices that leave; taken when the packet before is over, or all of its slices are out |
//! | `m` | words of slices, all bytes kept; from `s` within the cycle |
//! | `ended` | how each packet went, beside its last word that is needed; `m` waits for its ready |
//! | `enough` | what comes is dropped |
//!
//! - Parameters: `word`, bytes, from 1; `slice`, words of a slice, from 1; `count_bits`, width of `slices`.
//! - Latency: 0. A word in every cycle, from packet to packet too.
//! - Combinational: `s` to `m`, `m` and `ended` ready to `s` ready, `s` to `ended`; `ended` ready to `m` valid, `m` ready to `ended` valid:
//!   whoever takes them must not wait for valid; `s`, `m` ready and `ended` ready to `slices` ready.

use super::slices::{Ended, ended};
use super::types::{Beat, beat, each_repeated};
use hdl::*;

ports! {
    /// Ports of [`slice_cutter`].
    pub struct SliceCutterPorts(word: u32, count_bits: u32) {
        /// Packets.
        input s: Stream<crate::stream::Beat> = stream(crate::stream::beat(8, word)),
        /// Slices that leave of the next packet.
        input slices: Stream = stream(bits(count_bits)),
        /// Slices.
        output m: Stream<Beat> = stream(beat(8 * word)),
        /// How a packet ended.
        output ended: Stream<Ended> = stream(ended()),
        /// What comes is dropped.
        output enough: Signal = bits(1),
    }
}

/// A cutter for slices of `slice` words of `word` bytes.
#[module]
pub fn slice_cutter(word: u32, slice: u32, count_bits: u32) -> Result<Design<SliceCutterPorts>, Errors> {
    let m = Module::new(format!("oaken_slice_cutter_{word}x{slice}_{count_bits}"));
    m.doc("Cuts packets of dense codes into slices.");
    let io = SliceCutterPorts::new(m, word, count_bits);
    let s = io.s.payload;

    m.section("what is left");
    let active = m.reg_reset(bits(1), 0).comment("slices are wanted");
    let dropping = m.reg_reset(bits(1), 0).comment("what comes is not");
    let slices_left = m.reg_reset(bits(count_bits), 0).comment("behind this one");
    let words_left = m.reg_reset(bits(clog2(slice.max(2) as usize)), slice - 1).comment("behind the next one");
    let over = m.reg_reset(bits(1), 0).comment("the packet is over: zeros leave");
    let missing = m.reg_reset(bits(1), 0).comment("not all bytes were there");

    m.section("words");
    let slice_ends = !words_left.any();
    let packet_ends = slice_ends & !slices_left.any();
    let there = active & (io.s.valid | over);
    let may_end = !packet_ends | io.ended.ready;
    io.m.valid.set(there & may_end);
    let kept = s.keep & (!over).repeat(word);
    io.m.payload.set(Beat { data: s.data & each_repeated(kept, 8), last: slice_ends });
    let moves = io.m.transfer();
    io.s.ready.set(dropping | (active & !over & may_end & io.m.ready));

    m.section("and how they ended");
    let lacks = missing | over | !s.keep.all();
    io.ended.valid.set(there & packet_ends & io.m.ready);
    let late = !over & !s.last;
    io.ended.payload.set(Ended { missing: lacks, late, count: m.lit(0u32, 1) });
    io.enough.set(dropping);
    let finishes = moves & packet_ends;
    m.when(moves, || {
        words_left.set(slice_ends.mux(words_left.literal(slice - 1), words_left - 1));
        m.when(slice_ends, || slices_left.set(slices_left - 1));
        missing.set(lacks);
        m.when(s.last, || over.set(true));
    });

    m.section("the next packet");
    let dropped = dropping & io.s.valid & s.last;
    let next = (!active & !dropping) | dropped | (finishes & !late);
    io.slices.ready.set(next);
    m.when(finishes, || {
        active.set(false);
        dropping.set(late);
    });
    m.when(dropped, || dropping.set(false));
    m.when(next, || {
        active.set(io.slices.valid & io.slices.payload.any());
        dropping.set(io.slices.valid & !io.slices.payload.any());
        slices_left.set(io.slices.payload - 1);
    });
    m.when(finishes | dropping | next, || {
        over.set(false);
        missing.set(false);
    });
    m.finish(io)
}
