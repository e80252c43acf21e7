//! The list of a pass with its accurate scores, before anything is counted: is one above the maximum?

use super::super::apid_types::{ActiveBeat, ActivePosition, MODE_BITS, ScoreWrite, active_position};
use super::super::md_types::*;
use super::super::score_types::SCORE_BITS;
use super::ring::{Ring, Scored};
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::fork;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// Where a pass is.
#[derive(Clone, Copy, State)]
enum Phase {
    /// There is none.
    Idle,
    /// The list is taken.
    List,
    /// Scores are awaited.
    Scores,
    /// All are there: it waits until the pass before is done.
    Done,
}

/// A pass whose scores are there.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Collected {
    /// Done, if intervals are to be counted; else why not.
    pub(super) cause: StateSignal<MdCause>,
    pub(super) maximum: Signal,
    pub(super) saturated: Signal,
    pub(super) active: Signal,
    pub(super) asked: Signal,
    /// Positions with the new one.
    pub(super) positions: Signal,
    /// It is a step for changes.
    pub(super) update: Signal,
    /// The place in the ring behind its last one.
    pub(super) end: Signal,
}

pub(super) fn collected(p: MdParams) -> Collected {
    let count = || bits(p.count_bits());
    Collected {
        cause: state(),
        maximum: bits(SCORE_BITS),
        saturated: bits(1),
        active: count(),
        asked: count(),
        positions: count(),
        update: bits(1),
        end: bits(p.position_bits() + 1),
    }
}

/// The pass that is collected.
pub(super) struct Collect {
    phase: StateSignal<Phase>,
    /// Of the command.
    maximum: Signal,
    positions: Signal,
    update: Signal,
    /// The highest score so far, or the maximum.
    highest: Signal,
    asked: Signal,
    /// What was seen so far: the list did not rise, a score was none, one was above the maximum, one was limited.
    disorder: Signal,
    faulty: Signal,
    above: Signal,
    saturated: Signal,
    /// A score that became accurate waits to be given.
    told: Signal,
}

impl Collect {
    #[module]
    pub(super) fn new(m: Module, command: Stream<MdCommand>, p: MdParams) -> Collect {
        m.section("a pass");
        let phase = m.state(Phase::Idle);
        let maximum = m.reg(bits(SCORE_BITS));
        let positions = m.reg(bits(p.count_bits()));
        let update = m.reg(bits(1)).comment("it is a step for changes");
        let highest = m.reg(bits(SCORE_BITS)).comment("the highest score so far");
        let asked = m.reg(bits(p.count_bits())).comment("keys that were asked for");
        let disorder = m.reg(bits(1)).comment("positions did not rise");
        let faulty = m.reg(bits(1)).comment("a score was none");
        let above = m.reg(bits(1)).comment("a score was above the maximum");
        let saturated = m.reg(bits(1)).comment("a score was limited");
        let told = m.reg_reset(bits(1), 0).comment("a score that became accurate waits");
        command.ready.set(phase.is(Phase::Idle));
        let MdCommand { positions: now, maximum: given, period } = command.payload;
        let behind = (now.trunc(PERIOD_BITS) & (period - 1)).trunc(PERIOD_BITS - 1);
        m.when(command.transfer(), || {
            phase.set(Phase::List);
            maximum.set(given);
            highest.set(given);
            positions.set(now);
            update.set(!behind.any());
            [asked, disorder, faulty, above, saturated].into_iter().for_each(|of_pass| of_pass.set(0));
        });
        Collect { phase, maximum, positions, update, highest, asked, disorder, faulty, above, saturated, told }
    }

    /// There is no pass.
    pub(super) fn idle(&self) -> Signal {
        self.phase.is(Phase::Idle)
    }

    /// Takes the list, and asks for the score of each position. Gives the positions whose score is awaited.
    ///
    /// One that does not rise is not taken: so a list never is longer than the ring, whatever its end came to.
    #[module]
    pub(super) fn ask(
        &self,
        m: Module,
        ring: &Ring,
        s: Stream<ActiveBeat>,
        (look_up, fetch): (Stream, Stream),
        p: MdParams,
    ) -> Result<Stream<ActivePosition>, Errors> {
        m.section("the list, and what is asked for");
        let listed = register_slice_forward_after(m, s)?;
        let ActiveBeat { active, keep, last } = listed.payload;
        let entry = active[0];
        let lowest = m.reg_reset(bits(p.position_bits() + 1), 0).comment("the next position is not below it");
        let in_order = entry.position.zext(lowest.width()).ge(lowest);
        let (listing, taken) = (self.phase.is(Phase::List), keep & in_order);
        let asks = m.wire(stream(active_position(p.list())));
        asks.valid.set(listed.valid & listing & taken & ring.has_room());
        asks.payload.set(entry);
        listed.ready.set(listing & (!taken | (ring.has_room() & asks.ready)));
        ring.take(m, asks.transfer());
        m.when(asks.transfer(), || {
            lowest.set(entry.position.zext(lowest.width()) + 1);
            self.asked.set(self.asked + (!entry.accurate).zext(p.count_bits()));
        });
        m.when(listed.transfer(), || {
            m.when(keep & !in_order, || self.disorder.set(1));
            m.when(last, || {
                lowest.set(0);
                self.phase.set(Phase::Scores);
            });
        });
        let [asked, awaited] = fork(m, asks);
        let accurate = asked.payload.accurate;
        look_up.valid.set(asked.valid & accurate);
        fetch.valid.set(asked.valid & !accurate);
        look_up.payload.set(asked.payload.position);
        fetch.payload.set(asked.payload.position);
        asked.ready.set(accurate.mux(look_up.ready, fetch.ready));
        fifo_after(m, awaited, p.outstanding as usize, Style::Distributed)
    }

    /// Takes scores as they come, and writes them into the ring.
    #[module]
    pub(super) fn scores(
        &self,
        m: Module,
        ring: &Ring,
        awaited: Stream<ActivePosition>,
        (known, score): (Stream, Stream<KeyScore>),
        found: Stream<ScoreWrite>,
    ) {
        m.section("scores as they come");
        let ActivePosition { position, mode, accurate } = awaited.payload;
        let free = !self.told | found.ready;
        let (of_known, of_score) = (awaited.valid & accurate, awaited.valid & !accurate & free);
        known.ready.set(of_known);
        score.ready.set(of_score);
        let comes = known.transfer() | score.transfer();
        awaited.ready.set(accurate.mux(known.valid, score.valid & free));
        let here = m.reg_reset(bits(1), 0).comment("a score");
        let of_position = m.reg(bits(position.width()));
        let of_mode = m.reg(bits(MODE_BITS));
        let value = m.reg(bits(SCORE_BITS));
        here.set(comes);
        m.when(comes, || {
            of_position.set(position);
            of_mode.set(mode);
            value.set(accurate.mux(known.payload, score.payload.score));
        });
        m.when(free, || self.told.set(score.transfer()));
        found.valid.set(self.told);
        let told_position = m.reg(bits(position.width()));
        let told_score = m.reg(bits(SCORE_BITS));
        m.when(score.transfer(), || {
            told_position.set(position);
            told_score.set(score.payload.score);
            m.when(score.payload.faulty, || self.faulty.set(1));
            m.when(score.payload.saturated, || self.saturated.set(1));
        });
        found.payload.set(ScoreWrite { position: told_position, score: told_score });

        m.section("less the maximum; is it above?");
        let x = value.sext(SCORE_BITS + 1) - self.maximum.sext(SCORE_BITS + 1);
        let is_higher = value.gt_signed(self.highest);
        ring.write(m, Scored { position: of_position, mode: of_mode, x }, here);
        m.when(here & is_higher, || {
            self.highest.set(value);
            self.above.set(1);
        });
    }

    /// All scores are there, and all that became accurate were given: whoever has the report knows them.
    #[module]
    pub(super) fn end(&self, m: Module, ring: &Ring, p: MdParams) -> Stream<Collected> {
        m.section("all scores are there");
        m.when(self.phase.is(Phase::Scores) & ring.is_written() & !self.told, || self.phase.set(Phase::Done));
        let cause = |cause| m.lit_state(cause);
        let of_scores = self.above.mux(cause(MdCause::Repeat), cause(MdCause::Done));
        let of_scores = self.faulty.mux(cause(MdCause::NotFinite), of_scores);
        let pass = m.wire(stream(collected(p)));
        pass.valid.set(self.phase.is(Phase::Done));
        pass.payload.set(Collected {
            cause: self.disorder.mux(cause(MdCause::Order), of_scores),
            maximum: self.highest,
            saturated: self.saturated,
            active: ring.taken().trunc(p.count_bits()),
            asked: self.asked,
            positions: self.positions,
            update: self.update,
            end: ring.end(),
        });
        ring.close(m, pass.transfer(), self.disorder | self.faulty | self.above);
        m.when(pass.transfer(), || self.phase.set(Phase::Idle));
        pass
    }
}
