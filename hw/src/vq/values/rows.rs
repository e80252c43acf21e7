//! The rows of a command: words are taken with the weights of their tokens.

use super::super::accumulator_lane;
use super::super::cache_types::{BookWord, ID_BITS};
use super::super::table_types::*;
use super::types::{Phase, ValuesParams, ValuesPorts, Weight};
use crate::float::multiply;
use hdl::logic::popcount;
use hdl::*;

/// A word of a row on its way to the lanes.
#[derive(Clone, Copy, Bundle)]
pub(super) struct RowItem {
    pub(super) comes: Signal,
    /// The one [`AGAIN`](accumulator_lane::AGAIN) cycles before belongs to the same positions.
    pub(super) again: Option<Signal>,
    /// The word of the row.
    pub(super) beat: Option<Signal>,
    /// The copy of the sums.
    pub(super) copy: Option<Signal>,
    pub(super) data: Signal,
    pub(super) weight: Signal,
    pub(super) scale: Option<Signal>,
}

/// The rows of a command.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    /// A word is taken, if there is one.
    pub(super) ready: Signal,
    pub(super) item: RowItem,
    /// The number of the first book.
    pub(super) first: Signal,
    /// The token whose row comes.
    pub(super) token: Signal,
    /// What is wrong with the word that comes.
    pub(super) finds: StateSignal<TableOutcome>,
    /// It is the last one of the rows.
    pub(super) ends_all: Signal,
    /// The command's last word was there.
    pub(super) over: Signal,
    /// The command's last weight was there.
    pub(super) weights_over: Signal,
    /// The last weights were added.
    pub(super) settled: Signal,
}

impl Rows {
    #[module]
    pub(super) fn new(m: Module, io: &ValuesPorts, phase: StateSignal<Phase>, p: ValuesParams) -> Rows {
        let beats = p.table.beats();
        let first = m.reg(bits(ID_BITS)).comment("the number of the first book");
        let token = m.reg_reset(bits(TOKEN_BITS), 0).comment("the token whose row comes");
        let left = m.reg(bits(TOKEN_BITS)).comment("tokens of the command behind this one");
        let over = m.reg_reset(bits(1), 0).comment("the last word of the command was there");
        let counter = |most: u32| (most > 1).then(|| m.reg_reset(bits(clog2(most as usize)), 0));
        let weights_over = m.reg_reset(bits(1), 0).comment("the last weight of the command was there");
        let beat = counter(beats);
        let copy = counter(p.copies());
        let row_end = beat.map_or(m.lit(1u32, 1), |beat| beat.eq(beats - 1));
        let comes = m.wire(bits(1));
        let (may_come, settled, came) = pauses(m, comes, p);
        let in_rows = phase.is(Phase::Rows) & may_come;
        // the weight is there from the first word of its row on, and is taken with the last one
        let ready = in_rows & io.weight.valid;
        io.weight.ready.set((in_rows & row_end & io.words.valid) | (phase.is(Phase::Drain) & !weights_over));
        let taken = ready & io.words.valid;
        let BookWord { data, last, failed } = io.words.payload;
        let ends_all = row_end & !left.any();
        let finds = m.wire(state::<TableOutcome>());
        finds.set(m.lit_state(TableOutcome::Okay));
        m.when(row_end & io.weight.payload.last.ne(ends_all), || finds.set(m.lit_state(TableOutcome::Weights)));
        m.when(last, || finds.set(m.lit_state(TableOutcome::Short)));
        m.when(failed, || finds.set(m.lit_state(TableOutcome::Bus)));
        comes.set(taken & !failed);
        let begins = io.command.transfer();
        m.when(taken, || {
            if let Some(beat) = beat {
                beat.set(row_end.mux(beat.zeros(beat.width()), beat + 1));
            }
            m.when(row_end, || {
                token.set(token + 1);
                left.set(left - 1);
                if let Some(copy) = copy {
                    copy.set(copy + 1);
                }
            });
        });
        m.when(io.words.transfer(), || over.set(last));
        m.when(io.weight.transfer(), || weights_over.set(io.weight.payload.last));
        m.when(begins, || {
            first.set(io.command.payload.first);
            token.set(0);
            left.set(io.command.payload.tokens - 1);
            over.set(0);
            weights_over.set(0);
            [beat, copy].into_iter().flatten().for_each(|counter| counter.set(0));
        });
        let Weight { weight, scale, last: _ } = io.weight.payload;
        let again = came.map(|came| came[..accumulator_lane::AGAIN as usize].iter().fold(comes, |all, one| all & *one));
        let item = RowItem { comes, again, beat, copy, data, weight, scale };
        Rows { ready, item, first, token, finds, ends_all, over, weights_over, settled }
    }
}

/// Whether a word of a row may come, whether none is on its way, and in which cycles before one came, where that matters.
///
/// Where a sum comes again before it is in its row, it must come exactly when it is there to be added to.
#[module]
fn pauses(m: Module, comes: Signal, p: ValuesParams) -> (Signal, Signal, Option<Vec<Signal>>) {
    let scale = if p.scaled { multiply::NATURAL } else { 0 };
    let mut came = vec![];
    for _ in 0..=accumulator_lane::BUSY + scale {
        let earlier = m.reg_reset(bits(1), 0);
        earlier.set(came.last().copied().unwrap_or(comes));
        came.push(earlier);
    }
    let settled = !Vector::of(came.clone()).pack().any();
    if !p.comes_again() {
        return (m.lit(1u32, 1), settled, None);
    }
    let last = Vector::of(came[..accumulator_lane::AGAIN as usize].to_vec()).pack();
    // with all of the last ones it comes exactly then; with fewer of them in the time that a sum is on its way, it comes later
    let recent = Vector::of(came[..accumulator_lane::BUSY as usize - 1].to_vec()).pack();
    let few = popcount(recent).lt(accumulator_lane::AGAIN);
    (last.all() | few, settled, Some(came))
}
