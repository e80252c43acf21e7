//! Beat counter: how many entries of a chunk belong to each of its beats.
//!
//! The entries of a chunk are read from the ring, as many in a cycle as a beat has elements; that is never more cycles than the chunk
//! has beats. The high bits of their positions say to which beats they belong. Everything is a pipeline but two short loops: on in the
//! chunk by the entries that were read, and the sums of its beats. At 64 lanes a chunk is one beat, and this unit is not needed.
//!
//! | port | |
//! | --- | --- |
//! | `write` | words for the ring |
//! | `s` | chunks; ready comes from registers |
//! | `m` | chunks with the counts of their beats; registers |
//!
//! Entries are counted for the beat they name, in order or not: in all, each is counted once. More of a beat than it has elements are
//! `wrong`; the counts are then modulo `2 * lanes`.
//!
//! Parameters: lanes of the engine, 1 to 32. Throughput: a chunk with c entries in `max(1, c / lanes)` cycles, rounded up. Nothing is
//! combinational from port to port.

use super::sparse_ring::*;
use super::types::*;
use super::walker_chunks::{ChunkPlace, chunk_place};
use crate::stream::fifo_with_room::fifo_with_room;
use hdl::logic::popcount;
use hdl::*;

/// A chunk, with how many of its entries belong to each beat.
#[derive(Clone, Copy, Bundle)]
pub struct CountedChunk {
    /// The place of the first entry.
    pub at: Signal,
    /// For each beat, the first in the low bits, the number of its entries: [`count_bits`] bits.
    pub counts: Signal,
    /// A beat has more entries than elements.
    pub wrong: Signal,
    /// It is the last chunk of its vector.
    pub last: Signal,
}

/// Bits of the number of entries of a beat.
pub fn count_bits(p: EngineParams) -> u32 {
    p.lanes.ilog2() + 1
}

/// Shape of a [`CountedChunk`].
pub fn counted_chunk(p: EngineParams) -> CountedChunk {
    let flag = bits(1);
    let counts = bits(count_bits(p) * p.chunk_beats());
    CountedChunk { at: bits(place_bits(p)), counts, wrong: flag, last: flag }
}

ports! {
    /// Ports of [`beat_counter`].
    pub struct CounterPorts(p: EngineParams) {
        /// Words for the ring.
        input write: RingWrite = ring_write(p),
        /// Chunks.
        input s: Stream<ChunkPlace> = stream(chunk_place(p)),
        /// Chunks with their counts.
        output m: Stream<CountedChunk> = stream(counted_chunk(p)),
    }
}

/// Chunks that may wait.
const CHUNKS: usize = 16;
/// Of these, places for chunks that are being counted.
const COUNTING: u32 = 10;

/// Some entries of a chunk.
#[derive(Clone, Copy, Bundle)]
struct Group {
    /// The place of the first one.
    at: Signal,
    /// How many.
    count: Signal,
    /// They are the first of the chunk.
    starts: Signal,
    /// They are the last of the chunk.
    ends: Signal,
    /// The chunk is the last of its vector.
    last: Signal,
}

/// The counter for an engine.
#[module]
pub fn beat_counter(p: EngineParams) -> Result<Design<CounterPorts>, Errors> {
    let m = Module::new(format!("oaken_beat_counter_p{}", p.lanes));
    m.doc("Counts how many entries of a chunk belong to each of its beats.");
    let io = CounterPorts::new(m, p);
    m.section("as many entries as a beat may have");
    let room = m.reg_reset(bits(1), 0);
    let (valid, group) = groups(m, io.s, room, p);
    m.section("their beats");
    let pipe = m.pipeline("count");
    let valid = pipe.enter_valid(valid);
    let x = pipe.enter(group);
    let beats = (p.chunk_beats() as usize).ilog2();
    let beat_of = read_bytes(m, io.write, x.at, [5, 6 - beats], p);
    let counted = x.meet(beat_of[0]);
    let present = above(counted.count, p.lanes);
    let counts: Vec<Signal> = (0..p.chunk_beats())
        .rev()
        .map(|beat| {
            let of_beat: Vec<Signal> =
                beat_of.iter().zip(&present).rev().map(|(of, present)| of.eq(beat) & *present).collect();
            popcount(cat(&of_beat)).next()
        })
        .collect();
    let counts = cat(&counts);
    let (valid, x, counts) = pipe.leave((valid.meet(counts), x.meet(counts), counts));
    m.section("the sums of a chunk");
    let chunk = sums(m, valid, x, counts, p);
    m.section("chunks wait");
    let complete = m.reg_reset(bits(1), 0);
    complete.set(valid & x.ends);
    let shape = counted_chunk(p);
    let waiting = m.instance(&fifo_with_room(shape.total_width(), CHUNKS)?);
    waiting.push.set(complete);
    waiting.word.set(chunk.pack());
    room.set(waiting.level.lt(CHUNKS as u32 - COUNTING));
    io.m.set(waiting.m.with(shape.unpack(waiting.m.payload)));
    m.finish(io)
}

/// Cuts chunks into groups while there is `room`.
#[module]
fn groups(m: Module, chunks: Stream<ChunkPlace>, room: Signal, p: EngineParams) -> (Signal, Group) {
    let open = m.reg_reset(bits(1), 0).comment("a chunk is being cut");
    let chunk = m.reg(chunk_place(p));
    let starts = m.reg(bits(1)).comment("nothing was cut of it yet");
    let ends = m.reg_reset(bits(1), 0).comment("its rest is one group");
    chunk.count.comment("entries that are left");
    let whole = chunk.count.lit(p.lanes, count_bits(p));
    let count = ends.mux(chunk.count.trunc(count_bits(p)), whole);
    let valid = open & room;
    chunks.ready.set(!open | (room & ends));
    m.when(valid, || {
        open.set(!ends);
        starts.set(false);
        chunk.at.set(chunk.at + p.lanes);
        chunk.count.set(chunk.count - p.lanes);
        ends.set(chunk.count.le(2 * p.lanes));
    });
    m.when(chunks.transfer(), || {
        open.set(true);
        starts.set(true);
        chunk.set(chunks.payload);
        ends.set(chunks.payload.count.le(p.lanes));
    });
    (valid, Group { at: chunk.at, count, starts, ends, last: chunk.last })
}

/// Adds the counts of groups up, in registers.
#[module]
fn sums(m: Module, valid: Signal, x: Group, counts: Signal, p: EngineParams) -> CountedChunk {
    let sum = m.reg(counted_chunk(p));
    let (width, goes_on) = (count_bits(p), !x.starts);
    let both: Vec<Signal> = sum
        .counts
        .lanes(width)
        .into_iter()
        .zip(counts.lanes(width))
        .map(|(before, more)| (before & goes_on.repeat(width)).zext(width + 1) + more.zext(width + 1))
        .collect();
    let too_many: Vec<Signal> = both.iter().map(|sum| sum.gt(p.lanes)).collect();
    m.when(valid, || {
        sum.counts.set(cat(&both.iter().rev().map(|sum| sum.trunc(width)).collect::<Vec<_>>()));
        sum.wrong.set((sum.wrong & goes_on) | cat(&too_many).any());
        sum.last.set(x.last);
    });
    m.when(valid & x.starts, || sum.at.set(x.at));
    sum
}
