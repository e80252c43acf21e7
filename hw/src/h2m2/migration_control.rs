//! Control of the [migration engine](super::migration): what is done to the page tables and their MMUs, page by page.
//!
//! Four pages at most are under way, in a ring: from `oldest` to `begun` they are copied or were, up to `tail` they are ready to be. One
//! page is in hand (`page`), either to be made ready or, when it was copied, to be switched; what was copied goes first.
//!
//! | port | |
//! | --- | --- |
//! | `command`, `done`, `stop`, `stop_now`, `idle`, `base`, `invalidate`, ... | those of the engine |
//! | `job` | pages that are ready to be copied; read from LUT RAM at registered addresses |
//! | `copied` | how copying ended, in the same order |
//! | `stopping` | register: all pages under way are stopped |
//!
//! What is written to each of a page's entries, in this order, if one of them permits writes; each time the MMUs forget the page, and wait
//! until nobody uses a translation of before:
//!
//! | | place | moving | behind it |
//! | --- | --- | --- | --- |
//! | mark | old | 1 | nobody writes the page |
//! | switch | new | 1 | nobody uses the old place |
//! | free | new | 0 | writes go on |
//! | back | old | 1 | after an error at the switch: nobody uses the new place |
//! | restore | old | 0 | after an error or a stop, instead of the switch or behind the way back |
//!
//! If none does, there is only one: the switch, with 0. Writes begin again only when no MMU knows the old place, since else who asks for a read behind
//! a write might still be led there. So it is on the way back, too; where that cannot be written, writes do not begin again.
//!
//! Parameters: those of [`MigrationParams`]. Latency: four accesses and three invalidations a page, or two and one, and 25 cycles. Combinational paths: none.

use super::entry::{ENTRY_BITS, fields, word};
use super::migration_pages::*;
use super::migration_params::{Migrated, Migration, MigrationOutcome, MigrationParams, migrated, migration_shape};
use super::migration_table::{Action, TablePorts, bus, migration_table, pages};
use super::page_copier::{Job, job};
use super::params::TABLE_BITS;
use super::types::Pages;
use crate::memory::axi::{AxiRead, AxiWrite, axi_read, axi_write};
use hdl::*;

ports! {
    /// Ports of [`migration_control`].
    pub struct ControlPorts(p: MigrationParams) {
        /// Pages to be moved.
        input command: Stream<Migration> = stream(migration_shape(p)),
        /// Pages that were moved or not.
        output done: Stream<Migrated> = stream(migrated(p)),
        /// Pages to be copied.
        output job: Stream<Job> = stream(job(p)),
        /// How that ended.
        input copied: Stream<StateSignal<MigrationOutcome>> = stream(state()),
        /// Pages under way are stopped.
        output stopping: Signal = bits(1),
        /// Each MMU forgets a page.
        output invalidate: Vector<Stream<Pages>> = vector(stream(pages(p)), 2),
        /// It has.
        input invalidated: Vector<Signal> = vector(bits(1), 2),
        /// Nobody uses what it was.
        input drained: Vector<Signal> = vector(bits(1), 2),
        /// Where each page table begins, in units of 4 KiB.
        input base: Vector<Signal> = vector(bits(p.physical_bits - TABLE_BITS), 2),
        /// No further command is taken.
        input stop: Signal = bits(1),
        /// And pages under way go back.
        input stop_now: Signal = bits(1),
        /// Nothing is under way.
        output idle: Signal = bits(1),
        /// Reads of each page table.
        output m_axi_table_read: Vector<AxiRead> = vector(axi_read(bus(p)), 2),
        /// Writes of it.
        output m_axi_table_write: Vector<AxiWrite> = vector(axi_write(bus(p)), 2),
    }
}

#[derive(Clone, Copy, State)]
enum Step {
    Idle,
    /// Where are the entries?
    Locate,
    /// Both tables begin.
    Start,
    Wait,
    /// Both tables are over.
    Judge,
    Done,
}

/// What happens to the page in hand.
#[derive(Clone, Copy, State)]
enum Phase {
    Look,
    Mark,
    Switch,
    Back,
    Free,
    Restore,
}

/// The state of the control.
#[derive(Clone, Copy)]
struct State {
    step: StateSignal<Step>,
    phase: StateSignal<Phase>,
    /// The MMUs forget what was written.
    forgets: Signal,
    /// The page in hand.
    page: Page,
    outcome: StateSignal<MigrationOutcome>,
    /// Its old place and its new one are two.
    moves: Signal,
    ring: Ring,
    refused: Refused,
}

/// What is known when both tables are over.
#[derive(Clone, Copy)]
struct Found {
    failed: Signal,
    /// By which error.
    outcome: StateSignal<MigrationOutcome>,
    /// The entries are as the command says.
    as_told: Signal,
    /// Its old place and its new one are two.
    moves: Signal,
    /// What they permit.
    reads: Signal,
    writes: Signal,
}

/// The control.
#[module]
pub fn migration_control(p: MigrationParams) -> Result<Design<ControlPorts>, Errors> {
    let m = Module::new(p.name("migration_control"));
    m.doc("Reads, marks and switches the entries of pages, and invalidates them.");
    let io = ControlPorts::new(m, p);
    let refused = Refused::new(m);
    let x = State {
        step: m.state(Step::Idle),
        phase: m.state(Phase::Look),
        forgets: m.reg_reset(bits(1), 0),
        page: m.reg(page(p)),
        outcome: m.reg(state::<MigrationOutcome>()),
        moves: m.reg(bits(1)),
        ring: Ring::new(m),
        refused,
    };

    m.section("both tables");
    let tables = [m.instance(&migration_table(p)?), m.instance(&migration_table(p)?)];
    let tables = [*tables[0], *tables[1]];
    for (side, table) in tables.into_iter().enumerate() {
        connect(m, io, x, (side as u32, table), p);
    }
    let over = !(tables[0].busy | tables[1].busy);
    let found = compare(m, x, tables, p);

    m.section("commands, and pages in the ring");
    let (next, may_begin) = commands(m, io, x);
    let pages = m.memory(page(p), RING as usize).style(RamStyle::Distributed);
    let judged = x.step.is(Step::Judge);
    let looked = judged & x.phase.is(Phase::Look);
    let whole = Page { reads: found.reads, writes: found.writes, ..x.page };
    let marked = judged & x.phase.is(Phase::Mark);
    pages.write(index(x.ring.tail), looked.mux(whole, x.page), looked | marked);
    let ready = pages.read(index(x.ring.begun)).command;
    io.job.valid.set(x.ring.begun.ne(x.ring.tail));
    io.job.payload.set(Job { from: ready.from, to: ready.to });
    m.when(io.job.transfer(), || x.ring.begun.set(x.ring.begun + 1));

    m.section("from step to step");
    let oldest = pages.read(index(x.ring.oldest));
    io.copied.ready.set(x.step.is(Step::Idle));
    m.switch(x.step, |s| {
        s.case(Step::Idle, || choose(m, io, x, (oldest, next, may_begin)));
        s.case(Step::Locate, || x.step.set(Step::Start));
        s.case(Step::Start, || x.step.set(Step::Wait));
        s.case(Step::Wait, || m.when(over, || x.step.set(Step::Judge)));
        s.case(Step::Judge, || judge(m, x, found));
        s.case(Step::Done, || m.when(io.done.ready, || leave(m, x)));
    });
    let Migration { page, from, to, tables } = x.page.command;
    let failed = !x.outcome.is(MigrationOutcome::Okay);
    let freed = failed.mux(x.moves & !x.outcome.is(MigrationOutcome::Table), tables.any());
    io.done.valid.set(x.step.is(Step::Done));
    io.done.payload.set(Migrated { page, outcome: x.outcome, free: failed.mux(to, from), freed });
    m.finish(io)
}

/// Connects a table: what its entry is written with.
#[module]
fn connect(m: Module, io: ControlPorts, x: State, (side, table): (u32, TablePorts), p: MigrationParams) {
    let command = x.page.command;
    let access = x.phase.is(Phase::Look).mux(m.lit_state(Action::Read), m.lit_state(Action::Write));
    table.start.set(x.step.is(Step::Start) & command.tables.bit(side));
    table.action.set(x.forgets.mux(m.lit_state(Action::Invalidate), access));
    table.page.set(command.page);
    let is_new = x.phase.is(Phase::Switch) | x.phase.is(Phase::Free);
    let place = is_new.mux(command.to, command.from);
    let switches = x.phase.is(Phase::Switch) & x.page.writes.any();
    let moving = x.phase.is(Phase::Mark) | x.phase.is(Phase::Back) | switches;
    let permits = [x.page.reads.bit(side), x.page.writes.bit(side), moving];
    table.word.set(word(permits, place.side, place.page, p.page_bits));
    let side = side as usize;
    table.base.set(io.base[side]);
    io.invalidate[side].set(table.invalidate);
    table.done.set(io.invalidated[side]);
    table.drained.set(io.drained[side]);
    io.m_axi_table_read[side].set(table.m_axi_read);
    io.m_axi_table_write[side].set(table.m_axi_write);
}

/// Looks at what both tables found; registers.
#[module]
fn compare(m: Module, x: State, tables: [TablePorts; 2], p: MigrationParams) -> Found {
    let command = x.page.command;
    let each = tables.map(|table| {
        let entry = fields(table.found, p.page_bits, p.physical_bits);
        let there = entry.side.eq(command.from.side.zext(2)) & entry.frame.eq(command.from.page);
        let legal = entry.valid & !entry.malformed & !entry.moving;
        let found = m.reg((bits(1), bits(1), bits(1)));
        found.set((there & legal, entry.read, entry.write));
        found
    });
    let moves = m.reg(bits(1));
    moves.set(command.from.side.ne(command.to.side) | command.from.page.ne(command.to.page));
    let used = [command.tables.bit(0), command.tables.bit(1)];
    let failed = [0, 1].map(|i| tables[i].failed & used[i]);
    let decode = failed[0].mux(tables[0].decode, tables[1].decode);
    Found {
        failed: failed[0] | failed[1],
        outcome: decode.mux(m.lit_state(MigrationOutcome::Decode), m.lit_state(MigrationOutcome::Slave)),
        as_told: (each[0].0 | !used[0]) & (each[1].0 | !used[1]) & moves,
        moves,
        reads: each[1].1.cat(each[0].1),
        writes: each[1].2.cat(each[0].2) & command.tables,
    }
}

/// Holds the next command, and tells whether it may begin: no page of its number is under way. Takes care of who stops.
#[module]
fn commands(m: Module, io: ControlPorts, x: State) -> (Migration, Signal) {
    let stopping = m.reg_reset(bits(1), 0).comment("pages under way are stopped");
    let (open, valid) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let next = m.reg(io.command.payload.shape());
    io.command.ready.set(open & !valid);
    open.set(!io.stop & !io.stop_now & !stopping);
    m.when(!valid, || {
        valid.set(io.command.transfer());
        next.set(io.command.payload);
    });

    m.section("pages under way");
    let numbers = m.reg(vector(next.page.shape(), RING as usize));
    let taken = m.reg_reset(bits(RING), 0);
    let same = numbers.into_iter().zip(taken.lanes(1)).map(|(number, taken)| taken & number.eq(next.page));
    let (known, clash) = (m.reg_reset(bits(1), 0), m.reg(bits(1)));
    known.set(valid);
    clash.set(Vector::of(same).pack().any());
    let may_begin = valid & known & !clash & !x.refused.any & !x.ring.is_full();
    let begins = x.step.is(Step::Idle) & !io.copied.valid & may_begin;
    let leaves = x.step.is(Step::Done) & io.done.ready;
    let bit = |place: Signal, so: Signal| hdl::logic::one_hot(index(place), RING as usize) & so.repeat(RING);
    taken.set((taken | bit(x.ring.tail, begins)) & !bit(x.ring.oldest, leaves));
    m.when(begins, || {
        valid.set(false);
        known.set(false);
        numbers.at(index(x.ring.tail)).set(next.page);
    });
    let idle = x.step.is(Step::Idle) & !taken.any() & !valid;
    stopping.set(io.stop_now | (stopping & !idle));
    io.stopping.set(stopping);
    let is_idle = m.reg_reset(bits(1), 1);
    is_idle.set(idle & !io.command.transfer());
    io.idle.set(is_idle);
    (next, may_begin)
}

/// What is done next: switch a page that was copied, or end one that was refused, or make one ready.
#[module]
fn choose(m: Module, io: ControlPorts, x: State, (oldest, next, may_begin): (Page, Migration, Signal)) {
    let ends = x.refused.any & x.ring.is_empty();
    m.when(io.copied.valid, || {
        let okay = io.copied.payload.is(MigrationOutcome::Okay);
        x.page.set(oldest);
        x.outcome.set(io.copied.payload);
        x.moves.set(true);
        x.phase.set(okay.mux(m.lit_state(Phase::Switch), m.lit_state(Phase::Restore)));
        x.step.set(Step::Locate);
    })
    .elsewhen(ends, || {
        x.page.set(oldest);
        x.outcome.set(x.refused.outcome);
        x.moves.set(x.refused.moves);
        x.phase.set(Phase::Restore);
        x.step.set(x.refused.written.mux(m.lit_state(Step::Locate), m.lit_state(Step::Done)));
    })
    .elsewhen(may_begin, || {
        x.page.command.set(next);
        x.phase.set(Phase::Look);
        x.step.set(Step::Locate);
    });
    x.forgets.set(false);
}

/// What follows when both tables are over.
#[module]
fn judge(m: Module, x: State, found: Found) {
    let failed = found.failed & !x.forgets;
    let goes = |phase| {
        x.phase.set(m.lit_state(phase));
        x.forgets.set(false);
    };
    let ready = || {
        x.ring.tail.set(x.ring.tail + 1);
        x.step.set(Step::Idle);
    };
    let refuse = |outcome: StateSignal<MigrationOutcome>, written: u32| {
        x.refused.any.set(true);
        x.refused.outcome.set(outcome);
        x.refused.written.set(written);
        x.refused.moves.set(found.moves);
        x.step.set(Step::Idle);
    };
    x.step.set(Step::Start);
    x.forgets.set(true);
    m.switch(x.phase, |s| {
        s.case(Phase::Look, || {
            x.page.reads.set(found.reads);
            x.page.writes.set(found.writes);
            goes(Phase::Mark);
            m.when(failed, || refuse(found.outcome, 0))
                .elsewhen(!found.as_told, || refuse(m.lit_state(MigrationOutcome::Mapping), 0))
                .elsewhen(!found.writes.any(), ready);
        });
        s.case(Phase::Mark, || m.when(failed, || refuse(found.outcome, 1)).elsewhen(x.forgets, ready));
        s.case(Phase::Switch, || {
            m.when(failed, || {
                x.outcome.set(found.outcome);
                goes(Phase::Back);
                m.when(!x.page.writes.any(), || goes(Phase::Restore));
            })
            .elsewhen(x.forgets, || {
                goes(Phase::Free);
                m.when(!x.page.writes.any(), || x.step.set(Step::Done));
            });
        });
        s.case(Phase::Back, || {
            m.when(failed, || x.outcome.set(MigrationOutcome::Table));
            m.when(x.forgets, || {
                goes(Phase::Restore);
                m.when(x.outcome.is(MigrationOutcome::Table), || x.step.set(Step::Done));
            });
        });
        s.case_any([Phase::Free, Phase::Restore], || {
            m.when(failed, || x.outcome.set(MigrationOutcome::Table));
            m.when(x.forgets, || x.step.set(Step::Done));
        });
    });
}

/// The page in hand is no longer under way.
#[module]
fn leave(m: Module, x: State) {
    x.step.set(Step::Idle);
    let refused = x.refused.any & x.ring.is_empty();
    m.when(refused, || x.refused.any.set(false)).otherwise(|| x.ring.oldest.set(x.ring.oldest + 1));
}

const _: () = assert!(ENTRY_BITS == 64);
