//! Front end of the quantizer: classifies the elements that come in, keeps them in a ring of block RAM until the steps of their
//! vector are known, counts the outliers of each chunk, and finds the maxima. All in one pipeline, a beat a cycle.

use super::classify::{CLASSIFIED_BITS, Classified, classify, classify_element};
use super::compact::count;
use super::copies::{copies, valid_copies};
use super::maxima::{self, MaximaPorts, maxima};
use super::scale;
use super::types::*;
use hdl::*;

/// Beats that the ring holds: the longest vector and what comes in while its scales are made.
pub fn ring_depth(p: EngineParams) -> u32 {
    let way = maxima::latency(p.lanes) + scale::latency(p.lanes) + if p.wide() { 24 } else { 16 };
    (p.max_beats() + way).next_power_of_two()
}

/// Vectors that may be under way: enough to cover the way from the first beat to the last word and the cycle behind it, when all are
/// one chunk long.
pub fn vectors_in_flight(p: EngineParams) -> u32 {
    let way = maxima::latency(p.lanes) + scale::latency(p.lanes) + if p.wide() { 31 } else { 29 } + 2 * p.chunk_beats();
    way.div_ceil(p.chunk_beats()).next_power_of_two()
}

/// Chunks whose counts are held: those of the ring.
pub fn counts_depth(p: EngineParams) -> usize {
    (ring_depth(p) as usize * p.lanes as usize / CHUNK as usize).max(2)
}

/// A beat that comes in.
pub struct AcceptedBeat {
    /// There is one.
    pub valid: Signal,
    /// First beat of its vector.
    pub first: Signal,
    /// Last beat of its vector.
    pub last: Signal,
    /// Its elements.
    pub data: Signal,
    /// They count; else they are zeros. Where nothing stands here, they are zeros already.
    pub counts: Option<Signal>,
}

/// A beat of classified elements, in the front pipeline.
pub struct ClassifiedBeat {
    valid: Signal,
    /// The same for each group of lanes.
    valid_of: Vec<Signal>,
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
    beat: AcceptedBeat,
    setting: Setting,
    p: EngineParams,
) -> Result<ClassifiedBeat, Errors> {
    let valid = front.enter_valid(beat.valid).next();
    let first = front.enter(beat.first).next();
    let last = front.enter(beat.last).next();
    let data = counting(m, front, &beat, p)?;
    let found = classified_lanes(m, front, data, setting.thresholds, p)?;
    let elements = found.iter().rev().map(|f| f.0.pack()).collect::<Vec<_>>();
    let elements = cat(&elements);
    let nonfinite = any_of(&found.iter().map(|f| f.1).collect::<Vec<_>>()).meet(elements);
    let (first, last) = (first.meet(elements), last.meet(elements));
    let valid_of = match p.wide() {
        true => valid_copies(m, valid.later(2), p.groups())?.into_iter().map(|valid| front.valid(valid)).collect(),
        false => vec![valid.meet(elements)],
    };
    let valid = valid.meet(elements);
    let lanes = found.into_iter().map(|f| f.0).collect();
    Ok(ClassifiedBeat { valid, valid_of, first, last, lanes, elements, nonfinite })
}

/// The elements of a beat, a stage later; zeros where they do not count.
#[module]
fn counting(m: Module, front: Pipeline, beat: &AcceptedBeat, p: EngineParams) -> Result<Signal, Errors> {
    let data = front.enter(beat.data).next();
    let Some(counts) = beat.counts else { return Ok(data) };
    let counts = copies(m, front.enter(counts), p.groups())?;
    let of_group = counts.iter().rev().map(|counts| counts.repeat(p.element_bits() / p.groups() as u32));
    Ok(data & cat(&of_group.collect::<Vec<_>>()))
}

/// Is one of them 1? A stage later, or two with more than [`GROUP`].
#[module]
fn any_of(bits: &[Signal]) -> Signal {
    let of_groups = bits.chunks(GROUP as usize).map(|group| cat(group).any().next()).collect::<Vec<_>>();
    match of_groups[..] {
        [any] => any,
        _ => cat(&of_groups).any().next(),
    }
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
    if p.setting_of_each() || p.wide() {
        let of_group = group_thresholds(m, front, thresholds, p)?;
        let lane = |(i, x): (usize, Signal)| {
            m.scope(format!("classify_{i}"), || classify_element(m, x, of_group[i / GROUP as usize], p.wide()))
        };
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

/// The thresholds for each group of lanes: those of all vectors, or those of a beat, where its elements are compared.
#[module]
fn group_thresholds(
    m: Module,
    front: Pipeline,
    thresholds: Thresholds,
    p: EngineParams,
) -> Result<Vec<Thresholds>, Errors> {
    let unpacked = |x: Signal| super::types::thresholds().unpack(x);
    let given = if p.setting_of_each() { front.enter(thresholds.pack()).next() } else { thresholds.pack() };
    if !p.wide() {
        return Ok(vec![unpacked(given.next())]);
    }
    let of_group = copies(m, given, p.groups())?.into_iter();
    // no beat comes in the cycle behind a change, so that copies of what stands still may be a cycle late
    let still = |x: Signal| if p.setting_of_each() { x } else { front.constant(x) };
    Ok(of_group.map(|x| unpacked(still(x))).collect())
}

/// Writes the beats into the ring; one for each group of lanes.
#[module]
pub fn store(m: Module, front: Pipeline, beat: &ClassifiedBeat, p: EngineParams) -> Vec<Memory> {
    let depth = ring_depth(p) as usize;
    let width = p.lanes * CLASSIFIED_BITS / p.groups() as u32;
    let group = |(valid, elements): (&Signal, Signal)| {
        let ring = m.memory(bits(width), depth).style(RamStyle::Block);
        // a beat is read only after it was written, so reads and writes never meet
        let ring = ring.attribute("no_rw_check", "");
        let write_at = front.state(m.reg_reset(bits(clog2(depth)), 0), *valid);
        ring.write(write_at, elements, *valid);
        m.when(*valid, || write_at.set(write_at + 1));
        ring
    };
    beat.valid_of.iter().zip(beat.elements.lanes(width)).map(group).collect()
}

/// Counts the outliers of each chunk into a ring of their own.
#[module]
pub fn count_outliers(m: Module, front: Pipeline, beat: &ClassifiedBeat, p: EngineParams) -> Memory {
    let outliers: Vec<Signal> = beat.lanes.iter().map(Classified::outlier).collect();
    let in_beat = count(&outliers).zext(7);
    let counts = m.memory(bits(7), counts_depth(p)).style(RamStyle::Block);
    let counts = counts.attribute("no_rw_check", "");
    let count_at = front.state(m.reg_reset(bits(clog2(counts_depth(p))), 0), in_beat);
    let counted = beat.valid.meet(in_beat);
    if p.chunk_beats() == 1 {
        counts.write(count_at, in_beat, counted);
        m.when(counted, || count_at.set(count_at + 1));
        return counts;
    }
    let so_far = front.state(m.reg_reset(bits(7), 0), in_beat);
    let chunk_position = front.state(m.reg_reset(bits(clog2(p.chunk_beats() as usize)), 0), in_beat);
    let chunk_ends = chunk_position.eq(p.chunk_beats() - 1);
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
