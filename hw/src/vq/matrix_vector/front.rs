//! Words of indices are taken, and become beats.

use super::super::cache_types::BookWord;
use super::super::scales::{Scale, scales_over};
use super::books::Books;
use super::entries::{Beat, Flags};
use super::params::MatrixParams;
use super::types::{MatrixOutcome, MatrixVectorPorts, Phase};
use super::walk::Walk;
use hdl::logic::UpDown;
use hdl::*;

/// Rows that are on their way.
#[derive(Clone, Copy)]
pub(super) struct Flow {
    /// Rows of tiles that are not added up.
    adding: UpDown,
    /// Rows of the matrix whose products were not taken.
    waiting: UpDown,
    /// There is room for another one.
    room: Signal,
}

impl Flow {
    #[module]
    pub(super) fn new(m: Module, p: MatrixParams) -> Flow {
        m.section("rows that are on their way");
        let (adding, waiting) = (UpDown::new(m, p.depth()), UpDown::new(m, p.depth()));
        let room = m.reg_reset(bits(1), 1).comment("there is room for another row");
        room.set(waiting.level.lt(p.depth() - 1));
        Flow { adding, waiting, room }
    }

    #[module]
    pub(super) fn count(self, front: Front, walk: Walk, added: Signal, taken: Signal) {
        self.adding.count(front.ends, added);
        self.waiting.count(front.ends & walk.last_across, taken);
    }

    /// No row is on its way.
    #[module]
    pub(super) fn is_empty(self) -> Signal {
        self.adding.is_empty() & self.waiting.is_empty()
    }

    /// The row of the tile to the left, which the next one is added to, is in the memory; where there is none, always.
    #[module]
    fn row_is_there(self, m: Module, walk: Walk, p: MatrixParams) -> Signal {
        if !p.several_tiles() {
            return m.lit(1u32, 1);
        }
        let level = self.adding.level;
        let width = level.width().max(walk.rows.width());
        walk.first_across | level.zext(width).le(walk.rows.zext(width))
    }
}

/// What comes of the words.
#[derive(Clone, Copy)]
pub(super) struct Front {
    /// A beat was taken.
    pub steps: Signal,
    /// A word was taken with it.
    pub taken: Signal,
    /// The beat is believed.
    pub comes: Signal,
    pub beat: Beat,
    /// With it a row of the tile is whole.
    pub ends: Signal,
    /// What is wrong with the word that comes.
    pub finds: StateSignal<MatrixOutcome>,
    /// The command's last scale was there, if rows have scales.
    pub scales_over: Signal,
}

/// Takes words.
#[module]
pub(super) fn take_words(
    m: Module,
    io: &MatrixVectorPorts,
    (words, scale): (Stream<BookWord>, Option<Stream<Scale>>),
    (phase, walk, books): (StateSignal<Phase>, Walk, Option<Books>),
    flow: Flow,
    p: MatrixParams,
) -> Front {
    let there = flow.room & flow.row_is_there(m, walk, p);
    m.section("words become beats");
    let BookWord { data, last, failed } = words.payload;
    let book_there = books.map_or(m.lit(1u32, 1), |books| books.there | !walk.begins);
    let goes = phase.is(Phase::Run) & there & book_there;
    let wants_scale = walk.word_ends & walk.row_ends & walk.last_across;
    let scale_there = scale.map_or(m.lit(1u32, 1), |scale| scale.valid | !wants_scale);
    let steps = goes & scale_there & words.valid;
    words.ready.set((goes & scale_there & walk.word_ends) | phase.is(Phase::Drain));
    let taken = steps & walk.word_ends;
    let comes = steps & !(failed & walk.word_ends);
    let scales_over = scales_over(m, io.command.transfer(), scale);
    if let Some(scale) = scale {
        let left_over = (phase.is(Phase::Drain) | phase.is(Phase::Finish)) & !scales_over;
        scale.ready.set((goes & words.valid & wants_scale) | left_over);
    }

    let finds = m.wire(state::<MatrixOutcome>());
    finds.set(m.lit_state(MatrixOutcome::Okay));
    let all = walk.row_ends & walk.last_row;
    if let Some(scale) = scale {
        m.when(wants_scale & scale.payload.last.ne(walk.last_row), || finds.set(m.lit_state(MatrixOutcome::Scales)));
    }
    m.when(!last & all, || finds.set(m.lit_state(MatrixOutcome::Long)));
    m.when(last & !all, || finds.set(m.lit_state(MatrixOutcome::Short)));
    m.when(failed, || finds.set(m.lit_state(MatrixOutcome::Bus)));

    let flags = Flags {
        number: walk.number,
        ends: walk.row_ends,
        first_row: !walk.row.any(),
        first_across: walk.first_across,
        last_across: walk.last_across,
        last: walk.last_row,
        scale: scale.map(|scale| scale.payload.data),
    };
    let parts = data.lanes(p.beat_bits());
    let data = walk.part.map_or(data, |part| Vector::of(parts).at(part));
    let number = walk.number.zext(p.place_bits().max(walk.number.width())).trunc(p.place_bits());
    let beat = Beat { flags, data, place: walk.base + number, begins: walk.begins };
    Front { steps, taken, comes, beat, ends: comes & walk.row_ends, finds, scales_over }
}
