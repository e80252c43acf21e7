//! Back end of the quantizer: reads the ring, encodes the elements, and makes the dense and the sparse part of the records. All
//! in one pipeline, a beat a cycle, which stands still while the sparse writer takes nothing.

use super::classify::{CLASSIFIED_BITS, Classified, classified};
use super::compact::compact;
use super::encode::encode;
use super::quantizer_front::{counts_depth, ring_depth};
use super::scale_table::{Queue, ScaleTable};
use super::sparse_writer::SparseBeat;
use super::types::*;
use crate::stream::fifo::{Style, fifo};
use crate::stream::pack::{Beats, pack};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// Where a beat is in its vector and its chunk.
#[derive(Clone, Copy, Bundle)]
struct Place {
    /// Last beat of its vector.
    last: Signal,
    /// First beat of its chunk.
    chunk_first: Signal,
    /// Which beat of its chunk.
    chunk_beat: Signal,
}

/// A beat that is to be read.
pub struct IssuedBeat {
    /// There is one.
    pub issued: Signal,
    place: Place,
    /// Its address in the ring.
    at: Signal,
    /// The address of its chunk's count.
    count_at: Signal,
}

/// Goes through the beats of the vectors whose scales are in `queue`, one in each cycle in which the pipeline can `advance`;
/// with the table in which the lanes look up the scales. `leaves`, a wire, tells of the last beat of a vector.
#[module]
pub fn issue(
    m: Module,
    queue: Queue,
    beats_minus_1: Signal,
    leaves: Signal,
    advance: Signal,
    p: EngineParams,
) -> (IssuedBeat, ScaleTable) {
    let table = ScaleTable::new(m, p.lanes, queue, leaves);
    let read_at = m.reg_reset(bits(clog2(ring_depth(p) as usize)), 0);
    let read_count_at = m.reg_reset(bits(clog2(counts_depth(p))), 0);
    let beat_index = m.reg_reset(bits(beats_minus_1.width()), 0);
    let issue = table.ready;
    let beat_last = beat_index.eq(beats_minus_1);
    let (chunk_beat, chunk_first) = match p.chunk_beats() {
        1 => (m.lit(0u32, 1), m.lit(1u32, 1)),
        beats => {
            let chunk_beat = beat_index.trunc(clog2(beats as usize));
            (chunk_beat, chunk_beat.eq(0))
        }
    };
    leaves.set(issue & beat_last & advance);
    m.when(issue & advance, || {
        read_at.set(read_at + 1);
        beat_index.set(beat_last.mux(beat_index.zeros(beat_index.width()), beat_index + 1));
        m.when(chunk_first, || read_count_at.set(read_count_at + 1));
    });
    let place = Place { last: beat_last, chunk_first, chunk_beat };
    (IssuedBeat { issued: issue, place, at: read_at, count_at: read_count_at }, table)
}

/// A group of lanes.
pub struct LaneGroup {
    /// Its pipeline, which goes on with the back pipeline.
    pub pipeline: Pipeline,
    /// Its elements wait here.
    pub ring: Memory,
}

/// The groups of lanes: one in the back pipeline itself, or several that `advance` with copies of its enable.
pub fn lane_groups(m: Module, back: Pipeline, rings: Vec<Memory>, advance: &[Signal]) -> Vec<LaneGroup> {
    let pipeline = |i: usize| match advance.len() {
        1 => back,
        _ => m.pipeline_enabled(&format!("back{i}"), advance[i]),
    };
    rings.into_iter().enumerate().map(|(i, ring)| LaneGroup { pipeline: pipeline(i), ring }).collect()
}

/// A beat out of the ring, in the back pipeline; where it is in its vector and its chunk is known at stage 0.
pub struct FetchedBeat {
    issued: Signal,
    last: Signal,
    chunk_first: Signal,
    /// Which beat of its chunk.
    pub chunk_beat: Signal,
    /// Its elements, as they were classified, of each group of lanes in its pipeline.
    words: Vec<Signal>,
    /// The outliers of its chunk.
    count: Signal,
}

/// Takes a beat into the back pipeline and reads its elements and the count of its chunk.
#[module]
pub fn fetch(back: Pipeline, beat: IssuedBeat, groups: &[LaneGroup], counts: Memory) -> FetchedBeat {
    let issued = back.enter_valid(beat.issued);
    let Place { last, chunk_first, chunk_beat } = back.enter(beat.place);
    // each group of many has the address in a register of its own
    let near = |at: Signal| if groups.len() > 1 { at.next() } else { at };
    // a register behind the block RAM, whose clock-to-output is more than half a cycle of 100 MHz on ECP5
    let word = |group: &LaneGroup| group.ring.read_sync(near(group.pipeline.enter(beat.at))).next();
    let words = groups.iter().map(word).collect();
    let count = counts.read_sync(near(back.enter(beat.count_at))).next();
    FetchedBeat { issued, last, chunk_first, chunk_beat, words, count }
}

/// What a group of lanes made, in the back pipeline at the stage that it has in its own.
fn joined(back: Pipeline, groups: &[LaneGroup], group: &LaneGroup, x: Signal) -> Signal {
    match (groups.len(), group.pipeline.stage_of(x)) {
        (2.., Some(stage)) => back.enter_at(stage, group.pipeline.leave(x)),
        _ => x,
    }
}

/// The elements of a beat and their codes. Frees what a vector holds of the table when its last beat has looked it up.
#[module]
pub fn encode_beat(
    m: Module,
    back: Pipeline,
    beat: &FetchedBeat,
    groups: &[LaneGroup],
    table: &ScaleTable,
    advance: Signal,
) -> (Vec<Classified>, Signal) {
    let (current, split) = table.enter(back);
    let (mut elements, mut codes) = (vec![], vec![]);
    for (group, word) in groups.iter().zip(&beat.words) {
        let own = |x: Signal| in_group(back, groups, group, x).meet(*word);
        let (current, split) = (current.map(own), own(split));
        for x in word.lanes(CLASSIFIED_BITS).into_iter().map(|x| classified().unpack(x)) {
            let lane = m.scope(format!("lane{}", codes.len()), || {
                encode(x, split, groups.len() > 1, |x| table.look_up(m, current, x))
            });
            codes.push(joined(back, groups, group, lane));
            elements.push(x.map(&mut |_, _, x| joined(back, groups, group, x)));
        }
    }
    let codes = cat(&codes.into_iter().rev().collect::<Vec<_>>());
    // two stages behind its word the lanes have looked it up
    let gone = || {
        let looked_up = beat.words[0].next().next();
        beat.issued.meet(looked_up) & beat.last.meet(looked_up)
    };
    table.free(|| back.leave(gone()) & advance);
    (elements, codes)
}

/// What the back pipeline has, in the pipeline of a group at the stage that it has there.
fn in_group(back: Pipeline, groups: &[LaneGroup], group: &LaneGroup, x: Signal) -> Signal {
    match (groups.len(), back.stage_of(x)) {
        (2.., Some(stage)) => group.pipeline.enter_at(stage, back.leave(x)),
        _ => x,
    }
}

/// The entries of a beat's outliers.
pub struct Entries {
    /// Entry bytes, those that count last.
    bytes: Vec<Signal>,
    /// How many count, known some stages earlier.
    found: Signal,
    /// A signal at the stage of the bytes.
    stage: Signal,
}

/// Moves the entries of the outliers together.
#[module]
pub fn outlier_entries(m: Module, elements: &[Classified], chunk_beat: Signal) -> Entries {
    // lane, group and sign; the beat in the chunk is the same for all and joins them behind the network
    let lane_bits = elements.len().ilog2();
    let marks: Vec<Signal> = elements
        .iter()
        .enumerate()
        .map(|(i, x)| match lane_bits {
            0 => x.sign.cat(x.outer),
            _ => cat(&[x.sign, x.outer, m.lit(i as u32, lane_bits)]),
        })
        .collect();
    let present: Vec<Signal> = elements.iter().map(|x| x.outlier()).collect();
    let (packed, found) = m.scope("compact", || compact(&marks, &present));
    let stage = packed[0];
    let beat_in_chunk = chunk_beat.meet(stage);
    let entries: Vec<Signal> = packed
        .iter()
        .rev()
        .map(|mark| {
            let mark = mark.meet(stage);
            let group = mark.bits(lane_bits + 1, lane_bits);
            match lane_bits {
                0 => group.cat(beat_in_chunk),
                6 => mark,
                _ => cat(&[group, beat_in_chunk, mark.trunc(lane_bits)]),
            }
        })
        .collect();
    Entries { bytes: entries, found, stage }
}

/// The beats for the sparse writer. When it takes none, the pipeline does not `advance`.
#[module]
pub fn sparse_beats(back: Pipeline, beat: &FetchedBeat, entries: &Entries, advance: Signal) -> Stream<SparseBeat> {
    let (found, stage) = (entries.found, entries.stage);
    let sparse_beat = SparseBeat {
        entries: cat(&entries.bytes),
        found: found.meet(stage),
        starts_chunk: beat.chunk_first.meet(stage),
        count: beat.count.meet(stage),
        last: beat.last.meet(stage),
    };
    let (sparse_valid, sparse_beat) = back.leave((beat.issued.meet(stage), sparse_beat));
    Stream { valid: sparse_valid, ready: advance, payload: sparse_beat }
}

/// Beats that wait to leave the dense side.
const DENSE_WORDS: u32 = 16;

/// The dense part, out of a queue, on its bus. The pipeline is to `stop` before the queue is full.
#[module]
pub fn dense_part(
    m: Module,
    back: Pipeline,
    beat: &FetchedBeat,
    codes: Signal,
    advance: Signal,
    stop: Signal,
    p: EngineParams,
) -> Result<Stream<DenseBeat>, Errors> {
    let (coded, codes, last) = back.leave((beat.issued.meet(codes), codes, beat.last.meet(codes)));
    let (coded, codes, last) = near_queue(m, coded & advance, codes, last, p);
    let (complete, codes) = whole_bytes(m, coded, codes, p);
    let dense = m.instance(&fifo(codes.width() + 1, DENSE_WORDS as usize, Style::Distributed)?);
    let word = Beat { data: codes, last };
    dense.s.valid.set(complete);
    dense.s.payload.set(word.pack());
    dense.s.ready.unused(); // the pipeline stops before it is full
    // beats that may still come; one more of them waits in `near_queue`
    let coming = if p.wide() { 5 } else { 3 };
    stop.set(dense.level.ge(DENSE_WORDS - coming));
    on_bus(m, dense.m.with(word.unpack(dense.m.payload)), p)
}

/// Codes of many lanes in registers beside the queue.
#[module]
fn near_queue(m: Module, coded: Signal, codes: Signal, last: Signal, p: EngineParams) -> (Signal, Signal, Signal) {
    if !p.wide() {
        return (coded, codes, last);
    }
    let near = m.pipeline("near_queue");
    let (coded, codes, last) = (near.enter_valid(coded).next(), near.enter(codes).next(), near.enter(last).next());
    near.leave((coded, codes, last))
}

/// Codes as they are queued: of one lane and 4 bits, a byte with every second one.
#[module]
fn whole_bytes(m: Module, coded: Signal, codes: Signal, p: EngineParams) -> (Signal, Signal) {
    if (p.lanes, p.dense_bits) != (1, PAPER_BITS) {
        return (coded, codes);
    }
    let second = m.reg_reset(bits(1), 0);
    let low = m.reg(bits(4));
    m.when(coded, || {
        second.set(!second);
        low.set(codes);
    });
    (coded & second, codes.cat(low))
}

/// Codes as beats of their bus: as they are, or packed where the codes of a beat of elements do not fill one.
#[module]
fn on_bus(m: Module, codes: Stream<Beat>, p: EngineParams) -> Result<Stream<DenseBeat>, Errors> {
    if codes.payload.data.width() == 8 * p.dense_bytes() {
        return Ok(codes.with(DenseBeat { data: codes.payload.data, keep: None, last: codes.payload.last }));
    }
    let Beat { data, last } = codes.payload;
    let word = p.regrouped_bits();
    let (words_in, words_out) = (data.width() / word, 8 * p.dense_bytes() / word);
    let packer = m.instance(&pack(word, words_in, words_out, Beats::Full)?);
    packer.s.set(codes.with(crate::stream::Beat::full(data, words_in, last)));
    if p.dense_ends_within() {
        return masked(m, packer.m, word);
    }
    packer.m.payload.keep.unused(); // all are
    Ok(packer.m.with(DenseBeat { data: packer.m.payload.data, keep: None, last: packer.m.payload.last }))
}

/// The beats of a packer of words of `word` bits, in a register: bytes that are not kept are 0.
#[module]
fn masked(m: Module, packed: Stream<crate::stream::Beat>, word: u32) -> Result<Stream<DenseBeat>, Errors> {
    let beat = packed.payload;
    let data = beat.data & each_repeated(beat.keep, word);
    let beats = register_slice_forward_after(m, packed.with(crate::stream::Beat { data, ..beat }))?;
    let beat = beats.payload;
    let keep = Some(each_repeated(beat.keep, word / 8));
    Ok(beats.with(DenseBeat { data: beat.data, keep, last: beat.last }))
}
