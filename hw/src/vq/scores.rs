//! Scores of a key head by table (docs/vq-format.md, section 7): the products of the queries with all entries are made once, while the books stream by;
//! then a token's score is a lookup and an addition for each index.
//!
//! | port | |
//! | --- | --- |
//! | `command` | books and rows of tokens come: taken when the queries are there, and the command before has ended and its report was taken; from registers |
//! | `query` | the queries of a command, which bring the factor `1/sqrt(d)`; those of the next one are taken while rows stream by |
//! | `words` | the books, then the rows, a word of eight indices in a cycle, with `last`; `words_ready` is made of registers, at rows with scales also of `scale_valid` |
//! | `scale` | where tokens have scales: one for each token; `scale_ready` follows `words` within the cycle |
//! | `m` | the scores of each token; from registers over the memory of a FIFO |
//! | `report` | how a command ended, when its last score was taken; registers |
//!
//! - Parameters: those of [`TableParams`], and whether tokens have scales. An index is a byte; a row is `positions` bytes.
//! - Throughput: a word of the bus in every cycle, but for a cycle a book, and [`overhead`] cycles a command; books with fewer entries than a table has
//!   room for take as long as full ones.
//! - Latency: [`latency`] cycles from the last word of a row to its scores. Combinational paths: with scales, between `words` and `scale`.
//! - A command that fails is read to its `last`; the scores of the rows that were whole before come, then the report.

use super::cache_types::{BookWord, ID_BITS, book_word};
use super::join_pairs::{Term, sums_of_terms};
use super::products::{self, products};
use super::table_types::*;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::tree::tree;
use crate::float::{add, multiply, tree};
use crate::stream::fifo::{Style, fifo_after};
use hdl::logic::UpDown;
use hdl::*;

/// Bits of a number of tokens.
pub const TOKEN_BITS: u32 = 14;

/// The parameters of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoresParams {
    /// Books and queries.
    pub table: TableParams,
    /// Tokens have scales.
    pub scaled: bool,
}

impl ScoresParams {
    /// Levels of sums behind those of a word.
    fn levels(self) -> u32 {
        if self.table.beats() == 1 { 0 } else { clog2(self.table.beats() as usize) }
    }
    /// Rows that are on their way, or whose scores wait.
    fn depth(self) -> u32 {
        (latency(self) / self.table.beats() + 4).next_power_of_two()
    }
}

/// Cycles from the last word of a row to its scores.
pub fn latency(p: ScoresParams) -> u32 {
    // into registers, out of the table, registers behind it, sums, scale, FIFO
    let scale = if p.scaled { multiply::NATURAL } else { 0 };
    3 + tree::natural(LANES) + add::NATURAL * p.levels() + scale + 1
}

/// Cycles of a command in which no word is taken, besides one for each book: the products of the last entries, and the scores of the last rows.
pub fn overhead(p: ScoresParams) -> u32 {
    products::latency(p.table) + latency(p) + 5
}

/// A command.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ScoresCommand {
    /// The number of the first book; those of the other positions have the numbers behind it.
    pub first: Signal,
    /// Tokens, 1 to [`MAX_TOKENS`].
    pub tokens: Signal,
}

/// The scores of a token.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Scores {
    /// One for each query; without meaning if an index has no entry.
    pub score: Vector<Signal>,
    /// An index has no entry.
    pub wrong: Signal,
    /// It is the last token.
    pub last: Signal,
}

ports! {
    /// Ports of scores by table.
    pub struct ScoresPorts(p: ScoresParams) {
        /// Books and rows come.
        input command: Stream<ScoresCommand> = stream(ScoresCommand { first: bits(ID_BITS), tokens: bits(TOKEN_BITS) }),
        /// Queries.
        input query: Stream<QueryWord> = stream(query_word()),
        /// Books and rows.
        input words: Stream<BookWord> = stream(book_word()),
        /// Scales of the tokens.
        input scale: Option<Stream> = p.scaled.then(|| stream(bits(16))),
        /// Scores.
        output m: Stream<Scores> = stream(scores_shape(p)),
        /// How a command ended.
        output report: Stream<TableReport> = stream(table_report(p.table)),
    }
}

fn scores_shape(p: ScoresParams) -> Scores {
    Scores { score: vector(bits(16), p.table.queries as usize), wrong: bits(1), last: bits(1) }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// No command.
    Idle,
    /// Books pass.
    Books,
    /// Rows come.
    Rows,
    /// It has failed, and words are dropped.
    Drain,
    /// Scores are on their way.
    Finish,
    /// The report waits.
    Report,
}

/// Scores by table.
#[module]
pub fn scores(p: ScoresParams) -> Result<Design<ScoresPorts>, Errors> {
    let TableParams { entries, vector, positions, residuals, queries } = p.table;
    let scaled = if p.scaled { "_scaled" } else { "" };
    let name = format!("scores_{entries}x{vector}_{positions}_{residuals}_{queries}{scaled}");
    p.table.check(&name)?;
    if vector == 1 {
        let help = "2, 4, 8 or 16: block RAM takes two products in a cycle";
        return Err(Errors::parameter(&name, "vector = 1", help));
    }
    let m = Module::new(name);
    m.doc("Scores of a key head by table: products while the books stream by, then lookups and sums.");
    let io = ScoresPorts::new(m, p);

    m.section("a command");
    let phase = m.state(Phase::Idle);
    let tables = m.instance(&products(p.table, true)?);
    let idle = phase.is(Phase::Idle);
    let ScoresCommand { first, tokens } = io.command.payload;
    let refused = m.wire(state::<TableOutcome>());
    refused.set(m.lit_state(TableOutcome::Okay));
    m.when(tokens.gt(MAX_TOKENS), || refused.set(m.lit_state(TableOutcome::ManyTokens)));
    m.when(!tokens.any(), || refused.set(m.lit_state(TableOutcome::NoTokens)));
    tables.command.valid.set(io.command.valid & idle);
    tables.command.payload.set(BooksAhead { first, refused });
    io.command.ready.set(tables.command.ready & idle);
    tables.query.set(io.query);

    m.section("words go to the tables, then to the rows");
    let rows = Rows::new(m, &io, phase, p);
    let in_books = phase.is(Phase::Books);
    tables.words.valid.set(io.words.valid & in_books);
    tables.words.payload.set(io.words.payload);
    io.words.ready.set((tables.words.ready & in_books) | rows.ready | phase.is(Phase::Drain));
    tables.done.ready.set(in_books);

    let found = look_up(m, &tables.write, rows.beat, p)?;
    let queued = queue(m, &io, found, p)?;
    let leaves = io.m.transfer();
    rows.under_way.count(rows.ends, leaves);
    m.assert(!queued.valid | queued.ready, "the FIFO has room for the rows that are under way");
    report(m, &io, phase, &tables.done, rows, queued, p);
    m.finish(io)
}

/// A word of a row.
#[derive(Clone, Copy, Bundle)]
struct Beat {
    term: Term,
    /// It belongs to the last row.
    last: Signal,
    data: Signal,
    scale: Option<Signal>,
}

/// The rows of a command.
#[derive(Clone, Copy)]
struct Rows {
    /// A word is taken, if there is one.
    ready: Signal,
    /// Rows whose scores were not taken.
    under_way: UpDown,
    /// A row is whole in this cycle.
    ends: Signal,
    beat: Beat,
    /// The number of the token whose row comes.
    token: Signal,
    /// What is wrong with the word that comes.
    finds: StateSignal<TableOutcome>,
}

impl Rows {
    #[module]
    fn new(m: Module, io: &ScoresPorts, phase: StateSignal<Phase>, p: ScoresParams) -> Rows {
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
        let scale_there = io.scale.map_or(m.lit(1u32, 1), |scale| scale.valid | !row_end);
        let ready = phase.is(Phase::Rows) & room & scale_there;
        let taken = ready & io.words.valid;
        let BookWord { data, last, failed } = io.words.payload;
        if let Some(scale) = io.scale {
            scale.ready.set(phase.is(Phase::Rows) & room & io.words.valid & row_end);
        }
        let last_row = !left.any();
        let finds = m.wire(state::<TableOutcome>());
        finds.set(m.lit_state(TableOutcome::Okay));
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
        let beat = Beat { term, last: last_row, data, scale: io.scale.map(|scale| scale.payload) };
        Rows { ready, under_way, ends, beat, token, finds }
    }
}

/// Scores of a row that was whole.
#[derive(Clone, Copy)]
struct Found {
    comes: Signal,
    scores: Scores,
}

/// Looks up the products of a word's indices, and adds up those of a row.
#[module]
fn look_up(m: Module, write: &TableWrite, beat: Beat, p: ScoresParams) -> Result<Found, Errors> {
    m.section("tables: each lane has those of every eighth position, for each query");
    let rows = m.pipeline("rows");
    let comes = rows.enter_valid(beat.term.comes).next();
    let Beat { term, last, data, scale } = rows.enter(beat).next();
    let term = Term { comes, ..term };
    let entry_bits = p.table.entry_bits();
    let (mut products, mut wrongs) = (vec![vec![]; p.table.queries as usize], vec![]);
    for (lane, index) in data.lanes(INDEX_BITS).into_iter().enumerate() {
        let entry = index.trunc(entry_bits);
        let place = if p.table.beats() == 1 { entry } else { term.number.cat(entry) };
        for (query, products) in products.iter_mut().enumerate() {
            let words = table(m, write, lane as u32, query, p).read_sync(place).next();
            products.push(words.trunc(16));
            if query == 0 {
                let beyond = if entry_bits < INDEX_BITS { index.drop_low(entry_bits).any() } else { m.lit(0u32, 1) };
                wrongs.push(!words.msb() | beyond.meet(words));
            }
        }
    }
    let wrong = Vector::of(wrongs).pack().any();
    sum_up(m, rows, Looked { term, last, scale, products, wrong }, p.levels())
}

/// The table of a lane: products, and for the first query whether there are such entries.
#[module]
fn table(m: Module, write: &TableWrite, lane: u32, query: usize, p: ScoresParams) -> Memory {
    let depth = p.table.beats() * p.table.entries;
    let width = if query == 0 { 17 } else { 16 };
    let table = m.memory(bits(width), depth as usize).style(RamStyle::Block);
    table.attribute("no_rw_check", ""); // nothing is looked up while books pass
    let ours = write.enable & write.position.trunc(LANES.ilog2()).eq(lane);
    let of_word = p.table.entries_of_word();
    for i in 0..of_word {
        let entry = if of_word == 1 { write.row } else { write.row.cat(m.lit(i, of_word.ilog2())) };
        let place = match p.table.beats() {
            1 => entry,
            _ => write.position.drop_low(LANES.ilog2()).cat(entry),
        };
        let product = write.product[query][i as usize];
        let word = if query == 0 { write.there.bit(i).cat(product) } else { product };
        table.write(place, word, ours);
    }
    table
}

/// What was looked up for a word.
struct Looked {
    term: Term,
    last: Signal,
    scale: Option<Signal>,
    /// For each query and lane.
    products: Vec<Vec<Signal>>,
    wrong: Signal,
}

/// Adds up the products of a row, and multiplies with the token's scale.
#[module]
fn sum_up(m: Module, rows: Pipeline, x: Looked, levels: u32) -> Result<Found, Errors> {
    m.section("the sum of a word, then that of a row");
    let unit = tree(BINARY16, Subnormals::Keep, LANES, tree::natural(LANES))?;
    let mut sums = vec![];
    for products in &x.products {
        let sum = m.instance(&unit);
        sum.in_valid.set(m.lit(0u32, 1));
        sum.out_valid.unused();
        sum.x.set(Vector::of(products.clone()).pack());
        sums.push(sum.y);
    }
    let of_word = x.term.meet(x.wrong);
    let before = rows.state(m.reg(bits(1)).comment("an index of the row has no entry"), x.wrong);
    let wrong = x.wrong | (before & of_word.number.any());
    m.when(of_word.comes, || before.set(wrong));
    let (term, mut sums) = sums_of_terms(m, rows, x.term.meet(sums[0]), sums, levels)?;
    if let Some(scale) = x.scale {
        let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
        for sum in &mut sums {
            let multiplier = m.instance(&unit);
            multiplier.in_valid.set(m.lit(0u32, 1));
            multiplier.out_valid.unused();
            multiplier.a.set(scale.meet(*sum));
            multiplier.b.set(*sum);
            *sum = multiplier.y;
        }
    }
    let score = Vector::of(sums);
    let comes = rows.valid(term.comes & term.ends).meet(score[0]);
    let [wrong, last] = [wrong, x.last].map(|x| x.meet(comes));
    let (comes, scores) = rows.leave((comes, Scores { score, wrong, last }));
    Ok(Found { comes, scores })
}

/// What the FIFO gets.
#[derive(Clone, Copy)]
struct Queued {
    valid: Signal,
    ready: Signal,
    wrong: Signal,
}

/// Scores wait until they are taken.
#[module]
fn queue(m: Module, io: &ScoresPorts, found: Found, p: ScoresParams) -> Result<Queued, Errors> {
    m.section("scores wait");
    let into = m.wire(stream(scores_shape(p)));
    into.valid.set(found.comes);
    into.payload.set(found.scores);
    io.m.set(fifo_after(m, into, p.depth() as usize, Style::Distributed)?);
    Ok(Queued { valid: into.valid, ready: into.ready, wrong: found.scores.wrong })
}

/// Goes from books to rows to the report.
#[module]
fn report(
    m: Module,
    io: &ScoresPorts,
    phase: StateSignal<Phase>,
    books: &Stream<TableReport>,
    rows: Rows,
    queued: Queued,
    p: ScoresParams,
) {
    m.section("how it ended");
    let ended = m.reg(table_report(p.table));
    let (last, place_bits) = (io.words.payload.last, p.table.place_bits());
    let begins = io.command.transfer();
    let found = m.reg(bits(TOKEN_BITS)).comment("rows that were looked up");
    let wrong = m.reg_reset(bits(1), 0).comment("one had an index without an entry");
    let first_wrong = m.reg(bits(TOKEN_BITS)).comment("the first such one");
    m.when(queued.valid, || {
        found.set(found + 1);
        m.when(queued.wrong & !wrong, || {
            wrong.set(1);
            first_wrong.set(found);
        });
    });
    m.when(begins, || {
        found.set(0);
        wrong.set(0);
    });
    let empty = rows.under_way.is_empty();
    m.switch(phase, |s| {
        s.case(Phase::Idle, || m.when(begins, || phase.set(Phase::Books)));
        s.case(Phase::Books, || {
            m.when(books.valid, || {
                ended.set(books.payload);
                let okay = books.payload.outcome.is(TableOutcome::Okay);
                phase.set(okay.mux(m.lit_state(Phase::Rows), m.lit_state(Phase::Report)));
            })
        });
        s.case(Phase::Rows, || {
            m.when(rows.ready & io.words.valid, || {
                m.when(last, || phase.set(Phase::Finish));
                m.when(!rows.finds.is(TableOutcome::Okay), || {
                    let position = rows.token.zext(place_bits.max(TOKEN_BITS)).trunc(place_bits);
                    ended.set(TableReport { outcome: rows.finds, in_rows: m.lit(1u32, 1), position });
                    phase.set(last.mux(m.lit_state(Phase::Finish), m.lit_state(Phase::Drain)));
                });
            })
        });
        s.case(Phase::Drain, || m.when(io.words.valid & last, || phase.set(Phase::Finish)));
        s.case(Phase::Finish, || {
            m.when(empty, || {
                phase.set(Phase::Report);
                m.when(wrong, || {
                    let position = first_wrong.zext(place_bits.max(TOKEN_BITS)).trunc(place_bits);
                    ended.set(TableReport {
                        outcome: m.lit_state(TableOutcome::Index),
                        in_rows: m.lit(1u32, 1),
                        position,
                    });
                });
            })
        });
        s.case(Phase::Report, || m.when(io.report.ready, || phase.set(Phase::Idle)));
    });
    io.report.valid.set(phase.is(Phase::Report));
    io.report.payload.set(ended);
}

#[cfg(test)]
mod tests;
