//! Product pipeline: books stream by at the rate of the bus, and each entry's products with up to four queries go into tables
//! (docs/vq-format.md, section 7).
//!
//! | port | |
//! | --- | --- |
//! | `command` | books come: taken when the queries are there, the command before has ended and its report was taken; from registers |
//! | `query` | the queries of a command, one after the other; registers say when the next word is taken |
//! | `words` | the books, as they stand in a file; `words_ready` is made of registers |
//! | `write` | products, and the place that they belong to; registers |
//! | `done` | how it ended, when the last products were written; registers |
//!
//! - Parameters: those of [`TableParams`]. One multiplier for each number of a word and query.
//! - Throughput: as books pass (`passing_books.rs`): a word a cycle, of a book with fewer entries than a table has room for as many cycles as of a full one. The
//!   queries of the next command are taken while no books are under way.
//! - Latency: [`latency`] cycles from a word to its products. No combinational paths.
//! - Products are `dot(query, entry)`: rounded products, added up as `tree` does.

use super::cache_types::{BookWord, WORD_NUMBERS, book_word};
use super::join_pairs::{Term, adder, sums_of_terms};
use super::passing_books::{Around, Passing, passing_books};
use super::table_types::*;
use crate::float::beside::{product_of, sum_of};
use crate::float::format::{BINARY16, Subnormals};
use crate::float::{add, multiply};
use hdl::*;

ports! {
    /// Ports of a product pipeline.
    pub struct ProductsPorts(p: TableParams) {
        /// Books come.
        input command: Stream<BooksAhead> = stream(books_ahead()),
        /// Queries.
        input query: Stream<QueryWord> = stream(query_word()),
        /// Books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Products.
        output write: TableWrite = table_write(p),
        /// How it ended.
        output done: Stream<TableReport> = stream(table_report(p)),
    }
}

/// Cycles from a word to its products.
pub fn latency(p: TableParams) -> u32 {
    // into registers, beside the query, products, sums, into registers
    1 + 1 + multiply::NATURAL + add::NATURAL * p.vector.ilog2() + 1
}

/// A product pipeline. `rows_follow`: rows of tokens follow the books in the same command, and no word of a book is its last one.
#[module]
pub fn products(p: TableParams, rows_follow: bool) -> Result<Design<ProductsPorts>, Errors> {
    let rows = if rows_follow { "_rows" } else { "" };
    let TableParams { entries, vector, positions, residuals, queries } = p;
    let name = format!("products_{entries}x{vector}_{positions}_{residuals}_{queries}{rows}");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Product pipeline: the products of queries with all entries of books that stream by.");
    let io = ProductsPorts::new(m, p);

    let (query, memories) = queries_taken(m, io.query, p);

    m.section("books");
    let books = m.instance(&passing_books(p, Around { rows_follow, settle: latency(p) })?);
    books.command.valid.set(io.command.valid & query.there);
    let refused = io.command.payload.refused;
    let query_refused = query.refused(m);
    let refused = refused.is(TableOutcome::Okay).mux(query_refused, refused);
    books.command.payload.set(BooksAhead { first: io.command.payload.first, refused });
    io.command.ready.set(books.command.ready & query.there);
    books.words.set(io.words);
    io.done.set(books.done);
    m.when(io.done.transfer(), || query.there.set(0));

    let pipeline = m.pipeline("products");
    let found = multiply_all(m, pipeline, books.passing, &memories, p)?;
    write_all(pipeline, found, io.write, p);
    m.finish(io)
}

/// Takes the queries of a command, and keeps each in a memory.
#[module]
pub(super) fn queries_taken(m: Module, words: Stream<QueryWord>, p: TableParams) -> (Query, Vec<Memory>) {
    m.section("queries");
    let words_of_query = p.query_numbers() / WORD_NUMBERS;
    let query = Query::take(m, words, p);
    let memory = |i: u32| {
        let numbers = m.memory(bits(16 * WORD_NUMBERS), words_of_query as usize).style(RamStyle::Distributed);
        let writes = words.transfer() & query.takes & query.number.eq(i);
        numbers.write(query.word, words.payload.data, writes);
        numbers
    };
    let memories = (0..p.queries).map(memory).collect();
    (query, memories)
}

/// The queries of a command.
pub(super) struct Query {
    /// They are there, or they came with too few or too many words.
    pub(super) there: Signal,
    wrong: Signal,
    /// The next word belongs into a memory: to the query of this number, at this place.
    takes: Signal,
    number: Signal,
    word: Signal,
}

impl Query {
    #[module]
    fn take(m: Module, words: Stream<QueryWord>, p: TableParams) -> Query {
        let words_of_query = p.query_numbers() / WORD_NUMBERS;
        let there = m.reg_reset(bits(1), 0).comment("the queries are there");
        let wrong = m.reg_reset(bits(1), 0).comment("they had too few or too many words");
        let number = m.reg_reset(bits(clog2(p.queries as usize).max(1)), 0);
        let word = m.reg_reset(bits(clog2(words_of_query as usize)), 0);
        let beyond = m.reg_reset(bits(1), 0).comment("all were there, and more words come");
        words.ready.set(!there);
        let ends_query = word.eq(words_of_query - 1);
        let ends_all = ends_query & number.eq(p.queries - 1);
        let last = words.payload.last;
        m.when(words.transfer(), || {
            word.set(word + 1);
            m.when(ends_query, || {
                word.set(0);
                number.set(number + 1);
            });
            m.when(ends_all & !last, || beyond.set(1));
            m.when(last, || {
                there.set(1);
                wrong.set(beyond | !ends_all);
                beyond.set(0);
                word.set(0);
                number.set(0);
            });
        });
        Query { there, wrong, takes: !beyond, number, word }
    }

    /// How a command ends for what is wrong with its queries.
    pub(super) fn refused(&self, m: Module) -> StateSignal<TableOutcome> {
        self.wrong.mux(m.lit_state(TableOutcome::Query), m.lit_state(TableOutcome::Okay))
    }
}

/// What passed, entered into a pipeline, and its products.
pub(super) struct Multiplied {
    /// The words, without numbers that the book does not have.
    pub(super) word: Passing,
    /// With the products: they are whole. An entry that is longer than a word has them with its last word.
    pub(super) comes: Signal,
    /// For each query, for each entry of a word.
    pub(super) product: Vector<Vector<Signal>>,
}

impl Multiplied {
    /// The number of the first entry of a word, divided by the entries of a word.
    pub(super) fn row(&self, p: TableParams) -> Signal {
        let pieces = p.words_of_entry().ilog2();
        if pieces > 0 { self.word.word.drop_low(pieces) } else { self.word.word }
    }
}

/// Multiplies what passes with the queries, and adds up.
#[module]
pub(super) fn multiply_all(
    m: Module,
    pipeline: Pipeline,
    passing: Passing,
    queries: &[Memory],
    p: TableParams,
) -> Result<Multiplied, Errors> {
    m.section("products");
    let comes = pipeline.enter_valid(passing.comes);
    let entered = pipeline.enter(Passing { comes: passing.comes, ..passing });
    let Passing { position, word, data, .. } = entered;
    let group = if p.residuals == 1 { position } else { position.drop_low(p.residuals.ilog2()) };
    let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
    let adder = adder()?;
    let pieces = p.words_of_entry().ilog2();
    let mut sums: Vec<Vec<Signal>> = vec![];
    for query in queries {
        let numbers = query_numbers(*query, group, word, p).next();
        let mut values: Vec<Signal> = vec![];
        for (number, entry) in numbers.lanes(16).into_iter().zip(data.next().lanes(16)) {
            values.push(product_of(m, &unit, number, entry));
        }
        // neighbours in a word
        while values.len() > p.entries_of_word() as usize {
            values = values.chunks(2).map(|pair| sum_of(m, &adder, pair[0], pair[1])).collect();
        }
        sums.push(values);
    }
    let mut term = None;
    if pieces > 0 {
        let ends = word.trunc(pieces).all();
        let of_word = Term { comes, number: word.trunc(pieces), ends };
        let (whole, whole_sums) = sums_of_terms(m, pipeline, of_word, sums.concat(), pieces)?;
        // a word has a part of one entry
        (term, sums) = (Some(whole), whole_sums.into_iter().map(|sum| vec![sum]).collect());
    }
    let product = Vector::of(sums.into_iter().map(Vector::of).collect::<Vec<_>>());
    let word = Passing { comes, ..entered };
    let comes = comes.meet(product[0][0]);
    let comes = match term {
        Some(term) => comes & term.ends,
        None => comes,
    };
    Ok(Multiplied { word, comes, product })
}

/// Writes products into tables.
#[module]
fn write_all(pipeline: Pipeline, found: Multiplied, write: TableWrite, p: TableParams) {
    let (comes, row) = (found.comes, found.row(p));
    let Passing { position, there, .. } = found.word;
    let [position, row, there] = [position, row, there].map(|x| x.meet(comes));
    let valid = pipeline.valid(comes).next();
    let found = TableWrite { valid: comes, position, row, there, product: found.product }.next();
    write.set(pipeline.leave(TableWrite { valid, ..found }));
}

/// The numbers of a query that the numbers of a word are multiplied with.
#[module]
fn query_numbers(query: Memory, group: Signal, word: Signal, p: TableParams) -> Signal {
    let of_word = p.entries_of_word();
    if of_word == 1 {
        let pieces = p.words_of_entry().ilog2();
        return query.read(if pieces == 0 { group } else { group.cat(word.trunc(pieces)) });
    }
    let low = of_word.ilog2();
    let parts = query.read(group.drop_low(low)).lanes(16 * p.vector);
    let numbers = Vector::of(parts).at(group.trunc(low));
    numbers.repeat(of_word)
}

#[cfg(test)]
mod tests;
