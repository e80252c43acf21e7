//! Slice splitter and slice framer: whatever comes (to splitter and framer as a whole, with counts of 0 and 64), and whatever their registers
//! and memories held before the reset, words that come are taken within a bounded time as long as what leaves is taken.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module};
use hw::oaken::chunk_pieces::{ChunkPiecesPorts, Headers, WalkParams, chunk_pieces};
use hw::oaken::slice_cutter::{SliceCutterPorts, slice_cutter};
use hw::oaken::slice_framer::SliceFramerPorts;
use hw::oaken::slice_splitter::SliceSplitterPorts;
use hw::oaken::slices::Ended;
use hw::oaken::{EngineParams, SliceParams, slice_framer, slice_splitter};
use hw::stream::Beat;
use hw::stream::axi_stream::AxiStream;

/// The smallest slices, a chunk each, and the bus with the fewest beats for them of those that are walked over word by word.
pub(super) fn params() -> SliceParams {
    let engine = EngineParams { lanes: 16, max_length: 64, dense_bits: 4, settings: 1 };
    SliceParams { engine, head_elements: 64, bus_bytes: 16, tag_bits: 0 }
}

/// Cycles for which a part of a record may wait: the longest one, where all of it is missing, is made up and leaves.
const PATIENCE: u32 = 24;

/// The end of a packet is taken.
fn ends(s: Stream<Beat>) -> Signal {
    s.transfer() & s.payload.last
}

/// What cuts packets into slices.
struct Cut {
    input: Stream<Beat>,
    slices: Stream,
    /// The receiver of slices is ready.
    taken: Signal,
    /// A slice ends.
    last: Signal,
    ended: Stream<Ended>,
}

/// Whatever comes: as many slices leave of each packet as was said, and its words go on being taken.
#[module]
fn cuts(m: Module, x: Cut, cycles: u32) {
    let Cut { input, slices, taken, last, ended } = x;
    sends_by_the_rules(m, input, Side::Surroundings);
    sends_by_the_rules(m, slices, Side::Surroundings);
    m.assume(slices.valid, "it is known how many slices are wanted");
    m.assume(ended.ready & taken, "what leaves is taken");
    let owed = m.reg_reset(bits(slices.payload.width()), 0).comment("slices that are to leave of this packet");
    let begins = slices.transfer();
    let leaves = last.zext(owed.width());
    owed.set(begins.mux(slices.payload, owed - leaves));
    m.assert(!last | owed.any(), "no slice leaves that is not wanted");
    m.assert(!begins | owed.eq(leaves), "all slices of a packet leave before the next one begins");
    let open = m.reg_reset(bits(2), 0).comment("packets that began less those that came whole; -1: a short one waits");
    let now = open - ends(input).zext(2);
    open.set(now + begins.zext(2));
    m.assert(!begins | now.ne(1), "a packet has come whole before the next one begins");
    stalls_at_most(m, input.valid & !input.ready, cycles, "words that come are taken");
    m.cover(last & owed.eq(2), "slices leave");
    m.cover(ended.transfer() & ended.payload.missing, "a packet is too short");
    m.cover(ended.transfer() & ended.payload.late, "a packet is too long");
}

#[module]
fn cutter_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_slice_cutter");
    let io = SliceCutterPorts::new(m, 1, 2);
    let part = m.instance(&slice_cutter(1, 2, 2)?);
    part.s.set(io.s);
    part.slices.set(io.slices);
    io.m.set(part.m);
    io.ended.set(part.ended);
    io.enough.set(part.enough);
    sends_by_the_rules(m, io.m, Side::Part);
    let last = io.m.transfer() & io.m.payload.last;
    let cut = Cut { input: io.s, slices: io.slices, taken: io.m.ready, last, ended: io.ended };
    cuts(m, cut, 8);
    Ok(m.finish(io)?.erase())
}

/// Slices of a chunk each. `slices` is ready until the first word comes, and taken with it.
#[module]
fn pieces_proof(name: &str, headers: Headers) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_chunk_pieces_{name}"));
    let p = WalkParams { word: 8, chunks: 1, headers, empty_header: 0, count_bits: 2 };
    let io = ChunkPiecesPorts::new(m, p);
    let part = m.instance(&chunk_pieces(p)?);
    part.s.set(io.s);
    part.slices.set(io.slices);
    io.m.set(part.m);
    io.ended.set(part.ended);
    io.enough.set(part.enough);
    sends_by_the_rules(m, io.m, Side::Part);
    let last = io.m.transfer() & io.m.payload.last;
    let cut = Cut { input: io.s, slices: io.slices, taken: io.m.ready, last, ended: io.ended };
    cuts(m, cut, 40);
    Ok(m.finish(io)?.erase())
}

/// Bytes of 0 and 64 alone, that is, counts of none and of all elements: what makes a word out of many others takes the prover too long here. That
/// the parts which count go on whatever the counts are, is proved of them alone.
#[module]
fn counts_of_all(m: Module, s: AxiStream) -> AxiStream {
    let mask = m.lit(0x40u32, 8).repeat(s.tdata.width() / 8);
    AxiStream { tdata: s.tdata & mask, ..s }
}

#[module]
fn splitter_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_slice_splitter");
    let p = params();
    let io = SliceSplitterPorts::new(m, p);
    let part = m.instance(&slice_splitter("splitter", 1, p)?);
    part.s_axis_dense.set(io.s_axis_dense);
    part.s_axis_sparse.set(counts_of_all(m, io.s_axis_sparse));
    io.m_axis.set(part.m_axis);
    io.slice.set(part.slice);
    let (dense, sparse, out) = (io.s_axis_dense.stream(), io.s_axis_sparse.stream(), io.m_axis.stream());
    sends_by_the_rules(m, dense, Side::Surroundings);
    sends_by_the_rules(m, sparse, Side::Surroundings);
    sends_by_the_rules(m, out, Side::Part);
    sends_by_the_rules(m, io.slice, Side::Part);
    m.assume(out.ready & io.slice.ready, "what leaves is taken");

    m.section("both parts of a record come, in any order, before any of the next one");
    let dense_over = m.reg_reset(bits(1), 0).comment("the dense part of this record has come");
    let sparse_over = m.reg_reset(bits(1), 0).comment("the sparse part of this record has come");
    let (dense_done, sparse_done) = (dense_over | ends(dense), sparse_over | ends(sparse));
    let both = dense_done & sparse_done;
    dense_over.set(dense_done & !both);
    sparse_over.set(sparse_done & !both);
    m.assume(!(dense.valid & dense_over) & !(sparse.valid & sparse_over), "one record after the other");
    stalls_at_most(m, dense.valid & !dense.ready, PATIENCE, "the dense part is taken");
    stalls_at_most(m, sparse.valid & !sparse.ready, PATIENCE, "the sparse part is taken");

    m.section("what can happen");
    let packets = m.reg_reset(bits(3), 0);
    m.when(ends(out) & !packets.all(), || packets.set(packets + 1));
    m.cover(packets.eq(4), "two records have left");
    let late = m.reg_reset(bits(1), 0).comment("a record was too short or too long");
    m.when(io.slice.transfer() & io.slice.payload.failed, || late.set(true));
    m.cover(packets.eq(4) & late, "one that was none has left");
    Ok(m.finish(io)?.erase())
}

/// The most slices of a history here.
const TOKENS: u32 = 2;

#[module]
fn framer_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_slice_framer");
    let p = params();
    let io = SliceFramerPorts::new(m, p);
    let part = m.instance(&slice_framer("framer", p)?);
    part.s_axis_dense.set(io.s_axis_dense);
    part.s_axis_sparse.set(counts_of_all(m, io.s_axis_sparse));
    part.history.set(io.history);
    io.m_axis_dense.set(part.m_axis_dense);
    io.m_axis_sparse.set(part.m_axis_sparse);
    io.enough_dense.set(part.enough_dense);
    io.enough_sparse.set(part.enough_sparse);
    io.ended_early.set(part.ended_early);
    io.count_error.set(part.count_error);
    let inputs = [io.s_axis_dense.stream(), io.s_axis_sparse.stream()];
    let outputs = [io.m_axis_dense.stream(), io.m_axis_sparse.stream()];
    sends_by_the_rules(m, io.history, Side::Surroundings);
    m.assume(!io.history.valid | io.history.payload.tokens.le(TOKENS), "histories are short");
    let begins = io.history.transfer();
    for (i, (s, out)) in inputs.into_iter().zip(outputs).enumerate() {
        sends_by_the_rules(m, s, Side::Surroundings);
        sends_by_the_rules(m, out, Side::Part);
        m.assume(out.ready, "what leaves is taken");
        let wanted = m.reg_reset(bits(4), 0).comment("histories of which the part has not come whole");
        wanted.set(wanted + begins.zext(4) - ends(s).zext(4));
        m.assume(!s.valid | wanted.any(), "it is known how many slices are wanted of what comes");
        let what = ["dense slices are taken", "sparse slices are taken"][i];
        stalls_at_most(m, s.valid & !s.ready, PATIENCE, what);
        let packets = m.reg_reset(bits(2), 0);
        m.when(ends(out) & !packets.all(), || packets.set(packets + 1));
        m.cover(packets.all(), "records leave");
    }
    m.cover(io.ended_early, "a history ends early");
    m.cover(io.enough_sparse & inputs[1].valid, "a history is longer than wanted");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let of_part = |name: &str, part: &str, design: Design<()>| Proof {
        name: name.into(),
        part: part.into(),
        design,
        engine: Engine::Pdr,
        cover_depth: 24,
    };
    let proof = |name: &str, part: &str, design: Design<()>| Proof {
        engine: Engine::Bounded(36),
        cover_depth: 36,
        ..of_part(name, part, design)
    };
    Ok(vec![
        of_part("slice_cutter", "slice cutter, slices of 2 words", cutter_proof()?),
        of_part("chunk_pieces_once", "chunk pieces, records", pieces_proof("once", Headers::Once)?),
        of_part("chunk_pieces_each", "chunk pieces, slices", pieces_proof("each", Headers::Each)?),
        proof("slice_splitter", "slice splitter, a head of 64 elements, counts of 0 and 64", splitter_proof()?),
        proof("slice_framer", "slice framer, heads of 64 elements, counts of 0 and 64", framer_proof()?),
    ])
}
