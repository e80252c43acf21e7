//! Sequencer of the MMU: takes commands to append, open and release one after the other, and lets the [steps](mod@super::steps) go through
//! the streams.
//!
//! An append is atomic: the new entries go to the copy that does not count, and one write to the group's entry makes them count,
//! when all writes are answered. So an append that fails leaves the streams as they were; what pages it took come back. While
//! answers are on their way, the next vector is appended, unless it is of the same group.
//!
//! | port | |
//! | --- | --- |
//! | `append`, `control` | commands; an append is taken when it is known whether it is allowed |
//! | `slice` | what is known of the vector's packets, see the slice splitter |
//! | `verdict` | for each packet: its words go to the writer (1), or are dropped |
//! | `written` | the writer is done with a slice; always ready |
//! | `look`, `look_word`, `entry` | table of groups: an address, a cycle later its entry; a new entry |
//! | `work`, `start`, `step_slice`, `step_done`, `step_failed`, `needed` | what the [steps](mod@super::steps) do, and the pages that they count |
//! | `free` | free pages |
//! | `open` | a bit for each request |
//! | `hold`, `reading`, `looks` | no read may begin; a read is under way; one is looked up: no append may begin to count |
//! | `appended`, `controlled` | how commands ended |
//!
//! - Parameters: those of [`MmuParams`]. Throughput: an append in 2 cycles for each stream and 5; a group is opened in a cycle, and released
//!   in 2 for each of its streams and 4. A release lets an append go between two groups.
//! - Combinational paths: `append`'s payload to `append_ready` and `start`; `slice_valid` and `step_slice_ready` to `verdict_valid`; `slice`
//!   and `verdict_ready` to `step_slice`; `verdict_ready` and `step_slice_ready` to `slice_ready`; `looks` to `entry_valid`.

use super::appends::{Appends, Slot, Stage};
use super::commands::*;
use super::entries::*;
use super::params::*;
use super::requests::{Duty, Requests};
use super::shared_table::Write;
use super::steps::{Pass, Work, work, writer};
use crate::memory::mover::{self, Done};
use hdl::*;

ports! {
    /// Ports of a sequencer: commands, slices, the steps, the table of groups.
    pub struct SequencerPorts(p: MmuParams) {
        /// Vectors that come.
        input append: Stream<Append> = stream(append(p)),
        /// Requests that begin and end.
        input control: Stream<Control> = stream(control(p)),
        /// Slices of the vectors.
        input slice: Stream<Slice> = stream(slice_shape(p)),
        /// Those that are appended.
        output step_slice: Stream<Slice> = stream(slice_shape(p)),
        /// A packet's words are written, or dropped.
        output verdict: Stream = stream(bits(1)),
        /// What the writer did.
        input written: Stream<Done> = stream(mover::done(writer(p))),
        /// Number of a group.
        output look: Stream = stream(bits(p.group_bits())),
        /// Its entry, a cycle later.
        input look_word: GroupEntry = group_entry(p),
        /// A new entry.
        output entry: Stream<Write> = stream(Write {
            address: bits(p.group_bits()),
            word: bits(group_entry(p).total_width()),
        }),
        /// What the steps do.
        output work: Work = work(p),
        /// They begin.
        output start: Signal = bits(1),
        /// They are done.
        input step_done: Signal = bits(1),
        /// The record was malformed.
        input step_failed: Signal = bits(1),
        /// Pages that an append may need.
        input needed: Signal = bits(p.step_bits() + 1),
        /// Free pages.
        input free: Signal = bits(p.count_bits()),
        /// A bit for each request: it is open.
        output open: Vector<Signal> = vector(bits(1), p.requests as usize),
        /// No read may begin.
        output hold: Signal = bits(1),
        /// A read is under way.
        input reading: Signal = bits(1),
        /// A read is looked up.
        input looks: Signal = bits(1),
        /// How appends ended, in their order.
        output appended: Stream<Answer> = stream(answer(p)),
        /// How requests began and ended.
        output controlled: Stream<Answer> = stream(answer(p)),
    }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// What is next?
    Idle,
    /// The entry of a group is asked for.
    Look,
    /// It comes.
    Looked,
    /// What is to be done with the group?
    Decide,
    /// The steps go through its streams.
    Steps,
    /// The slices of a vector are dropped.
    Drop,
    /// The groups of a request become empty.
    Clear,
}

/// A sequencer.
#[module]
pub fn sequencer(p: MmuParams) -> Result<Design<SequencerPorts>, Errors> {
    let m = Module::new(p.name("oaken_mmu_sequencer"));
    m.doc("Appends vectors, opens and releases requests.");
    let io = SequencerPorts::new(m, p);
    let phase = m.state(Phase::Idle);
    let appends = Appends::new(m, p);
    let requests = Requests::new(m, io.controlled, p);
    io.open.set(requests.open);
    io.hold.set(requests.duty.is(Duty::Releasing));
    let group = m.reg(Work { pass: state(), ..work(p) });
    let x = Sequence { phase, work: group, appends, requests };

    m.section("requests");
    requests.take(m, io.control, io.controlled, p);
    m.section("a vector counts when all its writes are answered");
    appends.written(m, io.written);
    let commits = appends.end(m, io.appended, !io.looks & !phase.is(Phase::Clear));
    m.section("one group after the other");
    x.run(m, io, p);
    m.section("entries of groups");
    let cleared = requests.group.pack();
    let clears = phase.is(Phase::Clear);
    let pending = appends.pending;
    let entry = GroupEntry { copy: pending.copy, tokens: pending.tokens };
    let none = entry.map(&mut |_, _, s| s.zeros(s.width()));
    io.entry.valid.set(commits | clears);
    io.entry.payload.address.set(clears.mux(cleared, pending.group.pack()));
    io.entry.payload.word.set(clears.mux(none, entry).pack());
    m.assert(!io.entry.valid | io.entry.ready, "the table takes every entry");
    m.finish(io)
}

/// What is done in turn.
#[derive(Clone, Copy)]
struct Sequence {
    phase: StateSignal<Phase>,
    work: Work,
    appends: Appends,
    requests: Requests,
}

impl Sequence {
    #[module]
    fn run(self, m: Module, io: SequencerPorts, p: MmuParams) {
        let Sequence { phase, work, appends, requests } = self;
        let releases = m.reg_reset(bits(1), 0).comment("the group that is looked up is released");
        let entry = m.reg(group_entry(p));
        let counted = m.reg_reset(bits(1), 0).comment("the pages that the vector may need were counted");
        let width = p.count_bits().max(p.step_bits() + 1);
        let needed = counted.mux(io.needed.zext(width), m.lit(p.streams(), width));
        // looked at two cycles and more behind the last step that takes pages or counts them
        let enough = m.reg(bits(1)).comment("pages are free for what the vector may need");
        enough.set(io.free.zext(width).ge(needed));
        io.work.set(work);
        io.look.valid.set(phase.is(Phase::Look));
        io.look.payload.set(work.group.pack());
        io.start.set(false);
        io.append.ready.set(false);
        self.slices(m, io);
        m.switch(phase, |s| {
            s.case(Phase::Idle, || self.choose(m, io, releases));
            s.case(Phase::Look, || m.when(io.look.ready, || phase.set(Phase::Looked)));
            s.case(Phase::Looked, || {
                entry.set(io.look_word);
                phase.set(Phase::Decide);
            });
            s.case(Phase::Decide, || {
                work.copy.set(entry.copy);
                work.empty.set(!entry.tokens.any());
                m.when(releases, || self.release(m, io, entry, p))
                    .otherwise(|| self.append(m, io, entry, [counted, enough], p));
            });
            s.case(Phase::Steps, || m.when(io.step_done, || self.step_done(m, io, p)));
            s.case(Phase::Drop, || {
                m.when(io.slice.transfer() & io.slice.payload.last, || {
                    appends.complete.set(true);
                    phase.set(Phase::Idle);
                });
            });
            s.case(Phase::Clear, || {
                requests.advance(m, p);
                let last = requests.group.value & requests.group.layer.eq(p.layers - 1);
                m.when(last, || phase.set(Phase::Idle));
            });
        });
    }

    /// Slices go to the steps, or are dropped; their words follow.
    #[module]
    fn slices(self, m: Module, io: SequencerPorts) {
        let drops = self.phase.is(Phase::Drop);
        let steps = self.phase.is(Phase::Steps) & self.work.pass.is(Pass::Append);
        io.step_slice.valid.set(io.slice.valid & steps & io.verdict.ready);
        io.step_slice.payload.set(io.slice.payload);
        let takes = io.verdict.ready & (drops | (steps & io.step_slice.ready));
        io.slice.ready.set(takes);
        io.verdict.valid.set(io.slice.valid & (drops | (steps & io.step_slice.ready)));
        io.verdict.payload.set(!drops);
        m.assert(!io.verdict.transfer() | io.slice.transfer(), "a verdict for each slice");
    }

    /// Pages of a vector that failed first; then requests that begin; appends and groups that are released take turns.
    #[module]
    fn choose(self, m: Module, io: SequencerPorts, releases: Signal) {
        let Sequence { phase, work, appends, requests } = self;
        let of_release = appends.of_request(requests.group.request) | io.reading;
        let may_release = requests.duty.is(Duty::Releasing) & !of_release;
        let may_append = io.append.valid & !appends.busy & !appends.of_group(io.append.payload.group);
        let undoes = appends.stage.is(Stage::Undo);
        m.when(undoes, || {
            work.set(Work {
                pass: m.lit_state(Pass::Undo),
                group: appends.pending.group,
                copy: appends.pending.copy,
                empty: m.lit(0u32, 1),
                turn: work.turn,
            });
            io.start.set(true);
            phase.set(Phase::Steps);
        })
        .elsewhen(requests.duty.is(Duty::Opening), || phase.set(Phase::Clear))
        .elsewhen(may_release & !(releases & may_append), || {
            work.group.set(requests.group);
            releases.set(true);
            phase.set(Phase::Look);
        })
        .elsewhen(may_append, || {
            work.group.set(io.append.payload.group);
            releases.set(false);
            phase.set(Phase::Look);
        });
    }

    /// Releases the group that was looked up.
    fn release(self, m: Module, io: SequencerPorts, entry: GroupEntry, p: MmuParams) {
        self.work.pass.set(Pass::Release);
        m.when(entry.tokens.any(), || {
            io.start.set(true);
            self.phase.set(Phase::Steps);
        })
        .otherwise(|| {
            self.requests.advance(m, p);
            self.phase.set(Phase::Idle);
        });
    }

    /// May a vector be appended to the group that was looked up? Pages are counted only if there are not enough for all its streams.
    #[module]
    fn append(self, m: Module, io: SequencerPorts, entry: GroupEntry, [counted, enough]: [Signal; 2], p: MmuParams) {
        let Sequence { phase, work, appends, requests } = self;
        let Append { group, tag } = io.append.payload;
        let refusals = [
            (!group.is_legal(p), Outcome::Address),
            (!requests.open.at(group.request), Outcome::Closed),
            (entry.tokens.eq(p.tokens), Outcome::Tokens),
            (!enough, Outcome::Pages),
        ];
        let okay = m.lit_state(Outcome::Okay);
        let outcome = refusals.iter().rev().fold(okay, |rest, (yes, why)| yes.mux(m.lit_state(*why), rest));
        let accepted = outcome.is(Outcome::Okay);
        let counts = outcome.is(Outcome::Pages) & !counted;
        work.pass.set(counts.mux(m.lit_state(Pass::Count), m.lit_state(Pass::Append)));
        counted.set(counts);
        io.append.ready.set(!counts);
        io.start.set(counts | accepted);
        phase.set((counts | accepted).mux(m.lit_state(Phase::Steps), m.lit_state(Phase::Drop)));
        m.when(!counts, || {
            let (tokens, copy, turn) = (entry.tokens + 1, !entry.copy, appends.turn);
            appends.current.set(Slot { group, tag, tokens, copy, outcome, accepted, turn });
            appends.busy.set(true);
            appends.turn.set(!turn);
            work.turn.set(turn);
        });
    }

    /// The pass is done.
    #[module]
    fn step_done(self, m: Module, io: SequencerPorts, p: MmuParams) {
        let Sequence { phase, work, appends, requests } = self;
        phase.set(Phase::Idle);
        m.switch(work.pass, |s| {
            s.case(Pass::Append, || {
                m.when(io.step_failed, || appends.current.outcome.set(Outcome::Record));
                appends.complete.set(true);
            });
            s.case(Pass::Count, || phase.set(Phase::Look));
            s.case(Pass::Undo, || appends.stage.set(Stage::Answer));
            s.case(Pass::Release, || requests.advance(m, p));
        });
    }
}
