//! What each lane looks up: the score of a position or of its centre, and the bounds of its mode.

use super::super::apid_types::*;
use super::super::estimate::SIGNED_BITS;
use super::super::score_types::SCORE_BITS;
use super::pass::Taken;
use hdl::*;

/// A factor of 1, in binary16.
const ONE: u32 = 0x3c00;

/// A position of a lane.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Own {
    pub(super) position: Signal,
    pub(super) mode: Signal,
    /// Its own score is there.
    pub(super) accurate: Signal,
    centre: Signal,
    factor: Signal,
    pub(super) there: Signal,
}

impl Own {
    #[module]
    pub(super) fn new(taken: &Taken, large_from: Signal, lane: usize) -> Own {
        let Records { centre, factor, mode, accurate } = &taken.records;
        let (centre, factor, mode) = (centre[lane], factor[lane], mode[lane]);
        let position = taken.position(lane);
        let large = mode.zext(MODE_BITS + 1).ge(large_from);
        let accurate = accurate[lane] | large | centre.eq(position);
        Own { position, mode, accurate, centre, factor, there: taken.there.bit(lane as u32) }.next()
    }
}

/// What is written into the copies of the scores: sign and magnitude, which the multipliers need.
pub(super) struct Table {
    valid: Signal,
    position: Signal,
    score: Signal,
}

impl Table {
    #[module]
    pub(super) fn new(m: Module, score: Stream<ScoreWrite>) -> Table {
        m.section("accurate scores");
        score.ready.set(1);
        let ScoreWrite { position, score: number } = score.payload;
        let negative = number.msb();
        let magnitude = negative.mux(number.zeros(SCORE_BITS) - number, number);
        let valid = m.reg_reset(bits(1), 0);
        valid.set(score.valid);
        let at = m.reg(bits(position.width()));
        at.set(position);
        let held = m.reg(bits(SIGNED_BITS));
        held.set(negative.cat(magnitude));
        Table { valid, position: at, score: held }
    }

    /// A copy of the scores, and what a lane finds in it: a score, and what it is to be multiplied with.
    #[module]
    pub(super) fn look_up(&self, m: Module, own: Own, p: ApidParams) -> (Signal, Signal) {
        let scores = m.memory(bits(SIGNED_BITS), p.max_positions as usize).style(RamStyle::Block);
        scores.attribute("no_rw_check", ""); // scores of a pass are written before it begins
        scores.write(self.position, self.score, self.valid);
        let Own { position, accurate, centre, factor, .. } = own;
        let score = scores.read_sync(accurate.mux(position, centre)).next();
        let factor = accurate.mux(m.lit(ONE, 16), factor).next();
        (score, factor.meet(score))
    }
}

/// The bounds of the intervals.
pub(super) struct Intervals {
    /// Of each interval from 1 on.
    lower: Memory,
    /// Of each interval.
    upper: Memory,
}

impl Intervals {
    #[module]
    pub(super) fn new(m: Module, bound: Stream<BoundWrite>, idle: Signal) -> Intervals {
        m.section("bounds of the intervals");
        bound.ready.set(idle);
        let memory = || m.memory(bits(SCORE_BITS), 1 << MODE_BITS).style(RamStyle::Distributed);
        let (lower, upper) = (memory(), memory());
        let BoundWrite { interval, bound: lowest } = bound.payload;
        let written = bound.transfer();
        lower.write(interval.trunc(MODE_BITS), lowest, written);
        upper.write((interval - 1).trunc(MODE_BITS), lowest, written);
        Intervals { lower, upper }
    }

    /// Is a score less the maximum outside of the interval of a mode?
    #[module]
    pub(super) fn outside(&self, mode: Signal, x: Signal) -> Signal {
        let lower = self.lower.read(mode).next();
        let upper = self.upper.read(mode).next();
        let is_lowest = (!mode.any()).next();
        let [lower, upper, is_lowest] = [lower, upper, is_lowest].map(|of_mode| of_mode.meet(x));
        let above = is_lowest | x.gt_signed(lower.sext(SCORE_BITS + 1));
        let below = x.le_signed(upper.sext(SCORE_BITS + 1));
        !(above & below)
    }
}
