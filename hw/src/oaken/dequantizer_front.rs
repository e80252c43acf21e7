//! Front end of the dequantizer: takes the sparse part of the records apart. The headers become what the lanes look up, the
//! entries of each chunk become its map, while the one before it is in use.

use super::chunk_map::{ChunkMap, chunk_map, disorder, spread};
use super::decode::{VectorInfo, vector_info};
use super::half_steps;
use super::record_reader::{ReaderPorts, Shown, Window, record_reader, shown};
use super::side_table::{SideTable, slot_bits};
use super::types::*;
use crate::stream::register_slice::register_slice_after;
use hdl::logic::UpDown;
use hdl::*;

/// Vectors that may be under way: no more fit between the reader and the lanes.
pub const IN_FLIGHT: u32 = 15;

/// The reader's window: a chunk with eight outliers takes no more cycles than it has beats, 64 / lanes.
pub fn window(p: EngineParams) -> Window {
    let bytes = match p.lanes {
        1 | 2 | 4 => 1, // 1 + 8 cycles
        8 => 2,         // 1 + 4
        16 => 3,        // 1 + 3
        32 => 8,        // 1 + 1
        _ => 9,         // 1
    };
    Window { bytes, count_beside: p.lanes == CHUNK }
}

/// Takes the entries from the words of records that may begin; to `flush`, it ends the open one.
#[module]
pub fn read_records(
    m: Module,
    sparse: Stream<SparseWord>,
    length: Signal,
    may_begin: Signal,
    flush: Signal,
    in_flight: UpDown,
    p: EngineParams,
) -> Result<Instance<ReaderPorts>, Errors> {
    let reader = m.instance(&record_reader(p.sparse_bytes(), window(p))?);
    reader.s.set(sparse);
    reader.chunks_minus_1.set((length.drop_low(6) - 1).trunc(7));
    reader.start.set(may_begin & in_flight.level.ne(IN_FLIGHT));
    reader.flush.set(flush);
    Ok(reader)
}

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

/// The table that takes the headers; `prepare` when the thresholds change.
#[module]
pub fn header_table(m: Module, thresholds: Thresholds, prepare: Signal, p: EngineParams) -> Result<Headers, Errors> {
    let header = m.wire(stream(bits(64)));
    let slot = m.reg_reset(bits(slot_bits(p.lanes)), 0);
    let slots_used = UpDown::new(m, IN_FLIGHT);
    let table = SideTable::new(m, p, header, slot, thresholds, prepare)?;
    Ok(Headers { header, table, slot, slots_used })
}

/// Keeps what the lanes need of a header without looking it up; first, whether what the reader shows can be taken as far as
/// headers matter.
#[module]
pub fn keep_infos(m: Module, reader: &ReaderPorts, headers: &Headers, dense_bits: u32) -> (Signal, Memory<VectorInfo>) {
    let (header, slot) = (headers.header, headers.slot);
    let header_can = !reader.starts | (header.ready & headers.slot_free());
    let infos = m.memory(vector_info(dense_bits), 1 << slot.width()).style(RamStyle::Distributed);
    let split = half_steps::split(reader.header, dense_bits);
    infos.write(slot, VectorInfo { split, middle_exact: !reader.header.bits(12, 7).any() }, header.transfer());
    m.when(header.transfer(), || slot.set(headers.after(slot)));
    (header_can, infos)
}

/// Takes entries from the reader, with its header at the start of a record.
#[module]
pub fn show_entries(
    m: Module,
    reader: &ReaderPorts,
    headers: &Headers,
    header_can: Signal,
    window: Window,
) -> Result<Stream<Shown>, Errors> {
    // what the lanes do must not reach the reader in the same cycle: it has long paths of its own
    let shown = m.wire(stream(shown(window.bytes)));
    shown.valid.set(reader.valid & header_can);
    shown.payload.set(reader.shown);
    reader.advance.set(shown.ready & header_can);
    headers.header.valid.set(reader.valid & reader.starts & shown.ready & headers.slot_free());
    headers.header.payload.set(reader.header);
    register_slice_after(m, shown)
}

/// A chunk that is complete, in registers.
pub struct Chunk {
    /// There is one.
    pub valid: Signal,
    /// Its outliers.
    pub map: ChunkMap,
    /// The first of its vector.
    pub first: Signal,
    /// The last of its vector.
    pub last: Signal,
    /// Entries out of order were just taken.
    pub disorder: Signal,
}

/// Gathers entries to chunks: the map that is being built, and one behind it that waits for `taken`.
#[module]
pub fn build_chunks(m: Module, shown: Stream<Shown>, taken: Signal, count_beside: bool) -> Chunk {
    let building = m.reg_reset(chunk_map(), 0);
    let built = m.reg_reset(bits(1), 0).comment("the map being built is complete");
    let (built_first, built_last) = (m.reg(bits(1)), m.reg(bits(1)));
    let waiting = m.reg(chunk_map());
    let waits = m.reg_reset(bits(1), 0);
    let (waiting_first, waiting_last) = (m.reg(bits(1)), m.reg(bits(1)));
    let moves = built & (!waits | taken);
    shown.ready.set(!built | moves);
    let transfer = shown.transfer();
    let x = shown.payload;

    let new = spread(x.entries, x.present);
    let nothing = new.map(&mut |_, _, s| s.zeros(s.width()));
    m.when(transfer, || {
        building.set(building.zip(&new, &mut |a, b| a | b));
        built_first.set(x.first);
        built_last.set(x.last);
    });
    // the cycle after a chunk's last one brings no entries where the count has a cycle to itself
    m.when(moves, || building.set(if count_beside { transfer.mux(new, nothing) } else { nothing }));
    built.set((transfer & x.complete) | (built & !moves));
    m.when(moves, || {
        waiting.set(building);
        waiting_first.set(built_first);
        waiting_last.set(built_last);
    });
    waits.set(moves | (waits & !taken));

    let position = m.reg(bits(6));
    let any_before = m.reg_reset(bits(1), 0);
    let (wrong_order, last_position) = disorder(x.entries, x.present, position, any_before);
    m.when(transfer, || {
        position.set(last_position);
        any_before.set((any_before | x.present.any()) & !x.complete);
    });
    Chunk { valid: waits, map: waiting, first: waiting_first, last: waiting_last, disorder: transfer & wrong_order }
}
