//! The rows of a command: words go to the tables, each row with the scale of its token.

use super::super::cache_types::BookWord;
use super::super::join_pairs::Term;
use super::super::scales::scales_over;
use super::super::table_types::*;
use super::types::{Phase, ScoresParams, ScoresPorts};
use hdl::logic::UpDown;
use hdl::*;

/// A word of a row.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Beat {
    pub(super) term: Term,
    /// It belongs to the last row.
    pub(super) last: Signal,
    pub(super) data: Signal,
    pub(super) scale: Option<Signal>,
}

/// The rows of a command.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    /// A word is taken, if there is one.
    pub(super) ready: Signal,
    /// Rows whose scores were not taken.
    pub(super) under_way: UpDown,
    /// A row is whole in this cycle.
    pub(super) ends: Signal,
    pub(super) beat: Beat,
    /// The number of the token whose row comes.
    pub(super) token: Signal,
    /// The command's last scale was there, if tokens have scales.
    pub(super) scales_over: Signal,
    /// What is wrong with the word that comes.
    pub(super) finds: StateSignal<TableOutcome>,
}

impl Rows {
    #[module]
    pub(super) fn new(m: Module, io: &ScoresPorts, phase: StateSignal<Phase>, p: ScoresParams) -> Rows {
        let beats = p.table.beats();
        let token = m.reg_reset(bits(TOKEN_BITS), 0).comment("the token whose row comes");
        let left = m.reg(bits(TOKEN_BITS)).comment("tokens of the command behind this one");
        let under_way = UpDown::new(m, p.depth());
        let room = m.reg_reset(bits(1), 1).comment("there is room for another row");
        room.set(under_way.level.lt(p.depth() - 1));
        let (number, row_end) = match beats {
            1 => (m.lit(0u32, 1), m.lit(1u32, 1)),
            _ => {
                let number = m.reg_reset(bits(p.levels()), 0).comment("the word of the row");
                (number, number.eq(beats - 1))
            }
        };
        let scales_over = scales_over(m, io.command.transfer(), io.scale);
        let scale_there = io.scale.map_or(m.lit(1u32, 1), |scale| scale.valid | !row_end);
        let ready = phase.is(Phase::Rows) & room & scale_there;
        let taken = ready & io.words.valid;
        let BookWord { data, last, failed } = io.words.payload;
        if let Some(scale) = io.scale {
            let left_over = (phase.is(Phase::Drain) | phase.is(Phase::Finish)) & !scales_over;
            scale.ready.set((phase.is(Phase::Rows) & room & io.words.valid & row_end) | left_over);
        }
        let last_row = !left.any();
        let finds = m.wire(state::<TableOutcome>());
        finds.set(m.lit_state(TableOutcome::Okay));
        if let Some(scale) = io.scale {
            m.when(row_end & scale.payload.last.ne(last_row), || finds.set(m.lit_state(TableOutcome::Weights)));
        }
        m.when(last & !(last_row & row_end), || finds.set(m.lit_state(TableOutcome::Short)));
        m.when(!last & last_row & row_end, || finds.set(m.lit_state(TableOutcome::Long)));
        m.when(failed, || finds.set(m.lit_state(TableOutcome::Bus)));
        let ends = taken & row_end & !failed;
        let begins = io.command.transfer();
        m.when(taken & row_end, || {
            token.set(token + 1);
            left.set(left - 1);
        });
        m.when(begins, || {
            token.set(0);
            left.set(io.command.payload.tokens - 1);
        });
        if beats > 1 {
            m.when(taken, || number.set(row_end.mux(number.zeros(number.width()), number + 1)));
            m.when(begins, || number.set(0));
        }
        let term = Term { comes: taken & !failed, number, ends: row_end };
        let beat = Beat { term, last: last_row, data, scale: io.scale.map(|scale| scale.payload.data) };
        Rows { ready, under_way, ends, beat, token, scales_over, finds }
    }
}
