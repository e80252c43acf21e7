//! Mode discrepancy (MD): accurate scores of the active positions, their intervals, and what that changes in their counters and modes (docs/lad.md, section 7,
//! steps 5 and 9; lad.txt, section IV).
//!
//! | port | |
//! | --- | --- |
//! | `bound` | lower bounds of the intervals from 1 on. Taken while there is no pass; `bound_ready` follows registers |
//! | `command` | a pass: how many positions there are with the new one, the maximum, the period. Taken when the scores of the pass before are there and that one is being counted |
//! | `s` | the list of APID, a position in a cycle; `s_ready` is a register's, and follows `look_up_ready` and `fetch_ready` |
//! | `look_up`, `known` | positions whose accurate score there is, and these scores in order; `known_ready` follows registers |
//! | `fetch`, `score` | positions whose key is asked for, and the scores of these keys in order; `score_ready` follows `found_ready` |
//! | `found` | the scores that came for keys, with their positions; registers |
//! | `row_read`, `row` | positions whose row of counters is asked for, and these rows in order; `row_ready` follows `m_ready` and `row_write_ready` |
//! | `row_write` | rows that were counted in; registers |
//! | `m` | the active positions with their intervals, in a last pass only; the last one is marked, and comes without a position if there is none; registers |
//! | `report` | how the pass ended, behind all else; registers |
//!
//! - Parameters: those of [`MdParams`].
//! - Throughput: a position in every cycle, and [`OVERHEAD`] cycles a pass, passes one behind the other: while one is counted, the scores of the next one are collected. Latency: from
//!   a command 2 n + [`LATENCY`] cycles to the report of a pass of n positions, if all that it asks for comes in the next cycle.
//! - Combinational paths: from `look_up_ready` and `fetch_ready` to `s_ready`, from `found_ready` to `score_ready`, from `m_ready` and `row_write_ready` to `row_ready`.
//! - Nothing is counted before all scores of the pass are there and none is above the maximum. So a pass that ends in another way leaves no trace but its report.
//! - Scores are taken whatever happens behind: each has its place in the ring before it is asked for. Rows are taken while `row_write` and `m` are.

mod collect;
mod list;
mod placed;
mod ring;
mod rows;

pub use super::md_types::*;

use self::collect::Collect;
use self::list::{List, bounds};
use self::ring::Ring;
use self::rows::{count, give, with_rows};
use hdl::*;

/// Cycles from a command to the next one besides those of its positions, where passes stand in a row.
pub const OVERHEAD: u32 = 14;
/// Cycles from a command to its report, besides those in which positions are taken and those in which they are counted.
pub const LATENCY: u32 = 17;

/// MD.
#[module]
pub fn md(p: MdParams) -> Result<Design<MdPorts>, Errors> {
    let MdParams { intervals, max_positions, max_changes, outstanding } = p;
    let name = format!("lad_md_{intervals}_{max_positions}_{max_changes}_{outstanding}");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Accurate scores of the active positions, their intervals, and their counters and modes.");
    let io = MdPorts::new(m, p);
    let ring = Ring::new(m, p);
    let collect = Collect::new(m, io.command, p);
    let awaited = collect.ask(m, &ring, io.s, (io.look_up, io.fetch), p)?;
    collect.scores(m, &ring, awaited, (io.known, io.score), io.found);
    let list = List::new(m, collect.end(m, &ring, p), p);
    let bounds = bounds(m, io.bound, collect.idle() & list.idle(), p);
    let placed = list.place(m, &ring, bounds, p)?;
    let rows = with_rows(m, placed, io.row_read, io.row, p)?;
    let counted = count(m, rows, list.pass, p)?;
    give(m, counted, io.row_write, io.m);
    list.note(m, counted);
    list.end(m, io.report);
    m.finish(io)
}

#[cfg(test)]
mod tests;
