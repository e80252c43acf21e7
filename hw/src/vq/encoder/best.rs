//! The entry with the largest key of a book that passes; of several, the first one. Built into the module that calls.

use super::super::table_types::TableParams;
use hdl::*;

/// Cycles from the last entries of a book to its index.
pub(super) fn latency(p: TableParams) -> u32 {
    1 + p.entries_of_word().ilog2()
}

/// Keys of a word's entries.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Keys {
    pub(super) comes: Signal,
    /// The number of the first entry, divided by the entries of a word.
    pub(super) row: Signal,
    /// For each entry a bit: the book has it.
    pub(super) there: Signal,
    /// For each entry its key, with sign.
    pub(super) key: Vector<Signal>,
}

/// The best one of some entries.
#[derive(Clone, Copy, Bundle)]
struct Candidate {
    any: Signal,
    key: Signal,
    /// Its row, inverted: among equal keys the larger one counts.
    row: Signal,
    /// Its place in the row.
    place: Signal,
}

/// The best entry of a book, when the last one was there: a valid bit, and the index.
#[module]
pub(super) fn best(m: Module, keys: Keys, p: TableParams) -> (Signal, Signal) {
    m.section("the largest key of each entry of a word, then of these");
    let first = !keys.row.any();
    let ends = m.reg_reset(bits(1), 0);
    ends.set(keys.comes & keys.row.all());
    let of_word = p.entries_of_word();
    let place_bits = of_word.ilog2().max(1);
    let of_place = |(place, key): (u32, Signal)| {
        let there = keys.there.bit(place);
        let any = m.reg(bits(1)).comment("the book has such an entry");
        let largest = m.reg(bits(key.width()));
        let row = m.reg(bits(keys.row.width()));
        m.when(keys.comes & first, || any.set(there));
        m.when(keys.comes & there & (first | key.gt_signed(largest)), || {
            largest.set(key);
            row.set(!keys.row);
        });
        Candidate { any, key: largest, row, place: m.lit(place, place_bits) }
    };
    let mut candidates: Vec<Candidate> = (0..of_word).zip(keys.key).map(of_place).collect();
    let mut ends: Signal = ends;
    while candidates.len() > 1 {
        candidates = candidates.chunks(2).map(|two| better(m, two[0], two[1])).collect();
        let later = m.reg_reset(bits(1), 0);
        later.set(ends);
        ends = later;
    }
    let Candidate { row, place, .. } = candidates[0];
    (ends, if of_word == 1 { !row } else { (!row).cat(place) })
}

/// The better one of two candidates, the first one if they are alike; in registers.
#[module]
fn better(m: Module, a: Candidate, b: Candidate) -> Candidate {
    let second = b.any & b.key.cat(b.row).gt_signed(a.key.cat(a.row));
    let found = m.reg(second.mux(b, a).shape());
    found.set(second.mux(b, a));
    found
}
