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
//! below 8 lanes and 2, 3, 8 at 8, 16, 32 lanes; at 64 lanes `(1 + c) / 9`. Latency [`LATENCY`] cycles from the first word to
//! the first element, and more where the first chunk has more outliers than one cycle takes. Errors never stop it: every
//! vector has `length` elements, and the one after a faulty record is right. Combinational: `sparse` valid to `sparse` ready.

use super::chunk_map::{add_entries, chunk_map, disorder};
use super::decode::{Coded, decode};
use super::guard::length_guard;
use super::half_steps::{half_steps, header_is_legal, levels};
use super::record_reader::{Shown, Window, record_reader};
use super::types::*;
use crate::stream::register_slice::register_slice_after;
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
pub const LATENCY: u64 = 13;

/// Vectors that may be under way: no more fit between the reader and the lanes.
const IN_FLIGHT: u32 = 15;

/// An error in a register, so that it does not depend on what an input does in the same cycle.
#[module]
fn flag(m: Module, error: Signal) -> Signal {
    let flag = m.reg_reset(bits(1), 0);
    flag.set(error);
    flag
}

/// Counts what came and is not yet gone.
fn count(m: Module, level: Signal, comes: Signal, goes: Signal) {
    m.when(comes & !goes, || level.set(level + 1)).elsewhen(goes & !comes, || level.set(level - 1));
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
    let in_flight = m.reg_reset(bits(4), 0);
    let may_begin = m.reg_reset(bits(1), 0).comment("enabled, and the settings are those given");
    may_begin.set(settings.pack().eq(io.thresholds.pack()) & length.eq(io.length) & io.enable);
    m.when(in_flight.eq(0) & !may_begin, || {
        settings.set(io.thresholds);
        length.set(io.length);
    });
    io.busy.set(in_flight.any());

    m.section("the sparse part: words to entries");
    let advance = m.wire(bits(1));
    let reader = m.instance(&record_reader(p.sparse_bytes(), window(p))?);
    reader.s.set(io.sparse);
    reader.chunks_minus_1.set((length.drop_low(6) - 1).trunc(7));
    reader.start.set(may_begin & in_flight.ne(IN_FLIGHT));
    // what the lanes do must not reach the reader in the same cycle: it has long paths of its own
    let shown = Stream { valid: reader.valid, ready: reader.advance, payload: reader.shown };
    let shown = register_slice_after(m, shown)?;
    shown.ready.set(advance);
    io.count_error.set(flag(m, reader.count_error));
    io.sparse_length_error.set(flag(m, reader.length_error));

    m.section("the header to levels");
    let front = m.pipeline_enabled("front", advance);
    let shown_valid = front.enter_valid(shown.valid);
    let first = shown.payload.first & shown.valid;
    let shown = front.enter(Shown { first, ..shown.payload });
    let legal = header_is_legal(shown.header, settings).next();
    let faulty = shown.first.meet(legal) & !legal;
    io.header_error.set(flag(m, front.leave(faulty) & advance));
    let new_levels = m.scope("level", || half_steps(shown.header, settings));

    m.section("entries to the map of the chunk");
    let valid = shown_valid.meet(new_levels);
    let shown = shown.meet(new_levels);
    let building = m.reg_reset(chunk_map(), 0);
    let kept_levels = m.reg(levels());
    let built = add_entries(building, shown.entries, shown.present);
    let levels_now = shown.first.mux(new_levels, kept_levels);
    kept_levels.set(levels_now); // while nothing moves it takes the same again
    let position = m.reg(bits(6));
    let any_before = m.reg_reset(bits(1), 0);
    let (wrong_order, last_position) = disorder(shown.entries, shown.present, position, any_before);
    m.when(valid & advance, || {
        building.set(built);
        position.set(last_position);
        any_before.set((any_before | shown.present.any()) & !shown.complete);
        m.when(shown.complete, || {
            building.outlier.set(0);
            building.outer.set(0);
            building.sign.set(0);
        });
    });
    io.order_error.set(flag(m, front.leave(valid & wrong_order) & advance));
    let completed = front.leave(valid & shown.complete);
    let (built, levels_now, built_last) = front.leave((built, levels_now, shown.last));

    m.section("the map in use; it moves down by the lanes at every beat");
    let in_use = m.reg_reset(bits(1), 0);
    let map = m.reg(chunk_map());
    let scales = m.reg(levels());
    let map_last = m.reg(bits(1));
    let chunk_beat = m.reg_reset(bits(clog2(p.chunk_beats() as usize)), 0);
    let decoding = m.wire(bits(1));
    let chunk_ends = if p.chunk_beats() == 1 { one } else { chunk_beat.eq(p.chunk_beats() - 1) };
    let done = decoding & chunk_ends;
    advance.set(!completed | !in_use | done);
    m.when(decoding, || {
        chunk_beat.set(chunk_ends.mux(chunk_beat.zeros(chunk_beat.width()), chunk_beat + 1));
        map.set(map.map(&mut |_, _, s| s >> p.lanes));
    });
    m.when(done, || in_use.set(zero));
    m.when(completed & advance, || {
        in_use.set(one);
        map.set(built);
        scales.set(levels_now);
        map_last.set(built_last);
    });

    m.section("the dense part");
    let dense_beats = 8 * p.dense_bytes() / 4;
    let guard_beats = p.max_length / dense_beats;
    let guard = m.instance(&length_guard(8 * p.dense_bytes(), guard_beats)?);
    guard.s.set(io.dense);
    let beats_minus_1 = length.drop_low(dense_beats.ilog2()) - 1;
    guard.beats_minus_1.set(beats_minus_1.zext(LENGTH_BITS).trunc(clog2(guard_beats as usize)));
    // only of vectors whose sparse part has begun: the length is theirs
    let due = m.reg_reset(bits(4), 0);
    let dense_begins = guard.m.transfer() & guard.m.payload.first;
    count(m, due, reader.begins, dense_begins);
    guard.start.set(due.any());
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
    let (codes, ends, map, scales) = (back.enter(codes), back.enter(ends), back.enter(map), back.enter(scales));
    let values: Vec<Signal> = (0..p.lanes)
        .rev()
        .map(|i| {
            let coded = Coded {
                code: codes.bits(4 * i + 3, 4 * i),
                outlier: map.outlier.bit(i),
                outer: map.outer.bit(i),
                sign: map.sign.bit(i),
            };
            m.scope(format!("lane{i}"), || decode(coded, scales, settings))
        })
        .collect();
    let values = cat(&values);
    let (valid, data, last) = back.leave((issued.meet(values), values, ends.meet(values)));
    let ended = valid & last & go;
    count(m, in_flight, reader.begins, ended);
    io.finished.set(ended);
    let elements = Stream { valid, ready: go, payload: Beat { data, last } };
    io.m.set(register_slice_after(m, elements)?);
    m.finish(io)
}

#[cfg(test)]
mod tests;
