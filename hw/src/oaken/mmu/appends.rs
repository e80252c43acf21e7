//! The vectors that the [sequencer](mod@super::sequencer) appends: the one whose slices come, and the one before, whose writes are under way.
//!
//! A vector counts when all its writes are answered: [`Appends::end`] says so. If one of them failed its pages come back first.

use super::commands::*;
use super::params::*;
use crate::memory::mover::{self, Done};
use hdl::*;

/// A vector that is being appended.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Slot {
    pub(super) group: Group,
    pub(super) tag: Signal,
    /// Tokens, when it counts.
    pub(super) tokens: Signal,
    /// The copy of entries that it writes.
    pub(super) copy: Signal,
    /// How it ends, but for errors of the bus.
    pub(super) outcome: StateSignal<Outcome>,
    /// It was not refused.
    pub(super) accepted: Signal,
    /// Tells its writes from those of the vector before.
    pub(super) turn: Signal,
}

fn slot(p: MmuParams) -> Slot {
    let Append { group, tag } = append(p);
    let flag = bits(1);
    Slot { group, tag, tokens: bits(p.token_bits()), copy: flag, outcome: state(), accepted: flag, turn: flag }
}

#[derive(Clone, Copy, State)]
pub(super) enum Stage {
    /// There is no vector.
    Empty,
    /// Its writes are under way.
    Writing,
    /// Its pages are to come back.
    Undo,
    /// Its end is told.
    Answer,
}

/// The vector whose slices come, and the one before, whose writes are under way.
#[derive(Clone, Copy)]
pub(super) struct Appends {
    pub(super) current: Slot,
    /// A vector is being taken.
    pub(super) busy: Signal,
    /// Turn of the next vector.
    pub(super) turn: Signal,
    /// All slices of the current vector have come.
    pub(super) complete: Signal,
    pub(super) pending: Slot,
    pub(super) stage: StateSignal<Stage>,
    /// For either turn: all writes were answered.
    over: Vector<Signal>,
    /// For either turn: one failed.
    bad: Vector<Signal>,
}

impl Appends {
    #[module]
    pub(super) fn new(m: Module, p: MmuParams) -> Appends {
        let current = m.reg(slot(p));
        let busy = m.reg_reset(bits(1), 0);
        let turn = m.reg_reset(bits(1), 0);
        let complete = m.reg_reset(bits(1), 0);
        let pending = m.reg(slot(p));
        let stage = m.state(Stage::Empty);
        let over = m.reg_reset(vector(bits(1), 2), 0);
        let bad = m.reg_reset(vector(bits(1), 2), 0);
        Appends { current, busy, turn, complete, pending, stage, over, bad }
    }
    /// Is there a vector of this request that was not refused? Those that were change nothing; they could hold a release for good.
    pub(super) fn of_request(self, request: Signal) -> Signal {
        let of = |slot: Slot| slot.accepted & slot.group.request.eq(request);
        (!self.stage.is(Stage::Empty) & of(self.pending)) | (self.busy & of(self.current))
    }
    /// Is there a vector of this group whose writes are under way?
    pub(super) fn of_group(self, group: Group) -> Signal {
        !self.stage.is(Stage::Empty) & self.pending.group.pack().eq(group.pack())
    }
    /// What the writer says.
    #[module]
    pub(super) fn written(self, m: Module, written: Stream<Done>) {
        let Done { tag, outcome, address } = written.payload;
        address.unused();
        written.ready.set(true);
        let (turn, last) = (tag.bit(1), tag.bit(0));
        let fails = written.valid & !outcome.is(mover::Outcome::Okay);
        m.when(fails, || self.bad.at(turn).set(true));
        m.when(written.valid & last, || self.over.at(turn).set(true));
    }
    /// The end of the older vector. Gives whether it counts from now on.
    #[module]
    pub(super) fn end(self, m: Module, appended: Stream<Answer>, may_count: Signal) -> Signal {
        let Appends { current, busy, complete, pending, stage, over, bad, .. } = self;
        let is_over = stage.is(Stage::Writing) & over.at(pending.turn);
        let bus = bad.at(pending.turn);
        let fails = bus | !pending.outcome.is(Outcome::Okay);
        let counts = is_over & !fails & may_count;
        appended.valid.set(stage.is(Stage::Answer));
        appended.payload.set(Answer { tag: pending.tag, outcome: pending.outcome });
        m.switch(stage, |s| {
            s.case(Stage::Empty, || {
                pending.set(current);
                m.when(busy & complete, || {
                    busy.set(false);
                    complete.set(false);
                    stage.set(current.accepted.mux(m.lit_state(Stage::Writing), m.lit_state(Stage::Answer)));
                });
            });
            s.case(Stage::Writing, || {
                m.when(is_over & bus, || pending.outcome.set(Outcome::Bus));
                m.when(is_over & fails, || stage.set(Stage::Undo));
                m.when(counts, || stage.set(Stage::Answer));
            });
            // pages come back by the steps
            s.case(Stage::Undo, || ());
            s.case(Stage::Answer, || {
                m.when(appended.ready, || {
                    over.at(pending.turn).set(false);
                    bad.at(pending.turn).set(false);
                    stage.set(Stage::Empty);
                });
            });
        });
        counts
    }
}
