//! What is read from memory, and where it goes. Built into the module that calls.

use super::super::cache_types::{BookWord, book_word};
use super::super::table_types::QueryWord;
use super::registers::Places;
use super::types::*;
use crate::memory::axi::AxiRead;
use crate::memory::burst_reader::burst_reader;
use crate::memory::mover::{Command, Done, command};
use crate::stream::axi_stream::AxiStream;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// What a stage reads, piece by piece: the first words of each, and how many.
#[derive(Clone, Copy, Bundle)]
struct Piece {
    word: Signal,
    words: Signal,
}

/// Pieces of a stage at most.
const PIECES: u32 = 3;

/// What was read.
pub(super) struct Read {
    /// Books and rows of the stage's unit.
    pub(super) words: Stream<BookWord>,
    /// The query, key or value.
    pub(super) vector: Stream<QueryWord>,
    /// It is there.
    pub(super) vector_there: Signal,
    /// The memory answered with an error instead.
    pub(super) vector_failed: Signal,
    /// How reads ended.
    pub(super) done: Stream<Done>,
}

/// The pieces of each stage, in the order in which its unit takes them. A vector comes first, if there is one.
fn pieces(m: Module, at: Places, row_words: Signal, p: HeadParams) -> [(Stage, Vec<Piece>); 4] {
    let length = LENGTH_BITS - WORD_SHIFT;
    let vector = |word: Signal| Piece { word, words: m.lit(p.vector_words(), length) };
    let [key_rows, value_rows] = [at.key_rows, at.value_rows].map(|word| Piece { word, words: row_words });
    let key_books = Piece { word: at.key_books, words: at.key_books_words };
    let value_books = Piece { word: at.value_books, words: at.value_books_words };
    [
        (Stage::Key, vec![vector(at.key), key_books]),
        (Stage::Value, vec![vector(at.value), value_books]),
        (Stage::Scores, vec![vector(at.query), key_books, key_rows]),
        (Stage::Values, vec![value_rows, value_books]),
    ]
}

/// Reads what a stage needs, from its beginning on, and hands it out until the stage ends.
#[module]
pub(super) fn read(
    m: Module,
    bus: AxiRead,
    (stage, ends): (StateSignal<Stage>, Signal),
    (at, row_words): (Places, Signal),
    p: HeadParams,
) -> Result<Read, Errors> {
    m.section("what a stage reads");
    let asked = m.reg_reset(bits(clog2(PIECES as usize + 1)), 0).comment("pieces of the stage that were asked for");
    let came = m.reg_reset(bits(clog2(PIECES as usize)), 0).comment("pieces that came");
    let piece = m.wire(Piece { word: bits(p.word_bits()), words: bits(LENGTH_BITS - WORD_SHIFT) });
    let (asks, is_last) = (m.wire(bits(1)), m.wire(bits(1)));
    let all = pieces(m, at, row_words, p);
    piece.set(all[0].1[0]);
    asks.set(0);
    is_last.set(0);
    for (of, pieces) in all {
        let here = stage.is(of);
        for (number, what) in pieces.iter().enumerate() {
            m.when(here & asked.eq(number as u32), || {
                piece.set(*what);
                asks.set(1);
            });
        }
        m.when(here & came.eq(pieces.len() as u32 - 1), || is_last.set(1));
    }
    let asking = m.wire(stream(command(p.mover())));
    asking.valid.set(asks);
    let bytes = |words: Signal| words.cat(words.zeros(WORD_SHIFT));
    let tag = m.lit(0u32, 1);
    asking.payload.set(Command { address: bytes(piece.word), bytes: bytes(piece.words), next: None, tag });
    m.when(asking.transfer(), || asked.set(asked + 1));

    let reader = m.instance(&burst_reader(&p.mover().name("burst_reader"), p.mover())?);
    reader.command.set(register_slice_forward_after(m, asking)?);
    bus.set(reader.m_axi);

    let from = reader.m_axis;
    let read = hand_out(m, from, reader.done, stage, (came, is_last));
    m.when(ends, || {
        asked.set(0);
        came.set(0);
        read.vector_there.set(0);
        read.vector_failed.set(0);
    });
    Ok(read)
}

/// Hands out what comes: a stage's first piece as a vector, if it has one, the others as words. Counts the pieces that came.
#[module]
fn hand_out(
    m: Module,
    from: AxiStream,
    done: Stream<Done>,
    stage: StateSignal<Stage>,
    (came, is_last): (Signal, Signal),
) -> Read {
    m.section("where it goes");
    from.tkeep.unused();
    let error = from.tuser.expect("a reader tells of errors");
    let is_vector = !came.any() & !stage.is(Stage::Values);
    let (vector, words) = (m.wire(stream(QueryWord { data: bits(64), last: bits(1) })), m.wire(stream(book_word())));
    vector.valid.set(from.tvalid & is_vector);
    vector.payload.set(QueryWord { data: from.tdata, last: from.tlast });
    words.valid.set(from.tvalid & !is_vector);
    words.payload.set(BookWord { data: from.tdata, last: from.tlast & is_last, failed: error });
    from.tready.set(is_vector.mux(vector.ready, words.ready));
    let (there, failed) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let packet_ends = from.tvalid & from.tready & from.tlast;
    m.when(packet_ends, || came.set(came + 1));
    m.when(packet_ends & is_vector, || {
        there.set(1);
        failed.set(error);
    });
    Read { words, vector, vector_there: there, vector_failed: failed, done }
}
