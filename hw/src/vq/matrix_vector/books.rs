//! The books of the tiles: each is loaded while the one before is read.

use super::super::cache_types::*;
use super::super::codebook_cache::codebook_cache;
use super::super::group_books::group_books;
use super::super::residual_books::{ResidualBooksPorts, ResidualParams, residual_books};
use super::params::MatrixParams;
use super::types::{BooksWord, MatrixOutcome, MatrixVectorPorts, Phase};
use hdl::*;

/// What keeps books: a cache of those of tiles, or all of those of groups or residuals.
#[derive(Clone, Copy)]
pub(super) struct Cache {
    pub load: Stream,
    pub words: Stream<BookWord>,
    pub loaded: Stream<Loaded>,
    pub read: Read,
}

/// How books are read.
#[derive(Clone, Copy)]
pub(super) enum Read {
    /// Those of tiles or groups.
    Beats(Stream<Access>, Stream<Entries>),
    /// Those of residuals.
    Residuals(ResidualBooksPorts),
}

impl Cache {
    #[module]
    pub(super) fn new(m: Module, p: MatrixParams) -> Result<Option<Cache>, Errors> {
        let Some(cache) = p.cache() else { return Ok(None) };
        if let Some(groups) = p.groups() {
            let books = m.instance(&group_books(groups)?);
            return Ok(Some(Cache {
                load: books.load,
                words: books.words,
                loaded: books.loaded,
                read: Read::Beats(books.s, books.m),
            }));
        }
        if let Some(residuals) = p.residual_books() {
            let books = m.instance(&residual_books(residuals)?);
            let read = Read::Residuals(books.ports);
            return Ok(Some(Cache { load: books.load, words: books.words, loaded: books.loaded, read }));
        }
        let cache = m.instance(&codebook_cache(cache)?);
        cache.fault.ready.set(m.lit(1u32, 1));
        Ok(Some(Cache {
            load: cache.load,
            words: cache.words,
            loaded: cache.loaded,
            read: Read::Beats(cache.s, cache.m),
        }))
    }
}

/// What is known of the books.
#[derive(Clone, Copy)]
pub(super) struct Books {
    /// The book of the next tile is there, or those of all its groups.
    pub there: Signal,
    /// There is a book that no tile reads yet.
    pub waits: Signal,
    /// It will not come: it is damaged, or there is none.
    pub missing: Signal,
    /// How the command ends for it.
    pub outcome: StateSignal<MatrixOutcome>,
    /// It is damaged, at this byte.
    pub damaged: Signal,
    pub position: Signal,
    /// The number of the book that was loaded last, from 0.
    pub number: Signal,
    /// All words of the command's books were there.
    pub over: Signal,
    /// No load is under way.
    pub idle: Signal,
    /// A book that no tile reads is thrown away.
    pub flushes: Signal,
}

/// Where the loads of a command are.
#[derive(Clone, Copy)]
struct Loads {
    /// The number of the next book, as books tell theirs.
    id: Signal,
    /// A load is under way.
    loading: Signal,
    /// The number of the book that comes, or came last, from 0.
    number: Signal,
    /// That of the one behind it.
    next: Signal,
    /// All books of the next tile are there.
    there: Signal,
    /// A book is there that is not read yet.
    waits: Signal,
}

impl Loads {
    #[module]
    fn new(m: Module) -> Loads {
        let id = m.reg_reset(bits(ID_BITS), 0).comment("the number of the next book");
        let loading = m.reg_reset(bits(1), 0).comment("a load is under way");
        let number = m.reg_reset(bits(ID_BITS), 0).comment("the book that comes, or came last");
        let next = m.reg_reset(bits(ID_BITS), 0).comment("the one behind it");
        let there = m.reg_reset(bits(1), 0).comment("all books of the next tile are there");
        let waits = m.reg_reset(bits(1), 0).comment("a book is there that is not read yet");
        Loads { id, loading, number, next, there, waits }
    }

    /// A load begins, and what was loaded is read or thrown away. Where a load ends, that comes later and counts.
    #[module]
    fn follow(self, m: Module, loads: Signal, used: Signal) {
        let Loads { id, loading, number, next, there, waits } = self;
        m.when(loads, || {
            loading.set(1);
            id.set(id + 1);
            number.set(next);
            next.set(next + 1);
        });
        m.when(used, || {
            there.set(0);
            waits.set(0);
        });
    }

    /// A load ends. `whole`: with it all books of the tile are there.
    fn end(self, m: Module, okay: Signal, whole: Signal) {
        self.loading.set(0);
        self.there.set(okay & whole);
        m.when(okay, || self.waits.set(1));
    }
}

/// How loads ended.
#[derive(Clone, Copy)]
struct Ended {
    /// The book of the next tile is damaged: how, and at which byte.
    damaged: Signal,
    how: StateSignal<LoadOutcome>,
    position: Signal,
    /// The last word of all books was there.
    over: Signal,
}

impl Ended {
    #[module]
    fn new(m: Module, cache: Cache) -> Ended {
        let damaged = m.reg_reset(bits(1), 0).comment("the book of the next tile is damaged");
        let over = m.reg_reset(bits(1), 0).comment("the last word of all books was there");
        let how = m.reg(state::<LoadOutcome>());
        let position = m.reg(bits(cache.loaded.payload.position.width()));
        Ended { damaged, how, position, over }
    }

    /// A load ends.
    fn end(self, okay: Signal, loaded: Loaded) {
        self.damaged.set(!okay);
        self.how.set(loaded.outcome);
        self.position.set(loaded.position);
    }

    /// What is known of the books.
    #[module]
    fn known(self, m: Module, loads: Loads, flushes: Signal) -> Books {
        let Ended { damaged, how, position, over } = self;
        let Loads { loading, there, waits, number, .. } = loads;
        let outcome = damaged.mux(outcome_of(m, how), m.lit_state(MatrixOutcome::Books));
        let missing = damaged | (over & !loading & !there);
        Books { there, waits, missing, outcome, damaged, position, number, over, idle: !loading, flushes }
    }
}

/// Loads the books of a command. `empty`: no row is on its way; `switched`: the book that is there is read from now on.
#[module]
pub(super) fn load_books(
    m: Module,
    io: &MatrixVectorPorts,
    (phase, empty): (StateSignal<Phase>, Signal),
    cache: Option<Cache>,
    switched: Signal,
    p: MatrixParams,
) -> Option<Books> {
    let (cache, words, first) = (cache?, io.books?, io.command.payload.first?);
    m.section("books");
    let begins = io.command.transfer();
    let loads = Loads::new(m);
    let Loads { loading, there, waits, .. } = loads;
    let whole = last_of_tile(m, io, switched, (cache.loaded.valid, begins), p);
    let ended = Ended::new(m, cache);
    let Ended { damaged, over, .. } = ended;

    let used = books_used(m, (begins, switched), p);
    cache.load.valid.set(phase.is(Phase::Run) & !(loading | there | damaged | over | used));
    cache.load.payload.set(loads.id);
    let dropped = (phase.is(Phase::Drain) | phase.is(Phase::Finish)) & !loading & !over;
    pass_words(cache, words, loading, dropped);
    cache.loaded.ready.set(m.lit(1u32, 1));

    let ends = cache.loaded.valid;
    let okay = cache.loaded.payload.outcome.is(LoadOutcome::Okay);
    // the last row's indices are on their way to their book when the command's words have ended
    let flushes = phase.is(Phase::Finish) & waits & empty & !loading;
    loads.follow(m, cache.load.transfer(), switched | flushes);
    m.when(ends, || {
        loads.end(m, okay, whole);
        ended.end(okay, cache.loaded.payload);
    });
    m.when(words.transfer() & words.payload.end, || over.set(1));
    m.when(begins, || {
        loads.id.set(first);
        loads.next.set(0);
        damaged.set(0);
        over.set(0);
    });
    Some(ended.known(m, loads, flushes))
}

/// Whether the only place for books is read: one too many is not loaded there.
#[module]
fn books_used(m: Module, (begins, switched): (Signal, Signal), p: MatrixParams) -> Signal {
    if p.residual_books().is_none() {
        return m.lit(0u32, 1);
    }
    let used = m.reg_reset(bits(1), 0).comment("the books are read");
    m.when(switched, || used.set(1));
    m.when(begins, || used.set(0));
    used
}

/// Words go to the load that is under way, or are dropped. The last word of all ends its book, too.
fn pass_words(cache: Cache, words: Stream<BooksWord>, loading: Signal, dropped: Signal) {
    cache.words.valid.set(words.valid & loading);
    let BooksWord { word, end } = words.payload;
    cache.words.payload.set(BookWord { last: word.last | end, ..word });
    words.ready.set((cache.words.ready & loading) | dropped);
}

/// Whether the book that was loaded is the last one of its tile.
#[module]
fn last_of_tile(
    m: Module,
    io: &MatrixVectorPorts,
    switched: Signal,
    (loaded, begins): (Signal, Signal),
    p: MatrixParams,
) -> Signal {
    if let Some(ResidualParams { residuals, .. }) = p.residual_books() {
        let residual = m.reg_reset(bits(clog2(residuals as usize)), 0).comment("the residual whose book comes");
        m.when(loaded, || residual.set(residual + 1));
        m.when(switched | begins, || residual.set(0));
        return residual.eq(residuals - 1);
    }
    if p.groups().is_none() {
        return m.lit(1u32, 1);
    }
    let columns = io.command.payload.columns;
    let groups = if p.vector() == 1 { columns } else { columns.drop_low(p.vector().ilog2()) };
    let last = m.reg_reset(bits(groups.width()), 0).comment("the last group");
    let group = m.reg_reset(bits(groups.width()), 0).comment("the group whose book comes");
    m.when(loaded, || group.set(group + 1));
    m.when(switched | begins, || group.set(0));
    m.when(begins, || last.set(groups - 1));
    group.eq(last)
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
