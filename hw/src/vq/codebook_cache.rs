//! Codebook cache (vq-llm.txt, section V): indices become entries of a codebook, while the next book is loaded. Every lane has a copy of
//! both books in block RAM, so that no pattern of indices makes it wait.
//!
//! | port | |
//! | --- | --- |
//! | `load` | Load: a book comes, with this number. Taken when no load is under way, the report of the last one was taken and the place that is not read is free: its book was switched to, or its load failed |
//! | `words` | the books in their order, as they stand in a file (docs/vq-format.md, section 4), with `last`; `words_ready` follows `words_valid` within the cycle |
//! | `loaded` | how each load ended; registers |
//! | `s` | Access: up to `lanes` indices; Switch with them: from this beat on the other place is read, and the one that was read is free. A beat with `switch` waits while a load is under way |
//! | `m` | the entries of each beat; registers |
//! | `fault` | an index without an entry: why, and where. It waits until it is taken; those that come meanwhile are not told. Registers |
//!
//! - Parameters: those of [`CacheParams`]. Latency: [`LATENCY`] cycles. Throughput: a beat a cycle, whatever the indices are, and from book to book;
//!   a load of [`CacheParams::piece_numbers`] numbers a cycle.
//! - A switch when nothing was announced by `load` in an earlier cycle, or to a load that failed, is taken: there is no book from then on, and each index
//!   is answered as wrong until a beat switches to the next one.
//! - Combinational paths: from `m_ready` and `s_switch` to `s_ready`, from `words_valid` to `words_ready`.
//! - After a reset there is no book. What brings the words is reset, too.

use super::book_loader::{EntryWrite, book_loader};
use super::cache_types::*;
use super::tell_fault::{Faulty, tell_fault};
use super::two_places::{Lookup, Read, Write, switch, take};
use hdl::*;

/// Cycles from an index to its entry.
pub const LATENCY: u32 = 2;

ports! {
    /// Ports of a codebook cache.
    pub struct CodebookCachePorts(p: CacheParams) {
        /// Load: the number of a book that comes.
        input load: Stream = stream(bits(ID_BITS)),
        /// Words of books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Loads that have ended.
        output loaded: Stream<Loaded> = stream(loaded(p)),
        /// Access and Switch: indices.
        input s: Stream<Access> = stream(access(p)),
        /// Entries.
        output m: Stream<Entries> = stream(entries(p)),
        /// Indices without an entry.
        output fault: Stream<AccessFault> = stream(access_fault(p)),
    }
}

/// A codebook cache.
#[module]
pub fn codebook_cache(p: CacheParams) -> Result<Design<CodebookCachePorts>, Errors> {
    let name = format!("codebook_cache_{}x{}_{}", p.entries, p.vector, p.lanes);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Looks up indices in a codebook while the next book is loaded; a copy of both for each lane.");
    let io = CodebookCachePorts::new(m, p);

    m.section("Load");
    let loader = m.instance(&book_loader(p)?);
    loader.load.set(io.load);
    loader.words.set(io.words);
    io.loaded.set(loader.loaded);

    m.section("Switch");
    let waits = m.reg_reset(bits(1), 0).comment("there is a book in the place that is not read");
    loader.free.set(!waits);
    let read = Read::new(m, p, None);
    let next = Read { place: !read.place, book: waits, last_index: loader.last_index, base: None };
    let lookups = take(m, io.s, loader.busy, read, p);
    let from = io.s.payload.switch.mux(next, read);
    lookups.payload.set(Lookup { access: io.s.payload, from });
    switch(m, (lookups, io.s.payload.switch), (loader.good, waits), [read, next]);

    m.section("Access");
    let write = Write { entry: loader.write, place: !read.place };
    look_up(m, lookups, write, io.m, io.fault, p);
    m.finish(io)
}

/// Reads entries and finds indices without one.
#[module]
fn look_up(
    m: Module,
    s: Stream<Lookup>,
    write: Write,
    to: Stream<Entries>,
    fault: Stream<AccessFault>,
    p: CacheParams,
) {
    let (pipeline, Lookup { access, from }) = m.pipeline_stream("access", s, Elastic { collapse: false, flush: None });
    let Write { entry: EntryWrite { enable, index, entry }, place } = write;
    let (mut entries, mut wrongs) = (vec![], vec![]);
    for lane in 0..p.lanes {
        let asked = access.index[lane as usize];
        // the place is the low bit, so that any number of entries takes no more words than two books have
        let copy = m.memory(bits(p.entry_bits()), 2 * p.entries as usize).style(RamStyle::Block);
        copy.attribute("no_rw_check", ""); // one place is read, the other one written
        copy.write(index.cat(place), entry, enable);
        let used = access.used(m, lane);
        let found = from.book & asked.le(from.last_index);
        let wrong = (used & !found).next();
        let none = (!used | !found).next();
        let word = copy.read_sync(asked.cat(from.place));
        let answer = m.reg(bits(p.entry_bits()));
        answer.set(word); // block RAM is slow
        m.when(none, || answer.set(0)); // that is a reset of its flip-flops
        entries.push(answer);
        wrongs.push(wrong);
    }
    let wrong = Vector::of(wrongs).pack();
    let (no_book, [count, row_end, last]) = (!from.book, [access.count, access.row_end, access.last]);
    let beat = pipeline.state(m.reg_reset(bits(BEAT_BITS), 0).comment("the number of the beat"), wrong);
    beat.set(beat + 1);
    let comes = pipeline.leave(pipeline.moves(wrong) & wrong.any());
    let [of, no_book, number] = [wrong, no_book.meet(wrong), beat].map(|x| pipeline.leave(x));
    tell_fault(m, Faulty { comes, wrong: of, no_book, beat: number }, fault);
    let entry = Vector::of(entries);
    let [wrong, count, row_end, last] = [wrong, count, row_end, last].map(|x| x.meet(entry[0]));
    pipeline.leave_stream(Entries { entry, wrong, count, row_end, last }, to);
}

#[cfg(test)]
mod tests;
