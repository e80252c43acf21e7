//! Back end of the dequantizer: joins the codes of the dense part with the map of their beat, decodes them, and sends the
//! elements.

use super::copies::{apart, valid_copies};
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
    /// Its beat is decoded.
    decoding: Signal,
    /// Its outliers.
    map: BeatMap,
    /// What the lanes know of its vector.
    info: VectorInfo,
    /// What they look up of it.
    levels: Current,
}

/// Takes map after map, that of a vector's first beat as soon as its levels are there. Its beat is decoded when its codes are
/// there and the lanes `go`.
#[module]
pub fn use_maps(
    m: Module,
    maps: Stream<BeatMap>,
    codes_there: Signal,
    go: Signal,
    headers: &Headers,
    infos: Memory<VectorInfo>,
    p: EngineParams,
) -> Result<MapInUse, Errors> {
    let in_use = m.reg_reset(bits(1), 0);
    let map = m.reg(beat_map(p.lanes));
    let info = m.reg(vector_info(p.dense_bits));
    let tables_ready = UpDown::new(m, IN_FLIGHT);
    tables_ready.level.comment("vectors whose levels are there, and no beat in use yet");
    let load_slot = m.reg_reset(bits(headers.slot.width()), 0);
    // a register: it decides on all that moves, and the map itself comes out of a memory
    let begins = m.reg_reset(bits(1), 1).comment("the next map is that of a vector's first beat");
    let decoding = codes_there & in_use & go;
    maps.ready.set((!in_use | decoding) & (!begins | tables_ready.level.any()));
    let load = maps.transfer();
    let new_vector = load & begins;
    in_use.set(load | (in_use & !decoding));
    m.when(load, || begins.set(maps.payload.last));
    let loads_map = if p.wide() { may_load(m, codes_there, in_use, go)? } else { load };
    m.when(loads_map, || map.set(maps.payload));
    let next_info = infos.read(load_slot);
    let levels = headers.table.current(m, load_slot, new_vector, p);
    m.when(new_vector, || {
        info.set(next_info);
        load_slot.set(headers.after(load_slot));
    });
    tables_ready.count(headers.table.done, new_vector);
    Ok(MapInUse { valid: in_use, decoding, map, info, levels })
}

/// The map of many lanes may be loaded: the map in use, if there is one, is decoded in this cycle. What is loaded without being there does
/// not count. This has logic of its own, amid the lanes: were it that which takes maps, it would have to lie beside their queue, too.
#[module]
fn may_load(m: Module, codes_there: Signal, in_use: Signal, go: Signal) -> Result<Signal, Errors> {
    let stays = |x: Signal| {
        let [go, codes_there, in_use] = [0, 1, 2].map(|i| x.bit(i));
        in_use & !(codes_there & go)
    };
    let of_module = ("map_may_load", "Whether the map of the next beat may be loaded");
    Ok(apart(m, of_module, in_use.cat(codes_there).cat(go), 1, |x| !stays(x))?[0])
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
pub fn send(
    m: Module,
    out: Stream<Beat>,
    valid: Signal,
    rounded: Beat,
    go: Signal,
    p: EngineParams,
) -> Result<(), Errors> {
    let spare = m.reg(beat(rounded.data.width()));
    let elements = m.reg(beat(out.payload.data.width()));
    let elements_valid = m.reg_reset(bits(1), 0);
    let takes = out.ready | !elements_valid;
    let fills = m.wire(bits(1)).comment("the spare register holds elements in the next cycle");
    let groups = spare_copies(m, fills, p)?;
    let full = groups[0];
    fills.set(!takes & (full | valid));
    go.set(!full);
    m.when(!full, || spare.set(rounded));
    let of_group = p.lanes as usize / groups.len();
    let shape = Rounded { negative: bits(1), magnitude: bits(16) };
    let limited: Vec<Signal> = (rounded.data.lanes(17).into_iter().zip(spare.data.lanes(17)).enumerate())
        .map(|(lane, (new, spare))| finish(shape.unpack(groups[lane / of_group].mux(spare, new))))
        .collect();
    m.when(takes, || {
        elements_valid.set(valid | full);
        let data = cat(&limited.into_iter().rev().collect::<Vec<_>>());
        elements.set(Beat { data, last: full.mux(spare.last, rounded.last) });
    });
    out.valid.set(elements_valid);
    out.payload.set(elements);
    Ok(())
}

/// Whether the spare register holds elements, a cycle behind `fills`; of many lanes a copy for each group of them: the way to all of them
/// takes most of a cycle, and what is chosen still has to be limited.
#[module]
fn spare_copies(m: Module, fills: Signal, p: EngineParams) -> Result<Vec<Signal>, Errors> {
    if p.wide() {
        return valid_copies(m, fills, p.groups());
    }
    let spare_full = m.reg_reset(bits(1), 0);
    spare_full.set(fills);
    Ok(vec![spare_full])
}
