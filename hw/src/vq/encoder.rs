//! Encoder of new keys and values: for each group of a vector, the entry `e` with the largest `dot(x, e) - fl(1/2 dot(e, e))` of the group's book
//! (docs/vq-format.md, section 7), while the books stream by at the rate of the bus.
//!
//! | port | |
//! | --- | --- |
//! | `command` | the number of the first book: taken when the vector is there, the command before has ended and its report was taken; from registers |
//! | `query` | the vector, four numbers in a word, with `last`; registers say when the next word is taken |
//! | `words` | the books, as they stand in a file, with `last`; `words_ready` is made of registers |
//! | `m` | the indices, eight in a word, the first one low, with `last`: a row of a file with indices of 8 bits; from registers over distributed memory |
//! | `done` | how it ended, when the row was taken; registers |
//!
//! - Parameters: those of [`TableParams`], with one index a group and one query. A multiplier for each number of a word, one more for its square.
//! - Throughput: as books pass (`passing_books.rs`): a word a cycle, of a book with fewer entries than the largest as many cycles as of a full one; and
//!   [`overhead`] cycles a command. The next vector is taken when the report was.
//! - Latency: [`latency`] cycles from the last word of a book to its index. No combinational paths.
//! - A row goes out when all books were right. A command that fails gives none.

mod aligned;
mod best;
mod difference;
mod half_norms;
mod positive_sum;
mod row;
mod square;

use self::best::{Keys, best};
use self::difference::difference;
use self::half_norms::half_norms;
use self::row::{Found, row};
use super::cache_types::{BookWord, ID_BITS, WORD_NUMBERS, book_word};
use super::passing_books::{Around, Passing, passing_books};
use super::products::{self, multiply_all, queries_taken};
use super::table_types::*;
use hdl::*;

/// A command.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct EncodeCommand {
    /// The number of the first book; the others have those behind it.
    pub first: Signal,
}

ports! {
    /// Ports of an encoder.
    pub struct EncoderPorts(p: TableParams) {
        /// Books come.
        input command: Stream<EncodeCommand> = stream(EncodeCommand { first: bits(ID_BITS) }),
        /// The vector.
        input query: Stream<QueryWord> = stream(query_word()),
        /// Books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Indices.
        output m: Stream<IndexWord> = stream(IndexWord { data: bits(LANES * INDEX_BITS), last: bits(1) }),
        /// How it ended.
        output done: Stream<TableReport> = stream(table_report(p)),
    }
}

/// Cycles from a word of a book to the differences of its entries.
fn difference_latency(p: TableParams) -> u32 {
    // into registers, beside the vector; products and norms are equally many cycles or wait for each other
    let products = products::latency(p) - 3;
    2 + products.max(half_norms::latency(p)) + difference::LATENCY
}

/// Cycles from the last word of a book to its index.
pub fn latency(p: TableParams) -> u32 {
    difference_latency(p) + best::latency(p)
}

/// Cycles of a command in which no word is taken, besides one for each book: the last index, the words of the row and of the next vector.
pub fn overhead(p: TableParams) -> u32 {
    latency(p) + p.beats() + p.query_numbers() / WORD_NUMBERS + 3
}

#[track_caller]
fn check(p: TableParams, module: &str) -> Result<(), Errors> {
    p.check(module)?;
    let (what, help) = match () {
        _ if p.residuals != 1 => {
            (format!("residuals = {}", p.residuals), "1: what an entry leaves over comes too late for the next book")
        }
        _ if p.queries != 1 => (format!("queries = {}", p.queries), "1: one vector is encoded at a time"),
        _ => return Ok(()),
    };
    Err(Errors::parameter(module, what, help))
}

/// An encoder.
#[module]
pub fn encoder(p: TableParams) -> Result<Design<EncoderPorts>, Errors> {
    let name = format!("encoder_{}x{}_{}", p.entries, p.vector, p.positions);
    check(p, &name)?;
    let m = Module::new(name);
    m.doc("Encoder of vectors: the index of the nearest entry of each book that streams by.");
    let io = EncoderPorts::new(m, p);
    let (query, memories) = queries_taken(m, io.query, p);

    m.section("books");
    let books = m.instance(&passing_books(p, Around { rows_follow: false, settle: latency(p) })?);
    books.command.valid.set(io.command.valid & query.there);
    let refused = query.refused(m);
    books.command.payload.set(BooksAhead { first: io.command.payload.first, refused });
    io.command.ready.set(books.command.ready & query.there);
    books.words.set(io.words);
    m.when(io.done.transfer(), || query.there.set(0));

    let found = encode(m, books.passing, &memories, p)?;
    row(m, found, books.done, io.m, io.done, p);
    m.finish(io)
}

/// The index of each book that passes.
#[module]
fn encode(m: Module, passing: Passing, memories: &[Memory], p: TableParams) -> Result<Found, Errors> {
    let pipeline = m.pipeline("products");
    let found = multiply_all(m, pipeline, passing, memories, p)?;
    let Passing { comes, word, data, .. } = found.word;
    // beside the vector, whose numbers come out of a memory
    let norms = half_norms(m, pipeline, (comes, word, data.next()), p)?;

    m.section("products less half norms");
    let unit = difference()?;
    let mut keys = vec![];
    for (product, norm) in found.product[0].into_iter().zip(norms) {
        let latest = if half_norms::latency(p) + 3 > products::latency(p) { norm } else { product };
        let difference = m.instance(&unit);
        difference.a.set(product.meet(latest));
        difference.h.set(norm.meet(latest));
        keys.push(difference.key);
    }
    let key = Vector::of(keys);
    let (comes, row) = (pipeline.valid(found.comes).meet(key[0]), found.row(p).meet(key[0]));
    let [position, there] = [found.word.position, found.word.there].map(|x| x.meet(key[0]));
    let (comes, position, row, there, key) = pipeline.leave((comes, position, row, there, key));
    let (comes, index) = best(m, Keys { comes, row, there, key }, p);
    let position = super::delay::delayed(m, position, best::latency(p));
    Ok(Found { comes, position, index })
}

#[cfg(test)]
mod tests;
