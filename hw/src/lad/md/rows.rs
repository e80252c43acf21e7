//! Rows of counters: those of positions outside of their mode are asked for, counted in, and given back.

use super::super::md_types::*;
use super::super::row_count::{AGE_BITS, COUNTER_BITS, row_count};
use super::collect::Collected;
use super::placed::{Placed, placed};
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::fork;
use hdl::logic::one_hot;
use hdl::*;

/// A position with its row as it was.
#[derive(Clone, Copy, Bundle)]
pub(super) struct WithRow {
    placed: Placed,
    row: Signal,
}

/// A position with its row as it is now.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Counted {
    pub(super) placed: Placed,
    row: Signal,
    /// The row was counted in.
    pub(super) writes: Signal,
    pub(super) changed: Signal,
    pub(super) postponed: Signal,
    /// It does not fit its position.
    pub(super) bad: Signal,
}

fn counted(p: MdParams) -> Counted {
    let one = || bits(1);
    Counted { placed: placed(p), row: bits(p.row_bits()), writes: one(), changed: one(), postponed: one(), bad: one() }
}

/// Asks for the rows of those positions that need one, and puts them beside them.
#[module]
pub(super) fn with_rows(
    m: Module,
    positions: Stream<Placed>,
    row_read: Stream,
    row: Stream,
    p: MdParams,
) -> Result<Stream<WithRow>, Errors> {
    m.section("rows are asked for, and come");
    let [asks, waits] = fork(m, positions);
    row_read.valid.set(asks.valid & asks.payload.outside);
    row_read.payload.set(asks.payload.position);
    asks.ready.set(row_read.ready | !asks.payload.outside);
    let waiting = fifo_after(m, waits, p.outstanding as usize, Style::Distributed)?;
    let outside = waiting.payload.outside;
    let there = row.valid | !outside;
    let with_row = m.wire(stream(WithRow { placed: placed(p), row: bits(p.row_bits()) }));
    with_row.valid.set(waiting.valid & there);
    with_row.payload.set(WithRow { placed: waiting.payload, row: row.payload });
    waiting.ready.set(with_row.ready & there);
    row.ready.set(with_row.ready & waiting.valid & outside);
    Ok(with_row)
}

/// Counts, and decides whether modes change.
#[module]
pub(super) fn count(
    m: Module,
    with_row: Stream<WithRow>,
    pass: Collected,
    p: MdParams,
) -> Result<Stream<Counted>, Errors> {
    m.section("intervals are counted");
    let (pipeline, WithRow { placed, row }) =
        m.pipeline_stream("rows", with_row, Elastic { collapse: false, flush: None });
    let (placed, row) = (placed, row).next();
    let steps = pipeline.constant(pass.positions);
    let unit = m.instance(&row_count(p.intervals)?);
    unit.row.set(row);
    unit.mode.set(placed.mode);
    unit.interval.set(placed.interval);
    unit.age.set(steps.zext(AGE_BITS) - placed.position.zext(AGE_BITS));
    let row = unit.counted;
    let placed = placed.meet(row);

    m.section("does the mode change? Its counter is set to its count, then");
    let changes = pipeline.state(m.reg_reset(bits(CHANGE_BITS), 0), row).comment("modes that changed");
    let writes = placed.outside & !unit.bad;
    let wants = writes & unit.more;
    let changed = wants & pipeline.constant(pass.update) & changes.lt(p.max_changes);
    m.when(changed, || changes.set(changes + 1));
    m.when(placed.last, || changes.set(0));
    let of_mode = one_hot(placed.mode, 16).trunc(p.intervals) & changed.repeat(p.intervals);
    let counters = row.lanes(COUNTER_BITS).into_iter().zip(0..);
    let counters = counters.map(|(counter, i)| of_mode.bit(i).mux(unit.mode_count, counter));
    let row = Vector::of(counters).pack();
    let (postponed, bad) = (wants & !changed, placed.outside & unit.bad);
    let to = m.wire(stream(counted(p)));
    pipeline.leave_stream(Counted { placed, row, writes, changed, postponed, bad }.next(), to);
    Ok(to)
}

/// Gives the row back, and the position to what comes behind.
#[module]
pub(super) fn give(m: Module, counted: Stream<Counted>, row_write: Stream<RowWrite>, to: Stream<Discrepancy>) {
    m.section("rows go back, positions on");
    let [back, on] = fork(m, counted);
    let Counted { placed, row, writes, changed, .. } = back.payload;
    let Placed { position, mode, interval, x, there, last, .. } = placed;
    row_write.valid.set(back.valid & writes);
    row_write.payload.set(RowWrite { position, row, mode: changed.mux(interval, mode), changed });
    back.ready.set(row_write.ready | !writes);
    to.set(on.with(Discrepancy { position, mode, interval, x, changed, keep: there, last }));
}
