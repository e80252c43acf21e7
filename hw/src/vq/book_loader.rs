//! Loads a codebook (docs/vq-format.md, section 4): words of a bus become entries to be written, and the book is checked on the way.
//!
//! | port | |
//! | --- | --- |
//! | `load` | a load begins: the number of the book that is expected. Taken while no other one is under way, `free` is 1 and the last report was taken; made of registers and `free` |
//! | `free` | there is a place for the entries; looked at when a load begins |
//! | `words` | the book: its first 8 bytes, then the entries, filled up with zeros. `words_ready` follows `words_valid` within the cycle |
//! | `loaded` | how a load ended; registers |
//! | `write` | an entry; registers |
//! | `busy` | a load is under way; from registers |
//! | `good` | in its last cycle: it is a book, all of whose entries were written |
//! | `last_index` | entries of the book, less 1; held until the next load has brought its first word |
//!
//! - Parameters: those of [`CacheParams`] (without `lanes`). Throughput: [`CacheParams::piece_numbers`] numbers a cycle: a word a cycle for vectors
//!   of 4, 8, 12 or 16.
//! - Latency: 2 cycles from the last word to `loaded`, 1 to `good`. Combinational paths: from `free` to `load_ready`, from `words_valid` to `words_ready`.
//! - A load that fails is read to its `last`. Nothing behind the word in which it failed is written.

use super::cache_types::*;
use crate::stream::crc32::{REGISTER_BITS, crc32_step};
use hdl::logic::first_one;
use hdl::*;

/// An entry to be written.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct EntryWrite {
    /// It is one.
    pub enable: Signal,
    /// Its index.
    pub index: Signal,
    /// Its numbers, the first one low.
    pub entry: Signal,
}

ports! {
    /// Ports of a loader.
    pub struct BookLoaderPorts(p: CacheParams) {
        /// A load begins.
        input load: Stream = stream(bits(ID_BITS)),
        /// There is a place.
        input free: Signal = bits(1),
        /// The book.
        input words: Stream<BookWord> = stream(book_word()),
        /// How it ended.
        output loaded: Stream<Loaded> = stream(loaded(p)),
        /// An entry.
        output write: EntryWrite = EntryWrite { enable: bits(1), index: bits(p.index_bits()), entry: bits(p.entry_bits()) },
        /// A load is under way.
        output busy: Signal = bits(1),
        /// It ends in this cycle, and all is well.
        output good: Signal = bits(1),
        /// Entries less 1.
        output last_index: Signal = bits(p.index_bits()),
    }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// No load.
    Idle,
    /// Its first word comes.
    Head,
    /// Entries come.
    Body,
    /// It has failed, and words are dropped.
    Drain,
    /// Its last word was there.
    Check,
}

/// A loader.
#[module]
pub fn book_loader(p: CacheParams) -> Result<Design<BookLoaderPorts>, Errors> {
    let name = format!("book_loader_{}x{}", p.entries, p.vector);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Loads a codebook: words of a bus become entries, and the book is checked on the way.");
    let io = BookLoaderPorts::new(m, p);

    m.section("a load");
    let phase = m.state(Phase::Idle);
    let reported = m.reg_reset(bits(1), 0).comment("a report waits");
    io.busy.set(!phase.is(Phase::Idle));
    io.load.ready.set(phase.is(Phase::Idle) & io.free & !reported);
    let begins = io.load.transfer();
    let asked = m.reg(bits(ID_BITS)).comment("the number of the book");
    m.when(begins, || asked.set(io.load.payload));

    m.section("words are looked at piece by piece");
    let piece = next_piece(m, io.words, phase, p);
    let head = Head::new(m, io.words.payload.data, piece.ends_word & phase.is(Phase::Head), asked, p);
    io.last_index.set(head.last_index);
    let body = write_entries(m, io.write, piece, begins, head.last_index, p);
    let crc = checked(m, piece, begins, body.done)?;

    let steps = Steps { begins, piece, too_large: head.too_large, complete: body.complete };
    let progress = follow(m, io.words, phase, steps, p);

    m.section("how it ended");
    let numbers = Numbers::new(m, piece, begins, body.done, progress.word, p);
    let outcome = m.wire(state::<LoadOutcome>());
    outcome.set(m.lit_state(LoadOutcome::Okay));
    m.when(body.filled_wrongly, || outcome.set(m.lit_state(LoadOutcome::Padding)));
    m.when(numbers.wrong, || outcome.set(m.lit_state(LoadOutcome::Number)));
    m.when(head.other, || outcome.set(m.lit_state(LoadOutcome::Id)));
    m.when(crc.ne(!head.crc), || outcome.set(m.lit_state(LoadOutcome::Crc)));
    m.when(!progress.failure.is(LoadOutcome::Okay), || outcome.set(progress.failure));
    let ends = phase.is(Phase::Check);
    io.good.set(ends & outcome.is(LoadOutcome::Okay));
    let how = m.reg(state::<LoadOutcome>());
    let at = m.reg(bits(p.position_bits() - 1)).comment("where, in numbers");
    m.when(ends, || {
        how.set(outcome);
        let word = progress.word;
        at.set(outcome.is(LoadOutcome::Number).mux(numbers.place, word.cat(word.zeros(2))));
        m.when(outcome.is(LoadOutcome::Crc) | outcome.is(LoadOutcome::Id), || at.set(0));
    });
    reported.set(ends | (reported & !io.loaded.ready));
    io.loaded.valid.set(reported);
    io.loaded.payload.set(Loaded { id: asked, outcome: how, position: at.cat(at.zeros(1)) });
    m.finish(io)
}

/// What moves a load on.
#[derive(Clone, Copy)]
struct Steps {
    begins: Signal,
    piece: Piece,
    /// The first word says so.
    too_large: Signal,
    /// All entries are there.
    complete: Signal,
}

/// How far a load is.
struct Progress {
    /// The number of the word; it stands where the load fails.
    word: Signal,
    /// What is wrong with the words' number or length.
    failure: StateSignal<LoadOutcome>,
}

/// Takes words until the last one.
#[module]
fn follow(m: Module, words: Stream<BookWord>, phase: StateSignal<Phase>, steps: Steps, p: CacheParams) -> Progress {
    m.section("where it is");
    let Steps { begins, piece, too_large, complete } = steps;
    let word = m.reg_reset(bits(p.place_bits()), 0).comment("the number of the word; it stands where the load fails");
    let failure = m.state(LoadOutcome::Okay);
    let (last, failed) = (words.payload.last, words.payload.failed);
    let finds = m.wire(state::<LoadOutcome>());
    finds.set(m.lit_state(LoadOutcome::Okay));
    m.when(complete & !last, || finds.set(m.lit_state(LoadOutcome::Long)));
    m.when(!complete & last, || finds.set(m.lit_state(LoadOutcome::Short)));
    m.when(phase.is(Phase::Head) & too_large, || finds.set(m.lit_state(LoadOutcome::Large)));
    m.when(failed, || finds.set(m.lit_state(LoadOutcome::Bus)));
    let fails = !finds.is(LoadOutcome::Okay);
    m.when(piece.ends_word, || {
        failure.set(finds);
        m.when(!fails & !last, || word.set(word + 1));
    });
    m.when(begins, || {
        word.set(0);
        failure.set(m.lit_state(LoadOutcome::Okay));
    });
    words.ready.set(piece.ends_word | phase.is(Phase::Drain));
    let goes_on = fails.mux(m.lit_state(Phase::Drain), m.lit_state(Phase::Body));
    m.switch(phase, |s| {
        s.case(Phase::Idle, || m.when(begins, || phase.set(Phase::Head)));
        s.case_any([Phase::Head, Phase::Body], || {
            m.when(piece.ends_word, || phase.set(last.mux(m.lit_state(Phase::Check), goes_on)));
        });
        s.case(Phase::Drain, || m.when(words.valid & last, || phase.set(Phase::Check)));
        s.case(Phase::Check, || phase.set(Phase::Idle));
    });
    Progress { word, failure }
}

/// Numbers that come together.
#[derive(Clone, Copy)]
struct Piece {
    /// There are some.
    comes: Signal,
    /// Of the first word.
    of_head: Signal,
    /// Those of the word that are its last ones.
    ends_word: Signal,
    /// Which of its word.
    number: Signal,
    data: Signal,
}

/// The next numbers of a word.
#[module]
fn next_piece(m: Module, words: Stream<BookWord>, phase: StateSignal<Phase>, p: CacheParams) -> Piece {
    let of_head = phase.is(Phase::Head);
    let comes = words.valid & (of_head | phase.is(Phase::Body));
    let pieces = words.payload.data.lanes(16 * p.piece_numbers());
    if pieces.len() == 1 {
        return Piece { comes, of_head, ends_word: comes, number: m.lit(0u32, 1), data: words.payload.data };
    }
    let number = m.reg_reset(bits(clog2(pieces.len())), 0).comment("the piece of the word");
    m.when(comes, || number.set(number + 1));
    Piece { comes, of_head, ends_word: comes & number.all(), number, data: Vector::of(pieces).at(number) }
}

/// What the first word says.
struct Head {
    /// Entries less 1.
    last_index: Signal,
    /// There are more than a place has; of the word that comes.
    too_large: Signal,
    /// It is another book than the one that was asked for.
    other: Signal,
    crc: Signal,
}

impl Head {
    #[module]
    fn new(m: Module, word: Signal, comes: Signal, asked: Signal, p: CacheParams) -> Head {
        let last_index = m.reg(bits(p.index_bits()));
        let crc = m.reg(bits(REGISTER_BITS));
        let other = m.reg(bits(1)).comment("it is another book");
        let count = word.trunc(COUNT_BITS);
        let too_large = if p.entries == MAX_ENTRIES { count.zeros(1) } else { count.ge(p.entries) };
        m.when(comes, || {
            last_index.set(count.trunc(p.index_bits()));
            crc.set(word.drop_low(32));
            other.set(word.bits(COUNT_BITS + ID_BITS - 1, COUNT_BITS).ne(asked));
        });
        Head { last_index, too_large, other, crc }
    }
}

/// How far the entries are.
struct Body {
    /// All were there before this piece.
    done: Signal,
    /// Or they are there with it.
    complete: Signal,
    /// What came behind them in their word was not zero.
    filled_wrongly: Signal,
}

/// Makes entries of pieces.
#[module]
fn write_entries(
    m: Module,
    write: EntryWrite,
    piece: Piece,
    begins: Signal,
    last_index: Signal,
    p: CacheParams,
) -> Body {
    m.section("entries");
    let comes = piece.comes & !piece.of_head;
    let index = m.reg_reset(bits(p.index_bits()), 0);
    let done = m.reg_reset(bits(1), 0).comment("all entries were there");
    let fills = p.piece_numbers() < WORD_NUMBERS; // else entries end with words
    let filled_wrongly = if fills { m.reg_reset(bits(1), 0) } else { m.lit(0u32, 1) };
    let ends_entry = comes & entry_ends(m, comes, begins, p);
    let complete = done | (ends_entry & index.eq(last_index));
    m.when(comes & complete, || done.set(true));
    m.when(ends_entry, || index.set(index + 1));
    m.when(begins, || {
        index.set(0);
        done.set(false);
    });
    if fills {
        m.when(comes & done & piece.data.any(), || filled_wrongly.set(true));
        m.when(begins, || filled_wrongly.set(false));
    }
    let entry = m.reg(bits(p.entry_bits()));
    let written = m.reg(bits(p.index_bits()));
    let enable = m.reg_reset(bits(1), 0);
    let with_piece = match p.entry_bits() - piece.data.width() {
        0 => piece.data,
        _ => piece.data.cat(entry.drop_low(piece.data.width())),
    };
    m.when(comes, || entry.set(with_piece));
    written.set(index);
    enable.set(ends_entry & !done);
    write.set(EntryWrite { enable, index: written, entry });
    Body { done, complete, filled_wrongly }
}

/// Whether the piece that comes is the last one of its entry.
#[module]
fn entry_ends(m: Module, comes: Signal, begins: Signal, p: CacheParams) -> Signal {
    let pieces = p.vector / p.piece_numbers();
    if pieces == 1 {
        return m.lit(1u32, 1);
    }
    let piece_of_entry = m.reg_reset(bits(clog2(pieces as usize)), 0);
    let ends = piece_of_entry.eq(pieces - 1);
    m.when(comes, || piece_of_entry.set(ends.mux(piece_of_entry.zeros(piece_of_entry.width()), piece_of_entry + 1)));
    m.when(begins, || piece_of_entry.set(0));
    ends
}

/// The register of the CRC-32, over the first 4 bytes and the entries.
#[module]
fn checked(m: Module, piece: Piece, begins: Signal, done: Signal) -> Result<Signal, Errors> {
    m.section("CRC-32");
    let width = piece.data.width();
    let step = m.instance(&crc32_step(width)?);
    let register = m.reg(bits(REGISTER_BITS));
    // half a word in front of a whole one: zeros before it do nothing to a register of 0
    let (start, data, in_head) = match width > REGISTER_BITS {
        true => {
            let head = (!piece.data.trunc(REGISTER_BITS)).cat(piece.data.zeros(width - REGISTER_BITS));
            (register.zeros(REGISTER_BITS), piece.of_head.mux(head, piece.data), m.lit(1u32, 1))
        }
        false => (!register.zeros(REGISTER_BITS), piece.data, piece.number.lt(REGISTER_BITS / width)),
    };
    step.crc.set(register);
    step.data.set(data);
    m.when(piece.comes & piece.of_head.mux(in_head, !done), || register.set(step.next));
    m.when(begins, || register.set(start));
    Ok(register)
}

/// Numbers that are infinite or NaN.
struct Numbers {
    /// There was one.
    wrong: Signal,
    /// Where the first one is, in numbers from the start of the book.
    place: Signal,
}

impl Numbers {
    #[module]
    fn new(m: Module, piece: Piece, begins: Signal, done: Signal, word: Signal, p: CacheParams) -> Numbers {
        let wrong = m.reg_reset(bits(1), 0).comment("a number is infinite or NaN");
        let place = m.reg(bits(word.width() + 2));
        let bad = not_finite(piece.data);
        let first = first_one(Vector::of(bad).pack());
        let at = match p.piece_numbers() {
            WORD_NUMBERS => word.cat(first.index),
            1 => word.cat(piece.number),
            _ => word.cat(piece.number).cat(first.index),
        };
        m.when(piece.comes & !piece.of_head & !done & first.any & !wrong, || {
            wrong.set(true);
            place.set(at);
        });
        m.when(begins, || wrong.set(false));
        Numbers { wrong, place }
    }
}
