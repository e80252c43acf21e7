//! The entries of a beat: what does not ascend is flagged, and nothing else; and what ascends comes to its element. The part knows of no
//! setting: the engines whose vectors name theirs have it as those with one for all.

use super::{Engine, Proof};
use hdl::*;
use hw::oaken::EngineParams;
use hw::oaken::beat_counter::count_bits;
use hw::oaken::place::{BeatEntries, place};

ports! {
    struct PlaceProofPorts(p: EngineParams) {
        input valid: Signal = bits(1),
        input bytes: Signal = bits(8 * p.lanes),
        input count: Signal = bits(count_bits(p)),
        input beat: Signal = bits(clog2(p.chunk_beats() as usize)),
    }
}

/// Bits of the position in an entry; above it are "outer" and "negative".
const POSITION: u32 = 6;

#[module]
fn in_their_order(lanes: u32) -> Result<Design<()>, Errors> {
    let p = EngineParams { lanes, max_length: 64, dense_bits: 4, settings: 2 };
    let m = Module::new(format!("prove_place_{lanes}"));
    let io = PlaceProofPorts::new(m, p);
    m.assume(io.count.le(lanes), "a beat has no more entries than elements");
    let there: Vec<Signal> = (0..lanes).map(|i| io.count.gt(i)).collect();
    let entries = io.bytes.lanes(8);
    let positions: Vec<Signal> = entries.iter().map(|entry| entry.trunc(POSITION)).collect();
    let in_beat = |position: Signal| position.drop_low(lanes.ilog2()).eq(io.beat);
    let right = there.iter().zip(&positions).enumerate().map(|(i, (there, position))| {
        let follows = if i == 0 { io.valid.lit(1u32, 1) } else { position.gt(positions[i - 1]) };
        !*there | (in_beat(*position) & follows)
    });
    let right = cat(&right.collect::<Vec<_>>()).all();
    // of each element: is there an entry for it, is that outer, is it negative
    let says = |lane: u32, bit: u32| {
        let own = there.iter().zip(&entries).zip(&positions);
        let own =
            own.map(|((there, entry), position)| *there & position.trunc(lanes.ilog2()).eq(lane) & entry.bit(bit));
        cat(&own.collect::<Vec<_>>()).any()
    };
    let is_there = |lane: u32| {
        let own = there.iter().zip(&positions).map(|(there, position)| *there & position.trunc(lanes.ilog2()).eq(lane));
        cat(&own.collect::<Vec<_>>()).any()
    };
    let of_all = |bit: &dyn Fn(u32) -> Signal| cat(&(0..lanes).rev().map(bit).collect::<Vec<_>>());
    let expected = [of_all(&is_there), of_all(&|lane| says(lane, 6)), of_all(&|lane| says(lane, 7))];

    let pipe = m.pipeline("place");
    let x = BeatEntries { bytes: pipe.enter(io.bytes), count: pipe.enter(io.count), beat: pipe.enter(io.beat) };
    let (map, disorder) = place(x, p);
    let valid = pipe.enter_valid(io.valid).meet(map.outlier);
    let right = pipe.enter(right).meet(map.outlier);
    let expected = expected.map(|of_all| pipe.enter(of_all).meet(map.outlier));
    let (valid, right, disorder) = pipe.leave((valid, right, disorder));
    let map = [map.outlier, map.outer, map.sign].map(|of_all| pipe.leave(of_all));
    let expected = expected.map(|of_all| pipe.leave(of_all));
    m.assert(!valid | disorder.eq(!right), "what does not ascend, or is of another beat, is flagged, and nothing else");
    for ((found, expected), what) in map.into_iter().zip(expected).zip(["comes to its element", "outer", "negative"]) {
        m.assert(!(valid & right) | found.eq(expected), &format!("an entry that ascends: {what}"));
    }
    m.cover(valid & right & map[0].all(), "each element has an entry");
    m.cover(valid & !right, "entries do not ascend");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |lanes: u32| -> Result<Proof, Errors> {
        let (name, part) = (format!("place_{lanes}"), format!("entries of a beat, {lanes} lanes"));
        Ok(Proof { name, part, design: in_their_order(lanes)?, engine: Engine::Pdr, cover_depth: 12 })
    };
    Ok(vec![proof(4)?, proof(8)?])
}
