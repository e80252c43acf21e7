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
use super::join_pairs::{Term, adder, sum_of, sums_of_terms};
use super::passing_books::{Around, Passing, passing_books};
use super::table_types::*;
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

    m.section("queries");
    let words_of_query = p.query_numbers() / WORD_NUMBERS;
    let query = Query::take(m, io.query, p);
    let memory = |i: u32| {
        let numbers = m.memory(bits(16 * WORD_NUMBERS), words_of_query as usize).style(RamStyle::Distributed);
        let writes = io.query.transfer() & query.takes & query.number.eq(i);
        numbers.write(query.word, io.query.payload.data, writes);
        numbers
    };
    let memories: Vec<Memory> = (0..queries).map(memory).collect();

    m.section("books");
    let books = m.instance(&passing_books(p, Around { rows_follow, settle: latency(p) })?);
    books.command.valid.set(io.command.valid & query.there);
    let refused = io.command.payload.refused;
    let query_refused = query.wrong.mux(m.lit_state(TableOutcome::Query), m.lit_state(TableOutcome::Okay));
    let refused = refused.is(TableOutcome::Okay).mux(query_refused, refused);
    books.command.payload.set(BooksAhead { first: io.command.payload.first, refused });
    io.command.ready.set(books.command.ready & query.there);
    books.words.set(io.words);
    io.done.set(books.done);
    m.when(io.done.transfer(), || query.there.set(0));

    multiply_all(m, books.passing, &memories, io.write, p)?;
    m.finish(io)
}

/// The queries of a command.
struct Query {
    /// They are there, or they came with too few or too many words.
    there: Signal,
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
}

/// Multiplies what passes with the queries, and adds up.
#[module]
fn multiply_all(
    m: Module,
    passing: Passing,
    queries: &[Memory],
    write: TableWrite,
    p: TableParams,
) -> Result<(), Errors> {
    m.section("products");
    let pipeline = m.pipeline("products");
    let comes = pipeline.enter_valid(passing.comes);
    let Passing { position, word, there, data, comes: _ } = pipeline.enter(Passing { comes: passing.comes, ..passing });
    let group = if p.residuals == 1 { position } else { position.drop_low(p.residuals.ilog2()) };
    let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
    let adder = adder()?;
    let pieces = p.words_of_entry().ilog2();
    let (mut sums, mut term) = (vec![], None);
    for query in queries {
        let numbers = query_numbers(*query, group, word, p).next();
        let mut values: Vec<Signal> = vec![];
        for (number, entry) in numbers.lanes(16).into_iter().zip(data.next().lanes(16)) {
            let multiplier = m.instance(&unit);
            multiplier.in_valid.set(m.lit(0u32, 1));
            multiplier.out_valid.unused();
            multiplier.a.set(number);
            multiplier.b.set(entry);
            values.push(multiplier.y);
        }
        // neighbours in a word
        while values.len() > p.entries_of_word() as usize {
            values = values.chunks(2).map(|pair| sum_of(m, &adder, pair[0], pair[1])).collect();
        }
        if pieces > 0 {
            let ends = word.trunc(pieces).all();
            let of_word = Term { comes, number: word.trunc(pieces), ends }.meet(values[0]);
            let (whole, sum) = sums_of_terms(m, pipeline, of_word, values, pieces)?;
            (term, values) = (Some(whole), sum);
        }
        sums.push(Vector::of(values));
    }
    let product = Vector::of(sums);
    let comes = comes.meet(product[0][0]);
    let comes = match term {
        Some(term) => comes & term.ends,
        None => comes,
    };
    let row = if pieces > 0 { word.drop_low(pieces) } else { word };
    let [position, row, there] = [position, row, there].map(|x| x.meet(comes));
    let valid = pipeline.valid(comes).next();
    let found = TableWrite { valid: comes, position, row, there, product }.next();
    write.set(pipeline.leave(TableWrite { valid, ..found }));
    Ok(())
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
