//! Puts the entries of a beat where their elements are (the zero-insert of the paper's figure 9b).
//!
//! The entries stand side by side, in the order of their positions. So each has to move up by its position less its number among
//! them, and no entry by less than the one before: moving the far ones first, by the largest power of two, none meets another.

use super::sparse_ring::above;
use super::types::*;
use hdl::*;

/// The entries of a beat.
#[derive(Clone, Copy, Bundle)]
pub struct BeatEntries {
    /// Bytes, the first entry in the low bits.
    pub bytes: Signal,
    /// How many of them are entries.
    pub count: Signal,
    /// The beat within the chunk.
    pub beat: Signal,
}

/// Which elements of a beat are outliers, and what their entries say; a bit for each lane.
#[derive(Clone, Copy, Bundle)]
pub struct BeatMap {
    /// An entry is there.
    pub outlier: Signal,
    /// It says outer.
    pub outer: Signal,
    /// It says negative.
    pub sign: Signal,
    /// The last beat of its vector.
    pub last: Signal,
}

/// Shape of a [`BeatMap`].
pub fn beat_map(lanes: u32) -> BeatMap {
    BeatMap { outlier: bits(lanes), outer: bits(lanes), sign: bits(lanes), last: bits(1) }
}

/// What the entries of a beat say of its elements; a bit for each lane.
#[derive(Clone, Copy)]
pub struct Placed {
    /// An entry is there.
    pub outlier: Signal,
    /// It says outer.
    pub outer: Signal,
    /// It says negative.
    pub sign: Signal,
}

/// An entry on its way to its lane.
#[derive(Clone, Copy, Bundle)]
struct Moving {
    there: Signal,
    outer: Signal,
    sign: Signal,
    /// Lanes that it still has to move up; of these, the powers of two that are to come.
    way: Signal,
}

/// Powers of two by which entries move between two registers.
const STEPS: usize = 2;

/// Where the entries are, and whether they are not in order, some stages later.
#[module]
pub fn place(x: BeatEntries, p: EngineParams) -> (Placed, Signal) {
    let bits = p.lanes.ilog2();
    let bytes = x.bytes.lanes(8);
    let present: Vec<Signal> = above(x.count, p.lanes).into_iter().map(|present| present.next()).collect();
    let bytes: Vec<Signal> = bytes.into_iter().map(|byte| byte.next()).collect();
    let wrong = disorder(&bytes, &present, x.beat.next(), p).next();
    let disorder = wrong.any().next();
    let mut row: Vec<Moving> = bytes
        .iter()
        .zip(&present)
        .zip(0u32..)
        .map(|((byte, present), i)| {
            // one more bit than needed, so that it is none for 1 lane
            let way = byte.trunc(bits.max(1)) - i;
            Moving { there: *present, outer: byte.bit(6), sign: byte.bit(7), way }.next()
        })
        .collect();
    for (done, power) in (0..bits).rev().enumerate() {
        row = moved(&row, power);
        if done % STEPS == STEPS - 1 && power > 0 {
            row = row.into_iter().map(|entry| entry.next()).collect();
        }
    }
    let map = |bit: &dyn Fn(&Moving) -> Signal| cat(&row.iter().rev().map(bit).collect::<Vec<_>>()).next();
    let outlier = map(&|e| e.there);
    let (outer, sign) = (map(&|e| e.outer & e.there), map(&|e| e.sign & e.there));
    (Placed { outlier, outer, sign }, disorder.meet(outlier))
}

/// Each entry that has this power of two on its way moves up by it.
#[module]
fn moved(row: &[Moving], power: u32) -> Vec<Moving> {
    let goes: Vec<Signal> = row.iter().map(|e| e.there & e.way.bit(power)).collect();
    let stays: Vec<Signal> = row.iter().map(|e| e.there & !e.way.bit(power)).collect();
    (0..row.len())
        .map(|i| {
            let Some(below) = i.checked_sub(1 << power) else { return Moving { there: stays[i], ..row[i] } };
            // what moves up beside an empty place: nothing else is there
            let moves = goes[below];
            let from = moves.mux(row[below], row[i]);
            Moving { there: stays[i] | moves, ..from }
        })
        .collect()
}

/// What is not in ascending order, or of another beat.
#[module]
fn disorder(bytes: &[Signal], present: &[Signal], beat: Signal, p: EngineParams) -> Signal {
    let bits = p.lanes.ilog2();
    let mut wrong = vec![];
    for (i, (byte, present)) in bytes.iter().zip(present).enumerate() {
        if p.chunk_beats() > 1 {
            wrong.push(*present & byte.bits(5, bits).ne(beat));
        }
        if i > 0 {
            wrong.push(*present & byte.trunc(bits).le(bytes[i - 1].trunc(bits)));
        }
    }
    cat(&wrong)
}
