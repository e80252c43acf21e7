//! Back end of the dequantizer: joins the codes of the dense part with the map of their chunk, decodes them, and sends the
//! elements.

use super::chunk_map::{ChunkMap, chunk_map};
use super::decode::{Coded, Rounded, VectorInfo, decode, finish, vector_info};
use super::dequantizer_front::{Chunk, Headers, IN_FLIGHT};
use super::side_table::Current;
use super::types::*;
use hdl::logic::UpDown;
use hdl::*;

/// The chunk that the lanes decode, in registers.
pub struct ChunkInUse {
    /// There is one.
    valid: Signal,
    /// A wire: a beat of it is decoded.
    decoding: Signal,
    /// Its outliers from the next beat on.
    map: ChunkMap,
    /// It is the last of its vector.
    last: Signal,
    /// The next beat is its last one.
    ends: Signal,
    /// What the lanes know of its vector.
    info: VectorInfo,
    /// What they look up of it.
    levels: Current,
}

/// Takes chunk after chunk (`taken`), a vector as soon as its levels are there.
#[module]
pub fn use_chunks(
    m: Module,
    chunk: &Chunk,
    taken: Signal,
    headers: &Headers,
    infos: Memory<VectorInfo>,
    p: EngineParams,
) -> ChunkInUse {
    let (zero, one) = (m.lit(0u32, 1), m.lit(1u32, 1));
    let in_use = m.reg_reset(bits(1), 0);
    let map = m.reg(chunk_map());
    let info = m.reg(vector_info(p.dense_bits));
    let map_last = m.reg(bits(1));
    let chunk_beat = m.reg_reset(bits(clog2(p.chunk_beats() as usize)), 0);
    let tables_ready = UpDown::new(m, IN_FLIGHT);
    tables_ready.level.comment("vectors whose levels are there, and no chunk in use yet");
    let load_slot = m.reg_reset(bits(headers.slot.width()), 0);
    let decoding = m.wire(bits(1));
    let chunk_ends = if p.chunk_beats() == 1 { one } else { chunk_beat.eq(p.chunk_beats() - 1) };
    let done = decoding & chunk_ends;
    let load = chunk.valid & (!in_use | done) & (!chunk.first | tables_ready.level.any());
    let new_vector = load & chunk.first;
    taken.set(load);
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
    let current = headers.table.current(m, load_slot, new_vector);
    m.when(new_vector, || {
        info.set(next_info);
        load_slot.set(headers.after(load_slot));
    });
    tables_ready.count(headers.table.done, new_vector);
    ChunkInUse { valid: in_use, decoding, map, last: map_last, ends: chunk_ends, info, levels: current }
}

/// A beat of codes.
pub struct CodedBeat {
    /// There is one, and its map.
    issue: Signal,
    codes: Signal,
    /// It is the last of its vector.
    ends: Signal,
}

/// The codes for a beat of the chunk in use; they are taken when the lanes `go`.
#[module]
pub fn dense_codes(m: Module, dense: Stream, chunk: &ChunkInUse, go: Signal, p: EngineParams) -> CodedBeat {
    let issue = dense.valid & chunk.valid;
    chunk.decoding.set(issue & go);
    let codes = if (p.lanes, p.dense_bits) == (1, PAPER_BITS) {
        // a byte serves two elements
        let second = m.reg_reset(bits(1), 0);
        m.when(chunk.decoding, || second.set(!second));
        dense.ready.set(chunk.valid & go & second);
        second.mux(dense.payload.drop_low(4), dense.payload.trunc(4))
    } else {
        dense.ready.set(chunk.valid & go);
        dense.payload
    };
    let ends = chunk.last & chunk.ends;
    CodedBeat { issue, codes, ends }
}

/// The elements of a beat, each a [`Rounded`], and whether there are any. Frees the slot of a vector when its last beat has
/// looked it up.
#[module]
pub fn decode_beat(
    m: Module,
    go: Signal,
    beat: CodedBeat,
    chunk: ChunkInUse,
    headers: &Headers,
    p: EngineParams,
) -> (Signal, Beat) {
    let back = m.pipeline_enabled("back", go);
    let issued = back.enter_valid(beat.issue);
    let (codes, ends, map, info) = back.enter((beat.codes, beat.ends, chunk.map, chunk.info));
    let current = chunk.levels.enter(back);
    let table = &headers.table;
    let values: Vec<Rounded> = codes
        .lanes(p.dense_bits)
        .into_iter()
        .zip(0..p.lanes)
        .map(|(code, i)| {
            let coded = Coded { code, outlier: map.outlier.bit(i), outer: map.outer.bit(i), sign: map.sign.bit(i) };
            m.scope(format!("lane{i}"), || decode(coded, info, |kind| table.look_up(m, back, &current, kind)))
        })
        .collect();
    // the last beat has read the tables when it leaves stage 1, however long it stood there: only then may they be written again
    let addresses = codes.next();
    let looked_up = back.leave(issued.meet(addresses) & ends.meet(addresses)) & go;
    headers.slots_used.count(headers.header.transfer(), looked_up);
    let rounded = cat(&values.iter().rev().map(Rounded::pack).collect::<Vec<_>>());
    let (valid, rounded, last) = back.leave((issued.meet(rounded), rounded, ends.meet(rounded)));
    (valid, Beat { data: rounded, last })
}

/// Sends the elements through a register slice; the lanes `go` while its spare register is empty.
#[module]
pub fn send(m: Module, out: Stream<Beat>, valid: Signal, rounded: Beat, go: Signal) {
    let spare = m.reg(beat(rounded.data.width()));
    let elements = m.reg(beat(out.payload.data.width()));
    let elements_valid = m.reg_reset(bits(1), 0);
    let spare_empty = m.reg_reset(bits(1), 1);
    go.set(spare_empty);
    m.when(spare_empty, || spare.set(rounded));
    let chosen = spare_empty.mux(rounded, spare);
    let shape = Rounded { negative: bits(1), magnitude: bits(16) };
    let limited: Vec<Signal> = chosen.data.lanes(17).into_iter().rev().map(|x| finish(shape.unpack(x))).collect();
    m.when(out.ready | !elements_valid, || {
        elements_valid.set(valid | !spare_empty);
        elements.set(Beat { data: cat(&limited), last: chosen.last });
        spare_empty.set(true);
    })
    .otherwise(|| spare_empty.set(spare_empty & !valid));
    out.valid.set(elements_valid);
    out.payload.set(elements);
}
