//! Back end of the dequantizer: joins the codes of the dense part with the map of their beat, decodes them, and sends the
//! elements.

use super::copies::{apart, valid_copies};
use super::decode::{Coded, STAGES, VectorInfo, decode, finish, vector_info};
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

/// The register behind the lanes that keeps a beat while none is taken: is it full? Of many lanes a copy for each group of them: the way
/// to all of them takes most of a cycle.
pub struct Spare {
    /// Full in the next cycle.
    fills: Signal,
    /// Full, for each group.
    full: Vec<Signal>,
}

impl Spare {
    /// One that nothing fills yet.
    #[module]
    pub fn new(m: Module, p: EngineParams) -> Result<Self, Errors> {
        let fills = m.wire(bits(1)).comment("the spare register holds elements in the next cycle");
        if p.wide() {
            return Ok(Self { fills, full: valid_copies(m, fills, p.groups())? });
        }
        let full = m.reg_reset(bits(1), 0);
        full.set(fills);
        Ok(Self { fills, full: vec![full] })
    }
    /// The lanes of a group go on; those of group 0 with all that is of no lane.
    pub fn free(&self, group: usize) -> Signal {
        !self.full[group]
    }
}

/// A beat of elements.
pub struct Elements {
    /// There is one.
    valid: Signal,
    /// It is the last of its vector.
    last: Signal,
    /// Those of each group of lanes.
    groups: Vec<Signal>,
}

/// The elements of a beat. Frees the slot of a vector when its last beat has looked it up.
#[module]
pub fn decode_beat(
    m: Module,
    spare: &Spare,
    beat: CodedBeat,
    in_use: MapInUse,
    headers: &Headers,
    p: EngineParams,
) -> Elements {
    let back = m.pipeline_enabled("back", spare.free(0));
    let (issued, ends) = (back.enter_valid(beat.issue), back.enter(in_use.map.last));
    // the last beat has read the tables when it leaves stage 1, however long it stood there: only then may they be written again
    let looked_up = back.leave(issued.next() & ends.next()) & spare.free(0);
    headers.slots_used.count(headers.header.transfer(), looked_up);
    let (valid, last) = back.leave((issued.later(STAGES), ends.later(STAGES)));
    let of_group = p.lanes as usize / spare.full.len();
    let coded = coded_lanes(beat.codes, &in_use.map, p);
    let groups = coded.chunks(of_group).enumerate().map(|(group, coded)| {
        let pipeline = match group {
            0 => back,
            _ => m.pipeline_enabled(&format!("back{group}"), spare.free(group)),
        };
        decode_lanes(m, pipeline, coded, group * of_group, &in_use, headers)
    });
    Elements { valid, last, groups: groups.collect() }
}

/// What each lane decodes.
fn coded_lanes(codes: Signal, map: &BeatMap, p: EngineParams) -> Vec<Coded> {
    let of_lane = |(code, i): (Signal, u32)| Coded {
        code,
        outlier: map.outlier.bit(i),
        outer: map.outer.bit(i),
        sign: map.sign.bit(i),
    };
    codes.lanes(p.dense_bits).into_iter().zip(0..p.lanes).map(of_lane).collect()
}

/// The elements of the lanes from `first` on, in their pipeline, limited to the largest number.
#[module]
fn decode_lanes(
    m: Module,
    back: Pipeline,
    coded: &[Coded],
    first: usize,
    in_use: &MapInUse,
    headers: &Headers,
) -> Signal {
    let (info, current) = (back.enter(in_use.info), in_use.levels.enter(back));
    let element = |(i, coded): (usize, &Coded)| {
        let look_up = |kind| headers.table.look_up(m, back, &current, kind);
        finish(m.scope(format!("lane{i}"), || decode(back.enter(*coded), info, look_up)))
    };
    let elements: Vec<Signal> = (first..).zip(coded).map(element).collect();
    back.leave(cat(&elements.into_iter().rev().collect::<Vec<_>>()))
}

/// Sends the elements through a register slice, whose spare register is `spare`.
#[module]
pub fn send(m: Module, out: Stream<Beat>, elements: Elements, spare: &Spare) {
    let full = spare.full[0];
    let out_valid = m.reg_reset(bits(1), 0);
    let takes = out.ready | !out_valid;
    spare.fills.set(!takes & (full | elements.valid));
    m.when(takes, || out_valid.set(elements.valid | full));
    out.valid.set(out_valid);
    let last = behind_spare(m, takes, full, elements.last);
    let groups = elements.groups.into_iter().zip(&spare.full).map(|(new, full)| behind_spare(m, takes, *full, new));
    let groups: Vec<Signal> = groups.collect();
    out.payload.set(Beat { data: cat(&groups.into_iter().rev().collect::<Vec<_>>()), last });
}

/// The output register of a register slice and its spare one, which keeps what comes in until it is `full`.
#[module]
fn behind_spare(m: Module, takes: Signal, full: Signal, new: Signal) -> Signal {
    let spare = m.reg(new.shape());
    m.when(!full, || spare.set(new));
    let elements = m.reg(new.shape());
    m.when(takes, || elements.set(full.mux(spare, new)));
    elements
}
