//! The tiers on the chip: LUT RAM and block RAM, a copy of both books for each lane.
//!
//! - Latency: 2 cycles. Throughput: a beat a cycle.
//! - Block RAM has all entries on the chip, those in LUT RAM, too; of these what LUT RAM has counts.
//! - A lane without an index, without an entry, or with one in memory gives zeros.
//! - Of a beat with indices without an entry, the first lane that has one is told.
//! - Nothing is read from the place that is written.

use super::super::book_loader::EntryWrite;
use super::super::cache_types::*;
use super::super::tiered_types::*;
use super::super::two_places::Write;
use hdl::logic::first_one;
use hdl::*;

/// Reads the entries that are on the chip. Latency: 2 cycles.
#[module]
pub(super) fn look_up(m: Module, s: Stream<Beat>, write: Write, p: TieredParams) -> Stream<Near> {
    let (pipeline, beat) = m.pipeline_stream("near", s, Elastic { collapse: false, flush: None });
    let entry = (0..p.cache.lanes).map(|lane| {
        let index = beat.index[lane as usize];
        let none = (!beat.near.bit(lane)).next();
        copy(m, (index, beat.place), none, write, p)
    });
    let entry = Vector::of(entry);
    let lane = first_one(beat.wrong).index;
    let (faulty, lane) = (beat.wrong.any().next().next(), lane.next().next());
    let Beat { wrong, cold, no_book, count, row_end, last, .. } = beat;
    let [wrong, cold, no_book, count, row_end, last] =
        [wrong, cold, no_book, count, row_end, last].map(|x| x.meet(faulty));
    let to = m.wire(stream(near(p)));
    let entries = Entries { entry, wrong, count, row_end, last };
    pipeline.leave_stream(Near { entries, faulty, lane, no_book, cold }, to);
    to
}

/// The copy of a lane: the entry of an index in a place, or zeros if there is `none` (of the cycle behind).
#[module]
fn copy(m: Module, (index, place): (Signal, Signal), none: Signal, write: Write, p: TieredParams) -> Signal {
    if p.shared == 0 {
        return m.lit(0u32, p.cache.entry_bits());
    }
    let block = (p.shared > p.registers).then(|| {
        let ram = tier(m, p.shared, write, p).style(RamStyle::Block);
        ram.attribute("no_rw_check", ""); // one place is read, the other one written
        ram.read_sync(index.cat(place)) // the place is the low bit, as in the codebook cache
    });
    let lookup = (p.registers > 0).then(|| {
        let ram = tier(m, p.registers, write, p).style(RamStyle::Distributed);
        ram.read(index.trunc(clog2(p.registers.max(2) as usize)).cat(place)).next()
    });
    let answer = m.reg(bits(p.cache.entry_bits()));
    answer.set(match (block, lookup) {
        (Some(block), Some(lookup)) => index.lt(p.registers).next().mux(lookup, block),
        (block, lookup) => block.or(lookup).expect("one of the tiers has entries"),
    });
    m.when(none, || answer.set(0)); // that is a reset of its flip-flops
    answer
}

/// A memory of the first entries of both books.
#[module]
fn tier(m: Module, count: u32, write: Write, p: TieredParams) -> Memory {
    let Write { entry: EntryWrite { enable, index, entry }, place } = write;
    let words = count.max(2); // so that an index has a bit
    let ram = m.memory(bits(p.cache.entry_bits()), 2 * words as usize);
    let row = index.trunc(clog2(words as usize));
    ram.write(row.cat(place), entry, enable & index.lt(count));
    ram
}
