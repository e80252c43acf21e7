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
    let how = How { phase, ended, failed };
    let tokens = io.command.payload.tokens;
    let begins = io.command.transfer();
    let (none, many) = (!tokens.any(), tokens.gt(MAX_TOKENS));
    io.command.ready.set(phase.is(Phase::Idle));
    m.switch(phase, |s| {
        s.case(Phase::Clear, || m.when(ends.cleared, || how.after(m, Phase::Report, Phase::Idle)));
        s.case(Phase::Idle, || {
            m.when(begins, || {
                phase.set(Phase::Rows);
                failed.set(0);
                m.when(none | many, || {
                    let cause = none.mux(m.lit_state(TableOutcome::NoTokens), m.lit_state(TableOutcome::ManyTokens));
                    how.fail(report(m, cause, 0, m.lit(0u32, 1), p));
                });
            })
        });
        s.case(Phase::Rows, || {
            m.when(rows.ready & io.words.valid, || {
                m.when(rows.ends_all, || phase.set(Phase::Wait));
                m.when(!rows.finds.is(TableOutcome::Okay), || how.fail(report(m, rows.finds, 1, rows.token, p)));
            })
        });
        s.case(Phase::Wait, || m.when(ends.began, || phase.set(Phase::Books)));
        s.case(Phase::Books, || m.when(ends.books.valid, || how.books_ended(m, &ends, p)));
        s.case(Phase::Drain, || m.when(rows.over & rows.weights_over & rows.settled, || phase.set(Phase::Clear)));
        s.case(Phase::Finish, || m.when(!io.m.valid, || how.after(m, Phase::Clear, Phase::Report)));
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

/// How a command ends.
#[derive(Clone, Copy)]
struct How {
    phase: StateSignal<Phase>,
    ended: TableReport,
    failed: Signal,
}

impl How {
    /// What comes next, if the command failed and if it did not.
    fn after(self, m: Module, failed: Phase, well: Phase) {
        self.phase.set(self.failed.mux(m.lit_state(failed), m.lit_state(well)));
    }

    /// It failed so; what is left of it is dropped.
    fn fail(self, report: TableReport) {
        self.ended.set(report);
        self.failed.set(1);
        self.phase.set(Phase::Drain);
    }

    /// The books ended: so does the command, if no index was without an entry.
    #[module]
    fn books_ended(self, m: Module, ends: &Ended, p: ValuesParams) {
        self.phase.set(Phase::Finish);
        self.ended.set(ends.books.payload);
        let okay = ends.books.payload.outcome.is(TableOutcome::Okay);
        self.failed.set(!okay | ends.found.misplaced);
        m.when(okay & ends.found.misplaced, || {
            self.ended.set(report(m, m.lit_state(TableOutcome::Index), 1, ends.found.position, p));
        });
    }
}

fn report(
    m: Module,
    outcome: StateSignal<TableOutcome>,
    in_rows: u32,
    position: Signal,
    p: ValuesParams,
) -> TableReport {
    let place_bits = p.table.place_bits();
    TableReport {
        outcome,
        in_rows: m.lit(in_rows, 1),
        position: position.zext(place_bits.max(position.width())).trunc(place_bits),
    }
}
