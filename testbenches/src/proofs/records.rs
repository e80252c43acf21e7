//! Record join and record split: whoever gives or takes the two parts of a vector in an order of their own, beat by beat and with
//! pauses of any length, is never stopped for good. That needs buffers as long as they are: with vectors twice as long both proofs fail.

use super::{Engine, Proof};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module};
use hw::oaken::{EngineParams, RecordJoinPorts, RecordSplitPorts, record_join, record_split};

/// Engines with the shortest vectors.
fn params(lanes: u32) -> EngineParams {
    EngineParams { lanes, max_length: 64, dense_bits: 4, settings: 1 }
}
/// Words of the longest sparse part: 8 + 1 + 64 bytes.
fn sparse_words(lanes: u32) -> u32 {
    73u32.div_ceil(params(lanes).sparse_bytes())
}
/// Beats of the dense part, as narrow and as wide as the sparse part's.
fn dense_beats(lanes: u32) -> [u32; 2] {
    [32 / params(lanes).dense_bytes(), 32 / params(lanes).sparse_bytes()]
}
/// Cycles without a transfer that the parts may need: through the buffer and the converter.
const PATIENCE: u32 = 6;

/// Beats of a part that are left, counted down; `starts` when a vector begins.
#[module]
fn left(m: Module, number: Signal, starts: Signal, moves: Signal) -> Signal {
    let left = m.reg_reset(bits(number.width()), 0);
    m.when(moves, || left.set(left - 1));
    m.when(starts, || left.set(number));
    left
}

/// What moves next of a vector whose parts move in any order, one beat after the other.
struct Order {
    /// The beat that moves next is one of the dense part.
    dense: Signal,
    /// One of the sparse part.
    sparse: Signal,
    dense_left: Signal,
    sparse_left: Signal,
}

/// The prover chooses the next part whenever a beat has moved; a vector begins when the one before is over. Lengths in beats, the
/// dense part's first.
#[module]
fn any_order(m: Module, [dense, sparse]: [Signal; 2], moves: [Signal; 2]) -> Order {
    let starts = m.wire(bits(1));
    let dense_left = left(m, dense, starts, moves[0]);
    let sparse_left = left(m, sparse, starts, moves[1]);
    starts.set(!dense_left.any() & !sparse_left.any());
    // the choice stays until a beat has moved
    let choice = m.anyseq(1);
    let chosen = m.reg(bits(1));
    let free = m.reg_reset(bits(1), 1);
    m.when(free, || chosen.set(choice));
    free.set(starts | moves[0] | moves[1]);
    let prefers_dense = free.mux(choice, chosen);
    let is_dense = dense_left.any() & (prefers_dense | !sparse_left.any());
    let is_sparse = sparse_left.any() & !is_dense;
    Order { dense: is_dense, sparse: is_sparse, dense_left, sparse_left }
}

/// Something moves at least every so many cycles in which who takes is ready. In the others it may stand still, for any time.
#[module]
fn goes_on(m: Module, moves: Signal, takes: Signal) {
    let still = m.reg_reset(bits(4), 0).comment("cycles without a transfer, in which one could be taken");
    let waits = takes & !still.all();
    still.set(moves.mux(still.zeros(4), still + waits.zext(4)));
    m.assert(still.le(PATIENCE), "it never stands still while what comes out is taken");
    let vectors = m.reg_reset(bits(3), 0);
    m.when(moves & !vectors.all(), || vectors.set(vectors + 1));
    m.cover(vectors.all(), "beats move");
}

/// Any number of words from 1 to the longest sparse part.
#[module]
fn any_length(m: Module, most: u32) -> Signal {
    let number = m.anyseq(4);
    m.assume(number.ne(0) & number.le(most), "a sparse part has its header, and no more than all entries");
    number
}

/// A record join; `longer`: how many times longer vectors are than its buffers are made for.
#[module]
fn join_proof(name: &str, lanes: u32, longer: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(name);
    let p = params(lanes);
    let io = RecordJoinPorts::new(m, p);
    let join = m.instance(&record_join("record_join", p)?);
    join.s_axis_dense.set(io.s_axis_dense);
    join.s_axis_sparse.set(io.s_axis_sparse);
    io.m_axis.set(join.m_axis);
    let (dense, sparse, out) = (io.s_axis_dense.stream(), io.s_axis_sparse.stream(), io.m_axis.stream());
    let [beats, _] = dense_beats(lanes);
    let lengths = [m.lit(beats * longer, 4), any_length(m, sparse_words(lanes) * longer)];
    let order = any_order(m, lengths, [dense.transfer(), sparse.transfer()]);
    m.assume(dense.valid.eq(order.dense) & sparse.valid.eq(order.sparse), "one beat after the other, in any order");
    m.assume(dense.payload.last.eq(order.dense_left.eq(1)), "the dense part ends with its last beat");
    m.assume(sparse.payload.last.eq(order.sparse_left.eq(1)), "the sparse part ends with its last beat");
    m.assume(dense.payload.keep.all(), "the dense part fills its beats");
    goes_on(m, dense.transfer() | sparse.transfer() | out.transfer(), out.ready);
    Ok(m.finish(io)?.erase())
}

/// A record split; `longer` as for the join.
#[module]
fn split_proof(name: &str, lanes: u32, longer: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(name);
    let p = params(lanes);
    let io = RecordSplitPorts::new(m, p);
    let split = m.instance(&record_split("record_split", p)?);
    split.s_axis.set(io.s_axis);
    io.m_axis_dense.set(split.m_axis_dense);
    io.m_axis_sparse.set(split.m_axis_sparse);
    let (dense, sparse, s) = (io.m_axis_dense.stream(), io.m_axis_sparse.stream(), io.s_axis.stream());

    m.section("who sends: a sparse part, a dense part, ...");
    let dense_turn = m.reg_reset(bits(1), 0).comment("a dense part is sent");
    let [beats, wide_beats] = dense_beats(lanes);
    let number = dense_turn.mux(m.lit(wide_beats * longer, 4), any_length(m, sparse_words(lanes) * longer));
    let none = m.wire(bits(1));
    let words = left(m, number, none, s.transfer());
    none.set(!words.any());
    m.when(s.transfer() & s.payload.last, || dense_turn.set(!dense_turn));
    m.assume(s.valid.eq(words.any()) & s.payload.keep.all(), "the next beat is there, and full");
    m.assume(s.payload.last.eq(words.eq(1)), "each part ends with its last beat");

    m.section("who takes: any order within a vector");
    let lengths = [m.lit(beats * longer, 4), m.lit(1u32, 4)];
    let order = any_order(m, lengths, [dense.transfer(), sparse.transfer() & sparse.payload.last]);
    let takes = m.anyseq(1);
    let ready = [order.dense, order.sparse].map(|next| next & takes);
    m.assume(dense.ready.eq(ready[0]) & sparse.ready.eq(ready[1]), "one beat after the other, in any order, or none");
    goes_on(m, dense.transfer() | sparse.transfer() | s.transfer(), takes);
    Ok(m.finish(io)?.erase())
}

fn proof(name: &str, part: &str, design: Design<()>) -> Proof {
    Proof { name: name.into(), part: part.into(), design, engine: Engine::Pdr, cover_depth: 16 }
}

/// The proofs of this file: record join and split.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![
        proof("record_join", "record join, 16 lanes, vectors of 64", join_proof("prove_record_join", 16, 1)?),
        proof("record_split", "record split, 32 lanes, vectors of 64", split_proof("prove_record_split", 32, 1)?),
    ])
}

/// The same with vectors that are twice as long as the buffers are made for.
pub fn broken() -> Result<Vec<Proof>, Errors> {
    Ok(vec![
        proof("broken_join", "a record join whose buffer is too small", join_proof("prove_broken_join", 16, 2)?),
        proof("broken_split", "a record split whose buffer is too small", split_proof("prove_broken_split", 32, 2)?),
    ])
}
