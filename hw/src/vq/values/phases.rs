//! From rows to books to the report.

use super::super::table_types::*;
use super::entries::Found;
use super::rows::Rows;
use super::types::{Phase, ValuesParams, ValuesPorts};
use hdl::*;

/// What ends a phase.
pub(super) struct Ended {
    pub(super) books: Stream<TableReport>,
    /// The books were told to come.
    pub(super) began: Signal,
    /// The last sum was set to zero.
    pub(super) cleared: Signal,
    pub(super) found: Found,
}

/// Goes from rows to books to the report.
#[module]
pub(super) fn follow(m: Module, io: &ValuesPorts, phase: StateSignal<Phase>, rows: Rows, ends: Ended, p: ValuesParams) {
    m.section("how it ended");
    let ended = m.reg(table_report(p.table));
    let failed = m.reg_reset(bits(1), 0).comment("the command failed");
    let place_bits = p.table.place_bits();
    let tokens = io.command.payload.tokens;
    let begins = io.command.transfer();
    let (none, many) = (!tokens.any(), tokens.gt(MAX_TOKENS));
    io.command.ready.set(phase.is(Phase::Idle));
    let report = |outcome: StateSignal<TableOutcome>, in_rows: u32, position: Signal| TableReport {
        outcome,
        in_rows: m.lit(in_rows, 1),
        position: position.zext(place_bits.max(position.width())).trunc(place_bits),
    };
    m.switch(phase, |s| {
        s.case(Phase::Clear, || {
            m.when(ends.cleared, || {
                phase.set(failed.mux(m.lit_state(Phase::Report), m.lit_state(Phase::Idle)));
            })
        });
        s.case(Phase::Idle, || {
            m.when(begins, || {
                phase.set(Phase::Rows);
                failed.set(0);
                m.when(none | many, || {
                    let cause = none.mux(m.lit_state(TableOutcome::NoTokens), m.lit_state(TableOutcome::ManyTokens));
                    ended.set(report(cause, 0, m.lit(0u32, 1)));
                    failed.set(1);
                    phase.set(Phase::Drain);
                });
            })
        });
        s.case(Phase::Rows, || {
            m.when(rows.ready & io.words.valid, || {
                m.when(rows.ends_all, || phase.set(Phase::Wait));
                m.when(!rows.finds.is(TableOutcome::Okay), || {
                    ended.set(report(rows.finds, 1, rows.token));
                    failed.set(1);
                    phase.set(Phase::Drain);
                });
            })
        });
        s.case(Phase::Wait, || m.when(ends.began, || phase.set(Phase::Books)));
        s.case(Phase::Books, || {
            m.when(ends.books.valid, || {
                phase.set(Phase::Finish);
                ended.set(ends.books.payload);
                let okay = ends.books.payload.outcome.is(TableOutcome::Okay);
                failed.set(!okay | ends.found.misplaced);
                m.when(okay & ends.found.misplaced, || {
                    ended.set(report(m.lit_state(TableOutcome::Index), 1, ends.found.position));
                });
            })
        });
        s.case(Phase::Drain, || m.when(rows.over & rows.weights_over & rows.settled, || phase.set(Phase::Clear)));
        s.case(Phase::Finish, || {
            m.when(!io.m.valid, || {
                phase.set(failed.mux(m.lit_state(Phase::Clear), m.lit_state(Phase::Report)));
            })
        });
        s.case(Phase::Report, || {
            m.when(io.report.ready, || {
                phase.set(Phase::Idle);
                failed.set(0);
            })
        });
    });
    io.report.valid.set(phase.is(Phase::Report));
    io.report.payload.set(ended);
}
