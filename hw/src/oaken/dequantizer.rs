//! Oaken dequantizer, the engine itself: dense and sparse part of records in, vectors of binary16 out (docs/oaken-format.md; the
//! paper's section 5.2 and figure 9b). AXI4-Stream and the registers are around it, in `dequantizer_axi`.
//!
//! It streams: no vector is buffered. The sparse part runs a chunk ahead: the record reader takes entries from the words, the
//! header becomes levels in the meantime, and a map of the chunk is built; then the beats of the dense part are decoded with
//! the map, and the next one is built.
//!
//! | port | |
//! | --- | --- |
//! | `dense`, `sparse` | the two parts of the records, each with `last` at vector ends |
//! | `m` | elements, `lanes` a beat; valid and payload are registers |
//! | `length`, `thresholds` | settings of vectors whose first word comes a cycle later; a change waits for the vectors under way |
//! | `enable` | vectors may begin |
//! | errors | registers; one cycle for each faulty header, count, group of entries, sparse part and dense part |
//! | `finished`, `busy` | one cycle for each vector; vectors are under way |
//!
//! Parameters: [`EngineParams`]. Throughput: `lanes` elements a cycle, vector after vector without a bubble, for chunks of up to 8
//! outliers and inputs that come as fast. A chunk with `c` outliers takes `1 + c / w` cycles at least, rounded up, with `w` = 1
//! below 8 lanes and 2, 3, 8 at 8, 16, 32 lanes; at 64 lanes `(1 + c) / 9`. Latency [`latency`] cycles from the first word to
//! the first element, and more where the first chunk has more outliers than one cycle takes. Errors never stop it: every
//! vector has `length` elements, and the one after a faulty record is right. Combinational: `sparse` valid to `sparse` ready.

use super::chunk_map::{ChunkMap, chunk_map, disorder, spread};
use super::decode::{Coded, Rounded, VectorInfo, decode, finish, vector_info};
use super::guard::length_guard;
use super::record_reader::{Shown, Window, record_reader, shown};
use super::side_table::{SideTable, slot_bits};
use super::types::*;
use crate::stream::register_slice::register_slice_after;
use hdl::logic::UpDown;
use hdl::*;

ports! {
    /// Ports of [`dequantizer`].
    pub struct DequantizerPorts(p: EngineParams) {
        /// Dense part: 4-bit codes.
        input dense: Stream<Beat> = stream(beat(8 * p.dense_bytes())),
        /// Sparse part: header, counts and entries.
        input sparse: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// Elements of a vector.
        input length: Signal = bits(LENGTH_BITS),
        /// Thresholds.
        input thresholds: Thresholds = thresholds(),
        /// Vectors may begin.
        input enable: Signal = bits(1),
        /// Elements, `lanes` a beat.
        output m: Stream<Beat> = stream(beat(p.element_bits())),
        /// A header that the format does not allow.
        output header_error: Signal = bits(1),
        /// A count byte above 64.
        output count_error: Signal = bits(1),
        /// Positions that do not ascend.
        output order_error: Signal = bits(1),
        /// A sparse part that is shorter or longer than its packet.
        output sparse_length_error: Signal = bits(1),
        /// A dense part that is shorter or longer than its packet.
        output dense_length_error: Signal = bits(1),
        /// The last elements of a vector have left the lanes.
        output finished: Signal = bits(1),
        /// Vectors are under way.
        output busy: Signal = bits(1),
    }
}

/// The reader's window: a chunk with eight outliers takes no more cycles than it has beats, 64 / lanes.
fn window(p: EngineParams) -> Window {
    let bytes = match p.lanes {
        1 | 2 | 4 => 1, // 1 + 8 cycles
        8 => 2,         // 1 + 4
        16 => 3,        // 1 + 3
        32 => 8,        // 1 + 1
        _ => 9,         // 1
    };
    Window { bytes, count_beside: p.lanes == CHUNK }
}

/// Cycles from the first word of a record to its first element, when the first chunk has no outliers.
pub fn latency(lanes: u32) -> u64 {
    if lanes <= 16 { 15 } else { 13 }
}

/// Vectors that may be under way: no more fit between the reader and the lanes.
const IN_FLIGHT: u32 = 15;

/// An error in a register, so that it does not depend on what an input does in the same cycle.
#[module]
fn flag(m: Module, error: Signal) -> Signal {
    let flag = m.reg_reset(bits(1), 0);
    flag.set(error);
    flag
}

/// The dequantizer engine.
#[module]
pub fn dequantizer(p: EngineParams) -> Result<Design<DequantizerPorts>, Errors> {
    let p = p.check("oaken_dequantizer")?;
    let m = Module::new(format!("oaken_dequantizer_core_p{}_n{}", p.lanes, p.max_length));
    m.doc("Oaken dequantizer: dense and sparse part of records in, vectors of binary16 out.");
    let io = DequantizerPorts::new(m, p);
    let zero = m.lit(0u32, 1);
    let one = m.lit(1u32, 1);

    m.section("settings: a change waits for the vectors under way");
    let settings = m.reg_reset(thresholds(), 0);
    let length = m.reg_reset(bits(LENGTH_BITS), 0);
    let in_flight = UpDown::new(m, IN_FLIGHT);
    let may_begin = m.reg_reset(bits(1), 0).comment("enabled, and the settings are those given");
    let same = settings.pack().eq(io.thresholds.pack()) & length.eq(io.length);
    let change = in_flight.is_empty() & !may_begin & !same;
    m.when(change, || {
        settings.set(io.thresholds);
        length.set(io.length);
    });
    io.busy.set(in_flight.level.any());

    m.section("the sparse part: words to entries");
    let reader = m.instance(&record_reader(p.sparse_bytes(), window(p))?);
    reader.s.set(io.sparse);
    reader.chunks_minus_1.set((length.drop_low(6) - 1).trunc(7));
    reader.start.set(may_begin & in_flight.level.ne(IN_FLIGHT));
    io.count_error.set(flag(m, reader.count_error));
    io.sparse_length_error.set(flag(m, reader.length_error));

    m.section("the header to what the lanes look up");
    let header = m.wire(stream(bits(64)));
    let slot = m.reg_reset(bits(slot_bits(p.lanes)), 0);
    let slots_used = UpDown::new(m, IN_FLIGHT);
    let table = SideTable::new(m, p.lanes, header, slot, settings, change)?;
    may_begin.set(same & io.enable & table.prepared);
    io.header_error.set(table.faulty);
    let header_can = !reader.starts | (header.ready & slots_used.level.ne(table.slots));
    let infos = m.memory(vector_info(), 1 << slot_bits(p.lanes)).style(RamStyle::Distributed);
    let split = reader.header.bits(56, 52);
    infos.write(slot, VectorInfo { split, middle_exact: !reader.header.bits(12, 7).any() }, header.transfer());
    let after = |slot: Signal| slot.eq(table.slots - 1).mux(slot.zeros(slot.width()), slot + 1);
    m.when(header.transfer(), || slot.set(after(slot)));

    m.section("entries to the map of the chunk");
    // what the lanes do must not reach the reader in the same cycle: it has long paths of its own
    let shown = m.wire(stream(shown(window(p).bytes)));
    shown.valid.set(reader.valid & header_can);
    shown.payload.set(reader.shown);
    reader.advance.set(shown.ready & header_can);
    header.valid.set(reader.valid & reader.starts & shown.ready & slots_used.level.ne(table.slots));
    header.payload.set(reader.header);
    let shown = register_slice_after(m, shown)?;
    let chunk_taken = m.wire(bits(1));
    let chunk = build_chunks(m, shown, chunk_taken, window(p).count_beside);
    io.order_error.set(flag(m, chunk.disorder));

    m.section("the map in use; it moves down by the lanes at every beat");
    let in_use = m.reg_reset(bits(1), 0);
    let map = m.reg(chunk_map());
    let info = m.reg(vector_info());
    let map_last = m.reg(bits(1));
    let chunk_beat = m.reg_reset(bits(clog2(p.chunk_beats() as usize)), 0);
    let tables_ready = UpDown::new(m, IN_FLIGHT);
    tables_ready.level.comment("vectors whose levels are there, and no chunk in use yet");
    let load_slot = m.reg_reset(bits(slot_bits(p.lanes)), 0);
    let decoding = m.wire(bits(1));
    let chunk_ends = if p.chunk_beats() == 1 { one } else { chunk_beat.eq(p.chunk_beats() - 1) };
    let done = decoding & chunk_ends;
    let load = chunk.valid & (!in_use | done) & (!chunk.first | tables_ready.level.any());
    let new_vector = load & chunk.first;
    chunk_taken.set(load);
    m.when(decoding, || {
        chunk_beat.set(chunk_ends.mux(chunk_beat.zeros(chunk_beat.width()), chunk_beat + 1));
        map.set(map.map(&mut |_, _, s| s >> p.lanes));
    });
    m.when(done, || in_use.set(zero));
    m.when(load, || {
        in_use.set(one);
        map.set(chunk.map);
        map_last.set(chunk.last);
    });
    let next_info = infos.read(load_slot);
    let current = table.current(m, load_slot, new_vector);
    m.when(new_vector, || {
        info.set(next_info);
        load_slot.set(after(load_slot));
    });
    tables_ready.count(table.done, new_vector);

    m.section("the dense part");
    let dense_beats = 8 * p.dense_bytes() / 4;
    let guard_beats = p.max_length / dense_beats;
    let guard = m.instance(&length_guard(8 * p.dense_bytes(), guard_beats)?);
    guard.s.set(io.dense);
    let beats_minus_1 = length.drop_low(dense_beats.ilog2()) - 1;
    guard.beats_minus_1.set(beats_minus_1.zext(LENGTH_BITS).trunc(clog2(guard_beats as usize)));
    // only of vectors whose sparse part has begun: the length is theirs
    let due = UpDown::new(m, IN_FLIGHT);
    let dense_begins = guard.m.transfer() & guard.m.payload.first;
    due.count(reader.begins, dense_begins);
    guard.start.set(due.level.any());
    io.dense_length_error.set(flag(m, guard.early | guard.late));
    // behind the guard, because whether codes are there decides on everything that moves
    let dense = register_slice_after(m, guard.m.with(guard.m.payload.data))?;
    let go = m.wire(bits(1));
    let issue = dense.valid & in_use;
    decoding.set(issue & go);
    let codes = if p.lanes == 1 {
        // a byte serves two elements
        let second = m.reg_reset(bits(1), 0);
        m.when(decoding, || second.set(!second));
        dense.ready.set(in_use & go & second);
        second.mux(dense.payload.drop_low(4), dense.payload.trunc(4))
    } else {
        dense.ready.set(in_use & go);
        dense.payload
    };
    let ends = map_last & chunk_ends;

    m.section("the lanes");
    let back = m.pipeline_enabled("back", go);
    let issued = back.enter_valid(issue);
    let (codes, ends, map, info) = (back.enter(codes), back.enter(ends), back.enter(map), back.enter(info));
    let current = current.enter(back);
    let values: Vec<Rounded> = (0..p.lanes)
        .map(|i| {
            let coded = Coded {
                code: codes.bits(4 * i + 3, 4 * i),
                outlier: map.outlier.bit(i),
                outer: map.outer.bit(i),
                sign: map.sign.bit(i),
            };
            m.scope(format!("lane{i}"), || decode(coded, info, |kind| table.look_up(m, back, &current, kind)))
        })
        .collect();
    // the last beat has read the tables when it leaves stage 1, however long it stood there: only then may they be written again
    let addresses = codes.next();
    let looked_up = back.leave(issued.meet(addresses) & ends.meet(addresses)) & go;
    slots_used.count(header.transfer(), looked_up);
    let rounded = cat(&values.iter().rev().map(Rounded::pack).collect::<Vec<_>>());
    let (valid, rounded, last) = back.leave((issued.meet(rounded), rounded, ends.meet(rounded)));
    let ended = valid & last & go;
    in_flight.count(reader.begins, ended);
    io.finished.set(ended);

    m.section("a register slice, with the limit to the largest number behind its spare register");
    let spare = m.reg(beat(rounded.width()));
    let elements = m.reg(beat(p.element_bits()));
    let elements_valid = m.reg_reset(bits(1), 0);
    let spare_empty = m.reg_reset(bits(1), 1);
    go.set(spare_empty);
    m.when(spare_empty, || spare.set(Beat { data: rounded, last }));
    let chosen = spare_empty.mux(Beat { data: rounded, last }, spare);
    let shape = Rounded { negative: bits(1), magnitude: bits(16) };
    let limited: Vec<Signal> = chosen.data.lanes(17).into_iter().rev().map(|x| finish(shape.unpack(x))).collect();
    m.when(io.m.ready | !elements_valid, || {
        elements_valid.set(valid | !spare_empty);
        elements.set(Beat { data: cat(&limited), last: chosen.last });
        spare_empty.set(true);
    })
    .otherwise(|| spare_empty.set(spare_empty & !valid));
    io.m.valid.set(elements_valid);
    io.m.payload.set(elements);
    m.finish(io)
}

/// A chunk that is complete, in registers.
struct Chunk {
    valid: Signal,
    map: ChunkMap,
    first: Signal,
    last: Signal,
    /// Entries out of order were just taken.
    disorder: Signal,
}

/// Gathers entries to chunks: the map that is being built, and one behind it that waits for `taken`.
#[module]
fn build_chunks(m: Module, shown: Stream<Shown>, taken: Signal, count_beside: bool) -> Chunk {
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

#[cfg(test)]
mod tests;
