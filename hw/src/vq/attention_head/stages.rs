//! From stage to stage of a job, and how it ended. Built into the module that calls.

use super::super::table_types::{TableOutcome, TableReport};
use super::registers::Map;
use super::types::*;
use crate::control::{Registers, becomes_one};
use crate::memory::mover::{Done, Outcome};
use hdl::*;

/// A job: what was asked for when it began.
#[derive(Clone, Copy)]
pub(super) struct Job {
    pub(super) stage: StateSignal<Stage>,
    /// It begins, if nothing is wrong with it.
    begins: Signal,
    append: Signal,
    attend: Signal,
    /// Tokens that have rows before it.
    pub(super) tokens: Signal,
    /// Those that it attends to.
    pub(super) total: Signal,
}

/// Takes a job.
#[module]
pub(super) fn job(m: Module, map: &Map, regs: &Registers) -> Job {
    m.section("a job");
    let stage = m.state(Stage::Idle);
    let (append, attend) = (m.reg(bits(1)), m.reg(bits(1)));
    let asked = regs[map.tokens];
    let tokens = m.reg(asked.shape());
    let total = m.reg(bits(asked.width() + 1));
    let starts = becomes_one(m, regs[map.start]) & stage.is(Stage::Idle);
    let begins = m.reg_reset(bits(1), 0).comment("a job was taken in the cycle before");
    begins.set(starts & !begins);
    m.when(starts & !begins, || {
        append.set(regs[map.append]);
        attend.set(regs[map.attend]);
        tokens.set(asked);
        total.set(asked.zext(asked.width() + 1) + regs[map.append].zext(asked.width() + 1));
    });
    Job { stage, begins, append, attend, tokens, total }
}

/// What ends stages.
pub(super) struct Ends {
    pub(super) encoded: Stream<TableReport>,
    pub(super) scored: Stream<TableReport>,
    pub(super) summed: Stream<TableReport>,
    /// The vector of the stage could not be read.
    pub(super) vector_failed: Signal,
    /// What the stage writes is in memory, or was refused.
    pub(super) written: Signal,
    pub(super) write_failed: Signal,
    /// A score is NaN or +infinity, or all are -infinity.
    pub(super) nonfinite: Signal,
    /// Nothing of the scores is left in the softmax.
    pub(super) flushed: Signal,
}

/// How the stage ended that ends in this cycle.
#[derive(Clone, Copy)]
struct Ended {
    ends: Signal,
    verdict: Verdict,
}

/// What software is told.
#[derive(Clone, Copy)]
struct Told {
    /// The job is over with this cycle.
    over: Signal,
    /// How the last one ended.
    verdict: Verdict,
    /// The stage in which it failed.
    failed_in: StateSignal<Stage>,
}

/// Goes from stage to stage. Sets `ends`, 1 in the cycle in which a stage ends.
#[module]
pub(super) fn follow(m: Module, (map, regs): (&Map, &Registers), job: Job, x: Ends, ends: Signal, p: HeadParams) {
    let Job { stage, begins, append, attend, total, .. } = job;
    let ended = judge(m, stage, &x, p);
    ends.set(ended.ends);

    m.section("from stage to stage");
    let verdict = m.reg_reset(verdict(p), 0);
    let failed_in = m.state(Stage::Idle);
    let okay = ended.verdict.is_okay();
    let over = m.wire(bits(1));
    over.set(0);
    let refused = refusal(m, attend, total, p);
    let goes = |next: Stage| stage.set(okay.mux(m.lit_state(next), m.lit_state(Stage::Idle)));
    m.when(ended.ends & !stage.is(Stage::Flush), || {
        verdict.set(ended.verdict);
        failed_in.set(okay.mux(m.lit_state(Stage::Idle), stage));
    });
    m.switch(stage, |s| {
        s.case(Stage::Idle, || {
            m.when(begins, || {
                verdict.set(Verdict { outcome: refused, ..ended.verdict.without_place(m, 0) });
                failed_in.set(Stage::Idle);
                m.when(refused.any() | !(append | attend), || over.set(1)).otherwise(|| {
                    stage.set(append.mux(m.lit_state(Stage::Key), m.lit_state(Stage::Scores)));
                });
            })
        });
        s.case(Stage::Key, || {
            m.when(ended.ends, || {
                goes(Stage::Value);
                over.set(!okay);
            })
        });
        s.case(Stage::Value, || {
            m.when(ended.ends, || {
                stage.set((okay & attend).mux(m.lit_state(Stage::Scores), m.lit_state(Stage::Idle)));
                over.set(!(okay & attend));
            })
        });
        s.case(Stage::Scores, || {
            m.when(ended.ends, || stage.set(okay.mux(m.lit_state(Stage::Values), m.lit_state(Stage::Flush))))
        });
        s.case(Stage::Values, || {
            m.when(ended.ends, || {
                goes(Stage::Result);
                over.set(!okay);
            })
        });
        s.case_any([Stage::Result, Stage::Flush], || {
            m.when(ended.ends, || {
                stage.set(Stage::Idle);
                over.set(1);
            })
        });
    });
    show(m, (map, regs), job, Told { over, verdict, failed_in });
}

/// The outcome of a job that does not begin; 0 if it does.
#[module]
fn refusal(m: Module, attend: Signal, total: Signal, p: HeadParams) -> Signal {
    let code = |outcome: TableOutcome| m.lit(outcome as u32, OUTCOME_BITS);
    let none = attend & !total.any();
    total
        .gt(p.tokens)
        .mux(code(TableOutcome::ManyTokens), none.mux(code(TableOutcome::NoTokens), code(TableOutcome::Okay)))
}

/// Whether the stage ends, and how: registers, as what they are made of comes from all units, and all hear of it.
#[module]
fn judge(m: Module, stage: StateSignal<Stage>, x: &Ends, p: HeadParams) -> Ended {
    m.section("how a stage ends");
    let (ends, verdict) = (m.wire(bits(1)), m.wire(super::types::verdict(p)));
    let ended = Ended { ends: m.reg_reset(bits(1), 0), verdict: m.reg(super::types::verdict(p)) };
    ended.ends.set(ends & !ended.ends);
    ended.verdict.set(verdict);
    ends.set(0);
    verdict.set(Verdict::of(x.encoded.payload));
    [x.encoded, x.scored, x.summed].iter().for_each(|report| report.ready.set(ended.ends));
    m.switch(stage, |s| {
        s.case(Stage::Idle, || ());
        s.case_any([Stage::Key, Stage::Value], || {
            // the unit reports when the row was taken, which then is in memory a little later
            let row_went = Verdict::of(x.encoded.payload).is_okay();
            ends.set(x.encoded.valid & (!row_went | x.written));
            m.when(row_went & x.write_failed, || verdict.set(verdict.without_place(m, outcome::WRITE)));
        });
        s.case(Stage::Scores, || {
            ends.set(x.scored.valid);
            verdict.set(Verdict::of(x.scored.payload));
        });
        s.case(Stage::Values, || {
            ends.set(x.summed.valid);
            verdict.set(Verdict::of(x.summed.payload));
        });
        s.case(Stage::Result, || {
            ends.set(x.written);
            let what = x.write_failed.mux(m.lit(outcome::WRITE, OUTCOME_BITS), m.lit(outcome::NONFINITE, OUTCOME_BITS));
            let outcome = (x.write_failed | x.nonfinite).mux(what, m.lit(0u32, OUTCOME_BITS));
            verdict.set(Verdict { outcome, ..verdict.without_place(m, 0) });
        });
        s.case(Stage::Flush, || ends.set(x.flushed));
    });
    m.when(x.vector_failed, || verdict.set(verdict.without_place(m, outcome::VECTOR)));
    ended
}

/// Shows the job, and how the last one ended.
#[module]
fn show(m: Module, (map, regs): (&Map, &Registers), job: Job, told: Told) {
    m.section("what software sees of it");
    let Job { stage, begins, .. } = job;
    let Told { over, verdict, failed_in } = told;
    regs[map.busy].set(begins | !stage.is(Stage::Idle));
    regs[map.done].set.set(over);
    regs[map.outcome].set(verdict.outcome);
    regs[map.stage].set(failed_in.code());
    regs[map.in_rows].set(verdict.in_rows);
    regs[map.position].set(verdict.position);
    let cycles = m.reg_reset(bits(32), 0);
    m.when(!stage.is(Stage::Idle), || cycles.set(cycles + 1));
    m.when(begins, || cycles.set(1));
    regs[map.cycles].set(cycles);
}

/// Keeps where the memory answered with an error first.
#[module]
pub(super) fn faults(m: Module, (map, regs): (&Map, &Registers), job: Job, done: [Stream<Done>; 2]) {
    m.section("errors of the memory");
    let (any, address) = (m.reg_reset(bits(1), 0), m.reg_reset(done[0].payload.address.shape(), 0));
    for done in done {
        done.ready.set(1);
        done.payload.tag.unused();
        m.when(done.valid & !done.payload.outcome.is(Outcome::Okay) & !any, || {
            any.set(1);
            address.set(done.payload.address);
        });
    }
    m.when(job.begins, || any.set(0));
    regs[map.fault].set(any);
    map.fault_address.set(regs, address);
}
