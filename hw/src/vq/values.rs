//! Values of a value head by table (docs/vq-format.md, section 7): each token's weight is added to the entries of its indices; then the books stream by,
//! with one product for each number of an entry.
//!
//! | port | |
//! | --- | --- |
//! | `command` | rows of tokens and books come: taken when the command before has ended and its report was taken; registers |
//! | `weight` | a weight for each token, and its scale if tokens have scales; `weight_ready` follows `words_valid` within the cycle |
//! | `words` | the rows, a word of eight indices in a cycle, then the books, with `last`; `words_ready` follows `weight_valid` within the cycle |
//! | `m` | the weighted sum of the values, group by group; from registers over the memory of a FIFO |
//! | `report` | how a command ended, when its last numbers were taken; registers |
//!
//! - Parameters: those of [`ValuesParams`]. An index is a byte; a row is `positions` bytes.
//! - Throughput: a word of the bus in every cycle, but for a cycle a book, and [`overhead`] cycles a command. A pause of the bus in the midst of rows of
//!   four words or less, all copies counted, is a cycle or two longer than the bus makes it.
//! - Latency: [`latency`] cycles at most from the last word of a book to its sums. Combinational paths: between `words` and `weight`.
//! - A command that fails is read to its `last`. If the report says so, the numbers that came are worth nothing.
//! - After a reset, and after a command that failed, the sums are set to zero: a cycle a row of a lane's memory.

use super::accumulator_lane::{self, AccumulatorLanePorts, LaneItem, LaneParams, accumulator_lane};
use super::cache_types::{BookWord, ID_BITS, book_word};
use super::join_pairs::{NOTHING, adder, sum_of};
use super::passing_books::{Around, Passing, passing_books};
use super::running_sums::{self, SumsParams, running_sums};
use super::scores::{ScoresCommand, TOKEN_BITS};
use super::table_types::*;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::{add, multiply};
use crate::stream::fifo::{Style, fifo_after};
use hdl::logic::{first_one, popcount};
use hdl::*;

/// The parameters of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuesParams {
    /// Books: with vectors of 1, 2 or 4 numbers, one index a group, and one query.
    pub table: TableParams,
    /// Tokens have scales.
    pub scaled: bool,
}

impl ValuesParams {
    /// Copies of the sums, of which each token takes the next one: so many that a sum is on its way no more when it comes again, or is there
    /// exactly when the next weight is added.
    pub fn copies(self) -> u32 {
        let beats = self.table.beats();
        let fits = |copies: &u32| {
            let again = copies * beats;
            again == accumulator_lane::AGAIN || again >= accumulator_lane::BUSY
        };
        [1, 2, 4, 8].into_iter().find(fits).unwrap_or(8)
    }
    /// A sum comes again while it is on its way.
    fn comes_again(self) -> bool {
        self.copies() * self.table.beats() < accumulator_lane::BUSY
    }
    /// Numbers of a row of a lane's memory: those of the entries of a word of a book, in all copies.
    fn lane(self) -> LaneParams {
        let numbers = self.table.entries_of_word() * self.copies();
        LaneParams { numbers, rows: self.table.beats() * self.table.entries / self.table.entries_of_word() }
    }
    fn sums(self) -> SumsParams {
        SumsParams { levels: self.table.word_bits(), sums: self.table.vector }
    }
    #[track_caller]
    fn check(self, module: &str) -> Result<(), Errors> {
        self.table.check(module)?;
        let TableParams { vector, residuals, queries, .. } = self.table;
        let (what, help) = match () {
            _ if ![1, 2, 4].contains(&vector) => {
                (format!("vector = {vector}"), "1, 2 or 4: an entry is no longer than a word")
            }
            _ if residuals != 1 => (format!("residuals = {residuals}"), "1: sums of several books are not joined"),
            _ if queries != 1 => (format!("queries = {queries}"), "1: a token has one weight"),
            _ => return Ok(()),
        };
        Err(Errors::parameter(module, what, help))
    }
}

/// Cycles from a word of entries to its products' sum.
fn product_latency(p: ValuesParams) -> u32 {
    // the row, the lanes' rows together, copies, products, neighbours
    let copies = p.copies().ilog2() * add::NATURAL;
    accumulator_lane::READ + 1 + copies + multiply::NATURAL + p.table.entries_of_word().ilog2() * add::NATURAL
}

/// Cycles from the last word of a book to its sums, at most.
pub fn latency(p: ValuesParams) -> u32 {
    1 + product_latency(p) + running_sums::latency(p.table.word_bits()) + 2
}

/// Cycles of a command in which no word is taken, besides one for each book: the last additions, and the last sums.
pub fn overhead(p: ValuesParams) -> u32 {
    let scale = if p.scaled { multiply::NATURAL } else { 0 };
    scale + accumulator_lane::BUSY + latency(p) + 8
}

/// A token's weight.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Weight {
    /// What its values are multiplied with.
    pub weight: Signal,
    /// What the weight is multiplied with before.
    pub scale: Option<Signal>,
}

/// Numbers of the weighted sum.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Values {
    /// Those of a group.
    pub value: Vector<Signal>,
    /// They are the last ones.
    pub last: Signal,
}

ports! {
    /// Ports of values by table.
    pub struct ValuesPorts(p: ValuesParams) {
        /// Rows and books come.
        input command: Stream<ScoresCommand> = stream(ScoresCommand { first: bits(ID_BITS), tokens: bits(TOKEN_BITS) }),
        /// Weights of the tokens.
        input weight: Stream<Weight> = stream(Weight { weight: bits(16), scale: p.scaled.then(|| bits(16)) }),
        /// Rows and books.
        input words: Stream<BookWord> = stream(book_word()),
        /// The weighted sum.
        output m: Stream<Values> = stream(values_shape(p)),
        /// How a command ended.
        output report: Stream<TableReport> = stream(table_report(p.table)),
    }
}

fn values_shape(p: ValuesParams) -> Values {
    Values { value: vector(bits(16), p.table.vector as usize), last: bits(1) }
}

#[derive(Clone, Copy, State)]
enum Phase {
    /// The sums are set to zero.
    Clear,
    /// No command.
    Idle,
    /// Rows come.
    Rows,
    /// The last weights are added.
    Wait,
    /// Books pass.
    Books,
    /// It has failed, and words are dropped.
    Drain,
    /// Numbers wait to be taken.
    Finish,
    /// The report waits.
    Report,
}

/// Values by table.
#[module]
pub fn values(p: ValuesParams) -> Result<Design<ValuesPorts>, Errors> {
    let TableParams { entries, vector, positions, .. } = p.table;
    let scaled = if p.scaled { "_scaled" } else { "" };
    let name = format!("values_{entries}x{vector}_{positions}{scaled}");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc(
        "Values of a value head by table: weights are added to entries, then one product for each number of an entry.",
    );
    let io = ValuesPorts::new(m, p);

    m.section("words go to the rows, then to the books");
    let phase = m.state(Phase::Clear);
    let settle = product_latency(p) + running_sums::latency(p.table.word_bits());
    let books = m.instance(&passing_books(p.table, Around { rows_follow: false, settle })?);
    let rows = Rows::new(m, &io, phase, p);
    let in_books = phase.is(Phase::Books);
    books.words.valid.set(io.words.valid & in_books);
    books.words.payload.set(io.words.payload);
    io.words.ready.set((books.words.ready & in_books) | rows.ready | (phase.is(Phase::Drain) & !rows.over));

    let (clears, cleared) = clear(m, phase, p.lane().rows);
    let begins = io.command.transfer();
    let lanes = add_weights(m, rows.item, books.passing, clears, p)?;
    let found = multiply_rows(m, books.passing, &lanes, begins, p)?;

    m.section("sums over the entries");
    let sums = m.instance(&running_sums(p.sums())?);
    sums.clear.set(begins);
    sums.comes.set(found.comes);
    sums.x.set(found.products);
    let group = m.reg_reset(bits(p.table.position_bits()), 0).comment("the group whose sums come");
    m.when(sums.done, || group.set(group + 1));
    m.when(begins, || group.set(0));
    let into = m.wire(stream(values_shape(p)));
    into.valid.set(sums.done);
    into.payload.set(Values { value: sums.y, last: group.eq(p.table.positions - 1) });
    m.assert(!into.valid | into.ready, "the FIFO has room for all groups");
    io.m.set(fifo_after(m, into, p.table.positions.next_power_of_two() as usize, Style::Distributed)?);

    books.command.valid.set(phase.is(Phase::Wait) & rows.settled);
    books.command.payload.set(BooksAhead { first: rows.first, refused: m.lit_state(TableOutcome::Okay) });
    books.done.ready.set(in_books);
    let ended = Ended { books: books.done, began: books.command.transfer(), cleared, found };
    follow(m, &io, phase, rows, ended, p);
    m.finish(io)
}

/// Sets all sums to zero: which row in this cycle, and that all are so.
#[module]
fn clear(m: Module, phase: StateSignal<Phase>, rows: u32) -> ((Signal, Signal), Signal) {
    let row = m.reg_reset(bits(clog2(rows as usize)), 0).comment("the row that is set to zero");
    let swept = m.reg_reset(bits(1), 0).comment("the last one was");
    let waited = m.reg_reset(bits(clog2(accumulator_lane::BUSY as usize + 1)), 0);
    let clears = phase.is(Phase::Clear) & !swept;
    m.when(clears, || {
        row.set(row + 1);
        m.when(row.eq(rows - 1), || {
            row.set(0);
            swept.set(1);
        });
    });
    m.when(swept, || waited.set(waited + 1));
    let cleared = waited.eq(accumulator_lane::BUSY);
    m.when(cleared, || {
        swept.set(0);
        waited.set(0);
    });
    ((clears, row), cleared)
}

/// A word of a row on its way to the lanes.
#[derive(Clone, Copy, Bundle)]
struct RowItem {
    comes: Signal,
    /// The one [`AGAIN`](accumulator_lane::AGAIN) cycles before belongs to the same positions.
    again: Option<Signal>,
    /// The word of the row.
    beat: Option<Signal>,
    /// The copy of the sums.
    copy: Option<Signal>,
    data: Signal,
    weight: Signal,
    scale: Option<Signal>,
}

/// The rows of a command.
#[derive(Clone, Copy)]
struct Rows {
    /// A word is taken, if there is one.
    ready: Signal,
    item: RowItem,
    /// The number of the first book.
    first: Signal,
    /// The token whose row comes.
    token: Signal,
    /// What is wrong with the word that comes.
    finds: StateSignal<TableOutcome>,
    /// It is the last one of the rows.
    ends_all: Signal,
    /// The command's last word was there.
    over: Signal,
    /// The last weights were added.
    settled: Signal,
}

impl Rows {
    #[module]
    fn new(m: Module, io: &ValuesPorts, phase: StateSignal<Phase>, p: ValuesParams) -> Rows {
        let beats = p.table.beats();
        let first = m.reg(bits(ID_BITS)).comment("the number of the first book");
        let token = m.reg_reset(bits(TOKEN_BITS), 0).comment("the token whose row comes");
        let left = m.reg(bits(TOKEN_BITS)).comment("tokens of the command behind this one");
        let over = m.reg_reset(bits(1), 0).comment("the last word of the command was there");
        let counter = |most: u32| (most > 1).then(|| m.reg_reset(bits(clog2(most as usize)), 0));
        let beat = counter(beats);
        let copy = counter(p.copies());
        let row_end = beat.map_or(m.lit(1u32, 1), |beat| beat.eq(beats - 1));
        let comes = m.wire(bits(1));
        let (may_come, settled, came) = pauses(m, comes, p);
        let in_rows = phase.is(Phase::Rows) & may_come;
        // the weight is there from the first word of its row on, and is taken with the last one
        let ready = in_rows & io.weight.valid;
        io.weight.ready.set(in_rows & row_end & io.words.valid);
        let taken = ready & io.words.valid;
        let BookWord { data, last, failed } = io.words.payload;
        let ends_all = row_end & !left.any();
        let finds = m.wire(state::<TableOutcome>());
        finds.set(m.lit_state(TableOutcome::Okay));
        m.when(last, || finds.set(m.lit_state(TableOutcome::Short)));
        m.when(failed, || finds.set(m.lit_state(TableOutcome::Bus)));
        comes.set(taken & !failed);
        let begins = io.command.transfer();
        m.when(taken, || {
            if let Some(beat) = beat {
                beat.set(row_end.mux(beat.zeros(beat.width()), beat + 1));
            }
            m.when(row_end, || {
                token.set(token + 1);
                left.set(left - 1);
                if let Some(copy) = copy {
                    copy.set(copy + 1);
                }
            });
        });
        m.when(io.words.transfer(), || over.set(last));
        m.when(begins, || {
            first.set(io.command.payload.first);
            token.set(0);
            left.set(io.command.payload.tokens - 1);
            over.set(0);
            [beat, copy].into_iter().flatten().for_each(|counter| counter.set(0));
        });
        let Weight { weight, scale } = io.weight.payload;
        let again = came.map(|came| came[..accumulator_lane::AGAIN as usize].iter().fold(comes, |all, one| all & *one));
        let item = RowItem { comes, again, beat, copy, data, weight, scale };
        Rows { ready, item, first, token, finds, ends_all, over, settled }
    }
}

/// Whether a word of a row may come, whether none is on its way, and in which cycles before one came, where that matters.
///
/// Where a sum comes again before it is in its row, it must come exactly when it is there to be added to.
#[module]
fn pauses(m: Module, comes: Signal, p: ValuesParams) -> (Signal, Signal, Option<Vec<Signal>>) {
    let scale = if p.scaled { multiply::NATURAL } else { 0 };
    let mut came = vec![];
    for _ in 0..=accumulator_lane::BUSY + scale {
        let earlier = m.reg_reset(bits(1), 0);
        earlier.set(came.last().copied().unwrap_or(comes));
        came.push(earlier);
    }
    let settled = !Vector::of(came.clone()).pack().any();
    if !p.comes_again() {
        return (m.lit(1u32, 1), settled, None);
    }
    let last = Vector::of(came[..accumulator_lane::AGAIN as usize].to_vec()).pack();
    // with all of the last ones it comes exactly then; with fewer of them in the time that a sum is on its way, it comes later
    let recent = Vector::of(came[..accumulator_lane::BUSY as usize - 1].to_vec()).pack();
    let few = popcount(recent).lt(accumulator_lane::AGAIN);
    (last.all() | few, settled, Some(came))
}

/// A signal so many cycles later.
#[module]
fn delayed<B: Bundle>(m: Module, x: B, cycles: u32) -> B {
    (0..cycles).fold(x, |x, _| {
        let later = m.reg(x.shape());
        later.set(x);
        later
    })
}

/// A valid bit so many cycles later, 0 from a reset on.
#[module]
fn delayed_valid(m: Module, valid: Signal, cycles: u32) -> Signal {
    (0..cycles).fold(valid, |valid, _| {
        let later = m.reg_reset(bits(1), 0);
        later.set(valid);
        later
    })
}

/// The weight of a token, times its scale, with what belongs to it.
#[module]
fn scaled(m: Module, item: RowItem) -> Result<RowItem, Errors> {
    let Some(scale) = item.scale else { return Ok(item) };
    let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
    let product = m.instance(&unit);
    product.in_valid.set(item.comes);
    product.a.set(item.weight);
    product.b.set(scale);
    let later = delayed(m, item, multiply::NATURAL);
    Ok(RowItem { comes: product.out_valid, weight: product.y, scale: None, ..later })
}

/// The lanes, and where an index was beyond what any book has.
struct Lanes {
    lanes: Vec<Instance<AccumulatorLanePorts>>,
    beyond: Option<(Signal, Signal)>,
}

/// The lanes: weights are added, and the rows of the lane whose book passes are taken out, [`READ`](accumulator_lane::READ) cycles later.
#[module]
fn add_weights(
    m: Module,
    item: RowItem,
    passing: Passing,
    (clears, clearing): (Signal, Signal),
    p: ValuesParams,
) -> Result<Lanes, Errors> {
    m.section("weights are added to their entries' sums");
    let kept = m.reg(item.shape());
    let comes = m.reg_reset(bits(1), 0).comment("a word of a row is there");
    kept.set(item);
    comes.set(item.comes);
    let kept = RowItem { comes, ..kept };
    let same: Vec<Signal> = match kept.again {
        None => vec![m.lit(0u32, 1); LANES as usize],
        Some(again) => {
            let before = delayed(m, kept.data, accumulator_lane::AGAIN);
            let pairs = kept.data.lanes(INDEX_BITS).into_iter().zip(before.lanes(INDEX_BITS));
            pairs.map(|(index, before)| again & index.eq(before)).collect()
        }
    };
    let beyond = beyond(m, kept, p);
    let delay = if p.scaled { multiply::NATURAL } else { 0 };
    let same = delayed(m, Vector::of(same), delay);
    let item = scaled(m, kept)?;
    let first = delayed(m, item.weight, accumulator_lane::READ - 1);
    let weight = m.reg(bits(16));
    weight.set(first);
    m.when(!delayed_valid(m, item.comes, accumulator_lane::READ - 1), || weight.set(0)); // a row that is taken becomes zero
    let takes = passing.comes | clears;
    let passing_row = match p.table.beats() {
        1 => passing.word,
        _ => passing.position.drop_low(LANES.ilog2()).cat(passing.word),
    };
    let row_taken = clears.mux(clearing, passing_row);
    let unit = accumulator_lane(p.lane())?;
    let mut lanes = vec![];
    for (number, (index, again)) in item.data.lanes(INDEX_BITS).into_iter().zip(same).enumerate() {
        let of_lane = passing.position.trunc(LANES.ilog2()).eq(number as u32);
        let (row, place) = place_of(m, index, item, p);
        let lane = m.instance(&unit);
        lane.item.set(LaneItem {
            adds: item.comes,
            takes: (passing.comes & of_lane) | clears,
            row: takes.mux(row_taken, row),
            number: place,
            again,
        });
        lane.weight.set(weight);
        lanes.push(lane);
    }
    Ok(Lanes { lanes, beyond })
}

/// Whether an index of a row is beyond what any book has, and the first position where it is so.
#[module]
fn beyond(m: Module, item: RowItem, p: ValuesParams) -> Option<(Signal, Signal)> {
    let entry_bits = p.table.entry_bits();
    if entry_bits == INDEX_BITS {
        return None;
    }
    let high = item.data.lanes(INDEX_BITS).into_iter().map(|index| index.drop_low(entry_bits).any());
    let first = first_one(Vector::of(high).pack());
    let beyond = m.reg_reset(bits(1), 0).comment("an index is beyond what any book has");
    let position = m.reg(bits(p.table.position_bits()));
    beyond.set(item.comes & first.any);
    position.set(item.beat.map_or(first.index, |beat| beat.cat(first.index)));
    Some((beyond, position))
}

/// The row of an index, and the place in it: the entry in its word of the book, the copy.
#[module]
fn place_of(m: Module, index: Signal, item: RowItem, p: ValuesParams) -> (Signal, Signal) {
    let low = p.table.entries_of_word().ilog2();
    let entry = index.trunc(p.table.entry_bits());
    let row = if low == 0 { entry } else { entry.drop_low(low) };
    let row = item.beat.map_or(row, |beat| beat.cat(row));
    let place = match (low, item.copy) {
        (0, Some(copy)) => copy,
        (0, None) => m.lit(0u32, 1),
        (low, Some(copy)) => entry.trunc(low).cat(copy),
        (low, None) => entry.trunc(low),
    };
    (row, place)
}

/// Products of a word's entries, added up for each number of an entry.
#[derive(Clone, Copy)]
struct Found {
    comes: Signal,
    products: Vector<Signal>,
    /// Weights were added for an index without an entry.
    misplaced: Signal,
    /// The first position where that was.
    position: Signal,
}

/// Multiplies the sums of weights with the entries that pass.
#[module]
fn multiply_rows(m: Module, passing: Passing, lanes: &Lanes, begins: Signal, p: ValuesParams) -> Result<Found, Errors> {
    m.section("products of the sums with the entries that pass");
    let Lanes { lanes, beyond } = lanes;
    let beyond = *beyond;
    let (copies, of_word) = (p.copies() as usize, p.table.entries_of_word() as usize);
    let here = delayed(m, passing, accumulator_lane::READ);
    let comes = delayed_valid(m, passing.comes, accumulator_lane::READ + 1);
    // all lanes but one give zeros
    let any = (0..p.lane().numbers as usize)
        .map(|i| lanes.iter().map(|lane| lane.row[i]).reduce(|a, b| a | b).expect("lanes"));
    let row = m.reg(vector(bits(accumulator_lane::NUMBER_BITS), p.lane().numbers as usize));
    row.set(Vector::of(any));
    let entries = m.reg(here.data.shape());
    let nothing: Vec<Signal> = (0..4).map(|_| m.lit(NOTHING, 16)).collect();
    let numbers = here.data.lanes(16).into_iter().zip(nothing).enumerate();
    let numbers: Vec<Signal> =
        numbers.map(|(i, (number, nothing))| here.there.bit((i / (4 / of_word)) as u32).mux(number, nothing)).collect();
    entries.set(Vector::of(numbers).pack());
    let now = delayed(m, here, 1);

    let used = Vector::of(
        (0..of_word).map(|e| (0..copies).map(|c| row[e * copies + c].msb()).reduce(|a, b| a | b).expect("copies")),
    );
    let misplaced = m.reg_reset(bits(1), 0).comment("weights were added for an index without an entry");
    let position = m.reg_reset(bits(p.table.position_bits()), 0).comment("the first position where that was");
    let unused = comes & (used.pack() & !now.there).any();
    m.when(unused & (!misplaced | now.position.lt(position)), || {
        misplaced.set(1);
        position.set(now.position);
    });
    if let Some((beyond, at)) = beyond {
        m.when(beyond & (!misplaced | at.lt(position)), || {
            misplaced.set(1);
            position.set(at);
        });
    }
    m.when(begins, || misplaced.set(0));

    let (adder, multiplier) = (adder()?, multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?);
    let products = m.pipeline("products");
    let (comes, row, entries) = (products.enter_valid(comes), products.enter(row), products.enter(entries));
    let sum_of_copies = |e: usize| {
        let mut sums: Vec<Signal> = (0..copies).map(|c| row[e * copies + c].trunc(16)).collect();
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| sum_of(m, &adder, pair[0], pair[1])).collect();
        }
        sums[0]
    };
    let sums: Vec<Signal> = (0..of_word).map(sum_of_copies).collect();
    let vector = p.table.vector as usize;
    let mut all = vec![];
    for (i, number) in entries.meet(sums[0]).lanes(16).into_iter().enumerate() {
        let product = m.instance(&multiplier);
        product.in_valid.set(m.lit(0u32, 1));
        product.out_valid.unused();
        product.a.set(sums[i / vector]);
        product.b.set(number);
        all.push(product.y);
    }
    // neighbouring entries of a word
    let of_number = |i: usize| {
        let mut terms: Vec<Signal> = (0..of_word).map(|e| all[e * vector + i]).collect();
        while terms.len() > 1 {
            terms = terms.chunks(2).map(|pair| sum_of(m, &adder, pair[0], pair[1])).collect();
        }
        terms[0]
    };
    let terms = Vector::of((0..vector).map(of_number));
    let comes = products.valid(comes.meet(terms[0]));
    let (comes, terms) = products.leave((comes, terms));
    Ok(Found { comes, products: terms, misplaced, position })
}

/// What ends a phase.
struct Ended {
    books: Stream<TableReport>,
    /// The books were told to come.
    began: Signal,
    /// The last sum was set to zero.
    cleared: Signal,
    found: Found,
}

/// Goes from rows to books to the report.
#[module]
fn follow(m: Module, io: &ValuesPorts, phase: StateSignal<Phase>, rows: Rows, ends: Ended, p: ValuesParams) {
    m.section("how it ended");
    let ended = m.reg(table_report(p.table));
    let failed = m.reg_reset(bits(1), 0).comment("the command failed");
    let place_bits = p.table.place_bits();
    let tokens = io.command.payload.tokens;
    let begins = io.command.transfer();
    let (none, many) = (!tokens.any(), tokens.gt(MAX_TOKENS));
    io.command.ready.set(phase.is(Phase::Idle));
    let report = |outcome: StateSignal<TableOutcome>, in_rows: u32, position: Signal| TableReport {
        outcome,
        in_rows: m.lit(in_rows, 1),
        position: position.zext(place_bits.max(position.width())).trunc(place_bits),
    };
    m.switch(phase, |s| {
        s.case(Phase::Clear, || {
            m.when(ends.cleared, || {
                phase.set(failed.mux(m.lit_state(Phase::Report), m.lit_state(Phase::Idle)));
            })
        });
        s.case(Phase::Idle, || {
            m.when(begins, || {
                phase.set(Phase::Rows);
                failed.set(0);
                m.when(none | many, || {
                    let cause = none.mux(m.lit_state(TableOutcome::NoTokens), m.lit_state(TableOutcome::ManyTokens));
                    ended.set(report(cause, 0, m.lit(0u32, 1)));
                    failed.set(1);
                    phase.set(Phase::Drain);
                });
            })
        });
        s.case(Phase::Rows, || {
            m.when(rows.ready & io.words.valid, || {
                m.when(rows.ends_all, || phase.set(Phase::Wait));
                m.when(!rows.finds.is(TableOutcome::Okay), || {
                    ended.set(report(rows.finds, 1, rows.token));
                    failed.set(1);
                    phase.set(Phase::Drain);
                });
            })
        });
        s.case(Phase::Wait, || m.when(ends.began, || phase.set(Phase::Books)));
        s.case(Phase::Books, || {
            m.when(ends.books.valid, || {
                phase.set(Phase::Finish);
                ended.set(ends.books.payload);
                let okay = ends.books.payload.outcome.is(TableOutcome::Okay);
                failed.set(!okay | ends.found.misplaced);
                m.when(okay & ends.found.misplaced, || {
                    ended.set(report(m.lit_state(TableOutcome::Index), 1, ends.found.position));
                });
            })
        });
        s.case(Phase::Drain, || m.when(rows.over & rows.settled, || phase.set(Phase::Clear)));
        s.case(Phase::Finish, || {
            m.when(!io.m.valid, || {
                phase.set(failed.mux(m.lit_state(Phase::Clear), m.lit_state(Phase::Report)));
            })
        });
        s.case(Phase::Report, || {
            m.when(io.report.ready, || {
                phase.set(Phase::Idle);
                failed.set(0);
            })
        });
    });
    io.report.valid.set(phase.is(Phase::Report));
    io.report.payload.set(ended);
}

#[cfg(test)]
mod tests;
