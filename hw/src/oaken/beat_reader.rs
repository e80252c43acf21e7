//! Beat reader: reads the entries of beat after beat from the ring and puts them where their elements are.
//!
//! | port | |
//! | --- | --- |
//! | `write` | words for the ring |
//! | `s` | chunks with the counts of their beats |
//! | `m` | the maps of the beats; registers and a LUT RAM behind one |
//! | `done` | a chunk has been read |
//! | `reading`, `oldest` | a chunk is being read, and the word from which on the ring is needed |
//! | `order_error` | one cycle for each beat whose entries are not in order, and for each of a chunk in which one has too many |
//!
//! A beat is read when there is room for its map: what follows is a pipeline that never stops.
//!
//! Parameters: lanes of the engine. Throughput: a beat a cycle, chunk after chunk. Nothing is combinational from port to port.

use super::beat_counter::{CountedChunk, count_bits, counted_chunk};
use super::place::{BeatEntries, BeatMap, beat_map, place};
use super::sparse_ring::*;
use super::types::*;
use crate::stream::fifo_with_room::fifo_with_room;
use hdl::logic::UpDown;
use hdl::*;

ports! {
    /// Ports of [`beat_reader`].
    pub struct BeatReaderPorts(p: EngineParams) {
        /// Words for the ring.
        input write: RingWrite = ring_write(p),
        /// Chunks.
        input s: Stream<CountedChunk> = stream(counted_chunk(p)),
        /// Maps of the beats.
        output m: Stream<BeatMap> = stream(beat_map(p.lanes)),
        /// A chunk has been read.
        output done: Signal = bits(1),
        /// A chunk is being read.
        output reading: Signal = bits(1),
        /// The word of its next entry.
        output oldest: Signal = bits(word_bits(p)),
        /// The entries of a beat are not in order.
        output order_error: Signal = bits(1),
    }
}

/// Maps that may be under way or wait: the levels of the next vector are computed meanwhile.
const MAPS: u32 = 16;

/// The reader for an engine.
#[module]
pub fn beat_reader(p: EngineParams) -> Result<Design<BeatReaderPorts>, Errors> {
    let m = Module::new(format!("oaken_beat_reader_p{}", p.lanes));
    m.doc("Reads the entries of beat after beat and puts them where their elements are.");
    let io = BeatReaderPorts::new(m, p);
    m.section("beat after beat of a chunk");
    let maps = UpDown::new(m, MAPS);
    maps.level.comment("maps that are under way or wait");
    let (reads, beat) = beats(m, io, !maps.is_full(), p);
    maps.count(reads, io.m.transfer());
    m.section("its entries, and where they belong");
    let pipe = m.pipeline("read");
    let valid = pipe.enter_valid(reads);
    let x = pipe.enter(beat);
    let bytes = read_bytes(m, io.write, x.at, [7, 0], p);
    let x = x.meet(bytes[0]);
    let entries =
        BeatEntries { bytes: cat(&bytes.into_iter().rev().collect::<Vec<_>>()), count: x.count, beat: x.beat };
    let (map, disorder) = place(entries, p);
    let (wrong, last) = (x.wrong.meet(map.outlier), x.last.meet(map.outlier));
    let valid = valid.meet(map.outlier);
    let map = BeatMap { outlier: map.outlier, outer: map.outer, sign: map.sign, last };
    let (valid, map, disorder) = pipe.leave((valid, map, disorder | wrong));
    let order_error = m.reg_reset(bits(1), 0);
    order_error.set(valid & disorder);
    io.order_error.set(order_error);
    m.section("maps wait");
    let shape = beat_map(p.lanes);
    let waiting = m.instance(&fifo_with_room(shape.total_width(), MAPS as usize)?);
    waiting.push.set(valid);
    waiting.word.set(map.pack());
    io.m.set(waiting.m.with(shape.unpack(waiting.m.payload)));
    m.finish(io)
}

/// A beat of a chunk.
#[derive(Clone, Copy, Bundle)]
struct BeatPlace {
    /// The place of its first entry.
    at: Signal,
    /// How many there are.
    count: Signal,
    /// Its number in the chunk.
    beat: Signal,
    /// A beat of the chunk has more entries than elements.
    wrong: Signal,
    /// It is the last beat of its vector.
    last: Signal,
}

/// Takes chunks, and reads their beats while there is `room` for maps.
#[module]
fn beats(m: Module, io: BeatReaderPorts, room: Signal, p: EngineParams) -> (Signal, BeatPlace) {
    let open = m.reg_reset(bits(1), 0).comment("a chunk is being read");
    let chunk = m.reg(counted_chunk(p));
    chunk.counts.comment("of its beats that are not read yet");
    let (beat, ends) = match p.chunk_beats() {
        1 => (m.lit(0u32, 1), m.lit(1u32, 1)),
        beats => {
            let beat = m.reg_reset(bits(clog2(beats as usize)), 0);
            (beat, beat.eq(beats - 1))
        }
    };
    let word = chunk.at.drop_low(byte_bits(p));
    let reads = open & room;
    io.done.set(reads & ends);
    io.reading.set(open);
    io.oldest.set(word);
    io.s.ready.set(!open | io.done);
    let count = chunk.counts.trunc(count_bits(p));
    m.when(reads, || {
        open.set(!ends);
        if p.chunk_beats() > 1 {
            beat.set(ends.mux(beat.zeros(beat.width()), beat + 1));
        }
        chunk.at.set(chunk.at + count.zext(place_bits(p)));
        chunk.counts.set(chunk.counts >> count_bits(p));
    });
    m.when(io.s.transfer(), || {
        open.set(true);
        chunk.set(io.s.payload);
    });
    let CountedChunk { at, wrong, last, .. } = chunk;
    (reads, BeatPlace { at, count, beat, wrong, last: last & ends })
}
