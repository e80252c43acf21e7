//! The books of the tiles: each is loaded while the one before is read.

use super::super::cache_types::*;
use super::super::codebook_cache::CodebookCachePorts;
use super::types::{BooksWord, MatrixOutcome, MatrixVectorPorts, Phase};
use hdl::*;

/// What is known of the books.
#[derive(Clone, Copy)]
pub(super) struct Books {
    /// The book of the next tile is there.
    pub there: Signal,
    /// It will not come: it is damaged, or there is none.
    pub missing: Signal,
    /// How the command ends for it.
    pub outcome: StateSignal<MatrixOutcome>,
    /// It is damaged, at this byte.
    pub damaged: Signal,
    pub position: Signal,
    /// All words of the command's books were there.
    pub over: Signal,
    /// No load is under way.
    pub idle: Signal,
    /// A book that no tile reads is thrown away.
    pub flushes: Signal,
}

/// Loads the books of a command. `switched`: the book that is there is read from now on.
#[module]
pub(super) fn load_books(
    m: Module,
    io: &MatrixVectorPorts,
    phase: StateSignal<Phase>,
    cache: &Instance<CodebookCachePorts>,
    switched: Signal,
) -> Option<Books> {
    let (words, first) = (io.books?, io.command.payload.first?);
    m.section("books");
    let begins = io.command.transfer();
    let id = m.reg_reset(bits(ID_BITS), 0).comment("the number of the next book");
    let loading = m.reg_reset(bits(1), 0).comment("a load is under way");
    let there = m.reg_reset(bits(1), 0).comment("a book is there that is not read yet");
    let damaged = m.reg_reset(bits(1), 0).comment("the book of the next tile is damaged");
    let over = m.reg_reset(bits(1), 0).comment("the last word of all books was there");
    let how = m.reg(state::<LoadOutcome>());
    let position = m.reg(bits(cache.loaded.payload.position.width()));

    cache.load.valid.set(phase.is(Phase::Run) & !(loading | there | damaged | over));
    cache.load.payload.set(id);
    let dropped = (phase.is(Phase::Drain) | phase.is(Phase::Finish)) & !loading & !over;
    cache.words.valid.set(words.valid & loading);
    let BooksWord { word, end } = words.payload;
    cache.words.payload.set(BookWord { last: word.last | end, ..word });
    words.ready.set((cache.words.ready & loading) | dropped);
    cache.loaded.ready.set(m.lit(1u32, 1));

    let ends = cache.loaded.valid;
    let okay = cache.loaded.payload.outcome.is(LoadOutcome::Okay);
    let flushes = phase.is(Phase::Finish) & there;
    m.when(cache.load.transfer(), || {
        loading.set(1);
        id.set(id + 1);
    });
    m.when(switched | flushes, || there.set(0));
    m.when(ends, || {
        loading.set(0);
        there.set(okay);
        damaged.set(!okay);
        how.set(cache.loaded.payload.outcome);
        position.set(cache.loaded.payload.position);
    });
    m.when(words.transfer() & end, || over.set(1));
    m.when(begins, || {
        id.set(first);
        damaged.set(0);
        over.set(0);
    });
    let outcome = damaged.mux(outcome_of(m, how), m.lit_state(MatrixOutcome::Books));
    let missing = damaged | (over & !loading & !there);
    Some(Books { there, missing, outcome, damaged, position, over, idle: !loading, flushes })
}

/// How a command ends if a load ended so.
#[module]
fn outcome_of(m: Module, load: StateSignal<LoadOutcome>) -> StateSignal<MatrixOutcome> {
    let outcome = m.wire(state::<MatrixOutcome>());
    outcome.set(m.lit_state(MatrixOutcome::Okay));
    let pairs = [
        (LoadOutcome::Bus, MatrixOutcome::Bus),
        (LoadOutcome::Large, MatrixOutcome::Large),
        (LoadOutcome::Short, MatrixOutcome::Short),
        (LoadOutcome::Long, MatrixOutcome::Long),
        (LoadOutcome::Crc, MatrixOutcome::Crc),
        (LoadOutcome::Id, MatrixOutcome::Id),
        (LoadOutcome::Number, MatrixOutcome::Number),
        (LoadOutcome::Padding, MatrixOutcome::Padding),
    ];
    for (load_outcome, ends) in pairs {
        m.when(load.is(load_outcome), || outcome.set(m.lit_state(ends)));
    }
    outcome
}
