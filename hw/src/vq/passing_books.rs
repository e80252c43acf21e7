//! Books that stream by, one for each index position (docs/vq-format.md, section 4): they are checked, and their entries go on.
//!
//! | port | |
//! | --- | --- |
//! | `command` | books come. Taken when the one before has ended and its report was taken; from registers |
//! | `words` | the books in their order, as they stand in a file; `words_ready` is made of registers |
//! | `passing` | a word of entries, or a place of the table without entries; registers |
//! | `done` | how it ended; registers |
//!
//! - Parameters: those of [`TableParams`]; whether rows of tokens follow the books in the same command; `settle`, cycles from the last entries to
//!   the report.
//! - Throughput: a word a cycle. A book takes a cycle for its first word, one for each word that a full one has, and one in which it is checked.
//!   What is wrong is seen a cycle later, when the next book may begin.
//! - Latency: 1 cycle from a word to `passing`. No combinational paths.
//! - A book with fewer entries than a table has room for takes as long as a full one: the places without an entry come with no bit in `there`.
//! - A command that fails is read to its `last`.

use super::cache_types::{BookWord, COUNT_BITS, ID_BITS, WORD_NUMBERS, book_word, not_finite};
use super::table_types::*;
use crate::stream::crc32::{REGISTER_BITS, crc32_step};
use hdl::logic::first_one;
use hdl::*;

/// Entries that pass.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Passing {
    /// There are some.
    pub comes: Signal,
    /// The index position that the book belongs to.
    pub position: Signal,
    /// The number of the word in a book, from its first entry on.
    pub word: Signal,
    /// For each entry that begins in a word a bit: the book has it. All are alike if the entry is longer than a word.
    pub there: Signal,
    /// Four numbers.
    pub data: Signal,
}

/// The shape of entries that pass.
pub fn passing(p: TableParams) -> Passing {
    Passing {
        comes: bits(1),
        position: bits(p.position_bits()),
        word: bits(p.word_bits()),
        there: bits(p.entries_of_word()),
        data: bits(16 * WORD_NUMBERS),
    }
}

ports! {
    /// Ports of books that pass.
    pub struct PassingBooksPorts(p: TableParams) {
        /// Books come.
        input command: Stream<BooksAhead> = stream(books_ahead()),
        /// The books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Their entries.
        output passing: Passing = passing(p),
        /// How it ended.
        output done: Stream<TableReport> = stream(table_report(p)),
    }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// No command.
    Idle,
    /// The first word of a book comes.
    Head,
    /// Entries come.
    Body,
    /// The places behind them.
    Fill,
    /// Its last word was there.
    Check,
    /// It has failed, and words are dropped.
    Drain,
    /// The last entries are on their way.
    Settle,
    /// The report waits.
    Report,
}

/// What the books need to know of the units around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// Rows of tokens follow the books in the same command: no word of a book is the last one.
    pub rows_follow: bool,
    /// Cycles from the last entries to the report, 1 or more.
    pub settle: u32,
}

/// Books that pass.
#[module]
pub fn passing_books(p: TableParams, around: Around) -> Result<Design<PassingBooksPorts>, Errors> {
    let rows = if around.rows_follow { "_rows" } else { "" };
    let name = format!("passing_books_{}x{}_{}{rows}", p.entries, p.vector, p.positions);
    p.check(&name)?;
    if around.settle == 0 {
        return Err(Errors::parameter(&name, "settle = 0", "1 or more: the last book is judged in the first cycle"));
    }
    let m = Module::new(name);
    m.doc("Books that stream by: they are checked, and their entries go on.");
    let io = PassingBooksPorts::new(m, p);

    m.section("where it is");
    let phase = m.state(Phase::Idle);
    let position = m.reg_reset(bits(p.position_bits()), 0).comment("the position of the book");
    let word = m.reg_reset(bits(p.word_bits()), 0).comment("the word of the book");
    let at = m.reg(bits(p.place_bits() - 3)).comment("the word of the command");
    let begins = io.command.transfer();
    let [in_head, in_body, in_fill] = [Phase::Head, Phase::Body, Phase::Fill].map(|x| phase.is(x));
    let over = m.reg_reset(bits(1), 0).comment("the last word of the command was there");
    io.words.ready.set(in_head | in_body | (phase.is(Phase::Drain) & !over));
    let [heads, bodies] = [in_head, in_body].map(|x| x & io.words.valid);
    let spot = Spot { phase, position, word, at, over, begins, heads, bodies };

    let book = Book::new(m, io.words.payload, io.command.payload.first, spot, p);
    let crc = checked(m, io.words.payload.data, spot, book.count_less_1, p)?;
    let number = wrong_number(m, io.words.payload.data, spot);
    let found = Found { book, crc, number };

    m.section("entries");
    let entries = m.reg(passing(p));
    let comes = m.reg_reset(bits(1), 0);
    comes.set(bodies | in_fill);
    let there = book.there & in_body.repeat(p.entries_of_word());
    entries.set(Passing { comes, position, word, there, data: io.words.payload.data });
    io.passing.set(Passing { comes, ..entries });

    let ended = follow(m, &io, spot, found, around, p);
    report(m, &io, spot, ended, around, p);
    m.finish(io)
}

/// Where a command is.
#[derive(Clone, Copy)]
struct Spot {
    phase: StateSignal<Phase>,
    position: Signal,
    word: Signal,
    at: Signal,
    over: Signal,
    /// A command begins.
    begins: Signal,
    /// The first word of a book comes.
    heads: Signal,
    /// A word of entries comes.
    bodies: Signal,
}

/// What the first word of a book says.
#[derive(Clone, Copy)]
struct Book {
    count_less_1: Signal,
    /// There are more entries than places; of the word that comes.
    too_large: Signal,
    /// It is another book than the next one.
    other: Signal,
    /// The word of the command.
    start: Signal,
    /// The word is the last one with entries.
    last_word: Signal,
    /// The entries of the word that the book has.
    there: Signal,
}

impl Book {
    #[module]
    fn new(m: Module, words: BookWord, first: Signal, spot: Spot, p: TableParams) -> Book {
        m.section("what a book says of itself");
        let entry_bits = p.entry_bits();
        let count_less_1 = m.reg(bits(entry_bits));
        let other = m.reg(bits(1)).comment("it is another book");
        let start = m.reg(bits(spot.at.width())).comment("its first word");
        let id = m.reg(bits(ID_BITS)).comment("the number that it must have");
        let count = words.data.trunc(COUNT_BITS);
        m.when(spot.begins, || id.set(first));
        m.when(spot.heads, || {
            count_less_1.set(count.trunc(entry_bits));
            other.set(words.data.bits(COUNT_BITS + ID_BITS - 1, COUNT_BITS).ne(id));
            start.set(spot.at);
            id.set(id + 1);
        });
        // the last word with entries: known a cycle before, as what comes of it takes most of one
        let last_word = m.reg(bits(1)).comment("the word is the last one with entries");
        let last_of = |count_less_1: Signal| match (p.entries_of_word().ilog2(), p.words_of_entry().ilog2()) {
            (0, 0) => count_less_1,
            (0, pieces) => count_less_1.cat(m.lit((1u32 << pieces) - 1, pieces)),
            (low, _) => count_less_1.drop_low(low),
        };
        m.when(spot.bodies, || last_word.set((spot.word + 1).eq(last_of(count_less_1))));
        m.when(spot.heads, || last_word.set(!last_of(count.trunc(entry_bits)).any()));
        let in_last = |i: u32| count_less_1.trunc(p.entries_of_word().ilog2()).ge(i);
        let there = (0..p.entries_of_word()).map(|i| if i == 0 { m.lit(1u32, 1) } else { !last_word | in_last(i) });
        let there = Vector::of(there).pack();
        let too_large = count.drop_low(entry_bits).any();
        Book { count_less_1, too_large, other, start, last_word, there }
    }
}

/// How the CRC-32 of a book stands.
#[derive(Clone, Copy)]
struct Checked {
    /// It was not that of the first word in the cycle before.
    wrong: Signal,
    /// Both are there to be compared.
    ready: Signal,
}

/// The register of the CRC-32, over the first 4 bytes and all words of entries, beside what it must become.
///
/// What fills the last word is zero, but does not count: the register of the first word is taken over as many zeros meanwhile, a bit in a cycle.
#[module]
fn checked(m: Module, data: Signal, spot: Spot, count_less_1: Signal, p: TableParams) -> Result<Checked, Errors> {
    m.section("CRC-32");
    let step = m.instance(&crc32_step(data.width())?);
    let register = m.reg(bits(REGISTER_BITS));
    // behind a register of 0, half a word in front of a whole one may be zeros
    let head = (!data.trunc(REGISTER_BITS)).cat(data.zeros(data.width() - REGISTER_BITS));
    let in_head = spot.phase.is(Phase::Head);
    step.crc.set(register & (!in_head).repeat(REGISTER_BITS));
    step.data.set(in_head.mux(head, data));
    m.when(spot.heads | spot.bodies, || register.set(step.next));
    let wanted = m.reg(bits(REGISTER_BITS));
    let wrong = m.reg(bits(1)).comment("a cycle before it was not that of the book");
    wrong.set(register.ne(wanted));
    if p.vector >= WORD_NUMBERS {
        m.when(spot.heads, || wanted.set(!data.drop_low(32)));
        return Ok(Checked { wrong, ready: m.lit(1u32, 1) });
    }
    let low = p.entries_of_word().ilog2();
    let zeros = 16 * p.vector;
    let left = m.reg_reset(bits(clog2(16 * WORD_NUMBERS as usize)), 0).comment("zeros that are to be taken");
    let begun = m.reg_reset(bits(1), 0).comment("the number of them is known");
    let one = m.instance(&crc32_step(1)?);
    one.crc.set(wanted);
    one.data.set(m.lit(0u32, 1));
    begun.set(spot.heads);
    m.when(left.any(), || {
        left.set(left - 1);
        wanted.set(one.next);
    });
    m.when(begun, || left.set((!count_less_1.trunc(low)).cat(m.lit(0u32, zeros.ilog2()))));
    m.when(spot.heads, || {
        left.set(0); // of a book that failed
        wanted.set(!data.drop_low(32));
    });
    Ok(Checked { wrong, ready: !left.any() })
}

/// Numbers that are infinite or NaN.
#[derive(Clone, Copy)]
struct WrongNumber {
    /// The book has one.
    any: Signal,
    /// The word that comes has the book's first one.
    comes: Signal,
    /// Which one of the word it is.
    index: Signal,
}

#[module]
fn wrong_number(m: Module, data: Signal, spot: Spot) -> WrongNumber {
    m.section("infinite numbers, and NaN");
    let any = m.reg_reset(bits(1), 0).comment("there is one");
    let first = first_one(Vector::of(not_finite(data)).pack());
    let comes = spot.bodies & first.any & !any;
    m.when(spot.heads, || any.set(0));
    m.when(comes, || any.set(1));
    WrongNumber { any, comes, index: first.index }
}

/// What is known of a book.
#[derive(Clone, Copy)]
struct Found {
    book: Book,
    crc: Checked,
    number: WrongNumber,
}

/// How a command ended.
#[derive(Clone, Copy)]
struct Ended {
    outcome: StateSignal<TableOutcome>,
    /// In numbers.
    place: Signal,
}

/// Goes from book to book.
#[module]
fn follow(m: Module, io: &PassingBooksPorts, spot: Spot, found: Found, around: Around, p: TableParams) -> Ended {
    m.section("from book to book");
    let Spot { phase, position, word, at, over, begins, heads, bodies } = spot;
    let outcome = m.state(TableOutcome::Okay);
    let place = m
        .reg(bits(at.width() + WORD_NUMBERS.ilog2()))
        .comment("where it failed, in numbers; of a book so far, its first wrong number");
    let last_book = position.eq(p.positions - 1);
    let taken = heads | bodies;
    let ends_book = bodies & found.book.last_word;
    let ends_all = if around.rows_follow { m.lit(0u32, 1) } else { ends_book & last_book };
    let (fails, finds) = look_at(m, io.words.payload, [taken, heads], ends_all, found.book);
    let (judges, judged) = judge(m, phase, found);

    m.when(io.words.transfer(), || {
        over.set(io.words.payload.last);
        at.set(at + 1);
    });
    m.when(begins, || {
        over.set(0);
        at.set(0);
        position.set(0);
        outcome.set(io.command.payload.refused);
        place.set(0);
    });
    m.when(bodies | phase.is(Phase::Fill), || word.set(word + 1));
    m.when(phase.is(Phase::Head), || word.set(0));
    let index = found.number.index & (!fails).repeat(2);
    m.when(fails | found.number.comes, || place.set(at.cat(index)));
    m.when(fails, || outcome.set(finds));
    let refused = !io.command.payload.refused.is(TableOutcome::Okay);
    m.switch(phase, |s| {
        s.case(Phase::Idle, || {
            m.when(begins, || phase.set(refused.mux(m.lit_state(Phase::Drain), m.lit_state(Phase::Head))));
        });
        s.case(Phase::Head, || {
            m.when(heads, || phase.set(fails.mux(m.lit_state(Phase::Drain), m.lit_state(Phase::Body))))
        });
        s.case(Phase::Body, || {
            m.when(ends_book, || phase.set(word.all().mux(m.lit_state(Phase::Check), m.lit_state(Phase::Fill))));
            m.when(fails, || phase.set(Phase::Drain));
        });
        s.case(Phase::Fill, || m.when(word.all(), || phase.set(Phase::Check)));
        s.case(Phase::Check, || {
            m.when(found.crc.ready, || {
                position.set(position + 1);
                phase.set(last_book.mux(m.lit_state(Phase::Settle), m.lit_state(Phase::Head)));
            })
        });
        s.case(Phase::Drain, || m.when(over, || phase.set(Phase::Settle)));
        s.case_any([Phase::Settle, Phase::Report], || ());
    });
    // whatever the word is that comes with it
    m.when(judges & !judged.is(TableOutcome::Okay), || {
        outcome.set(judged);
        phase.set(Phase::Drain);
        place.set(judged.is(TableOutcome::Number).mux(place, found.book.start.cat(place.zeros(2))));
    });
    Ended { outcome, place }
}

/// Whether a command fails, and how.
type Failure = (Signal, StateSignal<TableOutcome>);

/// Whether the word that is taken fails, and why: `heads` tells that it is a book's first one, `ends_all` that it must be the last one.
#[module]
fn look_at(m: Module, word: BookWord, [taken, heads]: [Signal; 2], ends_all: Signal, book: Book) -> Failure {
    let finds = m.wire(state::<TableOutcome>());
    finds.set(m.lit_state(TableOutcome::Okay));
    m.when(word.last & !ends_all, || finds.set(m.lit_state(TableOutcome::Short)));
    m.when(!word.last & ends_all, || finds.set(m.lit_state(TableOutcome::Long)));
    m.when(heads & book.too_large, || finds.set(m.lit_state(TableOutcome::Large)));
    m.when(word.failed, || finds.set(m.lit_state(TableOutcome::Bus)));
    let fails = taken & (word.failed | (heads & book.too_large) | word.last.ne(ends_all));
    (fails, finds)
}

/// Whether a book is judged, and how: a cycle behind the check, when it goes on as if all were well, as the comparison of the CRC has a cycle of its own.
#[module]
fn judge(m: Module, phase: StateSignal<Phase>, found: Found) -> Failure {
    let judges = m.reg_reset(bits(1), 0).comment("a book is judged");
    judges.set(phase.is(Phase::Check) & found.crc.ready);
    let judged = m.wire(state::<TableOutcome>());
    judged.set(m.lit_state(TableOutcome::Okay));
    m.when(found.number.any, || judged.set(m.lit_state(TableOutcome::Number)));
    m.when(found.book.other, || judged.set(m.lit_state(TableOutcome::Id)));
    m.when(found.crc.wrong, || judged.set(m.lit_state(TableOutcome::Crc)));
    (judges, judged)
}

/// Waits for the last entries, and tells how it ended.
#[module]
fn report(m: Module, io: &PassingBooksPorts, spot: Spot, ended: Ended, around: Around, p: TableParams) {
    m.section("how it ended");
    let phase = spot.phase;
    let waited = m.reg_reset(bits(clog2(around.settle as usize + 1)), 0);
    m.when(phase.is(Phase::Settle), || {
        waited.set(waited + 1);
        m.when(waited.eq(around.settle), || phase.set(Phase::Report));
    })
    .otherwise(|| waited.set(0));
    m.when(io.done.transfer(), || phase.set(Phase::Idle));
    io.command.ready.set(phase.is(Phase::Idle));
    io.done.valid.set(phase.is(Phase::Report));
    let position = ended.place.cat(m.lit(0u32, 1));
    let position = position.zext(p.place_bits());
    io.done.payload.set(TableReport { outcome: ended.outcome, in_rows: m.lit(0u32, 1), position });
}
