//! Front end of the dequantizer: takes the sparse part of the records apart. The headers become what the lanes look up, the
//! entries of each beat become its map, some beats ahead of the lanes.

use super::beat_counter::{CountedChunk, beat_counter, counted_chunk};
use super::beat_reader::{BeatReaderPorts, beat_reader};
use super::decode::{VectorInfo, vector_info};
use super::dequantizer_ports::{DequantizerPorts, IN_FLIGHT};
use super::dequantizer_settings::Settings;
use super::header;
use super::record_walker::{WalkerPorts, record_walker};
use super::side_table::{SideTable, slot_bits};
use super::sparse_ring::RingWrite;
use super::types::*;
use super::walker_chunks::ChunkPlace;
use hdl::logic::UpDown;
use hdl::*;

/// The headers on their way to the lanes.
pub struct Headers {
    /// A wire: a header goes into the table.
    pub header: Stream,
    /// What the lanes look up.
    pub table: SideTable,
    /// The slot of the table for the next vector.
    pub slot: Signal,
    /// The slots that vectors hold.
    pub slots_used: UpDown,
}

impl Headers {
    /// There is a slot for one more vector.
    fn slot_free(&self) -> Signal {
        self.slots_used.level.ne(self.table.slots)
    }
    /// The slot after `slot`.
    pub fn after(&self, slot: Signal) -> Signal {
        slot.eq(self.table.slots - 1).mux(slot.zeros(slot.width()), slot + 1)
    }
}

/// The table that takes the headers, with the thresholds of their vectors, or those of all; `prepare` when these change.
#[module]
pub fn header_table(
    m: Module,
    thresholds: Thresholds,
    prepare: Option<Signal>,
    p: EngineParams,
) -> Result<Headers, Errors> {
    let header = m.wire(stream(bits(header::BITS)));
    let slot = m.reg_reset(bits(slot_bits(p)), 0);
    let slots_used = UpDown::new(m, IN_FLIGHT);
    let table = SideTable::new(m, p, header, slot, thresholds, prepare)?;
    Ok(Headers { header, table, slot, slots_used })
}

/// Keeps what the lanes need of a header without looking it up.
#[module]
pub fn keep_infos(m: Module, headers: &Headers, dense_bits: u32) -> Memory<VectorInfo> {
    let (header, slot) = (headers.header, headers.slot);
    let infos = m.memory(vector_info(dense_bits), 1 << slot.width()).style(RamStyle::Distributed);
    let split = header::split(header.payload, dense_bits);
    let middle_exact = header::middle_is_exact(header.payload);
    infos.write(slot, VectorInfo { split, middle_exact }, header.transfer());
    m.when(header.transfer(), || slot.set(headers.after(slot)));
    infos
}

/// Finds the chunks of records, of vectors for which there is room; to flush, ends the open record.
#[module]
pub fn walk_records(
    m: Module,
    sparse: Stream<SparseWord>,
    io: DequantizerPorts,
    settings: &Settings,
    p: EngineParams,
) -> Result<Instance<WalkerPorts>, Errors> {
    let walker = m.instance(&record_walker(p)?);
    walker.s.set(sparse);
    settings.walk(&walker, io);
    walker.flush.set(io.flush);
    // counted and known a cycle late each: two more may begin meanwhile
    let room = m.reg_reset(bits(1), 0);
    room.set(settings.in_flight.level.lt(IN_FLIGHT - 2));
    walker.start.set(room);
    Ok(walker)
}

/// Reads the entries of the chunks, beat by beat, and gives the headers to the table.
#[module]
pub fn read_beats(
    m: Module,
    walker: &WalkerPorts,
    headers: &Headers,
    p: EngineParams,
) -> Result<Instance<BeatReaderPorts>, Errors> {
    let reader = m.instance(&beat_reader(p)?);
    let write = walker.write;
    reader.write.set(write);
    reader.s.set(count_beats(m, walker.m, write, p)?);
    let slot_free = headers.slot_free();
    headers.header.valid.set(walker.header.valid & slot_free);
    headers.header.payload.set(walker.header.payload);
    walker.header.ready.set(headers.header.ready & slot_free);
    walker.done.set(reader.done);
    walker.reading.set(reader.reading);
    walker.oldest.set(reader.oldest);
    Ok(reader)
}

/// How many entries each beat of a chunk has.
#[module]
fn count_beats(
    m: Module,
    chunks: Stream<ChunkPlace>,
    write: RingWrite,
    p: EngineParams,
) -> Result<Stream<CountedChunk>, Errors> {
    if p.chunk_beats() == 1 {
        // all are of the one beat
        let ChunkPlace { at, count, last } = chunks.payload;
        let counted = CountedChunk { at, counts: count, wrong: m.lit(0u32, 1), last };
        return Ok(chunks.with(counted));
    }
    let counter = m.instance(&beat_counter(p)?);
    counter.write.set(write);
    counter.s.set(chunks);
    let counted = m.wire(stream(counted_chunk(p)));
    counted.set(counter.m);
    Ok(counted)
}
