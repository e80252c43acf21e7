//! Chunk map: where the outliers of a chunk are, and their groups and signs (the zero-insert of the paper's figure 9b).
//!
//! The entries of a chunk come a few at a time; each is spread to its place in three maps of 64 bits. Combinational.

use super::types::CHUNK;
use hdl::*;

/// Three bits for each place of a chunk, the first in the low bits.
#[derive(Clone, Copy, Bundle)]
pub struct ChunkMap {
    /// An entry is there.
    pub outlier: Signal,
    /// It says outer.
    pub outer: Signal,
    /// It says negative.
    pub sign: Signal,
}

/// Shape of a [`ChunkMap`].
pub fn chunk_map() -> ChunkMap {
    ChunkMap { outlier: bits(CHUNK), outer: bits(CHUNK), sign: bits(CHUNK) }
}

/// A map with only the entries that `present` marks. Each is decoded in two halves of three bits.
#[module]
pub fn spread(entries: Signal, present: Signal) -> ChunkMap {
    let none = entries.zeros(CHUNK);
    let mut map = ChunkMap { outlier: none, outer: none, sign: none };
    for (entry, there) in entries.lanes(8).into_iter().zip(present.lanes(1)) {
        let low: Vec<Signal> = (0..8).map(|i| entry.trunc(3).eq(i)).collect();
        let place = |marked: Signal| {
            let high: Vec<Signal> = (0..8).map(|i| entry.bits(5, 3).eq(i) & marked).collect();
            let places: Vec<Signal> = (0..CHUNK as usize).rev().map(|i| high[i / 8] & low[i % 8]).collect();
            cat(&places)
        };
        map.outlier = map.outlier | place(there);
        map.outer = map.outer | place(there & entry.bit(6));
        map.sign = map.sign | place(there & entry.bit(7));
    }
    map
}

/// Are the positions of the entries not ascending? `before` is the position of the last entry of the chunk that came before, if
/// `any_before`. Also gives the position to go on with. The entries present stand side by side.
#[module]
pub fn disorder(entries: Signal, present: Signal, before: Signal, any_before: Signal) -> (Signal, Signal) {
    let positions: Vec<Signal> = entries.lanes(8).into_iter().map(|entry| entry.trunc(6)).collect();
    let present = present.lanes(1);
    let mut wrong = present[0] & any_before & positions[0].le(before);
    let mut last = present[0].mux(positions[0], before);
    for i in 1..positions.len() {
        wrong = wrong | (present[i] & present[i - 1] & positions[i].le(positions[i - 1]));
        last = present[i].mux(positions[i], last);
    }
    (wrong, last)
}
