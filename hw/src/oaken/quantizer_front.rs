//! Front end of the quantizer: classifies the elements that come in, keeps them in a ring of block RAM until the steps of their
//! vector are known, counts the outliers of each chunk, and finds the maxima. All in one pipeline, a beat a cycle.

use super::classify::{CLASSIFIED_BITS, Classified, classify, classify_element};
use super::guard::GuardedBeat;
use super::maxima::{self, MaximaPorts, maxima};
use super::scale;
use super::types::*;
use hdl::logic::popcount;
use hdl::*;

/// Beats that the ring holds: the longest vector and what comes in while its scales are made.
pub fn ring_depth(p: EngineParams) -> u32 {
    let way = maxima::latency(p.lanes) + scale::latency(p.lanes) + 16;
    (p.max_beats() + way).next_power_of_two()
}

/// Vectors that may be under way: enough to cover the way from the first beat to the last word when all are one chunk long.
pub fn vectors_in_flight(p: EngineParams) -> u32 {
    let way = maxima::latency(p.lanes) + scale::latency(p.lanes) + 28 + 2 * p.chunk_beats();
    way.div_ceil(p.chunk_beats()).next_power_of_two()
}

/// Chunks whose counts are held: those of the ring.
pub fn counts_depth(p: EngineParams) -> usize {
    (ring_depth(p) as usize * p.lanes as usize / CHUNK as usize).max(2)
}

/// A beat of classified elements, in the front pipeline.
pub struct ClassifiedBeat {
    valid: Signal,
    /// First beat of its vector.
    first: Signal,
    /// Last beat of its vector.
    last: Signal,
    /// The element of each lane.
    lanes: Vec<Classified>,
    /// All elements, the first in the low bits.
    elements: Signal,
    /// One of them was a NaN or an infinity.
    nonfinite: Signal,
}

/// Takes a beat into the front pipeline and classifies each element.
#[module]
pub fn classify_beat(
    m: Module,
    front: Pipeline,
    accepted: Signal,
    beat: GuardedBeat,
    setting: Setting,
    p: EngineParams,
) -> Result<ClassifiedBeat, Errors> {
    let valid = front.enter_valid(accepted).next();
    let first = front.enter(beat.first).next();
    let last = front.enter(beat.last).next();
    let data = front.enter(beat.data).next();
    let found = classified_lanes(m, front, data, setting.thresholds, p)?;
    let elements = found.iter().rev().map(|f| f.0.pack()).collect::<Vec<_>>();
    let elements = cat(&elements);
    let nonfinite = cat(&found.iter().map(|f| f.1).collect::<Vec<_>>()).any().next();
    let (valid, first, last) = (valid.meet(elements), first.meet(elements), last.meet(elements));
    let lanes = found.into_iter().map(|f| f.0).collect();
    Ok(ClassifiedBeat { valid, first, last, lanes, elements, nonfinite })
}

/// Each element with its group, and whether it was a NaN or an infinity. Thresholds that are those of all vectors go into an
/// instance for each lane; where each vector has its own, they go along with the elements.
#[module]
fn classified_lanes(
    m: Module,
    front: Pipeline,
    data: Signal,
    thresholds: Thresholds,
    p: EngineParams,
) -> Result<Vec<(Classified, Signal)>, Errors> {
    let lanes = data.lanes(16).into_iter().enumerate();
    if p.setting_of_each() {
        let of_beat = front.enter(thresholds).later(2);
        let lane = |(i, x)| m.scope(format!("classify_{i}"), || classify_element(m, x, of_beat));
        return Ok(lanes.map(lane).map(|(y, nonfinite)| (y.next(), nonfinite)).collect());
    }
    let classifier = classify()?;
    let still = front.constant(thresholds);
    let lane = |(i, x)| {
        let lane = m.instance(&classifier).named(format!("classify_{i}"));
        lane.x.set(x);
        lane.thresholds.set(still);
        (lane.y.next(), lane.nonfinite)
    };
    Ok(lanes.map(lane).collect())
}

/// Writes the beats into the ring.
#[module]
pub fn store(m: Module, front: Pipeline, beat: &ClassifiedBeat, p: EngineParams) -> Memory {
    let depth = ring_depth(p) as usize;
    let ring = m.memory(bits(p.lanes * CLASSIFIED_BITS), depth).style(RamStyle::Block);
    // a beat is read only after it was written, so reads and writes never meet
    let ring = ring.attribute("no_rw_check", "");
    let write_at = front.state(m.reg_reset(bits(clog2(depth)), 0), beat.valid);
    ring.write(write_at, beat.elements, beat.valid);
    m.when(beat.valid, || write_at.set(write_at + 1));
    ring
}

/// Counts the outliers of each chunk into a ring of their own.
#[module]
pub fn count_outliers(m: Module, front: Pipeline, beat: &ClassifiedBeat, p: EngineParams) -> Memory {
    let outliers: Vec<Signal> = beat.lanes.iter().rev().map(Classified::outlier).collect();
    let in_beat = popcount(cat(&outliers)).zext(7).next();
    let counts = m.memory(bits(7), counts_depth(p)).style(RamStyle::Block);
    let counts = counts.attribute("no_rw_check", "");
    let count_at = front.state(m.reg_reset(bits(clog2(counts_depth(p))), 0), in_beat);
    let so_far = front.state(m.reg_reset(bits(7), 0), in_beat);
    let counted = beat.valid.meet(in_beat);
    let chunk_position = front.state(m.reg_reset(bits(clog2(p.chunk_beats() as usize)), 0), in_beat);
    let chunk_ends = if p.chunk_beats() == 1 { m.lit(1u32, 1) } else { chunk_position.eq(p.chunk_beats() - 1) };
    let in_chunk = so_far + in_beat;
    counts.write(count_at, in_chunk, counted & chunk_ends);
    m.when(counted, || {
        chunk_position.set(chunk_position + 1);
        so_far.set(chunk_ends.mux(so_far.zeros(7), in_chunk));
        m.when(chunk_ends, || count_at.set(count_at + 1));
    });
    counts
}

/// Hands the beats to the unit that finds the maxima of a vector.
#[module]
pub fn find_maxima(
    m: Module,
    front: Pipeline,
    beat: &ClassifiedBeat,
    lanes: u32,
) -> Result<Instance<MaximaPorts>, Errors> {
    let extremes = m.instance(&maxima(lanes)?);
    extremes.valid.set(front.leave(beat.valid));
    extremes.first.set(front.leave(beat.first));
    extremes.last.set(front.leave(beat.last));
    extremes.elements.set(front.leave(beat.elements));
    extremes.remark.set(front.leave(beat.nonfinite));
    Ok(extremes)
}
