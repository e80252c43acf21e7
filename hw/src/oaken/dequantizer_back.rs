//! Back end of the dequantizer: joins the codes of the dense part with the map of their beat, decodes them, and sends the
//! elements.

use super::decode::{Coded, Rounded, VectorInfo, decode, finish, vector_info};
use super::dequantizer_front::Headers;
use super::dequantizer_ports::IN_FLIGHT;
use super::place::{BeatMap, beat_map};
use super::side_table::Current;
use super::types::*;
use hdl::logic::UpDown;
use hdl::*;

/// The map of the beat that the lanes decode, in registers.
pub struct MapInUse {
    /// There is one.
    valid: Signal,
    /// A wire: its beat is decoded.
    decoding: Signal,
    /// Its outliers.
    map: BeatMap,
    /// What the lanes know of its vector.
    info: VectorInfo,
    /// What they look up of it.
    levels: Current,
}

/// Takes map after map, that of a vector's first beat as soon as its levels are there.
#[module]
pub fn use_maps(
    m: Module,
    maps: Stream<BeatMap>,
    headers: &Headers,
    infos: Memory<VectorInfo>,
    p: EngineParams,
) -> MapInUse {
    let in_use = m.reg_reset(bits(1), 0);
    let map = m.reg(beat_map(p.lanes));
    let info = m.reg(vector_info(p.dense_bits));
    let tables_ready = UpDown::new(m, IN_FLIGHT);
    tables_ready.level.comment("vectors whose levels are there, and no beat in use yet");
    let load_slot = m.reg_reset(bits(headers.slot.width()), 0);
    let decoding = m.wire(bits(1));
    // a register: it decides on all that moves, and the map itself comes out of a memory
    let begins = m.reg_reset(bits(1), 1).comment("the next map is that of a vector's first beat");
    let takes = (!in_use | decoding) & (!begins | tables_ready.level.any());
    maps.ready.set(takes);
    let load = maps.transfer();
    let new_vector = load & begins;
    in_use.set(load | (in_use & !decoding));
    m.when(load, || {
        map.set(maps.payload);
        begins.set(maps.payload.last);
    });
    let next_info = infos.read(load_slot);
    let levels = headers.table.current(m, load_slot, new_vector, p);
    m.when(new_vector, || {
        info.set(next_info);
        load_slot.set(headers.after(load_slot));
    });
    tables_ready.count(headers.table.done, new_vector);
    MapInUse { valid: in_use, decoding, map, info, levels }
}

/// A beat of codes.
pub struct CodedBeat {
    /// There is one, and its map.
    issue: Signal,
    codes: Signal,
}

/// The codes for the beat whose map is in use; they are taken when the lanes `go`.
#[module]
pub fn dense_codes(m: Module, dense: Stream, map: &MapInUse, go: Signal, p: EngineParams) -> CodedBeat {
    let issue = dense.valid & map.valid;
    map.decoding.set(issue & go);
    let codes = if (p.lanes, p.dense_bits) == (1, PAPER_BITS) {
        // a byte serves two elements
        let second = m.reg_reset(bits(1), 0);
        m.when(map.decoding, || second.set(!second));
        dense.ready.set(map.valid & go & second);
        second.mux(dense.payload.drop_low(4), dense.payload.trunc(4))
    } else {
        dense.ready.set(map.valid & go);
        dense.payload
    };
    CodedBeat { issue, codes }
}

/// The elements of a beat, each a [`Rounded`], and whether there are any. Frees the slot of a vector when its last beat has
/// looked it up.
#[module]
pub fn decode_beat(
    m: Module,
    go: Signal,
    beat: CodedBeat,
    in_use: MapInUse,
    headers: &Headers,
    p: EngineParams,
) -> (Signal, Beat) {
    let back = m.pipeline_enabled("back", go);
    let issued = back.enter_valid(beat.issue);
    let (codes, map, info) = back.enter((beat.codes, in_use.map, in_use.info));
    let (ends, current) = (map.last, in_use.levels.enter(back));
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
