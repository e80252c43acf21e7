//! Books of the groups of a row: each index of a row has a book of its own, and all of them are kept, beside those of the next rows.
//!
//! | port | |
//! | --- | --- |
//! | `load` | the book of the next position comes, with this number. Taken when no load is under way and the report of the last one was taken |
//! | `words` | the books, as they stand in a file, with `last`; `words_ready` follows `words_valid` within the cycle |
//! | `loaded` | how each load ended; registers. After one that failed the same position is loaded |
//! | `s` | indices, a beat of `lanes` after the other of each row; with `switch` a row begins, the books loaded since the last switch are read, and those that come are again that of position 0 and so on |
//! | `m` | the entries of each beat; registers |
//!
//! - Parameters: those of [`GroupParams`]. Latency: [`LATENCY`] cycles. Throughput: a beat a cycle.
//! - Combinational paths: from `m_ready` to `s_ready`, from `words_valid` to `words_ready`.
//! - All books of a row were loaded before the switch, and none is loaded between the last one and the switch.

use super::book_loader::{EntryWrite, book_loader};
use super::cache_types::*;
use hdl::*;

/// Cycles from an index to its entry.
pub const LATENCY: u32 = 2;

/// The parameters of books of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupParams {
    /// Entries, numbers and lanes; a power of two of these.
    pub cache: CacheParams,
    /// Beats of a row.
    pub beats: u32,
}

impl GroupParams {
    fn beat_bits(self) -> u32 {
        clog2(self.beats as usize).max(1)
    }
    fn lane_bits(self) -> u32 {
        self.cache.lanes.ilog2()
    }
}

ports! {
    /// Ports of books of groups.
    pub struct GroupBooksPorts(p: GroupParams) {
        /// The number of a book that comes.
        input load: Stream = stream(bits(ID_BITS)),
        /// Words of books.
        input words: Stream<BookWord> = stream(book_word()),
        /// Loads that have ended.
        output loaded: Stream<Loaded> = stream(loaded(p.cache)),
        /// Indices.
        input s: Stream<Access> = stream(access(p.cache)),
        /// Entries.
        output m: Stream<Entries> = stream(entries(p.cache)),
    }
}

/// Books of groups.
#[module]
pub fn group_books(p: GroupParams) -> Result<Design<GroupBooksPorts>, Errors> {
    let CacheParams { entries, vector, lanes } = p.cache;
    let name = format!("group_books_{entries}x{vector}_{lanes}_{}", p.beats);
    p.cache.check(&name)?;
    if !lanes.is_power_of_two() {
        let help = "a power of two: the low bits of a position are its lane";
        return Err(Errors::parameter(&name, format!("lanes = {lanes}"), help));
    }
    let m = Module::new(name);
    m.doc("Looks up the indices of rows, each of which has a book of its own.");
    let io = GroupBooksPorts::new(m, p);

    m.section("Load");
    let loader = m.instance(&book_loader(p.cache)?);
    loader.load.set(io.load);
    loader.words.set(io.words);
    loader.free.set(m.lit(1u32, 1));
    loader.busy.unused();
    io.loaded.set(loader.loaded);
    let position = m.reg_reset(bits(p.beat_bits() + p.lane_bits()), 0).comment("the position whose book comes");
    m.when(loader.good, || position.set(position + 1));

    m.section("Switch");
    let half = m.reg_reset(bits(1), 0).comment("the half of the memories that is read");
    let number = m.reg_reset(bits(p.beat_bits()), 0).comment("the beat of the row");
    let Access { switch, row_end, .. } = io.s.payload;
    let reads = Place { half: half ^ switch, number: switch.mux(number.zeros(p.beat_bits()), number) };
    m.when(io.s.transfer(), || {
        half.set(reads.half);
        number.set(row_end.mux(number.zeros(p.beat_bits()), reads.number + 1));
        m.when(switch, || position.set(0));
    });
    let lookups = m.wire(stream(Lookup { access: access(p.cache), place: place(p) }));
    lookups.valid.set(io.s.valid);
    io.s.ready.set(lookups.ready);
    lookups.payload.set(Lookup { access: io.s.payload, place: reads });

    let of_position = |lane: u32| match p.lane_bits() {
        0 => (m.lit(1u32, 1), position),
        bits => (position.trunc(bits).eq(lane), position.drop_low(bits)),
    };
    let writes = (0..lanes).map(|lane| {
        let (ours, number) = of_position(lane);
        Written {
            ours,
            place: Place { half: !half, number },
            entry: loader.write,
            good: loader.good,
            last: loader.last_index,
        }
    });
    look_up(m, lookups, writes.collect(), io.m, p);
    m.finish(io)
}

/// Where the book of a position is.
#[derive(Clone, Copy, Bundle)]
struct Place {
    half: Signal,
    /// The beat that the position belongs to.
    number: Signal,
}

fn place(p: GroupParams) -> Place {
    Place { half: bits(1), number: bits(p.beat_bits()) }
}

/// Indices, and where their books are.
#[derive(Clone, Copy, Bundle)]
struct Lookup {
    access: Access,
    place: Place,
}

/// What is written for a lane.
struct Written {
    /// The position is one of the lane.
    ours: Signal,
    place: Place,
    entry: EntryWrite,
    /// The book is whole, and has so many entries, less 1.
    good: Signal,
    last: Signal,
}

/// Reads entries and finds indices without one.
#[module]
fn look_up(m: Module, s: Stream<Lookup>, writes: Vec<Written>, to: Stream<Entries>, p: GroupParams) {
    m.section("Access");
    let (pipeline, Lookup { access, place }) = m.pipeline_stream("access", s, Elastic { collapse: false, flush: None });
    let (mut entries, mut wrongs) = (vec![], vec![]);
    for (lane, (index, write)) in (0u32..).zip(access.index.into_iter().zip(writes)) {
        let depth = 2 << (p.beat_bits() + p.cache.index_bits());
        let copy = m.memory(bits(p.cache.entry_bits()), depth).style(RamStyle::Block);
        copy.attribute("no_rw_check", ""); // one half is read, the other one written
        let EntryWrite { enable, index: to, entry } = write.entry;
        copy.write(write.place.half.cat(write.place.number).cat(to), entry, enable & write.ours);
        let last = m.memory(bits(p.cache.index_bits()), 2 << p.beat_bits()).style(RamStyle::Distributed);
        last.write(write.place.half.cat(write.place.number), write.last, write.good & write.ours);
        let used = access.used(m, lane);
        let found = index.le(last.read(place.half.cat(place.number)));
        let wrong = (used & !found).next();
        let none = (!used | !found).next();
        let word = copy.read_sync(place.half.cat(place.number).cat(index));
        let answer = m.reg(bits(p.cache.entry_bits()));
        answer.set(word); // block RAM is slow
        m.when(none, || answer.set(0)); // that is a reset of its flip-flops
        entries.push(answer);
        wrongs.push(wrong);
    }
    let entry = Vector::of(entries);
    let wrong = Vector::of(wrongs).pack().meet(entry[0]);
    let [count, row_end, last] = [access.count, access.row_end, access.last].map(|x| x.meet(entry[0]));
    pipeline.leave_stream(Entries { entry, wrong, count, row_end, last }, to);
}

#[cfg(test)]
mod tests;
