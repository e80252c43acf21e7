//! Books of residuals: each index of a group has a book of its own, the same ones for all groups, and books may have so many entries that there is
//! one copy of each for two lanes.
//!
//! | port | |
//! | --- | --- |
//! | `load` | the book of the next residual comes, with this number. Taken when no load is under way and the report of the last one was taken |
//! | `words` | the books, as they stand in a file, with `last`; `words_ready` follows `words_valid` within the cycle |
//! | `loaded` | how each load ended; registers. After one that failed the same residual is loaded |
//! | `restart` | the next load is that of the first residual |
//! | `comes`, `index` | indices of each lane, those of the residuals of a group beside each other; never while a book is loaded |
//! | `entry`, `wrong` | their entries, [`LATENCY`] cycles later, and whether there are none; registers |
//!
//! - Parameters: those of [`ResidualParams`]. Throughput: a beat a cycle; a load of [`CacheParams::piece_numbers`] numbers a cycle.
//! - Combinational paths: from `words_valid` to `words_ready`.
//! - Block RAM has two ports: one is read for a lane, the other one for a second lane, or written. So that no port has two addresses, the first lane's is that of
//!   the entry that is written while a book comes. There is a memory for each number of an entry: 4,096 of them are four memories of 4 bits, and
//!   nothing chooses between memories behind them.

use super::book_loader::{EntryWrite, book_loader};
use super::cache_types::*;
use super::delay::delayed;
use hdl::*;

/// Cycles from an index to its entry.
pub const LATENCY: u32 = 2;

/// The parameters of books of residuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidualParams {
    /// Entries, numbers and lanes.
    pub cache: CacheParams,
    /// Books; the lanes are a multiple of it.
    pub residuals: u32,
}

ports! {
    /// Ports of books of residuals.
    pub struct ResidualBooksPorts(p: ResidualParams) {
        /// The number of a book that comes.
        input load: Stream = stream(bits(ID_BITS)),
        /// Words of books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Loads that have ended.
        output loaded: Stream<Loaded> = stream(loaded(p.cache)),
        /// The next book is that of the first residual.
        input restart: Signal = bits(1),
        /// Indices come.
        input comes: Signal = bits(1),
        /// One for each lane.
        input index: Vector<Signal> = vector(bits(p.cache.index_bits()), p.cache.lanes as usize),
        /// One for each lane.
        output entry: Vector<Signal> = vector(bits(p.cache.entry_bits()), p.cache.lanes as usize),
        /// An index has no entry.
        output wrong: Signal = bits(1),
    }
}

/// Books of residuals.
#[module]
pub fn residual_books(p: ResidualParams) -> Result<Design<ResidualBooksPorts>, Errors> {
    let CacheParams { entries, vector, lanes } = p.cache;
    let name = format!("residual_books_{entries}x{vector}_{lanes}_{}", p.residuals);
    p.cache.check(&name)?;
    if p.residuals == 0 || !lanes.is_multiple_of(p.residuals) {
        let help = "lanes are a multiple of residuals: a group has an index of each";
        return Err(Errors::parameter(&name, format!("{lanes} lanes with {} residuals", p.residuals), help));
    }
    let m = Module::new(name);
    m.doc("Looks up indices in books of residuals; a copy of each for two lanes.");
    let io = ResidualBooksPorts::new(m, p);

    m.section("Load");
    let loader = m.instance(&book_loader(p.cache)?);
    loader.load.set(io.load);
    loader.words.set(io.words);
    loader.free.set(m.lit(1u32, 1));
    io.loaded.set(loader.loaded);
    m.assert(!(loader.busy & io.comes), "no index comes while a book is loaded");
    let residual = m.reg_reset(bits(clog2(p.residuals as usize).max(1)), 0).comment("the residual whose book comes");
    m.when(loader.good, || residual.set(residual + 1));
    m.when(io.restart, || residual.set(0));

    m.section("Access");
    let (mut entry, mut wrong) = (vec![None; lanes as usize], vec![]);
    for of in 0..p.residuals {
        let ours = residual.eq(of);
        let last = m.reg(bits(p.cache.index_bits())).comment("entries of the book, less 1");
        m.when(loader.good & ours, || last.set(loader.last_index));
        let write = EntryWrite { enable: loader.write.enable & ours, ..loader.write };
        let of_book: Vec<usize> = (of..lanes).step_by(p.residuals as usize).map(|lane| lane as usize).collect();
        for pair in of_book.chunks(2) {
            let found = copy(m, write, pair.iter().map(|lane| io.index[*lane]).collect(), p.cache);
            pair.iter().zip(found).for_each(|(lane, found)| entry[*lane] = Some(found));
        }
        wrong.extend(of_book.iter().map(|lane| io.index[*lane].gt(last)));
    }
    io.entry.set(Vector::of(entry.into_iter().flatten()));
    let beyond = m.reg(bits(lanes));
    beyond.set(Vector::of(wrong).pack());
    io.wrong.set(delayed(m, beyond.any(), LATENCY - 1));
    m.finish(io)
}

/// A copy of a book, and the entries of one or two indices in it.
#[module]
fn copy(m: Module, write: EntryWrite, index: Vec<Signal>, p: CacheParams) -> Vec<Signal> {
    let EntryWrite { enable, index: to, entry } = write;
    let first = enable.mux(to, index[0]);
    let mut found = vec![vec![]; index.len()];
    for number in entry.lanes(16) {
        let numbers = m.memory(bits(16), p.entries as usize).style(RamStyle::Block);
        numbers.attribute("no_rw_check", ""); // nothing is read while a book is loaded
        numbers.write(first, number, enable);
        for (lane, found) in found.iter_mut().enumerate() {
            let word = m.reg(bits(16));
            word.set(numbers.read_sync(if lane == 0 { first } else { index[lane] })); // block RAM is slow
            found.push(word);
        }
    }
    found.into_iter().map(|numbers| Vector::of(numbers).pack()).collect()
}
