//! The chunks that the walker has found, on their way out: places in the ring, and how many entries each has.

use super::sparse_ring::*;
use super::types::*;
use crate::stream::fifo_with_room::fifo_with_room;
use hdl::*;

/// Where the entries of a chunk are.
#[derive(Clone, Copy, Bundle)]
pub struct ChunkPlace {
    /// The place of the first one.
    pub at: Signal,
    /// How many there are, 0 to 64.
    pub count: Signal,
    /// It is the last chunk of its vector.
    pub last: Signal,
}

/// Shape of a [`ChunkPlace`].
pub fn chunk_place(p: EngineParams) -> ChunkPlace {
    ChunkPlace { at: bits(place_bits(p)), count: bits(7), last: bits(1) }
}

/// Chunks that may wait.
pub const CHUNKS: usize = 16;

/// The chunk whose end is looked for.
pub struct OpenChunk {
    /// The place of its first entry.
    pub start: Signal,
    /// Chunks behind it.
    pub after: Signal,
    /// There are none.
    pub last: Signal,
    /// It is the first one of its record.
    pub first: Signal,
    /// Its count is not there.
    pub nothing: Signal,
}

/// Its registers.
#[module]
pub fn open_chunk(m: Module, p: EngineParams) -> OpenChunk {
    let start_of_chunk = m.reg(bits(place_bits(p)));
    let chunks_after = m.reg(bits(7)).comment("chunks behind the open one");
    let last_chunk = m.reg_reset(bits(1), 0).comment("`chunks_after` is 0");
    let first_chunk = m.reg(bits(1));
    let nothing = m.reg_reset(bits(1), 0).comment("the count of the open chunk is not there");
    OpenChunk { start: start_of_chunk, after: chunks_after, last: last_chunk, first: first_chunk, nothing }
}

impl OpenChunk {
    /// The next chunk of the record, from `start` on.
    pub fn go_on(&self, start: Signal, nothing: Signal) {
        self.start.set(start);
        self.after.set(self.after - 1);
        self.last.set(self.after.eq(1));
        self.first.set(false);
        self.nothing.set(nothing);
    }
    /// The first chunk of a record of so many.
    pub fn begin(&self, start: Signal, chunks_minus_1: Signal, nothing: Signal) {
        self.start.set(start);
        self.after.set(chunks_minus_1);
        self.last.set(!chunks_minus_1.any());
        self.first.set(true);
        self.nothing.set(nothing);
    }
}

/// The end of the open chunk, in the cycle in which the walker goes on.
pub struct Found {
    /// It does.
    pub step: Signal,
    /// The place behind the chunk.
    pub place: Signal,
    /// It is behind the packet.
    pub beyond: Signal,
    /// Where the packet ends.
    pub end: Signal,
    /// Nothing of the chunk is there.
    pub nothing: Signal,
}

/// Chunks that leave.
pub struct Chunks {
    /// They leave.
    pub m: Stream<ChunkPlace>,
    /// There is room for more.
    pub room: Signal,
}

/// Counts the entries of chunks that are known, and sends them.
#[module]
pub fn send_chunks(m: Module, open: &OpenChunk, found: Found, p: EngineParams) -> Result<Chunks, Errors> {
    let chunks = m.instance(&fifo_with_room(chunk_place(p).total_width(), CHUNKS)?);
    let (valid, chunk) = counted(m, open, found);
    chunks.push.set(valid);
    chunks.word.set(chunk.pack());
    let room_for_chunks = m.reg_reset(bits(1), 0);
    room_for_chunks.set(chunks.level.lt(CHUNKS as u32 - 4));
    Ok(Chunks { m: chunks.m.with(chunk_place(p).unpack(chunks.m.payload)), room: room_for_chunks })
}

/// With the number of its entries, two cycles later.
#[module]
fn counted(m: Module, open: &OpenChunk, x: Found) -> (Signal, ChunkPlace) {
    let pipe = m.pipeline("count");
    let valid = pipe.enter_valid(x.step).later(2);
    let stop = x.beyond.mux(x.end, x.place);
    // the words behind the packet are another record's: who reads a chunk that is not there must not seem to be done with them
    let start = x.nothing.mux(stop, open.start);
    let (at, stop, nothing, last) = pipe.enter((start, stop, x.nothing, open.last));
    let (at, stop, nothing) = (at.next(), stop.next(), nothing.next());
    let count = ((stop.trunc(7) - at.trunc(7)) & (!nothing).repeat(7)).next();
    let chunk = ChunkPlace { at: at.next(), count, last: last.later(2) };
    pipe.leave((valid, chunk))
}
