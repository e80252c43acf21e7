//! From books to rows to the report.

use super::super::table_types::*;
use super::rows::Rows;
use super::types::{Phase, ScoresParams, ScoresPorts};
use hdl::*;

/// What the FIFO gets.
#[derive(Clone, Copy)]
pub(super) struct Queued {
    pub valid: Signal,
    pub ready: Signal,
    pub wrong: Signal,
}

/// Whether a row had an index without an entry, and the first one that had.
#[module]
fn wrong_row(m: Module, begins: Signal, queued: Queued) -> (Signal, Signal) {
    let found = m.reg(bits(TOKEN_BITS)).comment("rows that were looked up");
    let wrong = m.reg_reset(bits(1), 0).comment("one had an index without an entry");
    let first_wrong = m.reg(bits(TOKEN_BITS)).comment("the first such one");
    m.when(queued.valid, || {
        found.set(found + 1);
        m.when(queued.wrong & !wrong, || {
            wrong.set(1);
            first_wrong.set(found);
        });
    });
    m.when(begins, || {
        found.set(0);
        wrong.set(0);
    });
    (wrong, first_wrong)
}

/// Goes from books to rows to the report.
#[module]
pub(super) fn report(
    m: Module,
    io: &ScoresPorts,
    phase: StateSignal<Phase>,
    books: &Stream<TableReport>,
    rows: Rows,
    queued: Queued,
    p: ScoresParams,
) {
    m.section("how it ended");
    let ended = m.reg(table_report(p.table));
    let (last, place_bits) = (io.words.payload.last, p.table.place_bits());
    let begins = io.command.transfer();
    let (wrong, first_wrong) = wrong_row(m, begins, queued);
    let empty = rows.under_way.is_empty();
    m.switch(phase, |s| {
        s.case(Phase::Idle, || m.when(begins, || phase.set(Phase::Books)));
        s.case(Phase::Books, || {
            m.when(books.valid, || {
                ended.set(books.payload);
                let okay = books.payload.outcome.is(TableOutcome::Okay);
                phase.set(okay.mux(m.lit_state(Phase::Rows), m.lit_state(Phase::Finish)));
            })
        });
        s.case(Phase::Rows, || {
            m.when(rows.ready & io.words.valid, || {
                m.when(last, || phase.set(Phase::Finish));
                m.when(!rows.finds.is(TableOutcome::Okay), || {
                    let position = rows.token.zext(place_bits.max(TOKEN_BITS)).trunc(place_bits);
                    ended.set(TableReport { outcome: rows.finds, in_rows: m.lit(1u32, 1), position });
                    phase.set(last.mux(m.lit_state(Phase::Finish), m.lit_state(Phase::Drain)));
                });
            })
        });
        s.case(Phase::Drain, || m.when(io.words.valid & last, || phase.set(Phase::Finish)));
        s.case(Phase::Finish, || {
            m.when(empty & rows.scales_over, || {
                phase.set(Phase::Report);
                m.when(wrong, || {
                    let position = first_wrong.zext(place_bits.max(TOKEN_BITS)).trunc(place_bits);
                    ended.set(TableReport {
                        outcome: m.lit_state(TableOutcome::Index),
                        in_rows: m.lit(1u32, 1),
                        position,
                    });
                });
            })
        });
        s.case(Phase::Report, || m.when(io.report.ready, || phase.set(Phase::Idle)));
    });
    io.report.valid.set(phase.is(Phase::Report));
    io.report.payload.set(ended);
}
