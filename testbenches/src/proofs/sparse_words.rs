//! The sparse writer: no word is overwritten before it has left, for all cycles; and each byte of each vector comes out once, at its
//! place, for the first ones behind a reset.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::logic::popcount;
use hdl::*;
use hw::oaken::EngineParams;
use hw::oaken::sparse_writer::{SparseWriterPorts, sparse_writer};

/// Bits of the number of a vector, here.
const VECTOR: u32 = 4;
/// Bits of the number of a byte in a vector.
const BYTE: u32 = 8;

/// The writer, in surroundings that keep to the rules: a vector begins with a chunk, and a beat has as many entries as lanes at most.
#[module]
fn surrounded(m: Module, io: SparseWriterPorts, p: EngineParams) -> Result<(), Errors> {
    let part = m.instance(&sparse_writer(p, io.vector.width())?);
    part.s.set(io.s);
    part.stop.set(io.stop);
    part.header.set(io.header);
    io.m.set(part.m);
    io.vector.set(part.vector);
    io.sent.set(part.sent);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let open = m.reg_reset(bits(1), 0).comment("a vector is open");
    m.when(io.s.transfer(), || open.set(!io.s.payload.last));
    m.assume(open | io.s.payload.starts_chunk, "a vector begins with a chunk");
    m.assume(io.s.payload.found.le(p.lanes), "a beat has no more entries than lanes");
    let leaves = io.m.valid & io.m.payload.last & m.past_valid() & !m.past(io.m.valid & !io.m.ready);
    m.assert(io.sent.eq(leaves), "`sent` tells of the last word of a vector when it comes to the port, once");
    Ok(())
}

fn params(lanes: u32) -> EngineParams {
    EngineParams { lanes, max_length: 64, dense_bits: 4, settings: 1 }
}

/// What holds for all cycles: as many vectors leave as came, and (stated in the writer itself) nothing is written over what has not left.
#[module]
fn control(lanes: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_sparse_writer_{lanes}"));
    let io = SparseWriterPorts::new(m, params(lanes), 1);
    surrounded(m, io, params(lanes))?;
    m.cover(io.m.transfer() & !io.m.payload.last, "a word leaves behind which others come");
    m.cover(m.past(io.s.valid & !io.s.ready) & m.past_valid(), "a beat waits");
    Ok(m.finish(io)?.erase())
}

/// A byte that the prover chooses, of a vector that it chooses.
struct Followed {
    vector: Signal,
    byte: Signal,
    /// It has come.
    there: Signal,
    value: Signal,
    /// The vector has come to its end.
    whole: Signal,
    length: Signal,
}

/// Sees it come: the bytes of a vector are its header, and the count and the entries of beat after beat.
#[module]
fn comes(m: Module, io: SparseWriterPorts) -> Followed {
    let (vector, byte) = (m.anyconst(VECTOR), m.anyconst(BYTE));
    let number = m.reg_reset(bits(VECTOR), 0).comment("of the vector that comes");
    let bytes = m.reg_reset(bits(BYTE), 8).comment("of it that have come");
    let [there, whole] = [0, 1].map(|_| m.reg_reset(bits(1), 0));
    let (value, length) = (m.reg(bits(8)), m.reg(bits(BYTE)));
    let beat = io.s.payload;
    let behind = bytes + beat.found.zext(BYTE) + beat.starts_chunk.zext(BYTE);
    let mine = io.s.transfer() & number.eq(vector);
    let at = byte - bytes;
    let entry = (beat.entries >> (at - beat.starts_chunk.zext(BYTE)).cat(m.lit(0u32, 3))).zext(8 * 32).trunc(8);
    let is_count = beat.starts_chunk & !at.any();
    m.when(mine & byte.ge(bytes) & byte.lt(behind), || {
        there.set(true);
        value.set(is_count.mux(beat.count.zext(8), entry));
    });
    m.when(io.s.transfer(), || bytes.set(beat.last.mux(m.lit(8u32, BYTE), behind)));
    m.when(io.s.transfer() & beat.last, || number.set(number + 1));
    m.when(mine & beat.last, || {
        whole.set(true);
        length.set(behind);
    });
    Followed { vector, byte, there, value, whole, length }
}

/// And sees it leave, in a word of a vector.
#[module]
fn leaves(m: Module, io: SparseWriterPorts, header: Signal, followed: &Followed) {
    let word = io.m.payload;
    let number = m.reg_reset(bits(VECTOR), 0).comment("of the vector that leaves");
    let bytes = m.reg_reset(bits(BYTE), 0).comment("of it that have left");
    let behind = bytes + popcount(word.keep).zext(BYTE);
    m.when(io.m.transfer(), || bytes.set(word.last.mux(m.lit(0u32, BYTE), behind)));
    m.when(io.m.transfer() & word.last, || number.set(number + 1));
    let (byte, mine) = (followed.byte, io.m.valid & number.eq(followed.vector));
    let at = (byte - bytes).cat(m.lit(0u32, 3));
    let shown = (word.data >> at).trunc(8);
    let in_header = byte.lt(8);
    let comes = mine & byte.ge(bytes) & byte.lt(behind);
    let right = in_header.mux((header >> byte.cat(m.lit(0u32, 3))).trunc(8), followed.value);
    m.assert(!comes | in_header | followed.there, "no byte leaves that did not come");
    m.assert(!comes | shown.eq(right), "each byte leaves at its place of its vector, unchanged");
    m.assert(!io.m.valid | word.keep.bit(0) & !(word.keep & (word.keep + 1)).any(), "bytes are kept from below");
    m.assert(!io.m.valid | word.last | word.keep.all(), "a word that is not the last is full");
    let ends = mine & word.last;
    m.assert(!ends | (followed.whole & behind.eq(followed.length)), "a vector ends with its last byte");
    let kept = hw::oaken::types::each_repeated(word.keep, 8);
    m.assert(!io.m.valid | !(word.data & !kept).any(), "bytes that are not kept are 0");
    m.cover(comes & byte.ge(24) & word.last, "a byte of the second word or of one behind it leaves");
    m.cover(ends & followed.vector.eq(2), "the third vector leaves");
}

/// The bytes.
#[module]
fn bytes(lanes: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_sparse_bytes_{lanes}"));
    let io = SparseWriterPorts::new(m, params(lanes), VECTOR);
    surrounded(m, io, params(lanes))?;
    let followed = comes(m, io);
    let header = m.anyconst(64);
    m.assume(io.vector.ne(followed.vector) | io.header.eq(header), "the header of a vector is held");
    leaves(m, io, header, &followed);
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: the sparse writer.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: String, part: String, design, engine| Proof { name, part, design, engine, cover_depth: 16 };
    let mut list = vec![];
    for lanes in [1, 16] {
        let name = format!("sparse_writer_{lanes}");
        list.push(proof(name, format!("sparse writer, {lanes} lanes"), control(lanes)?, Engine::Pdr));
    }
    for (lanes, cycles) in [(1, 16), (16, 14)] {
        let part = format!("bytes of the sparse writer, {lanes} lanes");
        list.push(proof(format!("sparse_bytes_{lanes}"), part, bytes(lanes)?, Engine::Bounded(cycles)));
    }
    Ok(list)
}
