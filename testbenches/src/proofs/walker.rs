//! The record walker, for the first cycles behind a reset: of legal records, whatever their counts are, every header and every chunk leaves
//! once, in order, with its place in the ring and its number of entries, and nothing is flagged.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::logic::UpDown;
use hdl::*;
use hw::oaken::EngineParams;
use hw::oaken::header;
use hw::oaken::record_walker::{WalkerPorts, record_walker};
use hw::oaken::sparse_ring::word_bits;

/// Records of one chunk or of two.
const PARAMS: EngineParams = EngineParams { lanes: 1, max_length: 128, dense_bits: 4, settings: 1 };
/// Bytes of a word.
const WORD: u32 = 16;
/// Bits of the number of a byte in a packet.
const BYTE: u32 = 8;
/// Bits of the number of a record, here.
const RECORD: u32 = 4;
/// Cycles behind a chunk after which it can have been read.
const READS: usize = 4;

/// The record that the prover chooses, as it came.
struct Followed {
    record: Signal,
    /// Its first word came, and with it the header and the count of the first chunk; and the count of the second one.
    begun: Signal,
    counted: Signal,
    header: Signal,
    /// The number of the word.
    word: Signal,
    counts: [Signal; 2],
}

/// A count is legal.
fn legal(count: Signal) -> Signal {
    count.le(64)
}

/// The packets that come are records of the length: each ends where its last chunk does. What of them is followed.
#[module]
fn records(m: Module, io: WalkerPorts, two: Signal) -> Followed {
    let record = m.anyconst(RECORD);
    let number = m.reg_reset(bits(RECORD), 0).comment("of the record that comes");
    let words = m.reg_reset(bits(word_bits(PARAMS)), 0).comment("that have come");
    let from = m.reg_reset(bits(BYTE), 0).comment("the first byte of the word in its packet");
    let first = !from.any();
    let count_at = |at: Signal| (io.s.payload.data >> at.trunc(4).cat(m.lit(0u32, 3))).trunc(8);
    let held = [m.reg(bits(8)), m.reg(bits(8))];
    let count = first.mux(count_at(m.lit(header::BYTES, BYTE)), held[0]);
    let behind_first = count + (header::BYTES + 1);
    // the second count is in this word, or was before
    let here = two & behind_first.drop_low(4).eq(from.drop_low(4));
    let seen = m.reg_reset(bits(1), 0);
    let count_2 = here.mux(count_at(behind_first), held[1]);
    let known = !two | here | seen;
    let length = two.mux(behind_first + count_2 + 1, behind_first);
    let left = length - from;
    let ends = known & left.le(WORD);
    m.assume(legal(count) & (!here | legal(count_2)), "counts are legal");
    m.assume(io.s.payload.last.eq(ends), "a packet ends with its record");
    let kept = !(m.lit(0xffffu32, WORD) << left);
    m.assume(io.s.payload.keep.eq(ends.mux(kept, !kept.zeros(WORD))), "up to its last byte");
    m.when(io.s.transfer(), || {
        words.set(words + 1);
        from.set(ends.mux(from.zeros(BYTE), from + WORD));
        seen.set(!ends & (seen | here));
        held[0].set(count);
        held[1].set(count_2);
        m.when(ends, || number.set(number + 1));
    });
    let [begun, counted] = [0, 1].map(|_| m.reg_reset(bits(1), 0));
    let followed_header = m.reg(bits(header::BITS));
    let (word, first_count, second_count) = (m.reg(bits(words.width())), m.reg(bits(8)), m.reg(bits(8)));
    let mine = io.s.transfer() & number.eq(record);
    m.when(mine & first, || {
        begun.set(true);
        word.set(words);
        first_count.set(count);
        followed_header.set(io.s.payload.data.trunc(header::BITS));
    });
    m.when(mine & here, || {
        counted.set(true);
        second_count.set(count_2);
    });
    Followed { record, begun, counted, header: followed_header, word, counts: [first_count, second_count] }
}

/// Chunks that have left are read some cycles later, each whole.
#[module]
fn reads(m: Module, io: WalkerPorts) {
    let mut left = io.m.transfer();
    for _ in 0..READS {
        let later = m.reg_reset(bits(1), 0);
        later.set(left);
        left = later;
    }
    let unread = UpDown::new(m, 63);
    unread.count(left, io.done);
    m.assume(!io.done | unread.level.any(), "what is read has left");
    m.assume(!io.reading & !io.flush, "nothing is read in part, nothing is flushed");
}

/// What leaves of the record that is followed.
#[module]
fn leaves(m: Module, io: WalkerPorts, two: Signal, x: &Followed) {
    let (number, chunk) = (m.reg_reset(bits(RECORD), 0), m.reg_reset(bits(1), 0));
    number.comment("of the record whose chunk leaves");
    let out = io.m.payload;
    m.when(io.m.transfer(), || chunk.set(!out.last));
    m.when(io.m.transfer() & out.last, || number.set(number + 1));
    m.assert(!io.m.valid | out.first.eq(!chunk), "a record begins with its first chunk");
    m.assert(!io.m.valid | out.last.eq(chunk.eq(two)), "and has as many as its length says");
    let mine = io.m.valid & number.eq(x.record);
    m.assert(!mine | (x.begun & (!chunk | x.counted)), "no chunk leaves that did not come");
    let count = chunk.mux(x.counts[1], x.counts[0]);
    m.assert(!mine | out.count.zext(8).eq(count), "a chunk has as many entries as its count says");
    let first_at = x.word.cat(m.lit(header::BYTES + 1, 4));
    let second_at = first_at + x.counts[0].zext(first_at.width()) + 1;
    m.assert(!mine | out.at.eq(chunk.mux(second_at, first_at)), "its entries are behind its count");
    m.section("headers");
    let headers = m.reg_reset(bits(RECORD), 0).comment("the number of the one that leaves");
    m.when(io.header.transfer(), || headers.set(headers + 1));
    let mine = io.header.valid & headers.eq(x.record);
    m.assert(!mine | (x.begun & io.header.payload.eq(x.header)), "each header leaves in its turn, unchanged");
    m.assert(!io.count_error & !io.length_error, "nothing is flagged");
    m.cover(
        io.m.transfer() & chunk & out.at.drop_low(4).ne(x.word),
        "a second chunk leaves that begins in another word",
    );
    m.cover(io.m.transfer() & number.eq(2), "a chunk of the third record leaves");
    m.cover(io.m.transfer() & out.count.eq(64), "a chunk of outliers leaves");
}

#[module]
fn walks() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_record_walker");
    let io = WalkerPorts::new(m, PARAMS);
    let part = m.instance(&record_walker(PARAMS)?);
    let two = m.anyconst(1);
    part.s.set(io.s);
    part.chunks_minus_1.iter().for_each(|length| length.set(two.zext(7)));
    io.chunks_minus_1.iter().for_each(|length| length.unused());
    part.start.set(io.start);
    part.flush.set(io.flush);
    part.done.set(io.done);
    part.reading.set(io.reading);
    part.oldest.set(io.oldest);
    io.write.set(part.write);
    io.header.set(part.header);
    io.m.set(part.m);
    io.begins.set(part.begins);
    io.holds.set(part.holds);
    io.count_error.set(part.count_error);
    io.length_error.set(part.length_error);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    sends_by_the_rules(m, io.header, Side::Part);
    let followed = records(m, io, two);
    reads(m, io);
    leaves(m, io, two, &followed);
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: the record walker.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    Ok(vec![Proof {
        name: "record_walker".into(),
        part: "record walker, records of 64 and 128 elements".into(),
        design: walks()?,
        engine: Engine::Bounded(16),
        cover_depth: 24,
    }])
}
