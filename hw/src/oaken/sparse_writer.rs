//! Sparse writer: packs count bytes and entries into the words of the sparse part, each vector from a fresh word behind its header.
//!
//! The bytes of a beat are turned to their place in a word, and written into as many small RAMs as a word has bytes: each RAM takes
//! its byte at the address of the word in which the beat begins, or at that of the next one where the bytes go round. So the RAMs
//! are packer and queue at once. Nothing is masked: bytes that do not count go to places that are written again later. The header
//! of a vector needs no cycle and no shifter: it always is the first eight bytes of a word, and is put in on the way out
//! (`sparse_words`).
//!
//! From 16 lanes on, a beat that is all outliers and starts a chunk has a byte more than a word: the last entry would go round to
//! the place of the count. It is carried instead: beside the word in which the beat begins stands that the next word gets one byte,
//! and at which place. Beside each word also stands whether it is the last of its vector and how many bytes it has; even and odd
//! words have RAMs of their own for that, because a beat may end in two words.
//!
//! | port | |
//! | --- | --- |
//! | `s` | beats; `ready` is a register |
//! | `header` | of the vector whose number is `vector`; there before its first beat comes |
//! | `m` | words; valid and payload are registers; bytes that are not kept are 0 |
//! | `stop` | 1: no more beats, after at most two, or three with more than 16 lanes (a register may stand before it) |
//! | `ready_next` | with more than 16 lanes: `s` ready in the next cycle, for copies of it; a register |
//! | `sent` | the last word of a vector went to `m` in the cycle before; a register |
//!
//! Parameters: lanes 1 to 64, and the bits of a vector's number. Throughput: a beat a cycle, of any number of bytes, as long as
//! words are taken and no more than 10 wait, 7 with more than 16 lanes. Latency: a word can be taken 6 to 7 cycles after the beat that
//! fills it.
//! Combinational: `m` ready to nothing outside.

use super::copies::valid_copies;
use super::header;
use super::sparse_words::{Mark, Out, Stored, mark, send, up_to};
use super::types::*;
use hdl::*;

/// Words that the RAMs hold.
const WORDS: u32 = 16;
/// The most words held that let beats in. Each of the two beats that still come can complete three words (the one that was full, the
/// next one, and the last of the vector), and the second one writes to the two behind its own three.
///
/// That is also enough for the rate. Bytes of full beats come faster than words leave, by a byte in 64; the sparse part of the longest
/// vector, 8192 elements, can be 9 words behind before it has more words than the vector has beats, and takes more time itself.
const ENOUGH: u32 = 10;
/// The same where three beats still come. A word has so many bytes there that the sparse part of the longest vector can be at most
/// 5 words behind.
const ENOUGH_WIDE: u32 = 7;

/// The sparse side of a beat.
#[derive(Clone, Copy, Bundle)]
pub struct SparseBeat {
    /// Entry bytes, those that count in the low bytes.
    pub entries: Signal,
    /// How many count.
    pub found: Signal,
    /// First beat of a chunk: at 64 lanes every beat.
    pub starts_chunk: Signal,
    /// Outliers of the chunk.
    pub count: Signal,
    /// Last beat of the vector.
    pub last: Signal,
}

/// Shape of a [`SparseBeat`].
pub fn sparse_beat(lanes: u32) -> SparseBeat {
    SparseBeat {
        entries: bits(8 * lanes),
        found: bits(clog2(lanes as usize + 1)),
        starts_chunk: bits(1),
        count: bits(7),
        last: bits(1),
    }
}

ports! {
    /// Ports of [`sparse_writer`].
    pub struct SparseWriterPorts(p: EngineParams, vector_bits: u32) {
        /// Encoded beats.
        input s: Stream<SparseBeat> = stream(sparse_beat(p.lanes)),
        /// No more beats.
        input stop: Signal = bits(1),
        /// Number of the vector that leaves.
        output vector: Signal = bits(vector_bits),
        /// Its header.
        input header: Signal = bits(64),
        /// Words.
        output m: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// A vector left in the cycle before.
        output sent: Signal = bits(1),
        /// Beats are taken in the next cycle.
        output ready_next: Option<Signal> = p.wide().then(|| bits(1)),
    }
}

/// The sparse writer.
#[module]
pub fn sparse_writer(p: EngineParams, vector_bits: u32) -> Result<Design<SparseWriterPorts>, Errors> {
    let width = p.sparse_bytes();
    let m = Module::new(format!("oaken_sparse_writer_p{}", p.lanes));
    m.doc("Packs count bytes and entries into the words of the sparse part.");
    let io = SparseWriterPorts::new(m, p, vector_bits);

    let room = m.reg_reset(bits(1), 0).comment("there is room for what this and the next two beats make");
    let go = match io.ready_next {
        Some(ready_next) => {
            ready_next.set(room);
            room.comment("there is room for what this and the next three beats make");
            valid_copies(m, room, 2)?
        }
        None => vec![room; 2],
    };
    io.s.ready.set(go[0]);
    let go = go[1];
    let tail = m.pipeline_enabled("tail", go);
    let valid = tail.enter_valid(io.s.valid);
    let beat = tail.enter(io.s.payload);
    m.section("where the bytes of a beat begin and end");
    let extent = extent(m, tail, valid, beat, width);
    m.section("turned to their place");
    let placed = turn(tail, beat, extent, width);
    m.section("the words before `open` are complete");
    let open = m.reg_reset(bits(WORD_BITS + 1), 0);
    let reading = m.reg_reset(bits(WORD_BITS + 1), 0);
    let writes = placed.valid & go;
    m.when(writes, || open.set(placed.open));
    let used = open - reading;
    room.set(used.le(if p.wide() { ENOUGH_WIDE } else { ENOUGH }) & !io.stop);
    m.assert(!writes | !(placed.above - reading).msb(), "nothing is written over a word that has not left");
    m.section("a RAM for each byte of a word");
    let data = byte_rams(m, placed, reading, writes);
    m.section("two RAMs for the marks: of a word and the next one, one is even");
    let mark = mark_rams(m, placed, reading, writes);
    m.section("the byte that is carried to the next word");
    let carried = (p.lanes == width).then(|| carried_ram(m, placed, reading, writes));
    m.section("the outgoing word");
    let out = Out { m: io.m, vector: io.vector, header: io.header, sent: io.sent };
    send(m, out, reading, open, Stored { data, mark, carried })?;
    m.finish(io)
}

/// Bits of the address of a word.
const WORD_BITS: u32 = WORDS.ilog2();

/// Where the bytes of a beat go.
#[derive(Clone, Copy)]
struct Extent {
    valid: Signal,
    /// The bytes of the open word before the beat, less one: it has one at least.
    before: Signal,
    /// The same behind the beat; that of a new word does not count here.
    after: Signal,
    /// How far its bytes are turned: so many places up.
    by: Signal,
    /// They begin in the word behind the open one, which is full.
    begins_above: Signal,
    /// The word in which they begin, and the one behind it.
    base: Signal,
    above: Signal,
    /// They end in the word behind `base`.
    overflow: Signal,
    /// Its last byte is carried there.
    carries: Signal,
    /// It is the last of its vector.
    ends: Signal,
    /// The open word behind it.
    open: Signal,
}

/// Each beat goes behind the one before it, the first of a vector behind the header. A word that is full stays open until the next
/// byte or the end of the vector comes, because only then it is known whether it is the last one.
#[module]
fn extent(m: Module, tail: Pipeline, valid: Signal, beat: SparseBeat, width: u32) -> Extent {
    let level = width.ilog2();
    let one = valid.lit(1u32, 1);
    let before = tail.state(m.reg_reset(bits(level), header::BYTES - 1), valid);
    // the count is the carry of the sum
    let sum = before.zext(level + 2).cat(one) + beat.found.zext(level + 2).cat(beat.starts_chunk);
    let (after, moved) = (sum.drop_low(1).trunc(level), sum.drop_low(1 + level));
    m.when(valid, || before.set(beat.last.mux(m.lit(header::BYTES - 1, level), after)));
    let by = (before.cat(one) + before.lit(1u32, level).cat(beat.starts_chunk)).drop_low(1).next();
    // all lanes have one, and the count comes with them
    let carries = beat.found.zext(level + 1).msb() & beat.starts_chunk;

    let (before, after, moved, carries, ends, valid) = (before, after, moved, carries, beat.last, valid).next();
    let word = tail.state(m.reg_reset(bits(WORD_BITS + 1), 0), valid);
    let begins_above = before.all() & moved.any();
    let base = begins_above.mux(word + 1, word);
    let above = begins_above.mux(word + 2, word + 1);
    let open = word + (moved.zext(WORD_BITS + 1) + ends.zext(WORD_BITS + 1));
    m.when(valid, || word.set(open));
    let overflow = moved.bit(1) | (moved.bit(0) & !begins_above);
    Extent { valid, before, after, by, begins_above, base, above, overflow, carries, ends, open }
}

/// A beat whose bytes are in their places of a word.
#[derive(Clone, Copy)]
struct Placed {
    valid: Signal,
    bytes: Signal,
    /// One bit for each place: its byte belongs to `above`.
    round: Signal,
    /// The last entry.
    last_entry: Signal,
    /// As in [`Extent`].
    after: Signal,
    base: Signal,
    above: Signal,
    overflow: Signal,
    carries: Signal,
    ends: Signal,
    open: Signal,
}

/// Turns the bytes of a beat to their place, two levels in a stage. The count is before the first entry, which is behind the last one
/// when they go round.
#[module]
fn turn(tail: Pipeline, beat: SparseBeat, x: Extent, width: u32) -> Placed {
    let level = width.ilog2();
    let count_byte = beat.count.zext(8);
    let entries = beat.entries.zext(8 * width);
    let last_entry = entries.drop_low(8 * (width - 1));
    let top = beat.starts_chunk.mux(count_byte, last_entry);
    let mut bytes = top.cat(entries.trunc(8 * (width - 1))).next();
    let mut round = x.before; // of the last stage counts
    for from in (0..level).step_by(2) {
        round = (up_to(x.before.meet(bytes)) & (!x.begins_above.meet(bytes)).repeat(width)).next();
        bytes = rotate(bytes, x.by.meet(bytes), from..(from + 2).min(level)).next();
    }
    let (valid, round, last_entry) = (x.valid, round, last_entry).meet(bytes);
    let (after, base, above) = (x.after, x.base, x.above).meet(bytes);
    let (overflow, carries, ends, open) = (x.overflow, x.carries, x.ends, x.open).meet(bytes);
    let (valid, bytes, round, last_entry) = tail.leave((valid, bytes, round, last_entry));
    let (after, base, above) = tail.leave((after, base, above));
    let (overflow, carries, ends, open) = tail.leave((overflow, carries, ends, open));
    Placed { valid, bytes, round, last_entry, after, base, above, overflow, carries, ends, open }
}

/// `bytes` moved up by `by` bytes, what leaves at the top coming back at the bottom: the levels `from` to `to` of it.
#[module]
fn rotate(bytes: Signal, by: Signal, levels: std::ops::Range<u32>) -> Signal {
    let width = bytes.width();
    levels.fold(bytes, |x, level| {
        let n = 8 << level;
        by.bit(level).mux(x.trunc(width - n).cat(x.drop_low(width - n)), x)
    })
}

/// Writes the bytes of a beat; those that go round belong to the word above. Gives the oldest word.
#[module]
fn byte_rams(m: Module, x: Placed, reading: Signal, writes: Signal) -> Signal {
    let last = x.round.width() - 1;
    // where every beat starts a chunk and so has a byte, it begins in the word above if the open one is full
    let all_have_bytes = x.round.width() == CHUNK;
    let places = x.round.lanes(1).into_iter().zip(x.bytes.lanes(8)).zip(0..last + 1);
    let lanes = places.map(|((round, byte), i)| {
        m.scope(format!("byte{i}"), || {
            let ram = m.memory(bits(8), WORDS as usize).style(RamStyle::Distributed);
            let [above, base] = [x.above, x.base].map(|word| word.trunc(WORD_BITS));
            let at = if i == last && all_have_bytes { base } else { round.mux(above, base) };
            ram.write(at, byte, writes);
            ram.read(reading.trunc(WORD_BITS))
        })
    });
    cat(&lanes.rev().collect::<Vec<_>>())
}

/// Writes the marks of the word in which a beat begins and of the one above. Gives that of the oldest word.
#[module]
fn mark_rams(m: Module, x: Placed, reading: Signal, writes: Signal) -> Mark {
    let ram = |name: &str, odd: u32| {
        m.scope(name, || {
            let ram = m.memory(mark(x.after.width()), WORDS as usize / 2).style(RamStyle::Distributed);
            let is_base = x.base.bit(0).eq(odd);
            let at = is_base.mux(x.base, x.above).bits(WORD_BITS - 1, 1);
            let mark = Mark { last: x.ends & !(is_base & x.overflow), after: x.after, carries: is_base & x.carries };
            ram.write(at, mark, writes);
            ram.read(reading.bits(WORD_BITS - 1, 1))
        })
    };
    let (even, odd) = (ram("even", 0), ram("odd", 1));
    reading.bit(0).mux(odd, even)
}

/// Writes the last entry beside the word in which its beat begins. Gives that of the oldest word.
#[module]
fn carried_ram(m: Module, x: Placed, reading: Signal, writes: Signal) -> Signal {
    let ram = m.memory(bits(8), WORDS as usize).style(RamStyle::Distributed);
    ram.write(x.base.trunc(WORD_BITS), x.last_entry, writes);
    ram.read(reading.trunc(WORD_BITS))
}

#[cfg(test)]
mod tests;
