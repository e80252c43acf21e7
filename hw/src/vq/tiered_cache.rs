//! Codebook cache with tiers (vq-llm.txt, section V): the first entries of a book are on the chip, as in [`codebook_cache`](mod@super::codebook_cache),
//! and the others stay in memory, from where each is read when it is asked for. Books are in falling order of use.
//!
//! | port | |
//! | --- | --- |
//! | `load` | Load: a book comes, with this number, and stands in memory at this address (its low 3 bits are not looked at). Taken when no load is under way, the report of the last one was taken, and a place is free: the first beat of the book that was switched to last has been looked up on the chip (so a load may wait for memory, and for `m`), or the last load failed |
//! | `words` | the books in their order, whole, as they stand in a file (docs/vq-format.md, section 4), with `last`; `words_ready` follows `words_valid` within the cycle |
//! | `loaded` | how each load ended; registers |
//! | `s` | Access: up to `lanes` indices; Switch with them. A beat with `switch` waits while a load is under way |
//! | `m` | the entries of each beat; registers |
//! | `fault` | a beat with an index without an entry: why, and where. It waits until it is taken; those that come meanwhile are not told. Registers |
//! | `m_axi` | AXI4 without IDs: reads of one word. `m_axi_rready` is 1 from the cycle on in which a request stands to its answer: other masters on the bus are never blocked |
//!
//! - Parameters: those of [`TieredParams`]. Latency: [`LATENCY`] cycles for a beat without an entry in memory.
//! - Throughput: a beat takes a cycle, or one for each word that it asks of memory if these are more, while memory answers; at most `outstanding` lookups are in memory,
//!   of any beats, and 67 beats wait behind the oldest one (64 in a FIFO). A lookup's place is free w + 3 cycles and the memory's latency after it was taken, with w words of an entry.
//! - A beat is told of once: an index without an entry before an entry that memory did not give; of each the first lane.
//! - A switch when nothing was announced by `load` in an earlier cycle, or to a load that failed, is taken: there is no book from then on.
//! - Combinational paths: from `s_switch` to `s_ready`, from `words_valid` to `words_ready`.
//! - After a reset there is no book, and nothing is under way. What brings the words is reset, too, and so is the memory: an answer to a request from before
//!   the reset would be taken for that to a later one.

mod cold;
mod gather;
mod near;

pub use super::tiered_types::*;

use self::gather::gather;
use self::near::look_up;
use super::book_loader::book_loader;
use super::cache_types::*;
use super::two_places::{Lookup, Read, Write, switch, take};
use crate::memory::axi::{AxiRead, axi_read};
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::fork;
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

/// Cycles from an index to its entry, if none of the beat is in memory.
pub const LATENCY: u32 = 5;

ports! {
    /// Ports of a codebook cache with tiers.
    pub struct TieredCachePorts(p: TieredParams) {
        /// Load: the number of a book that comes, and where it stands in memory.
        input load: Stream<TieredLoad> = stream(tiered_load(p)),
        /// Words of books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Loads that have ended.
        output loaded: Stream<Loaded> = stream(loaded(p.cache)),
        /// Access and Switch: indices.
        input s: Stream<Access> = stream(access(p.cache)),
        /// Entries.
        output m: Stream<Entries> = stream(entries(p.cache)),
        /// Beats with an index without an entry.
        output fault: Stream<TieredFault> = stream(tiered_fault(p)),
        /// Memory.
        output m_axi: AxiRead = axi_read(p.axi()),
    }
}

/// A codebook cache with tiers.
#[module]
pub fn tiered_cache(p: TieredParams) -> Result<Design<TieredCachePorts>, Errors> {
    let CacheParams { entries, lanes, vector } = p.cache;
    let name = format!("tiered_cache_{entries}x{vector}_{lanes}_{}_{}", p.registers, p.shared);
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Looks up indices in a codebook of which the first entries are on the chip and the others in memory.");
    let io = TieredCachePorts::new(m, p);

    m.section("Load");
    let loader = m.instance(&book_loader(p.cache)?);
    loader.load.set(io.load.with(io.load.payload.id));
    loader.words.set(io.words);
    io.loaded.set(loader.loaded);
    let first_entry = io.load.payload.address.drop_low(3) + 1; // behind the book's head
    let loaded_base = m.reg(bits(p.word_bits())).comment("where the book that was loaded is in memory");
    m.when(io.load.transfer(), || loaded_base.set(first_entry));

    m.section("Switch");
    let waits = m.reg_reset(bits(1), 0).comment("there is a book in the place that is not read");
    let base = Some(loaded_base);
    let read = Read::new(m, p.cache, base);
    // a switch to no book stays at the place: so the beats that are not looked up are of two places at most, that of `read` and the other one
    let next = Read { place: read.place ^ waits, book: waits, last_index: loader.last_index, base };
    let lookups = take(m, io.s, loader.busy, read, p.cache);
    lookups.payload.set(Lookup { access: io.s.payload, from: io.s.payload.switch.mux(next, read) });
    switch(m, (lookups, io.s.payload.switch), (loader.good, waits), [read, next]);

    m.section("Access");
    let sorted = register_slice_forward_after(m, sort(m, lookups, p))?;
    let Sorted { beat, asked } = sorted.payload;
    let [reads, waiting] = fork(m, sorted.with(beat));
    let cold = m.wire(stream(cold_beat(p)));
    cold.valid.set(reads.valid & beat.cold);
    reads.ready.set(cold.ready | !beat.cold);
    cold.payload.set(asked);
    let answers = cold::read(m, cold, io.m_axi, p)?;

    let beats = fifo_after(m, waiting, BEATS, Style::Distributed)?;
    let looked_up = m.reg_reset(bits(1), 0).comment("the place of the last beat that was looked up");
    m.when(beats.transfer(), || looked_up.set(beats.payload.place));
    loader.free.set(!waits & looked_up.eq(read.place));
    let near = look_up(m, beats, Write { entry: loader.write, place: !read.place }, p);
    gather(m, near, answers, io.m, io.fault, p)?;
    m.finish(io)
}

/// A beat, and what it asks of memory.
#[derive(Clone, Copy, Bundle)]
struct Sorted {
    beat: Beat,
    asked: ColdBeat,
}

/// Finds the tier of each index.
#[module]
fn sort(m: Module, s: Stream<Lookup>, p: TieredParams) -> Stream<Sorted> {
    let Lookup { access, from } = s.payload;
    let Access { index, count, row_end, last, switch: _ } = access;
    let used = access.lanes_used(m);
    let found = Vector::of(index.into_iter().map(|index| from.book & index.le(from.last_index))).pack();
    let in_memory = Vector::of(index.into_iter().map(|index| index.ge(p.shared))).pack();
    let (cold, near, wrong) = (used & found & in_memory, used & found & !in_memory, used & !found);
    let low = Vector::of(index.into_iter().map(|index| index.trunc(p.near_bits())));
    let no_book = !from.book;
    let beat = Beat { index: low, place: from.place, near, wrong, cold: cold.any(), no_book, count, row_end, last };
    let base = from.base.expect("the cache has a tier in memory");
    s.with(Sorted { beat, asked: ColdBeat { index, cold, base } })
}

#[cfg(test)]
mod tests;
