//! Identification of active positions (APID): the list of the positions in the caches whose score, or its estimate, is outside of the interval of their mode
//! (docs/lad.md, section 7, steps 3 and 4; lad.txt, section III).
//!
//! | port | |
//! | --- | --- |
//! | `bound` | lower bounds of the intervals from 1 on, and 0 as that of the one behind the highest. Taken while there is no pass; a register |
//! | `score` | accurate scores; taken always. Those of a pass are there before its command is |
//! | `command` | a pass: how many positions there are, the maximum. Taken when the report before was taken; a register |
//! | `s` | the records of the positions from 0 on; `s_ready` follows `m_ready` |
//! | `m` | the list, full beats but for the last one, which always comes and may have none; registers |
//! | `report` | how many positions are active, whether all or none; behind the last beat of the list; registers |
//!
//! - Parameters: those of [`ApidParams`]. Each lane has a copy of the scores in block RAM and two multipliers.
//! - Throughput: [`lanes`](ApidParams::lanes) positions in every cycle, however many are active, and [`overhead`](ApidParams::overhead) cycles a pass at most.
//! - Combinational paths: from `m_ready` to `s_ready`.
//! - A position has an accurate score if it is its own centre, its mode is large, or its record says so; then that is looked up, else the score of its centre
//!   is, and multiplied with its factor. What is looked up and was never written is anything.
//! - An estimate above the maximum is outside of every interval.

mod lane;
mod pass;

pub use super::apid_types::*;

use self::lane::{Intervals, Own, Table};
use self::pass::Pass;
use super::active_list::{Marked, active_list, marked};
use super::estimate::estimate;
use super::score_types::SCORE_BITS;
use crate::stream::Beat;
use hdl::*;

/// APID.
#[module]
pub fn apid(p: ApidParams) -> Result<Design<ApidPorts>, Errors> {
    let name = format!("lad_apid_{}_{}", p.lanes, p.max_positions);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Lists the positions whose score is outside of the interval of their mode.");
    let io = ApidPorts::new(m, p);
    let pass = Pass::new(m, io.command, p);
    let intervals = Intervals::new(m, io.bound, pass.idle());
    let scores = Table::new(m, io.score);

    m.section("the score of each position, or the estimate from that of its centre");
    let taken = pass.take(m, io.s, p);
    let (pipeline, taken) = m.pipeline_stream("apid", taken, Elastic { collapse: false, flush: None });
    let maximum = pipeline.constant(pass.maximum);
    let large_from = pipeline.constant(pass.large_from);
    let unit = estimate()?;
    let (mut entries, mut active, mut limited) = (vec![], vec![], vec![]);
    for lane in 0..p.lanes as usize {
        let own = Own::new(&taken, large_from, lane);
        let (score, factor) = scores.look_up(m, own, p);
        let of_position = m.instance(&unit);
        of_position.score.set(score);
        of_position.factor.set(factor);
        let x = (of_position.estimate.sext(SCORE_BITS + 1) - maximum.sext(SCORE_BITS + 1)).next();
        let there = own.there.meet(x);
        let outside = intervals.outside(own.mode, x);
        active.push((there & outside).next());
        limited.push((of_position.limited.meet(x) & there).next());
        entries.push(ActivePosition { position: own.position, mode: own.mode, accurate: own.accurate }.pack());
    }

    m.section("the list");
    let entries: Vec<Signal> = entries.into_iter().map(|entry: Signal| entry.meet(active[0])).collect();
    let [active, limited] = [active, limited].map(|flags| Vector::of(flags).pack());
    let saturated = limited.any();
    let last = taken.last.meet(active);
    let found = m.wire(stream((marked(p.entry_bits(), p.lanes), bits(1))));
    pipeline.leave_stream((Marked { entries: Vector::of(entries), active, last }, saturated), found);
    let (entries, saturated) = found.payload;
    let list = m.instance(&active_list(p.entry_bits(), p.lanes)?);
    list.s.set(found.with(entries));
    io.m.set(list.m.with(active_positions(list.m.payload, p)));
    pass.count(m, (found.transfer() & saturated, io.m));
    pass.end(m, io.m.transfer() & io.m.payload.last, io.report);
    m.finish(io)
}

/// Entries of the list as they are given: those that are not there are 0, where else nothing might have been written yet.
#[module]
fn active_positions(beat: Beat, p: ApidParams) -> ActiveBeat {
    let entries = beat.data.lanes(p.entry_bits()).into_iter().enumerate();
    let active = entries.map(|(lane, entry)| {
        let there = beat.keep.bit(lane as u32).repeat(p.entry_bits());
        active_position(p).unpack(if p.lanes == 1 { entry } else { entry & there })
    });
    ActiveBeat { active: Vector::of(active), keep: beat.keep, last: beat.last }
}

#[cfg(test)]
mod tests;
